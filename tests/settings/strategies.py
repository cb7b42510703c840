"""Any settings that the file can say, drawn from the annotations that the schema is made of."""

from __future__ import annotations

import dataclasses
import enum
import re
from datetime import timedelta
from typing import Any, Literal, get_args, get_origin

from hypothesis import strategies as st

from bot.settings import Reviewer, Settings
from bot.settings.form import Hint, Pattern, Range, RepositoryPath, Span, hint, hints


def settings() -> st.SearchStrategy[Settings]:
    return _built(Settings)


def _reviewers() -> st.SearchStrategy[tuple[Reviewer, ...]]:
    """One entry for an account, one verdict for a line."""
    consistent = _built(Reviewer).filter(lambda r: r.asks is None or r.asks != r.passes)
    unique = st.lists(consistent, max_size=3, unique_by=lambda r: r.login.casefold())
    return unique.map(lambda drawn: tuple(drawn))


def _built(cls: Any) -> st.SearchStrategy[Any]:
    return st.builds(cls, **{name: _values(key) for name, key in hints(cls).items()})


def _values(key: Hint) -> st.SearchStrategy[Any]:
    return st.none() | _present(key) if key.optional else _present(key)


def _present(key: Hint) -> st.SearchStrategy[Any]:
    base, origin = key.base, get_origin(key.base)
    if origin is Literal:
        return st.sampled_from(get_args(base))
    if base == tuple[Reviewer, ...]:
        return _reviewers()
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
        return _texts(key.limit(Pattern))
    limits: Range = key.limit(Range)
    if base is int:
        return st.integers(int(limits.least), int(limits.most))
    return st.floats(limits.least, limits.most, allow_nan=False)


_PRINTABLE = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"))
_PARTS = st.text(_PRINTABLE.filter(lambda c: c not in "/\\"), min_size=1, max_size=20)


def _texts(pattern: Pattern) -> st.SearchStrategy[str]:
    """Texts of a key; `none` is the one that the file cannot say."""
    if pattern == hint(RepositoryPath).limit(
        Pattern
    ):  # mostly look-ahead: too rarely hit by chance
        paths = st.lists(_PARTS, min_size=1, max_size=5).map("/".join)
        return paths.filter(lambda path: re.search(pattern.regex, path) and path != "none")
    texts = st.from_regex(pattern.regex, fullmatch=True, alphabet=_PRINTABLE)
    return texts.filter(lambda text: text != "none")


def _times(span: Span) -> st.SearchStrategy[timedelta]:
    unit = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
    times = st.builds(
        lambda count, letter: count * unit[letter],
        st.integers(1, 9999),
        st.sampled_from(span.units),
    )
    return st.just(timedelta()) | times if span.zero else times
