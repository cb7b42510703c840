"""Lessons that recur become files, fall when they are not heeded, and stay gone when taken away."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.lessons import event_files, rows
from bot.lessons.bullet import Verdict
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.lessons.lesson import Lesson
from bot.lessons.orders import Retire, Undo
from bot.lessons.rows import SignalRow
from bot.lessons.standing import FOLDER, REVOKED, parse
from bot.lessons.store import LESSONS, Edit, Evidence, Outcome, Snapshot, write
from bot.lessons.tree import Fate
from bot.settings import Settings
from tests.fakes.tree import FakeTree

START = datetime(2026, 9, 1, 12, tzinfo=UTC)
TODAY = datetime(2026, 11, 29, tzinfo=UTC).date()
SAID = (
    "Close the database session in a `finally` block in `src/db.py` whenever a query may raise.",
    "Close every database session in a `finally` block of `src/db.py`, since any query may raise.",
    "A query may raise: close its database session in a `finally` block in `src/db.py` then.",
    "Have the database session closed in a `finally` block in `src/db.py`, as a query may raise.",
)


def said(pr: int, day: float, wording: int | None = None, **more: object) -> Evidence:
    number = pr if wording is None else wording
    base = Evidence(
        source=f"review:{pr * 1000 + int(day)}@0123456789ab",
        pr=pr,
        head="a" * 40,
        channel=Verdict.CHANGES_REQUESTED,
        state="changes_requested",
        by=7,
        at=START + timedelta(days=day),
        lesson=Lesson(SAID[number % len(SAID)], "Changing `src/db.py`", "Use `finally`."),
    )
    return replace(base, **more)  # type: ignore[arg-type]


class Store:
    """A store that commits each write."""

    def __init__(self) -> None:
        self.now = Snapshot(None, {}, FakeTree(frozenset({"src/db.py"})), repository=11)

    def write(self, *evidence: Evidence, outcomes: Sequence[Outcome] = (), **more: object) -> Edit:
        edit = write(self.now, evidence, Settings(), TODAY, outcomes=outcomes, **more)  # type: ignore[arg-type]
        files: dict[str, dict[str, bytes]] = {
            "events": dict(self.now.events),
            "standing": dict(self.now.standing),
            "markers": dict(self.now.markers),
        }
        lessons = self.now.lessons
        for path, data in edit.changes.items():
            if path == LESSONS:
                lessons = data
                continue
            kind = (
                "markers" if path.startswith(REVOKED)
                else "standing" if path.startswith(FOLDER)
                else "events" if path.startswith(event_files.FOLDER)
                else None
            )  # fmt: skip
            if kind and data is None:
                files[kind].pop(path)
            elif kind and data is not None:
                files[kind][path] = data
        self.now = replace(
            self.now,
            lessons=lessons,
            attributes=True,
            events=files["events"],
            standing=files["standing"],
            markers=files["markers"],
        )
        return edit

    def delete(self, path: str, at: datetime) -> None:
        standing = {p: d for p, d in self.now.standing.items() if p != path}
        fates = {path: Fate(at.date(), at=at)}
        self.now = replace(self.now, standing=standing, tree=FakeTree(fates=fates))

    @property
    def texts(self) -> list[str]:
        found = Document.parse(self.now.lessons or b"", TODAY).bullets
        return [b.text for b in found if b.active]

    @property
    def paths(self) -> list[str]:
        return sorted(self.now.standing)

    @property
    def markers(self) -> Mapping[str, object]:
        return {path: json.loads(data) for path, data in self.now.markers.items()}


def stood() -> Store:
    store = Store()
    for pr, day in ((1, 0), (2, 1), (3, 2)):
        store.write(said(pr, day))
    assert len(store.paths) == 1
    return store


# --- promotion ---------------------------------------------------------------------------------


def test_three_signals_from_two_pull_requests_promote_in_one_commit() -> None:
    store = Store()
    assert store.write(said(1, 0)).counts == {"appended": 1}
    first = Document.parse(store.now.lessons or b"", TODAY).bullets[0]
    assert store.write(said(2, 1)).counts == {"refreshed": 1}
    edit = store.write(said(3, 2))
    assert edit.counts == {"refreshed": 1, "promoted": 1}
    assert store.texts == []
    (path,) = store.paths
    assert path.startswith(f"{FOLDER}/{first.id}-close-every-database-session")
    file = parse(path, store.now.standing[path])
    assert file is not None
    assert file.sentence == SAID[1]
    assert b"- #2 at aaaaaaaaaaaa, 2026-09-02, changes_requested\n" in store.now.standing[path]


def test_three_from_one_pull_request_do_not() -> None:
    store = Store()
    for day in (0, 1, 2):
        store.write(said(1, day, wording=day))
    assert store.paths == []


def test_three_fresh_ci_fixes_do_not_and_four_from_two_pull_requests_do() -> None:
    store = Store()
    fix = {"channel": Verdict.CI_FIX, "job": "lint"}
    for number, pr in enumerate((1, 2, 3)):
        store.write(said(pr, 0.1 * number, wording=0, source=f"check:{number}", **fix))
    assert store.paths == []
    store = Store()
    for number, pr in enumerate((1, 2, 1, 2)):
        store.write(said(pr, number, wording=0, source=f"check:{number}", **fix))
    assert len(store.paths) == 1


def test_later_evidence_refreshes_the_file_and_ties_go_to_it() -> None:
    store = stood()
    (path,) = store.paths
    before = store.now.standing[path].decode()
    edited = before.replace("Evidence:", "We lost a night to this.\n\nEvidence:")
    store.now = replace(store.now, standing={path: edited.encode()})
    assert store.write(said(9, 10)).counts == {"refreshed": 1}
    after = store.now.standing[path].decode()
    assert "We lost a night to this.\n" in after
    assert after.endswith("- #9 at aaaaaaaaaaaa, 2026-09-11, changes_requested\n")
    assert store.texts == []


def test_what_stands_does_not_expire() -> None:
    store = stood()
    late = datetime(2027, 3, 1, tzinfo=UTC)
    edit = write(store.now, [said(9, 0, at=late)], Settings(), late.date())
    assert edit.counts == {"refreshed": 1}


def test_a_hand_edited_sentence_is_what_later_findings_are_compared_with() -> None:
    store = stood()
    (path,) = store.paths
    mine = "Never block the event loop of the mail worker with a synchronous network call."
    text = store.now.standing[path].decode().replace(SAID[1], mine)
    store.now = replace(store.now, standing={path: text.encode()})
    other = said(20, 10, lesson=Lesson(mine.replace("Never", "Never ever")))
    assert store.write(other).counts == {"refreshed": 1}
    assert store.write(said(21, 11)).counts == {"appended": 1}


def test_the_id_and_a_persons_words_outlive_every_later_write() -> None:
    store = stood()
    (path,) = store.paths
    words = "We lost a night to this.\n\nEvidence:"
    mine = SAID[1].replace("database session", "database session and its cursor")
    text = store.now.standing[path].decode().replace("Evidence:", words).replace(SAID[1], mine)
    store.now = replace(store.now, standing={path: text.encode()})
    writes: tuple[Callable[[], Edit], ...] = (
        lambda: store.write(said(9, 10)),
        lambda: store.write(said(10, 11), outcomes=[outcome(store, 10, 12)]),
        lambda: store.write(outcomes=[outcome(store, 40, 13)]),
        lambda: store.write(said(11, 14, lesson=Lesson("Escape user names in every mail first."))),
        lambda: store.write(orders=[Undo(START + timedelta(days=15), pr=2)]),
        lambda: store.write(said(12, 16), housekeeping=True),
    )
    for each in writes:
        each()
        assert store.paths == [path]
        file = parse(path, store.now.standing[path])
        assert file is not None
        assert (file.id, file.sentence) == (path.rsplit("/", 1)[-1][:8], mine)
        assert words in file.text


def test_only_the_newest_5000_signals_make_a_lesson_stand() -> None:
    store = Store()
    store.write(said(1, 0), said(2, 1))
    others = (
        SignalRow(
            at=START + timedelta(days=2, seconds=n), source=f"review:{n}@b", pr=n, head="",
            channel="changes_requested", state="", by=7, strength=0.7, sentence="Be brief.",
            bullet="00000000", did="refreshed",
        )
        for n in range(4_999)
    )  # fmt: skip
    crowded = {**store.now.events, **event_files.add(store.now.events, others)}
    edit = write(replace(store.now, events=crowded), [said(3, 3)], Settings(), TODAY)
    assert edit.counts == {"refreshed": 1}  # the first of its three signals is too old
    assert write(store.now, [said(3, 3)], Settings(), TODAY).counts["promoted"] == 1


# --- adherence ---------------------------------------------------------------------------------


def outcome(
    store: Store, pr: int, day: float, *, merged: bool = True, paths: Sequence[str] = ("src/db.py",)
) -> Outcome:
    ids = frozenset(p.rsplit("/", 1)[-1][:8] for p in store.paths)
    return Outcome(pr, START + timedelta(days=day), merged, True, ids, frozenset(paths))


def verdicts(store: Store) -> list[tuple[int, str]]:
    found = History.read(store.now.events).adherence
    return sorted((row.pr, row.verdict) for each in found.values() for row in each)


def test_a_finding_that_matches_a_lesson_shown_violates_it_once() -> None:
    store = stood()
    for _ in range(2):
        store.write(said(30, 20), outcomes=[outcome(store, 30, 21)])
    assert verdicts(store) == [(30, "violated")]


def test_a_commented_finding_violates_only_where_the_pull_request_was_closed_unmerged() -> None:
    store = stood()
    weak = said(30, 20, strong=False, state="commented")
    store.write(weak, outcomes=[outcome(store, 30, 21)])
    assert verdicts(store) == []
    weak = said(31, 22, strong=False, state="commented")
    store.write(weak, outcomes=[outcome(store, 31, 23, merged=False)])
    assert verdicts(store) == [(31, "violated")]


def test_a_merge_without_the_finding_reinforces_what_names_a_path_touched() -> None:
    store = stood()
    store.write(outcomes=[outcome(store, 40, 20), outcome(store, 41, 21, paths=["README.md"])])
    assert verdicts(store) == [(40, "followed")]


def test_what_was_not_shown_is_neither_blamed_nor_praised() -> None:
    store = stood()
    unshown = replace(outcome(store, 30, 21), shown=frozenset())
    store.write(said(30, 20), outcomes=[unshown])
    assert verdicts(store) == []


def test_two_violations_demote_and_the_last_finding_goes_on() -> None:
    store = stood()
    (path,) = store.paths
    root = path.rsplit("/", 1)[-1][:8]
    store.write(said(30, 20), outcomes=[outcome(store, 30, 21)])
    edit = store.write(said(31, 25), outcomes=[outcome(store, 31, 26)])
    assert edit.counts["demoted"] == 1
    assert store.paths == []
    assert store.markers == {f"{REVOKED}/{root}": {"at": "2026-09-26T12:00:00Z", "why": "demoted"}}
    assert store.texts == [SAID[31 % 4]]
    # A signal newer than the marker earns it again, under the old id; old violations are forgiven.
    edit = store.write(said(50, 30))
    assert edit.counts == {"refreshed": 1, "promoted": 1}
    assert [p.rsplit("/", 1)[-1][:8] for p in store.paths] == [root]
    assert store.markers == {}
    edit = store.write(said(51, 35), outcomes=[outcome(store, 51, 36)])
    assert "demoted" not in edit.counts


def test_reinforcements_hold_a_lesson_up() -> None:
    store = stood()
    followed = [outcome(store, pr, 10 + pr / 10) for pr in (60, 61, 62)]
    store.write(outcomes=followed)
    store.write(said(30, 20), outcomes=[outcome(store, 30, 21)])
    edit = store.write(said(31, 25), outcomes=[outcome(store, 31, 26)])
    assert "demoted" not in edit.counts
    edit = store.write(said(32, 27), outcomes=[outcome(store, 32, 28)])  # three of each
    assert edit.counts["demoted"] == 1


# --- taken away --------------------------------------------------------------------------------


def test_a_file_that_a_person_deleted_stays_gone_until_a_newer_signal() -> None:
    store = stood()
    (path,) = store.paths
    root = path.rsplit("/", 1)[-1][:8]
    deleted = START + timedelta(days=8, hours=3)
    store.delete(path, deleted)
    other = said(70, 7, lesson=Lesson("Escape user supplied names before they reach the engine."))
    store.write(other)
    assert store.markers == {f"{REVOKED}/{root}": {"at": rows.stamp(deleted), "why": "revoked"}}
    store.write(said(71, 7.5, wording=2))  # said before it was deleted
    assert store.paths == []
    edit = store.write(said(72, 9))
    assert edit.counts["promoted"] == 1
    assert [p.rsplit("/", 1)[-1][:8] for p in store.paths] == [root]
    assert store.markers == {}


def test_an_unreadable_marker_still_means_demoted() -> None:
    store = stood()
    (path,) = store.paths
    store.delete(path, START + timedelta(days=8))
    store.write(said(70, 7, lesson=Lesson("Escape user supplied names in the mail engine first.")))
    ((marker, _),) = store.now.markers.items()
    store.now = replace(store.now, markers={marker: b"<<<<<<< HEAD\n"})
    assert "promoted" not in store.write(said(72, 20)).counts
    assert store.paths == []


def test_retire_and_undo_reach_standing_lessons() -> None:
    store = stood()
    (path,) = store.paths
    root = path.rsplit("/", 1)[-1][:8]
    edit = store.write(orders=[Retire(root, by=7, at=START + timedelta(days=9))])
    assert edit.readable
    assert store.paths == []
    store = stood()
    for pr in (1, 2, 3):
        edit = store.write(orders=[Undo(START + timedelta(days=9), pr=pr)])
    assert edit.counts == {"undone": 1}
    assert store.paths == []


@pytest.mark.parametrize("again", [1, 2])
def test_a_replay_changes_nothing(again: int) -> None:
    store = stood()
    everything = [said(1, 0), said(2, 1), said(3, 2)]
    for _ in range(again):
        assert store.write(*everything).changes == {}
