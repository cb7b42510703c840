"""What waits between deciding and writing, as JSON: evidence, reviews present, distilled lessons.

The database holds nothing else of ours in this form; an unreadable text is a Fault.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime

from bot.channels.review import Judged
from bot.distill.model import Distilled, Quarantined
from bot.errors import Fault
from bot.lessons.bullet import Verdict
from bot.lessons.lesson import Lesson
from bot.lessons.retirement import Invalidation
from bot.lessons.store import Evidence, Present


def judged_to_text(judged: Judged) -> str:
    """The evidence and the reviews that are present; what was told of each is not kept."""
    body = {
        "evidence": [asdict(each) for each in judged.evidence],
        "present": [asdict(each) for each in judged.present],
    }
    return json.dumps(body, default=_plain, ensure_ascii=False)


def judged_from_text(text: str) -> Judged:
    try:
        body = json.loads(text)
        return Judged(
            evidence=tuple(_evidence(each) for each in body["evidence"]),
            present=tuple(_present(each) for each in body["present"]),
            told=(),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Fault(f"a stored judgement cannot be read: {error}", retry=False) from error


def distilled_to_text(distilled: Distilled) -> str:
    return json.dumps(asdict(distilled), ensure_ascii=False)


def distilled_from_text(text: str) -> Distilled:
    try:
        body = json.loads(text)
        return Distilled(
            lessons=tuple(Lesson(**each) for each in body["lessons"]),
            ignored=body["ignored"],
            quarantined=tuple(Quarantined(**each) for each in body["quarantined"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Fault(f"a stored distillation cannot be read: {error}", retry=False) from error


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _evidence(body: Mapping[str, object]) -> Evidence:
    invalid = body["invalid"]
    values = {
        **body,
        "at": _time(body["at"]),
        "channel": Verdict(str(body["channel"])),
        "lesson": Lesson(**_object(body["lesson"])),  # type: ignore[arg-type]  # as below
        "invalid": None if invalid is None else _invalidation(_object(invalid)),
    }
    return Evidence(**values)  # type: ignore[arg-type]  # written by judged_to_text


def _invalidation(body: Mapping[str, object]) -> Invalidation:
    return Invalidation(**{**body, "at": _time(body["at"])})  # type: ignore[arg-type]  # as above


def _present(body: Mapping[str, object]) -> Present:
    return Present(**{**body, "edited_at": _time(body["edited_at"])})  # type: ignore[arg-type]


def _object(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError("an object was expected")
    return value


def _time(value: object) -> datetime:
    return datetime.fromisoformat(str(value))
