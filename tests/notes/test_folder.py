"""What of a tree is looked up, and that a broken note loses no other."""

from __future__ import annotations

from bot.notes.folder import classes_of, pages, read_folder, unknown_classes
from bot.notes.note import read_note
from bot.settings import Settings

STORY = b"---\nkind: lesson\nsubject: src/queue/\nclass: lost-work\n---\n\n# Lost\n"


def test_notes_are_looked_up_and_documents_where_they_are() -> None:
    paths = [
        ".agent-corp/notes/a.md",
        ".agent-corp/notes/deep/b.md",
        ".agent-corp/notes/c.txt",
        ".agent-corp/lessons.md",
        "README.md",
        "package/README.md",
        "docs/a.md",
        "docs/deep/er/b.md",
        "docs/c.png",
        "CLAUDE.md",
    ]
    found = pages({path: path[::-1] for path in paths}, Settings().notes.index)
    assert list(found.notes) == paths[:2]
    assert list(found.documents) == ["README.md", "docs/a.md", "docs/deep/er/b.md", "CLAUDE.md"]
    assert found.documents["docs/a.md"] == "dm.a/scod"
    assert list(pages(dict.fromkeys(paths, ""), ["**/*.md"]).documents) == paths[4:8] + paths[9:]


def test_a_broken_note_loses_no_other() -> None:
    files = {
        ".agent-corp/notes/a.md": STORY,
        ".agent-corp/notes/b.md": b"none",
        ".agent-corp/notes/deep/c.md": STORY,
        "docs/a.md": b"# A document",
    }
    folder = read_folder(files)
    assert list(folder.notes) == [".agent-corp/notes/a.md"]
    assert [problem.file for problem in folder.problems] == [
        ".agent-corp/notes/b.md",
        ".agent-corp/notes/deep/c.md",
    ]


def test_a_story_of_an_unknown_class_is_told_of_and_kept() -> None:
    rules = b"# Rules\n\n- **lost-work**: Acknowledge last.\n- Be kind.\n- ~~**old**: Gone.~~\n"
    assert classes_of(rules) == {"lost-work"}
    assert classes_of(None) == frozenset()
    note = read_note(".agent-corp/notes/a.md", STORY)
    assert unknown_classes([note], classes_of(rules)) == ()
    (problem,) = unknown_classes([note], {"other"})
    assert str(problem) == (
        ".agent-corp/notes/a.md:4: The class `lost-work` is not in .agent-corp/rules.md."
        " Add `- **lost-work**: …` there, or name one that is."
    )
