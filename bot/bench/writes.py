"""The write path on repositories of any size, beside plain git on copies of the same."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from bot.bench.plain import FetchAndPush, ShallowClone
from bot.bench.repositories import make_bare
from bot.bench.rounds import Side, Spread, in_turns, ratios, timed
from bot.bench.store import BULLETS, TODAY, evidence, naming, sentences, store_files, unlike
from bot.bench.table import Row
from bot.git.clone import Clone
from bot.git.command import Git
from bot.git.commit import REFERENCE, Signature, make_commit
from bot.git.lock import hold
from bot.git.plan import Plan
from bot.git.remote import Remote
from bot.git.store import Store
from bot.lessons.store import Edit, write
from bot.sandbox.git_http import GitServer
from bot.settings import Settings
from bot.texts import commit_message
from bot.work.places import MirrorBranch
from bot.work.writing import apply

REPOSITORY = 7
AUTHOR = Signature("lessonkeeper[bot]", "lessonkeeper@example.org", TODAY)
TOKEN = "sandbox"  # nosec B105  # the sandbox takes any
SIZES = (100, 10_000, 50_000)
CLONING = 30.0  # seconds for each protocol; where files are slow to make, fewer rounds have to do
OVER_CLONE, OVER_PUSH, OVER_SMALLEST = 1 / 20, 1.5, 1.3


@dataclass(frozen=True, slots=True)
class Corpus:
    """The bullets that a store begins with, and those that new reviews teach."""

    kept: Sequence[str]
    new: Sequence[str]

    @classmethod
    def of(cls, findings: bytes) -> Corpus:
        named = (naming(text, number) for number, text in enumerate(sentences(findings)))
        texts = unlike(named, 10_000)
        return cls(texts[:BULLETS], texts[BULLETS:])


@dataclass(slots=True)
class Bot:
    """Reads, decides, commits and pushes as the write job does: two findings of one review, of
    which one refreshes a bullet and the other is new.
    """

    mirrors: Path
    remote: Remote
    corpus: Corpus
    _reviews: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __call__(self) -> float:
        number = next(self._reviews)
        found = [
            evidence(texts[number % len(texts)], 5000 + number, TODAY + timedelta(minutes=number))
            for texts in (self.corpus.kept, self.corpus.new)
        ]

        def decide(store: Store, settings: Settings) -> Edit:
            return write(store.snapshot, found, settings, TODAY.date())

        def say(edit: Edit, settings: Settings) -> str:
            return commit_message(edit, settings.commit, direct=True)

        def job() -> None:
            with hold(self.mirrors, REPOSITORY) as lock:
                branch = MirrorBranch(lock, "main", lambda _: self.remote, AUTHOR)
                written = apply(branch, decide, say, repository=REPOSITORY)
            assert written.commit is not None

        return timed(job)


@dataclass(slots=True)
class Workshop:
    """Remotes of each size, copied for each side, as files or over HTTP."""

    directory: Path
    corpus: Corpus
    server: GitServer
    _copies: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def bot(self, files: int, protocol: str) -> Bot:
        remote, place = self._remote(files, protocol)
        return Bot(place / "mirrors", remote, self.corpus)

    def fetch_and_push(self, files: int, protocol: str) -> FetchAndPush:
        remote, place = self._remote(files, protocol)
        return FetchAndPush(place / "clone", remote, AUTHOR)

    def shallow_clone(self, files: int, protocol: str) -> ShallowClone:
        remote, place = self._remote(files, protocol)
        return ShallowClone(place / "clone", remote)

    def _remote(self, files: int, protocol: str) -> tuple[Remote, Path]:
        """A remote of its own, and the directory for what works on it."""
        name = f"{next(self._copies)}-{files}"
        bare = self.directory / f"{name}.git"
        shutil.copytree(self._seed(files), bare)
        place = self.directory / name
        place.mkdir()
        if protocol == "file":
            return Remote(f"file://{bare}", None, ("file",)), place
        return Remote(f"{self.server.url}/{bare.name}", TOKEN, ("http",)), place

    def _seed(self, files: int) -> Path:
        bare = self.directory / f"seed-{files}.git"
        if not bare.exists():
            head = make_bare(bare, files)
            git = Git(bare)
            files_of_store = store_files(self.corpus.kept, self.corpus.new, REPOSITORY)
            plan = Plan("main", head, files_of_store, "Seed\n")
            commit = make_commit(Clone(git), plan, AUTHOR, AUTHOR)
            git.output("update-ref", "refs/heads/main", commit)
            git.output("update-ref", "-d", REFERENCE)
        return bare


@contextmanager
def workshop(directory: Path, findings: bytes) -> Iterator[Workshop]:
    with GitServer(directory, lambda _: True) as server:
        yield Workshop(directory.resolve(), Corpus.of(findings), server)


Tick = Callable[[], None]


def against_clone(shop: Workshop, protocol: str, rounds: int, tick: Tick, files: int) -> list[Row]:
    bot = shop.bot(files, protocol)
    bot()  # fills the cache, which the clone has no use for
    sides: dict[str, Side] = {"bot": bot, "clone": shop.shallow_clone(files, protocol)}
    taken = in_turns(sides, rounds, tick, lost=0, patience=CLONING)
    ratio = ratios(taken["bot"], taken["clone"])
    return [
        _row(
            f"read-decide-commit-push, warm cache, {files:,} files, {protocol}",
            "`git clone --depth 1`, edit, commit, push",
            f"≤ {OVER_CLONE:.2f} ×",
            ratio,
            ratio.median <= OVER_CLONE,
            taken,
        )
    ]


def against_push(shop: Workshop, protocol: str, rounds: int, tick: Tick, files: int) -> list[Row]:
    sides: dict[str, Side] = {
        "bot": shop.bot(files, protocol),
        "fetch+push": shop.fetch_and_push(files, protocol),
    }
    taken = in_turns(sides, rounds, tick)
    ratio = ratios(taken["bot"], taken["fetch+push"])
    return [
        _row(
            f"the same, {protocol}",
            "`git fetch`, `git push` of a prepared commit",
            f"≤ {OVER_PUSH} ×",
            ratio,
            ratio.median <= OVER_PUSH,
            taken,
        )
    ]


def by_size(
    shop: Workshop, protocol: str, rounds: int, tick: Tick, sizes: Sequence[int]
) -> list[Row]:
    smallest, *larger = sizes
    few = f"{smallest:,} files"
    sides: dict[str, Side] = {f"{size:,} files": shop.bot(size, protocol) for size in sizes}
    plain, plain_few = f"plain {larger[-1]:,}", f"plain {smallest:,}"
    sides[plain_few] = shop.fetch_and_push(smallest, protocol)
    sides[plain] = shop.fetch_and_push(larger[-1], protocol)
    taken = in_turns(sides, rounds, tick)
    rows = []
    for size in larger:
        many = f"{size:,} files"
        ratio = ratios(taken[many], taken[few])
        both = {few: taken[few], many: taken[many]}
        ok = ratio.median <= OVER_SMALLEST
        what = f"the same at {many}, {protocol}"
        rows.append(_row(what, few, f"≤ {OVER_SMALLEST} ×", ratio, ok, both))
    # What the remote itself takes longer: it checks a push against the whole tree it had.
    ratio = ratios(taken[plain], taken[plain_few])
    both = {plain_few: taken[plain_few], plain: taken[plain]}
    what = f"`git fetch`, `git push` at {larger[-1]:,} files, {protocol}"
    return [*rows, _row(what, few, "–", ratio, None, both)]


def _row(
    what: str,
    against: str,
    reach: str,
    ratio: Spread,
    ok: bool | None,
    taken: Mapping[str, Sequence[float]],
) -> Row:
    medians = {name: Spread.of(seconds).median for name, seconds in taken.items()}
    sides = ", ".join(f"{name} {median * 1000:,.0f} ms" for name, median in medians.items())
    figures = {"ratio": ratio.median, **{f"{name} s": value for name, value in medians.items()}}
    return Row(what, against, reach, f"{ratio} × ({sides})", ok, figures)
