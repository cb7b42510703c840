"""Faults that have exactly one opposite: "X is used without Y" -> "Do not use X without Y"."""

from __future__ import annotations

import re

from bot.distill.clauses import lower_first, upper_first
from bot.distill.english.following import with_what_follows
from bot.distill.english.given import BAD, from_gerund_clause, gerund_parts
from bot.distill.english.named import done, has_clause, is_adjunct, is_name, named, unsubjected
from bot.distill.english.obligation import PRONOUN, is_noun
from bot.distill.english.order import Order, bare, under
from bot.distill.english.statement import main_statement, stated
from bot.distill.lexicon import any_of, pattern
from bot.distill.verbs import from_gerund, third

#: In a relative clause it tells which thing is meant: "close a query that may raise".
_MIGHT = re.compile(
    r"(?<!\bthat )(?<!\bwhich )(?<!\bwho )\b(?:may|might) (?!be\b|want\b|need\b|help\b|not\b)"
)
_WE_ARE = re.compile(r"(?:we|you)(?:['’]re| are) (?:(?:still|now|just) )?(?=\w+ing )", re.I)
_CONSEQUENCE = re.compile(
    r", (?:and )?((?:potentially |thereby |thus |possibly )?)"
    rf"({any_of('english', 'consequence')}\w*ing) "
)


def opposite(sentence: str, subject: str = "", *, trusted: bool = False) -> Order | None:
    """The order to do the opposite of a stated fault.

    `trusted` when the sentence's place says that it states one; `subject` as for an order.
    """
    text = bare(sentence)
    if not text or text.endswith("?") or not (trusted or BAD.search(text) or _MIGHT.search(text)):
        return None
    if match := _WE_ARE.match(text):
        text = text[match.end() :]
        return (
            Order(f"Do not {lower_first(made)}", 1) if (made := from_gerund_clause(text)) else None
        )
    found = named(text) if _FEARED.match(text) else None
    found = (
        found
        or _under_condition(text, subject)
        or _missing(text, subject)
        or _where(text, _harmful(main_statement(text)))
        or unsubjected(text)
    )
    found = found or _unhandled(text, subject) or _where(text, stated(text, subject))
    if found is None and not is_adjunct(text):
        found = done(text) if not has_clause(text) else None
        found = found or (named(text) if trusted or is_name(text) else None)
    return Order(upper_first(_relative(found)), 1) if found else None


_WHERE = re.compile(r"^((?:in|on|during|when|after|before) [^,:;]+), ", re.I)


def _where(text: str, found: str | None) -> str | None:
    """The order under the place or the moment that the fault begins with."""
    match = _WHERE.match(text) if found and text.endswith(main_statement(text)) else None
    return under(match[1], found) if match and found else found


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

#: "would ensure that nothing is lost", "makes it harder to leak": what is bad in it is kept away.
_HELPS = re.compile(
    r"(?:(?:would|will|can|could|should|may|might|also|helps?|to) )*"
    r"(?:(?:ensure|improve|guarantee|protect|simplif|fix|resolve|solve|keep)\w*\b"
    r"|(?:avoid|prevent|eliminate|reduce)s?\b(?=.*\b(?:leak|crash|race|error|bug|risk|duplicat|stale))"
    r"|(?:is|be|are) (?:(?:also|an?|the|much|far|more|even|usually) )*"
    r"(?:safer|better|cleaner|recommended|preferred|clearer|idiomatic|simpler|robust|fine|correct)\b"
    r"|makes? .*\b(?:less|fewer|easier|not|no|never|without"
    r"|(?:harder|impossible) to (?:leak|bypass|misuse|break|forget|exploit))\b)",
    re.IGNORECASE,
)


def _harmful(text: str) -> str | None:
    """ "Using X leads to Y" -> "Do not use X: it leads to Y"."""
    parts = gerund_parts(text)
    if parts is None or not BAD.search(parts[2]) or _HELPS.match(parts[2]):
        return None
    base, what, reason = parts
    if what.count("(") != what.count(")") or re.search(r"\b(?:is|are|and then)\b", what):
        return None
    if but := re.search(r",? but (?:it|this) (.*)$", reason):
        reason = but[1]
    return f"do not {base} {what}: it {reason}"


_WHEN = re.compile(
    r"^(?:if|when|whenever|once) ((?:[^,:;()]|\([^()]*\))+), (?:then )?(?!but|and|so)(.+)$",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:this|that|these|those|it|you|we)\b|^(?:so|needed|desired|possible)\b", re.I
)
_COMES_OF_IT = re.compile(r"\b(?:will|would|can|could|may|might|gets?|never)\b")


def _under_condition(text: str, subject: str) -> str | None:
    """ "When X, Y is never done" -> "When X, do Y"; "If X, Y will fail" -> "Handle the case …"."""
    match = _WHEN.match(text)
    if (
        match is None
        or re.match(r"\w+ing ", match[1])
        or _LEANS.search(match[1])
        or not 1 < len(match[1].split()) < 17
    ):
        return None
    found = _missing(match[2], subject) or stated(match[2], subject)
    if found and re.match(r"(?!(?:do not|make sure|remove|handle)\b)\w+ ", found, re.IGNORECASE):
        return f"{upper_first(text[: match.start(2)])}{lower_first(found)}"
    if _COMES_OF_IT.search(match[2]) or BAD.search(match[2]):
        return f"Handle the case where {match[1]}: {match[2]}"
    return None


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
