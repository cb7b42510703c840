"""`learn` and `distill`: a review from a file into sentences, or into a repository."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.channels.review import judge, to_distill
from bot.commands.review_file import Given
from bot.distill.model import Distilled
from bot.git.store import Store
from bot.lessons.store import Edit, write
from bot.settings import Settings
from bot.texts import commit_message
from bot.work.distilling import Distillers, distill
from bot.work.writing import Branch, Written, apply

Json = str | int | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Learned:
    """What a review came to. `ignored` says why nothing was written, where nothing was."""

    written: Written
    distilled: Distilled
    ignored: str | None

    def to_json(self) -> dict[str, Json]:
        counts = self.written.edit.counts
        retired = ("overridden", "stale", "expired")
        return {
            "appended": counts.get("appended", 0),
            "refreshed": counts.get("refreshed", 0),
            "retired": sum(counts.get(name, 0) for name in retired),
            "evicted": counts.get("evicted", 0),
            "ignored": self.ignored,
            "quarantined": quarantined(self.distilled),
            "more": self.distilled.more,
            "commit": self.written.commit,
            "left": list(self.written.left),
        }


def quarantined(distilled: Distilled) -> list[Json]:
    return [{"text": each.text, "reason": each.reason} for each in distilled.quarantined]


def learn(
    given: Given,
    branch: Branch,
    distillers: Distillers,
    now: datetime,
    *,
    dry_run: bool = False,
) -> Learned:
    """One review into the store on `branch`. Raises what `bot.work.writing.apply` raises."""
    told: list[tuple[Distilled, str | None]] = []
    ready: dict[str, Distilled] = {}

    def decide(store: Store, settings: Settings) -> Edit:
        facts = given.facts(branch.branch)
        for review in to_distill(facts, settings):
            if review.source not in ready:  # a branch that moved costs no second distillation
                ready[review.source] = distill(review, distillers(settings, 0), settings)
        judged = judge(facts, ready, settings)
        edit = write(
            store.snapshot,
            judged.evidence,
            settings,
            max(now, given.review.submitted_at).date(),
            present=judged.present,
        )
        found = ready.get(given.review.source, Distilled())
        told.append((found, _ignored(edit, found, judged.told[0].standing.reason)))
        return edit

    def say(edit: Edit, settings: Settings) -> str:
        return commit_message(edit, settings.commit, direct=True)

    written = apply(branch, decide, say, dry_run=dry_run)
    found, ignored = told[-1]
    return Learned(written, found, ignored)


def _ignored(edit: Edit, found: Distilled, standing: str) -> str | None:
    if edit.counts:
        return None
    if edit.landed:
        return "; ".join(dict.fromkeys(each.reason or each.did for each in edit.landed))
    return found.ignored or standing
