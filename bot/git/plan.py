"""A plan: what shall stand in the repository, as printable values. No git in here."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """One commit to be made on `branch`.

    `head` is the commit it was decided on, None for an unborn branch; `changes` maps a path to
    its new bytes, or to None to delete it; `message` is the whole commit message. `replaces`: for
    a branch that stands elsewhere than at `head`, the tip that gives way, "" where there is none.
    """

    branch: str
    head: str | None
    changes: Mapping[str, bytes | None]
    message: str
    replaces: str | None = None

    def __str__(self) -> str:
        said = re.sub(r"\n{3,}", "\n\n", self.message.rstrip())
        lines = [f"on {self.branch} at {(self.head or 'unborn')[:12]}:", said, ""]
        for path, data in sorted(self.changes.items()):
            lines.append(
                f"  {'delete' if data is None else 'write'} {path}"
                + ("" if data is None else f" ({len(data)} bytes)")
            )
        return "\n".join(lines)


class Outcome(enum.Enum):
    """What became of a plan. After UNKNOWN the remote is asked; only BEHIND is decided anew."""

    LANDED = "landed"
    BEHIND = "behind"
    REFUSED = "refused"  # by policy: never retried
    GONE = "gone"  # archived, deleted, or the branch is not there
    CREDENTIALS = "credentials"  # mint once more, then give up
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Published:
    """`commit` is the commit that stands (LANDED only); `detail` what the remote said, redacted.

    `left`: the plan's files in a work tree that a person had changed, and that stay so.
    """

    outcome: Outcome
    commit: str | None = None
    detail: str = ""
    left: tuple[str, ...] = ()


Built = Callable[[str], None]  # told a commit's id before anybody else can see it; may raise


def unseen(_: str) -> None:
    """Whoever publishes does not look at the commit first."""
