"""The JSON Schema (draft 2020-12) of the settings file, derived from the dataclasses.

`python -m bot.settings.schema` prints it; `schema.json` beside this module is that output, for
editors. `errorMessage` is what editors show, and the remedy in our own messages.
"""

from __future__ import annotations

import dataclasses
import enum
import json
from datetime import timedelta
from typing import Any, Literal, get_args, get_origin

from bot.settings.form import Hint, Pattern, Range, Span, hint, hints
from bot.settings.model import Caps, Settings
from bot.settings.printing import plain

MAX_ITEMS = 200  # of a list; a fleet has fewer accounts than that

Schema = dict[str, Any]


def settings_schema() -> Schema:
    """The whole schema, as the JSON object that it is."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lessonkeeper settings (.github/lessonkeeper.yml)",
        **_mapping(Settings),
        "errorMessage": "It must hold keys with values, like mode: direct",
    }


def _key(field: dataclasses.Field[Any], key: Hint) -> Schema:
    schema = _optional(_value(key)) if key.optional else _value(key)
    schema["description"] = key.reason
    if field.default is not dataclasses.MISSING:
        schema["default"] = plain(field.default)
    elif field.default_factory is not dataclasses.MISSING:
        schema["default"] = plain(field.default_factory())
    return schema


def _optional(schema: Schema) -> Schema:
    message = schema.pop("errorMessage")
    return {"anyOf": [{"const": "none"}, schema], "errorMessage": f"{message}, or none"}


def _value(key: Hint) -> Schema:
    base, origin = key.base, get_origin(key.base)
    if origin is Literal:
        return _choice([plain(choice) for choice in get_args(base)])
    if origin is tuple:
        items = _value(hint(get_args(base)[0]))
        message = f"It must be a list of at most {MAX_ITEMS}"
        return {"type": "array", "items": items, "maxItems": MAX_ITEMS, "errorMessage": message}
    if origin is dict:
        names, values = (_value(hint(part)) for part in get_args(base))
        return {
            "type": "object",
            "propertyNames": names,
            "additionalProperties": values,
            "maxProperties": MAX_ITEMS,
            "errorMessage": f"It must be a mapping of at most {MAX_ITEMS}",
        }
    if base is Caps:
        pair = [_value(part) for part in hints(Caps).values()]
        return {
            "type": "array",
            "prefixItems": pair,
            "minItems": len(pair),
            "maxItems": len(pair),
            "errorMessage": "It must be a pair: [items, characters]",
        }
    if dataclasses.is_dataclass(base):
        return _mapping(base)
    if issubclass(base, enum.StrEnum):
        return _choice([choice.value for choice in base])
    return _scalar(key)


def _mapping(cls: Any) -> Schema:
    keys = hints(cls)
    schema: Schema = {
        "type": "object",
        "properties": {f.name: _key(f, keys[f.name]) for f in dataclasses.fields(cls)},
        "additionalProperties": False,
        "errorMessage": f"It must be a mapping of {', '.join(keys)}",
    }
    required = [name for name, key in schema["properties"].items() if "default" not in key]
    return schema | ({"required": required} if required else {})


def _choice(choices: list[Any]) -> Schema:
    words = " or ".join(filter(None, (", ".join(map(str, choices[:-1])), str(choices[-1]))))
    return {"enum": choices, "errorMessage": f"It must be {words}"}


def _scalar(key: Hint) -> Schema:
    if key.base is bool:
        return {"type": "boolean", "errorMessage": "It must be true or false"}
    if key.base is timedelta:
        return _time(key.limit(Span))
    if key.base is str:
        pattern: Pattern = key.limit(Pattern)
        message = f"It must be {pattern.words}"
        return {"type": "string", "pattern": pattern.regex, "errorMessage": message}
    limits: Range = key.limit(Range)
    kind, name = ("integer", "a whole number") if key.base is int else ("number", "a number")
    return {
        "type": kind,
        "minimum": limits.least,
        "maximum": limits.most,
        "errorMessage": f"It must be {name} from {limits.least} to {limits.most}",
    }


def _time(span: Span) -> Schema:
    if span.units == "d":
        pattern, message = "^([1-9][0-9]{0,3}d|24h)$", "It must be a number of days, like 90d"
        return {"type": "string", "pattern": pattern, "errorMessage": message}
    text = {"type": "string", "pattern": "^[1-9][0-9]{0,3}[mhd]$"}
    message = "minutes, hours or days, like 15m, 24h or 90d"
    if not span.zero:
        return text | {"errorMessage": f"It must be {message}"}
    return {"anyOf": [{"const": 0}, text], "errorMessage": f"It must be 0, or {message}"}


if __name__ == "__main__":
    print(json.dumps(settings_schema(), indent=2, ensure_ascii=False))
