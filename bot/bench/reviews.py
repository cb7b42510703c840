"""The offline distiller on real reviews, beside what a maintainer would have kept of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.bench.table import Row
from bot.channels.review import remarks
from bot.commands.review_file import read
from bot.distill.evaluate import Gold, score
from bot.distill.model import Distilled, Distiller, Remark
from bot.distill.pipeline import distill_review
from bot.distill.quarantine import quarantine
from bot.distill.validate import Valid, validate
from bot.settings import Settings

Tick = Callable[[], None]

TAUGHT, SILENT, KEYED, DICE, HELD = 0.95, 0.80, 0.85, 0.40, 0.02
_CODE = re.compile(r"`[^`\n]+`")


@dataclass(frozen=True, slots=True)
class Read:
    """One review: its remarks, what was made of them, what a maintainer kept and why nothing."""

    remarks: tuple[Remark, ...]
    made: Distilled
    gold: Gold
    none_reason: str | None

    @property
    def bullets(self) -> list[str]:
        return [lesson.sentence for lesson in self.made.lessons]


def distil(reviews: bytes, gold: bytes, distiller: Distiller, tick: Tick) -> list[Read]:
    """Every review of `reviews` (JSON Lines) beside the line of `gold` in the same place."""
    store = Settings().store
    found = []
    given = read(reviews, "reviews.jsonl", datetime(2026, 11, 2, tzinfo=UTC))
    kept: list[Mapping[str, object]] = [json.loads(line) for line in gold.splitlines()]
    names = [json.loads(line)["id"] for line in reviews.splitlines()]
    for each, name, answer in zip(given, names, kept, strict=True):
        if name != answer["id"]:
            raise ValueError(f"{name} stands beside {answer['id']}")
        said = remarks(each.review)
        made = distill_review(distiller, said, limit=store.per_review, characters=store.characters)
        wanted = Gold(name, _strings(answer["lessons"]), _strings(answer["key"]))
        reason = answer["none_reason"]
        found.append(Read(said, made, wanted, reason if isinstance(reason, str) else None))
        tick()
    return found


def rows(found: list[Read]) -> list[Row]:
    """All that the distiller is held to, a row each."""
    lines = [(each, lesson) for each in found for lesson in each.made.lessons]
    invalid = sum(not _is_valid(lesson.sentence) for _, lesson in lines)
    said = sum(len(each.remarks) for each in found)
    held = sum(len(each.made.quarantined) for each in found)
    openings = sum(_is_opening(each, lesson.sentence) for each, lesson in lines)
    bare = sum(_lacks_identifier(each, lesson.sentence, lesson.comment) for each, lesson in lines)
    most = max((len(each.bullets) for each in found), default=0)
    reached = score((each.gold, each.bullets) for each in found)
    spoken = [each.none_reason for each in found if each.none_reason and each.bullets]
    what = f"reviews.jsonl ({len(found)} reviews) through `distill`"
    return [
        _count(f"{what}: lines that are not valid", invalid, f"of {len(lines)}"),
        _count("lines that are the opening of their source", openings, f"of {len(lines)}"),
        _count("lines that lost their finding's identifier or path", bare, f"of {len(lines)}"),
        Row(
            "remarks quarantined",
            "–",
            f"≤ {HELD:.0%}",
            f"{held} of {said}",
            held <= HELD * said,
            {"held": held},
        ),
        _share("taught, one or two, where the maintainer teaches", reached.taught, TAUGHT)
        if most <= Settings().store.per_review
        else _count("reviews with more than two lines", most, ""),
        _share("silent where the maintainer is silent" + _but(spoken), reached.silent, SILENT),
        _share("a `key` term kept", reached.keyed, KEYED),
        _share("mean Dice with the nearer written answer", reached.dice, DICE),
    ]


def _is_valid(sentence: str) -> bool:
    characters = Settings().store.characters
    return validate(sentence, characters) == Valid(sentence) and not quarantine(sentence)


def _is_opening(each: Read, sentence: str) -> bool:
    bullet = sentence.rstrip(".。")
    return any(" ".join(remark.text.split()).startswith(bullet) for remark in each.remarks)


def _lacks_identifier(each: Read, sentence: str, comment: int | None) -> bool:
    source = next(remark for remark in each.remarks if remark.comment == comment)
    return bool(source.path or _CODE.search(source.text)) and "`" not in sentence


def _count(what: str, count: int, of: str) -> Row:
    return Row(what, "–", "none", f"{count} {of}".rstrip(), count == 0, {"count": count})


def _share(what: str, share: float, least: float) -> Row:
    ok = share >= least
    return Row(what, "reviews-gold.jsonl", f"≥ {least:.2f}", f"{share:.2f}", ok, {"share": share})


def _but(reasons: list[str]) -> str:
    return f" (but for: {', '.join(sorted(reasons))})" if reasons else ""


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list) else ()
