"""The words and turns of phrase that the rules of this room look for, as data in the files beside.

A file has named sections; each line of one is an alternative, a regular expression without anchors.
`<name>` stands for another section of the same file. What is done with a match is not written here.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

_HERE = Path(__file__).parent
_SECTION = re.compile(r"\[([\w -]+)\]")
_REFERENCE = re.compile(r"(?<!\\)(?<!\(\?)(?<!\(\?P)<([a-z][\w -]*)>")


def lines(file: str, section: str) -> tuple[str, ...]:
    """The alternatives of a section, references resolved. Raises KeyError where there is none."""
    return tuple(
        _REFERENCE.sub(lambda m: any_of(file, m[1]), line) for line in _sections(file)[section]
    )


def any_of(file: str, section: str) -> str:
    """The section as one group for a regular expression."""
    return f"(?:{'|'.join(lines(file, section))})"


@functools.cache
def pattern(file: str, section: str, frame: str = "{}") -> re.Pattern[str]:
    """The section compiled without regard to case; the `{}` of `frame` stands for its group."""
    return re.compile(frame.replace("{}", any_of(file, section), 1), re.IGNORECASE)


def rules(file: str, section: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """A section of lines "pattern => template": whole texts, and what they become."""
    parts = (line.split(" => ") for line in lines(file, section))
    return tuple((re.compile(f"{found}$"), made) for found, made in parts)


def words(file: str, section: str) -> frozenset[str]:
    """The words of a section, where a line holds many of them."""
    return frozenset(word for line in _sections(file)[section] for word in line.split())


@functools.cache
def _sections(file: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (_HERE / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if match := _SECTION.fullmatch(line):
            current = found.setdefault(match[1], [])
        elif line and not line.startswith("# "):
            current.append(line)
    return found
