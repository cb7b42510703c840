"""The branch of the rolling pull request: where its next commit starts, and what people did there.

Reads git alone; what is written, and when, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.errors import UserError
from bot.facts import OwnPullRequest
from bot.git.clone import Clone
from bot.git.plan import Built, Plan, Published, unseen
from bot.git.store import GitTree, Store, read_store
from bot.lessons.history import History
from bot.lessons.proposal import Reapplied, declined, reapply, salvaged
from bot.lessons.rows import DeclinedRow
from bot.lessons.store import LESSONS, Evidence
from bot.work.places import MirrorBranch

ROLLING = "lessonkeeper/lessons"
OURS = ".agent-corp/"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A commit of somebody else on our branch: the lessons before and after, other files of it."""

    commit: str
    before: bytes
    after: bytes
    others: tuple[str, ...]


@dataclass(slots=True)
class RollingBranch:
    """Implements Branch. `pull` is the open pull request, `pulls` are all of ours, newest first.

    The branch goes on while it merges; otherwise it is made anew on the default branch.
    """

    default: MirrorBranch
    pulls: Sequence[OwnPullRequest]
    repository: int
    branch: str = ROLLING
    base: str = ""  # of the default branch, as of the last `head`
    rebuilt: bool = False
    foreign: tuple[Foreign, ...] = ()
    salvaged: tuple[Evidence, ...] = ()
    lost: list[str] = field(default_factory=list)
    _replaces: str | None = None

    @property
    def clone(self) -> Clone:
        return self.default.clone

    @property
    def pull(self) -> OwnPullRequest | None:
        return next((each for each in self.pulls if each.open), None)

    def head(self) -> str | None:
        """The commit to start from. Raises UserError where people use a branch of that name."""
        base = self.default.head()
        if base is None:
            raise UserError("The repository is empty: there is no branch to propose lessons to.")
        tip = self.default.tip(ROLLING)
        self.base, self.rebuilt, self.foreign, self.salvaged = base, False, (), ()
        if tip is not None and self._is_signed(tip):
            self.default.signed = True  # they could not be merged otherwise, or were not taken
        if self.pull is not None and tip is not None:
            if self.default.merges(base, tip):
                self._replaces = None
                return tip
            self.rebuilt, self.foreign = True, self._foreign(base, tip)
            self.salvaged = self._salvaged(base, tip)
        elif tip is not None and not self._was_ours(tip):
            raise UserError(
                f"The branch {ROLLING} holds commits that are not the App's.",
                remedy="Rename it; the App proposes lessons from a branch of that name.",
            )
        self._replaces = tip or ""
        return base

    def publish(self, plan: Plan, built: Built = unseen) -> Published:
        return self.default.publish(replace(plan, replaces=self._replaces), built)

    def read(
        self, clone: Clone, commit: str | None, repository: int, created_at: datetime | None
    ) -> Store:
        """The store there, in the tree and under the settings of the default branch."""
        store = read_store(clone, commit, repository, created_at)
        if commit is None or commit == self.base:
            return store
        trusted = read_store(clone, self.base, repository, created_at)
        snapshot = replace(store.snapshot, tree=GitTree(clone, self.base))
        return replace(store, snapshot=snapshot, settings=trusted.settings, rules=trusted.rules)

    def with_edits(self, lessons: bytes) -> bytes:
        """The lessons made anew, with what people had changed on the branch done again."""
        self.lost = [path for each in self.foreign for path in each.others]
        for each in self.foreign:
            done: Reapplied = reapply(each.before, each.after, lessons)
            lessons = done.data
            self.lost += done.lost
        return lessons

    def _salvaged(self, base: str, tip: str) -> tuple[Evidence, ...]:
        """The evidence on the branch: also what this machine knows nothing of."""
        stores = (read_store(self.clone, each, self.repository) for each in (tip, base))
        proposal, stands = (History.read(s.snapshot.events, self.repository) for s in stores)
        return salvaged(proposal, stands)

    def _is_signed(self, commit: str) -> bool:
        raw = self.clone.git.output("cat-file", "commit", commit)
        return b"\ngpgsig" in raw.partition(b"\n\n")[0]

    def _foreign(self, base: str, tip: str) -> tuple[Foreign, ...]:
        raw = self.clone.git.output(
            "log", "--no-merges", "--reverse", "--topo-order", "--format=%H %P %ae",
            f"{base}..{tip}", "--",
        )  # fmt: skip
        rows = (line.split(" ", 2) for line in raw.decode(errors="replace").splitlines())
        ours = self.default.author.email
        return tuple(self._commit(sha, parent) for sha, parent, author in rows if author != ours)

    def _commit(self, sha: str, parent: str) -> Foreign:
        raw = self.clone.git.output(
            "diff-tree", "-r", "-z", "--no-renames", "--name-only", parent, sha, "--"
        )
        paths = [p for p in raw.decode(errors="replace").split("\0") if p]
        before, after = (self.clone.read(each, LESSONS).data for each in (parent, sha))
        return Foreign(sha, before, after, tuple(p for p in paths if not p.startswith(OURS)))

    def is_over(self, tip: str) -> bool:
        """Whether what stands on the branch was merged or closed already."""
        return any(tip == each.head_sha for each in self.pulls if not each.open)

    def _was_ours(self, tip: str) -> bool:
        """Left by a merged or closed pull request, or by a crash before it was opened."""
        if self.is_over(tip) or self.clone.is_ancestor(tip, self.base):
            return True
        raw = self.clone.git.output("log", "--no-walk", "--format=%ae", tip, "--")
        return raw.decode(errors="replace").strip() == self.default.author.email


def declined_since(
    default: MirrorBranch, head: str, pulls: Sequence[OwnPullRequest], repository: int
) -> tuple[DeclinedRow, ...]:
    """What people declined by closing ours, as far as the default branch at `head` does not know.

    GitHub keeps the head of a closed pull request, also when its branch is deleted.
    """
    closed = [each for each in pulls if not each.open and not each.merged]
    if not closed:
        return ()
    events = read_store(default.clone, head, repository).snapshot.events
    stands = History.read(events, repository)
    rows: list[DeclinedRow] = []
    for pull in closed:
        if pull.number in stands.declined_in or not default.has(pull.head_sha):
            continue
        events = read_store(default.clone, pull.head_sha, repository).snapshot.events
        at = pull.closed_at or pull.created_at
        rows += declined(History.read(events, repository), stands, pull.number, at)
    return tuple(rows)
