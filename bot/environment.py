"""The operator's environment variables, each read once and checked where it is read.

This module knows names and forms; it opens no file and reaches nothing.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from bot.errors import UserError

PREFIX = "LESSONKEEPER_"
FOR_TESTS = "LESSONKEEPER_TEST_"  # read by the tests alone
PUBLIC_API = "https://api.github.com"
PUBLIC_WEB = "https://github.com"
PUBLIC_TELEGRAM = "https://api.telegram.org"


@dataclass(frozen=True, slots=True)
class Variable:
    """`help` says what it is for; `unset` what holds without it."""

    name: str
    help: str
    unset: str
    secret: bool = False


_TABLE = (
    Variable(
        "LESSONKEEPER_DATA",
        "folder of the credentials, the database and the clones",
        "lessonkeeper-data",
    ),
    Variable(
        "LESSONKEEPER_URL",
        "public https address of this server, as GitHub reaches it",
        "no public address: run `serve --poll`",
    ),
    Variable(
        "LESSONKEEPER_DATABASE_URL",
        "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        "lessonkeeper.sqlite in LESSONKEEPER_DATA",
        secret=True,
    ),
    Variable(
        "LESSONKEEPER_WEBHOOK_SECRETS",
        "secrets of the App's webhook, comma-separated, newest first",
        "the one that `setup` stored",
        secret=True,
    ),
    Variable(
        "LESSONKEEPER_KEY",
        "Fernet keys of the stored credentials, comma-separated, newest first",
        "LESSONKEEPER_KEY_FILE",
        secret=True,
    ),
    Variable(
        "LESSONKEEPER_KEY_FILE",
        "file of those keys, one a line, newest first",
        "key in LESSONKEEPER_DATA, made by `setup`",
    ),
    Variable(
        "LESSONKEEPER_APP_ID",
        "id of an App registered by hand; goes with LESSONKEEPER_PRIVATE_KEY_FILE",
        "the App that `setup` registered",
    ),
    Variable(
        "LESSONKEEPER_PRIVATE_KEY_FILE",
        "that App's private key, the .pem file that GitHub gave",
        "the key that `setup` stored",
    ),
    Variable(
        "LESSONKEEPER_TELEGRAM_TOKEN",
        "token of the Telegram bot that offers notes to founders",
        "no Telegram",
        secret=True,
    ),
    Variable(
        "LESSONKEEPER_TELEGRAM_URL",
        "address of the Bot API, where a server of one's own stands in for Telegram's",
        PUBLIC_TELEGRAM,
    ),
    Variable(
        "LESSONKEEPER_METRICS_TOKEN",
        "bearer token that opens /metrics from other machines",
        "/metrics answers this machine alone",
        secret=True,
    ),
    Variable(
        "LESSONKEEPER_DEBOUNCE",
        "how long a review settles before it is read: 0, 5s, 2m",
        "5s",
    ),
    Variable(
        "LESSONKEEPER_EXECUTOR",
        "name of this process in the queue, different on each machine",
        "host name and a number",
    ),
    Variable(
        "LESSONKEEPER_GITHUB_URL",
        "address of GitHub's API; https://HOST/api/v3 on GitHub Enterprise Server",
        PUBLIC_API,
    ),
    Variable(
        "LESSONKEEPER_GITHUB_WEB",
        "address of GitHub's pages",
        "that of the API's host",
    ),
    Variable(
        "ANTHROPIC_API_KEY",
        "key for repositories whose settings say `distiller: claude`",
        "no Claude",
        secret=True,
    ),
)
VARIABLES: Mapping[str, Variable] = {variable.name: variable for variable in _TABLE}


@dataclass(frozen=True, slots=True)
class Environment:
    """What the variables say. `given` are those that are set, with what may be shown of them;
    `unknown` are names that nobody reads.

    `key_file` and `private_key_file` are as given: whether they are there is seen when they are
    opened. `url` and the addresses of GitHub have no slash at the end.
    """

    data: Path
    database_url: str = field(repr=False)
    debounce: timedelta
    github_url: str
    github_web: str
    url: str | None = None
    webhook_secrets: tuple[str, ...] = field(default=(), repr=False)
    keys: tuple[str, ...] = field(default=(), repr=False)
    key_file: Path | None = None
    app_id: int | None = None
    private_key_file: Path | None = None
    telegram_token: str | None = field(default=None, repr=False)
    telegram_url: str = PUBLIC_TELEGRAM
    metrics_token: str | None = field(default=None, repr=False)
    executor: str | None = None
    anthropic_api_key: str | None = field(default=None, repr=False)
    given: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


def read(environ: Mapping[str, str]) -> Environment:
    """The environment of this process, say `os.environ`; an empty variable counts as unset.

    Raises UserError that names the variable; it never repeats the value of a secret.
    """
    set_ = {name: value.strip() for name, value in environ.items() if value.strip()}
    data = Path(set_.get("LESSONKEEPER_DATA", "lessonkeeper-data"))
    _together(set_, "LESSONKEEPER_APP_ID", "LESSONKEEPER_PRIVATE_KEY_FILE")
    if "LESSONKEEPER_KEY" in set_ and "LESSONKEEPER_KEY_FILE" in set_:
        raise UserError(
            "LESSONKEEPER_KEY and LESSONKEEPER_KEY_FILE are both set.",
            remedy="Keep one: it is not clear which of the keys is the newest.",
        )
    api = _address(set_, "LESSONKEEPER_GITHUB_URL") or PUBLIC_API
    return Environment(
        data=data,
        database_url=set_.get(
            "LESSONKEEPER_DATABASE_URL", f"sqlite:///{data / 'lessonkeeper.sqlite'}"
        ),
        debounce=_span(set_, "LESSONKEEPER_DEBOUNCE", timedelta(seconds=5)),
        github_url=api,
        github_web=_address(set_, "LESSONKEEPER_GITHUB_WEB") or _web_of(api),
        url=_public_address(set_, "LESSONKEEPER_URL"),
        webhook_secrets=_list(set_, "LESSONKEEPER_WEBHOOK_SECRETS"),
        keys=_list(set_, "LESSONKEEPER_KEY"),
        key_file=_path(set_, "LESSONKEEPER_KEY_FILE"),
        app_id=_id(set_, "LESSONKEEPER_APP_ID"),
        private_key_file=_path(set_, "LESSONKEEPER_PRIVATE_KEY_FILE"),
        telegram_token=set_.get("LESSONKEEPER_TELEGRAM_TOKEN"),
        telegram_url=_address(set_, "LESSONKEEPER_TELEGRAM_URL") or PUBLIC_TELEGRAM,
        metrics_token=set_.get("LESSONKEEPER_METRICS_TOKEN"),
        executor=_name(set_, "LESSONKEEPER_EXECUTOR"),
        anthropic_api_key=set_.get("ANTHROPIC_API_KEY"),
        given={
            name: "not shown" if variable.secret else set_[name]
            for name, variable in VARIABLES.items()
            if name in set_
        },
        unknown=tuple(
            sorted(
                name
                for name in set_
                if name.startswith(PREFIX)
                and name not in VARIABLES
                and not name.startswith(FOR_TESTS)
            )
        ),
    )


def nearest(name: str) -> str | None:
    """The variable that a misspelt name probably means."""
    return next(iter(difflib.get_close_matches(name, VARIABLES, 1, 0.8)), None)


def is_loopback(host: str) -> bool:
    """Whether the host of an address is this machine: a name or an IP address."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _together(set_: Mapping[str, str], *names: str) -> None:
    missing = [name for name in names if name not in set_]
    if missing and len(missing) < len(names):
        (there,) = (name for name in names if name in set_)
        raise UserError(
            f"{there} is set, {missing[0]} is not.",
            remedy="Set both for an App registered by hand, neither for the one of `setup`.",
        )


def _list(set_: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in set_.get(name, "").split(",") if item.strip())


def _path(set_: Mapping[str, str], name: str) -> Path | None:
    return Path(set_[name]) if name in set_ else None


def _id(set_: Mapping[str, str], name: str) -> int | None:
    if name not in set_:
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,17}", set_[name]):
        raise UserError(
            f"{name} is not a number: {set_[name]!r}.",
            remedy='Copy the "App ID" from the App\'s page, not the client id.',
        )
    return int(set_[name])


def _name(set_: Mapping[str, str], name: str) -> str | None:
    if name in set_ and not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", set_[name]):
        raise UserError(
            f"{name} is no name: {set_[name]!r}.",
            remedy="Write letters, digits, dots, hyphens and underscores, at most 64.",
        )
    return set_.get(name)


_UNITS = {"s": "seconds", "m": "minutes", "h": "hours"}


def _span(set_: Mapping[str, str], name: str, default: timedelta) -> timedelta:
    if name not in set_:
        return default
    found = re.fullmatch(r"0|([1-9][0-9]{0,3})([smh])", set_[name])
    if found is None:
        raise UserError(
            f"{name} is no time: {set_[name]!r}.",
            remedy="Write 0, or a whole number with s, m or h: 5s, 2m.",
        )
    return timedelta(**{_UNITS[found[2]]: int(found[1])}) if found[1] else timedelta(0)


def _address(set_: Mapping[str, str], name: str) -> str | None:
    """https, or http on loopback; nothing but a host, a port and a path."""
    if name not in set_:
        return None
    try:
        parts = urlsplit(set_[name])
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    host = parts.hostname or ""
    if parts.query or parts.fragment or "@" in parts.netloc or not re.fullmatch(r"[\w.:-]+", host):
        raise UserError(
            f"{name} is not a plain address.",  # not repeated: it may hold a password
            remedy="Write it as https://HOST, with nothing behind the path.",
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise UserError(
            f"{name} does not start with https://: {set_[name]}.",
            remedy="Without encryption everybody on the way could read along.",
        )
    return set_[name].rstrip("/")


def _public_address(set_: Mapping[str, str], name: str) -> str | None:
    address = _address(set_, name)
    if address is not None and is_loopback(urlsplit(address).hostname or ""):
        raise UserError(
            f"{name} is an address of this machine: {address}.",
            remedy="GitHub cannot reach it. Without a public address leave it unset.",
        )
    return address


def _web_of(api: str) -> str:
    if api == PUBLIC_API:
        return PUBLIC_WEB
    parts = urlsplit(api)
    return f"{parts.scheme}://{parts.netloc.removeprefix('api.')}"  # data residency: api.HOST
