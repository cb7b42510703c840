"""What agents load with every run: its size, and what each line of it costs in a month.

Pure arithmetic over the bytes of files and the `carried` settings (SPEC 7, 14).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from bot.settings import Carried

NEAR = 0.9  # of the budget: a warning has to come before it is spent
ASCII_PER_TOKEN = 4  # of English and code, as tokenisers of large models average


class Weight(enum.StrEnum):
    """How a file stands to its budget."""

    FINE = "fine"
    NEAR = "near its budget"
    OVER = "over its budget"


@dataclass(frozen=True, slots=True)
class CarriedLine:
    """One line. `number` is 1-based, `tokens` an estimate, `usd` the price of a month."""

    number: int
    text: str
    tokens: float
    usd: float


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """`size` is in bytes; `used` is the share of the budget of one file, of lines or of bytes: that
    of which it uses more."""

    path: str
    size: int
    lines: tuple[CarriedLine, ...]
    used: float

    @property
    def weight(self) -> Weight:
        if self.used > 1:
            return Weight.OVER
        return Weight.NEAR if self.used >= NEAR else Weight.FINE

    @property
    def tokens(self) -> float:
        return sum(line.tokens for line in self.lines)

    @property
    def usd(self) -> float:
        return sum(line.usd for line in self.lines)


def tokens(text: str) -> float:
    """An estimate without any model: a quarter for each ASCII character, one for each other."""
    plain = sum(character < "\x80" for character in text)
    return plain / ASCII_PER_TOKEN + len(text) - plain


def weigh(files: Mapping[str, bytes], settings: Carried) -> tuple[CarriedFile, ...]:
    """Each file; a month's price is tokens × runs × the price of input."""
    return tuple(_weighed(path, data, settings) for path, data in files.items())


def _weighed(path: str, data: bytes, settings: Carried) -> CarriedFile:
    price = settings.runs_per_month * settings.usd_per_million_tokens / 1_000_000
    texts = data.decode("utf-8", "replace").splitlines(keepends=True)
    lines = tuple(
        CarriedLine(number, text.strip(), found := tokens(text), found * price)
        for number, text in enumerate(texts, 1)
    )
    used = max(len(lines) / settings.lines, len(data) / (settings.kilobytes * 1024))
    return CarriedFile(path, len(data), lines, used)
