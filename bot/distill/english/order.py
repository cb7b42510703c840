"""An order in English, and the sentence it is looked for in, without what stands before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.distill.clauses import lower_first, upper_first
from bot.distill.lexicon import pattern
from bot.distill.verbs import is_order

_OPENER = pattern("english", "opener", r"^{}\b\s*[,:;–—-]*\s+")
_LABEL = pattern("english", "label", r"^{}(?:\s*\([^()]{1,40}\))?\s*(?::|\s[–—-]\s)\s*")
#: A circumstance that points elsewhere, or that gives a cause, is not kept.
_DROPPED = re.compile(
    r"\b(?:this|that|these|those|it|above|review|comment)\b|^(?:given|as|since|because|while)\b",
    re.IGNORECASE,
)
_KEPT = re.compile(r"(?:when|if|for|to|in|unless|where|once|before|after|during|on)\b")
#: Longer circumstances would hide the order behind them.
_LONGEST_CIRCUMSTANCE = 90


@dataclass(frozen=True, slots=True)
class Order:
    """An imperative clause without its full stop.

    `sureness`: 3 given by the reviewer, 2 an obligation, 1 the opposite of a fault.
    """

    text: str
    sureness: int


def bare(sentence: str) -> str:
    """The sentence without labels, openers and its end mark; a question keeps its mark."""
    text = sentence.strip().rstrip(".!:;… ").strip()
    while True:
        shorter = _OPENER.sub("", _LABEL.sub("", text, count=1), count=1).strip()
        if shorter == text:
            return text
        text = shorter


def is_order_text(text: str) -> bool:
    """Whether the text is already in the imperative."""
    words = text.split()
    return bool(words) and is_order(words[0].strip(",:"), words[1] if len(words) > 1 else "")


def under(circumstance: str, text: str) -> str:
    """The order under its circumstance, where that stands by itself: "When X, do Y"."""
    text = upper_first(text)
    if len(circumstance) > _LONGEST_CIRCUMSTANCE or _DROPPED.search(circumstance):
        return text
    if not _KEPT.match(lower_first(circumstance)):
        return text
    return f"{upper_first(circumstance)}, {lower_first(text)}"
