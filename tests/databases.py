"""A PostgreSQL server of our own on loopback, for the tests that ask for one."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


def postgres_folder() -> Path | None:
    """Where `initdb` and `postgres` are, on the path or where Debian puts them."""
    found = shutil.which("initdb")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    if found is not None:
        places.insert(0, Path(found))
    return next((place.parent for place in places if (place.parent / "postgres").exists()), None)


@contextmanager
def postgres_server(programs: Path) -> Iterator[str]:
    """The URL of an empty database; a server of root's runs as the user postgres or nobody."""
    # Not in pytest's own folder: every run of pytest closes that to other users.
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        owner = _unprivileged()
        if owner is not None:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        with _running(Path(folder), programs, None if owner is None else owner.pw_name) as url:
            yield url


@contextmanager
def _running(folder: Path, programs: Path, user: str | None) -> Iterator[str]:
    data = folder / "data"
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "bot", "-A", "trust", "--no-sync", "-E", "UTF8"],
        check=True,
        capture_output=True,
        user=user,
        cwd=folder,
    )
    port = _free_port()
    places: list[str | Path] = ["-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", folder]
    server = subprocess.Popen(
        [programs / "postgres", *places, "-c", "fsync=off"],  # every test makes a database
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=user,
        cwd=folder,
    )
    url = f"postgresql://bot@127.0.0.1:{port}/postgres"
    try:
        _wait_for(url, server)
        yield url
    finally:
        server.send_signal(2)  # "fast": open connections are cut
        server.wait(30)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def _unprivileged() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None
