"""Every parser of ours on any input: an answer or an error that a person can mend, and an end.

`make fuzz` runs it with many more examples than the tests do.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot import expiry_text
from bot.channels import buttons, commands, outside
from bot.channels.questions import Answer
from bot.commands import review_file
from bot.distill.model import Remark
from bot.distill.passages import findings
from bot.errors import Fault, UserError
from bot.lessons import (
    adoption,
    block,
    event_files,
    include,
    pitfalls,
    proposal,
    rows,
    standing,
    tree,
)
from bot.lessons.bullet import Verdict
from bot.lessons.document import Document
from bot.lessons.edit import Evidence, Snapshot
from bot.lessons.front_matter import front_matter
from bot.lessons.history import History
from bot.lessons.lesson import Lesson
from bot.lessons.store import LESSONS, write
from bot.notes import note, subjects
from bot.reports import drift, labels, trends
from bot.search import passages, score
from bot.settings import Settings
from bot.settings.file import problems
from bot.settings.printing import defaults_yaml
from tests.fakes.tree import FakeTree

FEW = settings().max_examples // 3  # of a parser: there are thirty of them
TODAY = date(2026, 11, 29)
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)

SENTENCES = (
    "Pin every GitHub Action to a full commit hash in the release workflow `ci/release.yml`.",
    "Never run the migration before the deploy of the service has ended in production.",
    "Never run the migration after the deploy of the service has ended in production.",
)
LESSONS_FILE = """# Lessons

Prose of a person.

- Wait for every CI job in `ci/run.sh`. (#41, 2026-11-02, changes_requested) <!-- 3f9a2c1d -->
- Bump it. (o/r#17, 2026-08-01, ci_fix; stale 2026-11-09: run-tests.sh) <!-- 77ab01ce -->
- ~~Struck out. (manual, 2026-08-01, founder_note)~~
- A person's
  wrapped line (#3).

```
- code
```
"""
BARE_NOTE = b"---\nkind: reference\n---\n"
NOTE = """---
kind: context
job: "#12"
class: pending-ci
evidence: strong
confirmed: 2026-11-05
---

# A title

Some [text](x) and `code`.
"""
STANDING = """---
id: "3f9a2c1d"
channel: founder_note
sentence: "Wait for every CI job."
weight: 2.31
as_of: 2026-11-02
---

Evidence:

- #41 at aaaaaaaaaaaa, 2026-11-02, changes_requested
"""
PITFALLS = f"{block.BEGIN}\n- Wait. (#4, 2026-11-02) <!-- 3f9a2c1d -->\n{block.END}\n"
CHECKLIST = (
    "- [ ] `.agent-corp/notes/a.md`\n- [x] `.agent-corp/notes/b.md`\n<!-- 0123456789ab -->\n"
)
REVIEW = (
    "<details><summary>Potential issue</summary>\n\n**Close** the `db` in a finally.\n\n"
    "```suggestion\nx\n```\n<!-- hidden -->\n</details>\n\n| a | b |\n|---|---|\n| c | d |\n"
)
REVIEW_FILE = json.dumps(
    {
        "pull_request": 12,
        "state": "changes_requested",
        "author": "ada",
        "author_association": "MEMBER",
        "submitted_at": "2026-11-02T10:00:00Z",
        "head_sha": "a" * 40,
        "body": REVIEW,
        "comments": [{"path": "src/a.py", "line": 3, "body": "Never retry it."}],
    }
)


@dataclass(frozen=True, slots=True)
class Parser:
    """`read` takes any bytes; `example` is one that it was made for."""

    name: str
    read: Callable[[bytes], object]
    example: str


def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def reapplied(data: bytes) -> None:
    after = LESSONS_FILE.replace("wrapped", "folded").encode()
    assert proposal.reapply(data, data, after).data == after


def printed(data: bytes) -> None:
    assert Document.parse(data, TODAY).print() == data


def kept(data: bytes) -> None:
    with_pointer = include.with_pointer("CLAUDE.md", data)
    assert with_pointer.startswith(data)


PARSERS = [
    Parser("lessons", printed, LESSONS_FILE),
    Parser("rules", lambda data: block.rules_of(data, TODAY), "- **pending-ci**: Wait.\n"),
    Parser(
        "adoption", lambda data: adoption.adopt(data, TODAY), "- Wait (PR #4, 2026-11-02, CI)\n"
    ),
    Parser("a person's edit", reapplied, LESSONS_FILE),
    Parser("pitfalls", pitfalls.lines_in, PITFALLS),
    Parser("agent file", kept, "# Agents\n\n@.agent-corp/known-pitfalls.md\n"),
    Parser("changed agent file", of_text(lambda text: outside.reworded([])), ""),
    Parser("paths", of_text(tree.named), "Bump `src/a.py`, tests/ and src/*.py in ./run.sh."),
    Parser("shown", of_text(block.shown), "Wait [here](x) for `a` (#4, <!-- b -->"),
    Parser("settings", problems, defaults_yaml()),
    Parser("front matter", of_text(front_matter), NOTE),
    Parser("note", lambda data: note.read_note(".agent-corp/notes/a.md", data), NOTE),
    Parser(
        "note's place",
        of_text(lambda t: note.read_note(t, BARE_NOTE)),
        f"{note.FOLDER}/a.md",
    ),
    Parser("job", of_text(note.job_of), "https://github.com/o/r/issues/12"),
    Parser("title", of_text(note.slug_of), "Why the nightly job waits"),
    Parser("checklist", of_text(subjects.boxes), CHECKLIST),
    Parser(
        "standing",
        lambda data: standing.parse(".agent-corp/standing/3f9a2c1d-wait.md", data),
        STANDING,
    ),
    Parser("standing's place", of_text(lambda t: standing.parse(t, b"")), "3f9a2c1d-wait.md"),
    Parser("command", of_text(lambda t: commands.parse(t, ["/revise"])), "/lessons undo #12\n"),
    Parser("note kept", of_text(lambda t: commands.parse(t, ["/revise"])), "a\n\n/revise b\n- c\n"),
    Parser(
        "button",
        of_text(lambda text: buttons.pressed(b"key", text)),
        buttons.data_of(b"key", 11, "0123456789ab", Answer.KEEP),
    ),
    Parser("expiries", of_text(expiry_text.listed), "- Ends on <!-- 3f9a2c1d 2026-11-02 -->\n"),
    Parser("review", of_text(lambda text: findings(Remark(text))), REVIEW),
    Parser("review file", lambda data: review_file.read(data, "f", NOON), REVIEW_FILE),
    Parser("page", of_text(passages.passages), LESSONS_FILE),
    Parser(
        "questions",
        lambda data: {q.set: q.page.encode() for q in score.read_questions(data, "f")},
        '{"question": "Why?", "page": "docs/a.md", "set": "words"}\n',
    ),
    Parser(
        "figures", lambda data: score.read_figures(data, "f"), '{"a": {"reranked": {"mrr": 0.5}}}'
    ),
    Parser(
        "saved pairs",
        lambda data: drift.read_earlier(data, "f"),
        '{"distribution": [[0.25, 3]], "as_of": "2026-11-02"}',
    ),
    Parser("labels", labels.parse_labels, "a\tb\tlabel\none\ttwo\tsame\n"),
]
NAMES = [parser.name for parser in PARSERS]
PIECES = [
    *(
        " ",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\0",
        "\ufeff",
        "\u2028",
        "\u202e",
        "\x85",
        "é",
        "漢",
        "0",
        "a",
    ),
    *(
        "- ",
        "* ",
        "1. ",
        "> ",
        "#",
        "# ",
        "```\n",
        "~~~",
        "~~",
        "`",
        "_",
        "**",
        "[",
        "](",
        "![",
        "|",
    ),
    *("(", ")", "(#1, ", ";", ": ", ",", "<!--", "-->", "<a ", "</", "<details>", "&", "\\", "\\u"),
    *(
        "---\n",
        "? ",
        "- - ",
        "&a ",
        "*a",
        "!!x ",
        "{",
        "}",
        "]",
        '"',
        "'",
        "%",
        "@",
        "/",
        "://",
        "A::",
    ),
    *("null", "true", "-1", "1e999", "NaN", "9" * 400, "0001-01-01", "9999-12-31", "2026-02-30"),
]


@st.composite
def damaged(draw: st.DrawFn, example: str) -> bytes:
    """The example with a few parts of it lost, doubled, moved or made another."""
    data = example.encode()
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 30)))
        part = draw(
            st.sampled_from(PIECES).map(str.encode)
            | st.binary(max_size=4)
            | st.sampled_from([b"", data[start:end] * 2])
        )
        data = data[:start] + part + data[end:]
    return data


def read_or_refused(parser: Parser, data: bytes) -> None:
    with suppress(UserError, Fault):
        parser.read(data)


@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
def test_what_is_damaged_here_could_be_read(parser: Parser) -> None:
    parser.read(parser.example.encode())


@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
@settings(max_examples=FEW)
@given(data=st.data())
def test_any_input_is_read_or_refused_in_words(parser: Parser, data: st.DataObject) -> None:
    read_or_refused(parser, data.draw(damaged(parser.example) | st.binary(max_size=120)))


@pytest.mark.parametrize("read", [block.shown, tree.named])
def test_a_megabyte_in_one_word_comes_to_an_end(read: Callable[[str], object]) -> None:
    read("[" * 1_000_000)


@pytest.mark.campaign
@pytest.mark.parametrize("parser", PARSERS, ids=NAMES)
def test_four_times_the_repetition_is_about_four_times_the_work(parser: Parser) -> None:
    """Processor time, not the clock's: what takes longer than a second is looked at."""

    def seconds(parts: tuple[str, str, str], size: int) -> float:
        head, piece, tail = parts
        data = (head + piece * (size // len(piece)) + tail).encode()
        before = time.process_time()
        read_or_refused(parser, data)
        return time.process_time() - before

    chance = random.Random(1)
    for piece in PIECES:
        parts = (chance.choice(["", *PIECES]), piece, chance.choice(["", *PIECES]))
        if seconds(parts, 64_000) >= 1:  # the quickest of three: what else runs slows single ones
            long, short = (min(seconds(parts, size) for _ in "123") for size in (64_000, 16_000))
            assert long < 8 * short, parts


# --- event rows --------------------------------------------------------------------------------

WILD = st.sampled_from(
    [
        *(None, True, -1, 0, 2**70, 10**400, 1e308, float("nan"), float("inf")),
        *("", "x", "\ud800", "a" * 5000, "00000000", "../x", [], ["x"], [1], {}, {"appended": -1}),
        *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2199-12-31T23:59:59Z"),
    ]
)
KEYS = sorted({key for kind in rows.TYPES.values() for key in kind.__dataclass_fields__} - {"at"})


def a_store() -> Snapshot:
    """Bullets of several pull requests, refreshed, one of them standing."""
    snapshot = Snapshot(LESSONS_FILE.encode(), {}, FakeTree(), repository=11)
    for number, sentence in enumerate(SENTENCES * 4):
        evidence = Evidence(
            source=f"review:{number}@0123456789ab",
            pr=41 + number,
            head="a" * 40,
            channel=Verdict.CHANGES_REQUESTED,
            state="changes_requested",
            by=7,
            at=NOON + timedelta(days=number),
            lesson=Lesson(sentence),
        )
        edit = write(snapshot, [evidence], Settings(), TODAY)
        events = {p: d for p, d in edit.changes.items() if p.startswith(event_files.FOLDER) and d}
        lessons = edit.changes.get(LESSONS) or snapshot.lessons
        snapshot = replace(snapshot, lessons=lessons, events={**snapshot.events, **events})
    return snapshot


STORE = a_store()


@st.composite
def damaged_rows(draw: st.DrawFn) -> dict[str, bytes]:
    """The event files of the store with rows in them that nobody of ours wrote."""
    files = {}
    for path, data in STORE.events.items():
        lines = data.decode().splitlines()
        for _ in range(draw(st.integers(1, 3))):
            row = json.loads(draw(st.sampled_from(lines)))
            row |= draw(st.dictionaries(st.sampled_from([*row, *KEYS]), WILD, max_size=2))
            row["type"] = draw(st.just(row["type"]) | st.sampled_from(sorted(rows.TYPES)))
            row["id"] = draw(st.from_regex("[0-9a-f]{16}", fullmatch=True))
            lines.append(json.dumps(row))
        files[path] = "\n".join(lines).encode()
    return files


@settings(max_examples=FEW)
@given(damaged_rows())
def test_whatever_the_rows_say_the_store_is_written_and_shown(files: dict[str, bytes]) -> None:
    edit = write(replace(STORE, events=files), (), Settings(), TODAY, housekeeping=True)
    for path, data in files.items():
        assert (edit.changes.get(path) or data).startswith(data), "rows are only ever added"
    pitfalls.block_of(STORE.lessons, files, None, Settings(), TODAY).to_markdown()
    pitfalls.committed(STORE.lessons, files, None, Settings())
    months = trends.trend(History.read(files)).months
    assert len(months) < 12 * 300, "a picture of them can be drawn"
