"""A year of pull requests of one repository, made from a seed, for `bot.bench.year` to replay.

Forty pitfalls that recur, ten each weekly, fortnightly, monthly and quarterly, in drifting words;
sixty that are said once, some of them in pairs nearly alike that are two lessons or opposites.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.channels.questions import Answer
from bot.lessons.guard import Apart, is_conflict
from bot.lessons.similarity import decide
from bot.settings import Settings

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
DAYS = 365
PULL_REQUESTS = 600
EVERY = {"weekly": 7, "fortnightly": 14, "monthly": 30, "quarterly": 91}
PER_KIND = 10
ONE_OFFS = 60
MERGED_OVER = 0.04  # of the pull requests with findings
DELETED_FILES = 12

# The two sides of a pair differ in this alone. The last two are opposites.
TWISTS = {
    Apart.NUMBERS: ("within 30 seconds", "within 90 seconds"),
    Apart.IDENTIFIERS: ("`keep_open`", "`close_early`"),
    Apart.NEGATION: ("always", "never"),
    Apart.BEFORE_AFTER: ("before", "after"),
}
ANSWERS = (None, Answer.A, Answer.B)  # to one pair of each; that of two lessons needs none
_FOLLOWS_WITHIN, _ANSWERED_AFTER = 10, 12  # days from the first side to the second, and from it
_WORK_GOES_ON = 28  # days from the first side, in the file that it names

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
_SMALL = ("the", "of", "in", "a", "to", "for", "with", "from", "by", "on", "each", "every", "any",
          "its", "when", "while", "as", "so", "that", "into", "under", "over", "within", "across",
          "until", "where", "whose", "per", "onto", "toward", "between", "against")  # fmt: skip
_WORDS = 9
_FORMS, _FAR = 4, 2  # wordings of a pitfall within the rule's reach, and beyond it


@dataclass(frozen=True, slots=True)
class Pitfall:
    """Something that reviewers come back to; `kind` says how often.

    `near` are its wordings that the rule joins with the first, `far` those that it does not.
    """

    number: int
    kind: str
    path: str
    near: tuple[str, ...]
    far: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pitfalls of one file, in one sentence but for what keeps them apart.

    `days` are those they are said on; `answered`, of opposites: the day and what a person says.
    """

    first: Pitfall
    second: Pitfall
    apart: Apart
    days: tuple[int, int]
    answered: tuple[int, Answer] | None

    @property
    def sides(self) -> tuple[str, str]:
        return self.first.near[0], self.second.near[0]

    @property
    def is_conflict(self) -> bool:
        return is_conflict(self.apart)


@dataclass(frozen=True, slots=True)
class Event:
    """A pull request, reviewed and then merged; `findings` are (pitfall, sentence)."""

    number: int
    at: datetime
    findings: tuple[tuple[int, str], ...]
    over: bool
    touches: tuple[str, ...]
    deletes: str | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """`pitfalls` by their number; the sides of `pairs` are among them."""

    pitfalls: tuple[Pitfall, ...]
    pairs: tuple[Pair, ...]
    events: tuple[Event, ...]


def generate(seed: int, *, beyond: float = 0.0) -> Stream:
    """The year of a seed; `beyond`: the share of rewordings out of the rule's reach."""
    dice = random.Random(seed)  # nosec B311: a simulation
    kinds = [kind for kind in EVERY for _ in range(PER_KIND)]
    pitfalls = [_pitfall(dice, number, kind) for number, kind in enumerate(kinds)]
    pairs = [
        _pair(dice, len(pitfalls) + 2 * at, apart, answer)
        for at, (apart, answer) in enumerate(itertools.product(TWISTS, ANSWERS))
    ]
    pitfalls += [side for pair in pairs for side in (pair.first, pair.second)]
    for number in range(len(pitfalls), len(EVERY) * PER_KIND + ONE_OFFS):
        pitfalls.append(_pitfall(dice, number, "once"))
    said_on = {
        side.number: day
        for p in pairs
        for side, day in zip((p.first, p.second), p.days, strict=True)
    }
    due: dict[int, list[tuple[int, str]]] = {}
    for each in pitfalls:
        days = [said_on[each.number]] if each.number in said_on else _days(dice, each.kind)
        for turn, day in enumerate(days):
            far = turn > 0 and dice.random() < beyond
            text = each.far[turn % _FAR] if far else each.near[turn % _FORMS]
            due.setdefault(day, []).append((each.number, text))
    return Stream(tuple(pitfalls), tuple(pairs), tuple(_pull_requests(dice, pitfalls, pairs, due)))


def _pitfall(dice: random.Random, number: int, kind: str) -> Pitfall:
    path = _path(dice, number)
    words = [_word(dice) for _ in range(_WORDS)]
    first = _sentence(dice, words, path)
    near = [first]
    while len(near) < _FORMS:
        drifted = [*words]
        drifted[dice.randrange(len(words))] = _word(dice)
        text = _sentence(dice, drifted, path)
        if decide(text, first, Settings().refresh).same:
            near.append(text)
    far: list[str] = []
    while len(far) < _FAR:
        text = _sentence(dice, [_word(dice) for _ in range(_WORDS)], path)
        if not decide(text, first, Settings().refresh).same:
            far.append(text)
    return Pitfall(number, kind, path, tuple(near), tuple(far))


def _pair(dice: random.Random, number: int, apart: Apart, answer: Answer | None) -> Pair:
    path = _path(dice, number)
    words = [_word(dice) for _ in range(_WORDS)]
    sentence = _sentence(dice, [*words[:6], "{}", *words[6:]], path)
    first, second = (
        Pitfall(number + side, "once", path, (sentence.format(twist),))
        for side, twist in enumerate(TWISTS[apart])
    )
    day = dice.randrange(DAYS - _WORK_GOES_ON)
    then = day + dice.randint(1, _FOLLOWS_WITHIN)
    answered = (then + _ANSWERED_AFTER, answer) if answer and is_conflict(apart) else None
    return Pair(first, second, apart, (day, then), answered)


def _path(dice: random.Random, number: int) -> str:
    folder = "".join(dice.choices(_SYLLABLES, k=2))
    return f"src/{folder}/{_word(dice)[:5]}{number}.py"


def _word(dice: random.Random) -> str:
    return "".join(dice.choices(_SYLLABLES, k=3)) + dice.choice("rnst")


def _sentence(dice: random.Random, words: Sequence[str], path: str) -> str:
    """The words in their order with small words between, and the path in its place."""
    parts: list[str] = []
    for at, word in enumerate(words):
        parts += [dice.choice(_SMALL)] if dice.random() < 0.5 else []
        parts.append(word)
        if at == 3:
            parts += ["in", f"`{path}`"]
    text = " ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _days(dice: random.Random, kind: str) -> list[int]:
    if kind == "once":
        return [dice.randrange(DAYS)]
    every = EVERY[kind]
    return [
        min(DAYS - 1, max(0, day + dice.choice((-1, 0, 0, 1))))
        for day in range(dice.randrange(every), DAYS, every)
    ]


def _pull_requests(
    dice: random.Random,
    pitfalls: Sequence[Pitfall],
    pairs: Sequence[Pair],
    due: Mapping[int, list[tuple[int, str]]],
) -> Iterator[Event]:
    paired = {side.number for pair in pairs for side in (pair.first, pair.second)}
    once = [p for p in pitfalls if p.kind == "once" and p.number not in paired]
    doomed = {p.path: dice.randrange(200, DAYS) for p in dice.sample(once, DELETED_FILES)}
    waiting: deque[tuple[int, str]] = deque()
    number = 0
    for day in range(DAYS):
        waiting.extend(due.get(day, ()))
        busy = {p.first.path for p in pairs if p.days[0] <= day < p.days[0] + _WORK_GOES_ON}
        while len(waiting) > 0 or number * DAYS < day * PULL_REQUESTS:
            number += 1
            findings: list[tuple[int, str]] = []
            while waiting and len(findings) < 2:
                findings.append(waiting.popleft())
            touches = busy | {pitfalls[n].path for n, _ in findings}
            touches |= {p.path for p in dice.sample(list(pitfalls), 2)}
            gone = next((p for p, on in doomed.items() if on == day), None)
            if gone is not None:
                del doomed[gone]
            alone = bool(findings) and paired.isdisjoint(n for n, _ in findings)
            yield Event(
                number=number,
                at=START + timedelta(days=day, minutes=(number * 7) % 500),
                findings=tuple(findings),
                over=alone and dice.random() < MERGED_OVER,
                touches=tuple(sorted(touches)),
                deletes=gone,
            )
