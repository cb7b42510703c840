"""Each measurement on little input: that it does the work which it says it times."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.bench import derived, reviews, texts, writes
from bot.bench.__main__ import measures
from bot.bench.store import TODAY, store_files
from bot.bench.table import Row
from bot.distill.evaluate import Gold
from bot.distill.model import Distilled, Lesson, Remark
from bot.git.command import Git
from bot.lessons.store import LESSONS
from bot.readers import Asked
from bot.work import pitfalls

FIELD = Path(__file__).parents[1] / "field"
FINDINGS = (FIELD / "findings-pairs.tsv").read_bytes()
FEW = b"".join(FINDINGS.splitlines(keepends=True)[:40])


def nothing() -> None:
    return None


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[writes.Workshop]:
    with writes.workshop(tmp_path, FINDINGS) as made:
        yield made


def subjects(shop: writes.Workshop) -> list[str]:
    """Of the first copy that was made, newest first."""
    bare = Git(shop.directory / "1-3.git")
    return bare.output("log", "--format=%s", "main").decode().splitlines()


@pytest.mark.parametrize("protocol", ["file", "http"])
def test_a_write_appends_one_and_refreshes_one(shop: writes.Workshop, protocol: str) -> None:
    bot = shop.bot(3, protocol)
    assert bot() > 0
    bot()
    ours = [s for s in subjects(shop) if s.startswith("chore(lessons)")]
    assert len(ours) == 2
    assert all("1 appended, 1 refreshed" in subject for subject in ours)


@pytest.mark.parametrize("protocol", ["file", "http"])
def test_plain_git_pushes_what_it_prepared(shop: writes.Workshop, protocol: str) -> None:
    plain = shop.fetch_and_push(3, protocol)
    assert plain() > 0
    plain()
    assert subjects(shop)[:2] == ["Prepared", "Prepared"]


@pytest.mark.parametrize("protocol", ["file", "http"])
def test_a_shallow_clone_pushes_its_edit_and_is_gone(shop: writes.Workshop, protocol: str) -> None:
    clone = shop.shallow_clone(3, protocol)
    assert clone() > 0
    assert subjects(shop)[0] == "By hand"
    assert not clone.directory.exists()


def test_the_rows_of_the_writes(shop: writes.Workshop) -> None:
    rows = [
        *writes.against_clone(shop, "file", 1, nothing, 3),
        *writes.against_push(shop, "file", 1, nothing, 3),
        *writes.by_size(shop, "file", 1, nothing, (2, 3, 4)),
    ]
    assert [row.against for row in rows[2:]] == ["2 files", "2 files", "2 files"]
    assert all(row.figures["ratio"] > 0 for row in rows)
    assert [row.ok is None for row in rows] == [False, False, False, False, True]


def test_the_store_has_its_bullets_and_its_rows(shop: writes.Workshop) -> None:
    files = store_files(shop.corpus.kept, shop.corpus.new, 7)
    assert files[LESSONS].count(b"\n- ") == 30
    assert sum(d.count(b"\n") for p, d in files.items() if p.endswith(".jsonl")) > 200
    assert not any("/standing/" in path for path in files)


def test_a_decision_and_a_whole_write() -> None:
    warm, cold, whole = texts.decision(FINDINGS, 2, nothing)
    assert warm.figures["s"] < cold.figures["s"]
    assert warm.ok is not None
    assert whole.ok is None


def test_the_block_is_that_of_a_full_store() -> None:
    warm, cold = derived.block_rows(FINDINGS, 2, nothing)
    assert warm.what == "the block of 40 bullets, 8 standing lessons, 24 rules: store already read"
    assert warm.figures["s"] < cold.figures["s"]
    block = pitfalls.block(derived.full_store(FINDINGS), TODAY.date(), Asked())
    assert [len(section.items) for section in block.sections][1:] == [5, 20]


def test_a_rebuild_derives_the_same_of_five_thousand_events_in_any_order() -> None:
    files = derived.event_files(FINDINGS)
    assert sum(data.count(b"\n") for data in files.values()) == derived.EVENTS
    turned = {
        path: b"".join(reversed(data.splitlines(keepends=True))) for path, data in files.items()
    }
    assert derived.derive(turned) == derived.derive(files)


def test_the_pair_report_is_measured_on_the_published_size() -> None:
    report, command = texts.pairs(FINDINGS, 1, nothing)
    assert report.what.startswith("`report pairs`, 11 files, 223 bullets, 3,211 pairs")
    assert command.figures["s"] > report.figures["s"]


def test_the_rule_is_scored_and_merges_no_opposite() -> None:
    scored, opposites = texts.rule(FEW, ["Always run the tests before a release."], nothing)
    assert scored.what.startswith("findings-pairs.tsv (")
    assert scored.figures["precision"] > 0
    assert opposites.measured == "0 merged"


class Silent:
    """A distiller that has nothing to say."""

    def distill(self, remarks: tuple[Remark, ...], *, limit: int, characters: int) -> Distilled:
        return Distilled(ignored="nothing")


def test_a_text_without_a_lesson_stays_raw_and_is_counted() -> None:
    (row,) = texts.distilled(FEW, Silent(), nothing)
    assert row.ok
    assert "0 of" not in row.measured
    (raw,) = (part for part in [row.against] if "wrong merges" in part)
    assert raw.removeprefix("the raw texts: ").split(",")[0] in row.measured


def real(name: str) -> bytes:
    return (FIELD / name).read_bytes()


def test_the_reviews_are_held_to_the_written_answers() -> None:
    found = reviews.distil(real("reviews.jsonl"), real("reviews-gold.jsonl"), Silent(), nothing)
    rows = {row.what: row for row in reviews.rows(found)}
    assert rows["taught, one or two, where the maintainer teaches"].ok is False
    assert rows["silent where the maintainer is silent"].ok is True


def test_a_line_that_only_opens_its_source_or_lost_its_name_is_counted() -> None:
    remark = Remark("Never call eval on input. `eval()` runs it.")
    made = Distilled((Lesson("Never call eval on input."),))
    gold = Gold("r1", ("Never call `eval()` on input.",), ("eval",))
    rows = {row.what: row for row in reviews.rows([reviews.Read((remark,), made, gold, None)])}
    assert rows["lines that are the opening of their source"].measured == "1 of 1"
    assert rows["lines that lost their finding's identifier or path"].measured == "1 of 1"
    assert rows["a `key` term kept"].ok is True


def test_answers_that_stand_beside_another_review_are_refused() -> None:
    swapped = b"\n".join(reversed(real("reviews-gold.jsonl").splitlines()))
    with pytest.raises(ValueError, match="stands beside"):
        reviews.distil(real("reviews.jsonl"), swapped, Silent(), nothing)


def test_the_documented_names_are_those_that_can_be_measured(tmp_path: Path) -> None:
    document = (FIELD.parents[1] / "docs" / "BENCHMARKS.md").read_text("utf-8")
    assert all(f"`{name}`" in document for name in measures(tmp_path))


def test_every_figure_can_be_written_as_json() -> None:
    rows: list[Row] = texts.decision(FINDINGS, 1, nothing)
    assert json.dumps([dict(row.figures) for row in rows])
