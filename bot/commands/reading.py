"""`block` and `sweep`: what agents receive, and what time and deletions retire."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bot.git.clone import Clone
from bot.git.store import Store, last_trusted, read_store
from bot.lessons.block import Block
from bot.lessons.pitfalls import block_of
from bot.lessons.store import LESSONS, Edit, sweep
from bot.settings import Settings
from bot.texts import commit_message
from bot.work.writing import Branch, Written, apply, settings_of


def block(
    clone: Clone,
    head: str | None,
    today: date,
    *,
    items: int | None = None,
    characters: int | None = None,
    paths: Sequence[str] = (),
    session: bool = False,
) -> Block:
    """The block at `head`; of a file that cannot be trusted, its last trusted version."""
    store = read_store(clone, head, 0)
    settings = settings_of(store) or Settings()
    lessons, notice = store.snapshot.lessons, None
    if store.distrust is not None and head is not None:
        lessons = last_trusted(clone, head)
        notice = f"{LESSONS} {store.distrust}: this is its last version that could be trusted."
    return block_of(
        lessons,
        store.snapshot.events,
        store.rules,
        settings,
        today,
        session=session,
        items=items,
        characters=characters,
        paths=paths,
        standing=store.snapshot.standing,
        notice=notice,
    )


def sweep_branch(branch: Branch, today: date) -> Written:
    """Expiry, and bullets whose files moved or went. Raises what `apply` raises."""

    def decide(store: Store, settings: Settings) -> Edit:
        return sweep(store.snapshot, settings, today)

    def say(edit: Edit, settings: Settings) -> str:
        return commit_message(edit, settings.commit, direct=True)

    return apply(branch, decide, say)
