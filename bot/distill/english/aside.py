"""What people say before or behind a remark and not in it: "hmm,", "fwiw", "I think"."""

from __future__ import annotations

from bot.distill.clauses import upper_first
from bot.distill.lexicon import any_of, pattern

_BEFORE = pattern(
    "english",
    "aside",
    r"^(?:{}(?:[\s,:;…–—-]|\.(?=[\s.]))+"
    rf"|{any_of('english', 'aside before a comma')}\s*[,:;…–—-]+\s*)+(?=\S)",
)
_BEHIND = pattern("english", "aside at the end", r",?\s+{}(?=\s*[.!?]*$)")


def without_asides(sentence: str) -> str:
    """The sentence without them; the whole of it where nothing else is in it."""
    text = _BEHIND.sub("", sentence)
    rest = _BEFORE.sub("", text, count=1)
    return upper_first(rest) if rest != text else text
