"""`score`: questions with known pages, asked of a repository or of a folder of pages."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from bot.commands.searching import Open, bring, identity, index_at
from bot.errors import CallError
from bot.search.index import SearchIndex
from bot.search.meaning import SHIPPED
from bot.search.score import Question, Score, score
from bot.search.sqlite import SqliteTables
from bot.work.looked_up import page_of

FOLDER = 0  # a folder of pages is no repository
_COMMIT = "0" * 40


def score_repository(
    questions: tuple[Question, ...], where: str, open_: Open, now: Callable[[], datetime]
) -> Score:
    index = index_at(os.environ, now)
    with open_(where) as target:
        repository = identity(where, target)
        bring(index, repository, target, now())
    return score(questions, lambda text: index.rankings(text, repository))


def score_folder(
    questions: tuple[Question, ...], folder: Path, now: Callable[[], datetime]
) -> Score:
    """Every Markdown file below `folder` is a page, named from the folder on. Raises CallError."""
    files = sorted(folder.rglob("*.md"))
    if not files:
        raise CallError("there is no page in this folder.", file=str(folder))
    with tempfile.TemporaryDirectory(prefix="lessonkeeper-") as directory:
        index = SearchIndex(SqliteTables(Path(directory) / "search.sqlite"), SHIPPED, now)
        names = [file.relative_to(folder.parent).as_posix() for file in files]
        pages = [
            page_of(name, file.read_bytes(), name) for name, file in zip(names, files, strict=True)
        ]
        index.put(FOLDER, _COMMIT, now(), pages)
        return score(questions, lambda text: index.rankings(text, FOLDER))
