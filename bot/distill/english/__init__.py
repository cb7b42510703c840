"""English: from a reviewer's sentence to an order.

Three ways, from the surest to the least: the sentence gives an order inside a frame ("consider
using X", `given`), it states an obligation ("X should be checked", `obligation`), or it states a
fault that has exactly one opposite ("X is used without Y" -> "Do not use X without Y", `fault`).
Negations are carried over, never dropped: a sentence that fits no rule gives nothing. Works on
masked text.
"""

from __future__ import annotations

from bot.distill.english.asked import asked
from bot.distill.english.fault import opposite
from bot.distill.english.given import BAD, gerund_subject, given, is_gain
from bot.distill.english.named import is_name
from bot.distill.english.obligation import obligation
from bot.distill.english.order import Order, bare, is_order_text, titled

__all__ = [
    "BAD",
    "Order",
    "bare",
    "is_gain",
    "is_name",
    "is_order_text",
    "opposite",
    "order",
    "titled",
]


def order(sentence: str, subject: str = "") -> Order | None:
    """The order that the sentence gives; `subject` is what a leading "it" or "this" stands for."""
    text = bare(sentence)
    if not text:
        return None
    return given(text) or gerund_subject(text) or obligation(text, subject) or asked(text)
