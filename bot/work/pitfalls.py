"""The block of a commit: the files it is made of, and the one way from them to every output.

Reads through git; knows neither who asks nor how it is sent. Every text is redacted once more here.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from bot.distill.neutral import visible
from bot.distill.redact import redact
from bot.errors import UserError
from bot.git.clone import Clone
from bot.git.store import SETTINGS, Store, last_trusted, read_store
from bot.lessons.block import Block, shown
from bot.lessons.pitfalls import block_of
from bot.lessons.store import LESSONS
from bot.readers import Asked
from bot.settings import Settings
from bot.settings.file import read as read_settings


@functools.lru_cache(maxsize=4096)  # of a store's lines, which are read more often than written
def clean(text: str) -> str:
    """A text as it may be shown: on one line, nothing hidden in it, and no secret."""
    return redact(visible(shown(text))).text


@dataclass(frozen=True, slots=True)
class Files:
    """What the block of a commit is made of; `commit` is None for an empty repository.

    `settled`: there are settings, of the repository or its owner, and they can be read. `notices`
    say what the reader gets instead of a file that cannot be used.
    """

    commit: str | None
    lessons: bytes | None
    events: Mapping[str, bytes]
    standing: Mapping[str, bytes]
    rules: bytes | None
    settings: Settings
    settled: bool
    notices: tuple[str, ...] = field(default=())


def files_of(
    clone: Clone, commit: str | None, owner_defaults: Mapping[str, object] | None = None
) -> Files:
    """The files at `commit`; of lessons that cannot be trusted, the last version that could be."""
    store = read_store(clone, commit, 0)
    lessons, notices = store.snapshot.lessons, []
    if store.distrust is not None and commit is not None:
        lessons = last_trusted(clone, commit)
        notices.append(
            f"{LESSONS} {store.distrust}: this is its last version that could be trusted."
        )
    settings, settled = Settings(), False
    try:
        settings, settled = _settings(store, owner_defaults or {})
    except UserError:
        notices.append(f"{SETTINGS} has a mistake, so the defaults hold here.")
    return Files(
        commit,
        lessons,
        store.snapshot.events,
        store.snapshot.standing,
        store.rules,
        settings,
        settled,
        tuple(notices),
    )


def _settings(store: Store, owner_defaults: Mapping[str, object]) -> tuple[Settings, bool]:
    """Those that hold, and whether anybody wrote them. Raises UserError when they are broken."""
    found = read_settings(store.settings or b"", file=SETTINGS, owner_defaults=owner_defaults)
    return found, store.settings is not None or owner_defaults.get("enabled") is True


def block(files: Files, today: date, asked: Asked, *notices: str) -> Block:
    """The block as of `today` (UTC). `notices`: more that the reader has to know."""
    return block_of(
        files.lessons,
        files.events,
        files.rules,
        files.settings,
        today,
        standing=files.standing,
        session=asked.session,
        items=asked.items,
        characters=asked.characters,
        paths=asked.paths,
        notice=" ".join([*files.notices, *notices]) or None,
        clean=clean,
    )
