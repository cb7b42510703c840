"""What a person has still to judge, and what a judgement adds to a file of labels. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from bot.distill.redact import redact
from bot.reports.labels import COLUMNS, Label, LabelledPair
from bot.reports.pairs import ScoredPair


def unlabelled(
    pairs: Iterable[ScoredPair], labelled: Iterable[LabelledPair]
) -> tuple[ScoredPair, ...]:
    """The pairs that nobody judged yet, whichever of the two texts came first; each once."""
    known = {frozenset((each.a, each.b)) for each in labelled}
    found: dict[frozenset[str], ScoredPair] = {}
    for pair in pairs:
        texts = frozenset((pair.a, pair.b))
        if texts not in known:
            found.setdefault(texts, pair)
    return tuple(found.values())


Apart = frozenset[frozenset[str]]  # pairs of texts


def kept_apart(labelled: Iterable[LabelledPair]) -> Apart:
    """The pairs that a person called distinct."""
    return frozenset(frozenset((p.a, p.b)) for p in labelled if p.label is Label.DISTINCT)


def is_kept_apart(a: str, b: str, apart: Apart) -> bool:
    """Whether a person called these two distinct. Labels hold no secret, as texts of files may."""
    return bool(apart) and frozenset((redact(a).text, redact(b).text)) in apart


def added(before: bytes, pair: LabelledPair) -> bytes:
    """What goes to the end of a file of labels that reads; its own columns, in its own order."""
    first = next(csv.reader(io.StringIO(before.decode("utf-8-sig")), dialect="excel-tab"))
    row = {"a": pair.a, "b": pair.b, "label": pair.label.value}
    line = _line([row.get(column, "") for column in first])
    return line if before.endswith((b"\n", b"\r")) else b"\n" + line


def _line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, dialect="excel-tab", lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


HEADER = _line(COLUMNS)  # of a file that begins
