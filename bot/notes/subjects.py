"""What the stories are about, and the checklist that alone ends them (SPEC 7). Pure.

A story is never deleted because its subject went: people tick, note by note, what nobody needs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection

from bot.notes.note import Kind, Note

_BOX = re.compile(r"^[ \t]*[-*+] \[(?P<tick>[ xX])\] `(?P<path>[^`\n]+)`", re.MULTILINE)
KEY = "subject:"


def named(subject: str) -> str:
    """A subject as two of them are compared: `./src/queue/` is `src/queue`."""
    return subject.strip().strip("`").removeprefix("./").strip("/").strip()


def is_about(note: Note, subject: str) -> bool:
    """Whether a story names the subject, or something below that directory."""
    name = named(subject).casefold()
    named_below = f"{named(note.subject).casefold()}/".startswith(f"{name}/")
    return note.kind is Kind.LESSON and bool(name) and named_below


def key_of(subject: str) -> str:
    """What the checklist of a subject is found by; a subject may hold any character."""
    digest = hashlib.sha256(named(subject).casefold().encode("utf-8", "replace")).hexdigest()
    return KEY + digest[:12]


def boxes(body: str) -> dict[str, bool]:
    """The notes that a checklist lists, by path, and whether each is ticked."""
    return {box["path"]: box["tick"] != " " for box in _BOX.finditer(body)}


def newly_ticked(before: str, after: str, now: str) -> frozenset[str]:
    """What one edit ticked, of a checklist that says `now`: a box unticked again is no order."""
    old, new, present = boxes(before), boxes(after), boxes(now)
    return frozenset(
        path
        for path, ticked in new.items()
        if ticked and path in old and not old[path] and present.get(path, False)
    )


def is_done(body: str, there: Collection[str]) -> bool:
    """Whether every note that a checklist lists is gone; `there` are the paths of those that are
    not."""
    listed = boxes(body)
    return bool(listed) and not any(path in there for path in listed)
