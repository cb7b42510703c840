"""Chinese and Korean: orders in their plain directive."""

from __future__ import annotations

import re

from bot.distill.english import Order
from bot.distill.lexicon import any_of, pattern, rules

_ZH_OPENER = pattern("chinese", "opener", r"^{}[，,]?")
_ADVISED = re.compile(
    r"(?:(.*?)[，,；;])?\s*(?:这里)?(?:强烈)?"
    rf"{any_of('chinese', 'advice')}(?:您|你)?\s*(.{{4,}})$"
)
_OBLIGING = pattern("chinese", "obliging")
_DIRECTIVE = pattern("chinese", "directive", r"^{}")
_CONDITION = pattern("chinese", "condition", r"^{}")
_LEANING = pattern("chinese", "leaning", r"^{}")

_KO_OPENER = pattern("korean", "opener", r"^{}")
_KO_ENDS = tuple(
    (sureness, rules("korean", section))
    for sureness, section in ((3, "given"), (2, "obligation"), (1, "fault"))
)


def chinese(text: str) -> Order | None:
    text = _ZH_OPENER.sub("", text)
    if match := _ADVISED.match(text):
        before, order = match[1] or "", match[2]
        if not before or _LEANING.match(before):
            return Order(order, 3)
        return Order(
            f"{before}，{order}" if _CONDITION.match(before) else with_order(before, order), 3
        )
    if _OBLIGING.search(text):
        return Order(re.sub(r"应该|应当", "应", text), 2)
    return None


def with_order(fault: str, order: str) -> str:
    """Chinese: the fault, then what should be done about it."""
    return f"{fault}，{order}" if _DIRECTIVE.match(order) else f"{fault}，应{order}"


def korean(text: str) -> Order | None:
    text = _KO_OPENER.sub("", text)
    for sureness, ends in _KO_ENDS:
        for end, made in ends:
            if match := end.match(text):
                return Order(match.expand(made), sureness)
    return None
