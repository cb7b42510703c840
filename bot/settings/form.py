"""The vocabulary in which a key of the settings file says what may stand there.

A key is a dataclass field annotated `Annotated[type, limits…, "reason"]`; schema, reading and
printing are derived from that. This module knows no key, no YAML and no JSON Schema.
"""

from __future__ import annotations

import dataclasses
import types
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class Range:
    """A number from `least` to `most`, both allowed."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text that matches `regex`, anchored, in the dialect that Python and ECMA-262 share.

    `words` complete the sentence "must be …".
    """

    regex: str
    words: str


@dataclass(frozen=True, slots=True)
class Span:
    """A time. `units`: whole minutes, hours and days, or days only; `zero`: `0` is allowed too."""

    units: Literal["mhd", "d"] = "mhd"
    zero: bool = True


Fraction = Annotated[float, Range(0, 1)]
Count = Annotated[int, Range(1, 10_000)]
Time = Annotated[timedelta, Span()]
PositiveTime = Annotated[timedelta, Span(zero=False)]
Days = Annotated[timedelta, Span("d", zero=False)]

# Letters, digits and hyphens are GitHub's rule; managed users carry an underscore, Apps [bot].
Login = Annotated[
    str,
    Pattern(
        r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\[bot\])?$",
        'a login as GitHub shows it, like octocat or "dependabot[bot]" (without @)',
    ),
]
FullName = Annotated[
    str,
    Pattern(
        r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}/[A-Za-z0-9._-]{1,100}$",
        "a repository as owner/name",
    ),
]
RepositoryPath = Annotated[
    str,
    Pattern(
        r"^(?!.*(^|/)(\.{0,2}|\.[gG][iI][tT])(/|$))[^\\]{1,200}$",
        "a path inside the repository, with / between its parts and no . or .. among them",
    ),
]
Line = Annotated[str, Pattern(r"^\S(.{0,198}\S)?$", "one line of text, at most 200 characters")]
Word = Annotated[str, Pattern(r"^\S{1,40}$", "one word without blanks, at most 40 characters")]
Prefix = Annotated[str, Pattern(r"^\S(.{0,38}\S)?$", "a text of at most 40 characters")]
ModelName = Annotated[
    str, Pattern(r"^[A-Za-z0-9][A-Za-z0-9.:@/_-]{0,99}$", "the name of a Claude model")
]
TelegramUser = Annotated[
    str, Pattern(r"^[1-9][0-9]{0,15}$", "a Telegram user id: digits, not the @name")
]


@dataclass(frozen=True, slots=True)
class Hint:
    """An annotation taken apart: `optional` says that `none` is allowed."""

    base: Any
    limits: tuple[object, ...] = ()
    reason: str = ""
    optional: bool = False

    def limit(self, kind: type[Any]) -> Any:
        return next(limit for limit in self.limits if isinstance(limit, kind))


def hint(annotation: Any) -> Hint:
    """`Annotated[Annotated[T, limits] | None, "reason"]` as a Hint."""
    if get_origin(annotation) is Annotated:
        base, *metadata = get_args(annotation)
        inner = hint(base)
        limits = (*inner.limits, *(m for m in metadata if not isinstance(m, str)))
        reason = next((m for m in metadata if isinstance(m, str)), inner.reason)
        return dataclasses.replace(inner, limits=limits, reason=reason)
    if get_origin(annotation) in (Union, types.UnionType):
        (base,) = (part for part in get_args(annotation) if part is not type(None))
        return dataclasses.replace(hint(base), optional=True)
    return Hint(annotation)


_forms: dict[type[Any], dict[str, Hint]] = {}  # a write reads the settings anew, not their form


def hints(cls: type[Any]) -> dict[str, Hint]:
    """The keys that a dataclass stands for, in its order."""
    if cls not in _forms:
        annotations = get_type_hints(cls, include_extras=True)
        _forms[cls] = {f.name: hint(annotations[f.name]) for f in dataclasses.fields(cls)}
    return _forms[cls]
