"""A note that one session saved is found by another, whatever kills the one that saves.

The session that saves is a process of its own, which is killed at any moment and started again; the
remote alone tells whether its answers were true. By exact words: no restart waits for the model.
"""

from __future__ import annotations

import multiprocessing
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bot.bench.repositories import make_bare
from bot.bench.rounds import Spread
from bot.bench.table import Row
from bot.errors import Fault
from bot.git.command import Git
from bot.git.commit import Signature
from bot.git.lock import hold
from bot.git.remote import Remote
from bot.notes.capture import Capture, State
from bot.notes.draft import Given
from bot.notes.note import Note
from bot.search.index import SearchIndex
from bot.search.sqlite import SqliteTables
from bot.settings import Settings
from bot.work.capturing import Capturing, checked
from bot.work.looked_up import bring_up, forget_prepared
from bot.work.places import MirrorBranch

COUNT = 1000
KILLED = 10  # one session of so many
PATIENCE = 600.0  # seconds; after them no further note is saved
BEGUN = 30.0  # seconds that a session may take to begin, or to answer
_REPOSITORY = 1
_SEED = 20261105
_FORKS = multiprocessing.get_context("forkserver")  # no thread of ours is in there


class _Blank:
    """A model that knows nothing of any text."""

    model = "blank"

    def vectors(self, texts: Sequence[str]) -> Sequence[bytes]:
        return [bytes(4)] * len(texts)

    def check(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Home:
    """What all sessions share: a remote, and a folder with mirror and index."""

    bare: Path
    data: Path

    def index(self) -> SearchIndex:
        return SearchIndex(SqliteTables(self.data / "search.sqlite"), _Blank(), _now)

    @contextmanager
    def branch(self) -> Iterator[MirrorBranch]:
        who = Signature("Lessonkeeper", "lessonkeeper@users.noreply.github.com", _now())
        remote = Remote(f"file://{self.bare}", protocols=("file",))
        with hold(self.data / "mirrors", _REPOSITORY) as lock:
            yield MirrorBranch(lock, "main", lambda _: remote, who)

    def save(self, word: str) -> Capture:
        """As a session saves it."""
        note = _note(word)
        with self.branch() as branch:
            return Capturing(note, branch, branch.head, self.index(), _REPOSITORY, _now()).capture()

    def settle(self) -> None:
        """What a server does at its start and at each push."""
        with self.branch() as branch:
            head = branch.head()
            if head is not None:
                index = self.index()
                bring_up(index, _REPOSITORY, branch.clone, head, Settings(), _now().date())
                forget_prepared(index, _REPOSITORY)

    def finds(self, word: str) -> bool:
        """As another session asks."""
        hits = self.index().search(word, frozenset([_REPOSITORY])).hits
        return any(hit.path == _note(word).path for hit in hits)

    def commits(self, word: str) -> int:
        """How many commits of the remote's branch brought the note."""
        log = Git(self.bare).output("log", "--format=%H", "main", "--", _note(word).path)
        return len(log.split())


@dataclass(slots=True)
class Tally:
    """What became of the notes. `lost`: an answer that the remote does not bear out."""

    saved: int = 0  # and found by the other session
    settled: int = 0  # of killed sessions: there all the same, and found
    absent: int = 0  # of killed sessions: not there, and not found
    lost: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def notes(self) -> int:
        return self.saved + self.settled + self.absent + len(self.lost)


def save_and_find(
    home: Home,
    count: int,
    kills: int,
    tick: Callable[[], None],
    *,
    seed: int = _SEED,
    patience: float = PATIENCE,
) -> Tally:
    """`kills` of the `count` sessions that save are killed, somewhere between call and answer."""
    chance = random.Random(seed)  # nosec B311
    killed = set(chance.sample(range(count), kills))
    tally, end = Tally(), time.monotonic() + patience
    _FORKS.set_forkserver_preload([__name__])  # a session begins at once
    session = _Session(home)
    try:
        for number in range(count):
            if time.monotonic() > end:
                break
            word = f"quokka{number}x{seed}"
            if number in killed:
                usual = statistics.median(tally.seconds or [0.2])
                answered = session.ask(word, chance.uniform(0, 1.2 * usual))
                if answered is None:
                    session.kill()
                    _judge_killed(home, word, tally)
                    session = _Session(home)
            else:
                answered = session.ask(word, BEGUN)
            if answered is not None:
                _judge(home, word, answered, tally)
            tick()
    finally:
        session.kill()
    return tally


def _judge(home: Home, word: str, answered: tuple[str, float], tally: Tally) -> None:
    state, seconds = answered
    tally.seconds.append(seconds)
    if state == State.CAPTURED.value and home.commits(word) == 1 and home.finds(word):
        tally.saved += 1
    elif state == State.NOT_SAVED.value and home.commits(word) == 0 and not home.finds(word):
        tally.absent += 1
    else:
        tally.lost.append(f"{word}: {state}")


def _judge_killed(home: Home, word: str, tally: Tally) -> None:
    """Nothing was answered: search says what the remote says, and the same call settles it."""
    there, found = _present(home, word)
    again = home.save(word)
    settled = again.state is State.CAPTURED and home.commits(word) == 1 and home.finds(word)
    if found != bool(there) or not settled:
        tally.lost.append(f"{word}: killed, {there} commits, found: {found}, {again.state.value}")
    elif there:
        tally.settled += 1
    else:
        tally.absent += 1


def _present(home: Home, word: str) -> tuple[int, bool]:
    """Commits of the remote that brought the note, and whether it is found.

    The push of a killed session may live on as a process of its own, and land while we look.
    """
    while True:
        before = home.commits(word)
        home.settle()
        found = home.finds(word)
        if home.commits(word) == before:
            return before, found


class _Session:
    """A process that saves what it is told to, until it is killed."""

    def __init__(self, home: Home) -> None:
        self._here, there = _FORKS.Pipe()
        self._process = _FORKS.Process(target=_serve, args=(home, there), daemon=True)
        self._process.start()
        there.close()
        if not self._here.poll(BEGUN) or self._here.recv() != "begun":
            raise Fault("the session that saves does not begin", retry=False)

    def ask(self, word: str, seconds: float) -> tuple[str, float] | None:
        """Its answer and how long it took; None where none came in that time."""
        begun = time.monotonic()
        self._here.send(word)
        if not self._here.poll(seconds):
            return None
        state: str = self._here.recv()
        return state, time.monotonic() - begun

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self._here.close()


def _serve(home: Home, pipe: Connection[Any, Any]) -> None:
    pipe.send("begun")
    with suppress(EOFError):
        while True:
            pipe.send(home.save(pipe.recv()).state.value)


def _note(word: str) -> Note:
    made = checked(Given(f"The gateway answers to {word}.\n", "reference", "Gateway"), _now())
    if isinstance(made, Capture):
        raise Fault(f"the note is refused: {made.error}", retry=False)
    return made


def _now() -> datetime:
    return datetime.now(UTC)


def home(directory: Path) -> Home:
    """A fresh one, with a commit on the branch."""
    bare = directory / "remote.git"
    make_bare(bare, 3)
    return Home(bare, directory / "data")


def rows(directory: Path, tick: Callable[[], None], count: int = COUNT) -> list[Row]:
    kills = count // KILLED
    found = save_and_find(home(directory), count, kills, tick)
    ok = not found.lost and found.notes == count
    said = (
        f"{found.notes - len(found.lost)} of {found.notes}: {found.saved} saved and found,"
        f" {found.settled} of killed sessions there and found, {found.absent} of them neither;"
        f" {Spread.of(found.seconds).milliseconds()}"
    )
    figures = {"notes": found.notes, "lost": len(found.lost), "saved": found.saved}
    what = "a note saved by one session, found by another"
    against = f"{count} notes, {kills} of the sessions killed at any moment"
    return [Row(what, against, "every answer borne out by the remote", said, ok, figures)]
