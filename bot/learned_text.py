"""What `learn` and `distill` say of one review on the command line. Pure; decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from bot.distill.model import Distilled, Quarantined
from bot.lessons.store import Landed
from bot.settings import Settings

HELD = 400  # characters of a held finding that are printed; the file has the rest

# Short reasons of the rooms that decide, in words for somebody who holds a file and no forge.
_IN_FULL = {
    "applied before": "this review was learned before",
    "approval": "it praises or approves, and asks for nothing",
    "an approval": "its state is an approval, which asks for nothing",
    "It is an approval.": "its state is an approval, which asks for nothing",
    "reply": "it answers or reports, and asks for nothing",
    "summary": "it sums up, and names nothing to do another time",
    "empty": "it says nothing",
    "style or this pull request only": "it is about style, or about this pull request alone",
    "weak: not answered in a merge": (
        "a comment is weak evidence: it counts once its finding was answered in a merged pull"
        " request and said in a second one, and a file tells of no merge. The state"
        " changes_requested is written at once, and so is a comment with `people: strong` in the"
        " settings"
    ),
    "a founder's review is offered with Keep": (
        "its author is listed under `founders`: on GitHub each finding is offered with the button"
        " Keep, and a file has no button. `author` and `state` in the file and `founders` in the"
        " settings decide"
    ),
}

_BECAME = {
    "refreshed": "refreshes",
    "evidence": "kept as evidence for",
    "nothing": "nothing new for",
}


def explained(ignored: str) -> str:
    """Why a review teaches nothing, as the end of a sentence without its stop."""
    found = [_IN_FULL.get(each, each).rstrip(".") for each in ignored.split("; ")]
    return "; ".join(found)


def heard(landed: Sequence[Landed]) -> tuple[str, ...]:
    """The findings that made no bullet of their own, with what became of each."""
    return tuple(
        f"Heard again: {each.evidence.lesson.sentence} → {_BECAME[each.did]} {each.bullet}"
        for each in landed
        if each.bullet and each.did in _BECAME
    )


def left_out(distilled: Distilled, settings: Settings) -> tuple[str, ...]:
    """The findings that were not kept, and what a person can do about the held ones."""
    lines = [_held(each) for each in distilled.quarantined]
    if lines:
        lines.append("A held finding teaches nothing. Reword it in the file, and learn it again.")
    if distilled.more:
        many = f"{distilled.more} more finding{'s' if distilled.more > 1 else ''}"
        lines.append(f"{many} not kept (store.per_review: {settings.store.per_review}).")
    return tuple(lines)


def _held(held: Quarantined) -> str:
    text = " ".join(held.text.split())
    cut = text if len(text) <= HELD else f"{text[: HELD - 1].rstrip()}…"
    return f"Held for a person: {held.reason.rstrip('.')}: {cut}"
