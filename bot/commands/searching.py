"""`search` and `rebuild`: the looked-up half of repositories that a person names.

Their index is one file of this person's cache: derived, shared by all work trees of a repository,
brought up to the branch before every answer.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.errors import CallError
from bot.git.local import Target, full_name
from bot.lessons.block import Json
from bot.search import printing
from bot.search.index import SearchIndex
from bot.search.meaning import SHIPPED
from bot.search.model import Answer, Index, Lost
from bot.search.sqlite import SqliteTables
from bot.work.looked_up import Brought, Told, bring_up
from bot.work.pitfalls import clean, files_of

Open = Callable[[str], AbstractContextManager[Target]]


@dataclass(frozen=True, slots=True)
class Found:
    """An answer and the names of the repositories that it is about."""

    answer: Answer
    names: Mapping[int, str]

    def to_markdown(self) -> str:
        return printing.to_markdown(self.answer, self.names, clean)

    def to_json(self) -> dict[str, Json]:
        return printing.to_json(self.answer, self.names, clean)


def index_at(environ: Mapping[str, str], now: Callable[[], datetime]) -> SearchIndex:
    """The index of this person's repositories."""
    return SearchIndex(SqliteTables(cache_of(environ) / "search.sqlite"), SHIPPED, now)


def cache_of(environ: Mapping[str, str]) -> Path:
    """This person's folder for what can be made anew."""
    cache = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "lessonkeeper"


def search(
    query: str,
    places: Sequence[str],
    open_: Open,
    now: Callable[[], datetime],
    *,
    limit: int,
    index: SearchIndex | None = None,
) -> Found:
    """What these repositories know. Raises UserError for a query that asks nothing."""
    index = index or index_at(os.environ, now)
    names: dict[int, str] = {}
    for _ in range(2):  # a damaged index is filled anew, once
        try:
            for where in places:
                with open_(where) as target:
                    repository = identity(where, target)
                    names[repository] = full_name(where, target.clone) or where
                    bring(index, repository, target, now())
            return Found(index.search(query, frozenset(names), limit), names)
        except Lost:
            continue
    return Found(index.search(query, frozenset(names), limit), names)


def rebuild(
    where: str, open_: Open, now: Callable[[], datetime], *, index: SearchIndex | None = None
) -> Brought:
    """Fills the index anew, telling how far it is on standard error."""
    index = index or index_at(os.environ, now)
    with open_(where) as target, _progress("Indexing") as told:
        repository = identity(where, target)
        index.drop(repository)
        return bring(index, repository, target, now(), told)


def bring(
    index: Index,
    repository: int,
    target: Target,
    now: datetime,
    told: Told = lambda _done, _of: None,
) -> Brought:
    """Brings the index up to the tip of the target's branch."""
    head = target.head()
    if head is None:
        raise CallError("the branch has no commit yet.", remedy="Commit something first.")
    settings = files_of(target.clone, head).settings
    return bring_up(index, repository, target.clone, head, settings, now.date(), told)


def identity(where: str, target: Target) -> int:
    """A number for a repository that has no id of GitHub: of its git directory, or its address."""
    git = target.clone.git
    place = where
    if Path(where).is_dir():
        shared = git.output("rev-parse", "--path-format=absolute", "--git-common-dir")
        place = shared.decode("utf-8", "surrogateescape").strip()
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(digest[:7])


@contextmanager
def _progress(what: str) -> Iterator[Told]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)
