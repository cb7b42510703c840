"""The bullet: one sentence and its trailer, exact to the byte (SPEC 2).

Pure text. This module must not know files, stores or where evidence comes from.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from datetime import date


class Verdict(enum.StrEnum):
    """The channel that produced a bullet."""

    CHANGES_REQUESTED = "changes_requested"
    CI_FIX = "ci_fix"
    FOUNDER_NOTE = "founder_note"


class Flag(enum.StrEnum):
    """Why a bullet no longer counts."""

    OVERRIDDEN = "overridden"
    STALE = "stale"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Retirement:
    """`cause`: `#pr` for overridden, the paths for stale, None for expired."""

    flag: Flag
    on: date
    cause: str | None = None

    def __str__(self) -> str:
        head = f"{self.flag} {self.on.isoformat()}"
        return f"{head}: {self.cause}" if self.cause else head


@dataclass(frozen=True, slots=True)
class Trailer:
    """Provenance. `ref` is `#12`, `owner/repo#12` or `manual`; `on` is a UTC date."""

    ref: str
    on: date
    verdict: Verdict
    retirement: Retirement | None = None

    def __str__(self) -> str:
        tail = f"; {self.retirement}" if self.retirement else ""
        return f"({self.ref}, {self.on.isoformat()}, {self.verdict}{tail})"


@dataclass(frozen=True, slots=True)
class Spans:
    """Where the replaceable parts stand in the raw text; each is (start, end) in characters."""

    ref: tuple[int, int]
    on: tuple[int, int]
    close: int  # of the closing parenthesis
    start: int  # of the opening parenthesis
    end: int  # past the trailer and its id comment


_REF = r"(?:[A-Za-z0-9._-]+/[A-Za-z0-9._-]+)?[#][1-9][0-9]{0,9}|manual"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_START = re.compile(rf"\((?=(?:{_REF}),\s)")
# Up to the cause, if there is one. Where a trailer ends is found once, from the end of the line:
# a pattern that tried each `(` up to each `)` took hours for a megabyte of them.
_TRAILER = re.compile(
    rf"""\((?P<ref>{_REF}),\s+(?P<on>{_DATE}),\s+(?P<verdict>{"|".join(Verdict)})
    (?:;\s+(?P<flag>{"|".join(Flag)})\s+(?P<retired>{_DATE})(?P<colon>:\s+(?=\S))?)?""",
    re.VERBOSE,
)
_ID = re.compile(r"<!--\s*(?P<id>[0-9a-f]{8})\s*-->")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a bullet's raw text says. `trailer` is None for a line that is a person's."""

    text: str
    trailer: Trailer | None = None
    id: str | None = None
    struck: bool = False
    spans: Spans | None = None


def _day(text: str, today: date) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day <= today else None


def _plain(raw: str) -> tuple[str, bool]:
    """The text on one line, and whether a person struck it through."""
    text = " ".join(raw.split())
    if len(text) > 4 and text.startswith("~~") and text.endswith("~~"):
        return text[2:-2].strip(), True
    return text, False


@functools.lru_cache(maxsize=512)  # a dozen full stores: a write reads most lines five times
def read(raw: str, today: date) -> Reading:
    """Reads the raw text of one bullet, without its marker; line breaks inside are white space.

    An impossible or future date makes the trailer unreadable: the line is then a person's.
    """
    line = raw.rstrip()
    # A person may strike the whole line, trailer included.
    end = len(line) - 2 if line.lstrip().startswith("~~") and line.endswith("~~") else len(raw)
    comment = _id_comment(raw[:end])
    close = len(raw[: comment.start() if comment else end].rstrip()) - 1
    starts = [m.start() for m in _START.finditer(raw)] if raw[close : close + 1] == ")" else []
    for start in reversed(starts):
        found = _TRAILER.match(raw, start, close)
        trailer = _trailer(found, today) if found else None
        if found is None or trailer is None:
            continue
        text, struck = _plain(raw[:start] + raw[end:])
        if not text:
            continue
        spans = Spans(found.span("ref"), found.span("on"), close, start, end)
        return Reading(text, trailer, comment["id"] if comment else None, struck, spans)
    comment = _id_comment(raw)
    text, struck = _plain(raw[: comment.start()] if comment else raw)
    return Reading(text, id=comment["id"] if comment else None, struck=struck)


def _id_comment(raw: str) -> re.Match[str] | None:
    """The id comment that a text ends with."""
    closed = raw.rstrip()
    return _ID.fullmatch(closed, max(closed.rfind("<!--"), 0))


def _trailer(found: re.Match[str], today: date) -> Trailer | None:
    """Of a match whose `endpos` is the closing parenthesis; a cause is all between the two."""
    raw, begin, close = found.string, found.end(), found.endpos
    if raw[close - 1].isspace() if found["colon"] else begin < close:
        return None
    on = _day(found["on"], today)
    if on is None:
        return None
    retirement = None
    if found["flag"]:
        retired = _day(found["retired"], today)
        if retired is None:
            return None
        cause = " ".join(raw[begin:close].split()) or None
        retirement = Retirement(Flag(found["flag"]), retired, cause)
    return Trailer(found["ref"], on, Verdict(found["verdict"]), retirement)


def with_evidence(raw: str, spans: Spans, ref: str, on: date) -> str:
    """The same raw text with another REF and DATE; every other byte stays (SPEC 3.6)."""
    return (
        raw[: spans.ref[0]]
        + ref
        + raw[spans.ref[1] : spans.on[0]]
        + on.isoformat()
        + raw[spans.on[1] :]
    )


def with_retirement(raw: str, spans: Spans, retirement: Retirement) -> str:
    """The same raw text with a flag; only for a bullet that has none."""
    return f"{raw[: spans.close]}; {retirement}{raw[spans.close :]}"


def with_id(raw: str, spans: Spans, bullet: str) -> str:
    """The same raw text with the id comment that it lacks."""
    return f"{raw[: spans.close + 1]} <!-- {bullet} -->{raw[spans.close + 1 :]}"


def struck(raw: str, spans: Spans) -> str:
    """The same raw text with its sentence struck through, as a person retires it by hand."""
    text = raw[: spans.start].rstrip()
    return f"~~{text}~~{raw[len(text) :]}"


def line(text: str, trailer: Trailer, bullet: str) -> str:
    """A new bullet's line, without its line ending."""
    return f"- {text} {trailer} <!-- {bullet} -->"


def bullet_id(text: str, source: str, taken: Container[str] = ()) -> str:
    """First 8 hex digits of SHA-256(text in NFC, LF, source); when taken, with `#2`, `#3`, … added.

    `taken` holds the ids in the file and in the events.
    """
    seed = f"{unicodedata.normalize('NFC', text)}\n{source}"
    attempt = 1
    while True:
        suffix = "" if attempt == 1 else f"#{attempt}"
        found = hashlib.sha256((seed + suffix).encode("utf-8", "surrogateescape")).hexdigest()[:8]
        if found not in taken:
            return found
        attempt += 1
