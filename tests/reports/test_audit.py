"""What an audit finds in a memory, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.lessons import event_files
from bot.lessons.history import History
from bot.lessons.rows import ConflictRow, PathRow, Row, StoreRow
from bot.lessons.similarity import decide
from bot.lessons.tree import Fate
from bot.reports.audit import audit
from bot.reports.audit_printing import to_json, to_markdown
from bot.reports.facts import StoreFacts
from bot.reports.findings import Finding, Kind
from bot.reports.labels import Label, LabelledPair, parse_labels
from bot.reports.likeness import NEAR
from bot.reports.made import Made
from bot.reports.pairs import closeness
from bot.settings import Carried, Settings
from tests.fakes.tree import FakeTree

RULE = Settings().refresh
TODAY = date(2026, 11, 29)
AT = datetime(2026, 11, 1, tzinfo=UTC)
MADE = Made(TODAY, "python app.py report audit --repo shop")
TRAILER = "(#7, 2026-11-01, changes_requested)"
WAIT = "Wait for every CI job of the pull request before giving a verdict."
WAIT_AGAIN = "Wait for each CI job of a pull request before you give the verdict."
NEVER_WAIT = "Never wait for every CI job of the pull request before giving a verdict."
# Put together here, so that no scanner takes this file for a leak.
KEY = "ghp_" + "a1B2" * 9


def bullet(text: str, identity: str = "aaaaaaaa") -> str:
    return f"- {text} {TRAILER} <!-- {identity} -->\n"


def store(
    lessons: str = "",
    *,
    name: str = "acme/shop",
    found: Sequence[Row] = (),
    tree: FakeTree | None = None,
    carried: Mapping[str, bytes] | None = None,
    standing: Mapping[str, bytes] | None = None,
    rules: str = "",
    distrust: str | None = None,
    settings: Settings | None = None,
) -> StoreFacts:
    return StoreFacts(
        name=name,
        commit="c0ffee",
        settings=settings or Settings(),
        lessons=lessons.encode(),
        history=History.read(event_files.add({}, found)),
        standing=standing or {},
        rules={".agent-corp/rules.md": rules.encode()} if rules else {},
        carried=carried or {},
        tree=tree or FakeTree(),
        distrust=distrust,
        committed={},
    )


def findings(*stores: StoreFacts) -> tuple[Finding, ...]:
    return audit(stores, TODAY).findings


def only(*stores: StoreFacts) -> Finding:
    (found,) = findings(*stores)
    assert found.remedy
    return found


def test_a_note_that_cannot_be_read_is_named_with_its_remedy() -> None:
    told = UserError("It has no `kind`.", remedy="Add it.", file=".agent-corp/notes/a.md", line=1)
    found = only(replace(store(), notes=(told,)))
    assert (found.kind, found.file, found.line) == (Kind.NOTE, ".agent-corp/notes/a.md", 1)
    assert (found.what, found.remedy) == ("It has no `kind`.", "Add it.")


def test_a_healthy_store_has_no_finding() -> None:
    assert findings(store(bullet(WAIT) + bullet("Pin the formatter in the lock file."))) == ()


def test_duplicates_name_both_lines_and_their_scores() -> None:
    found = only(store(bullet(WAIT) + bullet(WAIT_AGAIN, "bbbbbbbb")))
    assert (found.kind, found.file, found.line) == (Kind.DUPLICATE, ".agent-corp/lessons.md", 1)
    assert WAIT in found.what
    assert f"line 2: “{WAIT_AGAIN}”" in found.what
    assert "similarity 0." in found.what


def test_retired_and_struck_lines_are_no_duplicates() -> None:
    expired = TRAILER.replace(")", "; expired 2026-11-20)")
    lines = f"- {WAIT_AGAIN} {expired}\n- ~~{WAIT_AGAIN}~~ {TRAILER}\n"
    assert findings(store(bullet(WAIT) + lines)) == ()


def test_a_suspected_contradiction_is_for_a_person_until_a_person_decided() -> None:
    lessons = bullet(WAIT) + bullet(NEVER_WAIT, "bbbbbbbb")
    found = only(store(lessons))
    assert found.kind is Kind.CONTRADICTION
    assert "negation)" in found.what
    assert "A person decides" in found.remedy
    seen = ConflictRow(at=AT, a="aaaaaaaa", b="bbbbbbbb", why="negation")
    decided = ConflictRow(at=AT, a="bbbbbbbb", b="aaaaaaaa", kept="a", by=7)
    assert only(store(lessons, found=[seen])).kind is Kind.CONTRADICTION
    assert findings(store(lessons, found=[seen, decided])) == ()


CLOSE, CLOSE_TOO = (
    "Close the database session in a finally block when a query raises an error.",
    "Hand the session back when the query raised an unexpected exception in production.",
)


def test_what_comes_near_to_the_line_is_a_possible_duplicate() -> None:
    found = only(store(bullet(CLOSE) + bullet(CLOSE_TOO, "bbbbbbbb")))
    assert found.kind is Kind.POSSIBLE
    assert not decide(CLOSE, CLOSE_TOO, Settings().refresh).same
    far = "Pin the version of the formatter in the lock file of the repository."
    assert findings(store(bullet(CLOSE) + bullet(far, "bbbbbbbb"))) == ()


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (WAIT, WAIT_AGAIN, Kind.DUPLICATE),
        (CLOSE, CLOSE_TOO, Kind.POSSIBLE),
        (WAIT, NEVER_WAIT, Kind.CONTRADICTION),
    ],
)
def test_a_pair_that_a_person_labelled_distinct_is_not_asked_about_again(
    one: str, other: str, kind: Kind
) -> None:
    facts = store(bullet(one) + bullet(other, "bbbbbbbb"))
    for label in Label:
        found = audit([facts], TODAY, [LabelledPair(other, one, label)]).findings
        assert [each.kind for each in found] == [kind] * (label is not Label.DISTINCT)


def test_a_pair_that_a_person_labelled_distinct_is_no_twin_in_another_repository() -> None:
    stores = [store(bullet(WAIT)), store(bullet(WAIT_AGAIN, "bbbbbbbb"), name="acme/till")]
    assert audit(stores, TODAY, [LabelledPair(WAIT, WAIT_AGAIN, Label.SAME)]).findings
    assert not audit(stores, TODAY, [LabelledPair(WAIT, WAIT_AGAIN, Label.DISTINCT)]).findings


def test_other_numbers_make_two_lessons_and_no_contradiction() -> None:
    texts = (f"Give the slow job of this repository {n} seconds before it fails." for n in (30, 60))
    assert findings(store("".join(map(bullet, texts)))) == ()


def test_a_line_without_a_readable_trailer_has_no_provenance() -> None:
    found = only(store(bullet("One thing.") + f"\n- {WAIT} (#7, 2026-13-01, ci_fix)\n"))
    assert (found.kind, found.line) == (Kind.NO_PROVENANCE, 3)


def test_a_path_is_dead_where_it_stood_once() -> None:
    gone = FakeTree(frozenset({"src/new.py"}), {"src/old.py": Fate(date(2026, 10, 1))})
    found = only(store(bullet("Close the session in `src/old.py` and `src/new.py`."), tree=gone))
    assert found.kind is Kind.DEAD_PATH
    assert "`src/old.py` is gone" in found.what
    moved = FakeTree(fates={"src/old.py": Fate(date(2026, 10, 1), moved_to="src/db.py")})
    found = only(store(bullet("Close the session in `src/old.py`."), tree=moved))
    assert "moved to `src/db.py`" in found.what
    assert found.remedy == "Name `src/db.py` instead."


def test_what_never_stood_in_the_tree_is_no_dead_path() -> None:
    text = bullet("Run `src/none.py` with Node.js, and/or read a.b.")
    assert findings(store(text)) == ()
    seen = PathRow(at=AT, bullet="aaaaaaaa", commit="c0ffee", seen="src/none.py")
    assert only(store(text, found=[seen])).kind is Kind.DEAD_PATH


def test_dead_paths_are_found_in_standing_lessons_and_rules_too() -> None:
    tree = FakeTree(fates={"src/old.py": Fate(date(2026, 10, 1))})
    path = ".agent-corp/standing/aaaaaaaa-close.md"
    text = '---\nid: "aaaaaaaa"\nsentence: "Close `src/old.py`."\n---\n'
    found = only(store(standing={path: text.encode()}, tree=tree))
    assert (found.file, found.line) == (path, 3)
    found = only(store(rules="# Rules\n\n- **leak**: Close `src/old.py`.\n", tree=tree))
    assert (found.file, found.line) == (".agent-corp/rules.md", 3)


def test_a_secret_is_named_by_its_kind_and_never_repeated() -> None:
    lessons = bullet(f"Pass {KEY} to the client of this repository.")
    facts = store(lessons, carried={"AGENTS.md": f"# Ours\n\nkey: {KEY}\n".encode()})
    found = audit([facts], TODAY)
    assert [(f.kind, f.file, f.line) for f in found.findings] == [
        (Kind.LEAK, ".agent-corp/lessons.md", 1),
        (Kind.LEAK, "AGENTS.md", 3),
    ]
    assert "Revoke it" in found.findings[0].remedy
    assert KEY not in to_markdown(found, MADE)
    assert KEY not in str(to_json(found, MADE))


def test_a_file_that_cannot_be_trusted_comes_first() -> None:
    found = findings(store(f"- {WAIT}\n", distrust="has conflict markers (line 3)"))
    assert [each.kind for each in found] == [Kind.UNTRUSTED, Kind.NO_PROVENANCE]
    assert "has conflict markers (line 3)" in found[0].what


def test_carried_weight_is_found_before_the_budget_is_spent() -> None:
    settings = Settings(carried=Carried(lines=10, kilobytes=25))
    files = {"AGENTS.md": b"a\n" * 9, "CLAUDE.md": b"a\n" * 8}
    found = only(store(carried=files, settings=settings))
    assert (found.kind, found.file) == (Kind.CARRIED, "AGENTS.md")
    assert "near its budget" in found.what


# Several repositories


def test_twins_are_looked_for_in_the_repositories_of_one_owner() -> None:
    one, other = store(bullet(WAIT)), bullet(WAIT_AGAIN, "bbbbbbbb")
    found = only(one, store(other, name="acme/till"))
    assert found.kind is Kind.TWIN
    assert f"in acme/till, line 1: “{WAIT_AGAIN}”" in found.what
    assert findings(one, store(other, name="others/till")) == ()


@pytest.mark.parametrize("origin", ["new", "copied"])
def test_shared_ids_are_a_split_store_unless_one_says_that_it_is_a_copy(origin: str) -> None:
    row = StoreRow(at=AT, repo=2, origin=origin)
    found = findings(store(bullet(WAIT)), store(bullet(WAIT), name="acme/till", found=[row]))
    expected = [] if origin == "copied" else [Kind.SPLIT]
    assert [each.kind for each in found] == expected


# The page


def test_the_page_and_the_document_have_the_same_findings_and_prices() -> None:
    facts = store(bullet(WAIT) + bullet(WAIT_AGAIN, "bbbbbbbb"), carried={"AGENTS.md": b"x" * 4000})
    found = audit([facts], TODAY)
    page, document = to_markdown(found, MADE), to_json(found, MADE)
    assert "## Duplicate\n\n- acme/shop, .agent-corp/lessons.md:1: " in page
    assert "| acme/shop | AGENTS.md | 1 | 4000 | 1000 | 0.3000 | 16% | fine |" in page
    assert "100 runs a month at 3 USD a million tokens" in page
    assert page.endswith("Again: `python app.py report audit --repo shop`\n")
    assert document["carried"] == [
        {
            "repository": "acme/shop",
            "runs_per_month": 100,
            "usd_per_million_tokens": 3.0,
            "budget": {"lines": 200, "kilobytes": 25},
            "file": "AGENTS.md",
            "lines": 1,
            "bytes": 4000,
            "tokens": 1000,
            "usd_per_month": 0.3,
            "used": 0.1562,
            "weight": "fine",
            "line_prices": [{"line": 1, "tokens": 1000.0, "usd_per_month": 0.3}],
        }
    ]
    assert "Nothing was found." in to_markdown(audit([store()], TODAY), MADE)


def test_how_many_labelled_findings_that_near_to_the_line_are_twins() -> None:
    """The figure of bot/reports/likeness.py and docs/REPORTS.md."""
    data = (Path(__file__).parents[1] / "field" / "findings-pairs.tsv").read_bytes()
    compared = [(p.label, decide(p.a, p.b, RULE)) for p in parse_labels(data)]
    near = [
        label
        for label, found in compared
        if not found.same and not found.apart and closeness(found, RULE) >= NEAR
    ]
    assert (near.count(Label.SAME), len(near)) == (85, 94)
