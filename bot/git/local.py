"""A repository that a person names on the command line: a working clone, a bare one, or an address.

Never runs that repository's hooks, never signs, never touches a file that the person has changed.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from bot.errors import Fault, UserError
from bot.git.clone import Clone
from bot.git.command import KEPT_OF_AN_ANSWER, NETWORK_TIMEOUT, Answer, Git
from bot.git.commit import REFERENCE, Signature, demand_safe, make_commit
from bot.git.lock import hold
from bot.git.mirror import Mirror
from bot.git.names import unsafe_branch
from bot.git.plan import Built, Outcome, Plan, Published, unseen
from bot.git.publish import GitPush
from bot.git.remote import NAME, Changed, Remote, meaning
from bot.git.upstream import upstream_of

_PERSONS_PROTOCOLS = ("https", "ssh", "http", "git", "file")
_FULL_NAME = re.compile(
    r"(?:(?:https?|ssh|git)://[^/]+/|[^/:]+:)([\w.-]+/[\w.-]+?)(?:\.git)?/?", re.ASCII
)


class Target(Protocol):
    """Where a command reads and writes. `branch` is the one that commits go on."""

    @property
    def clone(self) -> Clone: ...

    @property
    def branch(self) -> str: ...

    def head(self) -> str | None:
        """The tip of `branch` now, None while it is unborn."""
        ...

    def publish(self, plan: Plan, built: Built = unseen) -> Published:
        """Puts the plan on the branch. `detail` names what was left alone in the work tree."""
        ...

    def unpublished(self) -> tuple[str, ...]:
        """The commits that travel along when the branch is pushed, newest first, one line each."""
        ...

    def tip(self) -> str | None:
        """Where the branch stands now where `publish` puts it last, asked anew."""
        ...


@contextmanager
def open_target(
    where: str, signature: tuple[str, str], *, pushes: bool = False
) -> Iterator[Target]:
    """The repository at a path or address. `signature`: name and mail of author and committer.

    `pushes`: what is published goes to the upstream of the branch before the branch moves here.
    Raises UserError where there is none, where HEAD is detached, or where git refuses to read.
    """
    if not _is_address(where):
        yield _open_path(Path(where), signature, pushes=pushes)
        return
    with tempfile.TemporaryDirectory(prefix="lessonkeeper-") as directory:
        remote = Remote(where, protocols=_PERSONS_PROTOCOLS, own_configuration=True)
        with hold(Path(directory), 0) as lock:
            mirror = Mirror(lock, remote)
            yield _Address(mirror, _default_branch(mirror), signature)


def full_name(where: str, clone: Clone) -> str | None:
    """`owner/name` of the repository at a path or address, as far as its address tells.

    A path is known by the address of its remote `origin`.
    """
    address = where
    if not _is_address(where):
        address = clone.git.run("config", "--get", f"remote.{NAME}.url").output.decode().strip()
    found = _FULL_NAME.fullmatch(address)
    return found[1] if found and _is_address(address) else None


@dataclass(frozen=True, slots=True)
class _Address:
    """A repository elsewhere: read through a mirror that is thrown away, written at once."""

    mirror: Mirror
    branch: str
    signature: tuple[str, str]

    @property
    def clone(self) -> Clone:
        return self.mirror.clone

    def head(self) -> str | None:
        return self.mirror.fetch(self.branch)

    def publish(self, plan: Plan, built: Built = unseen) -> Published:
        now = _now(self.signature)
        push = GitPush(self.mirror, self.mirror.lock, author=now, committer=now)
        return push.publish(plan, built)

    def unpublished(self) -> tuple[str, ...]:
        return ()

    def tip(self) -> str | None:
        return self.head()


@dataclass(frozen=True, slots=True)
class _Path:
    """A repository on this disk."""

    clone: Clone
    branch: str
    bare: bool
    signature: tuple[str, str]
    pushes: bool

    @property
    def _git(self) -> Git:
        return self.clone.git

    def head(self) -> str | None:
        answer = self._git.run("rev-parse", "--verify", "--quiet", f"refs/heads/{self.branch}")
        return answer.output.decode().strip() or None

    def publish(self, plan: Plan, built: Built = unseen) -> Published:
        """Moves the branch from the plan's head to the new commit, or not at all.

        Raises what `built` raises, and UserError where it pushes and the branch is behind.
        """
        demand_safe(plan)
        changed = {} if self.bare else self._changed(plan)
        now = _now(self.signature)
        commit = make_commit(self.clone, plan, author=now, committer=now)
        try:
            self._offer(commit, built)
        except _NotSent as failed:
            self._forget()
            return failed.published
        except (UserError, Fault):
            self._forget()
            raise
        moved = self._git.run(
            "update-ref", "-m", "commit: lessons", "--stdin", "-z", stdin=_swap(plan, commit)
        )
        if moved.status:
            self._forget()
            outcome = Outcome.BEHIND if self.head() != plan.head else Outcome.UNKNOWN
            return Published(outcome, detail=moved.error[-KEPT_OF_AN_ANSWER:])
        if self.bare:
            return Published(Outcome.LANDED, commit)
        behind = self._follow(plan, commit, changed)
        told = [_missed(behind)] if behind else []
        if changed:
            told += [_left(sorted(changed)), *self._bring_in(plan, commit, changed)]
        return Published(Outcome.LANDED, commit, "\n".join(told), tuple(sorted(changed)))

    def unpublished(self) -> tuple[str, ...]:
        """Raises UserError where the branch follows none."""
        remote = upstream_of(self._git, self.branch).remote
        if self.head() is None or remote == ".":
            return ()
        branch = f"refs/heads/{self.branch}"
        raw = self._git.output("log", "--format=%h %s", branch, "--not", f"--remotes={remote}")
        return tuple(raw.decode("utf-8", "replace").splitlines())

    def tip(self) -> str | None:
        return upstream_of(self._git, self.branch).tip() if self.pushes else self.head()

    def _offer(self, commit: str, built: Built) -> None:
        """What has to go well before the branch moves. Raises _NotSent, and what `built` does."""
        built(commit)
        if self.pushes:
            upstream = upstream_of(self._git, self.branch)
            sent = upstream.send(commit)
            if sent.outcome is Outcome.BEHIND:
                raise UserError(
                    f"{self.branch} lacks commits of its upstream, so nothing was committed.",
                    remedy="Bring them in and run this again: git pull --rebase",
                )
            if sent.outcome is not Outcome.LANDED:
                raise _NotSent(sent)
            if not self.clone.is_ancestor(commit, upstream.tip()):
                raise Changed

    def _forget(self) -> None:
        self._git.run("update-ref", "-d", REFERENCE)

    def _changed(self, plan: Plan) -> dict[str, bool]:
        """The plan's paths that a person has changed here; True where the index has the change.

        A file that git was told to ignore and that is in no commit is the person's as well.
        """
        raw = self._git.output(
            "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all",
            "--ignored=matching", "--", *plan.changes,
        )  # fmt: skip
        changed: dict[str, bool] = {}
        for row in filter(None, raw.decode("utf-8", "surrogateescape").split("\0")):
            # A directory that is ignored as a whole is reported with a slash at its end.
            below = [p for p in plan.changes if p == row[3:] or p.startswith(_folder(row[3:]))]
            changed |= dict.fromkeys(below, row[0] not in " ?!")
        return changed

    def _follow(self, plan: Plan, commit: str, changed: dict[str, bool]) -> list[str]:
        """Brings index and work tree to the commit where the person has changed nothing.

        The index follows also under a changed file: a later `git commit` would undo ours otherwise.
        Answers with the paths that git could not bring along: its index is locked, the disk full.
        """
        behind: list[str] = []
        there = self.clone.kinds(plan.head, plan.changes) if plan.head else {}
        known = [
            path
            for path, data in plan.changes.items()
            if data is not None or (path in there and there[path].blob)
        ]
        clean = [path for path in known if path not in changed]
        index_only = [path for path in known if changed.get(path) is False]
        for paths, places in ((clean, ["--staged", "--worktree"]), (index_only, ["--staged"])):
            if paths and self._git.run(
                "restore", "--quiet", "--ignore-skip-worktree-bits", f"--source={commit}",
                *places, "--", *paths,
            ).status:  # fmt: skip
                behind += paths
        return behind

    def _bring_in(self, plan: Plan, commit: str, changed: Iterable[str]) -> Iterator[str]:
        """What brings the commit into each file that was left: both sides' lines are kept.

        A later `git commit` of the file as it is here would undo what the commit did to it.
        """
        there = self.clone.kinds(plan.head, plan.changes) if plan.head else {}
        for path in sorted(path for path in changed if plan.changes[path] is not None):
            name, before = shlex.quote(path), "/dev/null"
            steps = [f"cd {shlex.quote(str(self._git.directory))}"]
            if path in there and there[path].blob:
                before = ".before"
                steps.append(f"git show {commit[:12]}^:{name} > .before")
            steps.append(f"git show {commit[:12]}:{name} > .after")
            steps.append(f"git merge-file --union {name} {before} .after")
            yield f"  ({' && '.join(steps)}; rm -f .before .after)"


class _NotSent(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, published: Published) -> None:
        super().__init__(published.detail)
        self.published = published


def _missed(behind: list[str]) -> str:
    return f"Not brought along here; do it with: git restore -SW {shlex.join(behind)}"


def _left(changed: list[str]) -> str:
    return (
        f"Left as you changed it here: {', '.join(changed)}. Bring this commit's lines in before"
        " you commit the file, or your commit takes them out again:"
    )


def _swap(plan: Plan, commit: str) -> bytes:
    """Compare and swap: the branch moves only if it still is where the plan was decided."""
    branch = f"refs/heads/{plan.branch}"
    move = (
        f"update {branch}\0{commit}\0{plan.head}\0" if plan.head else f"create {branch}\0{commit}\0"
    )
    return f"{move}delete {REFERENCE}\0\0".encode()


def _folder(path: str) -> str:
    """The prefix of what is below a reported directory; one that nothing has, for a file."""
    return path if path.endswith("/") else f"{path}/"


def _open_path(path: Path, signature: tuple[str, str], *, pushes: bool) -> _Path:
    if not path.is_dir():
        raise UserError(
            f"There is no repository at {path.resolve()}.", remedy="Name its directory or URL."
        )
    found = Git(path, own_configuration=True).run(
        "rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir"
    )
    if found.status:
        raise _unreadable(path, found)
    bare, inside, git_directory = found.output.decode().split("\n")[:3]
    if bare == "true":
        root = Path(git_directory)
    elif inside == "true":
        top = Git(path, own_configuration=True).output("rev-parse", "--show-toplevel")
        root = Path(top.decode().removesuffix("\n"))
    else:
        raise UserError(f"{path} is inside git's own directory.", remedy="Name the work tree.")
    git = Git(root, own_configuration=True)
    symbolic = git.run("symbolic-ref", "--quiet", "HEAD")
    branch = symbolic.output.decode().strip().removeprefix("refs/heads/")
    if symbolic.status or unsafe_branch(branch):
        raise UserError(
            f"{path} is on no branch (its HEAD is detached).",
            remedy="Check a branch out first: git switch BRANCH",
        )
    if bare == "true":
        _demand_not_checked_out(git, branch)
    return _Path(Clone(git), branch, bare == "true", signature, pushes)


def _demand_not_checked_out(git: Git, branch: str) -> None:
    """A bare repository's branch may be checked out in a linked work tree."""
    place = ""
    for line in git.output("worktree", "list", "--porcelain").decode().splitlines():
        if line.startswith("worktree "):
            place = line.removeprefix("worktree ")
        if line == f"branch refs/heads/{branch}":
            raise UserError(f"The branch {branch} is checked out.", remedy=f"Name {place} instead.")


def _default_branch(mirror: Mirror) -> str:
    answer = mirror.network.run("ls-remote", "--symref", NAME, "HEAD", timeout=NETWORK_TIMEOUT)
    if meaning(answer) is not Outcome.LANDED:
        raise UserError(
            f"{mirror.remote.url} could not be read: {answer.words[-KEPT_OF_AN_ANSWER:]}",
            remedy="Check the address and your access to it.",
        )
    first = answer.output.decode().splitlines()[:1]
    if first and first[0].startswith("ref: refs/heads/"):
        return first[0].removeprefix("ref: refs/heads/").split("\t")[0]
    return "main"


def _unreadable(path: Path, answer: Answer) -> UserError:
    if "dubious ownership" in answer.error:
        return UserError(
            f"{path} belongs to another user, so git will not read it.",
            remedy=f"If you trust it: git config --global --add safe.directory {path.resolve()}",
        )
    return UserError(
        f"There is no git repository at {path.resolve()}.",
        remedy="Name its directory or its URL.",
    )


def _is_address(where: str) -> bool:
    """A URL, or the short form of an SSH address: `user@host:path`, no slash before the colon."""
    host, colon, _ = where.partition(":")
    return "://" in where or (bool(colon) and "/" not in host and not Path(where).exists())


def _now(signature: tuple[str, str]) -> Signature:
    name, mail = signature
    return Signature(name, mail, datetime.now(UTC))
