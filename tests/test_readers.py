"""Tokens of readers: who holds one reads one repository, until it ends or is revoked."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

import app
from bot.actions import ISSUER, issuer_of
from bot.credentials import Vault
from bot.demo.stage import Clock
from bot.errors import UserError
from bot.readers import READER_TOKENS, Reader, Tokens
from bot.sandbox.forge import SandboxForge
from bot.sandbox.server import SandboxServer
from tests.stores import NOW, Stores, stores

KEY, OLDER = b"the present key", b"the key before"


@dataclass
class Desk:
    """Where the operator makes tokens, with a clock to move."""

    opened: Stores
    now: datetime = NOW
    tokens: Tokens = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = self.under(KEY)

    def under(self, *keys: bytes) -> Tokens:
        return Tokens(self.opened.engine, self.opened.writer, keys, lambda: self.now)


@pytest.fixture
def desk(database_url: str) -> Iterator[Desk]:
    with stores(database_url) as opened:
        yield Desk(opened)


def test_a_token_tells_who_reads_and_what(desk: Desk) -> None:
    token, made = desk.tokens.issue(11, "acme/shop", "claude", days=30)
    assert token.startswith("lkr_")
    assert desk.tokens.reader(token) == Reader("claude", 11)
    assert made.expires_at == NOW + timedelta(days=30)
    assert desk.tokens.issued() == (made,)


def test_a_token_ends_to_the_second(desk: Desk) -> None:
    token, _ = desk.tokens.issue(11, "acme/shop", "claude", days=30)
    desk.now = NOW + timedelta(days=30, seconds=-1)
    assert desk.tokens.reader(token) is not None
    desk.now = NOW + timedelta(days=30)
    assert desk.tokens.reader(token) is None


def test_a_revoked_token_is_over_and_the_others_go_on(desk: Desk) -> None:
    token, made = desk.tokens.issue(11, "acme/shop", "claude")
    other, _ = desk.tokens.issue(11, "acme/shop", "claude")
    assert desk.tokens.revoke(made.id)
    assert desk.tokens.reader(token) is None
    assert desk.tokens.reader(other) is not None
    assert not desk.tokens.revoke(made.id)
    assert not desk.tokens.revoke("nothing")


def test_a_token_is_good_under_every_key_that_is_still_given(desk: Desk) -> None:
    token, _ = desk.under(OLDER).issue(11, "acme/shop", "claude")
    assert desk.tokens.reader(token) is None
    assert desk.under(KEY, OLDER).reader(token) == Reader("claude", 11)
    rotated, _ = desk.under(KEY, OLDER).issue(11, "acme/shop", "claude")
    assert desk.tokens.reader(rotated) is not None
    assert desk.under().reader(token) is None


def test_no_changed_token_is_good(desk: Desk) -> None:
    token, _ = desk.tokens.issue(11, "acme/shop", "claude")
    for at in range(len(token)):
        changed = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
        # The last character of base64 carries bits that nobody reads.
        assert desk.tokens.reader(changed) is None or at == len(token) - 1
    for other in ("", "lkr_", token[:-1], token + "A", token.upper(), "lkr_" + "A" * 5000):
        assert desk.tokens.reader(other) is None


def test_a_signature_over_what_is_not_listed_is_worth_nothing(desk: Desk, tmp_path: Path) -> None:
    """A lost database ends every token: none can be revoked that nobody knows of."""
    with stores(f"sqlite:///{tmp_path / 'other.sqlite'}") as opened:
        token, _ = Desk(opened).tokens.issue(11, "acme/shop", "claude")
    assert desk.tokens.reader(token) is None


@pytest.mark.parametrize("name", ["", "-x", "a b", "a\nb", "x" * 65, "<!-- -->", "é"])
def test_a_readers_name_can_stand_in_a_commit(desk: Desk, name: str) -> None:
    with pytest.raises(UserError, match="no name"):
        desk.tokens.issue(11, "acme/shop", name)


@pytest.mark.parametrize("days", [0, -1, 367])
def test_no_token_lives_for_ever(desk: Desk, days: int) -> None:
    with pytest.raises(UserError, match="1 to 366 days"):
        desk.tokens.issue(11, "acme/shop", "claude", days)


def test_ended_tokens_are_forgotten_in_the_end(desk: Desk) -> None:
    desk.tokens.issue(11, "acme/shop", "claude", days=1)
    desk.tokens.prune(NOW + timedelta(days=90))
    assert len(desk.tokens.issued()) == 1
    desk.tokens.prune(NOW + timedelta(days=91))
    assert desk.tokens.issued() == ()


def test_the_keys_of_tokens_come_from_the_operators_and_are_not_those(tmp_path: Path) -> None:
    keys = [Fernet.generate_key().decode() for _ in range(2)]
    derived = Vault(tmp_path, keys=keys).derived(READER_TOKENS)
    assert len(set(derived)) == 2
    assert derived == Vault(tmp_path, keys=keys).derived(READER_TOKENS)
    assert derived[1:] == Vault(tmp_path, keys=keys[1:]).derived(READER_TOKENS)
    assert not set(derived) & {key.encode() for key in keys}
    assert derived != Vault(tmp_path, keys=keys).derived("another purpose")


@pytest.mark.parametrize(
    ("web", "issuer"),
    [
        ("https://github.com", ISSUER),
        ("https://shop.ghe.com", "https://token.actions.shop.ghe.com"),
        ("https://github.shop.example", "https://github.shop.example/_services/token"),
    ],
)
def test_each_kind_of_github_signs_for_its_own_runs(web: str, issuer: str) -> None:
    assert issuer_of(web) == issuer


# --- the command -------------------------------------------------------------------------------


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxForge]:
    """An operator whose App is installed in `acme/shop`."""
    forge = SandboxForge(tmp_path / "github", Clock())
    forge.create_repository("acme/shop", {"README.md": "# Shop\n"})
    key = tmp_path / "app.pem"
    key.write_text(forge.private_key)
    with SandboxServer(forge) as github:
        for name in [each for each in os.environ if each.startswith("LESSONKEEPER_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("LESSONKEEPER_DATA", str(tmp_path / "data"))
        monkeypatch.setenv("LESSONKEEPER_APP_ID", str(forge.app_id))
        monkeypatch.setenv("LESSONKEEPER_PRIVATE_KEY_FILE", str(key))
        monkeypatch.setenv("LESSONKEEPER_GITHUB_URL", github.url)
        yield forge
        github.assert_no_surprises()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = app.main(["token", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_operator_makes_lists_and_revokes(
    operator: SandboxForge, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, token, said = run(capsys, "--repo", "Acme/Shop", "--reader", "claude", "--days", "7")
    assert status == 0
    assert token.startswith("lkr_")
    assert token.count("\n") == 1
    assert "reads acme/shop until" in said
    assert token.strip() not in said
    (repository,) = operator.repositories.values()
    keys = Vault(tmp_path / "data").derived(READER_TOKENS)
    with stores(f"sqlite:///{tmp_path / 'data' / 'lessonkeeper.sqlite'}") as opened:
        tokens = Tokens(opened.engine, opened.writer, keys, lambda: datetime.now(UTC))
        assert tokens.reader(token.strip()) == Reader("claude", repository.id)

    _, listed, _ = run(capsys, "--list")
    (line,) = listed.splitlines()
    assert "acme/shop  claude  ends" in line
    assert token.strip() not in listed

    identity = line.split()[0]
    assert run(capsys, "--revoke", identity)[0] == 0
    assert "revoked" in run(capsys, "--list")[1]
    status, _, said = run(capsys, "--revoke", identity)
    assert (status, "No good token" in said) == (1, True)


def test_a_token_of_before_reads_on_and_saves_nothing(
    operator: SandboxForge, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, token, _ = run(capsys, "--repo", "acme/shop", "--reader", "claude")
    with sqlite3.connect(tmp_path / "data" / "lessonkeeper.sqlite") as c:  # as a version before
        c.execute("ALTER TABLE reader_tokens DROP COLUMN captures")
        for ledger in ("inbox", "writes"):
            for column in ("executor", "deaths"):
                c.execute(f"ALTER TABLE {ledger} DROP COLUMN {column}")
        c.execute("UPDATE schema_version SET version = 0")
    _, newer, said = run(capsys, "--repo", "acme/shop", "--reader", "writer", "--captures")
    assert "reads and captures in acme/shop until" in said
    assert [line.endswith("  captures") for line in run(capsys, "--list")[1].splitlines()] == [
        False,
        True,
    ]
    keys = Vault(tmp_path / "data").derived(READER_TOKENS)
    with stores(f"sqlite:///{tmp_path / 'data' / 'lessonkeeper.sqlite'}") as opened:
        tokens = Tokens(opened.engine, opened.writer, keys, lambda: datetime.now(UTC))
        readers = [tokens.reader(each.strip()) for each in (token, newer)]
    assert [reader and reader.captures for reader in readers] == [False, True]


def test_a_token_needs_a_reader_and_a_repository_of_the_app(
    operator: SandboxForge, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "--repo", "acme/shop")[0] == 2
    assert run(capsys, "--repo", "acme/never", "--reader", "claude")[0] == 1
    assert run(capsys, "--list")[1] == ""
