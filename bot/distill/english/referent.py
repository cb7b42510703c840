"""What an "it" of an order stands for, in what was said before it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bot.distill.clauses import lower_first
from bot.distill.english.clause import done_to, main_clause, verbs_beside
from bot.distill.english.phrase import is_plural, phrase
from bot.distill.english.statement import BEFORE_MAIN
from bot.distill.lexicon import words

_ABOUT_THE_WHOLE = words("verbs", "of the whole")
_ABOUT_EITHER = words("verbs", "of one or the other")
_JOINED = re.compile(r",\s+(?:but|and|yet|however)\s+")
_POINTS = re.compile(r"(?:it|them|this|that|these|those|one)\b", re.IGNORECASE)


def referents(order: str, pronoun: str, said: Iterable[str]) -> Iterator[str]:
    """The noun phrases that the `pronoun` of `order` may stand for in `said`, the likeliest first.

    Who closes or checks it means what the clause before is about: its object, where it has one.
    Who renames or splits it means its subject. Where a sentence leaves that open, nothing.
    """
    verb = order.split(" ", 1)[0].lower()
    for sentence in said:
        first, *more = _JOINED.split(BEFORE_MAIN.sub(r"\1", sentence))
        clause = main_clause(first)
        if clause is None:
            continue
        if pronoun and any(map(main_clause, more)):
            return
        what = done_to(clause)
        if what is None or _POINTS.match(what) or verb in verbs_beside(clause):
            return
        who, _ = phrase(clause.subject.split())
        agreeing = [found for found in (what, who) if found and _agrees(found, pronoun)]
        if verb in _ABOUT_EITHER and len(agreeing) > 1:
            return
        for found in agreeing:
            if found != what or verb not in _ABOUT_THE_WHOLE:
                yield re.sub(r"^(?:an?|its)\b", "the", lower_first(found))


def _agrees(noun: str, pronoun: str) -> bool:
    plural = is_plural(noun)
    if pronoun.lower() in ("they", "them", "these", "those"):
        return plural is True
    return not pronoun or plural is not True
