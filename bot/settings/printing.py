"""Settings as text: the annotated file, which reads back as itself, and the table for people."""

from __future__ import annotations

import dataclasses
import enum
from datetime import timedelta

import yaml

from bot.settings.form import hints
from bot.settings.marks import Plain
from bot.settings.model import Caps, Reviewer, Settings

COMMENT_COLUMN = 34


def to_yaml(settings: Settings) -> str:
    """The whole file, every key with its reason; it reads back as `settings`.

    Raises ValueError as `plain` does. A text that is "none" reads back as None.
    """
    lines: list[str] = []
    for name, key in hints(Settings).items():
        value = getattr(settings, name)
        if dataclasses.is_dataclass(value):
            lines.append(_commented(f"{name}:", key.reason))
            for inner, inner_key in hints(type(value)).items():
                text = f"  {inner}: {flow(plain(getattr(value, inner)))}"
                lines.append(_commented(text, inner_key.reason))
        elif name == "reviewers":
            lines.append(_commented(f"{name}:" if value else f"{name}: []", key.reason))
            lines += _reviewer_keys()
            lines += (f"  - {flow(plain(reviewer))}" for reviewer in value)
        else:
            lines.append(_commented(f"{name}: {flow(plain(value))}", key.reason))
    return "\n".join(lines) + "\n"


def defaults_yaml() -> str:
    """The file that says what an absent one says."""
    return to_yaml(Settings())


def settings_table() -> str:
    """Markdown: key, default and reason of every key, nested ones by their dotted name."""
    rows = ["| key | default | what it does |", "|---|---|---|"]
    defaults = Settings()
    for name, key in hints(Settings).items():
        value = getattr(defaults, name)
        if dataclasses.is_dataclass(value):
            for inner, inner_key in hints(type(value)).items():
                default = flow(plain(getattr(value, inner)))
                rows.append(_row(f"{name}.{inner}", default, inner_key.reason))
        else:
            rows.append(_row(name, flow(plain(value)), key.reason))
            if name == "reviewers":
                rows += _reviewer_rows()
    return "\n".join(rows) + "\n"


def _commented(text: str, reason: str) -> str:
    return (
        f"{text:<{COMMENT_COLUMN}}# {reason}"
        if len(text) < COMMENT_COLUMN
        else f"{text}  # {reason}"
    )


def _reviewer_keys() -> list[str]:
    """How an entry of `reviewers` looks, as comments: the list itself may be empty."""
    keys = hints(Reviewer)
    return [f"#   {name}: {key.reason}" for name, key in keys.items()]


def _reviewer_rows() -> list[str]:
    example = Reviewer(login="…")
    return [
        _row(f"reviewers[].{name}", flow(plain(getattr(example, name))), key.reason)
        for name, key in hints(Reviewer).items()
    ]


def _row(key: str, default: str, reason: str) -> str:
    cells = (f"`{key}`", f"`{default}`", reason)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def plain(value: object) -> Plain:
    """A value of the settings as YAML and JSON hold it.

    Raises ValueError for what the file cannot say: a time that is no whole number of minutes.
    """
    match value:
        case None:
            return "none"
        case timedelta():
            return _time(value)
        case enum.Enum():
            return str(value.value)
        case bool() | int() | float() | str():
            return value
        case Caps(items, characters):
            return [items, characters]
        case tuple():
            return [plain(item) for item in value]
        case dict():
            return {str(name): plain(item) for name, item in value.items()}
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    raise ValueError(f"no settings value: {value!r}")


def _time(span: timedelta) -> Plain:
    """Days from two on, so that `24h` stays what people write."""
    minutes, rest = divmod(span, timedelta(minutes=1))
    if rest:
        raise ValueError(f"not a whole number of minutes: {span}")
    if minutes == 0:
        return 0
    if minutes % 1440 == 0 and minutes > 1440:
        return f"{minutes // 1440}d"
    return f"{minutes // 60}h" if minutes % 60 == 0 else f"{minutes}m"


def flow(value: Plain) -> str:
    """One line of YAML."""
    text = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=100_000
    )
    return text.removesuffix("\n").removesuffix("\n...")
