"""The weekly digest of an owner: where it stands, who takes part, and when it says nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from bot.demo.stage import Stage
from bot.digest_text import KEY
from bot.lessons import event_files
from bot.lessons.rows import WriteRow
from bot.reports.digest import WEEK
from bot.sandbox.repository import SandboxRepository
from bot.telegram import Bot, Message
from bot.work.digesting import BEGUN, LEASE
from tests.fakes.telegram import TOKEN, Telegram, telegram

CHAT = -100555
ISSUE, CHATTED = "digest: issue\n", f"digest: telegram\ntelegram: {{chat: {CHAT}}}\n"
_OWNERS = itertools.count(1)


@pytest.fixture(scope="module")
def there() -> Iterator[Telegram]:
    with telegram() as fake:
        fake.chats.add(CHAT)
        yield fake


@pytest.fixture
def owner() -> str:
    return f"owner-{next(_OWNERS)}"


def store(
    playing: Stage, name: str, settings: str, *, appended: int = 2, private: bool = False
) -> SandboxRepository:
    """A repository in whose store so much was appended yesterday; the App has heard of it."""
    at = (playing.clock() - timedelta(days=1)).replace(microsecond=0)
    row = WriteRow(at=at, counts={"appended": appended}, prs=(1,), active=appended)
    files = {path: data.decode() for path, data in event_files.add({}, [row]).items()}
    made = playing.forge.create_repository(name, private=private)
    made.commit("ada", {".github/lessonkeeper.yml": settings, **files})
    playing.settle()
    return made


def issues(repository: SandboxRepository) -> list[str]:
    return [each.body for each in repository.issues.values()]


def comments(playing: Stage, repository: SandboxRepository) -> list[str]:
    return [each.body for each in repository.comments.values()]


def look(playing: Stage, days: int) -> None:
    """As the daily round does, so many days later."""
    playing.clock.move(timedelta(days=days, minutes=1))
    playing.server.digesting.look()


def kill(playing: Stage, owner: str) -> None:
    """What the last look told was told, and it was ended before it could note that."""
    rounds, begun = playing.server.digesting.rounds, playing.clock()
    rounds.done(f"{KEY}:{owner}", begun - WEEK + LEASE)
    rounds.done(f"{BEGUN}:{owner}", begun)


def test_one_issue_tells_of_all_stores_of_the_owner_that_take_part(
    playing: Stage, owner: str
) -> None:
    first = store(playing, f"{owner}/shop", ISSUE, appended=2)
    other = store(playing, f"{owner}/till", ISSUE, appended=3)
    silent = store(playing, f"{owner}/quiet", "version: 1\n", appended=50)
    playing.clock.move(timedelta(days=1))
    playing.server.round()
    (body,) = issues(first)
    assert issues(other) == issues(silent) == []
    assert ", 2 repositories. What changed most:" in body
    assert "| lessons appended | 5 | 0 |" in body
    assert f"--repo {first.forge.clone_url(first)}" in body


def test_the_next_week_is_a_comment_and_stands_in_the_same_issue(
    playing: Stage, owner: str
) -> None:
    shop = store(playing, f"{owner}/shop", ISSUE)
    look(playing, days=1)
    (before,) = issues(shop)
    look(playing, days=1)
    assert issues(shop) == [before]  # the week is not over
    assert comments(playing, shop) == []
    look(playing, days=7)
    (after,) = issues(shop)
    assert after != before
    (said,) = comments(playing, shop)
    assert "| lessons appended | 0 | 2 |" in said


def test_who_closed_the_issue_hears_no_more(playing: Stage, owner: str) -> None:
    shop = store(playing, f"{owner}/shop", ISSUE)
    look(playing, days=1)
    before = issues(shop)
    shop.close_issue(1, "ada")
    look(playing, days=7)
    assert issues(shop) == before
    assert comments(playing, shop) == []


def test_nothing_is_said_of_two_weeks_in_which_nothing_happened(playing: Stage, owner: str) -> None:
    shop = store(playing, f"{owner}/shop", ISSUE)
    look(playing, days=1)
    look(playing, days=7)
    look(playing, days=7)
    assert len(comments(playing, shop)) == 1


def test_what_a_private_repository_holds_is_told_in_a_private_one(
    playing: Stage, owner: str
) -> None:
    public = store(playing, f"{owner}/shop", ISSUE)
    private = store(playing, f"{owner}/vault", ISSUE, private=True)
    look(playing, days=1)
    assert issues(public) == []
    assert len(issues(private)) == 1


def test_a_chat_gets_one_message_and_no_issue(playing: Stage, there: Telegram, owner: str) -> None:
    shop = store(playing, f"{owner}/shop", CHATTED, appended=4)
    look(playing, days=1)
    assert issues(shop) == []
    (message,) = there.in_chat(CHAT)
    assert message.texts[0].startswith(f"Lessonkeeper, {owner}. ")
    assert "lessons appended: 4 (the week before: 0)" in message.texts[0]
    kill(playing, owner)
    look(playing, days=1)
    assert len(there.in_chat(CHAT)) == 1


class Killed(BaseException):
    """No handler of ours stops it, as none runs in a process that is killed."""


@dataclass
class Cut(Bot):
    """Its process ends at the sending of a message, before that or when it is there already."""

    there: Telegram
    comes: bool

    def __post_init__(self) -> None:
        super().__init__(TOKEN, self.there.url)

    def send_message(self, chat: int, message: Message, reply_to: int | None = None) -> int:
        if self.comes:
            super().send_message(chat, message, reply_to)
        raise Killed


@pytest.mark.parametrize("comes", [True, False])
def test_a_chat_hears_of_a_week_once_at_most_wherever_its_telling_is_cut_off(
    playing: Stage, there: Telegram, owner: str, comes: bool
) -> None:
    def heard() -> int:
        return sum(f", {owner}. " in each.text for each in there.in_chat(CHAT))

    store(playing, f"{owner}/shop", CHATTED)
    playing.clock.move(timedelta(days=1, minutes=1))
    with pytest.raises(Killed):
        replace(playing.server.digesting, bot=Cut(there, comes)).look()
    look(playing, days=1)
    assert heard() == comes
    assert playing.server.digesting.rounds.last(f"{BEGUN}:{owner}") is None
    look(playing, days=7)
    assert heard() == comes + 1, "the next week comes as ever"


def test_what_the_forge_fails_at_is_told_at_the_next_look(playing: Stage, owner: str) -> None:
    shop = store(playing, f"{owner}/shop", ISSUE)
    playing.github.fail_next("POST", f"/repos/{owner}/shop/issues", 502)
    look(playing, days=1)
    assert issues(shop) == []
    look(playing, days=1)
    assert len(issues(shop)) == 1


@pytest.mark.parametrize("weeks", [0, 1])
def test_a_week_is_told_once_though_nobody_could_note_that_it_was(
    playing: Stage, owner: str, weeks: int
) -> None:
    shop = store(playing, f"{owner}/shop", ISSUE)
    for week in range(weeks + 1):
        look(playing, days=7 if week else 1)
    told, rounds = issues(shop), playing.server.digesting.rounds
    assert len(comments(playing, shop)) == weeks
    kill(playing, owner)
    look(playing, days=1)
    assert (issues(shop), len(comments(playing, shop))) == (told, weeks)
    assert rounds.last(f"{BEGUN}:{owner}") is None
    look(playing, days=7)
    assert len(comments(playing, shop)) == 1, "the next week comes as ever, if anything happened"


def test_what_was_cut_off_before_it_began_is_told_at_a_later_look(
    playing: Stage, owner: str
) -> None:
    shop = store(playing, f"{owner}/shop", ISSUE)
    playing.clock.move(timedelta(days=1, minutes=1))
    rounds, now = playing.server.digesting.rounds, playing.clock()
    assert rounds.begin(f"{KEY}:{owner}", WEEK, now, LEASE)  # and then it was killed
    playing.server.digesting.look()
    assert issues(shop) == []
    look(playing, days=1)
    (body,) = issues(shop)
    assert "| lessons appended | 2 | 0 |" in body


def test_where_issues_are_turned_off_the_next_repository_has_it(playing: Stage, owner: str) -> None:
    first = store(playing, f"{owner}/shop", ISSUE)
    other = store(playing, f"{owner}/till", ISSUE)
    playing.github.fail_next("GET", f"/repos/{owner}/shop/issues", 410)
    look(playing, days=1)
    assert issues(first) == []
    assert len(issues(other)) == 1
