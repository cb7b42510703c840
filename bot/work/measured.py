"""Reads one repository as reports see it, at one commit. Counts nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.git.clone import Clone, Kind
from bot.git.store import PITFALLS, RULES, read_store
from bot.git.versions import versions
from bot.lessons.history import History
from bot.lessons.pitfalls import lines_in
from bot.reports.facts import StoreFacts
from bot.settings import Settings
from bot.work.notes_check import problems_at
from bot.work.pitfalls import files_of

# What agents load by themselves, whether or not `include` names it.
AGENT_FILES = ("AGENTS.md", "CLAUDE.md")


def facts_of(
    clone: Clone,
    commit: str | None,
    name: str,
    repository: int = 0,
    owner_defaults: Mapping[str, object] | None = None,
) -> StoreFacts:
    """The facts at `commit`; `repository` is its numeric id, 0 where that is not known."""
    files = files_of(clone, commit, owner_defaults)
    store = read_store(clone, commit, repository)
    return StoreFacts(
        name=name,
        commit=commit,
        settings=files.settings,
        lessons=files.lessons or b"",
        history=History.read(files.events, repository),
        standing=files.standing,
        rules={} if files.rules is None else {RULES: files.rules},
        carried=carried(clone, commit, files.settings) if commit else {},
        tree=store.snapshot.tree,
        distrust=store.distrust,
        committed=_committed(clone, commit) if commit else {},
        notes=problems_at(clone, commit) if commit else (),
    )


def carried(clone: Clone, commit: str, settings: Settings) -> dict[str, bytes]:
    """The files that agents load by themselves, by path."""
    paths = dict.fromkeys((*AGENT_FILES, *settings.include, RULES, PITFALLS))
    found = clone.read_many(commit, paths)
    return {path: file.data for path, file in found.items() if file.kind is Kind.REGULAR}


def _committed(clone: Clone, commit: str) -> dict[str, datetime]:
    """Since when each id stood in the block of the default branch."""
    found: dict[str, datetime] = {}
    for at, data in versions(clone, commit, PITFALLS):
        for identity, _ in lines_in(data):
            if identity is not None:
                found.setdefault(identity, at)
    return found
