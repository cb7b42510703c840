"""What is read of a commit: the kinds of files, listings, dates, differences."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import Fault
from bot.git.clone import Kind
from bot.git.mirror import Mirror
from tests.git.conftest import Origin, Person, git


def fetched(mirror: Mirror) -> str:
    tip = mirror.fetch("main")
    assert tip is not None
    return tip


def test_kinds_of_files_are_told_apart(ann: Person, mirror: Mirror, tmp_path: Path) -> None:
    (ann.tree / "link").symlink_to("/etc/passwd")
    (ann.tree / "docs").mkdir()
    (ann.tree / "linked").symlink_to("docs")
    git(ann.tree, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor")
    (ann.tree / "vendor").mkdir()
    (ann.tree / "run.sh").write_bytes(b"#!/bin/sh\n")
    (ann.tree / "run.sh").chmod(0o755)
    git(ann.tree, "add", "link", "linked", "run.sh")
    git(ann.tree, "commit", "--quiet", "--message", "kinds")
    ann.push()
    files = mirror.clone.read_many(
        fetched(mirror),
        ["README.md", "link", "linked/lessons.md", "vendor/x", "src", "none/x", "README.md/x",
         "run.sh", "-rf", "../x"],
    )  # fmt: skip
    assert {path: (file.kind, file.at) for path, file in files.items()} == {
        "README.md": (Kind.REGULAR, "README.md"),
        "link": (Kind.SYMLINK, "link"),
        "linked/lessons.md": (Kind.SYMLINK, "linked"),
        "vendor/x": (Kind.SUBMODULE, "vendor"),
        "src": (Kind.DIRECTORY, "src"),
        "none/x": (Kind.ABSENT, None),
        "README.md/x": (Kind.ABSENT, "README.md"),
        "run.sh": (Kind.REGULAR, "run.sh"),
        "-rf": (Kind.ABSENT, None),
        "../x": (Kind.ABSENT, None),
    }
    assert files["README.md"].data == b"# Shop\n"
    assert files["run.sh"].mode == "100755"
    assert files["link"].data == b""


def test_bytes_come_back_as_they_are(ann: Person, mirror: Mirror) -> None:
    contents: dict[str, bytes | None] = {
        "bom.md": b"\xef\xbb\xbf- a\r\n- b",
        "empty.md": b"",
        "binary": bytes(range(256)),
        "missing": b"0000 missing\nblob 3\n",
        "größe.md": "ü\n".encode(),
    }
    ann.commit(contents)
    files = mirror.clone.read_many(fetched(mirror), contents)
    assert {path: file.data for path, file in files.items()} == contents


def test_a_file_over_one_megabyte_is_not_loaded(ann: Person, mirror: Mirror) -> None:
    ann.commit({"big.md": b"x" * (1024 * 1024 + 1), "full.md": b"x" * (1024 * 1024)})
    files = mirror.clone.read_many(fetched(mirror), ["big.md", "full.md"])
    assert (files["big.md"].size, files["big.md"].data) == (1024 * 1024 + 1, b"")
    assert len(files["full.md"].data) == 1024 * 1024


def test_blobs_are_fetched_when_read_and_not_before(ann: Person, mirror: Mirror) -> None:
    tip = fetched(mirror)
    blob = mirror.clone.blob_ids(tip)["src/a.py"]
    assert mirror.clone.git.run("cat-file", "-e", blob).status
    assert mirror.clone.read(tip, "src/a.py").data.startswith(b"line 0\n")
    assert mirror.clone.git.run("cat-file", "-e", blob).status == 0


def test_listing_names_every_file(ann: Person, mirror: Mirror) -> None:
    first = fetched(mirror)
    assert mirror.clone.paths(first) == {"README.md", "src/a.py"}
    ann.commit({"src/größe 1.py": b"x", "README.md": None})
    assert mirror.clone.paths(fetched(mirror)) == {"src/größe 1.py", "src/a.py"}
    assert mirror.clone.paths(first) == {"README.md", "src/a.py"}


def test_the_difference_is_between_the_end_states(ann: Person, mirror: Mirror) -> None:
    before = fetched(mirror)
    ann.commit({"src/a.py": None, "README.md": None}, push=False)
    ann.commit({"README.md": b"# Shop\n", "src/b.py": b"new"})
    difference = mirror.clone.deleted_and_added(before, fetched(mirror))
    assert set(difference.deleted) == {"src/a.py"}
    assert set(difference.added) == {"src/b.py"}
    assert difference.deleted["src/a.py"] == mirror.clone.blob_ids(before)["src/a.py"]


def test_history_is_newest_first_and_of_one_path(ann: Person, mirror: Mirror) -> None:
    second = ann.commit({"src/a.py": b"two\n"}, date="2026-11-02T09:00:00Z")
    ann.commit({"README.md": b"other\n"}, date="2026-11-03T09:00:00Z")
    fourth = ann.commit({"src/a.py": b"four\n"}, date="2026-11-04T09:00:00Z")
    tip = fetched(mirror)
    history = mirror.clone.history(tip, "src/a.py", limit=2)
    assert [commit.sha for commit in history] == [fourth, second]
    newest = mirror.clone.last_committed(tip, "README.md")
    assert newest is not None
    assert newest.committed_at == datetime(2026, 11, 3, 9, tzinfo=UTC)
    assert mirror.clone.last_committed(tip, "never.md") is None
    assert mirror.clone.committer_date(second) == datetime(2026, 11, 2, 9, tzinfo=UTC)


def test_a_deletion_counts_from_its_merge(ann: Person, mirror: Mirror) -> None:
    git(ann.tree, "switch", "--quiet", "--create", "work")
    ann.commit({"src/a.py": None}, date="2026-11-02T09:00:00Z", push=False)
    git(ann.tree, "switch", "--quiet", "main")
    ann.commit({"README.md": b"meanwhile\n"}, date="2026-11-03T09:00:00Z", push=False)
    git(ann.tree, "merge", "--quiet", "--no-ff", "--no-edit", "work", date="2026-11-05T09:00:00Z")
    ann.push()
    deletion = mirror.clone.deletion(fetched(mirror), "src/a.py")
    assert deletion is not None
    assert deletion.committed_at == datetime(2026, 11, 5, 9, tzinfo=UTC)
    assert mirror.clone.deletion(fetched(mirror), "README.md") is None


def test_a_rename_is_a_deletion_of_the_old_path(ann: Person, mirror: Mirror) -> None:
    git(ann.tree, "mv", "src/a.py", "src/b.py")
    moved = ann.commit({})
    deletion = mirror.clone.deletion(fetched(mirror), "src/a.py")
    assert deletion is not None
    assert deletion.sha == moved


def test_ancestors(ann: Person, mirror: Mirror) -> None:
    first = fetched(mirror)
    ann.commit({"x": b"1"})
    second = fetched(mirror)
    assert mirror.clone.is_ancestor(first, second)
    assert mirror.clone.is_ancestor(second, second)
    assert not mirror.clone.is_ancestor(second, first)
    assert not mirror.clone.is_ancestor("1" * 40, second)


@pytest.mark.parametrize("name", ["HEAD", "--output=x", "main", "a" * 39])
def test_a_commit_is_named_by_its_full_id(origin: Origin, mirror: Mirror, name: str) -> None:
    with pytest.raises(Fault, match="not an object id"):
        mirror.clone.paths(name)
