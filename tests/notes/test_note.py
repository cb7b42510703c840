"""A note is read as people write it, told of where it cannot be, and re-dated without a scratch."""

from __future__ import annotations

import contextlib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UserError
from bot.notes.note import (
    Job,
    Kind,
    Note,
    Strength,
    confirmed,
    is_note,
    job_of,
    print_note,
    read_note,
    slug_of,
)

PATH = ".agent-corp/notes/queue-lost-jobs.md"
STORY = """---
kind: lesson
subject: src/queue/
class: lost-work
evidence: strong
confirmed: 2026-11-05
owner: ada # hers
tags: [queue, night]
---

# The queue lost jobs at every restart

It acknowledged before it wrote.
"""


def test_a_note_says_what_it_describes() -> None:
    assert read_note(PATH, STORY.encode()) == Note(
        slug="queue-lost-jobs",
        kind=Kind.LESSON,
        title="The queue lost jobs at every restart",
        subject="src/queue/",
        failure_class="lost-work",
        evidence=Strength.STRONG,
        confirmed=date(2026, 11, 5),
        body="It acknowledged before it wrote.",
    )


def test_a_note_without_a_title_is_called_after_its_file() -> None:
    note = read_note(PATH, b"---\nkind: reference\n---\nPort 8080.\n")
    assert (note.title, note.body) == ("queue lost jobs", "Port 8080.")


def test_a_context_note_names_its_job_as_people_do() -> None:
    for typed in ("#12", '"#12"', "12", "https://github.com/acme/shop/pull/12"):
        text = f"---\nkind: context\njob: {typed}\n---\n"
        job = read_note(PATH, text.encode()).job
        assert job is not None
        assert job.number == 12
    assert job_of("acme/pay#7") == Job("acme/pay", 7)
    assert [job_of(no) for no in ("", "#0", "twelve", "acme/12", "#12 and #13")] == [None] * 5


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"# No keys\n", 1, "It has no front matter."),
        (b"---\nkind: [\n---\n", 3, "Its front matter is not YAML: "),
        (b"---\na: &a 1\nkind: *a\n---\n", 3, "an alias, which is not followed"),
        (b"---\n- kind\n---\n", 1, "Its front matter holds no keys."),
        (b"---\nclass: x\n---\n", 1, "It has no `kind`."),
        (b"---\nclass: x\nkind: story\n---\n", 3, "`kind` is `story`."),
        (b"---\nkind: rule\n---\n", 2, "A rule stands in .agent-corp/rules.md"),
        (b"---\nkind: [lesson]\n---\n", 2, "`kind` holds several values."),
        (b"---\nkind: context\n---\n", 1, "A context note names its job."),
        (b"---\nkind: context\njob: soon\n---\n", 3, "`job` is `soon`."),
        (b"---\nkind: lesson\n---\n", 1, "A lesson names its subject."),
        (b"---\nkind: reference\nevidence: 7\n---\n", 3, "It must be strong or weak."),
        (b"---\nkind: reference\nconfirmed: 2026-13-01\n---\n", 1, "cannot be read"),
        (b"---\nkind: reference\nconfirmed: today\n---\n", 3, "`confirmed` is `today`."),
        (b"---\nkind: reference\n---\n\n\0", 5, "It is binary."),
        (b"---\nkind: reference\n---\n\xff\n", 4, "It is not UTF-8."),
        (b"---\nkind: reference\n---\n" + b"x" * 5_000_000, 1, "more than 1 MB"),
        (b"---\nkind: reference\n" + b"x: 1\n" * 9000 + b"---\n", 1, "more than 16384 characters"),
    ],
)
def test_what_is_no_note_is_told_with_file_line_and_remedy(
    data: bytes, line: int, said: str
) -> None:
    with pytest.raises(UserError) as told:
        read_note(PATH, data)
    assert (told.value.file, told.value.line) == (PATH, line)
    assert said in str(told.value)
    assert told.value.remedy


def test_what_is_nested_too_deeply_is_told_as_well() -> None:
    with pytest.raises(UserError, match="Its front matter"):
        read_note(PATH, b"---\n" + b"[" * 9000 + b"\n---\n")


@pytest.mark.parametrize(
    "path",
    [
        "notes/a.md",
        ".agent-corp/notes/deep/a.md",
        ".agent-corp/notes/../rules.md",
        ".agent-corp/notes/a.txt",
        "../.agent-corp/notes/a.md",
        ".agent-corp/notes/\n.md",
    ],
)
def test_a_note_stands_in_its_folder_and_nowhere_else(path: str) -> None:
    assert not is_note(path)
    with pytest.raises(UserError, match="This is no place for a note") as told:
        read_note(path, STORY.encode())
    assert told.value.file == path


def test_to_confirm_a_note_changes_its_date_and_nothing_else() -> None:
    for text in (STORY, STORY.replace("\n", "\r\n"), "\ufeff" + STORY):
        note = read_note(PATH, text.encode())
        assert print_note(note) == text.encode()
        later = confirmed(note, date(2026, 11, 29))
        assert print_note(later).decode() == text.replace("2026-11-05", "2026-11-29")
        assert read_note(PATH, print_note(later)) == later
        assert confirmed(later, date(2026, 11, 7)) == later


def test_a_note_that_was_never_confirmed_gets_the_key() -> None:
    note = read_note(PATH, b"---\r\nkind: reference\r\n---\r\nPort 8080.\r\n")
    assert print_note(confirmed(note, date(2026, 11, 29))) == (
        b"---\r\nkind: reference\r\nconfirmed: 2026-11-29\r\n---\r\nPort 8080.\r\n"
    )


def test_a_new_note_is_printed_as_prettier_would() -> None:
    note = Note(
        "deploy", Kind.CONTEXT, "Deploy  of  #12", "", Job("", 12), "", Strength.WEAK,
        date(2026, 11, 29), "One.  \r\n\r\nTwo.\n\n",
    )  # fmt: skip
    assert print_note(note).decode() == (
        '---\nkind: context\njob: "#12"\nevidence: weak\nconfirmed: 2026-11-29\n---\n\n'
        "# Deploy of #12\n\nOne.\n\nTwo.\n"
    )


line = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=60).map(
    lambda text: " ".join(text.split())
)


@given(
    title=line.filter(bool),
    subject=line.filter(bool),
    failure_class=line,
    job=st.none() | st.builds(Job, st.sampled_from(["", "acme/pay"]), st.integers(1, 10**9)),
    evidence=st.sampled_from(Strength),
    on=st.none() | st.dates(),
)
def test_what_was_written_is_read_again(
    title: str,
    subject: str,
    failure_class: str,
    job: Job | None,
    evidence: Strength,
    on: date | None,
) -> None:
    note = Note("a", Kind.LESSON, title, subject, job, failure_class, evidence, on, "Body.")
    assert read_note(note.path, print_note(note)) == note


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda t: f"---\n{t}\n---\n".encode()))
def test_any_file_comes_back_as_it_was_or_is_told_of(data: bytes) -> None:
    with contextlib.suppress(UserError):
        assert print_note(read_note(PATH, data)) == data


@given(st.text(max_size=80))
def test_any_title_gives_a_name_for_a_file(title: str) -> None:
    assert is_note(f".agent-corp/notes/{slug_of(title)}.md")


@pytest.mark.parametrize("piece", [" ", "\t", " #", "\n# "])
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    line = f"# a{piece * (500_000 // len(piece))}x"
    note = read_note(PATH, f"---\nkind: reference\n---\n\n{line}\n".encode())
    assert note.title.startswith("a")
