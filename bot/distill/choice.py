"""Which order of an English finding to keep: every order it gives or implies, with a score.

The weights order the sources by how often their orders stand alone: an imperative title, a
suggestion, an obligation, the opposite of a fault, the tool's own prompt. They are only compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from bot.distill import english
from bot.distill.clauses import CODE, lower_first
from bot.distill.english.referent import referents
from bot.distill.lexicon import any_of, pattern
from bot.distill.material import Material, subject

TITLE = -1
PROMPT = 100

_GIVEN_TITLE, _OBLIGING_TITLE, _FAULTY_TITLE, _NAMED_FAULT = 50.0, 46.0, 33.0, 26.0
_GIVEN, _OBLIGATION, _FAULT, _PROMPTED = 42.0, 40.0, 27.0, 18.0

_LEANING = pattern("leaning", "leaning", r"\b{}\b")
_EMPTY = re.compile(
    rf"^{any_of('leaning', 'empty verb')}(?: {any_of('leaning', 'empty object')})?"
    r"(?: (?:first|too|again))?$",
    re.IGNORECASE,
)
_PENALTIES: tuple[tuple[float, re.Pattern[str]], ...] = (
    (12, re.compile(r"\S+ (?:it|them|they|one)\b|.*(?<! uses)(?<! using) (?:it|them)$")),
    (18, re.compile(r".*\ba (?:more|better|different|dedicated)\b.*\b(?:approach|solution|way)\b")),
    (12, re.compile(r".*\bdo so\b")),
    (18, re.compile(r".*, \w+ (?:it|them)\b")),
    (2, re.compile(r".* if nothing uses it$")),
    (10, re.compile(r".*\bthe same\b")),
    (18, re.compile(r".*\belsewhere\b")),
    (4, re.compile(r".*\b(?:gracefully|properly|appropriately|more robust|somehow|better)\b")),
    (
        9,
        re.compile(
            r"(?i)(?:verify|check (?:if|that|whether)|confirm|review|document|note|rename)\b"
        ),
    ),
    (10, re.compile(r"(?i)(?:consider|decide|note|call out|ask)\b")),
    (9, re.compile(r"(?i)(?:update|add) (?:the|a) (?:comment|doc)")),
    (8, re.compile(r"(?i)(?:replace|revert|apply|run|search|look|try)\b")),
)
_PARTS = re.compile(
    r";\s+|\s[—–-]{1,2}\s|—|:\s+(?=[a-z\ue000-\uf8ff])"
    r"|,\s+(?:so|and|but|or|then)\s+|,\s+(?=(?:please|should|must|needs? to|has to)\b)"
)
_OBLIGES = re.compile(r"(?:should|must|needs to|has to)\b|(?:Should|Must|Needs to|Has to) be\b")
_PASSIVE = re.compile(r"(it|they) .*?\b(?:be|get) (?:\w+ly )?\w+(?:ed|en|n|t)\b", re.IGNORECASE)
_ASIDE = re.compile(r"(?:minor|positive change|nit)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """`source`: the index of its sentence, TITLE, or PROMPT and more; `sureness` as of an Order;
    `before`: what its sentence says before it."""

    text: str
    score: float
    source: int
    sureness: int
    before: str = ""


def is_empty(text: str) -> bool:
    """Whether the order says nothing: "fix this", "apply it too"."""
    return bool(_EMPTY.match(text))


def candidates(material: Material) -> list[Candidate]:
    """Best first; equal scores keep the order of the text."""
    found = [*_of_title(material), *_of_prose(material), *_of_prompt(material)]
    return sorted(found, key=lambda candidate: -candidate.score)


def _of_title(material: Material) -> Iterator[Candidate]:
    title = material.title
    if not title:
        return
    if order := english.order(title, subject(title)) or english.titled(title):
        yield _scored(order, _GIVEN_TITLE if order.sureness == 3 else _OBLIGING_TITLE, TITLE)
    elif order := english.opposite(title, subject(title), trusted=True):
        named = re.match(r"(?:Prevent|Correct)\b", order.text)
        yield _scored(order, _NAMED_FAULT if named else _FAULTY_TITLE, TITLE)


def _of_prose(material: Material) -> Iterator[Candidate]:
    about = subject(material.title)
    for index, sentence in enumerate(material.prose):
        for before, clause in _clauses(sentence):
            meant = subject(sentence) or about if before else about
            if not before and index and (passive := _PASSIVE.match(clause)):
                meant = _only(referents("", passive[1], [material.prose[index - 1]]), meant)
            clause = f"it {lower_first(clause)}" if meant and _OBLIGES.match(clause) else clause
            if not _ASIDE.match(clause) and (order := english.order(clause, meant)):
                base = _GIVEN if order.sureness == 3 else _OBLIGATION
                yield _scored(order, base - index * 0.6, index, before)
        # Behind the first sentence a negation alone may only describe.
        faulty = index == 0 or len(english.BAD.findall(sentence)) > 1
        faulty = faulty and not sentence.endswith(":")
        trusted = index == 0 and bool(material.title)
        fault = _before_order(sentence)
        if faulty and (order := english.opposite(fault, about, trusted=trusted)):
            yield _scored(order, _FAULT - index * 2, index)
        about = subject(sentence) or about


def _only(things: Iterator[str], about: str) -> str:
    """What "it should be closed" means: of two things that may be meant it is neither."""
    meant = next(things, about)
    return "" if next(things, None) else meant


def _before_order(sentence: str) -> str:
    """The fault of "X leaks Y; close it"."""
    for cut in _PARTS.finditer(sentence):
        if cut[0].strip() == ";" and english.order(sentence[cut.end() :]):
            return sentence[: cut.start()]
    return sentence


def _of_prompt(material: Material) -> Iterator[Candidate]:
    for index, sentence in enumerate(material.prompt):
        for _, clause in _clauses(sentence):
            if order := english.order(clause):
                yield _scored(order, _PROMPTED - index, PROMPT + index)


def _clauses(sentence: str) -> Iterator[tuple[str, str]]:
    """The sentence, and the parts of it that could stand alone, each behind what is before it."""
    yield "", sentence
    cuts = list(_PARTS.finditer(sentence))
    for cut, following in zip_longest(cuts, cuts[1:]):
        part = sentence[cut.end() : following.start() if following else len(sentence)]
        if len(part.split()) > 2:
            yield sentence[: cut.start()], part


def _scored(order: english.Order, base: float, source: int, before: str = "") -> Candidate:
    text = order.text
    words = len(text.split())
    score = base + 2.5 * min(3, len(set(re.findall(CODE, text))))
    score -= (6 if source == TITLE else 8 if re.search(CODE, text) else 14) * (
        words < 4 and not (words == 3 and text.endswith(" instead"))
    ) + 12 * (words > 34)
    score -= 16 * min(2, len(_LEANING.findall(text)))
    score -= 30 * is_empty(text)
    score -= sum(penalty for penalty, words_of in _PENALTIES if words_of.match(text))
    return Candidate(text, score, source, order.sureness, before)
