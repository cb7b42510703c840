"""A repository that a person names: our commit lands on their branch, their work stays theirs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.git.local import Target, open_target
from bot.git.plan import Outcome, Plan, Published
from tests.git.conftest import Origin, Person, git

LESSONS = ".agent-corp/lessons.md"
EVENTS = ".agent-corp/events/2026-11.jsonl"
BOT = ("lessonkeeper", "lessonkeeper@example.org")


@pytest.fixture
def target(ann: Person) -> Iterator[Target]:
    with open_target(str(ann.tree), BOT) as target:
        yield target


def write(target: Target, changes: Mapping[str, bytes | None]) -> Published:
    return target.publish(
        Plan(target.branch, target.head(), changes, "chore(lessons): 1 appended\n")
    )


def status(person: Person) -> str:
    return git(person.tree, "status", "--porcelain", "--ignored", "--untracked-files=all")


def test_a_clean_work_tree_follows(ann: Person, target: Target) -> None:
    ann.commit({EVENTS: b"{}\n"})
    published = write(target, {LESSONS: b"- a\n", EVENTS: None, "README.md": b"# Store\n"})
    assert published == Published(Outcome.LANDED, git(ann.tree, "rev-parse", "HEAD"))
    assert git(ann.tree, "branch", "--show-current") == "main"
    assert status(ann) == ""
    assert (ann.tree / LESSONS).read_bytes() == b"- a\n"
    assert not (ann.tree / EVENTS).exists()
    assert git(ann.tree, "for-each-ref", "refs/lessonkeeper") == ""


def test_work_in_other_files_is_not_touched(ann: Person, target: Target) -> None:
    (ann.tree / "README.md").write_bytes(b"mine\n")
    (ann.tree / "new.md").write_bytes(b"mine\n")
    git(ann.tree, "add", "README.md")
    write(target, {LESSONS: b"- a\n"})
    assert status(ann).split("\n") == ["M  README.md", "?? new.md"]
    assert (ann.tree / LESSONS).read_bytes() == b"- a\n"


def test_a_file_changed_here_is_left_and_named(ann: Person, target: Target) -> None:
    ann.commit({LESSONS: b"- a\n", EVENTS: b""})
    (ann.tree / LESSONS).write_bytes(b"- a\n- mine\n")
    published = write(target, {LESSONS: b"- a\n- b\n", EVENTS: b"{}\n"})
    assert published.outcome is Outcome.LANDED
    assert published.left == (LESSONS,)
    assert f"Left as you changed it here: {LESSONS}." in published.detail
    assert (ann.tree / LESSONS).read_bytes() == b"- a\n- mine\n"
    assert (ann.tree / EVENTS).read_bytes() == b"{}\n"
    assert git(ann.tree, "show", f"HEAD:{LESSONS}") == "- a\n- b"
    git(ann.tree, "commit", "--quiet", "--allow-empty", "--message", "next")
    assert git(ann.tree, "show", f"HEAD:{LESSONS}") == "- a\n- b"


def test_a_file_staged_here_is_left_and_named(ann: Person, target: Target) -> None:
    ann.commit({LESSONS: b"- a\n"})
    (ann.tree / LESSONS).write_bytes(b"- mine\n")
    git(ann.tree, "add", LESSONS)
    published = write(target, {LESSONS: b"- a\n- b\n"})
    assert LESSONS in published.detail
    assert git(ann.tree, "show", f":{LESSONS}") == "- mine"


def test_a_locked_index_is_told_with_its_remedy(ann: Person, target: Target) -> None:
    (ann.tree / ".git" / "index.lock").touch()
    published = write(target, {LESSONS: b"- a\n"})
    (ann.tree / ".git" / "index.lock").unlink()
    assert published.outcome is Outcome.LANDED
    assert published.detail.endswith(f"git restore -SW {LESSONS}")
    git(ann.tree, "restore", "-SW", LESSONS)
    assert status(ann) == ""


@pytest.mark.parametrize("ignored", ["", ".agent-corp/", "*.md"])
def test_an_uncommitted_file_in_our_place_is_left(
    ann: Person, target: Target, ignored: str
) -> None:
    ann.commit({".gitignore": ignored.encode()})
    (ann.tree / LESSONS).parent.mkdir()
    (ann.tree / LESSONS).write_bytes(b"- mine\n")
    published = write(target, {LESSONS: b"- a\n"})
    assert LESSONS in published.detail
    assert (ann.tree / LESSONS).read_bytes() == b"- mine\n"


def test_a_branch_that_moved_in_between_is_behind(ann: Person, target: Target) -> None:
    ready = Plan("main", target.head(), {LESSONS: b"- a\n"}, "m\n")
    theirs = ann.commit({"x": b"1"}, push=False)
    assert target.publish(ready).outcome is Outcome.BEHIND
    assert git(ann.tree, "rev-parse", "HEAD") == theirs
    assert git(ann.tree, "for-each-ref", "refs/lessonkeeper") == ""


def test_hooks_and_signing_of_the_repository_do_not_run(ann: Person) -> None:
    git(ann.tree, "config", "commit.gpgSign", "true")
    git(ann.tree, "config", "core.fsmonitor", "touch fsmonitor-ran")
    for hook in ("reference-transaction", "post-checkout", "pre-push", "pre-commit", "commit-msg"):
        path = ann.tree / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch '{ann.tree}/{hook}-ran'\n")
        path.chmod(0o755)
    with open_target(str(ann.tree), BOT, pushes=True) as target:
        assert write(target, {LESSONS: b"- a\n"}).outcome is Outcome.LANDED
    assert not [*ann.tree.rglob("*-ran")]


def test_what_is_pushed_is_on_the_upstream_before_it_is_here(ann: Person, origin: Origin) -> None:
    with open_target(str(ann.tree), BOT, pushes=True) as target:
        write(target, {LESSONS: b"- a\n"})
        assert origin.tip() == target.head()


def test_an_upstream_that_moved_leaves_the_branch_as_it_is(
    ann: Person, origin: Origin, tmp_path: Path
) -> None:
    theirs = origin.person(tmp_path / "bob").commit({"x": b"1"})
    with open_target(str(ann.tree), BOT, pushes=True) as target:
        before = target.head()
        with pytest.raises(UserError, match="git pull --rebase"):
            write(target, {LESSONS: b"- a\n"})
        assert target.head() == before
    assert origin.tip() == theirs


def test_commits_of_the_person_that_would_travel_along_are_known(ann: Person) -> None:
    with open_target(str(ann.tree), BOT, pushes=True) as target:
        assert target.unpublished() == ()
        ann.commit({"x": b"1"}, push=False)
        assert len(target.unpublished()) == 1


@pytest.mark.parametrize("remotes", [["origin"], ["fork"], []])
def test_no_upstream_is_told_with_a_remedy_that_works(
    ann: Person, origin: Origin, remotes: list[str]
) -> None:
    git(ann.tree, "switch", "--quiet", "--create", "work")
    git(ann.tree, "remote", "remove", "origin")
    for name in remotes:
        git(ann.tree, "remote", "add", name, str(origin.directory))
    with open_target(str(ann.tree), BOT, pushes=True) as target:
        with pytest.raises(UserError) as told:
            write(target, {LESSONS: b"- a\n"})
        _, _, remedy = told.value.remedy.rpartition(": ")
        remedy = remedy.replace("URL", str(origin.directory))
        subprocess.run(remedy, shell=True, cwd=ann.tree, check=True, capture_output=True)
        assert write(target, {LESSONS: b"- a\n"}).outcome is Outcome.LANDED


def test_the_first_commit_of_an_empty_clone_is_pushed(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "there.git")
    git(tmp_path, "clone", "--quiet", "there.git", "here")
    with open_target(str(tmp_path / "here"), BOT, pushes=True) as target:
        assert write(target, {LESSONS: b"- a\n"}).outcome is Outcome.LANDED
    assert git(tmp_path / "there.git", "rev-parse", "main")


def test_a_directory_inside_the_work_tree_is_enough(ann: Person) -> None:
    with open_target(str(ann.tree / "src"), BOT) as target:
        write(target, {LESSONS: b"- a\n", "src/a.py": b"x\n"})
    assert status(ann) == ""
    assert (ann.tree / LESSONS).exists()


def test_a_linked_work_tree_has_its_own_branch(ann: Person, tmp_path: Path) -> None:
    main = git(ann.tree, "rev-parse", "HEAD")
    git(ann.tree, "worktree", "add", "--quiet", "-b", "work", str(tmp_path / "linked"))
    with open_target(str(tmp_path / "linked"), BOT) as target:
        assert target.branch == "work"
        write(target, {LESSONS: b"- a\n"})
    assert (tmp_path / "linked" / LESSONS).exists()
    assert status(Person(tmp_path / "linked")) == ""
    assert git(ann.tree, "rev-parse", "main") == main


def test_an_unborn_branch_gets_its_first_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=trunk", "fresh")
    with open_target(str(tmp_path / "fresh"), BOT) as target:
        assert (target.branch, target.head()) == ("trunk", None)
        assert write(target, {LESSONS: b"- a\n"}).outcome is Outcome.LANDED
    assert status(Person(tmp_path / "fresh")) == ""


def test_a_bare_repository(ann: Person, origin: Origin) -> None:
    with open_target(str(origin.directory), BOT) as target:
        assert write(target, {LESSONS: b"- a\n"}).commit == origin.tip()
    with (
        open_target(str(origin.directory), BOT, pushes=True) as target,
        pytest.raises(UserError, match="no upstream"),
    ):
        write(target, {LESSONS: b"- b\n"})


def test_a_bare_repository_whose_branch_is_checked_out_elsewhere(
    ann: Person, origin: Origin, tmp_path: Path
) -> None:
    git(origin.directory, "worktree", "add", "--quiet", str(tmp_path / "linked"), "main")
    with pytest.raises(UserError, match="linked"), open_target(str(origin.directory), BOT):
        pass


def test_a_url_is_read_and_pushed_at_once(ann: Person, origin: Origin) -> None:
    with open_target(f"file://{origin.directory}", BOT) as target:
        assert target.branch == "main"
        assert target.clone.paths(target.head() or "") == {"README.md", "src/a.py"}
        published = write(target, {LESSONS: b"- a\n"})
        assert published.commit == origin.tip()


def test_the_url_of_an_empty_repository(origin: Origin) -> None:
    with open_target(f"file://{origin.directory}", BOT) as target:
        assert target.head() is None
        assert write(target, {LESSONS: b"- a\n"}).commit == origin.tip()


def test_a_detached_head_is_told(ann: Person) -> None:
    git(ann.tree, "switch", "--quiet", "--detach")
    with pytest.raises(UserError, match="detached"), open_target(str(ann.tree), BOT):
        pass


@pytest.mark.parametrize("where", ["none", "README.md", ".", "--help", "-x"])
def test_no_repository_is_told(tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.md").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UserError, match=r"no (git )?repository"), open_target(where, BOT):
        pass


def test_an_address_that_does_not_answer_is_told(tmp_path: Path) -> None:
    where = f"file://{tmp_path}/none.git"
    with pytest.raises(UserError, match="could not be read"), open_target(where, BOT):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_repository_of_another_user_is_told(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(ann.tree, 65534, 65534)
    os.chown(ann.tree / ".git", 65534, 65534)
    monkeypatch.setenv("HOME", str(ann.tree.parent))
    monkeypatch.delenv("SUDO_UID", raising=False)
    with pytest.raises(UserError, match=r"safe\.directory"), open_target(str(ann.tree), BOT):
        pass
