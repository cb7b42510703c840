"""The keys between two lines `---` at the top of a Markdown file, which people edit too.

Reads them, says what is wrong with them, and sets one without touching another byte. Knows no key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml

from bot.errors import UserError

LONGEST = 16 * 1024  # characters; the YAML reader takes seconds for a megabyte

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?P<keys>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.M)
_BEGIN = "Begin the file with a line `---`, one `key: value` a line, and another line `---`."


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`text` is the whole file, `keys` its part between the lines, from the character `start`."""

    text: str = field(repr=False)
    keys: str
    start: int
    body: str = field(repr=False)
    values: Mapping[str, object]

    def line(self, key: str) -> int:
        """Where a top-level key stands, 1-based; the first line where it does not."""
        place = _line(key).search(self.keys)
        return 2 + self.keys.count("\n", 0, place.start()) if place else 1

    def typed(self, key: str) -> str:
        """What stands behind a top-level key, on its line, as it was typed."""
        place = _line(key).search(self.keys)
        return place["value"].strip() if place else ""

    def having(self, key: str, value: str) -> str:
        """The whole text with one top-level key set; every other byte stays."""
        keys, line = self.keys, f"{key}: {value}"
        place = _line(key).search(keys)
        if place:
            keys = keys[: place.start()] + line + keys[place.end() :]
        else:
            keys += line + ("\r\n" if "\r\n" in keys else "\n")
        return self.text[: self.start] + keys + self.text[self.start + len(self.keys) :]


def front_matter(text: str) -> FrontMatter:
    """Raises UserError, with a line and no file, where there is none that can be read."""
    front = _FRONT.match(text)
    if front is None:
        raise UserError("It has no front matter.", remedy=_BEGIN, line=1)
    keys = front["keys"]
    if len(keys) > LONGEST:
        message = f"Its front matter has more than {LONGEST} characters."
        raise UserError(message, remedy="Move what is no key below it.", line=1)
    return FrontMatter(text, keys, front.start("keys"), text[front.end() :], _values(keys))


def quoted(text: str) -> str:
    """A double-quoted YAML scalar: JSON's, and what YAML allows in no other form escaped."""
    return "".join(
        c if c.isprintable() else _escaped(c) for c in json.dumps(text, ensure_ascii=False)
    )


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # both safe; C is five times as fast


def _values(keys: str) -> Mapping[str, object]:
    try:
        for event in yaml.parse(keys, _LOADER):
            if isinstance(event, yaml.AliasEvent):  # merged, a few lines fill the memory
                message = "Its front matter holds an alias, which is not followed."
                line = event.start_mark.line + 2 if event.start_mark else 1
                raise UserError(message, remedy="Write the value out.", line=line)
        values: object = yaml.load(keys, _LOADER)  # nosec B506
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        message = f"Its front matter is not YAML: {error.problem}."
        remedy = 'Put texts that hold brackets, colons or a # in quotes, like "#12".'
        raise UserError(message, remedy=remedy, line=line) from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        message = "Its front matter cannot be read."
        raise UserError(message, remedy="Write one `key: value` a line.", line=1) from None
    if not isinstance(values, dict):
        raise UserError("Its front matter holds no keys.", remedy=_BEGIN, line=1)
    return {str(key): value for key, value in values.items()}


def _line(key: str) -> re.Pattern[str]:
    return re.compile(rf"^{re.escape(key)}[ \t]*:(?P<value>[^\r\n]*)", re.M)


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
