"""`block`: what agents receive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from bot.git.clone import Clone
from bot.lessons.block import Block
from bot.readers import Asked
from bot.work import pitfalls


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
