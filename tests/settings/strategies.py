"""Any settings that the file can say, drawn from the annotations that the schema is made of."""

from __future__ import annotations

import dataclasses
import enum
from datetime import timedelta
from typing import Any, Literal, get_args, get_origin

from hypothesis import strategies as st

from bot.settings import Settings
from bot.settings.form import Hint, Pattern, Range, Span, hint, hints


def settings() -> st.SearchStrategy[Settings]:
    return _built(Settings).filter(_is_consistent)


def _is_consistent(drawn: Settings) -> bool:
    logins = [reviewer.login.casefold() for reviewer in drawn.reviewers]
    return len(set(logins)) == len(logins) and all(
        reviewer.asks is None or reviewer.asks != reviewer.passes for reviewer in drawn.reviewers
    )


def _built(cls: Any) -> st.SearchStrategy[Any]:
    return st.builds(cls, **{name: _values(key) for name, key in hints(cls).items()})


def _values(key: Hint) -> st.SearchStrategy[Any]:
    return st.none() | _present(key) if key.optional else _present(key)


def _present(key: Hint) -> st.SearchStrategy[Any]:
    base, origin = key.base, get_origin(key.base)
    if origin is Literal:
        return st.sampled_from(get_args(base))
    if origin is tuple:
        return st.lists(_values(hint(get_args(base)[0])), max_size=3).map(tuple)
    if origin is dict:
        names, values = (_values(hint(part)) for part in get_args(base))
        return st.dictionaries(names, values, max_size=3)
    if dataclasses.is_dataclass(base):
        return _built(base)
    if issubclass(base, enum.Enum):
        return st.sampled_from(base)
    if base is timedelta:
        return _times(key.limit(Span))
    if base is bool:
        return st.booleans()
    if base is str:
        # `none` and line ends are what a key of text cannot say.
        regex = key.limit(Pattern).regex
        return st.from_regex(regex, alphabet=_PRINTABLE).filter(
            lambda text: text != "none" and "\n" not in text
        )
    limits: Range = key.limit(Range)
    if base is int:
        return st.integers(int(limits.least), int(limits.most))
    return st.floats(limits.least, limits.most, allow_nan=False)


_PRINTABLE = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"))


def _times(span: Span) -> st.SearchStrategy[timedelta]:
    unit = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
    times = st.builds(
        lambda count, letter: count * unit[letter],
        st.integers(1, 9999),
        st.sampled_from(span.units),
    )
    return st.just(timedelta()) | times if span.zero else times
