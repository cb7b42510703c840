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
_TRAILER = re.compile(
    rf"""\((?P<ref>{_REF}),\s+(?P<on>{_DATE}),\s+(?P<verdict>{"|".join(Verdict)})
    (?:;\s+(?P<flag>{"|".join(Flag)})\s+(?P<retired>{_DATE})(?::\s+(?P<cause>\S(?:.*\S)?))?)?
    \)(?:\s*<!--\s*(?P<id>[0-9a-f]{{8}})\s*-->)?\s*""",
    re.VERBOSE | re.DOTALL,
)
_LONE_ID = re.compile(r"\s*<!--\s*(?P<id>[0-9a-f]{8})\s*-->\s*\Z")


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
    for start in reversed([m.start() for m in _START.finditer(raw)]):
        found = _TRAILER.fullmatch(raw, start)
        if found is None:
            # A person may strike the whole line, trailer included.
            closed = raw.rstrip()
            if not (raw.lstrip().startswith("~~") and closed.endswith("~~")):
                continue
            found = _TRAILER.fullmatch(raw, start, len(closed) - 2)
            if found is None:
                continue
        trailer = _trailer(found, today)
        if trailer is None:
            continue
        text, struck = _plain(raw[:start] + raw[found.end() :])
        if not text:
            continue
        spans = Spans(
            ref=found.span("ref"),
            on=found.span("on"),
            close=raw.rindex(")", start, found.start("id") if found["id"] else found.end()),
            start=start,
            end=found.end(),
        )
        return Reading(text, trailer, found["id"], struck, spans)
    lone = _LONE_ID.search(raw)
    text, struck = _plain(raw[: lone.start()] if lone else raw)
    return Reading(text, id=lone["id"] if lone else None, struck=struck)


def _trailer(found: re.Match[str], today: date) -> Trailer | None:
    on = _day(found["on"], today)
    if on is None:
        return None
    retirement = None
    if found["flag"]:
        retired = _day(found["retired"], today)
        if retired is None:
            return None
        cause = " ".join(found["cause"].split()) if found["cause"] else None
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
