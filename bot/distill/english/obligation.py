"""Orders stated as obligations: "X should be checked" -> "Check X"."""

from __future__ import annotations

import re
from itertools import pairwise

from bot.distill.clauses import CODE, lower_first, upper_first
from bot.distill.english.order import Order, under
from bot.distill.lexicon import any_of, pattern
from bot.distill.verbs import from_participle, from_third

_ADVERB = any_of("english", "adverb")
_OBLIGING = pattern(
    "english",
    "obliging",
    r"\s({})(n't|n’t| not| never)?\s+"
    r"((?:(?:also|ideally|always|only|probably|either|instead|really|still|likely)\s+)*)",
)
#: "tests don't have to", "it would need to": nobody is obliged.
_NO_OBLIGATION = re.compile(
    r"(?:n't|n’t|\bnot|\bno|\bwould|\bwill|\bmay|\bmight|\bcould)$", re.IGNORECASE
)
_NEXT_OBLIGATION = re.compile(
    r",? and (?=(?:the|an?|each|every|all)\b[^,]*\b(?:must|should|needs? to|has to)\b)"
)
_NEEDS = re.compile(
    r"^(.+?) (?:still |also )?(?:needs|need|requires?) "
    r"((?:an?|its own|their own|some|one|another|more) .+)$"
)
#: "could be simplified": what can only be better is asked for.
_COULD_BE = re.compile(
    r"^(.+?) (?:can|could|might|may) be (?:further |better )?"
    rf"({any_of('english', 'bettered')})\b(.*)$",
    re.IGNORECASE,
)
#: What "this" should do where nothing tells what it is.
_BEGINS = re.compile(
    r"(?:use|return|raise|throw|check|go|call|log|validate|handle|include|close|await|accept|take)\s"
)
PRONOUN = re.compile(r"^(?:it|this|that|they|these|those|which)$", re.IGNORECASE)
_OPINION = re.compile(
    r"^(?:I (?:think|believe|feel|noticed)|it (?:seems|looks like)|note)(?: that)? ", re.IGNORECASE
)
_SUBORDINATE = re.compile(
    r"(?:when|if|given|since|because|for|in|to|as|while|although|with|after|before|on|once)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"(?:when|if|after|before|on|once|for|in)\b", re.IGNORECASE)
_SECOND_CLAUSE = re.compile(
    r"\b(?:so|but|that|because|since|and)\s+((?:the|a|an|each|every|all|both|it|they)\b.*)$"
)
_PLACE = re.compile(
    r"(?:in|inside|at|on|under|within|outside|before|after|above|below|of|part of)\s"
)
_VALUE = re.compile(rf"{CODE}|(?:true|false|null|none|zero|\d)", re.IGNORECASE)
_NO_NOUN_START = re.compile(
    r"(?:if|when|because|since|there|what|which|who|how|why|you|we|i|he|she|and|but|or|so|not|as"
    r"|with|in|on|for|at|from|by|to|while|although)\b",
    re.IGNORECASE,
)
_NO_NOUN = re.compile(
    r"[;:?!]|\s[–—-]\s|\b(?:is|are|was|were|has|have|will|should|must|can|could|may|might|would"
    r"|does|do|which|but|when|if|because|while)\b"
    r"|\b(?:that|and|or)$"
)
_DETERMINER_OR_CODE = rf"{CODE}|(?:the|an?|its|any|all|every|each|no)$"
_SAYING = frozenset(["state", "note", "claim", "mention", "document", "say", "ensure", "verify"])
_LONGEST_NOUN = 14  # words


def obligation(text: str, subject: str) -> Order | None:
    if not text.endswith("?") and (needs := _NEEDS.match(text)) and is_noun(needs[1]):
        return Order(f"Give {lower_first(needs[1])} {needs[2]}", 2)
    if (better := _COULD_BE.match(text)) and is_noun(better[1]):
        base = from_participle(better[2])
        return (
            Order(f"{upper_first(base)} {lower_first(better[1])}{better[3]}", 2) if base else None
        )
    match = _OBLIGING.search(text)
    if match is None or text.endswith("?") or _NO_OBLIGATION.search(text[: match.start()]):
        return None
    who, circumstance = _subject(text[: match.start()].strip())
    who = _OPINION.sub("", who)
    if who.lower() == "this" and not (subject or match[2]) and _BEGINS.match(text, match.end()):
        return Order(upper_first(text[match.end() :]), 2)
    if PRONOUN.match(who):
        who = subject
    if not is_noun(who):
        return None
    frequency = "only " if "only" in match[3] else "always " if "always" in match[3] else ""
    rest = _NEXT_OBLIGATION.split(text[match.end() :])[0]
    found = _oblige(lower_first(who), rest, bool(match[2]), frequency)
    return Order(under(circumstance, found), 2) if found else None


def is_noun(who: str) -> bool:
    """Whether this is a short noun phrase: no clause of its own, no verb, no open bracket."""
    if not who or len(who.split()) > _LONGEST_NOUN or who.count("(") != who.count(")"):
        return False
    first, _, second = who.partition(" ")
    if from_third(first) and re.match(rf"{CODE}|(?:the|an?|its|to)\b", second):
        return False
    if re.match(rf"\w+ing {CODE}", who):
        return False
    if not second and re.fullmatch(r"always|never|only|still|also|now|\w+ly", first, re.IGNORECASE):
        return False
    if first.lower() in _SAYING and second.startswith("that "):
        return False
    return not (_NO_NOUN_START.match(who) or _NO_NOUN.search(who) or _has_verb(who))


def _has_verb(who: str) -> bool:
    """Whether a word of the phrase governs the next one: "execute USES `db` which"."""
    words = who.split()
    return any(
        from_third(verb) and re.match(_DETERMINER_OR_CODE, following)
        for verb, following in pairwise(words[1:])
    )


def _subject(who: str) -> tuple[str, str]:
    """The subject behind a subordinate or a first clause, and that clause if it is a condition."""
    first = re.match(r"^(.*?),\s+(?:but|and|so|then|or)\s+(.+)$", who)
    if first and "," not in first[2]:
        return first[2], ""
    if "," in who:
        head, _, last = who.rpartition(", ")
        if not _SUBORDINATE.match(head):
            return "", ""
        return last.strip(), head if _CONDITION.match(head) else ""
    if shared := re.match(r"(.+?) (?:is|are|was|were|has|have|[a-z]+s) .*\b(?:and|but|so)$", who):
        return re.sub(r" \w+ly$", "", shared[1]), ""
    second = _SECOND_CLAUSE.search(who)
    if second and re.search(r"\b(?:is|are|was|were|has|have|will|can)\b", who[: second.start()]):
        return second[1], ""
    return who, ""


def _oblige(who: str, rest: str, negated: bool, frequency: str) -> str | None:
    state = re.match(r"be\s+(?:able to\s+(.*)|(.*))$", rest)
    if state is None:
        return _oblige_action(who, rest, negated, frequency)
    if state[1] is not None:
        return f"{'Do not let' if negated else 'Let'} {who} {state[1]}"
    return _oblige_state(who, state[2], negated, frequency)


def _oblige_action(who: str, rest: str, negated: bool, frequency: str) -> str | None:
    verb = rest.split(" ", 1)[0].lower()
    if verb == "have" and not negated:
        return f"Give {who} {rest[5:]}"
    if not re.fullmatch(r"[a-z]+(?:-[a-z]+)?", verb) or verb in ("not", "the", "a", "in", "of"):
        return None
    return f"Do not let {who} {rest}" if negated else f"Make {who} {frequency}{rest}"


def _oblige_state(who: str, state: str, negated: bool, frequency: str) -> str | None:
    both = re.match(r"(?:either )?([\w-]+) (and|or) ([\w-]+)(?=$|[\s,;])(.*)$", state)
    if both and (one := from_participle(both[1])) and (other := from_participle(both[3])):
        opening = "do not " if negated else ""
        return upper_first(f"{opening}{frequency}{one} {both[2]} {other} {who}{both[4]}")
    match = re.match(rf"((?:{_ADVERB} )*)([\w-]+)(?:\s+(.*)|([,;].*)?)$", state)
    base = from_participle(match[2]) if match else None
    if match and base and not re.match(r"(?:consistent|aware)", state):
        tail = f" {match[3]}" if match[3] else (match[4] or "")
        negation = "do not " if negated else ""
        return upper_first(f"{negation}{frequency}{match[1]}{base} {who}{tail}")
    if not state:
        return None
    verb = "Keep" if _PLACE.match(state) else "Set" if _VALUE.match(state) else "Make"
    to = "to " if verb == "Set" else ""
    return f"Do not {verb.lower()} {who} {to}{state}" if negated else f"{verb} {who} {to}{state}"
