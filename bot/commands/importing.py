"""`import`: another store's bullets, through the same write as everything else.

They fill gaps: what is here already is not renewed by them, and what was put down here stays down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from bot.distill.note import as_typed
from bot.distill.quarantine import quarantine
from bot.distill.validate import Refused
from bot.git.local import Target
from bot.git.store import Store, read_store
from bot.lessons.bullet import Trailer
from bot.lessons.document import Bullet, Document
from bot.lessons.learning import IMPORT
from bot.lessons.lesson import Lesson
from bot.lessons.retirement import expired
from bot.lessons.store import Edit, Evidence, write
from bot.settings import Settings
from bot.texts import commit_message
from bot.work.writing import Branch, Written, apply

Json = str | int | None | list["Json"]


@dataclass(frozen=True, slots=True)
class Source:
    """`name` is `owner/name` where it is known; `bullets` are those with a trailer, active."""

    name: str | None
    bullets: tuple[Bullet, ...]

    @property
    def loses_references(self) -> bool:
        """Whether bullets name pull requests of a repository that nothing here tells."""
        refs = [each.trailer.ref for each in self.bullets if each.trailer]
        return self.name is None and any(ref.startswith("#") for ref in refs)


@dataclass(frozen=True, slots=True)
class Brought:
    """`left`: what was not taken over, each with its reason."""

    written: Written
    left: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "appended": self.written.edit.counts.get("appended", 0),
            "evicted": self.written.edit.counts.get("evicted", 0),
            "left": list(self.left),
            "commit": self.written.commit,
        }


def read_source(target: Target, name: str | None, today: date) -> Source:
    """Raises UserError where the lessons file there cannot be trusted."""
    store = read_store(target.clone, target.head(), 0)
    store.demand_trust()
    bullets = Document.parse(store.snapshot.lessons or b"", today).ours
    return Source(name, tuple(bullet for bullet in bullets if bullet.active))


def bring(source: Source, branch: Branch, today: date, *, dry_run: bool) -> Brought:
    """Writes what is missing here. Raises what `bot.work.writing.apply` raises."""
    left: list[str] = []

    def decide(store: Store, settings: Settings) -> Edit:
        left.clear()
        evidence: list[Evidence] = []
        for bullet in source.bullets:
            found = _evidence(bullet, source.name, settings, today)
            if isinstance(found, Evidence):
                evidence.append(found)
            else:
                left.append(f"{found} {bullet.text}")
        edit = write(store.snapshot, evidence, settings, today)
        left.extend(_not_taken(edit))
        return edit

    def say(edit: Edit, settings: Settings) -> str:
        return commit_message(edit, settings.commit, direct=True)

    written = apply(branch, decide, say, dry_run=dry_run)
    return Brought(written, tuple(left))


def _not_taken(edit: Edit) -> Sequence[str]:
    return [
        f"{each.reason}: {each.evidence.lesson.sentence}"
        for each in edit.landed
        if each.did == "nothing"
    ]


def _evidence(bullet: Bullet, name: str | None, settings: Settings, today: date) -> Evidence | str:
    """The bullet as evidence; or why it is left out, as the beginning of a line."""
    trailer = bullet.trailer
    if trailer is None or bullet.id is None:
        return "it carries no trailer:"
    if expired(trailer.on, settings.store.expire, today):
        return f"its last evidence is of {trailer.on.isoformat()}, which is expired:"
    checked = as_typed(bullet.text, settings.store.characters)
    if isinstance(checked, Refused):
        return f"{checked.reason}"
    if reason := quarantine(bullet.text):
        return f"a person has to keep it ({reason}):"
    return Evidence(
        source=f"{IMPORT}{bullet.id}",
        pr=0,
        head="",
        channel=trailer.verdict,
        state="imported",
        by=0,
        at=datetime.combine(trailer.on, time(), UTC),
        lesson=Lesson(checked.text),
        cites=_cites(trailer, name),
    )


def _cites(trailer: Trailer, name: str | None) -> str:
    """REF as it reads in another repository than that of the pull request."""
    if not trailer.ref.startswith("#"):
        return trailer.ref
    return f"{name}{trailer.ref}" if name else "manual"
