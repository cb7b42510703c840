"""Everything that waits for a write of one repository, as one edit of its store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.git.store import Store
from bot.lessons.rows import DeclinedRow
from bot.lessons.store import Edit, Evidence, write
from bot.settings import Settings
from bot.work.codec import Wanted
from bot.work.memory import Waiting


@dataclass(frozen=True, slots=True)
class Wants:
    """`declined`: what people declined since the last write. `salvaged`: evidence that is known
    from an open proposal alone. `past`: what old reviews teach, which brings no bullet of then."""

    waiting: tuple[Waiting, ...]
    now: datetime
    declined: Sequence[DeclinedRow] = ()
    salvaged: Sequence[Evidence] = ()
    past: Sequence[Wanted] = ()

    def edit(self, store: Store, settings: Settings, *, housekeeping: bool = False) -> Edit:
        wanted = [*(each.wanted for each in self.waiting), *self.past]
        evidence = [e for each in wanted for e in each.evidence]
        known = {each.source for each in evidence}
        evidence += [each for each in self.salvaged if each.source not in known]
        return write(
            store.snapshot,
            evidence,
            settings,
            max([self.now, *(each.at for each in evidence)]).date(),
            present=[p for each in wanted for p in each.present],
            orders=[o for each in wanted for o in each.orders],
            outcomes=[o for each in wanted for o in each.outcomes],
            records=[row for each in wanted for row in each.shown],
            declined=self.declined,
            housekeeping=housekeeping,
            past=bool(self.past),
        )

    def that_change(self, store: Store, settings: Settings) -> tuple[Waiting, ...]:
        """Those of what waits that the store does not hold yet."""
        each_alone = (replace(self, waiting=(each,), salvaged=(), past=()) for each in self.waiting)
        return tuple(w.waiting[0] for w in each_alone if w.edit(store, settings).changes)
