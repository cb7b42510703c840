"""Where a noun phrase begins and ends, by the small words and the verb forms around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from bot.distill.clauses import CODE
from bot.distill.lexicon import words
from bot.distill.verbs import BASES, from_gerund, from_participle

_RELATIVE = words("phrases", "relative pronouns")
#: A clause hangs on the noun before it.
RELATIVE = re.compile(rf"\s(?:{'|'.join(sorted(_RELATIVE))})\s")
DETERMINERS = words("phrases", "determiners")
BE = words("phrases", "be")
HAVE = words("phrases", "have")
AUXILIARIES = BE | HAVE | words("phrases", "modals")
_ADVERBS = words("phrases", "adverbs")
_LOOSE = words("phrases", "prepositions") | words("phrases", "adjuncts") | _ADVERBS
_LOOSE |= words("phrases", "conjunctions")
_ENDS = _LOOSE | _RELATIVE | DETERMINERS | AUXILIARIES
_NOT_PLURAL = ("ss", "us", "is")
_LONGEST = 6  # words


def phrase(text: Sequence[str]) -> tuple[str, int]:
    """The noun phrase that the words begin with, without the clauses that hang on it, and the
    number of its words; "" and 0 where they begin with none, or where it may be another."""
    words = [plain(word) for word in text[: 2 * _LONGEST + 3]]
    end = _end(words, text, 0)
    if end and words[end : end + 1] == ["of"] and is_open(text[end - 1]):
        end = _end(words, text, end + 1) or end
    return " ".join([*text[: end - 1], text[end - 1].rstrip(",;:.")]) if end else "", end


def hangs(noun: str) -> bool:
    """Whether a clause hangs on the noun: "the value that `parse` returns"."""
    return bool(RELATIVE.search(noun))


def is_plural(noun: str) -> bool | None:
    """Whether the phrase names many; None where that cannot be told, as of code."""
    if " and " in noun:
        return True
    head = noun.split(" of ")[0].split()[-1]
    return None if re.match(CODE, head) else is_many(head)


def is_many(word: str) -> bool:
    return word.endswith("s") and not word.endswith(_NOT_PLURAL)


def is_thing(word: str) -> bool:
    """Whether a noun phrase certainly begins with the word."""
    return word in DETERMINERS or bool(re.match(CODE, word))


def is_open(word: str) -> bool:
    """Whether the phrase may go on behind the word."""
    return not word.endswith((",", ";", ":", "."))


def is_adverb(word: str) -> bool:
    return word in _ADVERBS or word.endswith("ly")


def plain(word: str) -> str:
    """Without punctuation and capitals."""
    return word.strip(",;:.()").lower()


def _end(words: list[str], text: Sequence[str], start: int) -> int:
    """Where the noun phrase ends that begins at `start`; 0 where none does."""
    determined = start < len(words) and words[start] in DETERMINERS
    first = start + 1 if determined else start
    end = first
    while end < len(words) and not _ends(words, end, first):
        end += 1
        if not is_open(text[end - 1]):
            break
    if not first < end <= first + _LONGEST:
        return 0
    last = words[end - 1]
    if is_adverb(last) or from_participle(last) not in (None, last):
        return 0
    if any(is_many(before) and word in BASES for before, word in pairwise(words[first:end])):
        return 0  # "the tests cover cache"
    named = any(re.match(CODE, word) for word in words[first:end])
    return end if determined or named or is_many(last) else 0


def _ends(words: list[str], at: int, first: int) -> bool:
    word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
    if word in _ENDS or (word.endswith("ly") and at > first):
        return True
    if at == first:
        return False
    if is_many(words[at - 1]) and word in BASES and is_thing(following):
        return True  # "workers hold the lock"
    if from_participle(word) and (
        not following or following in _LOOSE or re.match(CODE, following)
    ):
        return True
    return bool(from_gerund(word)) and is_thing(following)
