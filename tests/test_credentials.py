from __future__ import annotations

import os
import stat
import threading
import traceback
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from bot.credentials import Credentials, Vault, check_private_key, credentials, known
from bot.environment import read
from bot.errors import UserError
from tests.fakes.github_web import private_key

NEW, OLD, OTHER = (Fernet.generate_key().decode() for _ in range(3))
SECRETS = ("hook-secret", "former-secret", "client-secret", "BEGIN RSA PRIVATE KEY", NEW, OLD)


@pytest.fixture(scope="module")
def app() -> Credentials:
    return Credentials(
        app_id=4242,
        private_key=private_key(),
        webhook_secrets=("hook-secret", "former-secret"),
        slug="lessonkeeper",
        client_id="Iv23li",
        client_secret="client-secret",
        html_url="https://github.com/apps/lessonkeeper",
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def silent(error: BaseException) -> bool:
    """Nothing secret in what a log would hold of it, causes included."""
    text = "".join(traceback.format_exception(error))
    return not any(secret in text for secret in SECRETS)


def test_what_is_saved_is_loaded_by_another_process(data: Path, app: Credentials) -> None:
    Vault(data).save(app)
    assert Vault(data).load() == app


def test_nothing_secret_is_on_disk_or_shown(data: Path, app: Credentials) -> None:
    vault = Vault(data, keys=[NEW])
    vault.save(app)
    assert [path.name for path in data.iterdir()] == ["credentials.fernet"]
    stored = vault.path.read_text()
    for secret in SECRETS:
        assert secret not in stored
        assert secret not in repr(app)


def test_files_are_for_their_owner_alone(data: Path, app: Credentials) -> None:
    before = os.umask(0)
    try:
        Vault(data).save(app)
    finally:
        os.umask(before)
    assert mode(data) == 0o700
    assert {path.name: mode(path) for path in data.iterdir()} == {
        "credentials.fernet": 0o600,
        "key": 0o600,
    }


def test_a_failed_save_leaves_the_former_file(
    data: Path, app: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Vault(data)
    vault.save(app)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="No space left on device") as caught:
        vault.save(Credentials(1, "other"))
    assert silent(caught.value)
    assert vault.load() == app
    assert sorted(path.name for path in data.iterdir()) == ["credentials.fernet", "key"]


def test_two_that_start_together_make_one_key(data: Path, app: Credentials) -> None:
    begin = threading.Barrier(8)

    def prepare() -> None:
        begin.wait()
        Vault(data).prepare()

    threads = [threading.Thread(target=prepare) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.name for path in data.iterdir()] == ["key"]
    Vault(data).save(app)
    assert Vault(data).load() == app


def test_the_wrong_key_opens_nothing_and_says_what_to_do(data: Path, app: Credentials) -> None:
    Vault(data, keys=[OLD]).save(app)
    with pytest.raises(UserError) as caught:
        Vault(data, keys=[NEW, OTHER]).load()
    assert caught.value.message == "The credentials cannot be opened with LESSONKEEPER_KEY."
    assert "the key that they were written with" in caught.value.remedy
    assert silent(caught.value)


def test_a_lost_key_file_is_not_replaced_by_a_new_one(data: Path, app: Credentials) -> None:
    Vault(data).save(app)
    (data / "key").unlink()
    with pytest.raises(UserError, match="Restore it from a backup"):
        Vault(data).load()
    assert not (data / "key").exists()


def test_a_named_key_file_is_never_made(data: Path, tmp_path: Path, app: Credentials) -> None:
    with pytest.raises(UserError, match=r"The key file is not there.*openssl rand"):
        Vault(data, key_file=tmp_path / "missing").save(app)
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize(
    "text", ["", "password", NEW[:-4], f"{NEW},short"], ids=["empty", "word", "cut", "second"]
)
def test_what_is_no_key_is_refused(data: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "key"
    file.write_text(text)
    with pytest.raises(UserError, match="holds no Fernet key") as caught:
        Vault(data, key_file=file).prepare()
    assert silent(caught.value)
    assert text == "" or text not in str(caught.value)


@pytest.mark.parametrize("between", ["\n", ",", ", ", "\r\n"])
def test_a_key_file_holds_several_keys(
    data: Path, tmp_path: Path, app: Credentials, between: str
) -> None:
    Vault(data, keys=[OLD]).save(app)
    file = tmp_path / "keys"
    file.write_text(f"{NEW}{between}{OLD}\n")
    assert Vault(data, key_file=file).load() == app


def test_after_rotation_the_old_key_is_not_needed(data: Path, app: Credentials) -> None:
    Vault(data, keys=[OLD]).save(app)
    both = Vault(data, keys=[NEW, OLD])
    assert both.rotate()
    assert not both.rotate()
    assert Vault(data, keys=[NEW]).load() == app
    with pytest.raises(UserError):
        Vault(data, keys=[OLD]).load()


@pytest.mark.parametrize("stored", [b"", b"\x00\xff", b"not a token"])
def test_a_damaged_file_is_refused(data: Path, app: Credentials, stored: bytes) -> None:
    vault = Vault(data)
    vault.save(app)
    vault.path.write_bytes(stored)
    with pytest.raises(UserError, match="cannot be opened with"):
        vault.load()


@pytest.mark.parametrize("text", [b"[]", b"{}", b"nothing", b'{"app_id": "x"}'])
def test_another_form_is_refused(data: Path, text: bytes) -> None:
    vault = Vault(data, keys=[NEW])
    vault.prepare()
    vault.path.write_bytes(Fernet(NEW).encrypt(text))
    with pytest.raises(UserError, match="a form that this version does not know"):
        vault.load()


def test_without_an_app_it_says_how_to_get_one(data: Path) -> None:
    environment = read({"LESSONKEEPER_DATA": str(data)})
    assert not known(environment)
    with pytest.raises(UserError, match=r"No App is registered yet\. Run `\S*python app.py setup`"):
        credentials(environment)


def test_an_app_by_hand_goes_before_the_stored_one(
    data: Path, tmp_path: Path, app: Credentials
) -> None:
    Vault(data).save(app)
    pem = tmp_path / "app.pem"
    pem.write_text(app.private_key)
    environment = read(
        {
            "LESSONKEEPER_DATA": str(data),
            "LESSONKEEPER_APP_ID": "7",
            "LESSONKEEPER_PRIVATE_KEY_FILE": str(pem),
            "LESSONKEEPER_WEBHOOK_SECRETS": "mine",
        }
    )
    assert known(environment)
    assert credentials(environment) == Credentials(7, app.private_key, ("mine",))


def test_given_webhook_secrets_go_before_the_stored_ones(data: Path, app: Credentials) -> None:
    Vault(data).save(app)
    given = {"LESSONKEEPER_DATA": str(data)}
    assert credentials(read(given)) == app
    rotating = credentials(read(given | {"LESSONKEEPER_WEBHOOK_SECRETS": "next,hook-secret"}))
    assert rotating.webhook_secrets == ("next", "hook-secret")
    assert rotating.private_key == app.private_key


def test_a_private_key_of_either_form_is_taken() -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for form in (PrivateFormat.TraditionalOpenSSL, PrivateFormat.PKCS8):
        check_private_key(key.private_bytes(Encoding.PEM, form, NoEncryption()).decode(), "k.pem")


def test_any_other_file_is_not_the_private_key_of_an_app(tmp_path: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    curve = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    locked = key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"password")
    )
    other = curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = tmp_path / "app.pem"
    given = {"LESSONKEEPER_APP_ID": "7", "LESSONKEEPER_PRIVATE_KEY_FILE": str(file)}
    for content in (b"", b"\xff\xfe", b"-----BEGIN", public, locked, other):
        file.write_bytes(content)
        with pytest.raises(UserError, match="not the private key of an App") as caught:
            credentials(read(given))
        assert caught.value.file == str(file)
        assert ".pem" in caught.value.remedy
    file.unlink()
    with pytest.raises(UserError, match="No such file"):
        credentials(read(given))
