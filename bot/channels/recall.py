"""Whether a finding only says again what its reader had been shown: no evidence (SPEC 6).

Otherwise a lesson that everybody reads would earn its own renewal. Pure; knows no pull request.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.lessons.reading import in_order, tokens

RUN = 12  # consecutive tokens of a line; nobody finds so many again by chance (SPEC 6)
ADDRESS = 1000  # characters of a link before our folder; without a limit many `](` take for ever

_LINK = re.compile(
    rf"""(?: \]\(\s*<? | \]:\s*<? | href\s*=\s*["']? | https?:// )
    [^\s)>"']{{0,{ADDRESS}}} \.agent-corp/""",
    re.IGNORECASE | re.VERBOSE,
)

_ITEM = re.compile(r"^(?:[-*+]|[0-9]{1,3}[.)])[ \t]", re.MULTILINE)


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


def part_of(body: str, sentence: str) -> str:
    """What of a review's body a sentence was made of, so that one finding is judged by itself.

    Of a list the items that share half of its words or more, with what introduces the list; the
    whole body where none does.
    """
    starts = [item.start() for item in _ITEM.finditer(body)]
    items = [body[start:end] for start, end in itertools.pairwise([*starts, len(body)])]
    said = tokens(sentence)
    mine = [item for item in items if said and 2 * len(said & tokens(item)) >= len(said)]
    return "".join([body[: starts[0]], *mine]) if mine else body


def _runs(text: str) -> set[tuple[str, ...]]:
    tokens = in_order(text)
    return {tokens[at : at + RUN] for at in range(len(tokens) - RUN + 1)}
