"""One SQLite file that is derived: opened, checked, and put aside for an empty one when damaged.

Knows nothing of what its tables hold. A file that is cut short, overwritten or taken away while it
is used is noticed before it answers.
"""

from __future__ import annotations

import fcntl
import logging
import os
import queue
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from bot.errors import Fault
from bot.search.model import Lost

log = logging.getLogger(__name__)

BUSY_SECONDS = 10.0
_PASSING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_LOCKED)  # the file is sound


class SqliteFile:
    """To be shared between threads and processes.

    `schema` makes the tables of an empty file and sets its `user_version` to `version`; a file of
    another version is made anew.
    """

    def __init__(self, path: Path, schema: str, version: int) -> None:
        self._path = path
        self._schema = schema
        self._version = version
        self._checked: int | None = None  # the inode of the file that was found sound
        self._idle: queue.SimpleQueue[tuple[int | None, sqlite3.Connection]] = queue.SimpleQueue()

    def close(self) -> None:
        """Closes what is open; another call opens it again."""
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait()[1].close()

    @contextmanager
    def transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        """Begun by `begin`, on a file that is whole. Raises Lost and Fault."""
        inode: int | None = None
        try:
            try:
                with self._opened() as (inode, c), c:
                    c.execute(begin)
                    self._demand_whole(c)
                    yield c
            except sqlite3.IntegrityError as error:  # what was to be kept is wrong, not the file
                raise Fault(f"the search index takes no such page: {error}", retry=False) from error
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode in _PASSING:
                    raise Fault(f"the search index cannot be used now: {error}") from error
                raise self._lost(inode, str(error)) from error
            except _Damaged as error:
                raise self._lost(inode, str(error)) from error
        except (OSError, sqlite3.OperationalError) as error:  # nor can another be put in its place
            raise Fault(f"the search index cannot be used: {error}") from error

    @contextmanager
    def _opened(self) -> Iterator[tuple[int | None, sqlite3.Connection]]:
        """A connection for one transaction; none is kept to a file that was replaced."""
        inode = self._inode()
        if inode is None or inode != self._checked:
            with self._alone():
                self._prepare()
                inode = self._checked = self._inode()
        c = self._taken(inode) or _connect(self._path)
        try:
            yield inode, c
        except BaseException:
            c.close()
            raise
        self._idle.put((inode, c))

    def _taken(self, inode: int | None) -> sqlite3.Connection | None:
        with suppress(queue.Empty):
            while True:
                of, c = self._idle.get_nowait()
                if of == inode:
                    return c
                c.close()
        return None

    def _inode(self) -> int | None:
        try:
            return self._path.stat().st_ino
        except FileNotFoundError:
            return None

    def _prepare(self) -> None:
        """A sound file with the tables; what is none makes place for an empty one."""
        if self._path.exists():
            try:
                with closing(_connect(self._path)) as c:
                    self._demand_whole(c)
                    _demand_sound(c)
                    return
            except (sqlite3.DatabaseError, _Damaged) as error:
                log.warning("the search index is made anew: %s", error)
        self._clear()
        with closing(_connect(self._path)) as c:
            c.executescript(self._schema)

    def _lost(self, inode: int | None, why: str) -> Lost:
        """Puts an empty file in the place of a damaged one, unless somebody did so meanwhile."""
        with self._alone():
            if inode == self._inode():
                self._clear()
            self._prepare()
            self._checked = self._inode()
        return Lost(f"the search index was lost: {why}")

    def _clear(self) -> None:
        for suffix in ("", "-journal"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _demand_whole(self, c: sqlite3.Connection) -> None:
        """Inside a transaction nobody else changes the file: it is as long as its header says."""
        (version,) = c.execute("PRAGMA user_version").fetchone()
        (pages,) = c.execute("PRAGMA page_count").fetchone()
        (size,) = c.execute("PRAGMA page_size").fetchone()
        if version != self._version:
            raise _Damaged(f"its tables are of version {version}")
        if self._path.exists() and self._path.stat().st_size < pages * size:
            raise _Damaged("it is cut short")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Of all threads and processes that would open or replace the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(self._path.with_name(f"{self._path.name}.lock"), os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


class _Damaged(Exception):  # noqa: N818 - never leaves this module
    pass


def _connect(path: Path) -> sqlite3.Connection:
    c = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    # Without a WAL the file is always as long as it says.
    # A page that is written early would lock readers out for as long as a rebuild takes.
    for pragma in (
        "journal_mode=TRUNCATE",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "cache_spill=OFF",
    ):
        c.execute(f"PRAGMA {pragma}")
    return c


def _demand_sound(c: sqlite3.Connection) -> None:
    (found,) = c.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise _Damaged(str(found))
