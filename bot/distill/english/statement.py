"""Faults stated of a subject: "X swallows Y" -> "Do not let X swallow Y"."""

from __future__ import annotations

import re

from bot.distill.clauses import lower_first
from bot.distill.english.following import with_what_follows
from bot.distill.english.given import ADVERB, BAD
from bot.distill.english.obligation import PRONOUN, is_noun
from bot.distill.lexicon import pattern, words
from bot.distill.verbs import BASES, from_participle, from_third

_AMISS = pattern("english", "amiss", r"\b{}\b")

_FINITE = re.compile(
    r"\s(is|are|was|were|can|could|may|might|will|would|does|do|has|have|isn't|isn’t|aren't|aren’t"
    r"|doesn't|doesn’t|don't|don’t|cannot|can't|can’t|won't|won’t|never|always|still|only|silently"
    r"|incorrectly|unconditionally|also|no longer|fails? to|[a-z]+)(?=\s|$)"
)
_KINDS: dict[str, str] = {
    **dict.fromkeys(("is", "are", "was", "were"), "state"),
    **dict.fromkeys(("isn't", "isn’t", "aren't", "aren’t"), "no state"),
    **dict.fromkeys(("can", "could", "may", "might", "will", "would"), "possible"),
    **dict.fromkeys(("cannot", "can't", "can’t"), "impossible"),
    **dict.fromkeys(("won't", "won’t", "never", "no longer", "fails to", "fail to"), "undone"),
    **dict.fromkeys(("doesn't", "doesn’t", "don't", "don’t"), "undone"),
    **dict.fromkeys(("does", "do"), "undone if not"),
    **dict.fromkeys(("always", "still", "only", "silently", "incorrectly"), "adverb"),
    **dict.fromkeys(("unconditionally", "also"), "adverb"),
    **dict.fromkeys(("has", "have"), "had"),
}
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
_BEFORE_MAIN = re.compile(
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
    for match in _FINITE.finditer(text):
        who, verb, rest = text[: match.start()].strip(), match[1], text[match.end() :].strip()
        unnamed = PRONOUN.match(who) and not subject
        if PRONOUN.match(who):
            who = subject
        plural = verb in BASES and re.sub(r" \([^()]*\)$", "", who).endswith("s")
        if verb in _NO_VERBS or not (verb in _KINDS or from_third(verb) or plural):
            continue
        alone = not rest and (from_third(verb) or verb) not in _HAPPENS
        if verb not in _KINDS and (alone or _AFTER_NOUN.match(rest)):
            continue
        if unnamed:
            return _not_this(verb, rest)
        return _undo(lower_first(who), verb, rest) if is_noun(who) else None
    return None


def _left_out(clause: str, what: str, subject: str) -> str | None:
    for match in _FINITE.finditer(clause):
        who, verb = clause[: match.start()].strip(), match[1]
        if verb in _KINDS or from_third(verb):
            who = subject if PRONOUN.match(who) else re.sub(r" (?:already|now|\w+ly)$", "", who)
            base, _, rest = what.partition(" ")
            base = base if base in BASES else from_third(base) or ""
            if base in _BEYOND_US or not base or not who or not is_noun(who):
                return None
            return f"Make {lower_first(who)} {base} {with_what_follows(rest)}"
    return None


def _not_this(verb: str, rest: str) -> str | None:
    """ "This reads X twice", where nothing tells what "this" is: "Do not read X twice"."""
    adverb = ""
    if _KINDS.get(verb) == "adverb":
        adverb = "" if verb in ("still", "also") else f"{verb} "
        verb, _, rest = rest.partition(" ")
    base = from_third(verb)
    if base is None or base in _OF_CONSEQUENCE or not rest or verb in _KINDS:
        return None
    return f"do not {adverb}{base} {_bases(rest)}"


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
    while match := _BEFORE_MAIN.match(text):
        text = match[1]
    return text


#: What a library or a language does by its nature is no fault.
_BY_NATURE = frozenset(
    [
        "disallow",
        "forbid",
        "prohibit",
        "recommend",
        "suggest",
        "support",
        "deprecate",
        "define",
        "specify",
        "need",
    ]
)


def _undo(who: str, verb: str, rest: str) -> str | None:
    match _KINDS.get(verb, "verb"):
        case "state":
            return _undo_state(who, rest)
        case "no state":
            return _undo_state(who, f"not {rest}")
        case "possible":
            return _undo_possible(who, rest, feared=verb in ("may", "might", "could"))
        case "impossible":
            return f"Make sure {who} can {rest}"
        case "undone":
            return _do(who, rest)
        case "undone if not":
            return _do(who, rest[4:]) if rest.startswith("not ") else None
        case "adverb":
            return _undo_adverb(who, verb, rest)
        case "verb" if (from_third(verb) or verb) in _BY_NATURE:
            return None
        case "verb" if re.search(r"\bbut (?:does not|doesn't|doesn’t|never|do not)\b", rest):
            return None
        case "verb":
            return f"Do not let {who} {from_third(verb) or verb} {_bases(rest)}".rstrip()
        case _:
            return None


_STATES: tuple[tuple[str, str], ...] = (
    (r"(?:inverted|reversed|backwards)\b", "Do not invert {who}"),
    (r"broken\b", "Keep {who} working"),
    (r"(?:un|not )defined\b", "Define {who} before using it"),
    (r"(?:never |not |un)(?:used|referenced|read)\b", "Remove {who} if nothing uses it"),
    (r"(?:redundant|unnecessary|unneeded|superfluous|obsolete|dead)\b", "Remove {who}"),
    (
        r"(?:unreachable|unbounded|untested|unprotected|unhandled|incomplete)\b",
        "Do not leave {who} {state}",
    ),
    (r"inconsistent with (.+)", "Keep {who} consistent with {what}"),
    (r"(?:out of|not in) sync with (.+)", "Keep {who} in sync with {what}"),
    (r"(?:vulnerable|prone|susceptible|exposed|subject) to (.+)", "Protect {who} from {what}"),
    (
        r"not ((?:thread-?safe|idempotent|atomic|safe|deterministic|consistent|unique)\b.*)",
        "Make {who} {what}",
    ),
    (r"not ((?:reachable|accessible|async|synchronized)\b.*)", "Make {who} {what}"),
    (r"(?:incorrect|wrong|inaccurate|outdated|stale|misspelled)\b", "Correct {who}"),
)
_ALWAYS_AMISS = frozenset(["hardcode", "duplicate", "swallow", "ignore", "leak"])


def _undo_state(who: str, rest: str) -> str | None:
    rest = re.sub(r"^(?:still|also|now|both|likely|potentially|already|then) ", "", rest)
    for state, made in _STATES:
        if match := re.match(state, rest, re.I):
            text = made.format(who=who, what=match[1] if match.groups() else "", state=match[0])
            tail = rest[match.end() :]
            if joined := re.match(r" and (?=([a-z]+s) )", tail):
                tail = f": it {tail[joined.end() :]}" if from_third(joined[1]) else tail
            tail = re.sub(r"^ (?:because|since|as) ", ": ", tail)
            return text if match.groups() else with_what_follows(text + tail)
    match = re.match(rf"(not |never |no longer |only )?((?:{ADVERB} )*)([\w-]+)(.*)$", rest, re.I)
    base = from_participle(match[3]) if match else None
    if match is None or base is None:
        return None
    negation, adverbs, tail = (match[1] or "").strip().lower(), match[2], match[4]
    if negation == "only":
        return f"do not only {base} {who}{tail}"
    if negation:
        if on := re.match(r" (for|on|at|to)(?=$|[;,:.])", tail):
            base, tail = f"{base} {on[1]}", tail[on.end() :]
        return f"{base} {with_what_follows(who + tail)}"
    if base in _ALWAYS_AMISS or _AMISS.search(rest):
        return f"do not {adverbs}{base} {who}{tail}"
    return None


#: "could use a helper" suggests, "may contain spaces" tells, "may shut down first" fears.
_SUGGESTS = words("english", "verbs of suggestion")


def _undo_possible(who: str, rest: str, *, feared: bool) -> str | None:
    if match := re.match(r"(?:not|never) (.*)$", rest):
        return f"Make {who} {match[1]}"
    match = re.match(rf"((?:{ADVERB} |still |both )*)(be )?([\w-]+)", rest, re.I)
    verb = match[3].lower() if match else ""
    if match is None or (verb not in BASES and not match[2]):
        return None
    if (
        not (feared and verb not in _SUGGESTS)
        and not BAD.search(rest)
        and verb
        not in (
            "return",
            "grow",
            "exceed",
            "differ",
            "allow",
            "cause",
        )
    ):
        return None
    return f"Do not let {who} {re.sub(r'^still ', '', rest)}"


#: What something does not do by its nature cannot be ordered.
_BEYOND_US = frozenset(["support", "allow", "guarantee", "exist", "occur", "apply", "work", "mean"])


def _do(who: str, rest: str) -> str | None:
    """ "X does not do Y" -> "Make X do Y"."""
    if re.search(r"\b(?:and|but) ([a-z]+s)\b", rest) and any(
        from_third(word) for word in re.findall(r"\b(?:and|but) ([a-z]+s)\b", rest)
    ):
        return None  # "does not do A and does B": the second half is no fault to undo
    rest = re.sub(r"^(?:currently|properly|actually|yet|even|always|correctly) ", "", rest)
    word, space, tail = rest.partition(" ")
    base = word if word.lower() in BASES else from_third(word)
    if base in _BEYOND_US:
        return None
    return f"Make {who} {base}{space}{with_what_follows(tail)}" if base else None


def _undo_adverb(who: str, adverb: str, rest: str) -> str | None:
    word, _, tail = rest.partition(" ")
    base = from_third(word)
    if base in (None, "be") or (adverb == "only" and re.search(r"\bbut\b", tail)):
        return None
    kept = "" if adverb in ("still", "also") else f"{adverb} "
    return f"Do not let {who} {kept}{base} {_bases(tail)}".rstrip()


def _bases(tail: str) -> str:
    """ "swallows A and returns B": what is joined to a verb that became a base becomes one too."""

    def joined(match: re.Match[str]) -> str:
        base = from_third(match[2])
        return f"{match[1]}{base}" if base and base not in ("be", "have", "do") else match[0]

    return re.sub(r"(,? (?:and|or|but|then|and then) )([a-z]+s)(?= )", joined, tail)
