"""Orders that a reviewer gives: in the imperative, or inside a frame such as "consider …ing"."""

from __future__ import annotations

import re

from bot.distill.clauses import CODE, lower_first, upper_first
from bot.distill.english.order import Order, is_order_text, under
from bot.distill.lexicon import any_of, pattern
from bot.distill.verbs import BASES, from_gerund, from_participle, from_third, is_order

ADVERB = any_of("english", "adverb")
#: Words that tell of a fault.
BAD = pattern("english", "bad", r"\b{}\b")
_BEFORE_BASE = pattern("english", "before base", r"^{}\s+")
_BEFORE_GERUND = pattern("english", "before gerund", r"^{}\s+(?:also |either |instead )?")
_BETTER_FOR = re.compile(
    rf"^(?:.{{0,80}}, )?(?:it\s+(?:{any_of('english', 'be')}|should be)|it's|it’s) "
    rf"{any_of('english', 'better')} (?:for|if) "
    rf"({CODE}|the [\w \ue000-\uf8ff]{{2,40}}?) to (\w+ .*)$",
    re.IGNORECASE,
)
_CIRCUMSTANCE = pattern("english", "circumstance", r"^{}\b[^.;:]*$")
_RATHER_NOT = re.compile(
    r"^(?:i(?:'d|’d| would) )?(?:also )?(?:prefer|rather)(?:(?: it)? if)? (?:we|you) "
    r"(?:didn't|didn’t|don't|don’t|did not|do not) ",
    re.IGNORECASE,
)
_NO_FAN = re.compile(
    r"^(?:i(?:'m|’m| am) )?not (?:(?:really )?(?:a )?(?:big |huge )?fan of|fond of|keen on"
    r"|happy (?:with|about)) (?:us )?(?=\w+ing\b)",
    re.IGNORECASE,
)
_MUST_NOT = re.compile(
    r"^(?:you (?:can't|can’t|cannot|can not)|(?:you|we) (?:shouldn't|shouldn’t|mustn't|mustn’t"
    r"|should not|must not|should never|must never)) (?=[a-z-]+ )",
    re.IGNORECASE,
)
_THING = re.compile(rf"(?:an?|the|some|another|{CODE})(?:\s|$)")
_CASE = re.compile(r"(?:the )?(?:case|edge case|scenario|situation)s?\b.*", re.IGNORECASE)
_OR_ASKED = re.compile(r",? or (?:should|is|are|do|does|can|could|would|will) .*$", re.IGNORECASE)
_BEING = re.compile(
    r"\s(?:more |very |as )?(?:careful|explicit|consistent|strict|sure|aware|conservative|specific"
    r"|precise|defensive|able)\b"
)
_UNIMPORTANT = re.compile(r"(?i)\b(?:also|instead|ideally|either) ")
_JOINED = re.compile(
    rf"(,? (?:and|or|then|and then|or at least|and/or)|,) ((?:{ADVERB} )?)([\w-]+ing)\b"
)
_MORE_JOINED = re.compile(r",? (?:and|or) \w+ing\b")
#: A gerund of its own hangs on a preposition; what is joined behind it belongs to that one.
_HANGING = re.compile(
    r"\b(?:by|for|without|of|when|while|from|before|after|than|to|via|as|,) (?:\w+ly )?\w+ing\b"
)
_MODAL = frozenset(["would", "will", "can", "could", "may", "might", "should"])
_OPEN_CLAUSE = re.compile(r"\b(?:when|if|while|where|that|which)(?: [\w\ue000-\uf8ff-]+){1,3}$")
_ADJECTIVE = re.compile(r"(?:mislead|miss|block|conflict|exist|dangl|confus)ing\b", re.IGNORECASE)
_GERUND_SUBJECT = re.compile(r"^([A-Z]?[\w-]+ing)\s+(.+)$")
_HALF = re.compile(r"\b(?:of|in|on|for|to|from|with|by|at|as|the|an?)$")
_PREDICATE = pattern("english", "predicate", r"^{}$")
_APPROVING = pattern(
    "english",
    "approving",
    r"^(?:(?:would|will|can|could|should|may|might|is|are|be|also|a|an|the|much|far|more|help)\s+)*"
    r"{}\b",
)
_LETS = re.compile(
    r"(?:(?:would|will|can|could|may|might|also) )*(?:enable|allow|help)s?\b", re.IGNORECASE
)
_AGAINST = ("avoid", "prevent", "eliminate", "reduce")
_DISAPPROVING = re.compile(r"\bnot\b|n't|n’t|\b(?:unsafe|risk|fails?)\b")
_GAIN = pattern(
    "english",
    "gain",
    r"(?:would |will |can |could |should |also |may |might )*(?:help |helps )?({})(?:s|es)?\b(.*)$",
)


def given(text: str) -> Order | None:
    if match := _BETTER_FOR.match(text):
        return Order(f"Make {match[1]} {match[2]}", 3)
    text, circumstance = _main_clause(text)
    question = text.endswith("?")
    text = _OR_ASKED.sub("", text) if question else text
    text = text.rstrip("? ")
    found = _framed(text)
    if found is None and not question and not _is_framed(text) and _is_plain_order(text):
        found = text
    return Order(under(circumstance, found), 3) if found else None


def _is_plain_order(text: str) -> bool:
    return is_order_text(text) and not re.match(r"consider\b", text, re.IGNORECASE)


def _is_framed(text: str) -> bool:
    frames = (_RATHER_NOT, _BEFORE_GERUND, _BEFORE_BASE)
    return any(frame.match(text) for frame in frames)


def _framed(text: str) -> str | None:
    if match := _RATHER_NOT.match(text):
        return "Do not " + text[match.end() :]
    if (match := _NO_FAN.match(text)) and (found := from_gerund_clause(text[match.end() :])):
        return f"Do not {lower_first(found)}"
    if (match := _MUST_NOT.match(text)) and text[match.end() :].split(" ", 1)[0] in BASES:
        return f"Do not {text[match.end() :]}"
    if match := _BEFORE_GERUND.match(text):
        rest = text[match.end() :]
        if re.match(r"(?:if|whether|how|what|that|why)\b", rest, re.IGNORECASE):
            return None
        if found := from_gerund_clause(rest):
            return found
        if "consider" in match[0].lower():
            if case := _CASE.match(rest):
                return f"Handle {case[0]}"
            return f"{'Use' if _THING.match(rest) else 'Consider'} {rest}"
        if "prefer" in match[0].lower():
            return f"Prefer {rest}"
    if match := _BEFORE_BASE.match(text):
        rest = re.sub(r"^(?:please|consider)\s+", "", text[match.end() :], flags=re.IGNORECASE)
        return from_gerund_clause(rest) or _from_base_clause(rest)
    return None


def _main_clause(text: str) -> tuple[str, str]:
    """The clause with the order, and what stands before: "For X, do Y" -> "do Y", "For X"."""
    for match in re.finditer(r",\s+(?:then\s+)?", text):
        head, rest = text[: match.start()], text[match.end() :]
        if not _CIRCUMSTANCE.match(head):
            return text, ""
        if head.count("(") != head.count(")"):
            continue
        words = rest.split()
        if _is_framed(rest) or (len(words) > 1 and is_order(words[0], words[1])):
            return rest, head
    return text, ""


def _from_base_clause(rest: str) -> str | None:
    match = re.match(
        rf"(not |never )?((?:{ADVERB} )*)(?:be able to )?([\w-]+)(.*)$", rest, re.IGNORECASE
    )
    if match is None:
        return None
    negation, verb, tail = (match[1] or "").lower(), match[3].lower(), match[4]
    adverbs = _UNIMPORTANT.sub("", match[2])
    if verb not in BASES and verb not in ("be", "do"):
        return None
    if verb == "be" and not _BEING.match(tail):
        return None  # what it should be is told of something else
    if verb == "be" and from_participle(tail.split(" ")[1] if tail else ""):
        return None
    if verb == "consider":
        return from_gerund_clause(tail.strip())
    if "never" in adverbs.lower():
        negation, adverbs = "never ", re.sub(r"(?i)never ", "", adverbs)
    opening = "do not " if negation == "not " else negation
    return upper_first(f"{opening}{adverbs}{verb}{tail}")


def from_gerund_clause(rest: str) -> str | None:
    """ "using X or adding Y" -> "Use X or add Y"."""
    match = re.match(rf"(not )?((?:{ADVERB} )*)([\w-]+)(.*)$", rest, re.IGNORECASE)
    if match is None:
        return None
    base = _base_of(match[3])
    if base is None or (base == "consider" and re.match(r" (?:if|whether|how)\b", match[4])):
        return None
    negation, adverbs = "do not " if match[1] else "", _UNIMPORTANT.sub("", match[2])
    return upper_first(f"{negation}{adverbs}{base}{_joined(match[4])}")


def _base_of(gerund: str) -> str | None:
    """ "early-returning" -> "early-return"."""
    first, hyphen, last = gerund.lower().replace("hard-cod", "hardcod").rpartition("-")
    base = from_gerund(last)
    return f"{first.lower()}{hyphen}{base}" if base else None


def _joined(tail: str) -> str:
    """Gerunds that are joined to the first one become bases as well."""
    done: list[str] = []
    position = 0
    for match in _JOINED.finditer(tail):
        base = from_gerund(match[3])
        between = tail[position : match.start()]
        if base is None or (match[1] == "," and not _MORE_JOINED.search(tail, match.end())):
            continue
        if _HANGING.search(between):
            break
        done.append(f"{between}{match[1]} {match[2]}{base}")
        position = match.end()
    return "".join(done) + tail[position:]


def gerund_parts(text: str) -> tuple[str, str, str] | None:
    """Base, object and predicate of a sentence whose subject is a gerund: "Using X leads to Y"."""
    match = None if _ADJECTIVE.match(text) else _GERUND_SUBJECT.match(text)
    base = _base_of(match[1]) if match else None
    if match is None or base is None:
        return None
    closed = 0
    for word in re.finditer(r"(?<=\s)[\w'’]+(?=\s|$)", match[2]):
        what, predicate = match[2][: word.start()].strip(), match[2][word.start() :]
        if word[0] not in _MODAL and _OPEN_CLAUSE.search(what, closed):
            if from_third(word[0]):
                closed = len(what)  # "calling X when Y FAILS leads to": the verb of the clause
            continue
        if what and not _HALF.search(what) and (_PREDICATE.match(word[0]) or from_third(word[0])):
            return base, what, predicate
    return None


def is_gain(verb: str, what: str) -> bool:
    """Whether it is good that `what` is avoided, made so, ensured: "make it flaky" is not."""
    verb = verb.lower()
    if verb in _AGAINST:
        return bool(BAD.search(what))
    return verb not in ("make", "keep") or not BAD.search(what)


def gerund_subject(text: str) -> Order | None:
    """ "Using X would be safer" -> "Use X"; the ones that do harm are faults."""
    parts = gerund_parts(text)
    if parts is None or "," in parts[1]:
        return None
    base, what, predicate = parts
    if not _APPROVING.match(predicate) or _DISAPPROVING.search(predicate):
        return None
    gain = _GAIN.match(predicate)
    if gain and not is_gain(gain[1], gain[2]):
        return None
    if not gain and _LETS.match(predicate) and BAD.search(predicate):
        return None  # it enables an attack
    aim = re.search(r"\bto ((?:ensure|avoid|prevent|recover|keep|handle|make)\b.*)$", predicate)
    end = f" to {gain[1]}{gain[2]}" if gain else f" to {aim[1]}" if aim else ""
    return Order(upper_first(f"{base} {what}{end}"), 3)
