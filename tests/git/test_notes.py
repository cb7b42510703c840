"""The notes of a commit, what stands where a note should, and directories that are gone."""

from __future__ import annotations

from bot.git.mirror import Mirror
from bot.git.notes import read_notes
from bot.git.store import GitTree
from bot.notes.note import Kind
from tests.git.conftest import Person, git
from tests.git.test_clone import fetched

NOTES = ".agent-corp/notes"
CONTEXT = b'---\nkind: context\njob: "#12"\n---\n'
STORY = b"---\nkind: lesson\nsubject: src/queue/\n---\n"
PAGE = b"---\nkind: reference\n---\n"
CODE = b"a = 1\n" * 20


def test_a_file_that_is_no_note_is_told_of_and_loses_no_other(ann: Person, mirror: Mirror) -> None:
    (ann.tree / NOTES).mkdir(parents=True)
    (ann.tree / NOTES / "link.md").symlink_to("/etc/passwd")
    git(ann.tree, "add", f"{NOTES}/link.md")
    ann.commit(
        {
            f"{NOTES}/slow.md": CONTEXT,
            f"{NOTES}/page.md": PAGE,
            f"{NOTES}/none.md": b"No front matter.\n",
            f"{NOTES}/empty.md": b"",
            f"{NOTES}/binary.md": b"---\nkind: reference\n---\n\0",
            f"{NOTES}/torn.md": b"<<<<<<< ours\n" + PAGE,
            f"{NOTES}/large.md": PAGE + b"x" * 5_000_000,
            f"{NOTES}/picture.png": b"\0",
        }
    )
    found = read_notes(mirror.clone, fetched(mirror))
    assert sorted(found.notes) == [f"{NOTES}/page.md", f"{NOTES}/slow.md"]
    told = {str(each.file).removeprefix(f"{NOTES}/"): each for each in found.problems}
    assert sorted(told) == [
        "binary.md", "empty.md", "large.md", "link.md", "none.md", "torn.md",
    ]  # fmt: skip
    assert all(each.remedy for each in told.values())
    assert "is 5000024 bytes, more than 1 MB" in str(told["large.md"])
    assert "is a symbolic link" in str(told["link.md"])


def test_notes_are_read_by_their_kind_and_a_word_of_theirs(ann: Person, mirror: Mirror) -> None:
    ann.commit(
        {
            f"{NOTES}/a.md": CONTEXT,
            f"{NOTES}/b.md": CONTEXT.replace(b"12", b"13"),
            f"{NOTES}/c.md": STORY + b"12, in a context\n",
        }
    )
    clone, tip = mirror.clone, fetched(mirror)

    def names(*kinds: Kind, word: str = "") -> list[str]:
        notes = read_notes(clone, tip, kinds, word).notes
        return [note.slug for note in notes.values()]

    assert names(Kind.CONTEXT) == ["a", "b"]
    assert names(Kind.CONTEXT, word="12") == ["a"]
    assert names(Kind.CONTEXT, Kind.LESSON) == ["a", "b", "c"]
    assert names(Kind.REFERENCE) == []
    assert read_notes(clone, None).notes == {}


def test_a_directory_is_gone_when_it_stood_here_and_stands_nowhere_else(
    ann: Person, mirror: Mirror
) -> None:
    ann.commit(
        {"legacy/a.py": b"old\n" * 9, "src/queue/b.py": CODE + b"b\n", "src/db.py": CODE + b"c\n"}
    )
    ann.commit({"legacy/a.py": None, "src/queue/b.py": None, "src/db.py": None})
    ann.commit({"src/jobs/b.py": CODE + b"b\n"})
    tree = GitTree(mirror.clone, fetched(mirror))
    asked = ["legacy", "src/queue", "src/db.py", "src/jobs", "billing", "", "../x", "leg", "*"]
    gone = tree.gone(asked)
    assert list(gone) == ["legacy"]
    assert gone["legacy"].sha == git(ann.tree, "rev-parse", "HEAD~1")
