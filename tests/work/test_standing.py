"""A lesson recurs, stands, is shown, is violated, falls: on the real server."""

from __future__ import annotations

from bot.sandbox.pull_request import SandboxPullRequest
from tests.work.conftest import Shop

# Whoever repeats what was shown to the letter gives no evidence: each says it anew.
SAID = (
    "Close the database session in a `finally` block in `src/db.py` whenever a query may raise.",
    "Close every database session in a `finally` block of `src/db.py`, since any query may raise.",
    "Close the session of the database in a `finally` block of `src/db.py`: a query may raise.",
    "Close each database session in the `finally` block of its query in `src/db.py`: it may raise.",
    "Use a `finally` block in `src/db.py` to close the database session, as a query may raise.",
)


def ask(shop: Shop, number: int, *, fix: bool = True) -> SandboxPullRequest:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": f"a = {number}\n"})
    pull.review("ada", "changes_requested", SAID[number % len(SAID)])
    shop.stage.settle()
    shop.pass_time(minutes=5)
    if fix:
        pull.push("ben", {"src/db.py": f"b = {number}\n"})
        pull.merge("cleo")
        shop.stage.settle()
    shop.pass_time(days=1)
    return pull


def standing(shop: Shop) -> list[str]:
    tip = shop.repository.tip()
    listed = shop.repository.bare._git("ls-tree", "-r", "--name-only", tip)  # noqa: SLF001
    return [p for p in listed.splitlines() if p.startswith(".agent-corp/standing/")]


def events(shop: Shop) -> str:
    tip = shop.repository.tip()
    listed = shop.repository.bare._git("ls-tree", "-r", "--name-only", tip)  # noqa: SLF001
    paths = [p for p in listed.splitlines() if p.startswith(".agent-corp/events/")]
    return "".join(shop.file(path) for path in paths)


def test_a_recurring_lesson_stands_is_shown_and_falls_when_it_is_not_heeded(shop: Shop) -> None:
    for number in (1, 2, 3):
        ask(shop, number)
    (path,) = standing(shop)
    assert shop.subjects()[-1] == "chore(lessons): 1 refreshed, 1 promoted from #3"
    assert shop.bullets() == []
    lesson = path.rsplit("/", 1)[-1][:8]
    assert f"<!-- {lesson} -->" in shop.file(".agent-corp/known-pitfalls.md")

    ask(shop, 4, fix=False)
    assert '"verdict": "violated"' in events(shop)
    assert standing(shop) == [path]
    ask(shop, 5, fix=False)
    assert standing(shop) == [f".agent-corp/standing/.revoked/{lesson}"]
    assert "1 demoted" in shop.subjects()[-1]
    assert len(shop.bullets()) == 1


def test_a_merge_that_touches_the_file_without_the_finding_follows_the_lesson(shop: Shop) -> None:
    for number in (1, 2, 3):
        ask(shop, number)
    calm = shop.repository.open_pull_request("ben", {"src/db.py": "c = 1\n"})
    calm.review("ada", "commented", "Never commit a generated file beside its source again.")
    calm.merge("cleo")
    shop.stage.settle()
    ask(shop, 9, fix=False)  # rows that nobody reads travel with the next commit
    assert '"verdict": "followed"' in events(shop)
