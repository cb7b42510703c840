"""The store of a commit, and what became of the paths that its bullets name."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.git.lock import Lock
from bot.git.mirror import Mirror
from bot.git.store import GitTree, last_trusted, read_store
from bot.lessons.tree import Fate
from tests.git.conftest import Origin, Person, git, on_disk

BODY = b"".join(b"statement number %d of the module\n" % n for n in range(60))
LESSONS = ".agent-corp/lessons.md"


@pytest.fixture
def mirror(lock: Lock, origin: Origin, ann: Person) -> Mirror:
    return Mirror(lock, on_disk(origin))


def tree(mirror: Mirror) -> GitTree:
    tip = mirror.fetch("main")
    assert tip is not None
    return GitTree(mirror.clone, tip)


# --- trust -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n", "conflict markers"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "LFS pointer"),
        (b"- \xff\xfe\n", "not UTF-8"),
        ("- a\n".encode("utf-16"), "UTF-16"),
        (b"- a\n" * 300_000, "more than 1 MB"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_named_and_readers_get_the_last_good_one(
    mirror: Mirror, ann: Person, data: bytes, reason: str
) -> None:
    ann.commit({LESSONS: b"- Good.\n"})
    ann.commit({LESSONS: data})
    tip = mirror.fetch("main") or ""
    store = read_store(mirror.clone, tip, 1)
    assert store.snapshot.lessons is None
    with pytest.raises(UserError, match=reason):
        store.demand_trust()
    assert last_trusted(mirror.clone, tip) == b"- Good.\n"


def test_a_symlink_anywhere_on_the_path_is_refused(mirror: Mirror, ann: Person) -> None:
    (ann.tree / "elsewhere").mkdir()
    (ann.tree / ".agent-corp").symlink_to("elsewhere")
    ann.commit({"elsewhere/lessons.md": b"- Good.\n"})
    with pytest.raises(UserError, match="symbolic link"):
        read_store(mirror.clone, mirror.fetch("main"), 1).demand_trust()


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf- BOM.\n", b"- CRLF.\r\n", b"# No bullet"])
def test_unusual_files_are_trusted(mirror: Mirror, ann: Person, data: bytes) -> None:
    ann.commit({LESSONS: data, ".agent-corp/events/2026-11.jsonl": b"{}\n"})
    store = read_store(mirror.clone, mirror.fetch("main"), 1)
    store.demand_trust()
    assert store.snapshot.lessons == data
    assert list(store.snapshot.events) == [".agent-corp/events/2026-11.jsonl"]


def test_an_empty_repository_has_an_empty_store(mirror: Mirror) -> None:
    store = read_store(mirror.clone, None, 1)
    store.demand_trust()
    assert store.snapshot.lessons is None
    assert store.snapshot.tree.fate("a.py") is None


# --- what stands there -------------------------------------------------------------------------


def test_paths_directories_names_and_globs_are_found(mirror: Mirror, ann: Person) -> None:
    ann.commit({"tools/Run-Tests.sh": b"x", "src/core/b.py": b"x"})
    found = tree(mirror)
    assert found.has("src/a.py")
    assert found.has("src")
    assert not found.has("src/b.py")
    assert found.matching("run-tests.sh")
    assert found.matching("src/**/*.py")
    assert not found.matching("lib.rs")
    assert not found.matching("un-tests.sh")


# --- what became of a path -----------------------------------------------------------------------


def test_paths_that_are_asked_for_together_are_told_as_each_alone(
    mirror: Mirror, ann: Person
) -> None:
    ann.commit({"src/a.py": b"1", "src/deep/b.py": b"1", "README": b"1"})
    paths = ["src", "src/a.py", "src/a.py/x", "src/deep", "src/deep/b.py", "README", "no", "no/x"]
    together = tree(mirror)
    together.expect(paths)
    assert [together.has(path) for path in paths] == [tree(mirror).has(path) for path in paths]
    assert [path for path in paths if together.has(path)] == [
        "src", "src/a.py", "src/deep", "src/deep/b.py", "README",
    ]  # fmt: skip


def test_a_deleted_file_is_dated_by_the_deleting_commit(mirror: Mirror, ann: Person) -> None:
    ann.commit({"src/gone.py": BODY})
    ann.commit({"src/gone.py": None}, date="2026-11-09T23:30:00Z")
    ann.commit({"README.md": b"later\n"}, date="2026-11-12T09:00:00Z")
    assert tree(mirror).fate("src/gone.py") == Fate(date(2026, 11, 9))
    assert tree(mirror).fate("gone.py") == Fate(date(2026, 11, 9))
    assert tree(mirror).fate("never.py") is None


def test_a_moved_and_edited_file_is_followed(mirror: Mirror, ann: Person) -> None:
    ann.commit({"src/a.py": BODY})
    edited = BODY.replace(b"statement", b"expression", 15)
    ann.commit({"src/a.py": None, "src/core/a.py": edited}, date="2026-11-09T10:00:00Z")
    assert tree(mirror).fate("src/a.py") == Fate(date(2026, 11, 9), "src/core/a.py")


def test_a_bare_name_is_followed_to_its_new_name(mirror: Mirror, ann: Person) -> None:
    ann.commit({"scripts/run-tests.sh": BODY})
    ann.commit({"scripts/run-tests.sh": None, "scripts/check.sh": BODY})
    assert tree(mirror).fate("run-tests.sh") == Fate(date(2026, 11, 1), "check.sh")


def test_a_moved_directory_is_followed_and_an_emptied_one_is_gone(
    mirror: Mirror, ann: Person
) -> None:
    files = {f"old/{name}.py": BODY + name.encode() for name in ("a", "b", "c")}
    ann.commit(dict(files))
    moved = {path.replace("old/", "new/"): data for path, data in files.items()}
    ann.commit({**dict.fromkeys(files), **moved})
    assert tree(mirror).fate("old/") == Fate(date(2026, 11, 1), "new/")
    ann.commit(dict.fromkeys(moved), date="2026-11-20T09:00:00Z")
    assert tree(mirror).fate("new/") == Fate(date(2026, 11, 20))


def test_a_file_split_over_two_places_leaves_a_doubt(mirror: Mirror, ann: Person) -> None:
    ann.commit({"src/gone.py": BODY})
    ann.commit({"src/gone.py": None, "one/twin.py": BODY, "two/twin.py": BODY})
    found = tree(mirror).fate("src/gone.py")
    assert found is not None
    assert found.doubt


def test_a_merge_that_deletes_counts_by_its_own_date(
    mirror: Mirror, ann: Person, tmp_path: Path
) -> None:
    ann.commit({"src/gone.py": BODY})
    git(ann.tree, "switch", "--quiet", "--create", "topic")
    ann.commit({"src/gone.py": None}, push=False)
    git(ann.tree, "switch", "--quiet", "main")
    merged = "2026-11-15T09:00:00Z"
    git(ann.tree, "merge", "--quiet", "--no-ff", "--message", "merge", "topic", date=merged)
    ann.push()
    assert tree(mirror).fate("src/gone.py") == Fate(date(2026, 11, 15))
