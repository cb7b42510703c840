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
    """Raises UserError where the branch follows none; one without a commit may follow one."""
    remote = _configured(git, f"branch.{branch}.remote")
    upstream = _configured(git, f"branch.{branch}.merge")
    if not remote or remote.startswith("-") or not upstream:
        raise UserError(
            f"The branch {branch} has no upstream to push to, so nothing was committed.",
            remedy=_how_to_set(git, branch),
        )
    return Upstream(git, remote, upstream)


def _how_to_set(git: Git, branch: str) -> str:
    remotes = git.output("remote").decode().split()
    remote = NAME if NAME in remotes or not remotes else remotes[0]
    add = "" if remotes else f"git remote add {NAME} URL && "
    push = f"{add}git push --set-upstream {remote} {branch}"
    if git.run("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}").status:
        return f"It has no commit yet: run this without --push, then {push}"
    return f"Set one and run this again: {push}"


def _configured(git: Git, key: str) -> str:
    return git.run("config", "--get", key).output.decode().rstrip("\n")
