"""A text as the exact half reads it: one stream of terms for pages and for questions alike.

A joined word counts whole and at every joint: `scripts/run-tests.sh` is found by itself, by
`run-tests.sh`, by `run-tests` and by its words. Pure; the tokeniser is that of the refresh rule.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from bot.lessons.reading import in_order, joined_words, parted, stem
from bot.lessons.words import STOP_WORDS

TERM_CHARACTERS = 100  # what is longer is data, not a word
QUERY_TERMS = 100

_JOINTS = (re.compile(r"::|->|[/\\]"), re.compile(r"\."), re.compile(r"[-_]"))


def terms(text: str) -> Iterator[str]:
    """Every term in order, as often as it stands there; plain words stemmed, joined ones whole."""
    for word in joined_words(text):
        yield from _terms_of(word)


def query_terms(query: str) -> tuple[str, ...]:
    """The different terms of a question, without stop words unless it has no others."""
    all_ = dict.fromkeys(terms(query))
    telling = [term for term in all_ if term not in _STOPS]
    return tuple((telling or list(all_))[:QUERY_TERMS])


@functools.lru_cache(maxsize=65536)  # the words of a memory are mostly the same ones
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(term for term in _levels(word, 0) if len(term) <= TERM_CHARACTERS)


def _levels(word: str, level: int) -> Iterator[str]:
    if level == len(_JOINTS):
        parts = in_order(parted(word))
        if len(parts) > 1 and word.isascii():  # a change of case joins words too
            yield word.casefold()
        yield from map(stem, parts)
        return
    parts_ = [part for part in _JOINTS[level].split(word) if part]
    if len(parts_) > 1:
        yield word.casefold()
    for part in parts_:
        yield from _levels(part, level + 1)


_STOPS = frozenset(stem(word) for word in STOP_WORDS)
