"""A note ends with what it describes, whatever was heard in which order; nothing else ends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.lessons import event_files
from bot.lessons.rows import NoteRow
from bot.notes.lifespan import Findings, as_flagged, endings, flags
from bot.notes.note import Job, Kind, Note

START = datetime(2026, 11, 2, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
GRACE = 7 * DAY
JOB = Job("", 12)
CONTEXT = Note("slow", Kind.CONTEXT, "Slow", job=JOB)
STORY = Note("lost", Kind.LESSON, "Lost", subject="src/queue/")


class Store:
    """The notes and event rows of a repository, as writes leave them."""

    def __init__(self, *notes: Note) -> None:
        self.notes = {note.path: note for note in notes}
        self.events: dict[str, bytes] = {}

    def write(self, findings: Findings, now: datetime) -> list[str]:
        flagged = flags(event_files.read(self.events))
        found = endings(self.notes.values(), flagged, findings, now, GRACE)
        self.events |= event_files.add(self.events, found)
        for row in found:
            if row.did == "deleted":
                del self.notes[row.path]
        return [row.did for row in found]

    def see(
        self, closed_at: datetime | None, now: datetime, *, sweeping: bool = False
    ) -> list[str]:
        return self.write(Findings({JOB: closed_at}, sweeping=sweeping), now)

    @property
    def flagged(self) -> Mapping[str, NoteRow]:
        return flags(event_files.read(self.events))


def test_the_grace_counts_from_the_close_or_where_that_was_seen_late_from_the_flag() -> None:
    store = Store(CONTEXT)
    assert store.see(START, START + HOUR) == ["flagged"]
    assert store.see(START, START + GRACE - HOUR, sweeping=True) == []
    assert store.see(START, START + GRACE) == []  # a delivery deletes nothing
    assert store.see(START, START + GRACE, sweeping=True) == ["deleted"]
    late = Store(CONTEXT)
    assert late.see(START, START + 30 * DAY, sweeping=True) == ["flagged"]
    assert late.see(START, START + 37 * DAY - HOUR, sweeping=True) == []
    assert late.see(START, START + 37 * DAY, sweeping=True) == ["deleted"]


def test_a_job_that_nobody_asked_about_changes_nothing() -> None:
    store = Store(CONTEXT)
    store.see(START, START)
    assert store.write(Findings(sweeping=True), START + 30 * DAY) == []
    other = Findings({Job("acme/pay", 12): START}, sweeping=True)
    assert store.write(other, START + 30 * DAY) == []


def test_a_note_that_a_person_gave_another_job_is_not_deleted_for_the_old_one() -> None:
    store = Store(CONTEXT)
    store.see(START, START)
    moved = Note("slow", Kind.CONTEXT, "Slow", job=Job("", 13))
    store.notes[moved.path] = moved
    assert as_flagged(store.notes.values(), store.flagged) == Findings(sweeping=True)
    still = Findings({JOB: START, Job("", 13): None}, sweeping=True)
    assert store.write(still, START + 30 * DAY) == []


def test_a_note_of_the_same_name_begins_without_a_flag() -> None:
    store = Store(CONTEXT)
    store.see(START, START)
    store.see(START, START + GRACE, sweeping=True)
    store.notes[CONTEXT.path] = CONTEXT
    assert store.flagged == {}
    assert store.see(START, START + GRACE + DAY, sweeping=True) == ["flagged"]


def test_without_a_forge_the_tree_tells_what_is_over() -> None:
    store = Store(CONTEXT, Note("fresh", Kind.CONTEXT, "Fresh", job=Job("", 14)), STORY)
    store.see(START, START)

    def sweep(now: datetime) -> list[str]:
        return store.write(as_flagged(store.notes.values(), store.flagged), now)

    assert sweep(START + GRACE - HOUR) == []
    assert sweep(START + GRACE) == ["deleted"]
    assert CONTEXT.path not in store.notes
    rescued = Store(CONTEXT)
    rescued.see(START, START)
    rescued.see(None, START + DAY)
    assert as_flagged(rescued.notes.values(), rescued.flagged).closings == {}


def test_no_time_and_no_close_ends_a_story_or_a_page_of_reference() -> None:
    page = Note("port", Kind.REFERENCE, "Port", subject="src/queue/", job=JOB)
    story = Note("lost", Kind.LESSON, "Lost", subject="src/queue/", job=JOB)
    store = Store(page, story)
    gone = Findings({JOB: START}, {"src/queue": START}, {page.path: 9}, sweeping=True)
    assert store.write(gone, START) == ["flagged"]  # the story
    assert store.write(gone, START + 400 * DAY) == []
    assert store.write(Findings(ticked={story.path: 9}), START + 401 * DAY) == ["deleted"]
    assert list(store.notes) == [page.path]


def test_a_tick_deletes_no_note_of_another_kind() -> None:
    store = Store(CONTEXT)
    assert store.write(Findings(ticked={CONTEXT.path: 9}), START) == []


closings = st.lists(st.integers(1, 100), max_size=5, unique=True).map(
    lambda hours: [START + hour * HOUR for hour in sorted(hours)]
)
looks = st.lists(st.tuples(st.integers(0, 150), st.booleans()), max_size=12)


@given(closings, looks, st.booleans())
def test_any_looks_at_any_time_come_to_the_same_as_the_last_ones(
    changes: Sequence[datetime], seen: Sequence[tuple[int, bool]], ends_closed: bool
) -> None:
    """A job that is closed and opened again within the grace, and looked at now and then."""
    if len(changes) % 2 != ends_closed:
        changes = changes[1:]
    store = Store(CONTEXT)
    for hours, sweeping in sorted(seen):
        now = START + hours * HOUR
        before = [at for at in changes if at <= now]
        store.see(before[-1] if len(before) % 2 else None, now, sweeping=sweeping)
    last = changes[-1] if len(changes) % 2 else None
    for day in (20, 28):
        store.see(last, START + day * DAY)
        store.see(last, START + day * DAY, sweeping=True)
    assert list(store.notes) == ([CONTEXT.path] if last is None else [])
    assert bool(store.flagged) is False


@given(st.lists(st.integers(0, 5), max_size=8))
def test_late_deliveries_of_one_close_leave_one_row(repeats: Sequence[int]) -> None:
    store, once = Store(CONTEXT), Store(CONTEXT)
    once.see(START, START)
    store.see(START, START)
    for hours in repeats:
        store.see(START, START + hours * HOUR, sweeping=bool(hours % 2))
    assert store.events == once.events
