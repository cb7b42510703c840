"""The lessons file as it stands: parsing then printing gives back the same bytes (SPEC 2).

Only the block structure of Markdown is read, to tell bullets from code, prose and other lists;
an edit replaces spans of the original text and leaves everything else alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.lessons import bullet as bullets
from bot.lessons.bullet import Retirement, Spans, Trailer

HEADER = """# Lessons

What reviewers and CI had to say about this repository, one line each, kept by Lessonkeeper.
Edit or strike through any line: what people write here stays.

"""

_BLOCKS = MarkdownIt("zero").enable(
    ["blockquote", "code", "fence", "heading", "hr", "html_block", "lheading", "list"]
)
_BLOCKS.disable(["inline", "text_join", "normalize"], ignoreInvalid=True)
_LINE = re.compile(r"\r\n|\n|\r")
_MARKER = re.compile(r"[ \t]*[-*+](?:[ \t]+|\Z)")


@dataclass(frozen=True, slots=True)
class Bullet:
    """One bullet of the file. `id`: the written one, else that of (text, REF); None for a person's.

    `raw` is its text without the marker, `start` where that begins in the document.
    """

    text: str
    trailer: Trailer | None
    id: str | None
    marked: bool
    struck: bool
    raw: str
    start: int
    spans: Spans | None

    @property
    def active(self) -> bool:
        """Shown to agents: not retired, and not struck through by a person."""
        return not self.struck and (self.trailer is None or self.trailer.retirement is None)

    @property
    def ours(self) -> bool:
        return self.trailer is not None

    @property
    def end(self) -> int:
        return self.start + len(self.raw)


@dataclass(frozen=True, slots=True)
class Revision:
    """What changes in one bullet; everything that is None stays byte-equal."""

    ref: str | None = None
    on: date | None = None
    retirement: Retirement | None = None
    text: tuple[tuple[str, str], ...] = ()  # path renames, (old, new), applied to the sentence
    id: str | None = None
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A lessons file. `insert_at` is where a new bullet goes, in characters."""

    text: str
    bullets: tuple[Bullet, ...]
    insert_at: int

    @classmethod
    def parse(cls, data: bytes, today: date) -> Document:
        """Reads any bytes; `today` (UTC) is what makes a trailer's date a future one."""
        text = data.decode("utf-8", "surrogateescape")
        starts = [0, *(m.end() for m in _LINE.finditer(text))]
        ends = [*(m.start() for m in _LINE.finditer(text)), len(text)]
        found: list[Bullet] = []
        insert_at, has_ours = len(text), False
        for first, last, whole in _items(text):
            marker = _MARKER.match(text, starts[first], ends[first])
            if marker is None:  # the BOM stands before the marker of the first line
                marker = _MARKER.match(text, starts[first] + 1, ends[first])
            if marker is None:
                continue
            start = marker.end()
            raw = text[start : max(start, ends[last - 1])]
            reading = bullets.read(raw, today)
            if not reading.text:
                continue
            identity = reading.id
            if identity is None and reading.trailer is not None:
                identity = bullets.bullet_id(reading.text, reading.trailer.ref)
            found.append(
                Bullet(
                    text=reading.text,
                    trailer=reading.trailer,
                    id=identity,
                    marked=reading.id is not None,
                    struck=reading.struck,
                    raw=raw,
                    start=start,
                    spans=reading.spans,
                )
            )
            after = starts[whole] if whole < len(starts) else len(text)
            has_ours = has_ours or reading.trailer is not None
            if reading.trailer is not None or not has_ours:
                insert_at = after
        return cls(text, tuple(found), insert_at)

    def print(self) -> bytes:
        return self.text.encode("utf-8", "surrogateescape")

    @property
    def ours(self) -> tuple[Bullet, ...]:
        return tuple(b for b in self.bullets if b.ours)

    def edit(
        self,
        revisions: Mapping[int, Revision],
        dropped: Collection[int],
        appended: Sequence[str],
    ) -> bytes:
        """The file with bullets revised or dropped, both by index, and lines appended.

        A dropped bullet takes its own lines with it; what a person nested below it stays.
        """
        pieces = [(*self._lines_of(self.bullets[index]), "") for index in dropped]
        for index, revision in revisions.items():
            if index not in dropped:
                bullet = self.bullets[index]
                pieces.append((bullet.start, bullet.end, _revised(bullet, revision)))
        if appended:
            pieces.append((self.insert_at, self.insert_at, self._appended(appended)))
        text = self.text
        for start, end, new in sorted(pieces, key=lambda p: (p[0], p[1]), reverse=True):
            text = text[:start] + new + text[end:]
        return text.encode("utf-8", "surrogateescape")

    def _lines_of(self, bullet: Bullet) -> tuple[int, int]:
        start = max(self.text.rfind("\n", 0, bullet.start), self.text.rfind("\r", 0, bullet.start))
        ending = _LINE.match(self.text, bullet.end)
        first = start + 1
        if first == 0 and self.text.startswith("\ufeff"):
            first = 1
        return first, ending.end() if ending else bullet.end

    def _appended(self, lines: Sequence[str]) -> str:
        before = self.text[: self.insert_at]
        endings = _LINE.findall(before) or _LINE.findall(self.text)
        newline = endings[-1] if endings else "\n"
        head = "" if not before or before == "\ufeff" or _LINE.search(before[-1]) else newline
        if not self.bullets and before.strip("\ufeff \t\r\n"):
            # A list needs a blank line before it, else it reads as part of the paragraph.
            blank = re.search(r"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)\Z", before) is not None
            head += "" if blank else newline
        return head + "".join(f"{entry}{newline}" for entry in lines)


@functools.lru_cache(maxsize=16)  # a write reads the old and the new file several times each
def _items(text: str) -> tuple[tuple[int, int, int], ...]:
    """Top-level bullets as (first line, line after the paragraph, line after the whole item)."""
    # Lines end where Document says; with a `\r` left in it, no line of a CRLF file were blank.
    source = _LINE.sub("\n", text.removeprefix("\ufeff").replace("\0", "\ufffd"))
    tokens = _BLOCKS.parse(source)
    items: list[tuple[int, int, int]] = []
    for at, token in enumerate(tokens):
        if token.type != "list_item_open" or token.level != 1 or token.markup not in "-*+":
            continue
        head = tokens[at + 1]
        if head.type != "paragraph_open" or not head.map or not token.map:
            continue
        if head.map[0] != token.map[0]:
            continue
        items.append((head.map[0], head.map[1], _last_line(tokens, at)))
    return tuple(items)


def _last_line(tokens: Sequence[Token], at: int) -> int:
    """The line after the item's last content; the item's own map would take in blank lines."""
    last = 0
    while (token := tokens[at]).type != "list_item_close" or token.level != 1:
        if token.map and token.type not in ("bullet_list_open", "list_item_open"):
            last = max(last, token.map[1])
        at += 1
    return last


def _revised(bullet: Bullet, revision: Revision) -> str:
    """Right to left, so that earlier spans stay valid."""
    raw, spans = bullet.raw, bullet.spans
    if spans is None:
        return raw
    if revision.id is not None and not bullet.marked:
        raw = bullets.with_id(raw, spans, revision.id)
    if revision.retirement is not None:
        raw = bullets.with_retirement(raw, spans, revision.retirement)
    if revision.ref is not None and revision.on is not None:
        raw = bullets.with_evidence(raw, spans, revision.ref, revision.on)
    if revision.struck and not bullet.struck:
        return bullets.struck(raw, spans)
    sentence, rest = raw[: spans.start], raw[spans.start :]
    for old, new in revision.text:
        # Not inside a longer path: `a.py` is no part of `data.py` or `a.py.orig`.
        whole = re.compile(rf"(?<![\w./-]){re.escape(old)}(?![\w/-]|\.\w)")
        sentence = new.join(whole.split(sentence))
    return sentence + rest
