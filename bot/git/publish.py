"""A plan becomes a commit on the remote's branch, or it is known why not. The remote alone decides.

Never forces, but where a plan names the very tip that it replaces. What was reported refused and
landed all the same counts as landed.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import Fault
from bot.git.command import KEPT_OF_AN_ANSWER, Answer
from bot.git.commit import Signature, make_commit
from bot.git.lock import Lock
from bot.git.mirror import Mirror
from bot.git.plan import Built, Outcome, Plan, Published, unseen
from bot.git.remote import NAME, RemoteFault, meaning

PUSH_TIMEOUT = 120.0  # seconds; a commit of ours is some kilobytes


@dataclass(frozen=True, slots=True)
class GitPush:
    """Publishes by `git push`. `lock` is demanded because the mirror is written."""

    mirror: Mirror
    lock: Lock
    author: Signature
    committer: Signature
    timeout: float = PUSH_TIMEOUT

    def publish(self, plan: Plan, built: Built = unseen) -> Published:
        """One commit, one push, and a question to the remote where the answer leaves a doubt.

        A plan without a head makes the first commit of an empty repository; where the remote has
        other branches it is GONE, so that a branch renamed away is never made again.
        """
        self.lock.demand(self.mirror.lock.repository)
        commit = make_commit(self.mirror.clone, plan, self.author, self.committer)
        built(commit)
        if plan.head is None and plan.replaces is None:
            try:
                if not self._may_begin(plan.branch, commit):
                    return Published(Outcome.GONE, detail=f"there is no branch {plan.branch}")
            except Fault as fault:
                known = fault.outcome if isinstance(fault, RemoteFault) else Outcome.UNKNOWN
                return Published(known, detail=str(fault))
        return self.push(commit, plan.branch, plan.replaces)

    def push(self, commit: str, branch: str, replaces: str | None = None) -> Published:
        """Puts a commit that is in the mirror on a branch, as `publish` does."""
        try:
            answer = self._push(commit, branch, replaces)
        except RemoteFault as fault:
            return Published(fault.outcome, detail=str(fault))
        except Fault as fault:
            return self._asked(branch, commit, Published(Outcome.UNKNOWN, detail=str(fault)))
        outcome = meaning(answer)
        if outcome is Outcome.LANDED:
            return Published(outcome, commit)
        published = Published(outcome, detail=_detail(answer))
        if outcome in (Outcome.GONE, Outcome.CREDENTIALS):
            return published
        return self._asked(branch, commit, published)

    def remove(self, branch: str) -> None:
        """Deletes a branch of ours; one that stays harms nobody."""
        self.mirror.network.run(
            "push", "--porcelain", "--no-verify", NAME, f":refs/heads/{branch}",
            timeout=self.timeout,
        )  # fmt: skip

    def _push(self, commit: str, branch: str, replaces: str | None) -> Answer:
        lease = [f"--force-with-lease=refs/heads/{branch}:{replaces}"]
        return self.mirror.network.run(
            "push", "--porcelain", "--no-verify", *(lease if replaces is not None else []),
            NAME, f"{commit}:refs/heads/{branch}",
            timeout=self.timeout,
        )  # fmt: skip

    def _may_begin(self, branch: str, commit: str) -> bool:
        """An empty remote may; so may one whose branch holds this commit already, or anything else
        that the push will then be refused for."""
        return self.mirror.is_empty() or self.mirror.fetch(branch) is not None

    def _asked(self, branch: str, commit: str, published: Published) -> Published:
        """`published`, unless the remote's branch holds the commit: then it landed.

        A proxy that repeats a push, or an answer that got lost, reports a refusal of what is there.
        """
        try:
            tip = self.mirror.fetch(branch)
        except Fault:
            return Published(Outcome.UNKNOWN, detail=published.detail)
        if tip is not None and self.mirror.clone.is_ancestor(commit, tip):
            return Published(Outcome.LANDED, commit)
        return published


def _detail(answer: Answer) -> str:
    """The remote's words: what a person needs to see which rule refused."""
    return answer.words[-KEPT_OF_AN_ANSWER:]
