"""The README holds: its first steps print what it shows, its settings are those that hold."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bot.settings.printing import settings_table
from tests.commands.conftest import Desk

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_first_steps_write_the_line_that_is_shown(desk: Desk) -> None:
    (given,) = re.findall(r"^cat > review.json <<'EOF'\n(.*?)^EOF$", README, re.DOTALL | re.M)
    assert desk.learn(json.loads(given)).status == 0
    written = desk.file().decode().splitlines()[-1]
    without_day = [re.sub(r"\d{4}-\d\d-\d\d", "DAY", line) for line in README.splitlines()]
    assert re.sub(r"\d{4}-\d\d-\d\d", "DAY", written) in without_day


def test_a_write_touches_the_paths_that_are_named_and_ends_as_said(desk: Desk) -> None:
    desk.learn({"state": "changes_requested", "author": "ada", "body": "Never call `eval()`."})
    touched = desk.git("show", "--format=", "--name-only", "HEAD").split()
    (said,) = re.findall(r"^A write is one commit in (.*?)\n\n", README, re.DOTALL | re.M)
    assert len(touched) == 4
    for path in touched:
        name = re.sub(r"\d{4}-\d\d", "<month>", path.removeprefix(".agent-corp/"))
        assert f"`{name}`" in said
    assert desk.git("log", "-1", "--format=%B").rstrip().endswith("\nskip-checks: true")
    assert "`skip-checks: true`" in said


def test_the_settings_that_are_shown_have_the_defaults_that_hold() -> None:
    every = dict(re.findall(r"^\| (`[\w.]+`) \| (`.*?`) \|", settings_table(), re.M))
    shown = re.findall(r"^\| (`[\w.]+`) \| (`.*?`) \|", README, re.M)
    assert len(shown) == 10
    assert all(every[key] == default for key, default in shown)
