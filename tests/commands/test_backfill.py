"""`backfill` as the operator calls it, against the sandbox: past reviews become one commit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.commands.backfilling import operator
from bot.demo.stage import Clock
from bot.environment import read
from bot.facts import Permission
from bot.sandbox.forge import SandboxForge
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer
from bot.work.codec import Wanted
from tests.answers import Answer
from tests.commands.conftest import LESSONS, Desk

SESSION = "Close every database session in a `finally` block in `src/db.py`."
ACTIONS = "Pin every action in `.github/workflows` to a full commit hash."
EVAL = "Never call `eval()` on the text of a request in `src/api.py`."


@pytest.fixture
def clock() -> Clock:
    """Half a year ago; each test lets time pass up to today."""
    return Clock(timedelta(days=-180))


@pytest.fixture
def forge(tmp_path: Path, clock: Clock) -> SandboxForge:
    return SandboxForge(tmp_path / "github", clock)


@pytest.fixture
def shop(forge: SandboxForge) -> SandboxRepository:
    made = forge.create_repository("acme/shop", {"src/db.py": "a = 1\n", "src/api.py": "b = 1\n"})
    for login in ("ada", "ben", "cleo"):
        made.set_permission(login, Permission.WRITE)
    return made


@pytest.fixture
def github(
    forge: SandboxForge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SandboxServer]:
    """The sandbox, and an operator whose App is registered there."""
    key = tmp_path / "app.pem"
    key.write_text(forge.private_key)
    with SandboxServer(forge) as running:
        monkeypatch.setenv("LESSONKEEPER_DATA", str(tmp_path / "data"))
        monkeypatch.setenv("LESSONKEEPER_GITHUB_URL", running.url)
        monkeypatch.setenv("LESSONKEEPER_APP_ID", str(forge.app_id))
        monkeypatch.setenv("LESSONKEEPER_PRIVATE_KEY_FILE", str(key))
        yield running
    running.assert_no_surprises()


def reviewed(
    shop: SandboxRepository, text: str, by: str = "ada", state: str = "changes_requested"
) -> int:
    """A pull request with one review; its number."""
    number = len(shop.pulls) + 1
    pull = shop.open_pull_request("ben", {"README.md": f"{number}\n"})
    pull.review(by, state, text)
    return pull.number


def backfill(desk: Desk, *more: str) -> Answer:
    return desk.run("backfill", "--repo", "acme/shop", *more)


def bullets(shop: SandboxRepository) -> list[str]:
    text = shop.bare.read(shop.tip(), LESSONS).decode()
    return [line for line in text.splitlines() if line.startswith("- ")]


def day(clock: Clock) -> str:
    return clock().date().isoformat()


@pytest.mark.usefixtures("github")
def test_it_is_a_dry_run_unless_told_otherwise(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    clock.move(timedelta(days=170))
    reviewed(shop, SESSION)
    tip = shop.tip()
    answer = backfill(desk)
    assert answer.status == 0
    assert "1 pull requests were reviewed." in answer.out
    assert "chore(lessons): 1 appended from #1" in answer.out
    assert shop.tip() == tip


@pytest.mark.usefixtures("github")
def test_all_past_reviews_become_one_commit_and_only_young_lessons_bullets(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    reviewed(shop, ACTIONS)  # 180 days ago
    reviewed(shop, SESSION)
    clock.move(timedelta(days=75))
    reviewed(shop, f"Please: {SESSION}", "cleo")  # 105 days ago: still alive then
    clock.move(timedelta(days=60))
    last = day(clock)
    reviewed(shop, SESSION, "cleo")  # 45 days ago
    clock.move(timedelta(days=45))
    answer = backfill(desk, "--apply", "--json")
    assert (answer.json["pull_requests"], answer.json["signals"]) == (4, 4)
    (bullet,) = bullets(shop)
    assert SESSION.rstrip(".") in bullet
    assert f"(#4, {last}, changes_requested)" in bullet
    assert answer.json["commit"] == shop.tip()
    (commit,) = shop.bare.commits(f"{shop.tip()}^..{shop.tip()}")
    assert commit.message.startswith("chore(lessons): 1 appended, 2 refreshed from 4 pull requests")
    events = [p for p in shop.bare.paths(shop.tip()) if p.endswith(".jsonl")]
    rows = "".join(shop.bare.read(shop.tip(), path).decode() for path in events)
    assert rows.count('"type": "signal"') == 4
    assert rows.count('"flag": "expired"') == 1


@pytest.mark.usefixtures("github")
def test_a_second_time_writes_nothing(desk: Desk, shop: SandboxRepository, clock: Clock) -> None:
    clock.move(timedelta(days=170))
    reviewed(shop, SESSION)
    backfill(desk, "--apply")
    tip = shop.tip()
    assert "they teach nothing new" in backfill(desk, "--apply").out
    assert shop.tip() == tip


@pytest.mark.usefixtures("github")
def test_what_was_merged_over_or_dismissed_gives_no_bullet(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    clock.move(timedelta(days=170))
    over = shop.pulls[reviewed(shop, SESSION)]
    over.merge("cleo")
    taken_back = shop.pulls[reviewed(shop, ACTIONS)]
    taken_back.dismiss_review(next(iter(taken_back.reviews)), "cleo")
    reviewed(shop, EVAL)
    backfill(desk, "--apply")
    (bullet,) = bullets(shop)
    assert "`eval()`" in bullet


@pytest.mark.usefixtures("github")
def test_weak_evidence_of_two_merged_pull_requests_meets(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    clock.move(timedelta(days=170))
    for _ in range(2):
        pull = shop.open_pull_request("ben", {"README.md": "a\n"})
        pull.review("ada", "commented", SESSION)
        clock.move(timedelta(hours=1))
        pull.push("ben", {"README.md": "b\n"})
        pull.merge("cleo")
    backfill(desk, "--apply")
    assert len(bullets(shop)) == 1


@pytest.mark.usefixtures("github")
def test_since_leaves_out_what_was_not_touched_later(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    clock.move(timedelta(days=150))
    reviewed(shop, ACTIONS)
    clock.move(timedelta(days=10))
    since = day(clock)
    reviewed(shop, SESSION)
    answer = backfill(desk, "--since", since, "--apply", "--json")
    assert answer.json["pull_requests"] == 1


@pytest.mark.usefixtures("github")
def test_bots_that_are_not_listed_are_named(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    clock.move(timedelta(days=170))
    reviewed(shop, SESSION, "rabbit[bot]")
    answer = backfill(desk)
    assert "not listed under reviewers: rabbit[bot] (1)." in answer.out


def test_it_goes_on_where_the_rate_limit_stopped_it(
    desk: Desk, shop: SandboxRepository, clock: Clock, github: SandboxServer
) -> None:
    clock.move(timedelta(days=170))
    reviewed(shop, SESSION)
    reviewed(shop, ACTIONS)
    second = "/repos/acme/shop/pulls/2"
    github.fail_next("GET", second, 403, message="rate limit", headers={"retry-after": "90"})
    stopped = backfill(desk, "--apply")
    assert stopped.status == 1
    assert "1 of 2 pull requests are read" in stopped.err
    assert "it goes on from there" in stopped.err
    before = github.count("GET", "/repos/acme/shop/pulls/1")
    assert backfill(desk, "--apply").status == 0
    assert github.count("GET", "/repos/acme/shop/pulls/1") == before
    assert len(bullets(shop)) == 2


# --- where commits may not go to the default branch directly -----------------------------------


def proposed(shop: SandboxRepository) -> list[str]:
    text = shop.bare.read(shop.tip("lessonkeeper/lessons"), LESSONS).decode()
    return [line for line in text.splitlines() if line.startswith("- ")]


@pytest.mark.usefixtures("github")
@pytest.mark.parametrize("classic", [False, True])
def test_what_a_rule_refuses_is_proposed_in_the_rolling_pull_request(
    desk: Desk, shop: SandboxRepository, clock: Clock, classic: bool
) -> None:
    reviewed(shop, ACTIONS)  # 180 days ago: on record, and no bullet
    clock.move(timedelta(days=180))
    reviewed(shop, SESSION)
    shop.protect("pull_request", classic=classic)
    tip = shop.tip()

    answer = backfill(desk, "--apply")

    assert answer.status == 0, answer.err
    assert "It is proposed in pull request #3: merging it keeps it." in answer.out
    assert shop.tip() == tip
    assert (shop.pulls[3].title, shop.pulls[3].draft) == ("chore(lessons): 1 appended", True)
    (bullet,) = proposed(shop)
    assert SESSION.rstrip(".") in bullet
    again = backfill(desk, "--apply")
    assert "they teach nothing new" in again.out
    assert len(shop.pulls) == 3
    shop.pulls[3].merge("ada")
    assert bullets(shop) == [bullet]
    assert "they teach nothing new" in backfill(desk, "--apply").out
    assert len(shop.pulls) == 3


@pytest.mark.usefixtures("github")
def test_with_mode_pull_request_nothing_else_is_tried(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    shop.commit("ada", {".github/lessonkeeper.yml": "mode: pull_request\n"})
    clock.move(timedelta(days=180))
    reviewed(shop, SESSION)
    tip = shop.tip()

    answer = backfill(desk, "--apply", "--json")

    assert answer.json["proposed_in"] == 2
    assert answer.json["commit"] == shop.tip("lessonkeeper/lessons")
    assert shop.tip() == tip


@pytest.mark.usefixtures("github")
def test_it_goes_on_where_lessons_are_proposed_already_and_an_approval_is_kept(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    shop.protect("pull_request")
    clock.move(timedelta(days=180))
    reviewed(shop, SESSION)
    backfill(desk, "--apply")
    reviewed(shop, ACTIONS)
    assert backfill(desk, "--apply", "--json").json["proposed_in"] == 2
    assert len(proposed(shop)) == 2

    reviewed(shop, EVAL)
    shop.pulls[2].review("ada", "approved", "")
    held = backfill(desk, "--apply")
    assert held.status == 1
    assert "Pull request #2 was approved, so it is left alone for now." in held.err
    assert "Merge it" in held.err
    shop.pulls[2].merge("ada")
    assert backfill(desk, "--apply", "--json").json["proposed_in"] == 5
    assert len(proposed(shop)) == 3


@pytest.mark.usefixtures("github")
def test_what_waits_for_the_server_is_left_to_it(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    shop.protect("pull_request")
    clock.move(timedelta(days=180))
    reviewed(shop, SESSION)
    with operator(read(os.environ), clock) as by:
        by.memory.want(shop.id, "pr:1", Wanted(), clock(), clock())

    assert backfill(desk, "--apply").status == 0

    with operator(read(os.environ), clock) as by:
        assert [each.subject for each in by.memory.waiting(shop.id)] == ["pr:1"]


@pytest.mark.usefixtures("github")
def test_where_a_person_has_to_let_it_in_it_says_so(
    desk: Desk, shop: SandboxRepository, clock: Clock
) -> None:
    shop.commit("ada", {".github/lessonkeeper.yml": "mode: direct\n"})
    shop.protect("pull_request")
    clock.move(timedelta(days=180))
    reviewed(shop, SESSION)

    answer = backfill(desk, "--apply")

    assert answer.status == 1
    assert "Changes must be made through a pull request." in answer.err
    assert "bypass list" in answer.err
    assert len(shop.pulls) == 1


def test_where_the_app_is_not_installed_it_says_so(
    desk: Desk, forge: SandboxForge, github: SandboxServer
) -> None:
    forge.create_repository("acme/other", installed=False)
    answer = desk.run("backfill", "--repo", "acme/other")
    assert answer.status == 1
    assert "The App is not installed in acme/other." in answer.err


def test_a_date_that_is_none_is_a_wrong_call(desk: Desk) -> None:
    assert backfill(desk, "--since", "yesterday").status == 2
