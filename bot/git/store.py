"""One store as it stands in a commit, and the tree that its bullets name, for decisions to read.

Translates between git and the domain; decides nothing but whether a file can be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from bot.errors import UserError
from bot.facts import Commit
from bot.git.clone import Clone, File, Kind
from bot.git.renames import Fate as Found
from bot.git.renames import Whereabouts, renamed_to
from bot.git.trust import distrust
from bot.lessons import event_files, pitfalls, standing
from bot.lessons.store import ATTRIBUTES, LESSONS, Snapshot
from bot.lessons.tree import Fate

SETTINGS = ".github/lessonkeeper.yml"
RULES = ".agent-corp/rules.md"
PITFALLS = pitfalls.PITFALLS
_HISTORY = 50  # commits looked through for a version that could be trusted
_DELETIONS = 500  # commits with deletions that are searched for a bare name or a glob
_PLAIN_NAME = re.compile(r"[\w@.+,-]*\w")  # nothing that a glob gives a meaning
_DIRECTORY_SAMPLE = 5  # files of a vanished directory that are looked for elsewhere


@dataclass(frozen=True, slots=True)
class Store:
    """What a commit holds of a store. `commit` is None for an empty repository.

    `distrust` says why the lessons file may not be written, as the end of a sentence.
    """

    commit: str | None
    snapshot: Snapshot
    settings: bytes | None
    rules: bytes | None
    pitfalls: bytes | None
    distrust: str | None = None

    def demand_trust(self) -> None:
        """Raises UserError when the lessons file may not be written."""
        if self.distrust is not None:
            raise UserError(
                f"it {self.distrust}, so it is left alone.",
                file=LESSONS,
                remedy="Repair it on the default branch; what waits is written then.",
            )


def read_store(
    clone: Clone, commit: str | None, repository: int, created_at: datetime | None = None
) -> Store:
    """The store at `commit`; `repository` is the numeric id that it belongs to."""
    if commit is None:
        empty = Snapshot(None, {}, _Nowhere(), repository, created_at=created_at)
        return Store(None, empty, None, None, None)
    files = clone.read_many(
        commit,
        [LESSONS, ATTRIBUTES, SETTINGS, RULES, PITFALLS],
        folders=(event_files.FOLDER, standing.FOLDER, standing.REVOKED),
    )
    events = _below(files, event_files.FOLDER, ".jsonl")
    reason = distrust(files[LESSONS])
    for path in events:
        if reason is None and files[path].kind is not Kind.REGULAR:
            reason = f"cannot be trusted: {path} {distrust(files[path])}"

    def data(path: str) -> bytes | None:
        return files[path].data if files[path].kind is Kind.REGULAR else None

    lessons = data(LESSONS) if reason is None else None
    snapshot = Snapshot(
        lessons=lessons,
        events={path: files[path].data for path in events},
        tree=GitTree(clone, commit),
        repository=repository,
        attributes=files[ATTRIBUTES].kind is not Kind.ABSENT,
        created_at=created_at,
        standing={path: files[path].data for path in _below(files, standing.FOLDER, ".md")},
        markers={path: files[path].data for path in _below(files, standing.REVOKED, "")},
    )
    return Store(commit, snapshot, data(SETTINGS), data(RULES), data(PITFALLS), reason)


def _below(files: Mapping[str, File], folder: str, suffix: str) -> list[str]:
    """Regular files directly in a folder; a file that cannot be trusted counts as there, empty."""
    return [
        path
        for path, file in files.items()
        if path.rpartition("/")[0] == folder
        and path.endswith(suffix)
        and file.kind is not Kind.DIRECTORY
    ]


def last_trusted(clone: Clone, commit: str) -> bytes | None:
    """The newest version of the lessons file that could be trusted, for readers; None if none."""
    for earlier in clone.history(commit, LESSONS, _HISTORY):
        file = clone.read(earlier.sha, LESSONS)
        if file.kind is Kind.REGULAR and distrust(file) is None:
            return file.data
    return None


class _Nowhere:
    """The tree of an empty repository."""

    commit = ""

    def has(self, path: str) -> bool:
        return False

    def expect(self, paths: Collection[str]) -> None:
        """Nothing to look up."""

    def matching(self, pattern: str) -> bool:
        return False

    def fate(self, path: str) -> Fate | None:
        return None


@dataclass(slots=True)
class GitTree:
    """`bot.lessons.tree.Tree` over a clone. Lists the whole tree only when a bullet makes it."""

    clone: Clone
    commit: str
    _known: dict[str, bool] = field(default_factory=dict)
    _listing: str | None = None

    def has(self, path: str) -> bool:
        self.expect([path])
        return self._known[path]

    def expect(self, paths: Collection[str]) -> None:
        asked = [path for path in paths if path not in self._known]
        for path, found in (self.clone.kinds(self.commit, asked) if asked else {}).items():
            self._known[path] = found.kind is not Kind.ABSENT

    def matching(self, pattern: str) -> bool:
        if _PLAIN_NAME.fullmatch(pattern):  # most bullets: no need to ask about each path
            name = pattern.casefold()
            return f"/{name}/" in self._folded() or f"/{name}\0" in self._folded()
        spec = _spec(pattern)
        return any(spec.match_file(path) for path in self._folded()[2:-1].split("\0/"))

    def _folded(self) -> str:
        if self._listing is None:
            self._listing = self.clone.folded_paths(self.commit)
        return self._listing

    def fate(self, path: str) -> Fate | None:
        exact = "/" in path and not _is_glob(path)
        deleted = (
            self.clone.deletion(self.commit, path.rstrip("/")) if exact else self._deletion(path)
        )
        if deleted is None:
            return None
        on = deleted.committed_at.date()
        if _is_glob(path):
            return Fate(on)
        before = self.clone.git.output("rev-parse", f"{deleted.sha}^").decode().strip()
        difference = self.clone.deleted_and_added(before, self.commit)
        spec = _spec(path)
        gone = [each for each in sorted(difference.deleted) if spec.match_file(each.casefold())]
        sample = gone[:_DIRECTORY_SAMPLE] if path.endswith("/") else gone[:1]
        found = {
            each: renamed_to(self.clone, each, before, self.commit, difference) for each in sample
        }
        return replace(_fate(path, on, found), at=deleted.committed_at)

    def gone(self, directories: Iterable[str]) -> dict[str, Commit]:
        """Those that stood here as directories, are deleted and stand nowhere else, each with the
        commit that deleted it. Looks at the newest deletions alone.
        """
        missing = [each for each in dict.fromkeys(directories) if each and not self.has(each)]
        deleted = [path for _, paths in self._deletions() for path in paths] if missing else []
        found: dict[str, Commit] = {}
        for each in missing:
            if any(path.startswith(f"{each}/") for path in deleted):
                fate, commit = self.fate(f"{each}/"), self.clone.deletion(self.commit, each)
                if fate and commit and fate.moved_to is None and not fate.doubt:
                    found[each] = commit
        return found

    def _deletion(self, pattern: str) -> Commit | None:
        """The newest commit that deleted a file which bears a bare name or matches a glob."""
        spec = _spec(pattern)
        for commit, paths in self._deletions():
            if any(spec.match_file(path.casefold()) for path in paths):
                return commit
        return None

    def _deletions(self) -> Iterator[tuple[Commit, list[str]]]:
        raw = self.clone.git.output(
            "log", "--first-parent", "-m", "--diff-filter=D", "--no-renames", "--name-only", "-z",
            f"--max-count={_DELETIONS}", "--format=%x01%H %ct", self.commit, "--",
        )  # fmt: skip
        for record in raw.decode("utf-8", "surrogateescape").split("\x01")[1:]:
            head, *paths = record.split("\0")
            sha, at = head.split()
            names = [path.strip("\n") for path in paths]
            yield Commit(sha, datetime.fromtimestamp(int(at), UTC)), [n for n in names if n]


def _fate(path: str, on: date, found: Mapping[str, Whereabouts]) -> Fate:
    """What the fates of the files behind one path add up to; where they disagree, a doubt."""
    if found and all(each.fate is Found.GONE for each in found.values()):
        return Fate(on)
    places = {_place(path, old, each.path) if each.path else None for old, each in found.items()}
    place = places.pop() if len(places) == 1 else None
    return Fate(on, moved_to=place, doubt=place is None)


def _place(path: str, old: str, new: str) -> str | None:
    """The new wording of `path`, where the file `old` below or behind it became `new`."""
    if path.endswith("/"):
        below = old.removeprefix(path)
        return new.removesuffix(below) if new.endswith(f"/{below}") else None
    return new if "/" in path else PurePosixPath(new).name


def _is_glob(path: str) -> bool:
    return any(character in path for character in "*?")


def _spec(pattern: str) -> GitIgnoreSpec:
    """A path, directory, glob or bare name as a pattern over case-folded paths."""
    anchored = f"/{pattern}" if "/" in pattern.rstrip("/") else pattern
    return GitIgnoreSpec.from_lines([anchored.casefold()])
