"""Reads `.github/lessonkeeper.yml`: bytes in, Settings or the problems with their places out.

What may stand there is the schema's to say; this module knows only how to tell a person.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from datetime import timedelta
from typing import Any, Literal, get_args, get_origin

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from bot.errors import UserError
from bot.settings.form import Hint, hint, hints
from bot.settings.marks import Document, Mark, Path, Plain, Problem, load
from bot.settings.model import Caps, Settings
from bot.settings.schema import Schema, settings_schema

FILE = ".github/lessonkeeper.yml"
MAX_PROBLEMS = 100  # more than anyone mends in one go

_SCHEMA = settings_schema()
_VALIDATOR = Draft202012Validator(_SCHEMA)


def read(
    text: bytes, *, file: str = FILE, owner_defaults: Mapping[str, object] | None = None
) -> Settings:
    """The settings in force: a key of `text` replaces the owner's whole, absent ones the default.

    `owner_defaults` is what `written` gives for the owner's file. Raises UserError with the first
    problem's place, and how many there are besides.
    """
    keys: dict[str, Any] = {**(owner_defaults or {}), **written(text, file=file)}
    return Settings(**keys)


def written(text: bytes, *, file: str = FILE) -> dict[str, object]:
    """The top-level keys of `text`, as values of Settings. Raises UserError as `read` does."""
    document = load(text)
    found = _problems(document)
    if found:
        raise _error(found, file)
    return _mapping(document.value or {}, Settings)


def problems(text: bytes) -> tuple[Problem, ...]:
    """Everything to mend in `text`, in the order of the file; at most MAX_PROBLEMS."""
    return _problems(load(text))


def _problems(document: Document) -> tuple[Problem, ...]:
    found = list(document.problems)
    if document.value is not None:
        for error in _VALIDATOR.iter_errors(document.value):
            found += _told(error, document)
        if not found:
            found += _contradictions(document)
    one_a_place = {(p.line, p.column): p for p in reversed(found)}
    return tuple(one_a_place[place] for place in sorted(one_a_place)[:MAX_PROBLEMS])


def _error(found: tuple[Problem, ...], file: str) -> UserError:
    first, more = found[0], len(found) - 1
    remedy = first.remedy
    if more:
        remedy += f" ({more} more {'problem' if more == 1 else 'problems'} in this file.)"
    return UserError(first.message, remedy=remedy, file=file, line=first.line, column=first.column)


def _told(error: ValidationError, document: Document) -> Iterator[Problem]:
    """What the schema found, in the words of the file."""
    path: Path = tuple(error.absolute_path)
    schema: Any = error.schema
    value: Any = error.instance
    if error.validator == "additionalProperties":
        known = list(schema["properties"])
        unknown = [key for key in value if key not in known]
        for key in unknown[:MAX_PROBLEMS]:
            yield _unknown(key, path, known, document.keys[(*path, key)])
    elif error.validator == "required":
        missing = next(key for key in schema["required"] if key not in value)
        message = f"{_name(path)} has no `{missing}`."
        yield _problem(document.values[path], message, f"Add `{missing}: …`.")
    elif "propertyNames" in error.schema_path:
        message = f"{_name(path)} has the key `{_short(value)}`."
        yield _problem(document.keys[(*path, value)], message, f"{schema['errorMessage']}.")
    else:
        mark = document.values[path]
        yield _problem(mark, f"{_name(path)} {_found(value, mark)}.", _remedy(schema, value, mark))


def _unknown(key: str, path: Path, known: list[str], mark: Mark) -> Problem:
    under = f" under {_name(path)}" if path else ""
    near = difflib.get_close_matches(key, known, 1)
    elsewhere = [f"{parent}.{key}" for parent in _PARENTS.get(key, ())] if not near else []
    if meant := near or elsewhere:
        remedy = f"Did you mean {' or '.join(f'`{name}`' for name in meant)}?"
    elif key in _SCHEMA["properties"]:
        remedy = f"`{key}` stands at the left margin, under no other key."
    else:
        remedy = f"Known here: {', '.join(known)}."
    return _problem(mark, f"Unknown key `{_short(key)}`{under}.", remedy)


def _parents() -> dict[str, list[str]]:
    """Nested key -> the top-level keys that have one of this name."""
    parents: dict[str, list[str]] = {}
    for name, schema in _SCHEMA["properties"].items():
        for key in schema.get("properties", ()):
            parents.setdefault(key, []).append(name)
    return parents


_PARENTS = _parents()


def _remedy(schema: Schema, value: Plain, mark: Mark) -> str:
    remedy = f"{schema['errorMessage']}."
    pattern = schema.get("anyOf", [schema])[-1].get("pattern")
    if isinstance(value, bool | int | float) and pattern and re.search(pattern, mark.written):
        remedy += " Put it in quotes."
    return remedy


def _found(value: object, mark: Mark) -> str:
    match value:
        case None:
            return "has no value"
        case list():
            return "is a list" if not value else f"is a list of {len(value)}"
        case dict():
            return "is a mapping"
        case _:
            return f"is `{_short(mark.written)}`"


def _problem(mark: Mark, message: str, remedy: str) -> Problem:
    return Problem(mark.line, mark.column, message, remedy)


def _name(path: Path) -> str:
    if not path:
        return "The file"
    parts = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return f"`{parts.removeprefix('.')}`"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _contradictions(document: Document) -> Iterator[Problem]:
    """What no schema can say: two entries for one account, one line for two verdicts."""
    settings = Settings(**_mapping(document.value, Settings))
    logins: set[str] = set()
    for i, reviewer in enumerate(settings.reviewers):
        if reviewer.login.casefold() in logins:
            mark = document.values["reviewers", i, "login"]
            message = f"`{reviewer.login}` stands here twice."
            yield _problem(mark, message, "Make one entry of the two.")
        logins.add(reviewer.login.casefold())
        if reviewer.asks is not None and reviewer.asks == reviewer.passes:
            mark = document.values["reviewers", i, "passes"]
            message = "The same line asks for changes and passes."
            yield _problem(mark, message, "Give each verdict a line of its own.")


def _mapping(value: Any, cls: type[Any]) -> dict[str, Any]:
    keys = hints(cls)
    return {name: _typed(item, keys[name]) for name, item in value.items()}


def _typed(value: Any, key: Hint) -> object:
    """A value that the schema let through, as the field holds it."""
    base = key.base
    if key.optional and value == "none":
        return None
    if get_origin(base) is Literal:
        return next(choice for choice in get_args(base) if choice == value)
    if get_origin(base) is tuple:
        item = hint(get_args(base)[0])
        return tuple(_typed(part, item) for part in value)
    if get_origin(base) is dict:
        return dict(value)
    if base is Caps:
        return Caps(*value)
    if base is timedelta:
        return _time(value)
    if is_dataclass(base):
        return key.base(**_mapping(value, key.base))
    return base(value)


_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def _time(value: int | str) -> timedelta:
    return timedelta() if isinstance(value, int) else int(value[:-1]) * _UNITS[value[-1]]
