"""What a capture came to, as values: where the note stands now, or which step failed and why."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.errors import Fault, UserError


class Step(enum.Enum):
    """Where a capture failed."""

    CHECK = "check"
    COMMIT = "commit"
    INDEX = "index"
    FIND = "find"
    PUSH = "push"
    READ_BACK = "read back"


class State(enum.Enum):
    CAPTURED = "captured"
    CONFIRMED = "confirmed"
    PROPOSED = "proposed"
    NOT_SAVED = "not saved"
    NOT_CONFIRMED = "not confirmed"  # the remote tells later: the same call again asks it


@dataclass(frozen=True, slots=True)
class Capture:
    """`commit`: where the note stands, or may stand. `error`: why it does not, or may not, with the
    `step`. `pull` is the number of the pull request that proposes it.
    """

    state: State
    path: str = ""
    commit: str | None = None
    step: Step | None = None
    error: UserError | Fault | None = None
    pull: int | None = None
    detail: str = ""
