"""Deliveries taken from GitHub's own list: those that never arrived, or all where nothing can.

They go the way of those that were posted. Fetched with the App's JWT they need no signature; the
inbox knows their GUIDs, so that the list and the web server never do one thing twice.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, Column, Engine, String, Table, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.database import Moment, metadata, reading
from bot.delivery import Delivery
from bot.errors import Fault
from bot.forge.deliveries import LISTED_FOR, Deliveries, Sent
from bot.forge.errors import Gone
from bot.inbox import Inbox
from bot.metrics import Metrics
from bot.writer import Writer
from webhooks.github import EVENTS
from webhooks.reception import Receiver, take

log = logging.getLogger(__name__)

OVERLAP = timedelta(minutes=10)  # a delivery may enter the list late, and clocks differ

table = Table(
    "readings",
    metadata,
    Column("app", BigInteger, primary_key=True, autoincrement=False),
    Column("read_to", Moment, nullable=False),  # everything older is dealt with
    Column("begun_at", Moment),  # of the reading under way; NULL: none is
    Column("cursor", String(200)),  # its next page
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How far the list is read."""

    read_to: datetime
    begun_at: datetime | None = None
    cursor: str | None = None


class Readings:
    """Remembers how far one App's list is read, over restarts."""

    def __init__(self, engine: Engine, writer: Writer, app_id: int) -> None:
        self._engine = engine
        self._writer = writer
        self._app_id = app_id
        self._insert = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert

    def load(self) -> Reading | None:
        row = select(table.c.read_to, table.c.begun_at, table.c.cursor)
        with reading(self._engine) as connection:
            found = connection.execute(row.where(table.c.app == self._app_id)).first()
        return None if found is None else Reading(*found)

    def save(self, place: Reading) -> None:
        values = {
            "read_to": place.read_to,
            "begun_at": place.begun_at,
            "cursor": place.cursor,
        }
        new = self._insert(table).values(app=self._app_id, **values)
        newer = new.on_conflict_do_update(index_elements=[table.c.app], set_=values)
        self._writer.do(lambda connection: connection.execute(newer).rowcount)


@dataclass(frozen=True, slots=True)
class Step:
    """One page: how many deliveries of it were new, and whether an older page has to be read."""

    taken: int
    more: bool


@dataclass(slots=True)
class Recovery:
    """`everything`: also what GitHub counts as delivered, because nothing is delivered here."""

    deliveries: Deliveries
    readings: Readings
    inbox: Inbox
    receiver: Receiver
    metrics: Metrics
    now: Callable[[], datetime]
    everything: bool = False
    _known: dict[str, datetime] = field(default_factory=dict)

    def step(self) -> Step:
        """Reads one page, from the newest delivery back to where the last reading began.

        Raises the errors of the forge room; what was taken until then is kept.
        """
        now = self.now()
        place = self.readings.load() or Reading(read_to=datetime.fromtimestamp(0, UTC))
        begun_at = place.begun_at or now
        try:
            page = self.deliveries.page(place.cursor)
        except Fault as fault:
            if not fault.retry and place.cursor:
                self.readings.save(Reading(place.read_to))  # GitHub no longer knows that page
            raise
        earliest = max(now - LISTED_FOR, place.read_to - OVERLAP)
        recent = [each for each in page.sent if each.at >= earliest]
        taken = self._take(recent)
        more = page.older is not None and len(recent) == len(page.sent)
        self.readings.save(
            Reading(place.read_to, begun_at, page.older) if more else Reading(begun_at)
        )
        if not more:
            self._known = {guid: at for guid, at in self._known.items() if at >= earliest}
        return Step(taken, more)

    def _take(self, sent: Sequence[Sent]) -> int:
        wanted = {
            each.guid: each
            for each in sent
            if each.event in EVENTS
            and (self.everything or not each.arrived)
            and each.guid not in self._known
        }
        missing = self.inbox.unknown(wanted)
        for each in reversed(wanted.values()):  # oldest first
            if each.guid in missing:
                self._take_one(each)
            self._known[each.guid] = each.at
        return len(missing)

    def _take_one(self, sent: Sent) -> None:
        try:
            payload = self.deliveries.payload(sent)
        except Gone:
            log.warning("delivery %s is listed no longer", sent.guid)
            return
        now = self.now()
        delivery = Delivery(sent.guid, sent.event, json.dumps(payload).encode(), now, ready_at=now)
        outcome, _ = take(self.receiver, delivery, payload)
        self.metrics.deliveries.labels(sent.event, outcome).inc()
        log.info("delivery %s (%s) is taken from the list: %s", sent.guid, sent.event, outcome)
