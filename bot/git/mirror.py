"""The cached copy of one repository: bare, without blobs, by numeric id, rebuilt when damaged.

Holds nothing that the remote does not hold too. Knows the remote and the lock, no plan and no file.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.errors import Fault, UserError
from bot.git.clone import Clone
from bot.git.command import KEPT_OF_AN_ANSWER, NETWORK_TIMEOUT, Answer, Git
from bot.git.lock import Lock
from bot.git.names import is_object_id, unsafe_branch
from bot.git.plan import Outcome
from bot.git.remote import NAME, Remote, RemoteFault, is_missing_branch, meaning

_FETCH = ("fetch", "--quiet", "--no-tags", "--no-auto-maintenance", "--filter=blob:none")

# A power cut may damage it; then it is made anew. Waiting for the disk doubles the time of a write.
# To unpack the objects of a commit takes as long again as to write them. A bitmap wants every blob:
# without this line git never gets to the end of tidying a clone that lacks some.
_CACHE = (
    ("core.fsync", "none"),
    ("fastimport.unpackLimit", "1"),
    ("repack.writeBitmaps", "false"),
)

_PATHS = "lessonkeeper-paths"  # goes with the mirror when that is made anew

# git's own thresholds of `gc --auto`: 50 packs, 6,700 loose objects (27 in one of 256 folders).
# Every fetch that brings something leaves a pack, and so does every commit of ours.
_MANY_PACKS = 50
_MANY_LOOSE = 27

# What is left of a git that was killed, or that met a full disk. Only looked for when the last
# holder of the lock died or broke.
_LEFTOVERS = (
    "*.lock",
    "gc.pid",
    "fast_import_crash_*",
    "refs/**/*.lock",
    "objects/tmp_*",
    "objects/??/tmp_*",
    "objects/pack/tmp_*",
    "objects/pack/.tmp-*",
)

_DAMAGE = re.compile(
    r"not a git repository|corrupt|is empty$|bad object|unable to read|too small|"
    r"invalid sha1 pointer|missing (?:tree|commit|necessary objects)|does not match index|"
    r"is far too short|reference broken|packfile .* cannot be|unresolved deltas",
    re.IGNORECASE | re.MULTILINE,
)


class Mirror:
    """One repository's mirror while its lock is held. `clone` reads it.

    The remote's address and token live in the environment of single calls: a rename, a transfer or
    a new token needs no change on disk.
    """

    def __init__(self, lock: Lock, remote: Remote) -> None:
        """Opens the mirror under the lock's directory, or makes an empty one."""
        lock.demand(lock.repository)
        self.lock = lock
        self.remote = remote
        self.directory = lock.directory / f"{lock.repository}.git"
        self.network = Git(
            self.directory,
            settings=(*_CACHE, *remote.settings),
            environment=remote.environment,
            secrets=remote.secrets,
            own_configuration=remote.own_configuration,
        )
        # Local calls know no remote, so that git never fetches a blob behind our back, one by one.
        self.clone = Clone(
            Git(self.directory, settings=_CACHE), self._bring, self.directory / _PATHS
        )
        if not _is_whole(self.directory):
            self.rebuild()
        elif lock.abandoned:
            _sweep(self.directory)

    def fetch(self, branch: str) -> str | None:
        """The remote's tip of `branch`, now; None when there is no such branch there.

        Raises RemoteFault (its outcome: GONE, CREDENTIALS, REFUSED or UNKNOWN) when the remote
        cannot be asked. A damaged mirror is made anew once.
        """
        self.lock.demand(self.lock.repository)
        reason = unsafe_branch(branch)
        if reason:
            raise UserError(f"The branch {branch[:80]!r} {reason}.")
        try:
            tip = self._fetch(branch)
        except RemoteFault as fault:
            if not _DAMAGE.search(str(fault)):
                raise
            self.rebuild()
            tip = self._fetch(branch)
        self._tidy()
        return tip

    def fetch_commit(self, commit: str) -> bool:
        """Whether `commit` is here, after asking the remote for it by id if need be.

        False also when the remote does not answer: the caller cannot compare with it either way.
        """
        if self.clone.has(commit):
            return True
        self._run(*_FETCH, NAME, commit)
        return self.clone.has(commit)

    def merges(self, one: str, other: str) -> bool:
        """Whether the two commits, both here, merge without a conflict."""
        # Without renames: to look for them would fetch the files of every move, and a file that
        # was moved and changed only counts as a conflict.
        answer = self.network.run(
            "-c", "merge.renames=false", "merge-tree", "--write-tree", "--no-messages", one, other,
            timeout=NETWORK_TIMEOUT,
        )  # fmt: skip
        if answer.status not in (0, 1):
            raise Fault(f"the branches could not be compared: {answer.words[-KEPT_OF_AN_ANSWER:]}")
        return answer.status == 0

    def is_empty(self) -> bool:
        """Whether the remote has no branch at all, so that a first commit may make one."""
        answer = self._run("ls-remote", "--quiet", "--heads", NAME)
        self._demand_success(answer)
        return not answer.output.strip()

    def rebuild(self) -> None:
        """Throws the mirror away; an empty one, made beside its place, is moved there whole."""
        self.lock.demand(self.lock.repository)
        fresh = self.directory.with_suffix(".new")
        for directory in (fresh, self.directory):
            shutil.rmtree(directory, ignore_errors=True)
        Git(self.lock.directory).output("init", "--quiet", "--bare", "--template=", fresh.name)
        fresh.rename(self.directory)

    def _fetch(self, branch: str) -> str | None:
        # Named after a digest, because a branch `a` left behind would keep `a/b` out.
        tip = f"refs/tips/{hashlib.sha256(branch.encode()).hexdigest()[:16]}"
        answer = self._run(*_FETCH, NAME, f"+refs/heads/{branch}:{tip}")
        if is_missing_branch(answer):
            return None
        self._demand_success(answer)
        # Written under the lock, by this very call: no need to ask git.
        commit = (self.directory / "FETCH_HEAD").read_text().split("\t")[0]
        if not is_object_id(commit):
            # On a full disk git fetches, cannot write down what, and says that all is well.
            raise RemoteFault("the tip that was fetched is not written down", Outcome.UNKNOWN)
        return commit

    def _bring(self, objects: Sequence[str]) -> None:
        """Fetches objects by id. Without negotiation: what is here says nothing about a blob."""
        answer = self.network.run(
            "-c", "fetch.negotiationAlgorithm=noop", *_FETCH, "--stdin", NAME,
            stdin="".join(f"{name}\n" for name in objects).encode(),
            timeout=NETWORK_TIMEOUT,
        )  # fmt: skip
        self._demand_success(answer)

    def _run(self, *arguments: str) -> Answer:
        return self.network.run(*arguments, timeout=NETWORK_TIMEOUT)

    def _demand_success(self, answer: Answer) -> None:
        outcome = meaning(answer)
        if outcome is not Outcome.LANDED:
            known = outcome if outcome is not Outcome.BEHIND else Outcome.UNKNOWN
            raise RemoteFault(
                f"the remote could not be read: {answer.words[-KEPT_OF_AN_ANSWER:]}", known
            )

    def _tidy(self) -> None:
        packs = sum(1 for _ in (self.directory / "objects/pack").glob("*.pack"))
        loose = sum(1 for _ in (self.directory / "objects/17").glob("*"))
        if packs > _MANY_PACKS or loose > _MANY_LOOSE:
            with suppress(Fault):  # too slow here: the fetch was good all the same
                self.network.run("gc", "--auto", "--quiet", timeout=NETWORK_TIMEOUT)


def _is_whole(directory: Path) -> bool:
    return all((directory / part).exists() for part in ("HEAD", "config", "objects", "refs"))


def _sweep(directory: Path) -> None:
    for pattern in _LEFTOVERS:
        for path in directory.glob(pattern):
            path.unlink(missing_ok=True)
