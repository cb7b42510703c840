"""Where the file of a finding stands in its sentence: behind what is to be done."""

from __future__ import annotations

import re

from bot.distill.clauses import CODE
from bot.distill.material import Material
from bot.distill.settling import CONDITIONED
from bot.distill.verbs import BASES

#: Behind what is to be done begins what for, when, how or instead of what.
_ACTION_END = re.compile(
    r",|: |;| (?:so|because|instead|rather than|when|if|unless|before|without|which|while)\b"
    rf"| to (?=(?:{'|'.join(sorted(BASES))})\b)"
)
_LISTED = re.compile(r", [^,]{1,30}$")
_OPEN_WORD = re.compile(r"\b(?:only|even|just|both|either|whether|how|the|an?)$")


def placed_in_file(order: str, reason: str, material: Material) -> str:
    """With the finding's file, behind what is to be done and before why or when; without a file,
    where nothing is named, with the first name in the finding."""
    if not material.path:
        if not re.search(CODE, order + reason):
            name = material.name()
        else:
            name = material.file(order + reason) if ": " not in order else ""
        return f"{order} ({name})" if name else order
    if material.path in material.masked.unmask(order + reason):
        return order
    place = material.masked.word(material.path)
    begin = order.find(",") + 1 if CONDITIONED.match(order) else 0
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
