"""Pull requests from outside that touch what agents read of us: worth a warning (SPEC 5).

Whoever may not write could else tell the agents that review the change what to look for. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.channels.trust import is_trusted
from bot.facts import Account, PullRequestFacts
from bot.forge.protocol import PullFile

FOLDER = ".agent-corp/"


@dataclass(frozen=True, slots=True)
class AgentFile:
    """A file that may include our block, where the pull request began and at its head."""

    path: str
    before: bytes | None
    after: bytes | None


def is_outside(facts: PullRequestFacts, us: Account | None) -> bool:
    """Neither ours nor trusted: it comes from a fork of somebody who may not write."""
    ours = us is not None and facts.pull.author.id == us.id
    return not ours and not is_trusted(facts)


def ours_in(files: Iterable[PullFile]) -> tuple[str, ...]:
    """The paths in our folder that it adds, changes, moves or deletes."""
    paths = {path for each in files for path in (each.path, each.previous) if path}
    return tuple(sorted(path for path in paths if path.startswith(FOLDER)))


def agent_files_in(files: Iterable[PullFile], include: Iterable[str]) -> tuple[str, ...]:
    """Those of the agent files that it touches, in the order of the setting."""
    paths = {path for each in files for path in (each.path, each.previous)}
    return tuple(path for path in include if path in paths)


def reworded(files: Iterable[AgentFile]) -> Mapping[str, bool]:
    """The agent files in which a line that names our folder is new, gone or different.

    The value says whether such a line is there at the head.
    """
    lines = {each.path: (_pointing(each.before), _pointing(each.after)) for each in files}
    return {path: bool(after) for path, (before, after) in lines.items() if before != after}


def _pointing(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "replace")
    return sorted(line.strip() for line in text.splitlines() if FOLDER in line)
