"""From an order of an English finding to its sentence: settled, placed in its file, with why.

Nothing is cut in the middle of a clause; what cannot stand without its neighbours is not used.
"""

from __future__ import annotations

import re

from bot.distill import english
from bot.distill.choice import TITLE, Candidate, candidates, is_empty
from bot.distill.clauses import CODE, lower_first, upper_first
from bot.distill.english.broken import is_broken
from bot.distill.lexicon import pattern
from bot.distill.material import Material, subject
from bot.distill.placing import placed_in_file
from bot.distill.settling import CONDITIONED, POINTED, definite, independent, settled, shortened
from bot.distill.verbs import from_third
from bot.distill.worth import praises

_SHORTEST_REASON = 12
#: An order of this length that says why needs no other reason.
_TOLD_ENOUGH = 150

_LEANING_START = pattern("leaning", "leaning start", r"^{}\b")
_REASONED = pattern("leaning", "reasoned", r"\b{}|: (?:it|the)\b|;")
_CONSEQUENCE = pattern("leaning", "consequence", r"^(?:this|that|it|doing so|which)\s+({})$")
_GAIN = pattern(
    "english",
    "gain",
    r"^(?:this|that|doing so|it)\s+(?:will |would |can |could |also |helps? )*"
    r"({})(?:s|es)?\s+(.*)$",
)
#: A version or a count: two of them in one reason are true of one pull request only.
_FIGURE = re.compile(r"`v?\d[\d.,]*(?:-\w+)?`$")
#: "This loops over all of them."
_THIS_DOES = re.compile(r"^This(?= (?!is\b|was\b|has\b)[a-z]+s )")
_AUXILIARY = ("is", "are", "was", "were", "can", "could", "may", "might", "will", "would", "should")


def composed(material: Material) -> str | None:
    """The finding's sentence, masked, with its full stop; None where nothing of it stands alone."""
    for candidate in candidates(material):
        text = _sentence(candidate, material)
        if text and not is_broken(text):
            return text
    return _remembered(material)


def _sentence(candidate: Candidate, material: Material) -> str | None:
    order = settled(candidate, material)
    if order is None or is_empty(order):
        return None
    order = shortened(order, material, material.limit)
    if order is None:
        return None
    told = _REASONED.search(order) and material.length(order) > _TOLD_ENOUGH
    told = told or "; otherwise " in order or (candidate.sureness == 1 and ": " in order)
    reason = "" if told else _reason(order, candidate, material)
    placed = placed_in_file(order, reason, material)
    named = order + reason if re.search(CODE, order + reason) else ""
    for text in filter(None, (placed + reason, named, placed)):
        if material.length(text) <= material.limit:
            return upper_first(text) + "."
    return upper_first(order) + "."


# Its reason


def _reason(order: str, candidate: Candidate, material: Material) -> str:
    """ ": why", "; otherwise what happens" or " to gain what", or nothing."""
    if candidate.before and (reason := _why(order, candidate.before, material)):
        return reason
    sentences = [(TITLE, material.title), *enumerate(material.prose)]
    # A name tells less than a sentence.
    for index, sentence in sorted(sentences, key=lambda each: english.is_name(each[1])):
        if index == candidate.source or not sentence or sentence.endswith(("?", ":")):
            continue
        context = index < 2 if candidate.source == TITLE else index in (0, candidate.source - 1)
        if not (context or index == TITLE or english.BAD.search(sentence)):
            continue
        if english.order(sentence) or praises(sentence):
            continue
        if reason := _why(order, sentence.rstrip(". !"), material):
            return reason
    if candidate.sureness > 1:
        return _gain(order, material)
    return ""


def _why(order: str, sentence: str, material: Material) -> str:
    if match := _CONSEQUENCE.match(sentence):
        bad = english.BAD.search(match[1])
        return _fitting("; otherwise it " + match[1], order, material) if bad else ""
    statement = _statement(sentence, material)
    statement = _with_pronoun(statement, order)
    if len(_long_words(statement) - _long_words(order)) < 3:
        return ""
    return _fitting(": " + lower_first(statement), order, material)


def _with_pronoun(statement: str, order: str) -> str:
    """ "X is …" behind an order about X: "It is …"."""
    about = subject(statement)
    verb = re.match(r"\s(\w+)\b", statement[len(about) :])
    finite = verb and (verb[1] in _AUXILIARY or from_third(verb[1]))
    if not about or not finite or not re.search(rf"\S {re.escape(about)}(?!\w)", order):
        return statement
    return ("They" if about.endswith("s") else "It") + statement[len(about) :]


def _long_words(text: str) -> set[str]:
    return set(re.findall(rf"[a-z]{{4,}}|{CODE}", text.lower()))


def _gain(order: str, material: Material) -> str:
    if re.search(r"\bto (?:avoid|prevent|ensure|keep|make|reduce)\b", order):
        return ""
    for sentence in material.prose:
        match = _GAIN.match(sentence.rstrip(". "))
        if match and english.is_gain(match[1], match[2]):
            return _fitting(f" to {match[1].lower()} {match[2]}", order, material)
    return ""


def _statement(text: str, material: Material) -> str:
    """A fault that can stand after a colon, or nothing."""
    if but := re.match(r"^(.{3,90}?) (?:is|are|was) .*?,\s*but (?:it|they) (.+)$", text):
        text = f"{but[1]} {but[2]}"
    elif but := re.match(r"^(?:while|although|though)\b[^,(]*,\s+(.+)$", text, re.IGNORECASE):
        text = but[1]
    if text == _first(material):
        text = _THIS_DOES.sub("The code", text)
    text = definite(POINTED.sub("", english.bare(text)), material)
    text = independent(text)
    if text[:1] in tuple("}])>,;"):
        return ""
    if _LEANING_START.match(text) or re.search(r"\?|\bsuch an?\b|\blines? \d", text, re.I):
        return ""
    figures = (_FIGURE.match(material.masked.unmask(code)) for code in re.findall(CODE, text))
    if sum(map(bool, figures)) > 1:
        return ""
    return "" if re.match(r"(?:we|you|i|please|consider)\b", text, re.IGNORECASE) else text


def _first(material: Material) -> str:
    """The sentence in which a "this" can only mean the code that it stands at."""
    return "" if material.title or not material.prose else material.prose[0].rstrip(". !")


def _fitting(addition: str, order: str, material: Material) -> str:
    room = material.limit - material.length(order)
    fitting = shortened(addition, material, room) or ""
    if fitting != addition and CONDITIONED.match(fitting.lstrip(" :")) and "," not in fitting:
        return ""  # the condition is left, and what it conditions is gone
    return fitting if len(fitting) > _SHORTEST_REASON else ""


def _remembered(material: Material) -> str | None:
    """The last resort: the fault itself as something to keep in mind."""
    for sentence in [material.title, *material.prose]:
        text = _statement(sentence.rstrip(". :!"), material)
        if len(text.split()) < 5 or not english.BAD.search(text) or english.is_order_text(text):
            continue
        opening = "Avoid " if english.is_name(text) else "Remember that "
        if short := shortened(opening + lower_first(text), material, material.limit):
            placed = placed_in_file(short, "", material)
            if not is_broken(placed):
                return placed + "."
    return None
