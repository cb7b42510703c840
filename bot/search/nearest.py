"""The meaning half: every passage's vector compared with that of a question.

By the database where it can, otherwise in memory: 10,000 notes are one product of a matrix and a
vector, a few milliseconds. Follows the shelf by its generation; makes the vectors that are missing.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bot.search.meaning import Embedder, Matrix
from bot.search.passages import Passage
from bot.search.shelf import Shelf
from bot.search.tables import Near

PASSAGES = 5  # of one page among the nearest; a page with more takes others' places
BATCH = 512  # passages that get their vectors in one go


@dataclass(frozen=True, slots=True)
class _Loaded:
    """One row for each passage that may be found; ids ascend."""

    generation: str
    ids: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int64]
    repositories: npt.NDArray[np.int64]
    rows: Matrix


class Nearest:
    """To be shared between threads. Methods raise Fault where the model or the shelf does."""

    def __init__(self, shelf: Shelf, embedder: Embedder) -> None:
        self._shelf = shelf
        self._embedder = embedder
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._whole = ""  # the generation that lacked nothing

    @property
    def model(self) -> str:
        return self._embedder.model

    def data(self, title: str, passages: Sequence[Passage]) -> tuple[bytes, ...]:
        """The vectors of a page's passages as they are kept: little-endian float32."""
        return _data(self._embedder.vectors([_text(title, passage) for passage in passages]))

    def find(self, query: str, repositories: Collection[int], limit: int) -> Mapping[int, Near]:
        """Pages by how near they are, nearest first."""
        (question,) = self._embedder.vectors([query])
        if not question.any():
            return {}
        generation = self._completed()
        (data,) = _data(question[np.newaxis])
        most = limit * PASSAGES
        found: Iterable[tuple[int, Near]] | None
        found = self._shelf.nearest(self.model, data, repositories, most)
        if found is None:
            found = _nearest(self._current(generation), question, repositories, most)
        best: dict[int, Near] = {}
        for document, near in found:
            if len(best) == limit or near.cosine <= 0.0:
                break
            best.setdefault(document, near)
        return best

    def _completed(self) -> str:
        """The generation in which no passage lacks its vector."""
        with self._lock:
            generation = self._shelf.generation()
            if generation != self._whole:
                self._complete()
                generation = self._whole = self._shelf.generation()
            return generation

    def _current(self, generation: str) -> _Loaded:
        with self._lock:
            if self._loaded is None or self._loaded.generation != generation:
                self._loaded = self._load(generation, self._loaded)
            return self._loaded

    def _complete(self) -> None:
        """Makes the vectors that no model, or another one, has made so far."""
        while lacking := self._shelf.lacking(self.model, BATCH):
            texts = [_text(title, passage) for _, title, passage in lacking]
            made = _data(self._embedder.vectors(texts))
            self._shelf.give(
                self.model, dict(zip((number for number, *_ in lacking), made, strict=True))
            )

    def _load(self, generation: str, before: _Loaded | None) -> _Loaded:
        """Brings only the rows that are new: most changes are of one page."""
        wanted = np.array(self._shelf.vector_ids(self.model), dtype=np.int64).reshape(-1, 3)
        ids = wanted[:, 0]
        old = np.isin(before.ids, ids) if before is not None else None
        kept = before.ids[old] if before is not None else ids[:0]
        fresh = np.setdiff1d(ids, kept, assume_unique=True)
        vectors = self._shelf.vectors(fresh.tolist())
        there = np.array([number in vectors for number in fresh.tolist()], dtype=bool)
        fresh = fresh[there] if len(fresh) else fresh
        new = [np.frombuffer(vectors[number], dtype="<f4") for number in fresh.tolist()]
        parts = [before.rows[old]] if before is not None and len(kept) else []
        parts += [np.stack(new)] if new else []
        rows = np.concatenate(parts) if parts else np.zeros((0, 1), dtype=np.float32)
        order = np.argsort(np.concatenate([kept, fresh]), kind="stable")
        rows = rows[order]
        wanted = wanted[np.isin(ids, np.concatenate([kept, fresh]))]
        return _Loaded(generation, wanted[:, 0], wanted[:, 1], wanted[:, 2], rows)


def _nearest(
    loaded: _Loaded, question: Matrix, repositories: Collection[int], limit: int
) -> Iterator[tuple[int, Near]]:
    """The pages of the nearest passages, each once, nearest first."""
    if not len(loaded.ids):
        return
    cosines = loaded.rows @ question
    cosines[~np.isin(loaded.repositories, list(repositories))] = -1.0
    places = _highest(cosines, limit)
    _, first = np.unique(loaded.documents[places], return_index=True)
    for place in places[np.sort(first)]:
        document = int(loaded.documents[place])
        passage = int(np.count_nonzero(loaded.documents[:place] == document))
        yield document, Near(float(cosines[place]), passage)


def _highest(values: Matrix, count: int) -> npt.NDArray[np.int64]:
    """The places of the highest values, descending; equal ones in order."""
    if len(values) > count:
        places = np.sort(np.argpartition(-values, count)[:count])
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")]


def _text(title: str, passage: Passage) -> str:
    """What a passage means, it means under its title."""
    return " ".join(filter(None, [title, passage.heading, passage.text]))


def _data(rows: Matrix) -> tuple[bytes, ...]:
    return tuple(row.astype("<f4").tobytes() for row in rows)
