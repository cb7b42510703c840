"""Which files cannot be trusted (SPEC 2): those are never written, and nothing in them is lost."""

from __future__ import annotations

import re

from bot.git.clone import TRUSTED_SIZE, File, Kind

# A line of seven equal signs alone underlines a heading in Markdown, so it proves nothing.
_CONFLICT = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?:[ \t][^\n]*)?\r?$", re.MULTILINE)
_POINTER = re.compile(rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/")
_LARGEST_POINTER = 1024  # bytes; the format's own limit


def distrust(file: File) -> str | None:
    """Why `file` may not be written, as the end of a sentence that began with its name; else None.

    An absent file is trusted: it may be created.
    """
    if file.kind is Kind.ABSENT:
        return None if file.at is None else f"stands below {file.at}, which is a file"
    if file.kind is not Kind.REGULAR:
        kind = {Kind.SYMLINK: "a symbolic link", Kind.SUBMODULE: "a submodule"}.get(
            file.kind, "a directory"
        )
        return f"is {kind}" if file.at == file.path else f"stands below {file.at}, which is {kind}"
    if file.size > TRUSTED_SIZE:
        return f"is {file.size} bytes, more than 1 MB"
    return _distrust_bytes(file.data)


def _distrust_bytes(data: bytes) -> str | None:
    if len(data) <= _LARGEST_POINTER and _POINTER.match(data):
        return "is a Git LFS pointer"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16, not UTF-8"
    if b"\0" in data:
        return "holds NUL bytes, so it is no UTF-8 text"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"is not UTF-8 (line {_line(data, error.start)})"
    marker = _CONFLICT.search(data)
    if marker:
        return f"has conflict markers (line {_line(data, marker.start())})"
    return None


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1
