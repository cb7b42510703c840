"""Single files are read at a commit, from forks too, and from public places the App is not in."""

from __future__ import annotations

from bot.forge.app import App
from bot.forge.protocol import Forge
from bot.sandbox.forge import SandboxForge
from bot.sandbox.repository import SandboxRepository


def test_a_file_is_read_on_the_default_branch_or_at_a_commit(
    shop: SandboxRepository, forge: Forge
) -> None:
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 2\n"}, fork=True)
    assert forge.content("src/a.py") == b"a = 1\n"
    assert forge.content("src/a.py", pull.head_sha) == b"a = 2\n"
    assert forge.content("src/b.py") is None


def test_of_other_places_only_public_ones_are_read(
    sandbox: SandboxForge, shop: SandboxRepository, app: App
) -> None:
    sandbox.create_repository("acme/.github", {"a": "1"}, installed=False)
    assert shop.installation is not None
    with app.forge(shop.installation.id, "acme/.github") as forge:
        assert forge.content("a") == b"1"
