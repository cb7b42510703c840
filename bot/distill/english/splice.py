"""Sentences that only a comma joins: "the cursor is never closed, use `with`"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from bot.distill.clauses import upper_first
from bot.distill.english.clause import main_clause
from bot.distill.english.given import given
from bot.distill.english.named import has_clause
from bot.distill.english.order import is_order_text
from bot.distill.english.phrase import AUXILIARIES, is_many, is_plural, is_thing, phrase, plain
from bot.distill.lexicon import words
from bot.distill.verbs import BASES, from_third

_JOINT = re.compile(
    r",\s+(?:(?:please|at least|just|simply)\s+)?"
    r"|(?<!,)\s+so (?!that\b)(?=(?:\S+ ){1,6}(?:should|must|needs?|ha(?:s|ve) to)\s)"
)
_SUBORDINATE = words("phrases", "subordinators")
#: "says that when X, Y", "but because X, Y": the comma ends a circumstance.
_FRONTED = re.compile(
    r"(?:,|\b(?:that|but|and|so|or|because|where|which))\s+"
    r"(?:when|whenever|if|because|since|while|although|after|before|once|as|for|in|on|with|without)\s"
)
_WHO = frozenset(["it", "they", "this", "that", "we", "you", "there"])
_CONTRACTED = re.compile(rf"(?:{'|'.join(_WHO)})['’](?:s|re|d|ll|ve)")
#: Behind a comma a verb without a subject may go on: "to read it, check it and drop it".
_BARE_VERB = re.compile(
    r"(?:\b(?:to|should|must|can|could|will|would|may|might|lets?|not)|n[’']t)\s+"
    r"(?:(?:\w+ly|all|both|each|also|then|still)\s+)?(\w+)"
)
_LISTS = re.compile(r"\b(?:and|or|then)(?:,[^,]*)?$")
_LISTED = re.compile(r"\b(?:and|or|then)\s+(\w+)(?:\s+(\w+))?")


def unspliced(sentence: str) -> list[str]:
    """The sentences of a masked one, each of which tells or orders something by itself."""
    cuts = list(_cuts(sentence))
    if not cuts:
        return [sentence]
    edges = [0, *(edge for cut in cuts for edge in cut), len(sentence)]
    parts = [sentence[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return [upper_first(part.strip()) for part in parts]


def told_behind(order: str) -> int:
    """Where an order ends behind which a comma joins why: at the comma; -1 where none does."""
    for joint in _JOINT.finditer(order):
        left, right = order[: joint.start()], order[joint.end() :]
        if joint[0].strip() == "," and _is_closed(left) and _tells(right):
            return joint.start()
    return -1


def _cuts(sentence: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for joint in _JOINT.finditer(sentence):
        left, right = sentence[begin : joint.start()], sentence[joint.end() :]
        ordered = is_order_text(right) and not _goes_on(left, right)
        if not _is_closed(left) or not (_is_statement(left) or (ordered and _forbids(left))):
            continue
        if ordered or _tells(right):
            yield joint.start(), joint.end()
            begin = joint.end()


def _is_closed(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count('"') % 2 == 0


def _is_statement(text: str) -> bool:
    spoken = [plain(word) for word in text.split()]
    if len(spoken) < 3 or spoken[0] in _SUBORDINATE or _FRONTED.search(text):
        return False
    if is_order_text(text) or given(text):
        return False
    if _CONTRACTED.fullmatch(spoken[0]) or (spoken[0] in _WHO and from_third(spoken[1])):
        return True
    told = has_clause(text) or main_clause(text) is not None
    return told or bool(AUXILIARIES.intersection(spoken[1:]))


def _forbids(text: str) -> bool:
    """Whether an order says what not to do: behind it stands what to do instead."""
    return bool(given(text) and re.search(r"\b(?:not|never)\s|n['’]t\s", text))


def _tells(text: str) -> bool:
    """Whether a clause with a subject of its own begins here."""
    spoken = [plain(word) for word in text.split()]
    if len(spoken) < 3:
        return False
    if _CONTRACTED.fullmatch(spoken[0]):
        return True
    if spoken[0] in _WHO:
        return spoken[1] in AUXILIARIES or bool(from_third(spoken[1])) or spoken[0] in ("we", "you")
    clause = main_clause(text)
    if is_thing(spoken[0]):
        return clause is not None or _does(spoken[1:5])
    who, _ = phrase(text.split())
    return clause is not None and clause.subject == who and is_plural(who) is True


def _does(spoken: list[str]) -> bool:
    """ "deploys roll"."""
    return any(is_many(who) and verb in BASES for who, verb in pairwise(spoken))


def _goes_on(left: str, right: str) -> bool:
    """Whether the verb that begins `right` is one of those that `left` lists."""
    spoken = [plain(word) for word in left.split()]
    bare = any(match[1] in BASES for match in _BARE_VERB.finditer(left))
    return (bare or _does(spoken)) and (
        bool(_LISTS.search(left))
        or any(BASES.intersection(match.groups()) for match in _LISTED.finditer(right))
    )
