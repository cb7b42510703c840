"""One pull request of the sandbox forge: its state, and what authors, reviewers and mergers do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from bot.facts import Account
from bot.sandbox import events, records
from bot.sandbox.bare import Edit

if TYPE_CHECKING:
    from bot.sandbox.repository import SandboxRepository

Files = Mapping[str, str | bytes | None]


@dataclass(frozen=True, slots=True)
class Inline:
    """An inline comment as a reviewer drafts it."""

    path: str
    body: str
    line: int = 1


@dataclass(slots=True, eq=False)
class SandboxPullRequest:
    """Acts take the login of whoever acts.

    `base_sha` is where it forked off the base; `fork` the id of the head's repository where that is
    another one, 0 once it was deleted.
    """

    repository: SandboxRepository
    id: int
    number: int
    title: str
    user: Account
    base: str
    base_sha: str
    head: str
    head_sha: str
    created_at: datetime
    fork: int | None = None
    draft: bool = False
    commits: list[str] = field(default_factory=list)
    closed_at: datetime | None = None
    merged_at: datetime | None = None
    merged_by: Account | None = None
    merge_commit_sha: str | None = None
    labels: list[str] = field(default_factory=list)
    reviews: dict[int, records.Review] = field(default_factory=dict)
    comments: dict[int, records.InlineComment] = field(default_factory=dict)
    threads: list[records.Thread] = field(default_factory=list)
    timeline: list[records.TimelineEvent] = field(default_factory=list)
    body: str = ""
    replaced: list[str] = field(default_factory=list)  # heads that force pushes took away

    def push(self, by: str, files: Files, *, message: str = "Address the review") -> str:
        """A commit on the head; threads on the files that it touches become outdated."""
        before = self.head_sha
        self.write(by, Edit(files, {}), [before], message)
        touched = {change.path for change in self.repository.bare.changes(before, self.head_sha)}
        for thread in self.threads:
            if self.comments[thread.comments[0]].path in touched:
                self._outdate(thread)
        events.pull_request(self, "synchronize", by, before=before, after=self.head_sha)
        return self.head_sha

    def force_push(self, by: str, files: Files, *, message: str = "Start over") -> str:
        """One commit on the base's tip instead of all before; every thread becomes outdated."""
        before = self.head_sha
        self.replaced.append(before)
        self.write(by, Edit(files, {}), [self.repository.tip(self.base)], message)
        for thread in self.threads:
            self._outdate(thread)
        events.pull_request(self, "synchronize", by, before=before, after=self.head_sha)
        return self.head_sha

    def update_branch(self, by: str) -> str:
        """Merges the base into the head, as the button of that name does."""
        repository = self.repository
        before, base = self.head_sha, repository.tip(self.base)
        edit = repository.differences(repository.bare.merge_base(before, base), base)
        self.write(by, edit, [before, base], f"Merge branch '{self.base}'")
        events.pull_request(self, "synchronize", by, before=before, after=self.head_sha)
        return self.head_sha

    def merge(self, by: str, method: str = "merge") -> str:
        """Merges by `merge`, `squash` or `rebase`; the last commit on the base."""
        repository = self.repository
        if method == "rebase":
            for sha in self.commits:
                (original,) = repository.bare.commits("-1", sha)
                edit = repository.differences(original.parents[0], sha)
                parents = [repository.tip(self.base)]
                repository.write(self.base, by, edit, parents, original.message)
        else:
            edit = repository.differences(self.base_sha, self.head_sha)
            parents = [repository.tip(self.base), *([self.head_sha] if method == "merge" else [])]
            repository.write(self.base, by, edit, parents, f"{self.title} (#{self.number})")
        self.merge_commit_sha = repository.tip(self.base)
        self.merged_at = repository.forge.clock()
        self.merged_by = repository.forge.account(by)
        self._note("merged", by)
        self.close(by)
        repository.notice_push(self.base, by)
        return self.merge_commit_sha

    @property
    def state(self) -> str:
        if self.merged_at is not None:
            return "MERGED"
        return "OPEN" if self.closed_at is None else "CLOSED"

    @property
    def updated_at(self) -> datetime:
        """Of the last thing that happened to it; a resolved thread is none."""
        times = [self.created_at, *(event.created_at for event in self.timeline)]
        for review in self.reviews.values():
            times += [review.submitted_at, review.edited_at or review.submitted_at]
        return max([*times, *(comment.created_at for comment in self.comments.values())])

    def close(self, by: str) -> None:
        self.closed_at = self.repository.forge.clock()
        self._note("closed", by)
        events.pull_request(self, "closed", by)

    def reopen(self, by: str) -> None:
        self.closed_at = None
        self._note("reopened", by)
        events.pull_request(self, "reopened", by)

    def ready_for_review(self, by: str) -> None:
        self.draft = False
        self._note("ready_for_review", by)
        events.pull_request(self, "ready_for_review", by)

    def retarget(self, by: str, base: str) -> None:
        old, self.base = self.base, base
        self.stand_at(self.head_sha)
        events.pull_request(self, "edited", by, changes={"base": {"ref": {"from": old}}})

    def label(self, by: str, name: str) -> None:
        self.labels.append(name)
        events.pull_request(self, "labeled", by)

    def delete_fork(self) -> None:
        self.fork = 0

    def enable_auto_merge(self, by: str, method: str = "merge") -> None:
        """`method` is merge, squash or rebase; the timeline tells them apart, the webhook not."""
        self._note(f"auto_{method}_enabled", by)
        events.pull_request(self, "auto_merge_enabled", by)

    def disable_auto_merge(self, by: str) -> None:
        self._note("auto_merge_disabled", by)
        events.pull_request(self, "auto_merge_disabled", by)

    def enqueue(self, by: str) -> None:
        self._note("added_to_merge_queue", by)
        events.pull_request(self, "enqueued", by)

    def dequeue(self, by: str) -> None:
        self._note("removed_from_merge_queue", by)
        events.pull_request(self, "dequeued", by)

    def review(self, by: str, state: str, body: str = "", inline: Sequence[Inline] = ()) -> int:
        """A submitted review; `state` is approved, changes_requested or commented; its id."""
        review = self._new_review(by, state, body)
        made = [self._new_inline(review, draft) for draft in inline]
        self.threads += [
            records.Thread(self.repository.forge.next_id(), [comment.id]) for comment in made
        ]
        events.review(self, "submitted", review, by)
        for comment in made:
            events.inline_comment(self, "created", comment, by)
        return review.id

    def reply(self, by: str, comment: int, body: str) -> int:
        """An answer in a thread: on GitHub a commented review of its own; the comment's id."""
        asked = self.comments[comment]
        review = self._new_review(by, "commented", "")
        made = self._new_inline(review, Inline(asked.path, body, asked.original_line))
        made.in_reply_to = asked.id
        self._thread(comment).comments.append(made.id)
        events.review(self, "submitted", review, by)
        events.inline_comment(self, "created", made, by)
        return made.id

    def edit_review(self, review: int, body: str) -> None:
        found = self.reviews[review]
        found.body, found.edited_at = body, self.repository.forge.clock()
        events.review(self, "edited", found, found.user.login)

    def edit_inline_comment(self, comment: int, body: str) -> None:
        found = self.comments[comment]
        found.body = body
        events.inline_comment(self, "edited", found, found.user.login)

    def dismiss_review(self, review: int, by: str) -> None:
        found = self.reviews[review]
        self._note("review_dismissed", by, dismissed=(review, found.state.lower()))
        found.state = "DISMISSED"
        events.review(self, "dismissed", found, by)

    def resolve_thread(self, comment: int, by: str) -> None:
        """The thread that holds the inline comment."""
        thread = self._thread(comment)
        thread.resolved = True
        events.thread(self, "resolved", thread, by)

    def unresolve_thread(self, comment: int, by: str) -> None:
        thread = self._thread(comment)
        thread.resolved = False
        events.thread(self, "unresolved", thread, by)

    def write(self, by: str, edit: Edit, parents: list[str], message: str) -> None:
        """A commit on the head, of which no one is told."""
        repository = self.repository
        head = repository.write(self.head, by, edit, parents, message, ref=self._ref)
        if self.fork is None:
            repository.bare.set_ref(f"refs/heads/{self.head}", head)
        self.stand_at(head)

    def notice_push(self, by: str) -> None:
        """Moves to wherever its branch was pushed; told like any other push."""
        before, after = self.head_sha, self.repository.bare.sha(f"refs/heads/{self.head}")
        if after is None or after == before or self.closed_at is not None:
            return
        self.repository.bare.set_ref(self._ref, after)
        self.stand_at(after)
        events.push(self.repository, self.head, before, after, by)
        events.pull_request(self, "synchronize", by, before=before, after=after)

    @property
    def _ref(self) -> str:
        return f"refs/pull/{self.number}/head"  # where GitHub keeps every head, of forks too

    def stand_at(self, head: str) -> None:
        """What is proposed is what the base lacks of `head`; no one is told."""
        repository = self.repository
        self.head_sha = head
        base = repository.tip(self.base)
        self.base_sha = repository.bare.merge_base(base, self.head_sha)
        self.commits = [c.sha for c in repository.bare.commits(f"{base}..{self.head_sha}")]

    def _thread(self, comment: int) -> records.Thread:
        return next(thread for thread in self.threads if comment in thread.comments)

    def _outdate(self, thread: records.Thread) -> None:
        thread.outdated = True
        for comment in thread.comments:
            self.comments[comment].line = None

    def _new_review(self, by: str, state: str, body: str) -> records.Review:
        forge = self.repository.forge
        made = records.Review(
            id=forge.next_id(),
            user=forge.account(by),
            state=state.upper(),
            body=body,
            submitted_at=forge.clock(),
            commit=self.head_sha,
        )
        self.reviews[made.id] = made
        return made

    def _new_inline(self, review: records.Review, draft: Inline) -> records.InlineComment:
        forge = self.repository.forge
        made = records.InlineComment(
            id=forge.next_id(),
            review=review.id,
            user=review.user,
            body=draft.body,
            path=draft.path,
            original_line=draft.line,
            line=draft.line,
            commit=self.head_sha,
            created_at=forge.clock(),
        )
        self.comments[made.id] = made
        return made

    def _note(self, event: str, by: str, dismissed: tuple[int, str] | None = None) -> None:
        forge = self.repository.forge
        self.timeline.append(
            records.TimelineEvent(
                forge.next_id(), event, forge.account(by), forge.clock(), dismissed
            )
        )
