"""What rules of a branch a refusal names, from the words of GitHub over git or the API.

GH013 is a ruleset's refusal, GH006 that of a classic branch protection.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass


class Way(enum.Enum):
    """How a commit that was refused may still come in."""

    SIGNED = "signed"  # through the API, where GitHub signs
    PULL_REQUEST = "pull request"
    NONE = "none"


# In GitHub's words, as quoted in many public reports; a rule not listed leaves no way.
_WAYS: tuple[tuple[re.Pattern[str], Way], ...] = (
    (re.compile(r"verified signatures?", re.IGNORECASE), Way.SIGNED),
    (
        re.compile(
            r"through a pull request|through the merge queue|required status checks?|"
            r"approving reviews? (?:is|are) required|cannot update this protected ref|"
            r"not authorized to push to this branch|required deployment",
            re.IGNORECASE,
        ),
        Way.PULL_REQUEST,
    ),
)
_LINE = re.compile(r"^(?:remote: )?(?:- |error: |! )(?P<said>\S.*?)\s*$")
_REVIEW = re.compile(r"https?://\S+/rules\?\S+")
_HEADINGS = re.compile(r"GH0\d\d|failed to push|repository rule violations found", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """`rules` are the sentences of those that refused, `ways` how each may be kept.

    `classic`: of a branch protection. `page`: where a person sees the rules, where it was told.
    """

    rules: tuple[str, ...]
    ways: frozenset[Way]
    classic: bool = False
    page: str | None = None


def refusal(words: str) -> Refusal:
    """Reads what the remote said. Without a rule in it there is no way."""
    rules = [m["said"] for line in words.splitlines() if (m := _LINE.match(line.strip()))]
    rules = [rule for rule in rules if not _HEADINGS.search(rule)]
    if not rules and _HEADINGS.search(words):  # the API names them without a mark
        lines = [line.strip() for line in words.splitlines()]
        rules = [line for line in lines if line and not _HEADINGS.search(line)]
    ways = frozenset(_way(rule) for rule in rules) or frozenset({Way.NONE})
    page = _REVIEW.search(words)
    return Refusal(
        tuple(dict.fromkeys(rules)), ways, "GH006" in words, page.group() if page else None
    )


def _way(rule: str) -> Way:
    return next((way for pattern, way in _WAYS if pattern.search(rule)), Way.NONE)
