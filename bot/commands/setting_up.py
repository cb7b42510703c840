"""`init`: a repository set up for Lessonkeeper, as one commit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bot import welcome
from bot.channels.onboarding import SetUp
from bot.git.store import PITFALLS, Store
from bot.lessons.adoption import Adopted, Unadopted
from bot.lessons.store import Edit
from bot.settings import Settings
from bot.work.setting_up import missing
from bot.work.writing import Branch, Written, apply


@dataclass(frozen=True, slots=True)
class Initiated:
    """`adopted`: lines that got our trailer, or would; `unadopted`: those that did not, and why.

    `left`: files not touched, and why.
    """

    written: Written
    adopted: tuple[Adopted, ...]
    unadopted: tuple[Unadopted, ...]
    left: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        paths = sorted(self.written.plan.changes) if self.written.plan else []
        return {
            "writes": paths,
            "adopted": [each.after for each in self.adopted],
            "unadopted": [{"line": each.line, "reason": each.reason} for each in self.unadopted],
            "left": list(self.left),
            "commit": self.written.commit,
        }


def init(branch: Branch, today: date, *, adopting: bool, dry_run: bool) -> Initiated:
    """Writes what is missing. Raises what `bot.work.writing.apply` raises."""
    found: list[tuple[SetUp, tuple[str, ...]]] = []

    def decide(store: Store, settings: Settings) -> Edit:
        made, left = missing(branch.clone, store.commit, settings, today, adopting=adopting)
        found.append((made, left))
        changes = dict(made.changes)
        if store.pitfalls is None:
            changes[PITFALLS] = b""  # rendered with whatever else is written
        return Edit(changes, counts={}, readable=True)

    def say(edit: Edit, settings: Settings) -> str:
        adopted = len(found[-1][0].adopted) if adopting else 0
        return welcome.set_up(sorted(edit.changes), adopted, settings.commit, direct=True)

    written = apply(branch, decide, say, dry_run=dry_run)
    made, left = found[-1]
    return Initiated(written, made.adopted, made.unadopted, left)
