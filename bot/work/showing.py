"""Serves the block to readers of one repository, and keeps what was shown for a pull request.

Who proves nothing, who asks for another repository and who asks for one that is not there get the
same answer, on the same way to it.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection, func, select

from bot.errors import UserError
from bot.lessons.history import History
from bot.lessons.rows import ShownRow
from bot.readers import Asked, Proof, Reader
from bot.work.codec import Wanted, wanted_from_text
from bot.work.freshness import Freshness, Seen
from bot.work.memory import Known, Memory, wants
from bot.work.pitfalls import block
from bot.work.shown import SERVED
from bot.writer import Writer

log = logging.getLogger(__name__)

BATCH = timedelta(days=1)  # what was shown waits that long for a commit to travel with
MOST_BULLETS = 200  # of one row, which has to stay below 4 KB
MOST_WAITING = 200  # rows of one repository: a reader may name any pull request
NOBODY = 0  # no repository of GitHub has this id


@dataclass(frozen=True, slots=True)
class Admitted:
    """A reader, the repository it may read, and the files there now."""

    reader: Reader
    known: Known
    seen: Seen
    notice: str


@dataclass(frozen=True, slots=True)
class Access:
    """`proofs` are the ways to show who reads."""

    memory: Memory
    freshness: Freshness
    proofs: Sequence[Proof]

    def admit(self, token: str, full_name: str | None) -> Admitted | None:
        """Whoever holds `token`, where it may read "owner/name"; None for every other case.

        Without a name it is that of the token.

        Nothing is asked of GitHub before that is decided. Raises Fault where it cannot be told.
        """
        reader = next(filter(None, (proof.reader(token) for proof in self.proofs)), None)
        known = self.memory.known(reader.repository if reader else NOBODY)
        if reader is None or known is None:
            return None
        names = {known.full_name.casefold(), (reader.full_name or "").casefold()}
        if full_name is not None and full_name.casefold() not in names:
            return None
        try:
            return Admitted(reader, known, *self.freshness.seen(known))
        except UserError as error:
            log.info("repository %d: nothing is served: %s", known.id, error)
            return None


@dataclass(frozen=True, slots=True)
class Showing:
    """Wired once; called by many threads."""

    access: Access
    record: ShownRecord
    now: Callable[[], datetime]

    def block(
        self, token: str, full_name: str, asked: Asked, pull: int | None, *, as_json: bool
    ) -> str | None:
        """The block as JSON or Markdown; None for whom there is none. Raises Fault.

        `pull` is the pull request that the reader says it reads for; what its proof says counts
        more.
        """
        admitted = self.access.admit(token, full_name)
        if admitted is None:
            return None
        seen, notices = admitted.seen, filter(None, [admitted.notice])
        found = block(seen.files, self.now().date(), asked, *notices)
        number = admitted.reader.pull or pull
        if number is not None and seen.acts:
            ids = [item.id for item in found.items if item.id is not None]
            self.record.keep(admitted, number, ids, self.now())
        if as_json:
            return json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n"
        return found.to_markdown()


class ShownRecord:
    """What waits to be written down as shown, one row per pull request and reader."""

    def __init__(self, memory: Memory, writer: Writer) -> None:
        self._memory = memory
        self._writer = writer

    def keep(self, admitted: Admitted, pull: int, ids: Sequence[str], now: datetime) -> None:
        """Notes what this reader was shown, unless that was noted or written before."""
        reader, repository = admitted.reader.name, admitted.known.id
        written = History.read(admitted.seen.files.events).shown.get((pull, reader), frozenset())
        new = [each for each in ids if each not in written]
        if new:
            row = ShownRow(now.replace(microsecond=0), pull, reader, tuple(new))
            self._writer.do(lambda c: self._put(c, repository, row, now))

    def _put(self, c: Connection, repository: int, row: ShownRow, now: datetime) -> None:
        subject = _subject(row)
        where = wants.c.repository == repository, wants.c.subject == subject
        text = c.execute(select(wants.c.wanted).where(*where)).scalar()
        if text is None and self._waiting(c, repository) >= MOST_WAITING:
            log.warning("repository %d: what was shown for #%d is not kept", repository, row.pr)
            return
        before = wanted_from_text(text).shown[0].bullets if text is not None else ()
        all_ = tuple(dict.fromkeys([*before, *row.bullets]))[:MOST_BULLETS]
        if all_ != before:
            wanted = Wanted(shown=(replace(row, bullets=all_),))
            self._memory.put(c, repository, subject, wanted, now, now + BATCH)

    def _waiting(self, c: Connection, repository: int) -> int:
        mine = wants.c.repository == repository, wants.c.subject.startswith(SERVED)
        return c.execute(select(func.count()).select_from(wants).where(*mine)).scalar_one()


def _subject(row: ShownRow) -> str:
    return f"{SERVED}{row.pr}:{hashlib.sha256(row.reader.encode()).hexdigest()[:12]}"
