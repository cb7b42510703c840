"""YAML read for its places: plain values, and where in the file each of them stands.

A small, safe YAML: one document, no tags, anchors, aliases or merge keys; numbers and booleans
as in YAML 1.2, so that `on`, `1:30` and dates stay texts. This module knows no settings key.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

import yaml

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8  # twice what the deepest key needs; composing is recursive

Path = tuple[str | int, ...]
Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend. `line` and `column` are 1-based, the column in characters."""

    line: int
    column: int
    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Where something stands, and its text there; `written` is empty for lists and mappings."""

    line: int
    column: int
    written: str


@dataclass(slots=True)
class Document:
    """`value` is None for a file without content; `keys` holds the marks of mapping keys."""

    value: Plain = None
    keys: dict[Path, Mark] = field(default_factory=dict)
    values: dict[Path, Mark] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def load(data: bytes) -> Document:
    """The document in `data`. Text that is no such YAML gives its first problem alone."""
    try:
        return _Reading(_root(_text(data))).document
    except _RefusedError as refused:
        return Document(problems=[refused.problem])


class _RefusedError(Exception):
    def __init__(self, line: int, column: int, message: str, remedy: str) -> None:
        self.problem = Problem(line, column, message, remedy)


class _Loader(yaml.SafeLoader):
    """Composes nodes only, and refuses what lets a short file mean a large or a hidden value."""

    depth = 0
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise _at(event.start_mark, "Anchors and aliases are not read.", "Write the value out.")
        if event.tag is not None:
            raise _at(event.start_mark, f"The tag {event.tag} is not read.", "Leave it out.")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _at(event.start_mark, "This is nested too deeply.", "No key needs that.")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


_TAG = "tag:yaml.org,2002:"
# Integers of at most 18 digits: no key needs more, and longer ones are slow to convert.
for _name, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(?:0|[1-9][0-9]{0,17})$", "-+0123456789"),
    ("float", r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?$", "-+.0123456789"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
):
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(_pattern), list(_first))


def _at(mark: yaml.Mark | None, message: str, remedy: str) -> _RefusedError:
    if mark is None:
        return _RefusedError(1, 1, message, remedy)
    return _RefusedError(mark.line + 1, mark.column + 1, message, remedy)


def _text(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        message = f"The file has {len(data)} bytes; {MAX_BYTES} are read."
        raise _RefusedError(1, 1, message, "Shorten it: leave out keys that keep their default.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _position(data[: error.start].decode("utf-8-sig", "replace"))
        raise _RefusedError(line, column, "This is not UTF-8.", "Save the file as UTF-8.") from None


def _root(text: str) -> yaml.Node | None:
    try:
        loader = _Loader(text)
    except yaml.reader.ReaderError as error:
        line, column = _position(text[: error.position])
        message = f"The character U+{ord(text[error.position]):04X} may not stand here."
        raise _RefusedError(line, column, message, "Remove it.") from None
    try:
        return loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        raise _at(error.problem_mark, f"This is not YAML: {error.problem}.", _QUOTE) from None
    except (ValueError, OverflowError):  # an escape beyond Unicode, a directive of 5,000 digits
        raise _at(loader.get_mark(), "This number or escape is out of range.", _QUOTE) from None
    finally:
        loader.dispose()


_QUOTE = 'Put texts that hold brackets, colons or a # in quotes, like "name[bot]".'


def _position(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


class _Reading:
    """Turns the nodes into plain values and notes where each stood."""

    def __init__(self, root: yaml.Node | None) -> None:
        self.document = Document()
        if root is not None:
            self.document.value = self._value(root, ())

    def _value(self, node: yaml.Node, path: Path) -> Plain:
        if isinstance(node, yaml.MappingNode):
            self._note(node, path, "")
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            self._note(node, path, "")
            return [self._value(item, (*path, i)) for i, item in enumerate(node.value)]
        mark = self._note(node, path, node.value)
        if not _is_line(node.value):
            self._refuse(mark, "This value is not one line of text.", "Write it in one line.")
        return _scalar(node.tag.removeprefix(_TAG), node.value)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> Plain:
        plain: dict[str, Plain] = {}
        for key, value in node.value:
            mark = _mark(key, key.value if isinstance(key, yaml.ScalarNode) else "")
            if not isinstance(key, yaml.ScalarNode) or not _is_line(key.value):
                self._refuse(mark, "This key is not a word.", "Write one of the known keys.")
            elif key.value in plain:
                self._refuse(mark, f"The key `{key.value}` stands here twice.", "Keep one of them.")
            else:
                self.document.keys[(*path, key.value)] = mark
                plain[key.value] = self._value(value, (*path, key.value))
        return plain

    def _note(self, node: yaml.Node, path: Path, written: str) -> Mark:
        mark = self.document.values[path] = _mark(node, written)
        return mark

    def _refuse(self, mark: Mark, message: str, remedy: str) -> None:
        self.document.problems.append(Problem(mark.line, mark.column, message, remedy))


def _mark(node: yaml.Node, written: str) -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1, written)


def _is_line(text: str) -> bool:
    """No line ends, control characters or halves of surrogate pairs, which no file can hold."""
    return all(unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") for c in text)


def _scalar(kind: str, written: str) -> Plain:
    match kind:
        case "bool":
            return written.lower() == "true"
        case "int":
            return int(written)
        case "float":
            return float(written)
        case "null":
            return None
        case _:
            return written
