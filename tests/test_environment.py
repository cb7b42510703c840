from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.environment import VARIABLES, Environment, nearest, read
from bot.errors import UserError

SECRETS = {
    "LESSONKEEPER_DATABASE_URL": "postgresql://bot:pass-word@db/lessons",
    "LESSONKEEPER_WEBHOOK_SECRETS": "new-secret, old-secret",
    "LESSONKEEPER_KEY": "key-one,key-two",
    "LESSONKEEPER_TELEGRAM_TOKEN": "42:telegram",
    "LESSONKEEPER_METRICS_TOKEN": "figures",
    "ANTHROPIC_API_KEY": "sk-claude",
}
OTHERS = {
    "LESSONKEEPER_DATA": "store",
    "LESSONKEEPER_URL": "https://lessons.example/",
    "LESSONKEEPER_APP_ID": "4242",
    "LESSONKEEPER_PRIVATE_KEY_FILE": "app.pem",
    "LESSONKEEPER_DEBOUNCE": "2m",
    "LESSONKEEPER_TELEGRAM_URL": "https://bots.example",
    "LESSONKEEPER_EXECUTOR": "host-1",
    "LESSONKEEPER_GITHUB_URL": "https://github.example/api/v3",
    "LESSONKEEPER_GITHUB_WEB": "https://github.example",
}


def refusal(**variables: str) -> UserError:
    with pytest.raises(UserError) as caught:
        read(variables)
    return caught.value


def test_without_any_variable_the_defaults_hold() -> None:
    assert read({}) == Environment(
        data=Path("lessonkeeper-data"),
        database_url="sqlite:///lessonkeeper-data/lessonkeeper.sqlite",
        debounce=timedelta(seconds=5),
        github_url="https://api.github.com",
        github_web="https://github.com",
    )


def test_every_variable_is_read() -> None:
    found = read(OTHERS | SECRETS)
    assert found == Environment(
        data=Path("store"),
        url="https://lessons.example",
        database_url="postgresql://bot:pass-word@db/lessons",
        webhook_secrets=("new-secret", "old-secret"),
        keys=("key-one", "key-two"),
        app_id=4242,
        private_key_file=Path("app.pem"),
        telegram_token="42:telegram",
        telegram_url="https://bots.example",
        metrics_token="figures",
        debounce=timedelta(minutes=2),
        executor="host-1",
        github_url="https://github.example/api/v3",
        github_web="https://github.example",
        anthropic_api_key="sk-claude",
        given=OTHERS | dict.fromkeys(SECRETS, "not shown"),
    )
    assert read({"LESSONKEEPER_KEY_FILE": "key"}).key_file == Path("key")


def test_no_secret_is_shown() -> None:
    shown = repr(read(SECRETS))
    for secret in (
        "pass-word",
        "new-secret",
        "old-secret",
        "key-one",
        "42:telegram",
        "figures",
        "sk-claude",
    ):
        assert secret not in shown
    assert {name for name, variable in VARIABLES.items() if variable.secret} == set(SECRETS)


def test_an_empty_variable_is_unset() -> None:
    assert read(dict.fromkeys(VARIABLES, " ")) == read({})


@pytest.mark.parametrize(
    ("api", "web"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://github.example/api/v3", "https://github.example"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com"),
        ("http://127.0.0.1:8100", "http://127.0.0.1:8100"),
    ],
)
def test_the_pages_are_on_the_host_of_the_api(api: str, web: str) -> None:
    assert read({"LESSONKEEPER_GITHUB_URL": api}).github_web == web


@pytest.mark.parametrize(("text", "seconds"), [("0", 0), ("5s", 5), ("15m", 900), ("1h", 3600)])
def test_a_debounce_is_written_as_in_the_settings(text: str, seconds: int) -> None:
    assert read({"LESSONKEEPER_DEBOUNCE": text}).debounce == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["5", "1.5s", "-5s", "5 s", "5d", "none", "99999s"])
def test_any_other_debounce_is_refused(text: str) -> None:
    error = refusal(LESSONKEEPER_DEBOUNCE=text)
    assert error.message == f"LESSONKEEPER_DEBOUNCE is no time: {text!r}."
    assert "5s, 2m" in error.remedy


@pytest.mark.parametrize("text", ["Iv23liABC", "0", "-1", "4242.0"])
def test_an_app_id_is_a_number(text: str) -> None:
    error = refusal(LESSONKEEPER_APP_ID=text, LESSONKEEPER_PRIVATE_KEY_FILE="app.pem")
    assert "LESSONKEEPER_APP_ID" in error.message
    assert "App ID" in error.remedy


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("LESSONKEEPER_APP_ID", "LESSONKEEPER_PRIVATE_KEY_FILE"),
        ("LESSONKEEPER_PRIVATE_KEY_FILE", "LESSONKEEPER_APP_ID"),
    ],
)
def test_an_app_by_hand_needs_both_its_id_and_its_key(given: str, missing: str) -> None:
    assert refusal(**{given: "1"}).message == f"{given} is set, {missing} is not."


def test_keys_come_from_one_place() -> None:
    error = refusal(LESSONKEEPER_KEY="secret-key", LESSONKEEPER_KEY_FILE="key")
    assert "are both set" in error.message
    assert "secret-key" not in str(error)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://lessons.example", "does not start with https://"),
        ("lessons.example", "is not a plain address"),
        ("https://lessons.example/?a=b", "is not a plain address"),
        ("https://ada:secret-word@lessons.example", "is not a plain address"),
        ("https://lessons.example:port", "is not a plain address"),
        ("https://[::1", "is not a plain address"),
        ("http://127.0.0.1:8080", "is an address of this machine"),
        ("https://localhost", "is an address of this machine"),
        ("http://[::1]:8080", "is an address of this machine"),
    ],
)
def test_the_public_address_is_https_and_elsewhere(address: str, said: str) -> None:
    error = refusal(LESSONKEEPER_URL=address)
    assert error.message.startswith(f"LESSONKEEPER_URL {said}")
    assert error.remedy
    assert "secret-word" not in str(error)


def test_a_misspelt_variable_is_noticed() -> None:
    found = read({"LESSONKEEPER_DEBOUCE": "0", "LESSONKEEPER_TEST_POSTGRES": "x", "PATH": "/bin"})
    assert found.unknown == ("LESSONKEEPER_DEBOUCE",)
    assert nearest("LESSONKEEPER_DEBOUCE") == "LESSONKEEPER_DEBOUNCE"
    assert nearest("LESSONKEEPER_COLOUR_OF_THE_SKY") is None
