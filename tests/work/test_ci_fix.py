"""Jobs that failed and were mended, from signed deliveries to pushed commits, on the real parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from bot.demo.stage import Stage
from bot.sandbox.ci import EXIT_CODE, Ci
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.records import Annotation, Delivery
from tests.work.conftest import SETTINGS, Shop, make_shop

STRONG = SETTINGS + "ci_fix: strong\n"
ORDER = "Run `test` before pushing changes to `src/db.py`"


def mended(shop: Shop, by: str = "ben", job: str = "test", **opened: Any) -> SandboxPullRequest:
    """A pull request whose job fails at first and passes after a commit by the same hand."""
    pull = shop.repository.open_pull_request(by, {"src/db.py": "a = 1\n"}, **opened)
    ci = Ci(shop.repository)
    ci.finish(pull, job, "failure", annotations=[EXIT_CODE])
    ci.finish(pull, "lint", "success")
    pull.push(by, {"src/db.py": f"a = {pull.number + 1}\n"})
    ci.finish(pull, job, "success")
    ci.finish(pull, "lint", "success")
    return pull


def rows(shop: Shop, kind: str) -> list[dict[str, Any]]:
    """The rows of that type in this month's events, as the branch has them."""
    month = shop.stage.clock().strftime("%Y-%m")
    text = shop.file(f".agent-corp/events/{month}.jsonl")
    return [row for row in map(json.loads, text.splitlines()) if row["type"] == kind]


def test_a_first_fix_is_seen_and_a_second_pull_request_makes_a_bullet_of_both(shop: Shop) -> None:
    first = mended(shop)
    first.merge("cleo")
    shop.stage.settle()
    assert shop.subjects() == []

    second = mended(shop)
    shop.stage.settle()
    assert shop.subjects() == []  # not merged yet
    second.merge("cleo")
    shop.stage.settle()

    assert shop.subjects() == ["chore(lessons): 1 appended from 2 pull requests"]
    (bullet,) = shop.bullets()
    assert bullet.startswith(f"- {ORDER}. (#2, {shop.today()}, ci_fix)")
    assert [(row["pr"], row["did"], row["job"]) for row in rows(shop, "signal")] == [
        (1, "appended", "CI / test"),
        (2, "evidence", "CI / test"),
    ]
    assert [row["pr"] for row in rows(shop, "seen")] == [1]
    assert all(row["source"].startswith("check:") for row in rows(shop, "signal"))


def test_the_same_change_mended_another_job_and_nothing_merges(shop: Shop) -> None:
    for job in ("test", "types"):
        mended(shop, job=job).merge("cleo")
    shop.stage.settle()
    assert shop.subjects() == []


def test_strong_writes_at_once_and_the_title_follows(playing: Stage) -> None:
    shop = make_shop(playing, STRONG)
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    ci = Ci(shop.repository)
    notes = [EXIT_CODE, Annotation("src/db.py", "the whole log", "Session is never closed")]
    ci.finish(pull, "test (3.11, ubuntu)", "failure", annotations=notes)
    pull.push("ben", {"src/db.py": "a = 2\n"})
    passed = ci.finish(pull, "test (3.11, ubuntu)", "success")
    playing.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]
    assert shop.bullets()[0].startswith(f"- {ORDER}: Session is never closed. (#1,")
    assert [row["source"] for row in rows(shop, "signal")] == [f"check:{passed}"]
    pull.merge("cleo")
    playing.settle()
    assert len(shop.subjects()) == 1


def test_none_teaches_nothing_and_asks_nothing(playing: Stage) -> None:
    shop = make_shop(playing, SETTINGS + "ci_fix: none\n")
    mended(shop).merge("cleo")
    before = playing.github.count("GET", "*/annotations")
    playing.settle()
    assert shop.subjects() == []
    assert playing.github.count("GET", "*/annotations") == before


def test_an_outsiders_fix_teaches_once_somebody_merged_it(playing: Stage) -> None:
    shop = make_shop(playing, STRONG)
    pull = mended(shop, by="eve", fork=True)
    playing.settle()
    assert shop.subjects() == []
    pull.merge("cleo", "squash")
    playing.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_however_it_is_merged(playing: Stage, method: str) -> None:
    shop = make_shop(playing, STRONG)
    shop.repository.commit("cleo", {"README.md": "Meanwhile\n"})
    mended(shop, by="eve", fork=True).merge("cleo", method)
    playing.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]


def flaky(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ada", {"README.md": "Other\n"})
    Ci(shop.repository).finish(pull, "test", "failure")
    Ci(shop.repository).finish(pull, "test", "success")


def broken_main(shop: Shop) -> None:
    Ci(shop.repository).finish(None, "test", "failure")


def nothing(_: Shop) -> None:
    """The case that teaches, so that the others are known to be silent for their reason."""


@pytest.mark.parametrize(("happens", "bullets"), [(nothing, 1), (flaky, 0), (broken_main, 0)])
def test_a_job_whose_word_is_worth_nothing_elsewhere_teaches_nothing(
    playing: Stage, happens: Callable[[Shop], None], bullets: int
) -> None:
    shop = make_shop(playing, STRONG)
    happens(shop)
    mended(shop)
    playing.settle()
    assert len(shop.subjects()) == bullets


@pytest.mark.parametrize("by", ["renovate[bot]", "lessonkeeper[bot]"])
def test_bots_teach_nothing(playing: Stage, by: str) -> None:
    shop = make_shop(playing, STRONG)
    mended(shop, by=by).merge("cleo")
    playing.settle()
    assert shop.subjects() == []


def test_an_agents_fix_teaches(playing: Stage) -> None:
    shop = make_shop(playing, STRONG + 'agents: ["coder[bot]"]\n')
    mended(shop, by="coder[bot]")
    playing.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]


def test_a_merge_of_the_base_mends_nothing(playing: Stage) -> None:
    shop = make_shop(playing, STRONG)
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    Ci(shop.repository).finish(pull, "test", "failure")
    shop.repository.commit("cleo", {"README.md": "Mended\n"})
    pull.update_branch("ben")
    Ci(shop.repository).finish(pull, "test", "success")
    pull.merge("cleo")
    playing.settle()
    assert shop.subjects() == []


def test_a_fix_by_force_push_teaches(playing: Stage) -> None:
    shop = make_shop(playing, STRONG)
    files = {"src/db.py": "a = 1\n", "README.md": "New\n"}
    pull = shop.repository.open_pull_request("ben", files)
    Ci(shop.repository).finish(pull, "test", "failure")
    pull.force_push("ben", {**files, "src/db.py": "a = 2\n"})
    Ci(shop.repository).finish(pull, "test", "success")
    playing.settle()
    assert shop.bullets()[0].startswith(f"- {ORDER}. (#1,")


def test_checks_of_our_own_app_are_ignored(playing: Stage) -> None:
    shop = make_shop(playing, STRONG)
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    ours = Ci(shop.repository, None, playing.forge.app_id, playing.forge.app_slug)
    ours.finish(pull, "Lessonkeeper", "failure")
    pull.push("ben", {"src/db.py": "a = 2\n"})
    ours.finish(pull, "Lessonkeeper", "success")
    pull.merge("cleo")
    playing.settle()
    assert shop.subjects() == []


def twice(deliveries: list[Delivery]) -> Iterable[Delivery]:
    return [each for delivery in deliveries for each in (delivery, delivery)]


@pytest.mark.parametrize(
    ("settings", "order"), [(SETTINGS, reversed), (STRONG, reversed), (STRONG, twice)]
)
def test_order_and_repetition_of_the_deliveries_change_nothing(
    playing: Stage,
    settings: str,
    order: Callable[[list[Delivery]], Iterable[Delivery]],
) -> None:
    shop = make_shop(playing, settings)
    for _ in range(2):
        mended(shop).merge("cleo")
    sent = playing.forge.take_deliveries()
    playing.send(order(sent), fresh=order is twice)
    playing.settle()
    (bullet,) = shop.bullets()
    assert bullet.startswith(f"- {ORDER}. (#2, {shop.today()}, ci_fix)")
    assert len(rows(shop, "signal")) == 2


def test_replayed_deliveries_write_nothing_more(shop: Shop) -> None:
    for _ in range(2):
        mended(shop).merge("cleo")
    sent = shop.stage.forge.take_deliveries()
    for _ in range(2):
        shop.stage.send(sent, fresh=True)  # by somebody who recorded them
        shop.stage.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from 2 pull requests"]


def test_fifty_jobs_of_a_push_cost_next_to_nothing(playing: Stage) -> None:
    shop = make_shop(playing, STRONG)
    ci = Ci(shop.repository)
    names = [f"job {number}" for number in range(50)]
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    for name in names:
        ci.finish(pull, name, "success")
    playing.settle()

    def asked() -> int:
        return playing.github.count("GET", "*") + playing.github.count("POST", "/graphql")

    pull.push("ben", {"src/db.py": "a = 2\n"})
    playing.settle()
    start = asked()
    for name in names[1:]:
        ci.finish(pull, name, "success")
    ci.finish(pull, names[0], "failure")
    playing.settle()
    assert asked() == start  # nothing was mended
    pull.push("ben", {"src/db.py": "a = 3\n"})
    for name in names:
        ci.finish(pull, name, "success")
    ci.finish_workflow(pull, "success")
    playing.settle()
    assert len(shop.bullets()) == 1
    # Looks at the push and at the job, the write, its check run, the index: no fifty of them. How
    # many exactly depends on what falls due together.
    assert asked() - start < 30
