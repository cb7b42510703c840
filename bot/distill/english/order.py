"""An order in English, and the sentence it is looked for in, without what stands before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from bot.distill.clauses import CODE, lower_first, upper_first
from bot.distill.english.clause import main_clause
from bot.distill.english.phrase import is_adverb, is_plural, phrase, plain
from bot.distill.lexicon import pattern, words
from bot.distill.verbs import from_third, is_doubtful, is_order

_OPENER = pattern("english", "opener", r"^{}\b\s*[,:;–—-]*\s+")
_LABEL = pattern("english", "label", r"^{}(?:\s*\([^()]{1,40}\))?\s*(?::|\s[–—-]\s)\s*")
#: A circumstance that points elsewhere, or that gives a cause, is not kept.
_DROPPED = re.compile(
    r"\b(?:this|that|these|those|it|above|review|comment)\b|^(?:given|as|since|because|while)\b",
    re.IGNORECASE,
)
_KEPT = re.compile(r"(?:when|if|for|to|in|unless|where|once|before|after|during|on)\b")
_MANY = re.compile(
    r"(?!(?:ensure|make|check|verify|confirm|let|see|document|assert|test|guarantee)\b)"
    r"[A-Za-z-]+ (?:[\w-]+ )?[\w-]+s(?: \([^()]*\))? "
    r"(?:make|cause|break|leak|create|lead|depend|rely|differ|remain|should|must|may|might)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"[A-Za-z-]+"
    r"(?: (?!(?:that|which|when|if|where|as|what|how|until|while|and|or|to|for)\b)[\w-]+){1,4}"
    r" (?:now|only|still|also|always|never|currently|silently|no longer) (?:[a-z]{3,}s)\b"
)
#: "Silence functionality is broken": a noun that looks like a verb, unless a clause may follow it.
_STATEMENT = re.compile(
    r"(?!(?:ensure|make|check|verify|confirm|note|remember|validate|assert|document|let|see|guarantee"
    r"|show|report|log|say)\b)[A-Za-z-]+"
    r"(?: (?!(?:that|which|when|if|where|as|what|how|until|while|so|because|but|or)\b)[\w-]+){1,4}"
    r" (?:is|are|was|were|has|have|can|could|may|might|will|would|should|must|does)\b",
    re.IGNORECASE,
)
_NOUN = re.compile(
    rf"(?!(?:that|if|whether|how|what|when|where|the|an?|all|any|both|each|it)$)"
    rf"(?:[a-z-]*[a-rt-z]|{CODE})"
)
_OBJECT = re.compile(rf"(?:the|an?|no|its|all|any|every|each|\d+|{CODE}\S*)$")
_TITLE_VERBS = words("verbs", "order as a title")
_NAMED_BY_A_VERB = words("verbs", "nouns named by a verb")
_HANGING = (
    words("phrases", "clause openers") - words("phrases", "relative pronouns") - {"and", "or"}
)
_NOUNS_AS_WELL = words("verbs", "nouns as well")
_NAMED_BY_IT = words("verbs", "noun behind a title")
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
    if (
        not words
        or _STATEMENT.match(text)
        or _NOW.match(text)
        or _MANY.match(text)
        or _is_action_of(words)
    ):
        return False
    following = words[1] if len(words) > 1 else ""
    return is_order(words[0].strip(",:"), following) or _is_done_to_many(text)


def _is_done_to_many(text: str) -> bool:
    """ "Close database sessions in `finally`": a verb and its object, where nothing else says what
    happens; not "Cache misses of two tenants", which only names."""
    first, *rest = text.split()
    rest = rest[1:] if rest and is_adverb(rest[0]) else rest
    if not rest or not is_doubtful(first) or rest[0].lower() in _NAMED_BY_A_VERB:
        return False
    what, length = phrase(rest)
    if not what or is_plural(what) is not True:
        return False
    verb = from_third(what.split(" of ")[0].split()[-1])
    if verb and not is_doubtful(verb) and verb not in _NOUNS_AS_WELL:
        return False
    behind = takewhile(lambda word: plain(word) not in _HANGING, rest[length:])
    return main_clause(" ".join(["Many", *behind])) is None


def titled(title: str) -> Order | None:
    """A title that begins with a verb that would be a noun elsewhere: "Return failure when X"."""
    words = bare(title).split()
    if len(words) < 3 or words[0].lower() not in _TITLE_VERBS or words[1].lower() in _NAMED_BY_IT:
        return None
    if _STATEMENT.match(bare(title)) or _is_action_of(words):
        return None
    return Order(bare(title), 3)


def _is_action_of(words: list[str]) -> bool:
    """ "Default `x` leaves none", "Delete endpoint returns 200": a noun, and what it does."""
    if words[1:2] == ["for"] and is_doubtful(words[0]) and any(map(from_third, words[3:8])):
        return True
    for at in (1, 2, 3):
        if len(words) > at + 1 and from_third(words[at]) and _OBJECT.match(words[at + 1]):
            plain = all(_NOUN.fullmatch(word) for word in words[1:at])
            return plain and (is_doubtful(words[0]) or not re.match(CODE, words[1]))
    return False


def under(circumstance: str, text: str) -> str:
    """The order under its circumstance, where that stands by itself: "When X, do Y"."""
    text = upper_first(text)
    if len(circumstance) > _LONGEST_CIRCUMSTANCE or _DROPPED.search(circumstance):
        return text
    if not _KEPT.match(lower_first(circumstance)):
        return text
    return f"{upper_first(circumstance)}, {lower_first(text)}"
