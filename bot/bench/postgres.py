"""A PostgreSQL server of our own on loopback, from the programs of the distribution's package.

For the tests, for the measurements, and for the campaign of kills, which stops it in the middle of
everything.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bot.bench.receivers import free_port

START = 30.0  # seconds that it has to answer


class Postgres:
    """Its data live in `folder`, which belongs to `user` (None: to whoever runs this).

    `fsync`: whether what it commits outlives a cut of the power, as with every operator's.
    """

    def __init__(
        self, folder: Path, programs: Path, user: str | None, *, fsync: bool = False
    ) -> None:
        self._folder, self._programs, self._user = folder, programs, user
        # Every test makes a database, and no campaign cuts the power: only what is timed needs it.
        self._options = ["-c", f"fsync={'on' if fsync else 'off'}"]
        self._port = free_port()
        self._server: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://bot@127.0.0.1:{self._port}/postgres"
        made: list[str | Path] = ["-D", folder / "data", "-U", "bot", "-A", "trust", "-E", "UTF8"]
        subprocess.run(
            [programs / "initdb", *made, "--no-sync"],
            check=True,
            capture_output=True,
            user=user,
            cwd=folder,
        )

    def start(self) -> None:
        """Returns when it answers."""
        place: list[str | Path] = ["-D", self._folder / "data", "-k", self._folder]
        place += ["-h", "127.0.0.1", "-p", str(self._port)]
        self._server = subprocess.Popen(
            [self._programs / "postgres", *place, *self._options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
            cwd=self._folder,
        )
        deadline = time.monotonic() + START
        while True:
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            else:
                return

    def stop(self, *, crash: bool = False) -> None:
        """Open connections are cut; with `crash` it writes nothing down and recovers at start."""
        assert self._server is not None
        self._server.send_signal(signal.SIGQUIT if crash else signal.SIGINT)
        self._server.wait(30)

    def cut_connections(self) -> None:
        """Ends every connection but the one that asks for it; new ones are taken at once."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )


def postgres_folder() -> Path | None:
    """Where `initdb` and `postgres` are, on the path or where Debian puts them."""
    found = shutil.which("initdb")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    if found is not None:
        places.insert(0, Path(found))
    return next((place.parent for place in places if (place.parent / "postgres").exists()), None)


@contextmanager
def postgres_server(programs: Path, *, fsync: bool = False) -> Iterator[Postgres]:
    """With an empty database; a server of root's runs as the user postgres or nobody."""
    # Not in pytest's own folder: every run of pytest closes that to other users.
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        owner = _unprivileged()
        if owner is not None:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        user = None if owner is None else owner.pw_name
        server = Postgres(Path(folder), programs, user, fsync=fsync)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _unprivileged() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None
