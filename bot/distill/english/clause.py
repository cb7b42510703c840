"""The main clause of a sentence: whose its verb is, and what that is done to.

Clauses and participles that hang on a noun are passed over: in "a query that raises leaks the
session" the query leaks. Where a word may be a noun or a verb and both would do, there is no
answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.distill.english.phrase import (
    AUXILIARIES,
    BE,
    DETERMINERS,
    HAVE,
    is_adverb,
    is_many,
    is_open,
    is_plural,
    is_thing,
    phrase,
    plain,
)
from bot.distill.lexicon import words
from bot.distill.verbs import BASES, from_gerund, from_participle, from_third, is_doubtful

_RELATIVE = words("phrases", "relative pronouns")
_PREPOSITIONS = words("phrases", "prepositions")
_ADJUNCTS = words("phrases", "adjuncts")
_CLAUSE_STARTS = _ADJUNCTS - _PREPOSITIONS - _RELATIVE
_PARTICLES = words("phrases", "particles")
_NAMING = frozenset(["name", "call"])  # "a function called `run`"
#: "access checks are": before one of these what looks like a verb is a noun.
_AFTER_NOUN = AUXILIARIES | _RELATIVE | {"of", "and", "or", "using"}
_LEAVING = words("phrases", "verbs of leaving")
_CAUSING = frozenset(["let", "make", "help", "cause", "allow", "force"])
_PEOPLE = frozenset(["we", "you", "they", "i", "people"])
_NO_SUBJECT = words("phrases", "no subject")
#: Nobody writes a longer clause.
_LONGEST = 80  # words


@dataclass(frozen=True, slots=True)
class Clause:
    """`subject`: all that belongs to it; `verb`: where its verb begins in the sentence, adverbs
    included; `rest`: the words from there on."""

    subject: str
    verb: int
    rest: tuple[str, ...]


def main_clause(sentence: str) -> Clause | None:
    """The first main clause, where its verb can be told."""
    found = tuple(re.finditer(r"\S+", sentence))[:_LONGEST]
    text = tuple(match[0] for match in found)
    spoken = [plain(word) for word in text]
    if not found or spoken[0] in _NO_SUBJECT:
        return None
    who, _ = phrase(text)
    many = bool(who) and is_plural(who) is True
    hanging, at, end = 0, 0, 0
    while at < len(found):
        word = spoken[at]
        if at and word in _RELATIVE:
            hanging += 1
        elif at and _is_finite(spoken, at, many=many, hanging=hanging > 0):
            if not hanging:
                return Clause(sentence[: found[end - 1].end()], found[end].start(), text[end:])
            hanging -= 1
            at = _behind_auxiliaries(spoken, at)
        if text[at].endswith(",") and spoken[at + 1 : at + 2] and spoken[at + 1] in _RELATIVE:
            at = _behind_aside(text, at + 1)
        elif not is_open(text[at]) or word in _CLAUSE_STARTS:
            return None
        end = end if end and is_adverb(word) else at + 1
        at += 1
    return None


def done_to(clause: Clause) -> str | None:
    """What the verb is done to; "" where it is done to nothing, None where that cannot be told."""
    spoken = [plain(word) for word in clause.rest]
    at = _behind_adverbs(spoken, 0)
    verb = spoken[at]
    if verb in AUXILIARIES:
        at = _behind_adverbs(spoken, at + 1)
        if at >= len(spoken) or spoken[at] in DETERMINERS:
            return None  # "is the one that": what is what?
        if spoken[at] in BE:
            return ""
        if verb in BE:
            return _object(clause.rest, spoken, at + 1) if from_gerund(spoken[at]) else ""
        if verb in HAVE and not from_participle(spoken[at]):
            return None
    if {from_third(spoken[at]), spoken[at]} & _CAUSING:
        return None  # "lets a user escape"
    if {from_third(spoken[at]), spoken[at]} & _LEAVING and len(_noun(clause.rest, at + 1)) > 2:
        return None  # "leaves the spinner visible"
    if spoken[at + 1 : at + 2] == ["to"] and BASES.intersection(spoken[at + 2 : at + 3]):
        at += 2  # "fails to close"
    return _object(clause.rest, spoken, at + 1)


def verbs_beside(clause: Clause) -> set[str]:
    """The bases of the verbs, and of what looks like one, beside the main verb."""
    rest = [plain(word) for word in clause.rest]
    main = _behind_auxiliaries(rest, _behind_adverbs(rest, 0))
    beside = [plain(word) for word in clause.subject.split()] + rest[main + 1 :]
    return {from_third(word) or from_participle(word) or word for word in beside}


def _noun(text: tuple[str, ...], at: int) -> list[str]:
    return phrase(text[at:])[0].split()


def _object(text: tuple[str, ...], spoken: list[str], at: int) -> str | None:
    at = _behind_adverbs(spoken, at)
    if at < len(text) and spoken[at] in _PARTICLES and is_thing("".join(spoken[at + 1 : at + 2])):
        at += spoken[at] != "in"
    if at >= len(text) or not is_open(text[at - 1]) or spoken[at] in _ADJUNCTS:
        return ""
    what, length = phrase(text[at:])
    if not what or spoken[at] == "no":
        return None
    after = at + length
    if spoken[after : after + 1] in (["and"], ["or"]) and is_open(text[after - 1]):
        more, longer = phrase(text[after + 1 :])
        if not more or not is_thing(spoken[after + 1]):
            return None  # "leaks the session and keeps the lock"
        what, after = f"{what} {spoken[after]} {more}", after + 1 + longer
    second = after < len(text) and text[after - 1].endswith(",") and spoken[after] in ("and", "but")
    return None if second else what


def _is_finite(spoken: list[str], at: int, *, many: bool, hanging: bool) -> bool:
    """Whether a finite verb begins here; `many` when the subject of the sentence is in the plural,
    `hanging` inside a clause that hangs on it."""
    if _is_present(spoken, at, many=many, hanging=hanging):
        return True
    base, following = from_participle(spoken[at]), "".join(spoken[at + 1 : at + 2])
    if not base or following == "by" or _is_held(spoken, at):
        return False
    if hanging:
        return True
    later = range(at + 1, len(spoken))
    return (
        is_thing(following)
        and base not in _NAMING
        and not any(_is_present(spoken, place, many=many, hanging=False) for place in later)
    )


def _is_present(spoken: list[str], at: int, *, many: bool, hanging: bool) -> bool:
    word, before = spoken[at], spoken[at - 1]
    following = "".join(spoken[at + 1 : at + 2])
    if word in AUXILIARIES:
        return True
    if _is_held(spoken, at):
        return False
    if from_third(word):
        return hanging or following not in _AFTER_NOUN
    opens = before in _RELATIVE
    plural = is_many(before) or before in _PEOPLE if hanging and not opens else many
    if word in BASES and plural:
        return opens or not is_doubtful(word) or is_thing(following)
    return False


def _is_held(spoken: list[str], at: int) -> bool:
    """Whether the word before shows a noun: "the checks", "of requests", "the user's requests"."""
    before = spoken[at - 1]
    if before in _RELATIVE:
        return False
    return before in DETERMINERS or before in _PREPOSITIONS or before.endswith(("'s", "’s"))


def _behind_aside(text: tuple[str, ...], at: int) -> int:
    """The last word of ", which has no limit,": what is said by the way."""
    return next((end for end in range(at, len(text)) if text[end].endswith(",")), len(text) - 1)


def _behind_auxiliaries(spoken: list[str], at: int) -> int:
    """The last word of the verb that begins at `at`: "was never retried"."""
    if spoken[at] not in AUXILIARIES:
        return at
    end = _behind_adverbs(spoken, at + 1)
    while end < len(spoken) and spoken[end] in AUXILIARIES:
        end = _behind_adverbs(spoken, end + 1)
    verb = end < len(spoken) and (from_participle(spoken[end]) or spoken[end] in BASES)
    return end if verb else end - 1


def _behind_adverbs(spoken: list[str], at: int) -> int:
    while at < len(spoken) and is_adverb(spoken[at]):
        at += 1
    return at
