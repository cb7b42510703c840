"""From an order of an English finding to its sentence: settled, placed in its file, with why.

Nothing is cut in the middle of a clause; what cannot stand without its neighbours is not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.distill import english
from bot.distill.choice import TITLE, Candidate, candidates, is_empty
from bot.distill.clauses import CODE, lower_first, upper_first
from bot.distill.english.referent import referents
from bot.distill.finding import PATH
from bot.distill.lexicon import any_of, pattern, words
from bot.distill.material import Material, subject
from bot.distill.verbs import BASES, from_third
from bot.distill.worth import praises

_SHORTEST_CLAUSE = 25
_SHORTEST_REASON = 12
#: An order of this length that says why needs no other reason.
_TOLD_ENOUGH = 150

_LEANING_START = pattern("leaning", "leaning start", r"^{}\b")
_UNSTORABLE = pattern("leaning", "unstorable", r"\b{}\b")
_REASONED = pattern("leaning", "reasoned", r"\b{}|: (?:it|the)\b|;")
_CONSEQUENCE = pattern("leaning", "consequence", r"^(?:this|that|it|doing so|which)\s+({})$")
_CLAUSE_END = pattern("leaning", "clause end")
_GAIN = pattern(
    "english",
    "gain",
    r"^(?:this|that|doing so|it)\s+(?:will |would |can |could |also |helps? )*"
    r"({})(?:s|es)?\s+(.*)$",
)
#: Behind what is to be done begins what for, when, how or instead of what.
_ACTION_END = re.compile(
    r",|: |;| (?:so|because|instead|rather than|when|if|unless|before|without|which|while)\b"
    rf"| to (?=(?:{'|'.join(sorted(BASES))})\b)"
)
_LISTED = re.compile(r", [^,]{1,30}$")
#: A version or a count: two of them in one reason are true of one pull request only.
_FIGURE = re.compile(r"`v?\d[\d.,]*(?:-\w+)?`$")
_OPEN_WORD = re.compile(r"\b(?:only|even|just|both|either|whether|how|the|an?)$")
#: A reason that a dash or only a comma joins.
_SPLICE = re.compile(r"\s[–—-]{1,2}\s|,\s+(?=(?:it|they)\s+\w+)")
_CONDITIONED = re.compile(r"(?:for|when|if|to|in|unless|where|once|before|after|during|on)\b", re.I)
_TAIL = re.compile(
    r"\s+(?:like|as) (?:so|follows|this|shown)$|,? such as:?$|,? e\.g\.,?$"
    r"|,? as (?:everywhere|elsewhere)(?: else)?$"
    r"|\s*\((?:e\.g\.|i\.e\.),?\s*\)|\s+(?:here|there|as well|too|accordingly)$"
)
_MENDING = re.compile(
    r"\bto (?:fix|address|resolve|solve|handle|mitigate) (?:this|the (?:issue|problem))\b,?\s*"
)
_POINTED = re.compile(
    rf"\b(?:this|these|those) (?:{any_of('leaning', 'kind of code')} )?(?={CODE})",
    re.IGNORECASE,
)
#: "the added checks": only its own pull request can tell which.
_ADDED = re.compile(
    r"\bthe (?:newly |just )?(?:added|introduced) (?=[a-z]+s\b)"
    r"|(?<=\bthe )(?:newly |just )?(?:added|introduced) ",
    re.IGNORECASE,
)
#: What these do needs an object: "initialize with X".
_NO_OBJECT = re.compile(
    r"^(initialize|replace|convert|wrap|rename|validate|cast|escape|close|guard) "
    r"(?=(?:with|in|by|using|via|to|into|from|before|after)\b)",
    re.IGNORECASE,
)
_AUXILIARY = ("is", "are", "was", "were", "can", "could", "may", "might", "will", "would", "should")
_OBJECT = re.compile(
    r"^((?:do not |never )?[\w-]+) "
    r"(?:this|it|them|that(?=$|\s(?:in|to|by|with|from|before|after|at|on)\b))(?=\s|$)",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(r"\b(this|these|those) (?![\ue000-\uf8ff])([A-Za-z][\w’'-]*)", re.I)
_GOVERNS = re.compile(rf"(?<=s) (?:the|an?|its|any|all|every|{CODE})\b")
_AFTER_PRONOUN = words("leaning", "after a pronoun")


def composed(material: Material) -> str | None:
    """The finding's sentence, masked, with its full stop; None where nothing of it stands alone."""
    for candidate in candidates(material):
        if text := _sentence(candidate, material):
            return text
    return _remembered(material)


def _sentence(candidate: Candidate, material: Material) -> str | None:
    order = _settled(candidate, material)
    if order is None or is_empty(order):
        return None
    order = _shortened(order, material, material.limit)
    if order is None:
        return None
    told = _REASONED.search(order) and material.length(order) > _TOLD_ENOUGH
    told = told or (candidate.sureness == 1 and bool(re.search(r": |; otherwise", order)))
    reason = "" if told else _reason(order, candidate, material)
    placed = _placed(order, reason, material)
    named = order + reason if re.search(CODE, order + reason) else ""
    for text in filter(None, (placed + reason, named, placed)):
        if material.length(text) <= material.limit:
            return upper_first(text) + "."
    return upper_first(order) + "."


# The order


def _said_before(candidate: Candidate, material: Material) -> Iterator[str]:
    """What an "it" may point to, from the nearest: the clause before, the sentences before, all."""
    yield candidate.before
    if 0 <= candidate.source < len(material.prose):
        yield from reversed(material.prose[: candidate.source])
    yield material.title
    yield from material.prose


def _settled(candidate: Candidate, material: Material) -> str | None:
    """The order without words that lean on its neighbours, or None when it cannot stand alone."""
    text = _MENDING.sub("", _TAIL.sub("", candidate.text.rstrip(" :;,")))
    text = _definite(_POINTED.sub("", _ADDED.sub("", text)), material)
    if ": " not in text and not _CONDITIONED.match(text):
        text = _SPLICE.sub(": ", text, count=1)
    if match := _OBJECT.match(text) or _NO_OBJECT.match(text):
        meant = referents(match[1], _said_before(candidate, material))
        about = next((who for who in meant if not PATH.match(material.masked.unmask(who))), "")
        if not about and match.re is _OBJECT:
            return None
        text = (
            f"{match[1]} {about}{text[match.end() :]}"
            if match.re is _OBJECT
            else (f"{match[1]} {about} {text[match.end() :]}" if about else text)
        )
    text = re.sub(r"[,.;](?=[\"”]$)", "", _TAIL.sub("", text))
    return _independent(text) or None


def _independent(text: str) -> str:
    """The text up to the clause that leans on its neighbours; nothing where it leans at once."""
    if leaning := _UNSTORABLE.search(text):
        ends = [m.start() for m in _CLAUSE_END.finditer(text, 0, leaning.start() + 1)]
        text = text[: ends[-1]] if ends and ends[-1] > _SHORTEST_CLAUSE else ""
    return text.strip(" ,;:—–-")


def _definite(text: str, material: Material) -> str:
    """ "this handler" by its name, or as "the handler"; a "this" for a clause disqualifies."""

    def article(match: re.Match[str]) -> str:
        word = match[2].lower()
        verb = match[1].lower() == "this" and from_third(word)
        if (
            word in _AFTER_PRONOUN
            or verb
            or word.endswith("ly")
            or _GOVERNS.match(match.string, match.end())
        ):
            return match[0]
        if name := material.named.get(word):
            return name
        return f"{'The' if match[1][0] == 'T' else 'the'} {match[2]}"

    return _DEMONSTRATIVE.sub(article, text)


def _shortened(text: str, material: Material, limit: int) -> str | None:
    """The text where it fits, else its longest beginning that ends with a clause and fits."""
    if material.length(text) <= limit:
        return text
    text = re.sub(r"\s*\([^()]*\)", "", text)
    while material.length(text) > limit:
        ends = [m.start() for m in _CLAUSE_END.finditer(text) if m.start() > _SHORTEST_CLAUSE]
        if not ends:
            return None
        text = text[: ends[-1]].rstrip(" ,;:—–-")
    return text


def _placed(order: str, reason: str, material: Material) -> str:
    """With the finding's file, behind what is to be done and before why or when; without a file,
    where nothing is named, with the first name in the finding."""
    if not material.path:
        name = material.name() if not re.search(CODE, order + reason) else ""
        return f"{order} ({name})" if name else order
    if material.path in material.masked.unmask(order + reason):
        return order
    place = material.masked.word(material.path)
    begin = order.find(",") + 1 if _CONDITIONED.match(order) else 0
    ends = (m.start() for m in _ACTION_END.finditer(order, begin))
    end = next((at for at in ends if _is_whole(order[:at], order[at:])), len(order))
    return f"{order[:end]} in {place}{order[end:]}"


def _is_whole(action: str, rest: str) -> bool:
    """Whether a place may stand between them: in no bracket, quotation, list or "only when"."""
    if (
        " " not in action
        or action.count("(") != action.count(")")
        or action.count("“") != action.count("”")
    ):
        return False
    if action.count('"') % 2 or _OPEN_WORD.search(action):
        return False
    listed = re.match(r", (?!and |or )[^,]{1,30},? (?:and|or) ", rest)
    return not listed and not (_LISTED.search(action) and re.match(r", (?:and|or) ", rest))


# Its reason


def _reason(order: str, candidate: Candidate, material: Material) -> str:
    """ ": why", "; otherwise what happens" or " to gain what", or nothing."""
    if candidate.before and (reason := _why(order, candidate.before, material)):
        return reason
    sentences = [(TITLE, material.title), *enumerate(material.prose)]
    for index, sentence in sentences:
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
    text = _definite(_POINTED.sub("", english.bare(text)), material)
    text = _independent(text)
    if text[:1] in tuple("}])>,;"):
        return ""
    if _LEANING_START.match(text) or re.search(r"\?|\bsuch an?\b|\blines? \d", text, re.I):
        return ""
    figures = (_FIGURE.match(material.masked.unmask(code)) for code in re.findall(CODE, text))
    if sum(map(bool, figures)) > 1:
        return ""
    return "" if re.match(r"(?:we|you|i|please|consider)\b", text, re.IGNORECASE) else text


def _fitting(addition: str, order: str, material: Material) -> str:
    room = material.limit - material.length(order)
    fitting = _shortened(addition, material, room) or ""
    if fitting != addition and _CONDITIONED.match(fitting.lstrip(" :")) and "," not in fitting:
        return ""  # the condition is left, and what it conditions is gone
    return fitting if len(fitting) > _SHORTEST_REASON else ""


def _remembered(material: Material) -> str | None:
    """The last resort: the fault itself as something to keep in mind."""
    for sentence in [material.title, *material.prose]:
        text = _statement(sentence.rstrip(". :!"), material)
        if len(text.split()) < 5 or not english.BAD.search(text) or english.is_order_text(text):
            continue
        opening = "Avoid " if english.is_name(text) else "Remember that "
        if short := _shortened(opening + lower_first(text), material, material.limit):
            return _placed(short, "", material) + "."
    return None
