"""Orders that do not read: a second clause in the middle of the first, a verb behind "avoid"."""

from __future__ import annotations

import re

from bot.distill.english.order import is_order_text
from bot.distill.english.phrase import AUXILIARIES, DETERMINERS, is_thing, plain
from bot.distill.lexicon import words
from bot.distill.verbs import BASES, from_gerund, is_doubtful

_NO_THING = frozenset(["not", "never", "is", "are", "that", "pls", "please"])
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_END = re.compile(r": |; | [–—-] ")
#: Behind one of these a clause may begin.
_OPENS_CLAUSE = words("phrases", "clause openers")
_BEFORE_GERUND = frozenset(["after", "before", "while", "and", "or"])
#: These take a clause without an opener: "make sure the file is closed".
_TAKES_CLAUSE = re.compile(
    r"(?:make sure|remember|ensure|check|verify|confirm|assert|note|document|see|say|assume|show"
    r"|guarantee|test|prove|mean)\b",
    re.IGNORECASE,
)
_FINITE = {*AUXILIARIES, "=="} - {"have", "do", "be", "been", "don't", "don’t"}
_LETS = re.compile(r"(?:Do not let|Let|Make|Give|Remember that)\s+(?!sure\b)")
_PEOPLE = re.compile(
    r"(?:Prevent|Correct|Add|Remove|Use) (?:we|you|they|i|it|there)(?:['’]\w+)?\s", re.I
)
#: "Remember that the retry never stops, cap it": two remarks in one breath.
_SPLICED = re.compile(r"Remember that .+, (\w+) (?:it|them|this|that)$")
_AVOIDS = re.compile(r"Avoid\s+")


def is_broken(order: str) -> bool:
    """Whether an order (masked, its reason behind a colon) is one that no reader could follow.

    That is one with more finite verbs before its end than conjunctions lead in ("Give the migration
    isn't reversible a `downgrade`"), or with a bare verb behind "Avoid" or "Do not let".
    """
    action = _END.split(_BRACKETS.sub("", order.rstrip(".")), maxsplit=1)[0]
    opening = _AVOIDS.match(action) or _LETS.match(action)
    if opening and _is_bare(action[opening.end() :].split(), opening.re is _AVOIDS):
        return True
    if _PEOPLE.match(action):
        return True
    if (spliced := _SPLICED.match(action)) and spliced[1].lower() in BASES:
        return True
    return not _TAKES_CLAUSE.match(action) and _has_loose_clause(action)


def _is_bare(text: list[str], avoided: bool) -> bool:
    """Whether a verb or an aside begins where a thing should: "avoid close sessions", "let oh,"."""
    first, following = text[0].lower() if text else "", "".join(text[1:2])
    if (first.endswith(",") and first[:-1].isalpha()) or first in _NO_THING:
        return True
    if first not in BASES:
        return False
    if not avoided:
        return following in DETERMINERS
    return is_thing(following) or (is_doubtful(first) and is_order_text(" ".join(text)))


def _has_loose_clause(action: str) -> bool:
    led = 0
    spoken = [plain(word) for word in action.split()]
    for word, following in zip(spoken, [*spoken[1:], ""], strict=True):
        led += word in _OPENS_CLAUSE and not (word in _BEFORE_GERUND and from_gerund(following))
        led -= word in _FINITE
        if led < 0:
            return True
    return ", please " in action
