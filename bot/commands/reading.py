"""`block` and `sweep`: what agents receive, and what time and deletions retire."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bot.git.clone import Clone
from bot.git.store import Store
from bot.lessons.block import Block
from bot.lessons.store import Edit, sweep
from bot.readers import Asked
from bot.settings import Settings
from bot.texts import commit_message
from bot.work import pitfalls
from bot.work.writing import Branch, Written, apply


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
    asked = Asked(items, characters, tuple(paths), session)
    return pitfalls.block(pitfalls.files_of(clone, head), today, asked)


def sweep_branch(branch: Branch, today: date) -> Written:
    """Expiry, and bullets whose files moved or went. Raises what `apply` raises."""

    def decide(store: Store, settings: Settings) -> Edit:
        return sweep(store.snapshot, settings, today)

    def say(edit: Edit, settings: Settings) -> str:
        return commit_message(edit, settings.commit, direct=True)

    return apply(branch, decide, say)
