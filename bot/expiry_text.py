"""The words about founder notes that end soon: in the issue that lists them, and in Telegram.

Pure. What the issue lists is read back from its own text, so that nothing is told twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date

from bot.channels.expiring import Ending, Listed
from bot.distill.neutral import inert, visible
from bot.distill.redact import redact
from bot.talk import many, quoted

TITLE = "Founder notes that end soon"
SHOWN = 40  # of notes in one issue, those that end first: a body has a limit
NOTHING = "No founder note ends soon. This issue is opened again when one does."
_INTRODUCTION = (
    "Nobody kept these notes again for a long time, so they end: from that day on agents are not"
    " shown them, and search still finds them. To let one go, do nothing. To keep one, comment the"
    " line that stands under it, here or on any pull request; that takes write access."
)
_LISTED = re.compile(r"^- Ends on .*<!-- ([0-9a-f]{8}) ([0-9-]{10}) -->\s*$", re.MULTILINE)


def body(endings: Sequence[Ending], logins: Mapping[int, str]) -> str:
    """`logins` by numeric id; who is not among them has no account any more."""
    shown = endings[:SHOWN]
    parts = [_INTRODUCTION, *(_item(each, logins) for each in shown)]
    if len(endings) > len(shown):
        parts.append(f"{len(endings) - len(shown)} more end soon.")
    return "\n\n".join(parts)


def listed(body: str) -> frozenset[Listed]:
    """What a body tells of, whatever else people made of it; a day that cannot be is none."""
    found: set[Listed] = set()
    for bullet, ends in _LISTED.findall(body):
        with suppress(ValueError):
            found.add((bullet, date.fromisoformat(ends)))
    return frozenset(found)


def more(news: Sequence[Ending], logins: Mapping[int, str]) -> str:
    """A comment on what was added to an issue that was open already."""
    verb = "ends" if len(news) == 1 else "end"
    lines = [f"{many(len(news), 'more note')} {verb} soon, as listed above:", ""]
    return "\n".join([*lines, *(f"- {_when(each, logins)}: {quoted(each.text)}" for each in news)])


def in_chat(full_name: str, ending: Ending, login: str) -> str:
    """What the chat of a repository is told of one note."""
    told = f"{full_name}: a founder note {_when(ending, {ending.by or 0: login})}."
    return f"{told} To keep it, write here:\n\n/lesson {full_name} {inert(_words(ending))}"


def _item(ending: Ending, logins: Mapping[int, str]) -> str:
    """The text stands in a code block, where nothing acts and a click copies it."""
    mark = f"<!-- {ending.bullet} {ending.ends.isoformat()} -->"
    when = _when(ending, logins)
    return f"- {when[:1].upper()}{when[1:]}. {mark}\n\n  ```\n  /lesson {_words(ending)}\n  ```"


def _when(ending: Ending, logins: Mapping[int, str]) -> str:
    by = logins.get(ending.by) if ending.by is not None else None
    who = f"kept by {quoted(by)}" if by else "kept"
    return f"ends on {ending.ends}, {who} on {ending.kept_on} ({quoted(ending.ref)})"


def _words(ending: Ending) -> str:
    return " ".join(redact(visible(ending.text)).text.split())
