"""From a finding in another language than English to its sentence."""

from __future__ import annotations

import re

from bot.distill import languages
from bot.distill.clauses import CODE, upper_first
from bot.distill.material import Material

_LEANING_START = re.compile(
    r"(?:これ|この|それ|その|ただし|这|此|이 |이는|그|Dies|Das |Esto|Cela|Isso|Это)"
)
_LEANING = re.compile(r"ため、|以下|上記|前述|次の|如下|上述|다음과|위의|[：:]$")
_POINTS_BACK = re.compile(r"これら|この|その")
_VAGUE = re.compile(r"(?:検討|確認|改善)する$|(?:검토|확인)하세요$")


def composed_in(material: Material) -> str | None:
    """The finding's sentence, masked, with its full stop; None where nothing of it fits."""
    sentences = [s for s in [material.title, *material.prose] if s]
    orders = [languages.order_in(material.language, sentence) for sentence in sentences]
    best = max(
        (index for index, order in enumerate(orders) if order),
        key=lambda index: _worth(orders[index], index),
        default=None,
    )
    faults = [
        sentence
        for index, (sentence, order) in enumerate(zip(sentences, orders, strict=True))
        if index != best and (order is None or order.sureness == 1)
    ]
    order = orders[best] if best is not None else None
    if order is not None:
        text = _with_fault(order.text, faults, material)
    elif faults:
        named = max(faults, key=lambda fault: len(re.findall(CODE, fault)))
        text = languages.heed(material.language, named)
    else:
        return None
    text = _placed(text.strip("、，, "), material)
    if material.length(text) > material.limit:
        return None
    return upper_first(text) + ("。" if material.language in ("ja", "zh") else ".")


def _worth(order: languages.Order | None, index: int) -> float:
    if order is None:
        return 0
    codes = min(3, len(re.findall(CODE, order.text)))
    vague = 15 if _VAGUE.search(order.text) else 0
    return order.sureness * 6 + 3 * codes + min(len(order.text), 60) / 10 - index * 0.5 - vague


def _with_fault(order: str, faults: list[str], material: Material) -> str:
    """The order behind the first fault that names more than it, where both fit."""
    told = set(re.findall(CODE, order))
    for fault in faults:
        if _LEANING_START.match(fault) or _LEANING.search(fault):
            continue
        whole = languages.joined(material.language, fault.rstrip(".。!！:： "), order)
        more = set(re.findall(CODE, fault)) - told or _POINTS_BACK.search(order)
        if (not told or more or material.length(whole) <= 100) and material.length(
            whole
        ) <= material.limit:
            return whole
    return order


def _placed(text: str, material: Material) -> str:
    if re.search(CODE, text) or not material.path:
        return text
    place = material.masked.word(material.path)
    return f"{place}では、{text}" if material.language == "ja" else f"{text} ({place})"
