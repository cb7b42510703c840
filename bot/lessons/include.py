"""How agents come to read the known pitfalls: one line in the files that they load by themselves.

Pure: the old bytes of each file in, the new ones out. Knows no repository and no settings file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from markdown_it import MarkdownIt

from bot.errors import UserError
from bot.lessons.pitfalls import PITFALLS

NEW = "AGENTS.md"  # made where no agent file is; most agents read it
_IMPORTS = "CLAUDE.md"  # what `@path` brings in is loaded with the file; elsewhere it is plain text
_BOM = "\ufeff"
_ENDING = re.compile(r"\r\n|\n|\r")


def pointer(path: str) -> str:
    """The line that makes whoever loads the agent file at `path` read the known pitfalls."""
    if PurePosixPath(path).name == _IMPORTS:
        return f"@{'../' * path.count('/')}{PITFALLS}"
    return f"Before you start, read `{PITFALLS}`: known pitfalls, background evidence."


def include(files: Mapping[str, bytes | None], wanted: Sequence[str]) -> dict[str, bytes]:
    """The agent files that change, of those that are there; a new one where none of them is.

    `files` has the bytes of each `wanted` path, None where there is no file, no key where the file
    may not be touched. Raises UserError as `with_pointer` does.
    """
    if all(files.get(path, b"") is None for path in wanted):
        return {NEW: f"{pointer(NEW)}\n".encode()} if NEW in wanted else {}
    there = {path: data for path in wanted if (data := files.get(path)) is not None}
    changed = {path: with_pointer(path, data) for path, data in there.items()}
    return {path: data for path, data in changed.items() if data != there[path]}


def with_pointer(path: str, data: bytes) -> bytes:
    """The file with the line at its end, in its own line endings; the same where it is there.

    Raises UserError where the end of the file is code or a comment, which would swallow the line.
    """
    text = data.decode("utf-8", "surrogateescape")
    if _points(path, text):
        return data
    endings = _ENDING.findall(text)
    newline = endings[-1] if endings else "\n"
    if text.removeprefix(_BOM):
        ended = _ENDING.search(text[-1]) is not None
        blank = newline if ended else newline * 2
        text += f"{blank}{pointer(path)}{newline if ended else ''}"
    else:
        text += f"{pointer(path)}{newline}"
    if not _points(path, text):
        raise UserError(
            "a line added at its end would not be read as text.",
            file=path,
            remedy="Close the code fence or HTML comment that is open there.",
        )
    return text.encode("utf-8", "surrogateescape")


def _points(path: str, text: str) -> bool:
    """Whether the text outside of code says it, in whatever words around the path."""
    paragraphs = [
        token
        for token in MarkdownIt("commonmark").parse(text.removeprefix(_BOM).replace("\0", "\ufffd"))
        if token.type == "inline"
    ]
    if not pointer(path).startswith("@"):
        return any(PITFALLS in token.content for token in paragraphs)
    plain = [
        child.content
        for token in paragraphs
        for child in token.children or ()
        if child.type == "text"
    ]
    whole = re.compile(rf"(?<!\S)@(?:\./|(?:\.\./)+)?{re.escape(PITFALLS)}(?![\w/-]|\.\w)")
    return any(whole.search(each) for each in plain)
