"""The other side of a fetch or push: its address, the credentials for it, and what its words mean.

Knows nothing of what is fetched or pushed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bot.errors import Fault, UserError
from bot.git.command import GITHUB_USER, Answer, basic
from bot.git.plan import Outcome

NAME = "origin"

# Flaws of old tools in old commits: they harm nobody, and a repository that holds one could
# otherwise never be read.
_TOLERATED = (
    "badTimezone",
    "missingSpaceBeforeDate",
    "zeroPaddedFilemode",
    "missingSpaceBeforeEmail",
)


@dataclass(frozen=True, slots=True)
class Remote:
    """Where a repository is served. `protocols` are the only ones git may speak to reach it.

    `own_configuration` lets in the calling person's credential helpers: command line only.
    """

    url: str
    token: str | None = field(default=None, repr=False)
    protocols: tuple[str, ...] = ("https",)
    own_configuration: bool = False

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if self.url.startswith("-") or "::" in self.url:
            raise UserError("The address of the repository is not one that git may be given.")
        if parts.password:
            raise UserError(
                "The address of the repository holds a password.",
                remedy="Leave it out; use a credential helper.",
            )
        if parts.scheme and "://" in self.url and parts.scheme not in self.protocols:
            raise UserError(
                f"The address of the repository uses {parts.scheme}.",
                remedy=f"Use {' or '.join(self.protocols)}.",
            )

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """git's configuration for talking to this remote; never written to a file."""
        common = (
            (f"remote.{NAME}.url", self.url),
            (f"remote.{NAME}.promisor", "true"),
            (f"remote.{NAME}.partialCloneFilter", "blob:none"),
            ("fetch.fsckObjects", "true"),
            ("transfer.fsckObjects", "true"),
            *((f"fetch.fsck.{message}", "ignore") for message in _TOLERATED),
            ("http.lowSpeedLimit", "1000"),  # bytes a second …
            ("http.lowSpeedTime", "60"),  # … for so many seconds: the connection is dead
            ("gc.autoDetach", "false"),
            ("gc.writeCommitGraph", "true"),
        )
        if self.token is None:
            return common
        # The header would follow a redirect to another host.
        return (*common, ("http.followRedirects", "false"), (self._header_key, self._header))

    @property
    def environment(self) -> dict[str, str]:
        return {"GIT_ALLOW_PROTOCOL": ":".join(self.protocols)}

    @property
    def secrets(self) -> tuple[str, ...]:
        return () if self.token is None else (self.token,)

    @property
    def _header_key(self) -> str:
        parts = urlsplit(self.url)
        return f"http.{parts.scheme}://{parts.netloc}/.extraHeader"

    @property
    def _header(self) -> str:
        return f"Authorization: Basic {basic(GITHUB_USER, self.token or '')}"


class RemoteFault(Fault):
    """A failed talk with a remote; `outcome` says whether to mint a token or to drop the work."""

    def __init__(self, message: str, outcome: Outcome) -> None:
        super().__init__(message, retry=outcome is Outcome.UNKNOWN)
        self.outcome = outcome


class Changed(Fault):
    """A push landed, and what stands there now is something else."""

    def __init__(self) -> None:
        super().__init__("what stands on the remote is not what was sent", retry=False)


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


# In order: the words of a policy may quote the words of a race, never the other way round.
_MEANINGS: tuple[tuple[re.Pattern[str], Outcome], ...] = (
    (
        _words(
            r"archived so it is read-only",
            r"repository (?:'[^'\n]*' )?not found",
            r"repository (?:is|has been) (?:disabled|locked|archived)",
            r"access to this repository has been disabled",
            r"does not appear to be a git repository",
            r"repository '[^'\n]*' does not exist",
        ),
        Outcome.GONE,
    ),
    (
        _words(
            r"\bGH0(?:06|09|13)\b",
            r"hook declined",
            r"protected branch",
            r"refusing to allow an? ",
            r"push declined",
            r"write access to repository not granted",
            r"\bpermission to \S+ denied",
            r"returned error: 403",
            r"denyCurrentBranch|branch is currently checked out",
        ),
        Outcome.REFUSED,
    ),
    (
        _words(
            r"could not read (?:username|password)",
            r"authentication failed",
            r"invalid (?:username|credentials)",
            r"bad credentials",
            r"returned error: 401",
            r"permission denied \(publickey",
        ),
        Outcome.CREDENTIALS,
    ),
    (
        _words(
            r"\(fetch first\)",
            r"\(non-fast-forward\)",
            r"\(stale info\)",
            r"\(needs force\)",
            r"cannot lock ref",
            r"failed to (?:lock|update ref)",
            r"reference already exists",
            r"incorrect old value provided",
        ),
        Outcome.BEHIND,
    ),
)


def meaning(answer: Answer) -> Outcome:
    """What a fetch or push came to, from its exit status and the words of git and of the server."""
    if answer.status == 0:
        return Outcome.LANDED
    for pattern, outcome in _MEANINGS:
        if pattern.search(answer.words):
            return outcome
    return Outcome.UNKNOWN


def is_missing_branch(answer: Answer) -> bool:
    return answer.status != 0 and "couldn't find remote ref" in answer.error
