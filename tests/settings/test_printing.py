"""What is printed reads back as the same settings."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as checked

from bot.settings import Evidence, Reviewer, Settings, Weak
from bot.settings.file import read
from bot.settings.form import hints
from bot.settings.printing import defaults_yaml, plain, settings_table, to_yaml
from tests.settings import strategies


@checked(suppress_health_check=[HealthCheck.too_slow], max_examples=25)
@given(strategies.settings())
def test_any_settings_read_back_as_themselves(drawn: Settings) -> None:
    assert read(to_yaml(drawn).encode()) == drawn


def test_the_annotated_defaults_say_what_an_absent_file_says() -> None:
    assert read(defaults_yaml().encode()) == read(b"") == Settings()


def test_every_key_of_the_printed_file_carries_its_reason() -> None:
    bare = [
        line for line in defaults_yaml().splitlines() if "# " not in line and "#   " not in line
    ]
    assert bare == []


def test_reviewers_are_printed_one_a_line_to_be_edited() -> None:
    reviewers = (
        Reviewer("coderabbitai[bot]"),
        Reviewer("me", Evidence.STRONG, asks="Verdict: changes requested"),
    )
    text = to_yaml(Settings(reviewers=reviewers))
    assert (
        "  - {login: 'coderabbitai[bot]', commented: weak, comments: false, "
        "asks: none, passes: none}\n" in text
    )
    assert read(text.encode()).reviewers == reviewers


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (timedelta(), 0),
        (timedelta(minutes=15), "15m"),
        (timedelta(hours=24), "24h"),
        (timedelta(hours=36), "36h"),
        (timedelta(days=2), "2d"),
        (timedelta(minutes=90), "90m"),
    ],
)
def test_a_time_is_printed_as_people_write_it(time: timedelta, text: object) -> None:
    assert plain(time) == text


def test_a_time_the_file_cannot_say_is_not_printed() -> None:
    with pytest.raises(ValueError, match="whole number of minutes"):
        to_yaml(Settings(weak=Weak(within=timedelta(seconds=90))))


def test_the_table_has_one_row_for_every_key() -> None:
    keys = []
    for name in hints(Settings):
        value = getattr(Settings(), name)
        if dataclasses.is_dataclass(value):
            keys += [f"{name}.{inner}" for inner in hints(type(value))]
        else:
            keys.append(name)
            if name == "reviewers":
                keys += [f"reviewers[].{inner}" for inner in hints(Reviewer)]
    rows = settings_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == keys
    assert "| `store.cap` | `40` | bullets of ours in the file: what people still read |" in rows


def test_the_settings_page_holds_that_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "SETTINGS.md"
    assert page.read_text(encoding="utf-8").endswith("\n\n" + settings_table())
