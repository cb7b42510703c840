"""The kept listing of paths is always that of the commit it was asked for."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.bench.repositories import make_bare
from bot.git.command import Git
from bot.git.listing import folded_paths

PATHS = ["a.py", "A.py", "src/a.py", "src/b/Größe 1.py", "line\nbreak.txt", "src/b/c/d.md"]


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    directory = tmp_path_factory.mktemp("listing") / "bare.git"
    make_bare(directory)
    return Git(directory)


def commit(git: Git, paths: frozenset[str]) -> str:
    quoted = ('"' + path.replace("\n", "\\n") + '"' for path in sorted(paths))
    lines = [f"M 100644 inline {path}\ndata 1\nx\n" for path in quoted]
    stream = (
        "commit refs/heads/main\nmark :1\ncommitter A <a@example.org> 1700000000 +0000\n"
        f"data 2\nx\n\ndeleteall\n{''.join(lines)}get-mark :1\ndone\n"
    )
    made = git.output("fast-import", "--quiet", "--done", "--force", stdin=stream.encode())
    return made.decode().strip()


def entries(text: str) -> list[str]:
    assert text.startswith("\0")
    return sorted(text[2:-1].split("\0/")) if len(text) > 1 else []


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(states=st.lists(st.frozensets(st.sampled_from(PATHS)), min_size=1, max_size=4))
def test_it_follows_any_changes(git: Git, states: list[frozenset[str]]) -> None:
    kept = git.directory / "kept-paths"
    kept.unlink(missing_ok=True)
    for state in states:
        found = folded_paths(git, commit(git, state), kept)
        assert entries(found) == sorted(path.casefold() for path in state)


@pytest.mark.parametrize("damage", [b"", b"\0\0\0", b"f" * 40 + b"\n\0/gone.py\0", b"half"])
def test_a_damaged_or_foreign_file_is_made_anew(git: Git, damage: bytes) -> None:
    tip = commit(git, frozenset({"src/a.py"}))
    kept = git.directory / "kept-paths"
    kept.write_bytes(damage)
    assert folded_paths(git, tip, kept) == "\0/src/a.py\0"
    assert kept.read_bytes() == f"{tip}\n\0/src/a.py\0".encode()


def test_a_commit_without_new_files_needs_no_writing(git: Git) -> None:
    kept = git.directory / "kept-paths"
    first = commit(git, frozenset({"a.py"}))
    folded_paths(git, first, kept)
    assert folded_paths(git, commit(git, frozenset({"a.py"})), kept) == "\0/a.py\0"
    assert kept.read_bytes().startswith(first.encode())


def test_without_a_file_nothing_is_kept(git: Git) -> None:
    tip = commit(git, frozenset({"a.py"}))
    before = sorted(path.name for path in git.directory.iterdir())
    assert folded_paths(git, tip) == "\0/a.py\0"
    assert sorted(path.name for path in git.directory.iterdir()) == before
