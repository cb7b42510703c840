"""A plan lands, or it is known why not; nothing is applied twice and nothing is forced."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.errors import Fault, UserError
from bot.git.command import Answer
from bot.git.commit import make_commit
from bot.git.lock import Lock, hold
from bot.git.mirror import Mirror
from bot.git.plan import Outcome, Plan
from bot.git.publish import GitPush
from bot.git.remote import meaning
from bot.sandbox.git_http import GitServer
from tests.git.conftest import BOT, REPOSITORY, Origin, Person, git, on_disk, over_http

LESSONS = ".agent-corp/lessons.md"
SUBJECT = (
    'chore(lessons): 1 appended from #12\n\nWhy: "quotes", --options and\n\n\nskip-checks: true\n'
)
POLICY = """cat > /dev/null
echo 'error: GH013: Repository rule violations found for refs/heads/main.' >&2
echo '- Changes must be made through a pull request.' >&2
exit 1"""


def publisher(mirror: Mirror) -> GitPush:
    return GitPush(mirror, mirror.lock, author=BOT, committer=BOT)


def plan(head: str | None, changes: Mapping[str, bytes | None], branch: str = "main") -> Plan:
    return Plan(branch, head, changes, SUBJECT)


def append(mirror: Mirror, line: bytes) -> Plan:
    """What a caller does each time: fetch, decide on what stands there now."""
    head = mirror.fetch("main")
    assert head
    return plan(head, {LESSONS: mirror.clone.read(head, LESSONS).data + line})


@pytest.fixture(params=["file", "http"])
def pushing(
    request: pytest.FixtureRequest, lock: Lock, origin: Origin, server: GitServer
) -> Mirror:
    return Mirror(lock, over_http(server) if request.param == "http" else on_disk(origin))


def test_a_plan_becomes_one_commit(ann: Person, pushing: Mirror, origin: Origin) -> None:
    before = origin.count()
    changes = {LESSONS: b"- a\r\n- b", "src/a.py": None, 'odd "name".md': b"\0\xff"}
    published = publisher(pushing).publish(plan(pushing.fetch("main"), changes))
    assert published.outcome is Outcome.LANDED
    assert origin.tip() == published.commit
    assert origin.count() == before + 1
    assert origin.show(LESSONS) == b"- a\r\n- b"
    assert origin.show('odd "name".md') == b"\0\xff"
    assert git(origin.directory, "ls-tree", "-r", "--name-only", "main").split("\n") == [
        LESSONS,
        "README.md",
        '"odd \\"name\\".md"',
    ]
    shown = git(origin.directory, "log", "-1", "--format=%an|%ae|%aI|%cn|%cI|%B", "main")
    at = "2026-11-02T10:00:00+00:00"
    assert shown == f"{BOT.name}|{BOT.email}|{at}|{BOT.name}|{at}|{SUBJECT}".strip()
    git(origin.directory, "fsck", "--strict")


def test_a_file_keeps_its_mode(ann: Person, mirror: Mirror, origin: Origin) -> None:
    (ann.tree / "run.sh").write_bytes(b"old")
    (ann.tree / "run.sh").chmod(0o755)
    ann.commit({})
    publisher(mirror).publish(plan(mirror.fetch("main"), {"run.sh": b"new", "x.md": b"x"}))
    modes = git(origin.directory, "ls-tree", "main", "run.sh", "x.md").split("\n")
    assert [row[:6] for row in modes] == ["100755", "100644"]


def test_the_first_commit_of_an_empty_repository(pushing: Mirror, origin: Origin) -> None:
    published = publisher(pushing).publish(plan(pushing.fetch("main"), {LESSONS: b"- a\n"}))
    assert published.outcome is Outcome.LANDED
    assert origin.count() == 1


def test_a_branch_that_was_renamed_away_is_not_made_again(
    ann: Person, mirror: Mirror, origin: Origin
) -> None:
    git(origin.directory, "branch", "--move", "main", "trunk")
    published = publisher(mirror).publish(plan(mirror.fetch("main"), {LESSONS: b"- a\n"}))
    assert published.outcome is Outcome.GONE
    assert git(origin.directory, "branch", "--list", "main") == ""


def test_a_new_branch_starts_from_a_commit(ann: Person, mirror: Mirror, origin: Origin) -> None:
    head = mirror.fetch("main")
    published = publisher(mirror).publish(plan(head, {LESSONS: b"- a\n"}, "lessonkeeper/rolling"))
    assert published.outcome is Outcome.LANDED
    assert origin.tip("lessonkeeper/rolling") == published.commit
    assert origin.tip() == head


def test_a_remote_that_moved_is_behind_and_the_edit_is_done_anew(
    ann: Person, pushing: Mirror, origin: Origin
) -> None:
    first = append(pushing, b"- ours\n")
    ann.commit({LESSONS: b"- theirs\n"})
    assert publisher(pushing).publish(first).outcome is Outcome.BEHIND
    assert publisher(pushing).publish(append(pushing, b"- ours\n")).outcome is Outcome.LANDED
    assert origin.show(LESSONS) == b"- theirs\n- ours\n"


def test_a_race_that_the_server_sees_first_is_behind(
    ann: Person, pushing: Mirror, origin: Origin
) -> None:
    """The branch moves after the push was announced: the server cannot lock the reference."""
    ready = append(pushing, b"- ours\n")
    theirs = ann.commit({"theirs.md": b"1"}, push=False)
    git(ann.tree, "push", "--quiet", "origin", "HEAD:refs/heads/other")
    origin.hook(
        "pre-receive",
        f"unset GIT_QUARANTINE_PATH; cat > /dev/null; git update-ref refs/heads/main {theirs}",
    )
    published = publisher(pushing).publish(ready)
    assert published.outcome is Outcome.BEHIND, published.detail
    assert origin.tip() == theirs


def test_a_policy_is_refused_with_its_words(ann: Person, pushing: Mirror, origin: Origin) -> None:
    origin.hook("pre-receive", POLICY)
    published = publisher(pushing).publish(append(pushing, b"- a\n"))
    assert published.outcome is Outcome.REFUSED
    assert "Changes must be made through a pull request." in published.detail
    assert origin.tip() == pushing.fetch("main")


def test_behind_goes_before_policy_when_the_branch_moved(
    ann: Person, pushing: Mirror, origin: Origin
) -> None:
    """git does not even ask the server then; the next attempt meets the policy."""
    ready = append(pushing, b"- a\n")
    ann.commit({"x": b"1"})
    origin.hook("pre-receive", POLICY)
    assert publisher(pushing).publish(ready).outcome is Outcome.BEHIND
    assert publisher(pushing).publish(append(pushing, b"- a\n")).outcome is Outcome.REFUSED


def test_an_answer_that_got_lost_is_asked_for(
    ann: Person, lock: Lock, origin: Origin, server: GitServer
) -> None:
    mirror = Mirror(lock, over_http(server))
    ready = append(mirror, b"- a\n")
    server.drop_answers = True
    published = publisher(mirror).publish(ready)
    assert published.outcome is Outcome.LANDED
    assert published.commit == origin.tip()


def test_a_push_that_landed_but_did_not_end_is_asked_for(
    ann: Person, mirror: Mirror, origin: Origin
) -> None:
    os.mkfifo(origin.directory / "never")
    origin.hook("post-receive", "read line < never")
    ready = append(mirror, b"- a\n")
    published = GitPush(mirror, mirror.lock, BOT, BOT, timeout=3.0).publish(ready)
    assert published.outcome is Outcome.LANDED
    assert published.commit == origin.tip()


def test_a_push_that_landed_though_it_was_reported_refused(
    ann: Person, pushing: Mirror, origin: Origin
) -> None:
    """A push repeated on the way meets its own result; the hook stands for the first one."""
    origin.hook(
        "pre-receive",
        "read old new ref; unset GIT_QUARANTINE_PATH\n"
        "cp -r $GIT_OBJECT_DIRECTORY/* objects/ 2>/dev/null\n"
        "GIT_OBJECT_DIRECTORY=objects git update-ref $ref $new $old\n"
        "echo 'pre-receive hook declined' >&2; exit 1",
    )
    before = origin.count()
    published = publisher(pushing).publish(append(pushing, b"- a\n"))
    assert published.outcome is Outcome.LANDED, published.detail
    assert published.commit == origin.tip()
    assert origin.count() == before + 1


def test_a_remote_that_is_down_leaves_it_unknown(ann: Person, lock: Lock, origin: Origin) -> None:
    with GitServer(origin.directory.parents[1], accepts=bool) as server:
        mirror = Mirror(lock, over_http(server))
        ready = append(mirror, b"- a\n")
    published = publisher(mirror).publish(ready)
    assert published.outcome is Outcome.UNKNOWN
    assert origin.tip() == ready.head


def test_an_archived_repository_is_gone(ann: Person, lock: Lock, server: GitServer) -> None:
    mirror = Mirror(lock, over_http(server))
    server.archived.add("acme/shop.git")
    published = publisher(mirror).publish(append(mirror, b"- a\n"))
    assert published.outcome is Outcome.GONE
    assert "read-only" in published.detail


def test_a_token_that_died_is_a_matter_of_credentials(
    ann: Person, lock: Lock, server: GitServer
) -> None:
    ready = append(Mirror(lock, over_http(server)), b"- a\n")
    published = publisher(Mirror(lock, over_http(server, "dead-token"))).publish(ready)
    assert published.outcome is Outcome.CREDENTIALS
    assert "dead-token" not in published.detail


def test_a_server_that_prints_the_token_does_not_get_it_into_the_detail(
    ann: Person, lock: Lock, origin: Origin, server: GitServer
) -> None:
    mirror = Mirror(lock, over_http(server))
    token = mirror.remote.token
    origin.hook("pre-receive", f"echo 'you sent {token} GH006' >&2; exit 1")
    published = publisher(mirror).publish(append(mirror, b"- a\n"))
    assert published.outcome is Outcome.REFUSED
    assert "you sent [redacted]" in published.detail


def test_after_a_crash_between_push_and_bookkeeping_the_tree_tells(
    ann: Person, origin: Origin, tmp_path: Path
) -> None:
    """The pushed tree is all the memory there is: a fresh process sees it, the plan lands once."""
    with hold(tmp_path / "data", REPOSITORY) as lock:
        mirror = Mirror(lock, on_disk(origin))
        ready = append(mirror, b"- a\n")
        first = publisher(mirror).publish(ready)
    count = origin.count()
    with hold(tmp_path / "data", REPOSITORY) as lock:
        mirror = Mirror(lock, on_disk(origin))
        assert publisher(mirror).publish(ready) == first
        head = mirror.fetch("main")
        assert head
        assert mirror.clone.read(head, LESSONS).data == b"- a\n"
    assert origin.count() == count


def test_the_same_plan_after_others_built_on_it_has_landed(
    ann: Person, mirror: Mirror, origin: Origin
) -> None:
    ready = append(mirror, b"- a\n")
    first = publisher(mirror).publish(ready)
    git(ann.tree, "pull", "--quiet", "--rebase")
    ann.commit({"x": b"1"})
    assert publisher(mirror).publish(ready) == first


def test_two_processes_with_mirrors_of_their_own_lose_nothing(
    ann: Person, origin: Origin, tmp_path: Path
) -> None:
    script = (
        "import sys, pathlib\n"
        "from bot.git.lock import hold\n"
        "from bot.git.mirror import Mirror\n"
        "from bot.git.plan import Outcome\n"
        "from bot.git.remote import Remote\n"
        "from tests.git.test_publish import append, publisher\n"
        "name, data, url = sys.argv[1:]\n"
        "for number in range(4):\n"
        "    outcome = Outcome.BEHIND\n"
        "    while outcome is Outcome.BEHIND:\n"
        "        with hold(pathlib.Path(data), 4711) as lock:\n"
        "            mirror = Mirror(lock, Remote(url, protocols=('file',)))\n"
        "            line = f'- {name} {number}\\n'.encode()\n"
        "            outcome = publisher(mirror).publish(append(mirror, line)).outcome\n"
        "    assert outcome is Outcome.LANDED, outcome\n"
    )
    before = origin.count()
    writers = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                script,
                name,
                str(tmp_path / name),
                f"file://{origin.directory}",
            ],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        for name in ("a", "b")
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    lines = origin.show(LESSONS).decode().splitlines()
    assert sorted(lines) == [f"- {name} {number}" for name in ("a", "b") for number in range(4)]
    assert origin.count() == before + 8


@pytest.mark.parametrize("path", ["-rf", "../x", ".git/config", "a\nb", "/etc/passwd"])
def test_a_plan_with_an_unsafe_path_is_refused(ann: Person, mirror: Mirror, path: str) -> None:
    with pytest.raises(UserError):
        publisher(mirror).publish(plan(mirror.fetch("main"), {path: b"x"}))


@pytest.mark.parametrize("branch", ["--force", "+main", "main:other", "refs/heads/main"])
def test_a_plan_for_an_unsafe_branch_is_refused(
    ann: Person, mirror: Mirror, origin: Origin, branch: str
) -> None:
    ready = plan(mirror.fetch("main"), {LESSONS: b"x"}, branch)
    if branch != "+main":
        with pytest.raises(UserError):
            publisher(mirror).publish(ready)
        return
    publisher(mirror).publish(ready)
    assert origin.tip("+main")  # a legal name, and no sign of force


@pytest.mark.parametrize("target", ["/etc/passwd", "../docs/lessons.md"])
def test_a_symlink_is_never_overwritten(
    ann: Person, mirror: Mirror, origin: Origin, target: str
) -> None:
    (ann.tree / ".agent-corp").mkdir()
    (ann.tree / LESSONS).symlink_to(target)
    ann.commit({})
    for path in (LESSONS, f"{LESSONS}/x"):
        with pytest.raises(UserError, match="not a regular file"):
            publisher(mirror).publish(plan(mirror.fetch("main"), {path: b"x"}))
    assert git(origin.directory, "ls-tree", "main", LESSONS).startswith("120000")


def test_a_lock_of_another_repository_is_not_enough(
    ann: Person, mirror: Mirror, tmp_path: Path
) -> None:
    ready = append(mirror, b"- a\n")
    with hold(tmp_path / "data", 1) as other, pytest.raises(Fault, match="not held"):
        GitPush(mirror, other, author=BOT, committer=BOT).publish(ready)


def test_the_same_plan_gives_the_same_commit(ann: Person, mirror: Mirror) -> None:
    ready = append(mirror, b"- a\n")
    commits = {make_commit(mirror.clone, ready, author=BOT, committer=BOT) for _ in range(2)}
    assert len(commits) == 1


DENIED = "remote: Permission to acme/shop.git denied to lessonkeeper[bot]."
ARCHIVED = "remote: This repository was archived so it is read-only."
STATUS = "fatal: unable to access 'https://x/': The requested URL returned error:"
REMOTE = "! [remote rejected] main -> main"


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("! [rejected] main -> main (fetch first)", Outcome.BEHIND),
        ("! [rejected] main -> main (non-fast-forward)", Outcome.BEHIND),
        ("! [rejected] main -> main (stale info)", Outcome.BEHIND),
        (f"{REMOTE} (cannot lock ref 'refs/heads/main': is at 1 but expected 2)", Outcome.BEHIND),
        (f"{REMOTE} (failed to update ref)", Outcome.BEHIND),
        ("remote: error: GH006: Protected branch update failed for main.", Outcome.REFUSED),
        (f"{REMOTE} (protected branch hook declined)", Outcome.REFUSED),
        (f"{REMOTE} (push declined due to repository rule violations)", Outcome.REFUSED),
        (
            (
                f"{REMOTE} (refusing to allow a GitHub App to create or update workflow "
                "`.github/workflows/ci.yml` without `workflows` permission)"
            ),
            Outcome.REFUSED,
        ),
        (f"{DENIED}\n{STATUS} 403", Outcome.REFUSED),
        ("remote: Write access to repository not granted.", Outcome.REFUSED),
        (f"{ARCHIVED}\n{STATUS} 403", Outcome.GONE),
        ("remote: Repository not found.", Outcome.GONE),
        ("fatal: repository 'https://x/y.git/' not found", Outcome.GONE),
        ("fatal: could not read Username for 'https://x'", Outcome.CREDENTIALS),
        ("remote: Invalid username or token.", Outcome.CREDENTIALS),
        ("fatal: Authentication failed for 'https://x/'", Outcome.CREDENTIALS),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", Outcome.UNKNOWN),
        ("error: RPC failed; HTTP 502 curl 22", Outcome.UNKNOWN),
        ("fatal: the remote end hung up unexpectedly", Outcome.UNKNOWN),
        (f"{STATUS} 429", Outcome.UNKNOWN),
        (f"{REMOTE} (unpacker error)", Outcome.UNKNOWN),
    ],
)
def test_what_the_words_of_a_refusal_mean(words: str, outcome: Outcome) -> None:
    assert meaning(Answer(1, b"", words)) is outcome
