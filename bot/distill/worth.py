"""What teaches nothing (notices, pointers, summaries, approvals, replies) and what teaches little.

It judges sentences and findings by their words alone (lexicon/worth.txt), in the languages that
reviews are written in.
"""

from __future__ import annotations

import re

from bot.distill.english import BAD
from bot.distill.lexicon import pattern

_NOTHING = tuple(
    (reason, pattern("worth", reason))
    for reason in (
        "service notice",
        "pointer to comments elsewhere",
        "reply",
        "approval",
        "summary",
    )
)
_PRAISE = pattern("worth", "praise")
_SEEKING = pattern("worth", "seeking")
_REPORT = pattern("worth", "report")
_STYLE = pattern("worth", "style")
_ONE_PULL_REQUEST = pattern("worth", "one pull request")
_DISMISSED = pattern("worth", "dismissed")
_WEAK = pattern("worth", "weak")
_GRAVE = pattern("worth", "grave")


def nothing(sentence: str) -> str | None:
    """Why the sentence can teach nothing, or None; the reason is what the reader is shown."""
    bare = sentence.strip(" *_>-")
    for reason, words in _NOTHING:
        if words.search(bare):
            return reason
    if _ONE_PULL_REQUEST.search(bare):
        return "true of this pull request only"
    if _PRAISE.search(bare) and not BAD.search(_PRAISE.sub("", bare)):
        return "approval"
    return "question" if _SEEKING.match(bare) else None


def is_report(text: str) -> bool:
    """A remark that answers a review: its first line reports what was done."""
    first = next((line.strip(" *_>#-") for line in text.splitlines() if line.strip()), "")
    return bool(_REPORT.match(first))


def praises(sentence: str) -> bool:
    """Whether the sentence says that something is well, whatever else it says."""
    return bool(_PRAISE.search(sentence))


def is_praise(title: str) -> bool:
    """A title that only says that something is well."""
    if re.match(r"\W*(?:lgtm|positive|good|nice|great|well)\b", title, re.IGNORECASE):
        return True
    qualified = re.search(r"[;,—–-]|\bbut\b", title) or BAD.search(title)
    return bool(_PRAISE.search(title)) and not qualified


def is_minor(opening: str, text: str) -> bool:
    """A remark about style, true of this pull request only, or taken back by its reviewer."""
    bare = re.sub(r"`[^`]*`", "_", opening)
    slight = _STYLE.search(bare) or _ONE_PULL_REQUEST.search(bare)
    return bool(slight or _DISMISSED.search(text))


def gravity(text: str) -> int:
    """What a finding is about: 0 something breaks, 2 only words or tests change, else 1."""
    if _WEAK.search(text) and not re.search(r"security|crash|attack|data loss", text, re.I):
        return 2
    return 0 if _GRAVE.search(text) else 1
