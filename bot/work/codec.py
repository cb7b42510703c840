"""What waits between deciding and writing, as JSON: evidence, orders, distilled lessons.

The database holds nothing else of ours in this form; an unreadable text is a Fault.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from bot.channels.questions import Kind, Question
from bot.distill.model import Distilled, Quarantined
from bot.errors import Fault
from bot.facts import Account
from bot.lessons.bullet import Verdict
from bot.lessons.lesson import Lesson
from bot.lessons.orders import Order, Retire, Settle, Undo
from bot.lessons.retirement import Invalidation
from bot.lessons.rows import ShownRow
from bot.lessons.store import Evidence, Outcome, Present

_ORDERS: dict[str, type[Order]] = {each.__name__: each for each in (Retire, Undo, Settle)}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one subject (a pull request, a note, a command) wants in the store now."""

    evidence: tuple[Evidence, ...] = ()
    present: tuple[Present, ...] = ()
    orders: tuple[Order, ...] = ()
    shown: tuple[ShownRow, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


def wanted_to_text(wanted: Wanted) -> str:
    body = {
        "evidence": [asdict(each) for each in wanted.evidence],
        "present": [asdict(each) for each in wanted.present],
        "orders": [{"order": type(each).__name__, **asdict(each)} for each in wanted.orders],
        "shown": [asdict(each) for each in wanted.shown],
        "outcomes": [asdict(each) for each in wanted.outcomes],
    }
    return json.dumps(body, default=_plain, ensure_ascii=False)


def wanted_from_text(text: str) -> Wanted:
    try:
        body = json.loads(text)
        return Wanted(
            evidence=tuple(_evidence(each) for each in body["evidence"]),
            present=tuple(_present(each) for each in body["present"]),
            orders=tuple(_order(each) for each in body["orders"]),
            shown=tuple(_shown(each) for each in body.get("shown", ())),
            outcomes=tuple(_outcome(each) for each in body.get("outcomes", ())),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Fault(f"what waits for a write cannot be read: {error}", retry=False) from error


def distilled_to_text(distilled: Distilled) -> str:
    return json.dumps(asdict(distilled), ensure_ascii=False)


def distilled_from_text(text: str) -> Distilled:
    try:
        body = json.loads(text)
        return Distilled(
            lessons=tuple(Lesson(**each) for each in body["lessons"]),
            ignored=body["ignored"],
            quarantined=tuple(Quarantined(**each) for each in body["quarantined"]),
            more=body.get("more", 0),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Fault(f"a stored distillation cannot be read: {error}", retry=False) from error


def question_to_text(question: Question) -> str:
    return json.dumps(asdict(question), default=_plain, ensure_ascii=False)


def question_from_text(text: str) -> Question:
    try:
        body = json.loads(text)
        by, lesson = body["by"], body["lesson"]
        values = {
            **body,
            "kind": Kind(body["kind"]),
            "at": _time(body["at"]),
            "by": None if by is None else Account(**by),
            "lesson": None if lesson is None else Lesson(**lesson),
            "a": None if body["a"] is None else tuple(body["a"]),
            "b": None if body["b"] is None else tuple(body["b"]),
        }
        return Question(**values)
    except (ValueError, KeyError, TypeError) as error:
        raise Fault(f"a stored question cannot be read: {error}", retry=False) from error


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, frozenset):
        return sorted(value)
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


def _order(body: Mapping[str, object]) -> Order:
    values = {**body, "at": _time(body["at"])}
    kind = _ORDERS[str(values.pop("order"))]
    return kind(**values)  # type: ignore[arg-type]  # as above


def _outcome(body: Mapping[str, object]) -> Outcome:
    values = {
        **body,
        "at": _time(body["at"]),
        "shown": frozenset(_strings(body["shown"])),
        "paths": frozenset(_strings(body["paths"])),
    }
    return Outcome(**values)  # type: ignore[arg-type]  # as above


def _strings(value: object) -> list[str]:
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return [str(each) for each in value]


def _present(body: Mapping[str, object]) -> Present:
    return Present(**{**body, "edited_at": _time(body["edited_at"])})  # type: ignore[arg-type]


def _shown(body: Mapping[str, object]) -> ShownRow:
    bullets = tuple(body["bullets"])  # type: ignore[var-annotated,arg-type]  # as above
    return ShownRow(**{**body, "at": _time(body["at"]), "bullets": bullets})  # type: ignore[arg-type]


def _object(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError("an object was expected")
    return value


def _time(value: object) -> datetime:
    return datetime.fromisoformat(str(value))
