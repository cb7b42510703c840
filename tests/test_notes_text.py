"""What is said of the ends of notes, to the letter."""

from __future__ import annotations

from datetime import UTC, datetime

from bot import notes_text as words
from bot.errors import UserError
from bot.lessons.rows import NoteRow
from bot.notes.note import Job, Kind, Note
from bot.settings import CommitStyle

AT = datetime(2026, 11, 5, 10, tzinfo=UTC)
SLOW = Note("slow", Kind.CONTEXT, "Why it is slow, see #9", job=Job("", 12))
LOST = Note("lost", Kind.LESSON, "The queue lost jobs", subject="src/queue/")
NOTES = {note.path: note for note in (SLOW, LOST)}


def row(note: Note, did: str, cause: str) -> NoteRow:
    return NoteRow(AT, note.path, did, cause)


def test_a_commit_says_which_notes_and_why_and_links_nothing() -> None:
    rows = [
        row(SLOW, "flagged", "#12"),
        row(LOST, "flagged", "src/queue"),
        row(SLOW, "rescued", "0123456789abcdef"),
        row(LOST, "deleted", "#45"),
    ]
    text = words.commit_message(rows, NOTES, CommitStyle(), direct=False)
    assert text.replace("\u200b", "") == (
        "docs(notes): 2 flagged, 1 rescued, 1 deleted\n\n"
        "Flagged .agent-corp/notes/slow.md (Why it is slow, see #9): #12 was closed\n"
        "Flagged .agent-corp/notes/lost.md (The queue lost jobs): its subject src/queue is"
        " retired\n"
        "Rescued .agent-corp/notes/slow.md (Why it is slow, see #9): its job is open again\n"
        "Deleted .agent-corp/notes/lost.md (The queue lost jobs): ticked in #45\n"
    )
    assert "#9" not in text
    assert "#12" not in text


def test_the_name_of_a_note_acts_on_nothing() -> None:
    note = Note("fixes #12 for @ada [skip ci]", Kind.CONTEXT, "Slow", job=Job("", 12))
    rows = [row(note, "deleted", "#12")]
    for text in (
        words.commit_message(rows, {note.path: note}, CommitStyle(), direct=False),
        words.proposal(rows, {note.path: note}),
    ):
        assert not any(each in text for each in ("#12", "@ada", "[skip ci]"))


def test_what_is_wrong_with_a_note_repeats_no_secret() -> None:
    secret = f"ghp_{'a1B2' * 9}"
    said = words.problems_report([UserError(f"`job` is `{secret}`.", file="a.md", line=3)])
    assert said.text.startswith("- a.md:3: `job` is `")
    assert secret not in said.text


def test_a_proposal_lists_what_its_merge_deletes() -> None:
    assert words.proposal([row(LOST, "deleted", "#45")], NOTES).replace("\u200b", "") == (
        "What these notes are about is over:\n\n"
        "- .agent-corp/notes/lost.md (The queue lost jobs): ticked in #45\n\n"
        "Merging deletes them. Closed unmerged, these are not proposed again."
    )


def test_the_rescue_notice_speaks_of_one_note_or_of_several() -> None:
    assert words.closed([SLOW, LOST], AT).replace("\u200b", "") == (
        "2 notes end with this:\n\n"
        "- `.agent-corp/notes/slow.md`: Why it is slow, see #9\n"
        "- `.agent-corp/notes/lost.md`: The queue lost jobs\n\n"
        "Does anything in them deserve to become a lesson? Then say it here: `/lesson TEXT`."
        " They are deleted after 2026-11-05, unless this is open again by then."
    )
    assert words.closed([LOST], AT).startswith("1 note ends with this:")
