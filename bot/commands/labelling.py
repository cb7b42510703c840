"""Asks a person about pairs of bullets in the terminal; each answer is kept at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from bot.errors import CallError
from bot.reports.judging import HEADER, added, unlabelled
from bot.reports.labels import Label, LabelledPair, parse_labels
from bot.reports.pairs import ScoredPair

KEYS = {"s": Label.SAME, "d": Label.DISTINCT, "o": Label.OPPOSITE}
QUIT = "q"
HELP = "s same lesson, d distinct, o opposite, Enter skips, q ends (so does Ctrl-C): "


def ask(pairs: Sequence[ScoredPair], labels: Path, answers: TextIO, screen: TextIO) -> None:
    """Asks about those that `labels` does not have yet, and adds the answers to it.

    Whoever stops loses nothing, and goes on where it was left. Raises UserError for a file that
    is no file of labels, CallError for one that cannot be written.
    """
    # Whether it can be written is known before anybody has judged.
    _append(labels, b"" if labels.exists() and labels.stat().st_size else HEADER)
    open_pairs = unlabelled(pairs, parse_labels(labels.read_bytes(), str(labels)))
    judged = 0
    try:
        for number, pair in enumerate(open_pairs, 1):
            scores = pair.comparison
            print(
                f"\n{number} of {len(open_pairs)}, {pair.store}: "
                f"similarity {scores.similarity:.3f}, blend {scores.blend:.3f}\n"
                f"  a: {pair.a}\n  b: {pair.b}",
                file=screen,
            )
            answer = _answer(answers, screen)
            if answer == QUIT:
                break
            if answer:
                _keep(labels, LabelledPair(pair.a, pair.b, KEYS[answer]))
                judged += 1
    except KeyboardInterrupt:
        print(file=screen)
    print(f"{judged} judged; they are kept in {labels}.", file=screen)


def _answer(answers: TextIO, screen: TextIO) -> str:
    """One of KEYS, "" for none of them; QUIT also at the end of the input."""
    while True:
        print(HELP, end="", file=screen, flush=True)
        line = answers.readline()
        said = line.strip().lower()
        if not line:
            return QUIT
        if said in KEYS or said in ("", QUIT):
            return said


def _keep(labels: Path, pair: LabelledPair) -> None:
    _append(labels, added(labels.read_bytes(), pair))


def _append(labels: Path, data: bytes) -> None:
    """It is on disk when the call returns."""
    try:
        with labels.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        reason = error.strerror or "it cannot be written"
        remedy = "Name a file that can be written with --labels."
        raise CallError(f"{reason}.", file=str(labels), remedy=remedy) from error
