"""What the guard reads of a text: its identifiers, numbers, negations, and what they govern.

Pure. It compares nothing; which cue keeps two texts apart is decided in the guard.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.lessons.reading import content, is_code_word, normal, tokens
from bot.lessons.words import (
    AFTER,
    BEFORE,
    NEGATING_CHARACTERS,
    NEGATIONS,
    NUMBER_WORDS,
    OPPOSITES,
    PIVOTS,
    TURNING_PREFIXES,
    UNITS,
)


@dataclass(frozen=True, slots=True)
class Cues:
    """What the guard reads of a text, case-folded.

    `code` are its identifiers, `plain` the words outside them with a space around each; `numbers`
    are written in digits (thousands without commas), `spelled` in words. `scopes` holds for each
    kind of pivot the content words that each occurrence governs, up to the end of the clause or the
    next pivot. `beyond` are the content words that are not of a path.
    """

    words: tuple[str, ...]
    plain: str
    code: tuple[str, ...]
    numbers: tuple[str, ...]
    spelled: tuple[str, ...]
    units: tuple[str, ...]
    negations: int
    before: int
    after: int
    content: frozenset[str]
    frame: frozenset[str]
    beyond: frozenset[str]
    scopes: Mapping[str, Sequence[frozenset[str]]]


_CODE = re.compile(
    r"""`+([^`]+)`+
      | "([^"\s]+)" | “([^”\s]+)” | (?<!\w)'([^'\s]+)'(?!\w)
      | (?<!\S)(--?\w[\w-]*) | (</?\w[^<>\s]*>)
      | ([<>=!]=+|&&|\|\||[<>≤≥≠])
      | (?P<word>[~@$.]*/?\w+(?:(?:::|->|[./\\-])\w+)*(?:\(\))?)""",
    re.VERBOSE,
)
_ABBREVIATIONS = frozenset({"e.g", "i.e"})
_NUMBER = re.compile(r"(?:(?<!\S)-)?\d+(?:[.:]\d+|,\d{3})*")
_UNIT = re.compile(r"\d[\s-]?([^\W\d_]+|%)")
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_WORD_OR_CLAUSE_END = re.compile(rf"{WORD.pattern}|[,;:.!?](?=\s|$)|[()—–]")
_TURNED = re.compile(rf"^(?:{'|'.join(TURNING_PREFIXES)})(?=\w{{4}})")
_PIVOTS = PIVOTS | BEFORE | AFTER
_NO_FRAME = (
    tokens(" ".join(NEGATIONS))
    | NUMBER_WORDS.keys()
    | UNITS.keys()
    | {word for pair in OPPOSITES for word in pair}
)


@functools.lru_cache(maxsize=512)
def cues(text: str) -> Cues:
    text = normal(text)
    folded = text.casefold()
    code, plain = _code_and_plain(text)
    words = tuple(WORD.findall(folded))
    said = tokens(text)
    framing = said - _NO_FRAME - tokens(" ".join(code))
    return Cues(
        words=words,
        plain=plain,
        code=code,
        numbers=tuple(number.replace(",", "") for number in _NUMBER.findall(text)),
        spelled=tuple(NUMBER_WORDS[w] for w in words if w in NUMBER_WORDS),
        units=tuple(UNITS[u] for u in _UNIT.findall(folded) if u in UNITS),
        negations=sum(map(_negates, words)) + sum(c in NEGATING_CHARACTERS for c in folded),
        before=_count(BEFORE, words, folded),
        after=_count(AFTER, words, folded),
        content=content(said),
        beyond=content(said - tokens(" ".join(name for name in code if "/" in name))),
        frame=content(_TURNED.sub("", w) for w in framing if not _NUMBER.search(w)),
        scopes=_scopes(folded),
    )


def _code_and_plain(text: str) -> tuple[tuple[str, ...], str]:
    code: list[str] = []
    plain: list[str] = []
    for match in _CODE.finditer(text):
        found = next(filter(None, match.groups()))
        folded = " ".join(found.casefold().split()).removesuffix("()")
        if match["word"] and not _names(found):
            plain += WORD.findall(folded)
        else:
            code.append(folded)
            plain.append("|")
    return tuple(code), f" {' '.join(plain)} "


def _names(word: str) -> bool:
    """Whether a bare word is an identifier: by its shape, `f()`, `$x`, `@x`, or all capitals."""
    if word.endswith("()") or word[0] in "~@$":
        return True
    if len(word) > 1 and word.isupper():
        return word.casefold() not in NEGATIONS
    return is_code_word(word) and word.casefold() not in _ABBREVIATIONS


def _negates(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")


def _count(side: frozenset[str], words: Sequence[str], folded: str) -> int:
    spaceless = sum(folded.count(mark) for mark in side if not mark.isascii() and len(mark) == 1)
    return sum(word in side for word in words) + spaceless


def _scopes(folded: str) -> Mapping[str, Sequence[frozenset[str]]]:
    scopes: dict[str, list[set[str]]] = {}
    governed: set[str] = set()
    for word in _WORD_OR_CLAUSE_END.findall(folded):
        pivot = "not" if _negates(word) else word
        if pivot == "not" or pivot in _PIVOTS:
            governed = set()
            scopes.setdefault(pivot, []).append(governed)
        elif not word[0].isalnum():
            governed = set()
        else:
            governed |= content((word,))
    return {pivot: tuple(map(frozenset, found)) for pivot, found in scopes.items()}
