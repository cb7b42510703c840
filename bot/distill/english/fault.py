"""Faults that have exactly one opposite: "X is used without Y" -> "Do not use X without Y"."""

from __future__ import annotations

import re

from bot.distill.clauses import lower_first, upper_first
from bot.distill.english.following import with_what_follows
from bot.distill.english.given import BAD, gerund_parts
from bot.distill.english.obligation import PRONOUN, is_noun
from bot.distill.english.order import Order, bare
from bot.distill.english.statement import main_statement, stated
from bot.distill.lexicon import any_of, pattern
from bot.distill.verbs import from_gerund, third

_CONSEQUENCE = re.compile(
    r", (?:and )?((?:potentially |thereby |thus |possibly )?)"
    rf"({any_of('english', 'consequence')}\w*ing) "
)


def opposite(sentence: str, subject: str = "", *, trusted: bool = False) -> Order | None:
    """The order to do the opposite of a stated fault.

    `trusted` when the sentence's place says that it states one; `subject` as for an order.
    """
    text = bare(sentence)
    if not text or text.endswith("?") or not (trusted or BAD.search(text)):
        return None
    found = _named(text) if _FEARED.match(text) else None
    found = found or _missing(text, subject) or _harmful(main_statement(text))
    found = found or _unhandled(text, subject) or stated(text, subject)
    if found is None and trusted:
        found = _named(text)
    return Order(upper_first(_relative(found)), 1) if found else None


def _relative(text: str) -> str:
    """Behind an order ", allowing X" and ", so X" would hang on the order, not on the fault."""
    text = _SO.sub("; otherwise ", text, count=1)

    def finite(match: re.Match[str]) -> str:
        base = None if " which " in text[: match.start()] else from_gerund(match[2])
        return f", which {match[1]}{third(base)} " if base else match[0]

    return _CONSEQUENCE.sub(finite, text, count=1)


_SO = re.compile(r",? so (?!that\b|as\b|far\b|long\b)(?=\S+ )")
_FEARED = pattern("english", "known mishap", r"^(?:potential|possible|likely)\b|^{}\b")


# What is missing

_NO = re.compile(r"^(?:there (?:is|are|'s) (?:currently )?(?:no|not any)|no)\s+(.+)$", re.I)
_MISSING = re.compile(r"^(?:missing|lack of|absent)\s+(.+)$", re.I)
_LACKS = re.compile(
    r"^(.+?)\s+(?:lacks?|(?:is|are) (?:still )?missing|(?:is|are) lacking|has no|have no|omits?"
    r"|(?:does not|doesn't|doesn’t|do not|don't) (?:have|include|contain|provide|define|specify)"
    r"(?: any| an?)?)(?:\s+(.+))?$",
    re.I,
)
_DETERMINER = re.compile(
    r"^(?:any|an|a|the|some|proper|sufficient|adequate|explicit|necessary|required)\s+", re.I
)


def _missing(text: str, subject: str) -> str | None:
    if (match := _NO.match(text)) and not re.match(r"(?:longer|one|need|reason|way)\b", match[1]):
        return f"Add {with_what_follows(match[1])}"
    if match := _MISSING.match(text):
        return f"Add {with_what_follows(match[1])}"
    match = _LACKS.match(text)
    who = match and (subject if PRONOUN.match(match[1]) else match[1])
    if not match or not who or not is_noun(who):
        return None
    if not match[2]:
        return f"Add {lower_first(who)}" if "missing" in text else None
    what = _DETERMINER.sub("", match[2])
    return f"Add {with_what_follows(what, f' to {lower_first(who)}')}"


# What does harm


def _harmful(text: str) -> str | None:
    """ "Using X leads to Y" -> "Do not use X: it leads to Y"."""
    parts = gerund_parts(text)
    if parts is None or not BAD.search(parts[2]):
        return None
    base, what, reason = parts
    if what.count("(") != what.count(")") or re.search(r"\b(?:is|are|and then)\b", what):
        return None
    if but := re.search(r",? but (?:it|this) (.*)$", reason):
        reason = but[1]
    return f"do not {base} {what}: it {reason}"


_FAILS = re.compile(
    r"^(?:this|it|that) (?:will|can|could|would|may|might) "
    r"(?:fail|crash|panic|throw|blow up|break|raise|explode|segfault|error)\b"
    r".*?\b(?:if|when) (.+)$",
    re.IGNORECASE,
)


def _unhandled(text: str, subject: str) -> str | None:
    """ "This will crash if X" -> "Handle the case where X", where nothing tells what "this" is."""
    match = None if subject else _FAILS.match(text)
    return f"Handle the case where {match[1]}" if match else None


# Faults that are only named, as titles do

_NAMES: tuple[tuple[str, str], ...] = (
    (r"unused (.+)", "Remove unused {0}"),
    (r"(?:undefined|undeclared) (.+)", "Define {0} before using it"),
    (r"hard-?coded (.+)", "Do not hardcode {0}"),
    (r"(?:duplicate|duplicated|repeated) (.+)", "Do not duplicate {0}"),
    (r"(?:redundant|unnecessary|superfluous|dead|unreachable) (.+)", "Remove unnecessary {0}"),
    (r"inconsistent (.+)", "Keep {0} consistent"),
    (r"(?:incorrect|wrong|invalid|inaccurate|outdated|misleading) (.+)", "Correct {0}"),
    (r"(?:unhandled|uncaught) (.+)", "Handle {0}"),
    (r"(?:unvalidated|unsanitized|unescaped|unchecked) (.+)", "Validate {0} before using it"),
    (r"(?:potential|possible|likely) (.+)", "Prevent {0}"),
    (rf"({any_of('english', 'known mishap')}\b.*)", "Prevent {0}"),
    (rf"(.* {any_of('english', 'mishap')}\b.*)", "Prevent {0}"),
)


_FINITE_CONSEQUENCE = re.compile(
    r"\s((?:allows|causes|leads to|results in|breaks|exposes|makes|can|could|may|will)\b)"
)


def _named(text: str) -> str | None:
    for name, made in _NAMES:
        if match := re.match(name, text, re.I):
            name = _FINITE_CONSEQUENCE.sub(r", which \1", match[1], count=1)
            return made.format(lower_first(name))
    return None
