"""Where a person's branch is published: its upstream, as their own git is set up to reach it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import UserError
from bot.git.command import KEPT_OF_AN_ANSWER, NETWORK_TIMEOUT, Git
from bot.git.plan import Outcome, Published
from bot.git.publish import PUSH_TIMEOUT
from bot.git.remote import NAME, RemoteFault, meaning


@dataclass(frozen=True, slots=True)
class Upstream:
    """`branch` is the full name of the one on `remote` that the local branch follows."""

    git: Git
    remote: str
    branch: str

    def send(self, commit: str) -> Published:
        """Pushes a commit; where the answer leaves a doubt, the remote is asked."""
        answer = self.git.run(
            "push", "--porcelain", "--no-verify", self.remote, f"{commit}:{self.branch}",
            timeout=PUSH_TIMEOUT,
        )  # fmt: skip
        outcome = meaning(answer)
        if outcome is Outcome.LANDED:
            return Published(outcome, commit)
        listed = self.git.run("ls-remote", self.remote, self.branch, timeout=NETWORK_TIMEOUT)
        if listed.output.decode().split()[:1] == [commit]:
            return Published(Outcome.LANDED, commit)
        if meaning(listed) is Outcome.UNKNOWN:
            outcome = Outcome.UNKNOWN
        return Published(outcome, detail=answer.words[-KEPT_OF_AN_ANSWER:])

    def tip(self) -> str:
        """Where it stands now, fetched. Raises RemoteFault."""
        answer = self.git.run(
            "fetch", "--quiet", "--no-tags", self.remote, self.branch, timeout=NETWORK_TIMEOUT
        )
        if meaning(answer) is not Outcome.LANDED:
            words = answer.words[-KEPT_OF_AN_ANSWER:]
            raise RemoteFault(f"{self.remote} could not be read: {words}", Outcome.UNKNOWN)
        return self.git.output("rev-parse", "FETCH_HEAD").decode().strip()


def upstream_of(git: Git, branch: str) -> Upstream:
    """Raises UserError where the branch follows none."""
    raw = git.output(
        "for-each-ref", "--format=%(upstream:remotename)%00%(upstream:remoteref)",
        f"refs/heads/{branch}",
    )  # fmt: skip
    remote, _, upstream = raw.decode().strip("\n").partition("\0")
    if not remote or remote.startswith("-") or not upstream:
        raise UserError(
            f"The branch {branch} has no upstream to push to.",
            remedy=f"Set one: git push --set-upstream {NAME} {branch}",
        )
    return Upstream(git, remote, upstream)
