"""`canary`: one session saves, another demands it back, and a question with a known page is asked.

The two are processes of their own, with tokens of their own on a server: what only one process
remembers is not saved. In a repository that a person names, the note is taken away again.
"""

from __future__ import annotations

import json
import os
import secrets
import string
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.errors import Fault
from bot.git.command import Git
from bot.git.local import Target
from bot.git.store import Store
from bot.lessons.belonging import recorded
from bot.lessons.block import Json
from bot.lessons.rows import NoteRow
from bot.lessons.store import Edit
from bot.notes.lifespan import DELETED
from bot.notes_text import PREFIX
from bot.search.score import Question
from bot.settings import Settings
from bot.texts import message
from bot.work.writing import apply

PATIENCE = 120.0  # seconds for one session: it may have to read the repository first
CAUSE = "canary"

Open = Callable[[str], AbstractContextManager[Target]]


@dataclass(frozen=True, slots=True)
class Check:
    """One demand, and what came of it. `path`: of the note that was saved."""

    name: str
    ok: bool
    said: str
    path: str = ""

    def __str__(self) -> str:
        return f"{'ok' if self.ok else 'NO'}  {self.name}: {self.said}"


@dataclass(frozen=True, slots=True)
class Sessions:
    """Who saves and who asks: of one repository, or of a server with a token file for each.

    `cache`: where their index is, instead of this person's.
    """

    repository: str
    url: str | None = None
    writer: Path | None = None
    asker: Path | None = None
    cache: Path | None = None

    def save(self, title: str, text: str) -> Mapping[str, Json]:
        return self._session(self.writer, {"save": text, "title": title})

    def ask(self, query: str) -> Mapping[str, Json]:
        return self._session(self.asker, {"ask": query})

    def _session(self, token: Path | None, asked: Mapping[str, str]) -> Mapping[str, Json]:
        command = [sys.executable, "-m", "bot.commands.session", self.repository]
        command += [self.url, str(token)] if self.url is not None else []
        try:
            done = subprocess.run(
                command,
                input=json.dumps(asked),
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                env={**os.environ, **({"XDG_CACHE_HOME": str(self.cache)} if self.cache else {})},
                cwd=Path(__file__).parents[2],
                check=False,
            )
            found = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError) as error:
            raise Fault(f"a session did not answer: {type(error).__name__}", retry=False) from error
        if not isinstance(found, dict):
            raise Fault("a session did not answer with a JSON object", retry=False)
        return found


def sing(sessions: Sessions, questions: Sequence[Question], today: int) -> Iterator[Check]:
    """Each check when it was made. `today`: any number that changes daily, to choose a question."""
    word = "canary" + "".join(secrets.choice(string.ascii_lowercase) for _ in range(12))
    saved = sessions.save(f"Canary {word}", f"The canary sings {word}.\n")
    ok = saved.get("state") == "captured"
    yield Check("saved", ok, str(saved.get("said") or saved.get("error")), str(saved.get("path")))
    if ok:
        yield _found("found by another session", sessions.ask(word), str(saved.get("path")))
    if questions:
        question = questions[today % len(questions)]
        yield _found(f"“{question.text}”", sessions.ask(question.text), question.page)


def _found(name: str, answer: Mapping[str, Json], page: str) -> Check:
    hits = answer.get("hits")
    paths = [hit["path"] for hit in hits if isinstance(hit, dict)] if isinstance(hits, list) else []
    if page in paths:
        return Check(name, True, f"{page} is number {paths.index(page) + 1}")
    said = answer.get("error") or f"{page} is not among {len(paths)}: {answer.get('finding')}"
    return Check(name, False, str(said))


@contextmanager
def nest() -> Iterator[Sessions]:
    """In a repository of the canary's own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lessonkeeper-canary-") as directory:
        bare, cache = Path(directory) / "nest.git", Path(directory) / "cache"
        bare.mkdir()
        Git(bare).output("init", "--quiet", "--bare", "--initial-branch=main", ".")
        yield Sessions(str(bare), cache=cache)


def take_away(where: str, open_: Open, path: str, now: datetime) -> None:
    """The note goes in a commit of its own. Raises what `bot.work.writing.apply` raises."""
    row = NoteRow(now.replace(microsecond=0), path, DELETED, CAUSE)

    def edit(store: Store, _: Settings) -> Edit:
        changes = {path: None, **recorded(store.snapshot, [row])}
        return Edit(changes, counts={}, rows=(row,), readable=True)

    def say(_: Edit, settings: Settings) -> str:
        lines = [f"The canary was heard; {path} goes."]
        return message(f"{PREFIX}: 1 deleted", lines, (), settings.commit, direct=True)

    with open_(where) as target:
        apply(target, edit, say)
