"""Our own files where people write them: told before they do harm, waited for when they did."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.demo.stage import Stage
from bot.facts import Permission
from bot.sandbox import records
from bot.sandbox.forge import GRANTED
from bot.work.settings_check import CHECK
from tests.work.estate import SETTINGS, Estate, make_estate

FILE = ".github/lessonkeeper.yml"
LESSONS = ".agent-corp/lessons.md"
ONE = ["chore(lessons): 1 appended from #1"]
BROKEN = "version: 1\nweek:\n  within: 90d\n"
CONFLICT = "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"


@pytest.fixture
def estate(playing: Stage) -> Estate:
    return make_estate(playing)


def checks(estate: Estate, head: str) -> list[records.CheckRun]:
    runs = estate.shop.check_runs.values()
    return [run for run in runs if (run.name, run.head_sha) == (CHECK, head)]


# --- on a pull request -------------------------------------------------------------------------


def test_a_proposed_settings_file_is_told_line_column_and_remedy(estate: Estate) -> None:
    pull = estate.shop.open_pull_request("ben", {FILE: BROKEN})
    estate.settle()
    (check,) = checks(estate, pull.head_sha)
    assert (check.status, check.conclusion) == ("completed", "neutral")
    assert check.title == f"{FILE}: 1 problem"
    assert check.text == "- line 2, column 1: Unknown key `week`. Did you mean `weak`?"

    pull.push("ben", {FILE: SETTINGS + "enabled: true\n"})
    estate.settle()
    (check,) = checks(estate, pull.head_sha)
    assert (check.conclusion, check.title) == ("neutral", f"{FILE} reads well")
    assert estate.subjects() == []


def test_it_is_told_where_the_app_has_no_settings_yet(playing: Stage) -> None:
    estate = make_estate(playing, settings=None)
    pull = estate.shop.open_pull_request("ben", {FILE: "enabled: maybe\n"}, fork=True)
    estate.settle()
    (check,) = checks(estate, pull.head_sha)
    assert check.title == f"{FILE}: 1 problem"


def test_removing_the_file_is_told_too(estate: Estate) -> None:
    pull = estate.shop.open_pull_request("ben", {FILE: None})
    estate.settle()
    (check,) = checks(estate, pull.head_sha)
    assert check.title == f"{FILE} is removed"


def test_notes_that_cannot_be_read_are_told_where_they_are_proposed_and_where_they_stand(
    estate: Estate,
) -> None:
    slow, lost = ".agent-corp/notes/slow.md", ".agent-corp/notes/lost.md"
    story = "---\nkind: lesson\nsubject: src/\nclass: lost-work\n---\n\n# Lost\n"
    far = ".agent-corp/notes/far.md"
    pull = estate.shop.open_pull_request(
        "ben",
        {
            slow: "---\nkind: context\n---\n",
            far: "---\nkind: context\njob: 99\n---\n",
            lost: story,
        },
    )
    estate.settle()
    (check,) = checks(estate, pull.head_sha)
    assert check.title == "3 notes to mend"
    assert check.text == (
        f"- {slow}:1: A context note names its job."
        ' Write `job: "#12"`, the issue or pull request that it ends with.\n'
        f"- {far}:3: It names #99, and there is no such issue or pull request here."
        " Name one that there is: the note ends with it.\n"
        f"- {lost}:4: The class `lost-work` is not in .agent-corp/rules.md."
        " Add `- **lost-work**: …` there, or name one that is."
    ).replace("#", "#\u200b")

    pull.merge("ada")
    estate.settle()
    (check,) = checks(estate, estate.shop.tip())
    assert check.title == "2 notes to mend"
    estate.shop.commit("ada", {slow: None, lost: story.replace("class: lost-work\n", "")})
    estate.settle()
    assert checks(estate, estate.shop.tip()) == []


def test_a_lessons_file_that_could_not_be_trusted_is_told(estate: Estate) -> None:
    pull = estate.shop.open_pull_request("ben", {LESSONS: CONFLICT})
    estate.settle()
    (check,) = checks(estate, pull.head_sha)
    assert check.title == f"{LESSONS} could not be trusted"
    assert "conflict markers (line 1)" in str(check.summary)


def test_other_files_are_not_its_business(estate: Estate) -> None:
    pull = estate.shop.open_pull_request("ben", {"src/db.py": "b\n"})
    estate.settle()
    assert checks(estate, pull.head_sha) == []


def test_a_check_run_that_took_effect_behind_an_error_is_not_made_twice(
    playing: Stage, estate: Estate
) -> None:
    path = f"/repos/{estate.shop.full_name}/check-runs"
    playing.github.fail_next("POST", path, 502, after_effect=True)
    pull = estate.shop.open_pull_request("ben", {FILE: BROKEN})
    estate.settle()
    assert len(checks(estate, pull.head_sha)) == 1


def test_without_the_checks_permission_it_is_one_comment(playing: Stage, estate: Estate) -> None:
    allowed = {name: level for name, level in GRANTED.items() if name != "checks"}
    playing.forge.grant(estate.installation, allowed)
    estate.settle()
    pull = estate.shop.open_pull_request("ben", {FILE: BROKEN})
    estate.settle()
    pull.push("ben", {FILE: BROKEN + "# again\n"})
    estate.settle()
    (comment,) = estate.shop.comments.values()
    assert "Unknown key `week`" in comment.body


# --- on the default branch ---------------------------------------------------------------------


def test_a_broken_settings_file_stops_writes_says_so_and_loses_nothing(estate: Estate) -> None:
    estate.shop.commit("ben", {FILE: BROKEN})
    estate.settle()
    (check,) = checks(estate, estate.shop.tip())
    assert check.title == f"{FILE} stops every write here"
    assert f"{FILE}:2:1: Unknown key `week`" in str(check.summary)
    estate.review()
    estate.settle()
    assert estate.subjects() == []

    estate.shop.commit("ben", {FILE: SETTINGS})
    estate.settle()
    assert estate.subjects() == ONE


def test_broken_between_the_decision_and_the_write_it_waits_as_well(playing: Stage) -> None:
    estate = make_estate(playing, settings="commit_every: 15m\n")
    estate.review("session")
    estate.settle()
    estate.review("lock")
    estate.settle()
    estate.shop.commit("ben", {FILE: BROKEN})
    playing.clock.move(timedelta(hours=1))
    estate.settle()
    assert estate.subjects() == ONE

    estate.shop.commit("ben", {FILE: SETTINGS})
    estate.settle()
    assert estate.subjects() == [*ONE, "chore(lessons): 1 appended from #2"]


def test_a_lessons_file_that_cannot_be_trusted_is_left_alone_until_it_is_repaired(
    estate: Estate,
) -> None:
    estate.shop.commit("ben", {LESSONS: CONFLICT})
    estate.review()
    estate.settle()
    assert estate.file() == CONFLICT
    (check,) = checks(estate, estate.shop.tip())
    assert check.title == f"{LESSONS} stops every write here"

    estate.shop.commit("ben", {LESSONS: "# Lessons\n"})
    estate.settle()
    assert estate.subjects() == ONE


def test_what_is_still_broken_is_tried_once_per_push(estate: Estate) -> None:
    for number in range(3):
        estate.shop.commit("ben", {FILE: BROKEN + f"# {number}\n"})
        estate.review()
    estate.settle()  # and ends
    estate.shop.commit("ben", {FILE: SETTINGS})
    estate.settle()
    assert estate.subjects() != []


# --- of the owner ------------------------------------------------------------------------------


def test_an_owners_file_counts_where_a_repository_has_none(playing: Stage) -> None:
    estate = make_estate(playing, settings=None, owners="enabled: true\ncommit_every: 0\n")
    estate.review()
    estate.settle()
    assert estate.subjects() == ONE


def test_an_owners_file_that_does_not_say_enabled_is_no_consent(playing: Stage) -> None:
    estate = make_estate(playing, settings=None, owners="commit_every: 0\n")
    estate.review()
    estate.settle()
    assert estate.subjects() == []


def test_an_owners_file_is_read_where_the_app_is_not_if_it_is_public(playing: Stage) -> None:
    estate = make_estate(playing, settings=None, owners="enabled: true\n", owners_installed=False)
    estate.review()
    estate.settle()
    assert estate.subjects() == ONE


def test_a_repositorys_key_replaces_the_owners_whole(playing: Stage) -> None:
    owners = 'enabled: true\ncommit: {prefix: "docs(lessons)"}\ncommit_every: 0\n'
    estate = make_estate(playing, settings="commit: {sign_off: true}\n", owners=owners)
    estate.review()
    estate.settle()
    message = estate.shop.bare.commits(estate.shop.tip())[-1].message
    assert message.startswith("chore(lessons): 1 appended")
    assert "Signed-off-by: " in message


def test_the_owners_key_holds_where_the_repository_is_silent(playing: Stage) -> None:
    estate = make_estate(playing, owners='commit: {prefix: "docs(lessons)"}\n')
    estate.review()
    estate.settle()
    message = estate.shop.bare.commits(estate.shop.tip())[-1].message
    assert message.startswith("docs(lessons): 1 appended")


def test_a_broken_owners_file_holds_the_work_until_it_is_repaired(playing: Stage) -> None:
    estate = make_estate(playing, owners=BROKEN)
    owners = playing.forge.repository(f"{estate.owner}/.github")
    assert owners is not None
    estate.review()
    estate.settle()
    assert estate.subjects() == []
    owners.set_permission("ben", Permission.WRITE)
    owners.commit("ben", {FILE: SETTINGS})
    estate.settle()
    assert estate.subjects() == ONE


def test_settings_that_switch_the_app_off_hold_what_waited(playing: Stage) -> None:
    estate = make_estate(playing, settings="commit_every: 15m\n")
    estate.review("session")
    estate.settle()
    estate.review("lock")
    estate.settle()
    estate.shop.commit("ben", {FILE: "enabled: false\n"})
    playing.clock.move(timedelta(hours=1))
    estate.settle()
    assert estate.subjects() == ONE
    estate.shop.commit("ben", {FILE: SETTINGS})
    estate.settle()
    assert estate.subjects() == [*ONE, "chore(lessons): 1 appended from #2"]
