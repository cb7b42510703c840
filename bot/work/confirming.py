"""Re-dates a note because it was used and found true (SPEC 7): one line of it, in one commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from bot.errors import UserError
from bot.git.clone import Kind
from bot.git.remote import Changed
from bot.git.store import Store, read_store
from bot.lessons.belonging import recorded
from bot.lessons.rows import NoteRow
from bot.lessons.store import Edit
from bot.notes.capture import Capture, State
from bot.notes.note import FOLDER, Note, confirmed, is_note, print_note, read_note
from bot.notes_text import commit_message
from bot.settings import Settings
from bot.work.writing import Branch, Read, apply

CONFIRMED = "confirmed"


def confirm(
    path: str,
    on: Branch,
    tip: Callable[[], str | None],
    now: datetime,
    *,
    repository: int = 0,
    owner_defaults: Mapping[str, object] | None = None,
    signer: str | None = None,
    proposes: bool = False,
    read: Read = read_store,
) -> Capture:
    """The commit that dates it today; one that did so already is as good.

    Raises UserError where there is no such note, and what `bot.work.writing.apply` raises.
    """
    if not is_note(path):
        remedy = f"Name it as search does: {FOLDER}/NAME.md."
        raise UserError("This is no path of a note.", remedy=remedy)
    row = NoteRow(now.replace(microsecond=0), path, CONFIRMED)
    found: dict[str, Note] = {}

    def edit(store: Store, _: Settings) -> Edit:
        file = on.clone.read(store.commit, path) if store.commit else None
        if file is None or file.kind is not Kind.REGULAR:
            raise UserError("There is no such note.", remedy="Look it up again.")
        before = read_note(path, file.data)
        note = found[path] = confirmed(before, now.date())
        if note == before:
            return Edit({}, counts={})
        added = {} if proposes else recorded(store.snapshot, [row])
        changes = {path: print_note(note), **added}
        return Edit(changes, counts={}, rows=(row,), readable=True)

    def say(_: Edit, settings: Settings) -> str:
        return commit_message([row], found, settings.commit, direct=not proposes, signer=signer)

    written = apply(on, edit, say, repository=repository, owner_defaults=owner_defaults, read=read)
    stands = tip()
    file = on.clone.read(stands, path) if stands else None
    if file is None or file.data != print_note(found[path]):
        raise Changed
    before = on.clone.last_committed(stands or "", path)
    commit = written.commit or (before.sha if before else None)
    return Capture(State.CONFIRMED, path, commit, detail=written.detail)
