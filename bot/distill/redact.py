"""Takes secrets out of text, wherever it goes next: model, file, commit, log, page, comparison.

Knows where a secret stands and what takes its place; what one looks like is in credentials.
It knows nothing of reviews.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from bot.distill.credentials import MARK, RULES
from bot.distill.neutral import decoded

_PASSES = 4  # one finds nearly all; a mark may shorten a value into another rule's reach


@dataclass(frozen=True, slots=True)
class Redacted:
    """`kinds`: what was taken out, sorted, each once; empty when `text` came through unchanged."""

    text: str
    kinds: tuple[str, ...] = ()


_TOKEN_REST = re.compile(r"[\w-]*", re.ASCII)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")
_PERCENT = re.compile(r"(?<![\w.~%+-])[\w.~+-]*%[0-9A-Fa-f]{2}[\w.~%+-]*", re.ASCII)


def redact(text: str, *, known: Iterable[str] = ()) -> Redacted:
    """The text with every secret replaced by `[redacted]`, and nothing else changed.

    Secrets in base64 or percent-encoding count as well. `known` are values known to be secret
    whatever they look like (our own tokens). Idempotent; linear in the text; never raises.
    """
    literals = tuple(value for value in known if value)
    kinds: set[str] = set()
    for _ in range(_PASSES):
        found = sorted(_found(text, literals))
        if not found:
            break
        kinds.update(kind for _, _, kind in found)
        text = _replaced(text, found)
    return Redacted(text, tuple(sorted(kinds)))


def _found(text: str, known: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    yield from _plain(text, known)
    for run in _BASE64.finditer(text):
        if said := decoded(run.group()):
            for _, _, kind in _plain(said, known):
                yield run.start(), run.end(), kind
                break
    if "%" in text:
        for run in _PERCENT.finditer(text):
            for _, _, kind in _plain(unquote(run.group()), known):
                yield run.start(), run.end(), kind
                break


def _plain(text: str, known: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    lower = text.lower()
    for rule in RULES:
        if not any(hint in lower for hint in rule.hints):
            continue
        for match in rule.pattern.finditer(text):
            if match.group(rule.group) and rule.accepts(match.group(rule.group)):
                yield *match.span(rule.group), rule.kind
    for value in known:
        at = text.find(value)
        while at >= 0:
            yield at, at + len(value), "Own Token"
            at = text.find(value, at + len(value))


def _replaced(text: str, found: list[tuple[int, int, str]]) -> str:
    """Overlapping spans become one mark; a token that is longer than its pattern goes whole."""
    parts: list[str] = []
    done = 0
    for start, end, _ in found:
        rest = _TOKEN_REST.match(text, max(end, done))
        whole = rest.end() if rest else end
        if start >= done:
            parts += [text[done:start], MARK]
        done = max(done, whole)
    return "".join([*parts, text[done:]])
