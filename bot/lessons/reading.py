"""A text as the refresh rule reads it: its words, its terms, its character 4-grams (SPEC 3.1, 3.3).

Pure. Every value can be made by hand from the text alone; this module compares nothing.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import snowballstemmer

from bot.lessons.words import STOP_WORDS

# Han with kana, Thai, Lao, Myanmar, Khmer: written without spaces between words.
_SPACELESS = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+)"
)
_JOINED = re.compile(r"\w+(?:(?:::|[./\\-])\w+)*")
_JOINT = re.compile(r"[_./\\]|::|->")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")


@dataclass(frozen=True, slots=True)
class Reading:
    """What two texts are compared by.

    `tokens` are those of the similarity; `terms` and `grams` those of the blend. A 4-gram weighs
    1 + ln count: `repeated` has the weights of those that occur more than once, the others weigh 1;
    `length` is that of the whole vector.
    """

    text: str
    tokens: frozenset[str]
    terms: frozenset[str]
    grams: frozenset[str]
    repeated: Mapping[str, float]
    length: float

    def cosine(self, other: Reading) -> float:
        """The cosine of the two vectors of 4-grams, 0 where one is empty."""
        common = self.grams & other.grams
        product = float(len(common))
        for gram in common & (self.repeated.keys() | other.repeated.keys()):
            product += self.repeated.get(gram, 1.0) * other.repeated.get(gram, 1.0) - 1.0
        return product / (self.length * other.length) if product else 0.0


@functools.lru_cache(maxsize=512)  # a dozen full stores, at most 20 MB
def reading(text: str) -> Reading:
    plain = normal(text)
    folded = plain.casefold()
    words = [f" {word} " for word in folded.split()]
    counts = Counter([w[i : i + 4] for w in words for i in range(max(1, len(w) - 3))])
    repeated = {gram: 1 + math.log(count) for gram, count in counts.items() if count > 1}
    square = len(counts) - len(repeated) + sum(w * w for w in repeated.values())
    return Reading(
        text=text,
        tokens=frozenset(_tokens(_runs(folded))),
        terms=_terms(plain),
        grams=frozenset(counts),
        repeated=repeated,
        length=math.sqrt(square),
    )


@functools.lru_cache(maxsize=1024)  # a block compares each of its lines with the others
def tokens(text: str) -> frozenset[str]:
    """The maximal runs of Unicode letters and digits of the case-folded NFKC text.

    A combining mark belongs to its letter, an underscore splits, invisible format characters are
    dropped. Runs of scripts written without spaces become their overlapping character bigrams (a
    single character stays). On ASCII this is the set of `[a-z0-9]+` of the lower-cased text.
    """
    return frozenset(_tokens(_runs(normal(text).casefold())))


def in_order(text: str) -> tuple[str, ...]:
    """The `tokens` as they follow each other, each as often as it stands there."""
    return tuple(_tokens(_runs(normal(text).casefold())))


def joined_words(text: str) -> Iterator[str]:
    """The words of a text, those joined by `_ . / \\ - :: ->` or a change of case as one each."""
    return (found[0] for found in _JOINED.finditer(normal(text)))


def parted(word: str) -> str:
    """A word with a space at every change of case: `minTestCases` is `min Test Cases`."""
    return _CAMEL.sub(" ", word)


def normal(text: str) -> str:
    """The text in NFKC, without invisible format characters (zero width, bidirectional)."""
    if text.isascii():
        return text
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", visible).replace("’", "'")


def content(words: Iterable[str]) -> frozenset[str]:
    """The stems (English Snowball) of the words that are neither stop words nor a single letter."""
    return frozenset(stem(w) for w in words if len(w) > 1 and w not in STOP_WORDS)


@functools.lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The English Snowball stem. A stemmer keeps its state in itself: one for each call."""
    stemmed: str = snowballstemmer.stemmer("english").stemWord(word)
    return stemmed


def is_code_word(word: str) -> bool:
    """Whether a word is shaped like an identifier or a path: `a_b`, `aB`, `a.b`, `a/b`, `a::b`."""
    if word.isalpha() and word[1:].islower():  # most words: no need to search them
        return False
    return bool(_JOINT.search(word) or _CAMEL.search(word))


def _runs(folded: str) -> list[str]:
    if folded.isascii():
        return re.findall("[a-z0-9]+", folded)
    kept: list[str] = []
    for c in unicodedata.normalize("NFKC", folded):
        marks = bool(kept) and kept[-1] != " " and unicodedata.category(c).startswith("M")
        kept.append(c if c.isalnum() or marks else " ")
    return "".join(kept).split()


def _tokens(runs: Iterable[str]) -> Iterable[str]:
    for run in runs:
        for place, part in enumerate(_SPACELESS.split(run)):
            if place % 2:  # what the pattern itself matched
                yield from (part[i : i + 2] for i in range(max(1, len(part) - 1)))
            elif part:
                yield part


def _terms(plain: str) -> frozenset[str]:
    """Content words, identifiers in parts (split at `_`, `.`, `/`, case changes) and whole.

    A whole identifier is neither split nor stemmed, only case-folded.
    """
    wholes = (w for w in _JOINED.findall(plain) if is_code_word(w))
    parts = _tokens(_runs(_CAMEL.sub(" ", plain).casefold()))
    return content(parts) | {w.casefold() for w in wholes} - STOP_WORDS
