"""Faults stated of a subject: "X swallows Y" -> "Do not let X swallow Y"."""

from __future__ import annotations

import re

from bot.distill.clauses import lower_first
from bot.distill.english.clause import main_clause
from bot.distill.english.following import with_what_follows
from bot.distill.english.obligation import PRONOUN, is_noun
from bot.distill.english.phrase import hangs
from bot.distill.english.undoing import BEYOND_US, KINDS, bases, undo
from bot.distill.lexicon import words
from bot.distill.verbs import BASES, from_third, is_doubtful

_FINITE = re.compile(
    r"\s(is|are|was|were|can|could|may|might|will|would|does|do|has|have|isn't|isn’t|aren't|aren’t"
    r"|doesn't|doesn’t|don't|don’t|cannot|can't|can’t|won't|won’t|never|always|still|only|silently"
    r"|incorrectly|unconditionally|also|no longer|fails? to|[a-z]+)(?=\s|$)"
)
#: Faults that need no object.
_HAPPENS = words("english", "happens")
_NO_VERBS = frozenset(
    ["this", "its", "as", "us", "across", "less", "class", "access", "process", "address"]
)
#: What looks like a verb before one of these is a plural noun: "checks and messages are".
_AFTER_NOUN = re.compile(
    r"(?:using|and|or|are|were|is|was|of|that|which|can|could|may|will|should|must)\b"
)
_BUT = re.compile(r",\s+(?:but|yet|however)\s+(?!(?:it|this|they|that)\b)(.+)$")
_BUT_ELSE = re.compile(
    r",?\s+(?:but|yet|however)\s+(?!(?:it|this|they|that|does|do|is|not)\b)(.+)$"
)
BEFORE_MAIN = re.compile(
    r"^(?:in|when|if|while|although|since|because|given|with|for|as|on|after|at)\b[^,]*,\s+(.+)$",
    re.I,
)


#: "X does A but does not B": what it should do is B.
_LEAVES_OUT = re.compile(
    r"^(.+?),? (?:but|and|yet) (?:it |they )?(?:still |also )?"
    r"(?:does not|doesn't|doesn’t|do not|don't|don’t|never|fails? to) "
    r"([a-z]+s?\b(?! (?:so|it|them)\b).*)$"
)
#: What "this" does there is no fault of its own: it tells what comes of one.
_OF_CONSEQUENCE = words("english", "verbs of consequence")


def stated(text: str, subject: str) -> str | None:
    """The order against the fault of the main clause."""
    text = main_statement(text)
    if (left := _LEAVES_OUT.match(text)) and (made := _left_out(left[1], left[2], subject)):
        return made
    if (clause := main_clause(text)) and hangs(clause.subject):
        verb, _, rest = text[clause.verb :].partition(" ")
        return undo(lower_first(clause.subject), verb, rest)
    for match in _FINITE.finditer(text):
        who, verb, rest = text[: match.start()].strip(), match[1], text[match.end() :].strip()
        unnamed = PRONOUN.match(who) and not subject
        if PRONOUN.match(who):
            who = subject
        plural = verb in BASES and re.sub(r" \([^()]*\)$", "", who).endswith("s")
        if verb in _NO_VERBS or not (verb in KINDS or from_third(verb) or plural):
            continue
        alone = not rest and (from_third(verb) or verb) not in _HAPPENS
        if verb not in KINDS and (alone or _AFTER_NOUN.match(rest)):
            continue
        if verb not in KINDS and is_doubtful(who) and rest.split(" ", 1)[0] in BASES:
            continue  # "cache misses return": two nouns, and what they do
        if unnamed:
            return _not_this(verb, rest)
        return undo(lower_first(who), verb, rest) if is_noun(who) and not hangs(who) else None
    return None


def _left_out(clause: str, what: str, subject: str) -> str | None:
    for match in _FINITE.finditer(clause):
        who, verb = clause[: match.start()].strip(), match[1]
        if verb in KINDS or from_third(verb):
            who = subject if PRONOUN.match(who) else re.sub(r" (?:already|now|\w+ly)$", "", who)
            base, _, rest = what.partition(" ")
            base = base if base in BASES else from_third(base) or ""
            if base in BEYOND_US or not base or not who or not is_noun(who):
                return None
            return f"Make {lower_first(who)} {base} {with_what_follows(rest)}"
    return None


def _not_this(verb: str, rest: str) -> str | None:
    """ "This reads X twice", where nothing tells what "this" is: "Do not read X twice"."""
    adverb = ""
    if KINDS.get(verb) == "adverb":
        adverb = "" if verb in ("still", "also") else f"{verb} "
        verb, _, rest = rest.partition(" ")
    base = from_third(verb)
    if base is None or base in _OF_CONSEQUENCE or not rest or verb in KINDS:
        return None
    return f"do not {adverb}{base} {bases(rest)}"


_EXPECTS = re.compile(
    r"\b(?:expects?|requires?|accepts?|compares?|needs?|allows?|permits?|supports?)\b"
)
#: What the second half of "A, but B" must not be: without a subject, or what another expects.
_NO_FAULT = re.compile(
    r"^(?:(?:still|also|now|then) )?(?:\w+s|was|were)\s(?:the|an?|[a-z]+s|[\ue000-\uf8ff])"
    rf"|{_EXPECTS.pattern}"
)


def main_statement(text: str) -> str:
    """Of "A is an improvement, but B fails" the second half; of "In X, A fails" the main clause."""
    if (but := _BUT.search(text)) and not _NO_FAULT.search(but[1]):
        return but[1]
    if (but := _BUT_ELSE.search(text)) and _EXPECTS.search(but[1]):
        text = f"{text[: but.start()]}: {but[1]}"
    while match := BEFORE_MAIN.match(text):
        text = match[1]
    return text
