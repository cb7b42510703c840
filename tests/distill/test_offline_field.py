"""The offline distiller on real reviews, beside what a maintainer would have kept of them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.commands.review_file import read
from bot.distill.evaluate import Gold, dice, score
from bot.distill.model import Distilled, Remark
from bot.distill.offline import Offline
from bot.distill.pipeline import distill_review
from bot.distill.validate import Valid, validate

FIELD = Path(__file__).parent.parent / "field"
CHARACTERS = 240


def records(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (FIELD / name).read_text(encoding="utf-8").splitlines()]


def remarks(review: dict[str, object]) -> tuple[Remark, ...]:
    found = [Remark(str(review["body"] or ""))]
    comments = review["comments"]
    assert isinstance(comments, list)
    for number, comment in enumerate(comments, start=1):
        found.append(Remark(comment["body"] or "", number, comment["path"], comment["line"]))
    return tuple(found)


REVIEWS = {str(review["id"]): remarks(review) for review in records("reviews.jsonl")}
GOLD = {
    str(gold["id"]): Gold(str(gold["id"]), tuple(gold["lessons"]), tuple(gold["key"]))  # type: ignore[arg-type]
    for gold in records("reviews-gold.jsonl")
}


@pytest.fixture(scope="module")
def distilled() -> dict[str, Distilled]:
    return {
        review: distill_review(Offline(), found, limit=2, characters=CHARACTERS)
        for review, found in REVIEWS.items()
    }


def test_the_command_reads_all_of_them() -> None:
    file = FIELD / "reviews.jsonl"
    given = read(file.read_bytes(), file.name, datetime(2026, 11, 2, tzinfo=UTC))
    assert len(given) == len(REVIEWS)


def test_every_bullet_is_valid_and_nothing_is_held(distilled: dict[str, Distilled]) -> None:
    for answer in distilled.values():
        assert not answer.quarantined
        for lesson in answer.lessons:
            assert validate(lesson.sentence, CHARACTERS) == Valid(lesson.sentence)
            assert lesson.sentence.endswith((".", "。"))
            assert len(lesson.trigger) <= 120
            assert len(lesson.strategy) <= 120


def test_it_keeps_what_a_maintainer_would_have_kept(distilled: dict[str, Distilled]) -> None:
    reached = score(
        (GOLD[review], [lesson.sentence for lesson in answer.lessons])
        for review, answer in distilled.items()
    )
    assert reached.taught >= 0.95
    assert reached.silent >= 0.80
    assert reached.keyed >= 0.85
    assert reached.dice >= 0.40


def test_a_review_without_lessons_says_why(distilled: dict[str, Distilled]) -> None:
    for answer in distilled.values():
        assert (answer.ignored is None) == bool(answer.lessons)


def test_no_bullet_is_the_opening_of_its_source(distilled: dict[str, Distilled]) -> None:
    for review, answer in distilled.items():
        sources = [" ".join(remark.text.split()) for remark in REVIEWS[review]]
        for lesson in answer.lessons:
            bullet = lesson.sentence.rstrip(".。")
            assert not any(source.startswith(bullet) for source in sources)


def test_an_identifier_or_a_path_is_kept_where_the_finding_has_one(
    distilled: dict[str, Distilled],
) -> None:
    for review, answer in distilled.items():
        sources = {remark.comment: remark for remark in REVIEWS[review]}
        for lesson in answer.lessons:
            source = sources[lesson.comment]
            if source.path or re.search(r"`[^`\n]+`", source.text):
                assert "`" in lesson.sentence


def test_dice_reads_identifiers_in_parts_and_whole() -> None:
    # min_test_cases is one term whole and three in parts, "bump" is another: 4 of 4 + 4.
    assert dice("Bump `MIN_TEST_CASES`.", "bump min_test_cases") == 1.0
    assert dice("Close the file.", "Release a lock.") == 0.0
