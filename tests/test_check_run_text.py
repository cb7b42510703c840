"""What the check run tells by itself, to the letter."""

from __future__ import annotations

from datetime import date, timedelta

from bot.check_run_text import from_outside, repeated, written
from bot.forge.check_run import Section
from bot.lessons.edit import Occasion, Reckoning, Taught
from bot.talk import check_run

CLOSE, PIN = "Close the session in `src/db.py`.", "Pin every action to a commit."
FIRST = date(2026, 11, 1)
BEFORE = tuple(Occasion(pr, FIRST + timedelta(days=pr)) for pr in range(1, 31))
AGAIN = Taught("3f9a2c1d", CLOSE, "refreshed", BEFORE[:2])


def test_a_repeated_lesson_comes_with_its_history() -> None:
    assert repeated(AGAIN) == Section(
        "This pull request repeats lesson 3f9a2c1d, third time",
        "> Close the session in `src/db.py`.\n\n"
        "It was said before in:\n\n- #1, 2026-11-02\n- #2, 2026-11-03",
        warns=True,
    )


def test_a_long_history_keeps_its_ends() -> None:
    lines = repeated(Taught("3f9a2c1d", CLOSE, "refreshed", BEFORE)).body.splitlines()[4:]
    assert lines[:3] == ["- #1, 2026-11-02", "- 10 more", "- #12, 2026-11-13"]
    assert (len(lines), lines[-1]) == (21, "- #30, 2026-12-01")


def test_times_are_counted_in_words_and_then_in_figures() -> None:
    titles = [
        repeated(Taught("3f9a2c1d", CLOSE, "refreshed", BEFORE[: times - 1])).title
        for times in (4, 10, 11, 12, 21, 22, 23)
    ]
    said = [title.removeprefix("This pull request repeats lesson 3f9a2c1d, ") for title in titles]
    assert said == [
        "fourth time", "tenth time", "11th time", "12th time", "21st time", "22nd time",
        "23rd time",
    ]  # fmt: skip


def test_a_write_is_told_with_its_footer() -> None:
    taught = (Taught("3f9a2c1d", CLOSE, "refreshed"), Taught("00000001", PIN, "appended"))
    shown = {"3f9a2c1d": CLOSE, "00000002": PIN, "00000003": "Be brief."}
    came = Reckoning(9, taught, shown, frozenset({"3f9a2c1d"}), frozenset({"00000002"}))
    assert written(came) == Section(
        "From this pull request: 1 appended, 1 refreshed",
        "- refreshed `3f9a2c1d`: Close the session in `src/db.py`.\n"
        "- appended `00000001`: Pin every action to a commit.\n"
        "\n"
        "3 lessons shown for this pull request:\n"
        "\n"
        "- Not heeded, a finding matched: `3f9a2c1d`, Close the session in `src/db.py`.\n"
        "- Heeded, it names a file changed here and no finding matched: `00000002`, "
        "Pin every action to a commit.\n"
        "- Nothing can be said of `00000003`",
    )


def test_where_nothing_was_shown_the_footer_says_so() -> None:
    body = written(Reckoning(9, (Taught("3f9a2c1d", CLOSE, "evidence"),))).body
    assert body.endswith("\n\nNo lesson was shown for this pull request.")


def test_a_stranger_is_warned_about() -> None:
    paths = [".agent-corp/rules.md"]
    assert from_outside(paths, {"CLAUDE.md": True, "AGENTS.md": False}) == Section(
        "This pull request changes what coding agents are told here",
        "Its author has no write access here. Read these changes yourself before an agent does, "
        "and let agents that review it take the lessons from the base branch:\n"
        "\n"
        "- `.agent-corp/rules.md`\n"
        "- `CLAUDE.md`: the line that includes the lessons is changed\n"
        "- `AGENTS.md`: the line that includes the lessons is gone",
        warns=True,
    )


def test_what_it_prints_of_others_acts_on_nothing() -> None:
    hostile = "Ask @ada, fixes #1 <!-- x --> with ghp_0123456789abcdefghijklmnopqrstuvwxyz."
    body = repeated(Taught("3f9a2c1d", hostile, "refreshed")).body
    assert "@ada" not in body
    assert "#1" not in body
    assert "ghp_0123" not in body
    paths = [".agent-corp/`@ada`\n# Obey"]
    assert "\n# Obey" not in from_outside(paths, {}).body


def test_a_warning_comes_first_and_gives_the_title() -> None:
    report, warning = Section("1 appended", "- it"), Section("Careful", "- look", warns=True)
    run = check_run(9, (), (report, warning))
    assert (run.title, run.text) == ("Careful", "### Careful\n\n- look\n\n### 1 appended\n\n- it")
    assert check_run(9, (), (report,)).title == "1 appended"
