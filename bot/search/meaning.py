"""Texts as vectors of their meaning, by a small model that its package brings along.

The one module that knows the library. Without it, or without its model, search goes on with the
exact words alone and says so.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bot.errors import Fault

Matrix = npt.NDArray[np.float32]

log = logging.getLogger(__name__)


class Embedder(Protocol):
    """`model` names what made a vector: vectors of different models are not compared."""

    @property
    def model(self) -> str: ...

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 per text; all zero where the model knows nothing of it.

        Raises Fault where there is no model, or it broke.
        """
        ...


class WordLlama:
    """WordLlama's token embeddings, 256 numbers each, averaged over a text.

    Loaded when it is first needed, in about a second; a second text costs less than a millisecond.
    Its tokens know upper case, and a capital letter says little: a text is read without.
    """

    model = "wordllama l2_supercat 256, folded"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._embed: Callable[[list[str]], Matrix] | None = None
        self._reason: str | None = None

    def vectors(self, texts: Sequence[str]) -> Matrix:
        embed = self._loaded()
        try:
            rows = embed([text.casefold() for text in texts])
        except Exception as error:
            raise Fault(f"the model of meanings broke: {error}") from error
        return unit(rows)

    def _loaded(self) -> Callable[[list[str]], Matrix]:
        with self._lock:
            if self._embed is None and self._reason is None:
                try:
                    self._embed = _load()
                except Exception as error:  # noqa: BLE001 - whatever a package may raise
                    self._reason = f"there is no model of meanings: {error}"
                    log.error("%s", self._reason)
            if self._embed is None:
                raise Fault(self._reason or "", retry=False)
            return self._embed


SHIPPED = WordLlama()  # one for the process: it is read only


def _load() -> Callable[[list[str]], Matrix]:
    import wordllama

    # Its own look-up misses the tokenizer that lies beside its weights, and would fetch another.
    package = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=package, disable_download=True)

    def embed(texts: list[str]) -> Matrix:
        # It cannot take an empty text; a space has no token that counts.
        return np.asarray(model.embed([text or " " for text in texts]), dtype=np.float32)

    return embed


def unit(rows: Matrix) -> Matrix:
    """Every row at length 1; a row of zeros, or of what is no number, is all zero."""
    rows = np.nan_to_num(rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit_rows: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit_rows
