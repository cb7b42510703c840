"""An order or a reason that stands alone: what leans on its neighbours is named or left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.distill.choice import Candidate
from bot.distill.clauses import CODE
from bot.distill.english.referent import referents
from bot.distill.english.splice import told_behind
from bot.distill.finding import PATH
from bot.distill.lexicon import any_of, pattern, words
from bot.distill.material import Material
from bot.distill.verbs import from_third

_SHORTEST_CLAUSE = 25
_UNSTORABLE = pattern("leaning", "unstorable", r"\b{}\b")
_CLAUSE_END = pattern("leaning", "clause end")
#: A reason that a dash or only a comma joins.
_SPLICE = re.compile(r"\s[–—-]{1,2}\s|,\s+(?=(?:it|they)(?:['’]\w+)?\s+\w+)")
CONDITIONED = re.compile(r"(?:for|when|if|to|in|unless|where|once|before|after|during|on)\b", re.I)
_TAIL = re.compile(
    r"\s+(?:like|as) (?:so|follows|this|shown)$|,? such as:?$|,? e\.g\.,?$"
    r"|,? as (?:everywhere|elsewhere)(?: else)?$"
    r"|\s*\((?:e\.g\.|i\.e\.),?\s*\)|\s+(?:here|there|as well|too|accordingly)$"
)
_MENDING = re.compile(
    r"\bto (?:fix|address|resolve|solve|handle|mitigate) (?:this|the (?:issue|problem))\b,?\s*"
)
POINTED = re.compile(
    rf"\b(?:this|these|those) (?:{any_of('leaning', 'kind of code')} )?(?={CODE})",
    re.IGNORECASE,
)
#: "the added checks": only its own pull request can tell which.
_ADDED = re.compile(
    r"\bthe (?:newly |just )?(?:added|introduced) (?=[a-z]+s\b)"
    r"|(?<=\bthe )(?:newly |just )?(?:added|introduced) ",
    re.IGNORECASE,
)
#: Asides are left out before clauses are, but for those that name something.
_ASIDES = (
    re.compile(r"(?!)"),
    re.compile(rf"\s+\((?!{CODE}\))[^()]*\)"),
    re.compile(r"\s+\([^()]*\)"),
)
_JOINED_GERUND = re.compile(
    r",\s(?:\w+ly\s)?\w+ing(?:\s[^\s,;:]+){2,}?(\s(?:and|or)\s)(?=(?:\w+ly\s)?\w+ing\b)"
)
_JOINT = re.compile(r"(?:,?\s+(?:but|and|or|so|because|since|while|which|although))+$")
#: What these do needs an object: "initialize with X".
_NO_OBJECT = re.compile(
    r"^(initialize|replace|convert|wrap|rename|validate|cast|escape|close|guard|reword|change) "
    r"(?=(?:with|in|by|using|via|to|into|from|before|after)\b)",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"^((?:do not |never )?[\w-]+) "
    r"(this|it|them|that(?=$|\s(?:in|to|by|with|from|before|after|at|on)\b))(?=[\s,;:]|$)",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(r", otherwise (?![^()]*\))")
_DEMONSTRATIVE = re.compile(r"\b(this|these|those) (?![\ue000-\uf8ff])([A-Za-z][\w’'-]*)", re.I)
_GOVERNS = re.compile(rf"(?<=s) (?:the|an?|its|any|all|every|{CODE})\b")
_AFTER_PRONOUN = words("leaning", "after a pronoun")


def settled(candidate: Candidate, material: Material) -> str | None:
    """The order without words that lean on its neighbours, or None when it cannot stand alone."""
    text = _MENDING.sub("", _TAIL.sub("", candidate.text.rstrip(" :;,")))
    text = definite(POINTED.sub("", _ADDED.sub("", text)), material)
    text = _OTHERWISE.sub("; otherwise ", text)
    splice = None if ": " in text or CONDITIONED.match(text) else _SPLICE.search(text)
    if splice and text.count("(", 0, splice.start()) == text.count(")", 0, splice.start()):
        text = f"{text[: splice.start()]}: {text[splice.end() :]}"
    if not splice and ": " not in text and (end := told_behind(text)) > 0:
        text = f"{text[:end]}: {text[end + 2 :]}"
    if match := _OBJECT.match(text) or _NO_OBJECT.match(text):
        pronoun = match[2] if match.re is _OBJECT else ""
        meant = referents(match[1], pronoun, _said_before(candidate, material))
        about = next((who for who in meant if not PATH.match(material.masked.unmask(who))), "")
        if not about and match.re is _OBJECT:
            return None
        text = (
            f"{match[1]} {about}{text[match.end() :]}"
            if match.re is _OBJECT
            else (f"{match[1]} {about} {text[match.end() :]}" if about else text)
        )
    text = re.sub(r"[,.;](?=[\"”]$)", "", _TAIL.sub("", text))
    return independent(text) or None


def _said_before(candidate: Candidate, material: Material) -> Iterator[str]:
    """What an "it" may point to, from the nearest: the clause before, the sentences before, all."""
    yield candidate.before
    if 0 <= candidate.source < len(material.prose):
        yield from reversed(material.prose[: candidate.source])
    yield material.title
    yield from material.prose


def independent(text: str) -> str:
    """The text up to the clause that leans on its neighbours; nothing where it leans at once."""
    if leaning := _UNSTORABLE.search(text):
        ends = [m.start() for m in _CLAUSE_END.finditer(text, 0, leaning.start() + 1)]
        text = text[: ends[-1]] if ends and ends[-1] > _SHORTEST_CLAUSE else ""
    return _ended(text)


def _ended(text: str) -> str:
    """Without the joint that a clause leaves behind it when it goes."""
    return _JOINT.sub("", text.strip(" ,;:—–-"))


def definite(text: str, material: Material) -> str:
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


def shortened(text: str, material: Material, limit: int) -> str | None:
    """The text where it fits, else its longest beginning that ends with a clause and fits."""
    found: list[str] = []
    for aside in _ASIDES:
        text = shorter = aside.sub("", text)
        while material.length(shorter) > limit and (end := _last_end(shorter, material)):
            shorter = _JOINT.sub("", shorter[:end].rstrip(" ,;:—–-"))
        if material.length(shorter) <= limit:
            found.append(shorter)
    return max(found, key=material.length, default=None)


def _last_end(text: str, material: Material) -> int:
    """Where the last clause begins that is not the first; 0 where there is no other."""
    ends = [match.start() for match in _CLAUSE_END.finditer(text)]
    ends += [match.start(1) for match in _JOINED_GERUND.finditer(text)]
    return max((end for end in ends if _is_clause(text[:end], material)), default=0)


def _is_clause(text: str, material: Material) -> bool:
    return material.length(text) > _SHORTEST_CLAUSE and text.count("(") == text.count(")")
