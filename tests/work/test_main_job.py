"""The main job, from a signed delivery to a pushed commit, on the real parts."""

from __future__ import annotations

from bot.demo.stage import Stage
from bot.sandbox.pull_request import Inline
from tests.work.conftest import Shop, make_shop

SESSION = Inline(
    "src/db.py",
    "A query that raises leaks the database session. "
    "Please close the session in a `finally` block in `src/db.py`.",
    3,
)
SESSION_AGAIN = Inline(
    "src/db.py",
    "A query that raises leaves the session open for ever. "
    "Close every database session in a `finally` block in `src/db.py`.",
    9,
)


def test_a_review_is_appended_and_the_same_pitfall_refreshed(shop: Shop) -> None:
    first = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    first.review("ada", "changes_requested", "", [SESSION])
    shop.stage.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]
    (bullet,) = shop.bullets()
    assert "`finally`" in bullet
    day = shop.today()
    assert f"(#1, {day}, changes_requested)" in bullet

    shop.pass_time(days=2)
    second = shop.repository.open_pull_request("ben", {"src/db.py": "b = 1\n"})
    second.review("cleo", "changes_requested", "", [SESSION_AGAIN])
    shop.stage.settle()
    assert shop.subjects()[-1] == "chore(lessons): 1 refreshed from #2"
    assert shop.bullets() == [bullet.replace(f"(#1, {day},", f"(#2, {shop.today()},")]


def test_the_commit_is_the_bots_and_names_its_source(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    review = pull.review("ada", "changes_requested", "", [SESSION])
    shop.stage.settle()
    commit = shop.repository.bare.commits(shop.repository.tip())[-1]
    assert commit.message.splitlines()[-1] == "skip-checks: true"
    assert f"Lesson-Source: review:{review}@" in commit.message
    assert shop.file(".agent-corp/known-pitfalls.md").count("`finally`") == 1


def test_repeated_deliveries_write_nothing_more(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    pull.review("ada", "changes_requested", "", [SESSION])
    waiting = shop.stage.forge.take_deliveries()
    for _ in range(2):
        shop.stage.send(waiting)
        shop.stage.settle()
    shop.stage.send(waiting, fresh=True)  # replayed under other GUIDs, which nobody signs
    shop.stage.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]


def test_a_merge_over_an_open_verdict_overrides(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    pull.review("ada", "changes_requested", "", [SESSION])
    shop.stage.settle()
    pull.merge("cleo")
    shop.stage.settle()
    assert shop.subjects()[-1] == "chore(lessons): 1 overridden from #1"
    assert f"; overridden {shop.today()}: #1)" in shop.bullets()[0]


def test_a_closed_pull_request_leaves_its_bullet_active(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    pull.review("ada", "changes_requested", "", [SESSION])
    pull.close("ben")
    shop.stage.settle()
    assert "overridden" not in shop.bullets()[0]


def test_a_resolved_thread_is_a_lesson_and_no_override(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    pull.review("ada", "changes_requested", "", [SESSION])
    pull.resolve_thread(next(iter(pull.comments)), "ben")
    pull.merge("cleo", "squash")
    shop.stage.settle()
    assert "overridden" not in shop.bullets()[0]


def test_a_dismissed_review_retires_its_bullet_whatever_came_first(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    review = pull.review("ada", "changes_requested", "", [SESSION])
    pull.dismiss_review(review, "cleo")
    shop.stage.send(reversed(shop.stage.forge.take_deliveries()))
    shop.stage.settle()
    assert f"; overridden {shop.today()}: #1)" in shop.bullets()[0]


def test_an_edited_review_replaces_its_bullet(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    review = pull.review("ada", "changes_requested", "Never call `eval()` on request input.")
    shop.stage.settle()
    pull.edit_review(review, "Pin every action in `.github/workflows` to a full commit hash.")
    shop.stage.settle()
    old, new = shop.bullets()
    assert "; overridden" in old
    assert "commit hash" in new


def test_a_draft_teaches_like_any_pull_request_and_once(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"README.md": "a\n"}, draft=True)
    pull.review("ada", "changes_requested", "", [SESSION])
    shop.stage.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]
    pull.ready_for_review("ben")
    shop.stage.settle()
    assert shop.subjects() == ["chore(lessons): 1 appended from #1"]


def test_a_deleted_file_makes_stale_and_a_renamed_one_is_followed(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"README.md": "a\n"})
    pull.review("ada", "changes_requested", "", [SESSION])
    shop.stage.settle()
    shop.repository.commit("ben", moves={"src/db.py": "src/core/db.py"})
    shop.stage.settle()
    assert "`src/core/db.py`" in shop.bullets()[0]
    shop.repository.commit("ben", {"src/core/db.py": None})
    shop.stage.settle()
    assert f"; stale {shop.today()}: src/core/db.py)" in shop.bullets()[0]
    assert shop.subjects()[-1] == "chore(lessons): 1 stale"


def test_a_bullet_expires_after_ninety_days(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"README.md": "a\n"})
    pull.review("ada", "changes_requested", "", [SESSION])
    shop.stage.settle()
    due = shop.today(days=90)
    shop.pass_time(days=90)
    shop.stage.server.housekeeping()
    shop.stage.settle()
    assert shop.subjects()[-1] == "chore(lessons): 1 expired"
    assert f"; expired {due})" in shop.bullets()[0]


def test_our_own_push_starts_nothing(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"README.md": "a\n"})
    pull.review("ada", "changes_requested", "", [SESSION])
    shop.stage.settle()
    path = f"/repos/{shop.repository.full_name}"
    before = shop.stage.github.count("GET", path)
    shop.stage.settle()
    assert shop.stage.github.count("GET", path) == before


def test_nothing_is_written_where_no_settings_are(playing: Stage) -> None:
    shop = make_shop(playing)
    shop.repository.commit("ben", {".github/lessonkeeper.yml": None})
    pull = shop.repository.open_pull_request("ben", {"README.md": "a\n"})
    pull.review("ada", "changes_requested", "", [SESSION])
    playing.settle()
    assert shop.subjects() == []


def test_a_verdict_takes_one_look_to_hear_it_and_one_to_write_it(shop: Shop) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    shop.stage.settle()
    repository = f"/repos/{shop.repository.full_name}"
    looks = shop.stage.github.count("GET", repository)
    pull.review("ada", "changes_requested", SESSION.body)
    shop.stage.settle()
    assert len(shop.bullets()) == 1
    assert shop.stage.github.count("GET", repository) == looks + 2
    assert shop.stage.github.count("POST", f"{repository}/check-runs") == 1


def test_many_reviews_at_once_become_few_commits(shop: Shop) -> None:
    topics = ("session", "cursor", "lock", "socket", "thread", "buffer")
    for number, topic in enumerate(topics):
        pull = shop.repository.open_pull_request("ben", {"README.md": f"{number}\n"})
        text = f"Never keep the {topic} of `src/{topic}.py` open while another {topic} is waiting."
        pull.review("ada", "changes_requested", text)
    shop.stage.settle()
    assert len(shop.bullets()) == len(topics)
    assert len(shop.subjects()) < len(topics)
