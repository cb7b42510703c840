"""Reads a repository on this disk, bare or not, commit by commit. Writes nothing into it.

Knows neither whose repository it is nor what the files mean. A blob that a blobless clone lacks is
brought by the function it was given, as many at once as were asked for.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.errors import Fault
from bot.facts import Commit
from bot.git.command import Git
from bot.git.kept import Kept
from bot.git.listing import folded_paths
from bot.git.names import is_object_id, unsafe_path

TRUSTED_SIZE = 1024 * 1024  # bytes; SPEC 2: a larger file is never read as ours, nor written


class Kind(enum.Enum):
    ABSENT = "absent"
    REGULAR = "regular"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    DIRECTORY = "directory"


_SUBMODULE = "160000"
_KINDS = {"120000": Kind.SYMLINK, _SUBMODULE: Kind.SUBMODULE, "040000": Kind.DIRECTORY}


@dataclass(frozen=True, slots=True)
class File:
    """What stands at `path` in a commit.

    `data` is empty unless the file is regular and at most TRUSTED_SIZE bytes; `size` is in bytes.
    `at` is the component that is a symlink, a submodule or a file where a directory was expected;
    it equals `path` when that is the path itself.
    """

    path: str
    kind: Kind
    data: bytes = b""
    size: int = 0
    mode: str | None = None
    blob: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Files that went and came between two commits, path to blob id; a rename is both."""

    deleted: Mapping[str, str]
    added: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    object: str
    size: int | None  # None: the blob is not here


# Of all clones of a process: after a commit of ours the store is read by several in turn.
_KEPT_BLOBS = 4_000_000  # bytes; the files of a store are some tens of thousands
_KEPT_TREES = 1_000_000
_blobs = Kept[str, bytes](_KEPT_BLOBS, lambda _, data: len(data))
_trees = Kept[tuple[str, tuple[str, ...], bool], Mapping[str, _Entry]](
    _KEPT_TREES, lambda question, entries: 300 * (len(question[1]) + len(entries))
)


def _nothing_to_bring(_: Sequence[str]) -> None:
    return None


class Clone:
    """A repository on disk. Commits are named by full id; where git fails, Fault is raised."""

    def __init__(
        self,
        git: Git,
        bring: Callable[[Sequence[str]], None] = _nothing_to_bring,
        kept_paths: Path | None = None,
    ) -> None:
        """`kept_paths`: a file of ours, where the list of paths is kept from one commit on."""
        self.git = git
        self._bring = bring
        self._kept_paths = kept_paths
        self._listing: tuple[str, dict[str, str]] | None = None
        self._read: tuple[str, dict[str, File]] | None = None

    def read(self, commit: str, path: str) -> File:
        return self.read_many(commit, [path])[path]

    def read_many(
        self, commit: str, paths: Iterable[str], *, folders: Sequence[str] = ()
    ) -> dict[str, File]:
        """Each path with what stands there, at the cost of one question, not one per path.

        `folders`: also everything directly in these directories.
        """
        wanted = list(dict.fromkeys(paths))
        entries = self._entries(commit, wanted, folders=folders)
        found_there = (p for p in entries if p.rpartition("/")[0] in folders)
        wanted = list(dict.fromkeys([*wanted, *found_there]))
        files = {path: _file(path, entries) for path in wanted}
        blobs = self.blobs([f.blob for f in files.values() if f.blob and f.size <= TRUSTED_SIZE])
        found = {path: _with_data(f, blobs.get(f.blob or "", b"")) for path, f in files.items()}
        self._read = (commit, found)
        return found

    def blob(self, blob: str) -> bytes:
        return self.blobs([blob])[blob]

    def blobs(self, ids: Iterable[str]) -> dict[str, bytes]:
        """The bytes of blobs by id; those that are not here are brought in one go."""
        wanted = list(dict.fromkeys(ids))
        found = {blob: data for blob in wanted if (data := _blobs.get(blob)) is not None}
        for blob, data in self._here([blob for blob in wanted if blob not in found]).items():
            found[blob] = data
            _blobs.keep(blob, data)
        return found

    def demand_here(self, ids: Sequence[str]) -> None:
        """Brings those blobs that are not here, in one go: git itself is going to compare them."""
        self._here(ids)

    def folded_paths(self, commit: str) -> str:
        """Every file's case-folded path, each after a slash and before a NUL."""
        return folded_paths(self.git, _checked(commit), self._kept_paths)

    def paths(self, commit: str) -> frozenset[str]:
        """Every file of the commit. The newest answer is kept: a listing of 50,000 takes 0.1 s."""
        return frozenset(self.blob_ids(commit))

    def blob_ids(self, commit: str) -> Mapping[str, str]:
        """Path to object id of every file of the commit."""
        if self._listing is None or self._listing[0] != commit:
            raw = self.git.output("ls-tree", "-r", "-z", "--full-tree", _checked(commit))
            rows = (row.partition(b"\t") for row in raw.split(b"\0") if row)
            self._listing = (
                commit,
                {_text(path): head.split()[2].decode() for head, _, path in rows},
            )
        return self._listing[1]

    def deleted_and_added(self, before: str, after: str) -> Difference:
        """What the end state of `after` lacks of `before`, and has beyond it. Needs no blob."""
        raw = self.git.output(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff",
            "--diff-filter=AD", _checked(before), _checked(after), "--",
        )  # fmt: skip
        deleted: dict[str, str] = {}
        added: dict[str, str] = {}
        fields = iter(raw.split(b"\0"))
        for head in fields:
            if not head:
                break
            old_mode, new_mode, old, new, status = head.decode().removeprefix(":").split(" ")
            path = _text(next(fields))
            if _SUBMODULE in (old_mode, new_mode):
                continue
            if status == "D":
                deleted[path] = old
            else:
                added[path] = new
        return Difference(deleted, added)

    def has(self, commit: str) -> bool:
        """Whether the commit is here, with all its history."""
        return self.git.run("cat-file", "-e", f"{_checked(commit)}^{{commit}}").status == 0

    def is_ancestor(self, ancestor: str, commit: str) -> bool:
        """Whether `commit` is `ancestor` or was built on it; False when either is not here."""
        answer = self.git.run("merge-base", "--is-ancestor", _checked(ancestor), _checked(commit))
        return answer.status == 0

    def committer_date(self, commit: str) -> datetime:
        return self._log("--no-walk", _checked(commit))[0].committed_at

    def last_committed(self, commit: str, path: str) -> Commit | None:
        """The newest commit up to `commit` that touched `path`."""
        return next(iter(self.history(commit, path, limit=1)), None)

    def history(self, commit: str, path: str, limit: int) -> tuple[Commit, ...]:
        """At most `limit` commits up to `commit` that touched `path`, newest first."""
        return self._log(f"--max-count={limit}", _checked(commit), "--", path)

    def deletion(self, commit: str, path: str) -> Commit | None:
        """The commit that made `path` disappear from the branch that `commit` is the tip of.

        Along first parents: a merge counts, not the commits that it brought, because until then the
        file stood on the branch.
        """
        found = self._log(
            "--max-count=1", "--first-parent", "-m", "--diff-filter=D", _checked(commit), "--", path
        )
        return next(iter(found), None)

    def kinds(self, commit: str, paths: Iterable[str]) -> dict[str, File]:
        """Like `read_many`, perhaps without bytes and sizes; free for what was just read."""
        wanted = list(dict.fromkeys(paths))
        if self._read and self._read[0] == commit and self._read[1].keys() >= set(wanted):
            return {path: self._read[1][path] for path in wanted}
        entries = self._entries(commit, wanted, sizes=False)
        return {path: _file(path, entries) for path in wanted}

    def _entries(
        self,
        commit: str,
        paths: Sequence[str],
        *,
        folders: Sequence[str] = (),
        sizes: bool = True,
    ) -> Mapping[str, _Entry]:
        safe = [path for path in paths if _is_readable(path)]
        names = list(dict.fromkeys([*safe, *folders, *(f"{folder}/" for folder in folders)]))
        if not names:
            return {}
        entries = self._ls_tree(commit, names, sizes=sizes)
        missing = [
            entry.object
            for path, entry in entries.items()
            if entry.size is None and (path in safe or path.rpartition("/")[0] in folders)
        ]
        if sizes and missing:
            self._bring(missing)
            entries = self._ls_tree(commit, names, sizes=True)
        # The directories on the way are shown too. What is none there is asked for by itself:
        # beside a name below it, that of a directory stands for everything in it.
        barred = dict.fromkeys(filter(None, (_barred(path, entries) for path in safe)))
        return {**entries, **self._ls_tree(commit, [*barred], sizes=False)} if barred else entries

    def _ls_tree(self, commit: str, paths: Sequence[str], *, sizes: bool) -> Mapping[str, _Entry]:
        question = (_checked(commit), tuple(paths), sizes)
        known = _trees.get(question)
        if known is not None:
            return known
        raw = self.git.output(
            "ls-tree", "-t", "-z", "--full-tree", *(["--long"] if sizes else []), commit,
            "--", *paths,
        )  # fmt: skip
        entries = {}
        for row in filter(None, raw.split(b"\0")):
            head, _, path = row.partition(b"\t")
            mode, _, name, *size = head.decode().split()
            there = bool(size) and size[0] != "BAD"
            number = int(size[0]) if there and size[0] != "-" else 0
            entries[_text(path)] = _Entry(mode, name, number if there or not sizes else None)
        if all(entry.size is not None for entry in entries.values()):  # else blobs are still away
            _trees.keep(question, entries)
        return entries

    def _here(self, wanted: Sequence[str]) -> dict[str, bytes]:
        found = self._cat(wanted) if wanted else {}
        missing = [blob for blob in wanted if blob not in found]
        if missing:
            self._bring(missing)
            found |= self._cat(missing)
        for blob in wanted:
            if blob not in found:
                raise Fault(f"object {blob} is not to be had")
        return found

    def _cat(self, ids: Sequence[str]) -> dict[str, bytes]:
        raw = self.git.output(
            "cat-file", "--batch", stdin="".join(f"{_checked(i)}\n" for i in ids).encode()
        )
        found: dict[str, bytes] = {}
        position = 0
        while position < len(raw):
            end = raw.index(b"\n", position)
            name, *rest = raw[position:end].decode().split()
            position = end + 1
            if len(rest) == 2:
                size = int(rest[1])
                found[name] = raw[position : position + size]
                position += size + 1
        return found

    def _log(self, *arguments: str) -> tuple[Commit, ...]:
        raw = self.git.output(
            "log", "--no-show-signature", "--no-renames", "--no-patch", "--format=%H %ct",
            *arguments,
        )  # fmt: skip
        rows = (line.split() for line in raw.decode().splitlines() if line)
        return tuple(Commit(sha, datetime.fromtimestamp(int(at), UTC)) for sha, at in rows)


def _file(path: str, entries: Mapping[str, _Entry]) -> File:
    for prefix in _prefixes(path):
        entry = entries.get(prefix)
        if entry is None:
            return File(path, Kind.ABSENT)
        kind = _KINDS.get(entry.mode, Kind.REGULAR)
        if prefix == path:
            blob = entry.object if kind is Kind.REGULAR else None
            return File(path, kind, b"", entry.size or 0, entry.mode, blob, path)
        if kind is not Kind.DIRECTORY:
            found = Kind.ABSENT if kind is Kind.REGULAR else kind
            return File(path, found, at=prefix)
    return File(path, Kind.ABSENT)


def _is_readable(path: str) -> bool:
    """A name that is no UTF-8 can be read, though never written."""
    try:
        shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # it is no name at all
        return False
    return unsafe_path(shown) is None


def _barred(path: str, entries: Mapping[str, _Entry]) -> str | None:
    """The first on the way to a path of which it is not known to be a directory."""
    return next((each for each in _prefixes(path)[:-1] if each not in entries), None)


def _with_data(file: File, data: bytes) -> File:
    return File(file.path, file.kind, data, file.size, file.mode, file.blob, file.at)


def _prefixes(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _checked(name: str) -> str:
    if not is_object_id(name):
        raise Fault(f"{name[:80]!r} is not an object id", retry=False)
    return name


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
