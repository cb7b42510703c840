"""What the readers of a pull request had before them: the committed block where it began, and what
was served to them. Reads the clone and what waits; decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from bot.channels.recall import Line
from bot.facts import PullRequest
from bot.git.store import PITFALLS, Store, read_store
from bot.lessons.document import Document
from bot.lessons.history import History
from bot.lessons.pitfalls import lines_in
from bot.lessons.standing import parse
from bot.work.feature import Scene
from bot.work.memory import Memory

SERVED = "shown:"  # then the pull request and a digest of the reader: the subject of what waits


def shown_for(scene: Scene, memory: Memory, pull: PullRequest) -> tuple[Line, ...]:
    """Each line once; those of the committed block first."""
    base = scene.place.forge.merge_base(pull)
    with scene.place.branch() as branch:
        store = read_store(branch.clone, branch.head(), scene.known.id)
        there = branch.clone.has(base)  # not where another branch is its base
        committed = lines_in(branch.clone.read(base, PITFALLS).data) if there else ()
    history = History.read(store.snapshot.events, scene.known.id)
    lines = [Line(text, identity) for identity, text in committed]
    served = _served(history, memory, scene.known.id, pull.number)
    texts = _texts(store) if served else {}
    lines += [
        Line(texts[each], each)
        for each in sorted(served - {line.id for line in lines})
        if each in texts
    ]
    return tuple(_dated(line, history) for line in lines)


def _served(history: History, memory: Memory, repository: int, number: int) -> frozenset[str]:
    """The ids in rows that are written, and in those that wait to be."""
    written = [ids for (pr, _), ids in history.shown.items() if pr == number]
    waiting = memory.waiting(repository, f"{SERVED}{number}:")
    rows = [row.bullets for each in waiting for row in each.wanted.shown]
    return frozenset().union(*written, *rows)


def _texts(store: Store) -> Mapping[str, str]:
    """The wording of each lesson by its id, as it stands now."""
    snapshot = store.snapshot
    files = (parse(path, data) for path, data in snapshot.standing.items())
    bullets = Document.parse(snapshot.lessons or b"", date.max).bullets
    return {each.id: each.text for each in bullets if each.id} | {
        each.id: each.sentence for each in files if each is not None
    }


def _dated(line: Line, history: History) -> Line:
    signals = history.by_bullet.get(line.id or "", ())
    return replace(line, since=signals[0].row.at) if signals else line
