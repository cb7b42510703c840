"""What an "it" of an order stands for, in what was said before it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bot.distill.clauses import lower_first
from bot.distill.english.clause import done_to, main_clause, verbs_beside
from bot.distill.english.phrase import is_plural, phrase, plain
from bot.distill.english.statement import BEFORE_MAIN
from bot.distill.lexicon import words

_ABOUT_THE_WHOLE = words("verbs", "of the whole")
_ABOUT_EITHER = words("verbs", "of one or the other")
_JOINED = re.compile(r",\s+(?:but|and|yet|however)\s+")
#: "We log X" is about X alone.
_PEOPLE = re.compile(r"(?:we|you) (?=[a-z]+ )", re.IGNORECASE)
_POINTS = re.compile(r"(?:\w+thing|it|them|this|that|these|those|one)\b", re.IGNORECASE)


def referents(order: str, pronoun: str, said: Iterable[str]) -> Iterator[str]:
    """The noun phrases that the `pronoun` of `order` may stand for in `said`, the likeliest first.

    Who closes or checks it means what the clause before is about: its object, where it has one.
    Who renames or splits it means its subject. Where a sentence leaves that open, nothing.
    """
    verb = order.split(" ", 1)[0].lower()
    for sentence in said:
        first, *more = _JOINED.split(BEFORE_MAIN.sub(r"\1", sentence))
        people = _PEOPLE.match(first)
        clause = main_clause(f"Callers {first[people.end() :]}" if people else first)
        if clause is None:
            continue
        if pronoun and any(map(main_clause, more)):
            return
        what = done_to(clause)
        if pronoun and plain(clause.rest[-1]) == pronoun.lower():
            continue  # what that one stands for, this one does
        if what is None or _POINTS.match(what) or verb in verbs_beside(clause):
            return
        who = "" if people else phrase(clause.subject.split())[0]
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
