"""Notes are looked up and never carried."""

from __future__ import annotations

from tests.commands.conftest import Desk
from tests.commands.test_command_line import review

NOTES = {
    ".agent-corp/notes/port.md": b"---\nkind: reference\n---\n\n# Zanzibar\n\n- Zanzibar.\n",
    ".agent-corp/notes/slow.md": b'---\nkind: context\njob: "#1"\n---\n\n# Zanzibar\n',
    ".agent-corp/notes/lost.md": b"---\nkind: lesson\nsubject: src/\n---\n\n# Zanzibar\n",
}


def test_no_block_lists_a_note(desk: Desk) -> None:
    desk.commit(dict(NOTES))
    desk.learn(review())
    blocks = [
        desk.file(".agent-corp/known-pitfalls.md").decode(),
        desk.run("block", "--repo", str(desk.tree)).out,
        desk.run("block", "--repo", str(desk.tree), "--format", "json").out,
    ]
    assert all("`finally`" in block for block in blocks)
    assert not any("Zanzibar" in block or "/notes/" in block for block in blocks)
