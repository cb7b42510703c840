"""Which language a finding is written in, and its orders in the form that lessons take there.

A sentence that fits no rule of its language gives nothing. Works on masked text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.distill.english import Order
from bot.distill.languages import east, german, infinitive, japanese
from bot.distill.lexicon import words

__all__ = ["Order", "heed", "joined", "language_of", "order_in"]

_SCRIPTS: tuple[tuple[str, re.Pattern[str], int], ...] = (
    # It shows when one letter in so many is of its script: identifiers are Latin everywhere.
    ("ja", re.compile(r"[\u3041-\u30fa\u30fc]"), 12),
    ("ko", re.compile(r"[\uac00-\ud7a3]"), 6),
    ("zh", re.compile(r"[\u4e00-\u9fff]"), 6),
    ("ru", re.compile(r"[\u0400-\u04ff]"), 3),
)
_COMMON_WORDS = {code: words("common", code) for code in ("en", "de", "es", "fr", "it", "pt")}
_LEAST_SHARE = 0.14  # of common words
_RULES: dict[str, Callable[[str], Order | None]] = {
    "de": german.order,
    "es": infinitive.spanish,
    "fr": infinitive.french,
    "it": infinitive.italian,
    "ja": japanese.order,
    "ko": east.korean,
    "pt": infinitive.portuguese,
    "ru": infinitive.russian,
    "zh": east.chinese,
}
_HEED = {
    "de": "Beachten: ",
    "es": "Tener en cuenta: ",
    "fr": "À noter : ",
    "it": "Tenere presente: ",
    "ko": "주의: ",
    "pt": "Ter em conta: ",
    "ru": "Учитывать: ",
    "zh": "注意：",
}


def language_of(text: str) -> str:
    """A two-letter code, by script and by the commonest words; English where nothing shows."""
    letters = max(1, sum(c.isalpha() for c in text))
    for code, script, one_in in _SCRIPTS:
        if len(script.findall(text)) * one_in > letters:
            return code
    spoken = re.findall(r"[^\W\d_]+", text.lower())
    shares = {
        code: sum(word in common for word in spoken) / max(1, len(spoken))
        for code, common in _COMMON_WORDS.items()
    }
    best = max(shares, key=lambda code: shares[code])
    return best if shares[best] > _LEAST_SHARE else "en"


def order_in(language: str, sentence: str) -> Order | None:
    """The order a sentence gives in its language, without its end mark; sureness as in English."""
    text = sentence.strip().strip(".。!！:：?？ ")
    rule = _RULES.get(language)
    return rule(text) if rule and text else None


def joined(language: str, fault: str, order: str) -> str:
    """Fault and order in one sentence, without its full stop."""
    if language == "ja":
        order = re.sub(r"^[^、`]{2,20}ために、", "", order)
        because = "ので" if "ため、" in order else "ため"
        return f"{japanese.plain(fault)}{because}、{order}"
    return east.with_order(fault, order) if language == "zh" else f"{order}: {fault}"


def heed(language: str, fault: str) -> str:
    """The last resort: the fault itself, in the form of an order to mind it."""
    text = fault.strip().rstrip(".。!！:： ")
    if language == "ja":
        return f"{japanese.plain(text)}ことに注意する"
    return _HEED.get(language, "Remember: ") + text
