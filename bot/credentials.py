"""The App's credentials, encrypted in one file of the data folder, or given by hand.

The file is a Fernet token of JSON. Its key is the operator's (`LESSONKEEPER_KEY`, `…_KEY_FILE`) or
a file `key` beside it, which guards against a copied file, not against a copied folder: who wants
more keeps the key elsewhere. No secret is ever in an error, a log or a `repr`.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bot.environment import Environment
from bot.errors import UserError
from bot.invocation import command

MAKE_A_KEY = "openssl rand -base64 32 | tr '+/' '-_'"


@dataclass(frozen=True, slots=True)
class Credentials:
    """`private_key` is PEM; `webhook_secrets` newest first, two while the secret is being changed.

    Given by hand, an App has no `slug`, `html_url` and client: they are asked from GitHub when
    needed.
    """

    app_id: int
    private_key: str = field(repr=False)
    webhook_secrets: tuple[str, ...] = field(default=(), repr=False)
    slug: str = ""
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    html_url: str = ""


class Vault:
    """The encrypted file. `keys` come before `key_file`; without both, `key` in the same folder.

    Every method raises UserError for what a person has to mend: a missing or wrong key, a damaged
    file, a folder that cannot be written.
    """

    def __init__(
        self, data: Path, *, keys: Sequence[str] = (), key_file: Path | None = None
    ) -> None:
        self.path = data / "credentials.fernet"
        self.key_file = None if keys else key_file or data / "key"
        self._keys = tuple(keys)
        self._own_key = not keys and key_file is None

    @classmethod
    def of(cls, environment: Environment) -> Vault:
        return cls(environment.data, keys=environment.keys, key_file=environment.key_file)

    def exists(self) -> bool:
        return self.path.exists()

    def load(self) -> Credentials:
        return _parsed(self._decrypted(self._stored()), self.path)

    def prepare(self) -> None:
        """Makes the folder and the key, so that `save` can fail for a full disk at most."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _cannot(error, "make", self.path.parent) from None
        if self._own_key and self.key_file and not self.key_file.exists():
            _write_new(self.key_file, Fernet.generate_key() + b"\n")
        self._fernet()
        if not os.access(self.path.parent, os.W_OK | os.X_OK):
            raise _cannot(PermissionError(), "write in", self.path.parent)

    def save(self, credentials: Credentials) -> None:
        """Puts the file there whole or not at all, mode 0600, in place of a former one."""
        self.prepare()
        text = json.dumps(asdict(credentials), sort_keys=True)
        _replace(self.path, self._fernet().encrypt(text.encode()))

    def rotate(self) -> bool:
        """Encrypts the file anew under the newest key. False where it is already."""
        stored = self._stored()
        self._decrypted(stored)
        try:
            Fernet(self._all_keys()[0]).decrypt(stored)
        except InvalidToken:
            _replace(self.path, self._fernet().rotate(stored))
            return True
        return False

    def derived(self, purpose: str) -> tuple[bytes, ...]:
        """A key of its own for another purpose from each key, newest first (HKDF, RFC 5869)."""
        self._fernet()
        return tuple(
            HKDF(SHA256(), 32, None, f"lessonkeeper {purpose}".encode()).derive(key.encode())
            for key in self._all_keys()
        )

    def _stored(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            raise UserError(
                "No App is registered yet.", remedy=f"Run `{command('setup')}`."
            ) from None
        except OSError as error:
            raise _cannot(error, "read", self.path) from None

    def _decrypted(self, stored: bytes) -> bytes:
        try:
            return self._fernet().decrypt(stored)
        except InvalidToken:
            raise UserError(
                f"The credentials cannot be opened with {self._whence()}.",
                file=str(self.path),
                remedy="Give the key that they were written with, or move the file away and run"
                f" `{command('setup')}` for a new App.",
            ) from None

    def _fernet(self) -> MultiFernet:
        try:
            return MultiFernet([Fernet(key) for key in self._all_keys()])
        except ValueError:
            raise UserError(
                f"{self._whence()} holds no Fernet key: 32 random bytes in URL-safe base64.",
                remedy=f"Make one with: {MAKE_A_KEY}",
            ) from None

    def _all_keys(self) -> tuple[str, ...]:
        if self.key_file is None:
            return self._keys
        try:
            text = self.key_file.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            raise UserError(
                "The key file is not there.",
                file=str(self.key_file),
                remedy="Restore it from a backup; without it stored credentials stay closed."
                if self.exists()
                else f"Make one with: {MAKE_A_KEY} > {self.key_file}",
            ) from None
        except OSError as error:
            raise _cannot(error, "read", self.key_file) from None
        return tuple(re.split(r"[\s,]+", text.strip()))

    def _whence(self) -> str:
        return "LESSONKEEPER_KEY" if self.key_file is None else str(self.key_file)


def known(environment: Environment) -> bool:
    """Whether there is an App: given by hand or stored. Opens nothing."""
    return environment.app_id is not None or Vault.of(environment).exists()


def credentials(environment: Environment) -> Credentials:
    """The App given by hand, otherwise the stored one; given webhook secrets go before stored.

    Raises UserError that says what to do.
    """
    if environment.app_id is not None and environment.private_key_file is not None:
        pem = _text(environment.private_key_file)
        check_private_key(pem, str(environment.private_key_file))
        return Credentials(environment.app_id, pem, environment.webhook_secrets)
    stored = Vault.of(environment).load()
    check_private_key(stored.private_key, str(Vault.of(environment).path))
    if environment.webhook_secrets:
        return replace(stored, webhook_secrets=environment.webhook_secrets)
    return stored


def check_private_key(pem: str, file: str) -> None:
    """Raises UserError unless `pem` is the unencrypted private RSA key of an App."""
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError):  # TypeError: it wants a password
        key = None
    if not isinstance(key, RSAPrivateKey):
        raise UserError(
            "This is not the private key of an App.",
            file=file,
            remedy="Take the .pem file that GitHub gave; the App's page makes a new one.",
        )


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise _cannot(error, "read", file) from None


def _parsed(data: bytes, path: Path) -> Credentials:
    try:
        found = json.loads(data)
        return Credentials(
            app_id=int(found["app_id"]),
            webhook_secrets=tuple(map(str, found["webhook_secrets"])),
            **{
                name: str(found[name])
                for name in ("private_key", "slug", "client_id", "client_secret", "html_url")
            },
        )
    except (ValueError, KeyError, TypeError):
        raise UserError(
            "The credentials are in a form that this version does not know.",
            file=str(path),
            remedy="Run the version that wrote them, or set up the App anew.",
        ) from None


def _write_new(path: Path, data: bytes) -> None:
    """Never over a file that is there: of two processes that begin together one makes it."""
    try:
        temporary = _temporary(path, data)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return
        finally:
            temporary.unlink()
        _sync(path.parent)
    except OSError as error:
        raise _cannot(error, "write", path) from None


def _replace(path: Path, data: bytes) -> None:
    try:
        temporary = _temporary(path, data)
        try:
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync(path.parent)
    except OSError as error:
        raise _cannot(error, "write", path) from None


def _temporary(path: Path, data: bytes) -> Path:
    """A file beside `path` with `data` on disk, mode 0600 from the start."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cannot(error: OSError, what: str, path: Path) -> UserError:
    reason = error.strerror or "permission denied"
    return UserError(
        f"Cannot {what} it: {reason}.",
        file=str(path),
        remedy="The user that runs Lessonkeeper needs that right.",
    )
