"""The file of a standing lesson: readable, editable, and ours only where we say so."""

from __future__ import annotations

from datetime import UTC, date, datetime

import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.lessons.standing import Evidence, marker, new_file, parse, slug

DAY = date(2026, 11, 2)
SENTENCE = 'Close "every" session in a `finally` block in `src/db.py`: a query may raise.'
LINES = [
    Evidence("#41", "a" * 40, DAY, "changes_requested"),
    Evidence("#57", "", date(2026, 11, 5), "ci_fix"),
]


def made(sentence: str = SENTENCE) -> tuple[str, bytes]:
    return new_file("3f9a2c1d", sentence, "Changing it", "", "changes_requested", 2.1, DAY, LINES)


def test_a_promoted_lesson_is_a_file_that_people_can_read() -> None:
    path, data = made()
    assert path == ".agent-corp/standing/3f9a2c1d-close-every-session-in-a-finally.md"
    text = data.decode()
    values = yaml.safe_load(text.split("---")[1])
    assert values["sentence"] == SENTENCE
    assert values["paths"] == ["src/db.py"]
    assert (values["id"], values["weight"], values["as_of"]) == ("3f9a2c1d", 2.1, DAY)
    assert "strategy" not in values
    assert "- #41 at aaaaaaaaaaaa, 2026-11-02, changes_requested\n" in text
    assert text.endswith("- #57, 2026-11-05, ci_fix\n")


def test_a_hand_edit_survives_every_later_write() -> None:
    path, data = made()
    edited = data.decode().replace(SENTENCE[6:13], "all").replace("Evidence:", "Why we care:\r\n")
    edited = edited.replace("---\n\n", "owner: ada\n---\n\nA paragraph by a person.\n\n", 1)
    found = parse(path, edited.encode())
    assert found is not None
    later = found.with_evidence(
        2.6, date(2026, 11, 9), [*LINES, Evidence("#60", "", DAY, "ci_fix")]
    )
    wanted = edited.replace("weight: 2.10", "weight: 2.60").replace(
        "as_of: 2026-11-02", "as_of: 2026-11-09"
    )
    assert later.decode() == wanted + "- #60, 2026-11-02, ci_fix\r\n"


@given(st.text(min_size=1, max_size=80).filter(lambda t: bool(t.split())))
def test_any_sentence_comes_back(sentence: str) -> None:
    sentence = " ".join(sentence.encode("utf-8", "replace").decode().split())
    path, data = made(sentence)
    found = parse(path, data)
    assert found is not None
    assert found.sentence == sentence
    assert "/" not in path.removeprefix(".agent-corp/standing/")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_lesson_or_none(data: bytes) -> None:
    for head in (b"", b"---\n"):
        parse(".agent-corp/standing/3f9a2c1d-x.md", head + data)


def test_other_files_are_none() -> None:
    _, data = made()
    assert parse(".agent-corp/standing/README.md", data) is None
    assert parse(".agent-corp/standing/3f9a2c1d-x.md", b"no front matter\n") is None
    assert parse(".agent-corp/standing/3f9a2c1d-x.md", b"---\nsentence: [1]\n---\n") is None


def test_a_slug_is_plain() -> None:
    assert slug("Größe der Prüfübersicht ändern!") == "groe-der-prufubersicht-andern"
    assert slug("必ず確認する。") == "lesson"


def test_a_marker_is_one_json_line() -> None:
    assert marker(datetime(2026, 11, 2, tzinfo=UTC), "demoted") == (
        b'{"at": "2026-11-02T00:00:00Z", "why": "demoted"}\n'
    )
