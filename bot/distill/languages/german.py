"""German: orders end in the infinitive."""

from __future__ import annotations

import re

from bot.distill.clauses import upper_first
from bot.distill.english import Order
from bot.distill.lexicon import any_of, lines, pattern, words

_PREFIX = any_of("german", "prefix")
_PARTICIPLES = {line.split()[0]: line.split()[1] for line in lines("german", "participles")}
_IMPERATIVES = words("german", "imperatives")
_OPENER = pattern("german", "opener", r"^{}[, ]+")
_BEFORE_ZU = pattern("german", "before zu", r"{},?\s+(.+)$")
_BEFORE_INFINITIVE = pattern("german", "before infinitive", r"{}\s+(.+)$")
_AMISS = pattern("german", "amiss", r"\b{}\b")
_OBLIGES = re.compile(
    r"(.+?)\s+(?:sollten?|müssen|muss|müssten?)\s+(.*?)\s*(\w+)\s+werden(?:,?\s+(.*))?$"
)
_PASSIVE = re.compile(r"(.+?)\s+(?:wird|werden)\s+(.*?)\s*(\w+)$")
_INFINITIVE_END = re.compile(r"\b[a-zäöüß]+(?:en|ern|eln)(?:, .*)?$")
_LACKS = re.compile(r"(?:(?:hier |es )?fehlt|(.+?) fehlt)\b(.*)$", re.IGNORECASE)


def order(text: str) -> Order | None:
    asked = text.lower().startswith("bitte")
    text = _OPENER.sub("", text)
    if asked and _INFINITIVE_END.search(text):
        return Order(upper_first(text), 3)
    if match := _BEFORE_ZU.match(text):
        return Order(upper_first(_without_zu(match[1])), 3)
    if match := _BEFORE_INFINITIVE.match(text):
        return Order(upper_first(match[1]), 3)
    if text.split(" ", 1)[0].lower() in _IMPERATIVES or re.match(r"\w+en Sie\b", text):
        return Order(upper_first(text), 3)
    return _obligation(text) or _opposite(text)


def _obligation(text: str) -> Order | None:
    match = _OBLIGES.match(text)
    verb = _infinitive(match[3]) if match else None
    if match is None or verb is None:
        return None
    tail = f", {match[4]}" if match[4] else ""
    return Order(_put(match[1], match[2], verb) + tail, 2)


def _opposite(text: str) -> Order | None:
    match = _PASSIVE.match(text)
    if match and (verb := _infinitive(match[3])):
        manner = match[2]
        if manner.startswith("nicht"):
            return Order(_put(match[1], manner.removeprefix("nicht"), verb), 1)
        if _AMISS.search(manner):
            return Order(_put(match[1], f"nicht {manner}", verb), 1)
    match = _LACKS.match(text)
    if match and (match[1] or match[2].strip()):
        what, comma, clause = match[2].partition(", ")
        return Order(f"{_put(match[1] or '', what, 'ergänzen')}{comma}{clause}", 1)
    return None


def _put(what: str, manner: str, verb: str) -> str:
    """The subject of a passive sentence becomes an object: "Der Wert wird" -> "Den Wert"."""
    what = re.sub(r"^[Dd]er ", "Den ", what)
    return upper_first(" ".join(f"{what} {manner} {verb}".split()))


def _infinitive(participle: str) -> str | None:
    word = participle.lower()
    if word in _PARTICIPLES:
        return _PARTICIPLES[word]
    if word.endswith("iert"):
        return word[:-1] + "en"
    if match := re.fullmatch(rf"({_PREFIX})?ge(\w{{2,}}?)(?:e)?t", word):
        return (match[1] or "") + _with_ending(match[2], 0)
    if match := re.fullmatch(r"((?:be|ent|er|ver|zer|über|unter|wider)\w{2,}?)(?:e)?t", word):
        return _with_ending(match[1], 6)
    return None


def _with_ending(stem: str, short: int) -> str:
    return stem + ("n" if stem.endswith(("er", "el")) and len(stem) > short else "en")


def _without_zu(text: str) -> str:
    text = re.sub(rf"\b({_PREFIX})zu(\w+en)\b", r"\1\2", text)
    return re.sub(r"\bzu (\w+e?n)\b", r"\1", text)
