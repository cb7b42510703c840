"""The words of the rolling pull request. Lesson text in them acts on nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from bot.distill.neutral import inert
from bot.forge.check_run import CheckRun
from bot.lessons.edit import Change
from bot.texts import subject, told

_WHAT = (
    "What reviewers and CI had to say here, for the next person or agent that starts a task."
    " Agents read it once it is merged."
)
_HOW = (
    "Merging keeps it. Closing declines it: what it came from is not proposed again."
    " Edit any line on this branch; your wording stays."
)
_SHOWN = 60  # changes; a store holds forty bullets, and a body has a limit


def title(changes: Sequence[Change], prefix: str) -> str:
    """The subject that a squash merge of it will have."""
    did = Counter(change.did for change in changes)
    return subject(did, (), prefix, followed=did["reworded"], struck=did["struck"])


def body(changes: Sequence[Change]) -> str:
    """What merging would keep, and why."""
    lines = [f"- {told(change)}" for change in changes[:_SHOWN]]
    if len(changes) > _SHOWN:
        lines.append(f"- and {len(changes) - _SHOWN} more, in the diff")
    return "\n".join(
        [
            _WHAT,
            "",
            *(lines or ["No line that people read changes: this records evidence for later."]),
            "",
            _HOW,
        ]
    )


def held(pull: int, until: datetime) -> CheckRun:
    """Why nothing is added for now."""
    return CheckRun(
        external_id=f"rolling:{pull}",
        title="Waits for the merge of what was approved",
        summary=f"More was learned meanwhile. It is added after {until:%Y-%m-%d %H:%M} UTC, so that"
        " what was approved can be merged as it is.",
    )


def rebuilt(base: str, commits: Sequence[str], lost: Sequence[str]) -> str:
    """What became of people's commits on a branch that no longer merged."""
    changed = ", ".join(commit[:12] for commit in commits)
    lines = [
        f"This branch conflicted with `{base}`, so it was made anew from there.",
        f"The lines that people changed in {changed} are in it again.",
    ]
    if lost:
        lines += ["", "These found no place any more:", "", *(f"- {inert(each)}" for each in lost)]
    return "\n".join(lines)
