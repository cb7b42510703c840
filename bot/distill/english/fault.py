"""Faults that have exactly one opposite: "X is used without Y" -> "Do not use X without Y"."""

from __future__ import annotations

import re

from bot.distill.clauses import lower_first, upper_first
from bot.distill.english.given import ADVERB, BAD, gerund_parts
from bot.distill.english.obligation import PRONOUN, is_noun
from bot.distill.english.order import Order, bare
from bot.distill.lexicon import any_of, pattern, words
from bot.distill.verbs import BASES, from_gerund, from_participle, from_third, third

_AMISS = pattern("english", "amiss", r"\b{}\b")
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
    found = found or _missing(text, subject) or _harmful(_main_statement(text))
    found = found or _unhandled(text, subject) or _stated(text, subject)
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
_CLAUSE_END = re.compile(
    r",\s+(?=(?:but|which|so|and this|allowing|making|causing|leading|resulting|meaning)\b)"
    r"|;\s|\s[–—-]\s|: "
)


def _missing(text: str, subject: str) -> str | None:
    if (match := _NO.match(text)) and not re.match(r"(?:longer|one|need|reason|way)\b", match[1]):
        return f"Add {_with_what_follows(match[1])}"
    if match := _MISSING.match(text):
        return f"Add {_with_what_follows(match[1])}"
    match = _LACKS.match(text)
    who = match and (subject if PRONOUN.match(match[1]) else match[1])
    if not match or not who or not is_noun(who):
        return None
    if not match[2]:
        return f"Add {lower_first(who)}" if "missing" in text else None
    what = _DETERMINER.sub("", match[2])
    return f"Add {_with_what_follows(what, f' to {lower_first(who)}')}"


def _with_what_follows(text: str, end: str = "") -> str:
    """The first clause and `end`, and what the rest says would come of leaving it so."""
    cut = _CLAUSE_END.search(text)
    if cut is None:
        return text + end
    rest = text[cut.end() :]
    if match := re.match(r"which ((?:can|could|may|might|will|would|\w+s)\b.*)", rest):
        return f"{text[: cut.start()]}{end}; otherwise it {match[1]}"
    if match := re.match(r"so (?!that\b)(.*)", rest):
        return f"{text[: cut.start()]}{end}; otherwise {match[1]}"
    if (match := re.match(r"(\w+ing) (.*)", rest)) and (base := from_gerund(match[1])):
        return f"{text[: cut.start()]}{end}; otherwise it {third(base)} {match[2]}"
    told = BAD.search(rest) or not cut[0].startswith(",")
    joined = told and not re.match(r"(?:but|which|so|and)\b", rest)
    return f"{text[: cut.start()]}{end}{f': {lower_first(rest)}' if joined else ''}"


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


# What is stated of a subject

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
    r"(?:and|or|are|were|is|was|of|that|which|can|could|may|will|should|must)\b"
)
_BUT = re.compile(r",\s+(?:but|yet|however)\s+(?!(?:it|this|they|that)\b)(.+)$")
_BEFORE_MAIN = re.compile(
    r"^(?:in|when|if|while|although|since|because|given|with|for|as|on|after|at)\b[^,]*,\s+(.+)$",
    re.I,
)


def _stated(text: str, subject: str) -> str | None:
    text = _main_statement(text)
    for match in _FINITE.finditer(text):
        who, verb, rest = text[: match.start()].strip(), match[1], text[match.end() :].strip()
        if PRONOUN.match(who):
            who = subject
        plural = verb in BASES and who.endswith("s")
        if verb in _NO_VERBS or not (verb in _KINDS or from_third(verb) or plural):
            continue
        alone = not rest and (from_third(verb) or verb) not in _HAPPENS
        if verb not in _KINDS and (alone or _AFTER_NOUN.match(rest)):
            continue
        return _undo(lower_first(who), verb, rest) if is_noun(who) else None
    return None


#: What the second half of "A, but B" must not be: without a subject, or what another expects.
_NO_FAULT = re.compile(
    r"^(?:\w+s|was|were)\s(?:the|an?|[\ue000-\uf8ff])"
    r"|\b(?:expects?|requires?|accepts?|compares?|needs?)\b"
)


def _main_statement(text: str) -> str:
    """Of "A is an improvement, but B fails" the second half; of "In X, A fails" the main clause."""
    if (but := _BUT.search(text)) and not _NO_FAULT.search(but[1]):
        return but[1]
    while match := _BEFORE_MAIN.match(text):
        text = match[1]
    return text


#: What a library or a language does by its nature is no fault.
_BY_NATURE = frozenset(
    ["disallow", "forbid", "prohibit", "recommend", "suggest", "support", "deprecate"]
)


def _undo(who: str, verb: str, rest: str) -> str | None:
    match _KINDS.get(verb, "verb"):
        case "state":
            return _undo_state(who, rest)
        case "no state":
            return _undo_state(who, f"not {rest}")
        case "possible":
            return _undo_possible(who, rest)
        case "impossible":
            return f"Make sure {who} can {rest}"
        case "undone":
            return _do(who, rest)
        case "undone if not":
            return _do(who, rest[4:]) if rest.startswith("not ") else None
        case "adverb":
            return _undo_adverb(who, verb, rest)
        case "verb" if from_third(verb) in _BY_NATURE:
            return None
        case "verb" if re.search(r"\bbut (?:does not|doesn't|doesn’t|never|do not)\b", rest):
            return None
        case "verb":
            return f"Do not let {who} {from_third(verb) or verb} {_bases(rest)}".rstrip()
        case _:
            return None


_STATES: tuple[tuple[str, str], ...] = (
    (r"(?:un|not )defined\b", "Define {who} before using it"),
    (r"(?:never |not |un)(?:used|referenced|read)\b", "Remove {who} if nothing uses it"),
    (r"(?:redundant|unnecessary|unneeded|superfluous|obsolete|dead|unreachable)\b", "Remove {who}"),
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
            text = made.format(who=who, what=match[1] if match.groups() else "")
            return text if match.groups() else _with_what_follows(text + rest[match.end() :])
    match = re.match(rf"(not |never |no longer |only )?((?:{ADVERB} )*)([\w-]+)(.*)$", rest, re.I)
    base = from_participle(match[3]) if match else None
    if match is None or base is None:
        return None
    negation, adverbs, tail = (match[1] or "").strip().lower(), match[2], match[4]
    if negation == "only":
        return f"do not only {base} {who}{tail}"
    if negation:
        return f"{base} {_with_what_follows(who + tail)}"
    if base in _ALWAYS_AMISS or _AMISS.search(rest):
        return f"do not {adverbs}{base} {who}{tail}"
    return None


def _undo_possible(who: str, rest: str) -> str | None:
    if match := re.match(r"(?:not|never) (.*)$", rest):
        return f"Make {who} {match[1]}"
    match = re.match(rf"((?:{ADVERB} |still )*)(be )?([\w-]+)", rest, re.I)
    verb = match[3].lower() if match else ""
    if match is None or (verb not in BASES and not match[2]):
        return None
    if not BAD.search(rest) and verb not in (
        "return",
        "grow",
        "exceed",
        "differ",
        "allow",
        "cause",
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
    return f"Make {who} {base}{space}{tail}" if base else None


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
