"""What a stated fault is undone by, by the kind of its verb: "is never closed" -> "close"."""

from __future__ import annotations

import re

from bot.distill.english.following import with_what_follows
from bot.distill.english.given import ADVERB, BAD
from bot.distill.lexicon import pattern, words
from bot.distill.verbs import BASES, from_participle, from_third

_AMISS = pattern("english", "amiss", r"\b{}\b")
#: What kind of statement a word makes that follows its subject; other verbs are plain.
KINDS: dict[str, str] = {
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
#: What a library or a language does by its nature is no fault.
_BY_NATURE = words("english", "by nature")
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
#: "could use a helper" suggests, "may contain spaces" tells, "may shut down first" fears.
_SUGGESTS = words("english", "verbs of suggestion")
#: What something does not do by its nature cannot be ordered.
BEYOND_US = frozenset(["support", "allow", "guarantee", "exist", "occur", "apply", "work", "mean"])


def undo(who: str, verb: str, rest: str) -> str | None:
    """The order against "who verb rest"; None where that has no single opposite."""
    match KINDS.get(verb, "verb"):
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
            return f"Do not let {who} {from_third(verb) or verb} {bases(rest)}".rstrip()
        case _:
            return None


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


def _do(who: str, rest: str) -> str | None:
    """ "X does not do Y" -> "Make X do Y"."""
    if re.search(r"\b(?:and|but) ([a-z]+s)\b", rest) and any(
        from_third(word) for word in re.findall(r"\b(?:and|but) ([a-z]+s)\b", rest)
    ):
        return None  # "does not do A and does B": the second half is no fault to undo
    rest = re.sub(r"^(?:currently|properly|actually|yet|even|always|correctly) ", "", rest)
    word, space, tail = rest.partition(" ")
    base = word if word.lower() in BASES else from_third(word)
    if base in BEYOND_US:
        return None
    return f"Make {who} {base}{space}{with_what_follows(tail)}" if base else None


def _undo_adverb(who: str, adverb: str, rest: str) -> str | None:
    word, _, tail = rest.partition(" ")
    base = from_third(word)
    if base in (None, "be") or (adverb == "only" and re.search(r"\bbut\b", tail)):
        return None
    kept = "" if adverb in ("still", "also") else f"{adverb} "
    return f"Do not let {who} {kept}{base} {bases(tail)}".rstrip()


def bases(tail: str) -> str:
    """ "swallows A and returns B": what is joined to a verb that became a base becomes one too."""

    def joined(match: re.Match[str]) -> str:
        base = from_third(match[2])
        return f"{match[1]}{base}" if base and base not in ("be", "have", "do") else match[0]

    return re.sub(r"(,? (?:and|or|but|then|and then) )([a-z]+s)(?= )", joined, tail)
