"""Texts as vectors of their meaning, by a small model that its package brings along.

Without it search goes on with the exact words alone and says so. This module knows how the model
is asked, and when it is there; what it does is in `bot/search/vectors.py`.
"""

from __future__ import annotations

import base64
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from bot.errors import Fault

KEPT = timedelta(seconds=30)  # the questions of one task come seconds apart; a start takes half a
PATIENCE = timedelta(seconds=30)  # an exchange takes milliseconds, a start some seconds at worst
AT_ONCE = 64  # texts of one exchange: a question does not wait for an index that is being made

log = logging.getLogger(__name__)


class Embedder(Protocol):
    """`model` names what made a vector: vectors of different models are not compared."""

    @property
    def model(self) -> str: ...

    def vectors(self, texts: Sequence[str]) -> Sequence[bytes]:
        """One of length 1 per text, as little-endian float32; all zero where the model knows
        nothing of it. Raises Fault where there is no model, or it broke.
        """
        ...

    def check(self) -> None:
        """Raises Fault where there is no model, or it broke; finds out when it is well again."""
        ...

    def close(self) -> None:
        """Lets go of the model; the next text brings it back."""
        ...


class WordLlama:
    """WordLlama's token embeddings, 256 numbers each, averaged over a text.

    In a process of its own, started when it is needed; it ends when nothing was asked for `kept`.
    Its tokens know upper case, and a capital letter says little: a text is read without.
    """

    model = "wordllama l2_supercat 256, folded"

    def __init__(
        self, package: str = "wordllama", kept: timedelta = KEPT, patience: timedelta = PATIENCE
    ) -> None:
        self._package = package
        self._kept = kept
        self._patience = patience
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._missing: str | None = None

    def vectors(self, texts: Sequence[str]) -> list[bytes]:
        parts = (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))
        return [vector for part in parts for vector in self._exchange(part)]

    def check(self) -> None:
        with self._lock:
            self._missing = None  # it may be there by now
        self._exchange(["lesson"])

    def close(self) -> None:
        with self._lock:
            self._drop()

    @property
    def is_loaded(self) -> bool:
        process = self._process
        return process is not None and process.lives()

    def _exchange(self, texts: Sequence[str]) -> list[bytes]:
        with self._lock:
            if self._missing is not None:
                raise Fault(self._missing, retry=False)
            line = json.dumps([text.casefold() for text in texts]).encode() + b"\n"
            # It may have ended at this very moment, for nobody had asked; or it was stuck.
            answer = self._answered(line) or self._answered(line)
            said = json.loads(answer or b'{"broken": "the model of meanings died"}')
            self._missing = said.get("missing")
            if self._missing is not None:
                self._drop()
        if "vectors" in said:
            return [base64.b64decode(vector) for vector in said["vectors"]]
        reason = said.get("missing") or said["broken"]
        log.error("%s", reason)
        raise Fault(reason, retry="broken" in said)

    def _answered(self, line: bytes) -> bytes:
        """Nothing where the process ended before it answered."""
        if self._process is None or not self._process.lives():
            self._drop()
            try:
                self._process = _Process(self._package, self._kept, self._patience)
            except OSError as error:
                raise Fault(f"the model of meanings cannot be started: {error}") from error
        answer = self._process.ask(line)
        if not answer:
            self._drop()
        return answer

    def _drop(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


class _Process:
    """One life of the model."""

    def __init__(self, package: str, kept: timedelta, patience: timedelta) -> None:
        self._patience = patience
        seconds = str(kept.total_seconds())
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bot.search.vectors", package, seconds],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            start_new_session=True,  # Ctrl-C is for the server, which then closes its input
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        # Who ends by itself stays a zombie until somebody waits for it.
        threading.Thread(target=self._process.wait, name="meanings", daemon=True).start()

    def lives(self) -> bool:
        return self._process.poll() is None

    def ask(self, line: bytes) -> bytes:
        """Nothing where it ended, or was ended because it did not answer in time."""
        stuck = threading.Timer(self._patience.total_seconds(), self._process.kill)
        stuck.start()  # else every search would wait with this one
        try:
            with suppress(BrokenPipeError):  # it may have said why it ended
                self._in.write(line)
                self._in.flush()
            answer = self._out.readline()
        finally:
            stuck.cancel()
        return answer if answer.endswith(b"\n") else b""

    def close(self) -> None:
        with suppress(BrokenPipeError):
            self._in.close()
        self._out.close()
        self._process.wait()


SHIPPED = WordLlama()  # one for the process
