"""The meaning half: every passage's vector compared with that of a question.

By the database where it can, otherwise in memory. Follows the shelf by its generation; makes the
vectors that are missing.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bot.search.meaning import Embedder
from bot.search.passages import Passage
from bot.search.shelf import Shelf
from bot.search.tables import Near

if TYPE_CHECKING:
    from bot.search.rows import Rows

PASSAGES = 5  # of one page among the nearest; a page with more takes others' places
BATCH = 512  # passages that get their vectors in one go


class Nearest:
    """To be shared between threads. Methods raise Fault where the model or the shelf does."""

    def __init__(self, shelf: Shelf, embedder: Embedder) -> None:
        self._shelf = shelf
        self._embedder = embedder
        self._lock = threading.Lock()
        self._rows: Rows | None = None
        self._whole = ""  # the generation that lacked nothing

    @property
    def model(self) -> str:
        return self._embedder.model

    def data(self, title: str, passages: Sequence[Passage]) -> tuple[bytes, ...]:
        """The vectors of a page's passages as they are kept: little-endian float32."""
        return tuple(self._embedder.vectors([_text(title, passage) for passage in passages]))

    def find(self, query: str, repositories: Collection[int], limit: int) -> Mapping[int, Near]:
        """Pages by how near they are, nearest first."""
        (question,) = self._embedder.vectors([query])
        if not any(question):
            return {}
        generation = self._completed()
        most = limit * PASSAGES
        found: Iterable[tuple[int, Near]] | None
        found = self._shelf.nearest(self.model, question, repositories, most)
        if found is None:
            found = self._current(generation).nearest(question, repositories, most)
        best: dict[int, Near] = {}
        for document, near in found:
            if len(best) == limit or near.cosine <= 0.0:
                break
            best.setdefault(document, near)
        return best

    def check(self) -> None:
        self._embedder.check()

    def close(self) -> None:
        """Lets go of the model; another call brings it back."""
        self._embedder.close()

    def _completed(self) -> str:
        """The generation in which no passage lacks its vector."""
        with self._lock:
            generation = self._shelf.generation()
            if generation != self._whole:
                self._complete()
                generation = self._whole = self._shelf.generation()
            return generation

    def _current(self, generation: str) -> Rows:
        from bot.search.rows import Rows  # NumPy is a tenth of a server that nobody searches

        with self._lock:
            if self._rows is None or self._rows.generation != generation:
                self._rows = Rows.of(self._shelf, self.model, generation, self._rows)
            return self._rows

    def _complete(self) -> None:
        """Makes the vectors that no model, or another one, has made so far."""
        while lacking := self._shelf.lacking(self.model, BATCH):
            texts = [_text(title, passage) for _, title, passage in lacking]
            made = self._embedder.vectors(texts)
            self._shelf.give(
                self.model, dict(zip((number for number, *_ in lacking), made, strict=True))
            )


def _text(title: str, passage: Passage) -> str:
    """What a passage means, it means under its title."""
    return " ".join(filter(None, [title, passage.heading, passage.text]))
