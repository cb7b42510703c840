"""Whether a finding only says again what its reader had been shown: no evidence (SPEC 6).

Otherwise a lesson that everybody reads would earn its own renewal. Pure; knows no pull request.
"""

from __future__ import annotations

import enum
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

_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,3}[.)])[ \t]")
_HEADING = re.compile(r"#{1,6}[ \t]")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
# What begins so, or is so short in tokens, speaks of what stands before it: "See 3f9a2c1d."
_POINTS_BACK = re.compile(r"(?:this|that|these|those|it|same|see|as)\b", re.IGNORECASE)
_SHORT = 8


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

    Of its paragraphs and list items those that share half of its words or more, with what leads to
    them; the whole body where none does.
    """
    said = tokens(sentence)
    mine = [
        lead + own
        for lead, own in _findings(body)
        if said and 2 * len(said & tokens(own)) >= len(said)
    ]
    return "\n".join(mine) or body


class _Kind(enum.Enum):
    HEADING = enum.auto()
    QUOTE = enum.auto()
    ITEM = enum.auto()
    PARAGRAPH = enum.auto()


def _findings(body: str) -> list[tuple[str, str]]:
    """Each paragraph and list item, after its heading and what introduces it: a quotation, the
    paragraph before a list, one that ends with a colon. What points back goes with what it means.
    """
    found: list[tuple[str, str]] = []
    heading = lead = listed = ""
    alone = True  # nothing stands before it that it could point back to
    for kind, text in _blocks(body):
        if kind is _Kind.HEADING:
            heading, lead, listed, alone = text, "", "", True
        elif kind is _Kind.ITEM:
            found.append((heading + listed, text))
            lead, alone = "", False
        elif kind is _Kind.PARAGRAPH and (alone or not _points_back(text)):
            found.append((heading + lead, text))
            introduces = text.rstrip().endswith(":")
            lead, listed, alone = text if introduces else "", lead + text, introduces
        else:
            if found:
                found[-1] = (found[-1][0], found[-1][1] + text)
            if kind is _Kind.QUOTE:
                lead, listed, alone = lead + text, lead + text, True
    return found


def _points_back(paragraph: str) -> bool:
    return _POINTS_BACK.match(paragraph) is not None or len(tokens(paragraph)) < _SHORT


def _blocks(body: str) -> list[tuple[_Kind, str]]:
    """In order; a fence and what is indented go with what they follow."""
    found: list[tuple[_Kind, str]] = []
    fenced, blank = False, True
    for line in body.splitlines(keepends=True):
        kind = None if fenced or not line.strip() else _begins(line, blank)
        if kind is None and found:
            found[-1] = (found[-1][0], found[-1][1] + line)
        elif line.strip():
            found.append((kind or _Kind.PARAGRAPH, line))
        fenced = fenced != bool(_FENCE.match(line))
        blank = not line.strip()
    return found


def _begins(line: str, blank: bool) -> _Kind | None:
    """What begins with this line; `blank`: the one before it is."""
    if _ITEM.match(line):
        return _Kind.ITEM
    if _HEADING.match(line):
        return _Kind.HEADING
    if not blank or line[0].isspace() or _FENCE.match(line):
        return None
    return _Kind.QUOTE if line.startswith(">") else _Kind.PARAGRAPH


def _runs(text: str) -> set[tuple[str, ...]]:
    tokens = in_order(text)
    return {tokens[at : at + RUN] for at in range(len(tokens) - RUN + 1)}
