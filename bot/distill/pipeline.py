"""The one way from a review's remarks to lessons: hold, redact, distil, redact, validate, hold.

Whichever distiller runs, nothing reaches it unredacted or held, and nothing it says is taken
unchecked. Pure given the distiller.
"""

from __future__ import annotations

from dataclasses import replace

from bot.distill.model import Distilled, Distiller, Lesson, Quarantined, Remark
from bot.distill.neutral import visible, without_hints
from bot.distill.quarantine import quarantine
from bot.distill.redact import redact
from bot.distill.validate import Refused, validate

PHRASE = 120  # characters of a trigger or a strategy in an event row (SPEC 15)


def distill_review(
    distiller: Distiller, remarks: tuple[Remark, ...], *, limit: int, characters: int
) -> Distilled:
    """At most `limit` valid lessons of at most `characters`; `ignored` says why there are none.

    A remark that has to be seen by a person is listed under `quarantined` (redacted) and never
    reaches the distiller. Raises what the distiller raises: Fault for an outage, UserError.
    """
    held: list[Quarantined] = []
    clear: list[Remark] = []
    for remark in remarks:
        said = without_hints(remark.text)
        text = redact(visible(said)).text
        if reason := quarantine(said):
            held.append(Quarantined(text, reason, remark.comment))
        elif text.strip():
            clear.append(replace(remark, text=text))
    if not clear:
        return Distilled(ignored=_nothing(held), quarantined=tuple(held))

    answer = distiller.distill(tuple(clear), limit=limit, characters=characters)
    held += [replace(q, text=redact(visible(q.text)).text) for q in answer.quarantined]
    lessons: dict[str, Lesson] = {}
    more = answer.more
    reasons = [_phrase(answer.ignored or "")]  # a model's words as well
    for lesson in answer.lessons:
        checked = validate(lesson.sentence, characters)
        if isinstance(checked, Refused):
            reasons.append(checked.reason)
        elif reason := quarantine(checked.text):
            held.append(Quarantined(checked.text, reason, lesson.comment))
        elif len(lessons) < limit:
            lessons.setdefault(
                checked.text,
                replace(
                    lesson,
                    sentence=checked.text,
                    trigger=_phrase(lesson.trigger),
                    strategy=_phrase(lesson.strategy),
                ),
            )
        else:
            more += 1
    ignored = None if lessons else " ".join(dict.fromkeys(filter(None, reasons))) or _nothing(held)
    return Distilled(tuple(lessons.values()), ignored, tuple(held), more)


def _nothing(held: list[Quarantined]) -> str:
    return "It is held until a person has looked at it." if held else "It holds no finding."


def _phrase(text: str) -> str:
    """One redacted line of at most PHRASE characters; nothing where it would have to be held."""
    line = " ".join(redact(visible(text)).text.split())
    if len(line) > PHRASE:
        line = line[: PHRASE - 1].rsplit(" ", 1)[0] + "…"
    return "" if quarantine(line) else line
