"""Questions that hide a request: "Should X be awaited?", "What if X is null?"."""

from __future__ import annotations

import re

from bot.distill.clauses import CODE
from bot.distill.english.obligation import obligation
from bot.distill.english.order import Order

_NO_PRONOUN = r"(?!(?:this|that|it|we|you|i|these|they)\b)"
_SHOULD = re.compile(
    r"^(?:should|shouldn't|shouldn’t|must|mustn't)\s+(?:not\s+)?"
    rf"((?:the |an? |all |every )?(?:[\w-]+ ){{0,3}}?(?:{CODE}|{_NO_PRONOUN}[\w-]+))"
    r"\s+((?:also |only |instead )*"
    r"(?:be |have |use |return |throw |raise |call |include |go |live ).*)\?$",
    re.IGNORECASE,
)
_NEEDED = re.compile(r"^(?:do|don't|don’t) we (?:also |still |really )?need (to )?(.+)\?$", re.I)
_WHAT_IF = re.compile(
    r"^(?:(?:and |but )?what (?:if|happens (?:if|when|once))"
    r"|how (?:does|do|will) \w+ behave (?:if|when)) (.+)\?$",
    re.IGNORECASE,
)
_CAN_BE = re.compile(
    rf"^(?:can|could|may|might) ((?:the )?(?:[\w-]+ ){{0,2}}?(?:{CODE}|{_NO_PRONOUN}\w+))"
    r" (?:ever )?be ((?:null|nil|none|undefined|empty|negative|zero|missing)\b.*)\?$",
    re.IGNORECASE,
)


def asked(text: str) -> Order | None:
    if match := _SHOULD.match(text):
        return obligation(f"{match[1]} should {match[2]}", "")
    if match := _NEEDED.match(text):
        need = match[2].strip()
        return Order(
            f"Check whether to {need}" if match[1] else f"Check whether {need} is needed", 2
        )
    if match := _WHAT_IF.match(text):
        return Order(f"Handle the case where {match[1]}", 2)
    if match := _CAN_BE.match(text):
        return Order(f"Handle the case where {match[1]} is {match[2]}", 2)
    return None
