"""The vectors of all passages as one matrix in memory, for databases that cannot compare them.

10,000 notes are one product of a matrix and a vector, a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from bot.search.shelf import Shelf
from bot.search.tables import Near

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rows:
    """One row for each passage that may be found; ids ascend."""

    generation: str
    ids: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int64]
    repositories: npt.NDArray[np.int64]
    rows: Matrix

    @classmethod
    def of(cls, shelf: Shelf, model: str, generation: str, before: Self | None) -> Self:
        """Brings only the rows that are new: most changes are of one page. Raises Fault."""
        wanted = np.array(shelf.vector_ids(model), dtype=np.int64).reshape(-1, 3)
        ids = wanted[:, 0]
        old = np.isin(before.ids, ids) if before is not None else None
        kept = before.ids[old] if before is not None else ids[:0]
        fresh = np.setdiff1d(ids, kept, assume_unique=True)
        vectors = shelf.vectors(fresh.tolist())
        there = np.array([number in vectors for number in fresh.tolist()], dtype=bool)
        fresh = fresh[there] if len(fresh) else fresh
        new = [np.frombuffer(vectors[number], dtype="<f4") for number in fresh.tolist()]
        parts = [before.rows[old]] if before is not None and len(kept) else []
        parts += [np.stack(new)] if new else []
        rows = np.concatenate(parts) if parts else np.zeros((0, 1), dtype=np.float32)
        order = np.argsort(np.concatenate([kept, fresh]), kind="stable")
        rows = rows[order]
        wanted = wanted[np.isin(ids, np.concatenate([kept, fresh]))]
        return cls(generation, wanted[:, 0], wanted[:, 1], wanted[:, 2], rows)

    def nearest(
        self, question: bytes, repositories: Collection[int], limit: int
    ) -> Iterator[tuple[int, Near]]:
        """The pages of the nearest passages, each once, nearest first."""
        if not len(self.ids):
            return
        cosines = self.rows @ np.frombuffer(question, dtype="<f4")
        cosines[~np.isin(self.repositories, list(repositories))] = -1.0
        places = _highest(cosines, limit)
        _, first = np.unique(self.documents[places], return_index=True)
        for place in places[np.sort(first)]:
            document = int(self.documents[place])
            passage = int(np.count_nonzero(self.documents[:place] == document))
            yield document, Near(float(cosines[place]), passage)


def _highest(values: Matrix, count: int) -> npt.NDArray[np.int64]:
    """The places of the highest values, descending; equal ones in order."""
    if len(values) > count:
        places = np.sort(np.argpartition(-values, count)[:count])
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")]
