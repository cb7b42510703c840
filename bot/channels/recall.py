"""Whether a finding only says again what its reader had been shown: no evidence (SPEC 6).

Otherwise a lesson that everybody reads would earn its own renewal. Pure; knows no pull request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.lessons.reading import in_order

RUN = 12  # consecutive tokens of a line; nobody finds so many again by chance (SPEC 6)
ADDRESS = 1000  # characters of a link before our folder; without a limit many `](` take for ever

_LINK = re.compile(
    rf"""(?: \]\(\s*<? | \]:\s*<? | href\s*=\s*["']? | https?:// )
    [^\s)>"']{{0,{ADDRESS}}} \.agent-corp/""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the block; a rule or a person's own line has no `id`.

    `since` is when its lesson was first heard of, None where that is not known.
    """

    text: str
    id: str | None = None
    since: datetime | None = None


def recalled(finding: str, shown: Iterable[Line], at: datetime) -> str | None:
    """What the finding of that time quotes, as a phrase for people; None: it is evidence.

    It does where it links into `.agent-corp/`, names the id of a shown line, or holds RUN
    consecutive tokens of one. A line that came to be later, perhaps of this very finding, cannot
    have been quoted.
    """
    if _LINK.search(finding):
        return "links into `.agent-corp/`"
    before = [line for line in shown if line.since is None or line.since < at]
    words = set(re.findall(r"\w+", finding.casefold()))
    named = next((line.id for line in before if line.id in words), None)
    if named is not None:
        return f"names `{named}`, which was shown for this pull request"
    runs = _runs(finding)
    quoted = next((line for line in before if not runs.isdisjoint(_runs(line.text))), None)
    if quoted is None:
        return None
    what = f"`{quoted.id}`" if quoted.id else "a line"
    return f"quotes {what}, which was shown for this pull request"


def _runs(text: str) -> set[tuple[str, ...]]:
    tokens = in_order(text)
    return {tokens[at : at + RUN] for at in range(len(tokens) - RUN + 1)}
