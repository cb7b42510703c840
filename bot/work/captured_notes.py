"""The pull request of captured notes, where nobody may push to the default branch.

One at a time; each capture is a commit on its branch, of the note alone, so that it conflicts with
nothing. Merging it keeps the notes; closed unmerged, they are not proposed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot import notes_text as words
from bot.errors import Fault, UserError
from bot.facts import OwnPullRequest
from bot.git.clone import Clone, Kind
from bot.git.plan import Built, Plan, Published, unseen
from bot.git.store import Store, read_store
from bot.notes.capture import Capture, State
from bot.notes.folder import in_folder
from bot.work.places import MirrorBranch, Place

BRANCH = "lessonkeeper/captured"


@dataclass(slots=True)
class Proposals:
    """Implements Branch: it goes on while it merges; otherwise it is made anew with its notes."""

    default: MirrorBranch
    pulls: Sequence[OwnPullRequest]
    branch: str = BRANCH
    base: str = ""  # of the default branch, as of the last `head`
    _carried: dict[str, bytes] = field(default_factory=dict)
    _replaces: str | None = None

    @property
    def clone(self) -> Clone:
        return self.default.clone

    @property
    def pull(self) -> OwnPullRequest | None:
        return next((each for each in self.pulls if each.open), None)

    def tip(self) -> str | None:
        return self.default.tip(BRANCH)

    def head(self) -> str | None:
        """The commit to start from. Raises UserError in an empty repository."""
        base, tip = self.default.head(), self.tip()
        if base is None:
            raise UserError("The repository is empty: there is no branch to propose notes to.")
        self.base, self._carried, self._replaces = base, {}, tip or ""
        if self.pull is None or tip is None:
            self._demand_ours(tip)
            return base
        if self.default.merges(base, tip):
            self._replaces = None
            return tip
        self._carried = self._notes(base, tip)
        return base

    def publish(self, plan: Plan, built: Built = unseen) -> Published:
        changes = {**self._carried, **plan.changes}
        return self.default.publish(replace(plan, changes=changes, replaces=self._replaces), built)

    def read(
        self, clone: Clone, commit: str | None, repository: int, created_at: datetime | None
    ) -> Store:
        """The store there, under the settings of the default branch."""
        trusted = read_store(clone, self.base, repository, created_at)
        return replace(read_store(clone, commit, repository, created_at), settings=trusted.settings)

    def notes(self) -> dict[str, bytes]:
        """What is proposed now, path to bytes."""
        tip = self.tip()
        return {} if tip is None else self._notes(self.base, tip)

    def declined_in(self, path: str) -> int | None:
        """The pull request that proposed a note and was closed unmerged."""
        for each in self.pulls:
            if each.open or each.merged or not self.default.has(each.head_sha):
                continue
            if self.clone.read(each.head_sha, path).kind is Kind.REGULAR:
                return each.number
        return None

    def _demand_ours(self, tip: str | None) -> None:
        """Raises UserError where people use a branch of that name."""
        if tip is None or self.clone.is_ancestor(tip, self.base):
            return
        author = self.clone.git.output("log", "--no-walk", "--format=%ae", tip, "--")
        ours = author.decode(errors="replace").strip() == self.default.author.email
        if not ours and all(tip != each.head_sha for each in self.pulls):
            raise UserError(
                f"The branch {BRANCH} holds commits that are not the App's.",
                remedy="Rename it; the App proposes notes from a branch of that name.",
            )

    def _notes(self, base: str, tip: str) -> dict[str, bytes]:
        """Notes that are new or other on the branch than where it began, and on the default one."""
        fork = self.clone.git.output("merge-base", base, tip).decode().strip()
        began, stands, now = (self.clone.blob_ids(each) for each in (fork, base, tip))
        changed = [
            path
            for path, blob in now.items()
            if in_folder(path) and blob not in (began.get(path), stands.get(path))
        ]
        files = self.clone.read_many(tip, changed)
        return {path: file.data for path, file in files.items() if file.kind is Kind.REGULAR}


def propose(place: Place, path: str, keep: Callable[[Proposals], Capture]) -> Capture:
    """What `keep` does on the branch of the pull request, which is opened or brought up to it.

    Raises the errors of the forge and the git room.
    """
    pulls = place.forge.own_pull_requests(BRANCH, place.us)
    with place.branch() as default:
        branch = Proposals(default, pulls)
        declined = branch.declined_in(path)
        if declined is not None:
            raise UserError(f"People declined this note in #{declined}.")
        found = keep(branch)
        if found.state not in (State.CAPTURED, State.CONFIRMED):
            return found
        proposed = branch.notes()
        if path not in proposed:
            return found  # the default branch has it
        pull = _shown(place, branch.pull, sorted(proposed))
    return replace(found, state=State.PROPOSED, pull=pull.number)


def _shown(place: Place, pull: OwnPullRequest | None, paths: Sequence[str]) -> OwnPullRequest:
    title, body = words.captured_title(len(paths)), words.captured_body(paths)
    if pull is None:
        base = place.repository.default_branch
        made = place.forge.propose(BRANCH, base, title, body, draft=False)
        if made is None:
            raise Fault("the pull request could not be opened; the same call again looks for it")
        return made
    if (pull.title, pull.body.replace("\r\n", "\n")) != (title, body):
        place.forge.update_pull_request(pull.number, title=title, body=body)
    return pull
