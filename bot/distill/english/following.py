"""What a sentence says behind its first clause, told as what would come of leaving things so."""

from __future__ import annotations

import re

from bot.distill.clauses import lower_first
from bot.distill.english.given import BAD
from bot.distill.lexicon import any_of
from bot.distill.verbs import from_gerund, third

_CLAUSE_END = re.compile(
    r",\s+(?=(?:but|which|so|and this)\b"
    rf"|(?:{any_of('english', 'consequence')}|mean)\w*ing\b)"
    r"|;\s|\s[–—-]\s|: "
)
#: "causing Y", and "leaking Y" unless it is a subject: "accessing Y will fail".
_PARTICIPLE = re.compile(
    rf"((?={any_of('english', 'consequence')})\w+ing"
    r"|\w+ing(?!.*\b(?:will|would|can|could|may|might)\b)) (.*)"
)


def with_what_follows(text: str, end: str = "") -> str:
    """The first clause and `end`, and what the rest says would come of leaving it so."""
    cut = _CLAUSE_END.search(text)
    if cut is None:
        return text + end
    rest = text[cut.end() :]
    if match := re.match(r"which ((?:can|could|may|might|will|would|\w+s)\b.*)", rest):
        return f"{text[: cut.start()]}{end}; otherwise it {match[1]}"
    if match := re.match(r"so (?!that\b)(.*)", rest):
        return f"{text[: cut.start()]}{end}; otherwise {match[1]}"
    if (match := _PARTICIPLE.match(rest)) and (base := from_gerund(match[1])):
        return f"{text[: cut.start()]}{end}; otherwise it {third(base)} {match[2]}"
    told = BAD.search(rest) or not cut[0].startswith(",")
    joined = told and not re.match(r"(?:but|which|so|and)\b", rest)
    return f"{text[: cut.start()]}{end}{f': {lower_first(rest)}' if joined else ''}"
