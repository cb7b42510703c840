"""The pull request that deletes notes, where nobody may push to the default branch.

Its branch is made anew on the default branch whenever it deletes other notes than those that end;
what people ticked is carried along, and what they declined is not proposed again. Commits of people
on it stay until they merge or close it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from bot import notes_text as words
from bot.errors import Fault, UserError
from bot.facts import OwnPullRequest
from bot.git.clone import Clone
from bot.git.plan import Plan, Published
from bot.git.store import read_store
from bot.lessons import event_files
from bot.lessons.rows import NoteRow
from bot.notes.lifespan import DELETED
from bot.notes.note import Note
from bot.work.note_writes import Decide, NoteWrite
from bot.work.places import MirrorBranch, Place

BRANCH = "lessonkeeper/notes"


@dataclass(frozen=True, slots=True)
class _Anew:
    """Implements `bot.work.writing.Branch`: ours, as one commit on the default branch."""

    default: MirrorBranch
    closed: Collection[str]  # the heads of pull requests of ours that were closed or merged
    branch: str = BRANCH

    @property
    def clone(self) -> Clone:
        return self.default.clone

    def head(self) -> str | None:
        return self.default.head()

    def publish(self, plan: Plan) -> Published:
        tip = self.default.tip(BRANCH)
        if tip is not None and not self._is_ours(tip):
            raise UserError(
                f"The branch {BRANCH} holds commits that are not the App's.",
                remedy="Merge or close its pull request, or rename it: the App makes it anew.",
            )
        return self.default.publish(replace(plan, replaces=tip or ""))

    def _is_ours(self, tip: str) -> bool:
        author = self.clone.git.output("log", "--no-walk", "--format=%ae", tip, "--")
        ours = author.decode(errors="replace").strip() == self.default.author.email
        return ours or tip in self.closed or self.clone.is_ancestor(tip, self.default.head() or "")


def propose(
    place: Place, repository: int, decide: Decide, signer: str, reopened: Collection[str]
) -> tuple[NoteWrite, int | None]:
    """Proposes what ends by `decide`, and the number of the pull request where anything does.

    `reopened` are the causes that do not hold any more. Raises what `apply` raises.
    """
    pulls = place.forge.own_pull_requests(BRANCH, place.us)
    pull = next((each for each in pulls if each.open), None)
    with place.branch() as default:
        stands = _deletions(default, default.head(), repository)
        closed = [each for each in pulls if not each.open and not each.merged]
        declined = {
            (row.path, row.cause)
            for each in closed
            for row in _deletions(default, each.head_sha, repository) - stands
        }
        there = _deletions(default, pull.head_sha if pull else None, repository) - stands
        carried = [row for row in there if row.cause not in reopened]

        def ends(notes: Mapping[str, Note], flagged: Mapping[str, NoteRow]) -> Sequence[NoteRow]:
            new = [row for row in decide(notes, flagged) if row.did == DELETED]
            wanted = {row.path: row for row in (*new, *carried) if row.path in notes}
            return [row for row in wanted.values() if (row.path, row.cause) not in declined]

        write = NoteWrite(ends, signer, direct=False)
        write.edit(default.clone, read_store(default.clone, default.head(), repository))
        same = {row.path for row in write.ended} == {row.path for row in there}
        if not (same and pull and default.merges(default.head() or "", pull.head_sha)):
            branch = _Anew(default, {each.head_sha for each in pulls if not each.open})
            write.write(branch, repository=repository, owner_defaults=place.owner_defaults())
    return write, _shown(place, pull, write)


def _deletions(default: MirrorBranch, commit: str | None, repository: int) -> frozenset[NoteRow]:
    """The rows of a commit that say that a note was deleted; none where it is not to be had."""
    if commit is None or not default.has(commit):
        return frozenset()
    events = read_store(default.clone, commit, repository).snapshot.events
    found = (recorded.row for recorded in event_files.read(events))
    return frozenset(row for row in found if isinstance(row, NoteRow) and row.did == DELETED)


def _shown(place: Place, pull: OwnPullRequest | None, write: NoteWrite) -> int | None:
    """The pull request as it has to be for what is proposed now."""
    if not write.ended:
        if pull is not None:
            place.forge.update_pull_request(pull.number, state="closed")
        return None
    title, body = words.subject(write.ended), words.proposal(write.ended, write.notes)
    if pull is None:
        base = place.repository.default_branch
        pull = place.forge.propose(BRANCH, base, title, body, draft=False)
        if pull is None:
            raise Fault("the pull request could not be opened; it is looked for again")
    elif (pull.title, pull.body.replace("\r\n", "\n")) != (title, body):
        place.forge.update_pull_request(pull.number, title=title, body=body)
    return pull.number
