"""A page in passages: its sections, cut where a section is long. Pure.

A meaning is that of a passage, and an excerpt is one: a whole page is about too many things.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt

PASSAGE_CHARACTERS = 600  # about a paragraph: a mean over more words points nowhere
_MARKDOWN = MarkdownIt("commonmark").disable("inline")  # only headings are read
_LINE = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Passage:
    """`heading`: that of its section, empty before the first."""

    heading: str
    text: str


def passages(text: str) -> tuple[Passage, ...]:
    """In order; at least one, so that a page of headings alone is found too."""
    found = tuple(
        Passage(heading, part) for heading, lines in _sections(text) for part in _parts(lines)
    )
    return found or (Passage("", ""),)


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    lines = _LINE.split(text)  # as Markdown counts them, which knows no form feed
    heading, start = "", 0
    tokens = _MARKDOWN.parse(text)
    for token, inline in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            yield heading, lines[start : token.map[0]]
            heading, start = " ".join(inline.content.split()), token.map[1]
    yield heading, lines[start:]


def _parts(lines: list[str]) -> Iterator[str]:
    """Lines together up to the limit; a longer line alone is cut by it."""
    part = ""
    for line in lines:
        for piece in _cut(" ".join(line.split())):
            if part and len(part) + len(piece) >= PASSAGE_CHARACTERS:
                yield part
                part = ""
            part = f"{part} {piece}".strip()
    if part:
        yield part


def _cut(line: str) -> Iterator[str]:
    for start in range(0, len(line), PASSAGE_CHARACTERS):
        yield line[start : start + PASSAGE_CHARACTERS]
