"""The manifest flow over real HTTP: a browser, the set-up pages, and a strict GitHub."""

from __future__ import annotations

import io
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
import requests
from cryptography.fernet import Fernet
from flask import Flask
from selectolax.lexbor import LexborHTMLParser, LexborNode
from werkzeug.serving import make_server

from bot.credentials import Credentials, Vault, credentials
from bot.environment import Environment, read
from bot.errors import Fault, UserError
from bot.forge.errors import RateLimited
from bot.forge.manifest import EVENTS, NOWHERE, converted, manifest, registration_page
from tests.fakes.github_web import GitHubWeb, github_web
from webhooks.github import EVENTS as HANDLED
from webhooks.setup import Setup
from webhooks.setup_server import setup

UNASKED = {"installation", "installation_repositories"}


@dataclass(slots=True)
class Clock:
    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.at


@dataclass(slots=True)
class Browser:
    """Follows no redirect by itself, so that each step can be looked at."""

    page: requests.Response

    @classmethod
    def at(cls, address: str) -> Browser:
        return cls(requests.get(address, timeout=10, allow_redirects=False))

    def form(self, method: str) -> LexborNode:
        """The only form of that method."""
        (found,) = LexborHTMLParser(self.page.text).css(f"form[method={method}]")
        return found

    def submit(self, method: str, **typed: str) -> Browser:
        form = self.form(method)
        fields = {
            str(node.attributes["name"]): node.attributes.get("value") or ""
            for node in form.css("input")
        } | typed
        action = urljoin(self.page.url, form.attributes.get("action") or "").partition("?")
        if method == "get":
            answer = requests.get(action[0], params=fields, timeout=10, allow_redirects=False)
        else:
            answer = requests.post("".join(action), data=fields, timeout=10, allow_redirects=False)
        return Browser(answer)

    def follow(self) -> Browser:
        return Browser.at(self.page.headers["location"])

    def links(self) -> list[str]:
        return [str(a.attributes["href"]) for a in LexborHTMLParser(self.page.text).css("a")]


@pytest.fixture
def github() -> Iterator[GitHubWeb]:
    with github_web() as fake:
        yield fake


@pytest.fixture
def environment(github: GitHubWeb, tmp_path: Path) -> Environment:
    return read(
        {
            "LESSONKEEPER_DATA": str(tmp_path / "data"),
            "LESSONKEEPER_GITHUB_URL": github.url,
            "LESSONKEEPER_URL": "https://lessons.example",
        }
    )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pages(environment: Environment, clock: Clock) -> Iterator[Setup]:
    web = Flask("test", static_folder=None)
    server = make_server("127.0.0.1", 0, web, threaded=True)
    made = Setup(environment, f"http://127.0.0.1:{server.server_port}", clock)
    web.register_blueprint(made.blueprint())
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def sent_back(pages: Setup) -> str:
    """Where GitHub sends the browser once the App is made: our callback, with code and state."""
    return Browser.at(pages.link).submit("post").page.headers["location"]


# --- the whole way ---------------------------------------------------------------------------


def test_two_clicks_register_the_app(
    pages: Setup, github: GitHubWeb, environment: Environment
) -> None:
    first = Browser.at(pages.link)
    assert first.page.status_code == 200
    last = first.submit("post").follow()

    assert last.page.status_code == 200
    assert "lessonkeeper is registered" in last.page.text
    assert last.links() == [f"{github.url}/apps/lessonkeeper/installations/new"]
    assert pages.registered.wait(10)
    assert credentials(environment) == Credentials(
        app_id=7000,
        private_key=github.pem,
        webhook_secrets=("hook-secret",),
        slug="lessonkeeper",
        client_id="Iv23li",
        client_secret="client-secret",
        html_url=f"{github.url}/apps/lessonkeeper",
    )
    (asked,) = github.apps.values()
    assert asked["hook_attributes"] == {
        "url": "https://lessons.example/webhooks/github",
        "active": True,
    }


def test_an_organisation_can_own_the_app(pages: Setup, github: GitHubWeb) -> None:
    chosen = Browser.at(pages.link).submit("get", organization="acme")
    assert "Register it for acme" in chosen.page.text
    assert chosen.submit("post").follow().page.status_code == 200
    assert github.owners == {7000: "acme"}


def test_the_page_may_be_looked_at_again(pages: Setup) -> None:
    first = Browser.at(pages.link)
    Browser.at(pages.link)
    assert first.submit("post").follow().page.status_code == 200


def test_an_app_without_a_webhook_secret_is_kept(pages: Setup, github: GitHubWeb) -> None:
    github.webhook_secret = None
    assert Browser.at(sent_back(pages)).page.status_code == 200


# --- who may use it --------------------------------------------------------------------------


def with_query(address: str, **values: str) -> str:
    parts = urlsplit(address)
    query = {name: found[0] for name, found in parse_qs(parts.query).items()} | values
    kept = {name: value for name, value in query.items() if value}
    return str(
        requests.Request("GET", parts._replace(query="").geturl(), params=kept).prepare().url
    )


@pytest.mark.parametrize("token", ["", "wrong", "ä", "x" * 5000])
def test_without_the_token_there_is_no_page(pages: Setup, token: str) -> None:
    page = Browser.at(with_query(pages.link, token=token)).page
    assert page.status_code == 404
    assert "<form" not in page.text


def test_the_link_is_good_for_an_hour(pages: Setup, clock: Clock) -> None:
    clock.at += timedelta(minutes=59, seconds=59)
    assert Browser.at(pages.link).page.status_code == 200
    clock.at += timedelta(seconds=1)
    late = Browser.at(pages.link).page
    assert late.status_code == 410
    assert "Start again for a new one" in late.text
    assert "<form" not in late.text


def test_once_an_app_exists_both_pages_are_gone(pages: Setup, github: GitHubWeb) -> None:
    back = sent_back(pages)
    assert Browser.at(back).page.status_code == 200
    assert Browser.at(pages.link).page.status_code == 404
    assert Browser.at(back).page.status_code == 404
    assert github.conversions == 1


def test_an_app_given_by_hand_closes_them_too(
    github: GitHubWeb, environment: Environment, tmp_path: Path
) -> None:
    by_hand = read(
        {
            "LESSONKEEPER_DATA": str(tmp_path),
            "LESSONKEEPER_APP_ID": "7",
            "LESSONKEEPER_PRIVATE_KEY_FILE": str(tmp_path / "app.pem"),
        }
    )
    web = Flask("test", static_folder=None)
    made = Setup(by_hand, "http://127.0.0.1:1")
    web.register_blueprint(made.blueprint())
    with web.test_client() as client:
        assert client.get(made.link).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_the_pages_are_only_looked_at(pages: Setup, method: str) -> None:
    assert requests.request(method, pages.link, timeout=10).status_code == 405


# --- what a page shows -----------------------------------------------------------------------


def test_no_page_holds_a_secret_or_a_script(
    pages: Setup, github: GitHubWeb, environment: Environment
) -> None:
    shown = [Browser.at(pages.link).page, Browser.at(with_query(sent_back(pages), state="x")).page]
    shown.append(Browser.at(sent_back(pages)).page)
    assert [page.status_code for page in shown] == [200, 400, 200]
    key = (environment.data / "key").read_text().strip()
    for page in shown:
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'nonce-")
        assert "<script" not in page.text
        assert "script-src" not in policy
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "strict-origin"
        for secret in ("client-secret", "hook-secret", "PRIVATE KEY", key):
            assert secret not in page.text


def test_a_form_goes_nowhere_but_here_and_to_github(pages: Setup, github: GitHubWeb) -> None:
    policy = Browser.at(pages.link).page.headers["content-security-policy"]
    assert f"form-action 'self' {github.url};" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "name", ["acme/shop", "../settings", "a b", '"><script>', "-acme", "a" * 40]
)
def test_what_cannot_be_an_organisation_is_refused(
    pages: Setup, github: GitHubWeb, name: str
) -> None:
    page = Browser.at(pages.link).submit("get", organization=name).page
    assert page.status_code == 400
    assert "not the name of an organisation" in page.text
    assert "<script" not in page.text


# --- what can go wrong on the way back -------------------------------------------------------


def nothing_is_written(environment: Environment) -> bool:
    folder = environment.data
    return not folder.exists() or {path.name for path in folder.iterdir()} <= {"key"}


@pytest.mark.parametrize("state", ["", "wrong", "ä"])
def test_another_state_registers_nothing(
    pages: Setup, github: GitHubWeb, environment: Environment, state: str
) -> None:
    back = sent_back(pages)
    page = Browser.at(with_query(back, state=state)).page
    assert page.status_code == 400
    assert "Open the set-up link again." in page.text
    assert github.conversions == 0
    assert nothing_is_written(environment)
    assert Browser.at(back).page.status_code == 200


def test_a_state_is_good_for_an_hour(
    pages: Setup, clock: Clock, github: GitHubWeb, environment: Environment
) -> None:
    back = sent_back(pages)
    clock.at += timedelta(hours=1)
    assert Browser.at(back).page.status_code == 400
    assert github.conversions == 0
    assert nothing_is_written(environment)


def test_a_state_is_used_once(pages: Setup, github: GitHubWeb, environment: Environment) -> None:
    back = sent_back(pages)
    refused = Browser.at(with_query(back, code="unknown")).page
    assert refused.status_code == 400
    assert "GitHub does not know this code" in refused.text
    assert Browser.at(back).page.status_code == 400
    assert github.conversions == 1
    assert nothing_is_written(environment)


def test_many_answers_at_once_convert_once(pages: Setup, github: GitHubWeb) -> None:
    back = sent_back(pages)
    with ThreadPoolExecutor(10) as pool:
        answers = [page.page.status_code for page in pool.map(Browser.at, [back] * 10)]
    assert answers.count(200) == 1
    assert set(answers) <= {200, 400, 404}
    assert github.conversions == 1


def test_an_expired_code_says_to_begin_again(
    pages: Setup, github: GitHubWeb, environment: Environment
) -> None:
    back = sent_back(pages)
    github.ahead = timedelta(hours=1)
    page = Browser.at(back).page
    assert page.status_code == 400
    assert "good once and for one hour" in page.text
    assert nothing_is_written(environment)


@pytest.mark.parametrize("status", [500, 502, 302, 429])
def test_when_github_fails_a_reload_goes_on(
    pages: Setup, github: GitHubWeb, environment: Environment, status: int
) -> None:
    back = sent_back(pages)
    github.refuse_next.append(status)
    failed = Browser.at(back).page
    assert failed.status_code == 502
    assert "Reload this page to try again." in failed.text
    assert nothing_is_written(environment)
    assert Browser.at(back).page.status_code == 200


def test_without_a_key_no_code_is_spent(
    github: GitHubWeb, tmp_path: Path, environment: Environment
) -> None:
    with pytest.raises(UserError, match="The key file is not there"):
        setup(
            read(
                {
                    "LESSONKEEPER_DATA": str(tmp_path / "data"),
                    "LESSONKEEPER_KEY_FILE": str(tmp_path / "missing"),
                    "LESSONKEEPER_GITHUB_URL": github.url,
                }
            ),
            "127.0.0.1",
            0,
        )
    assert github.conversions == 0


def test_an_unreachable_github_is_a_fault() -> None:
    with pytest.raises(Fault, match=r"could not be reached \(ConnectionError\)"):
        converted("abc", base_url="http://127.0.0.1:1")


def test_a_rate_limit_says_how_long(github: GitHubWeb) -> None:
    github.refuse_next.append(429)
    with pytest.raises(RateLimited) as caught:
        converted("abc", base_url=github.url)
    assert caught.value.retry_after == 60


@pytest.mark.parametrize("code", ["", "../app", "a/b", "a?b", "a" * 101, "é"])
def test_what_is_no_code_is_never_sent(github: GitHubWeb, code: str) -> None:
    with pytest.raises(UserError):
        converted(code, base_url=github.url)
    assert github.conversions == 0


# --- the command -----------------------------------------------------------------------------


@pytest.fixture
def command(
    environment: Environment, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[[timedelta], Future[int]]]:
    with ThreadPoolExecutor(1) as pool:
        yield lambda wait: pool.submit(setup, environment, "127.0.0.1", 0, wait)


def test_the_command_waits_for_the_app_and_says_the_next_click(
    command: Callable[[timedelta], Future[int]],
    environment: Environment,
    github: GitHubWeb,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Not capsys: what another thread prints while it is being read is lost.
    printed = io.StringIO()
    monkeypatch.setattr(sys, "stdout", printed)
    running = command(timedelta(minutes=1))
    while not (link := re.search(r"http://127\.0\.0\.1:\S+", printed.getvalue())):
        assert not running.done(), running.result()
    assert Browser.at(link.group()).submit("post").follow().page.status_code == 200
    assert running.result(timeout=10) == 0
    said = printed.getvalue()
    assert f"{github.url}/apps/lessonkeeper/installations/new" in said
    assert said.endswith("python app.py serve\n")
    assert Vault.of(environment).exists()
    with pytest.raises(UserError, match="An App is registered already"):
        setup(environment, "127.0.0.1", 0)


def test_the_command_ends_when_the_time_is_over(
    environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    assert setup(environment, "127.0.0.1", 0, timedelta(0)) == 1
    assert "Nothing was registered." in capsys.readouterr().out
    assert nothing_is_written(environment)


def test_the_command_puts_credentials_under_the_newest_key(
    environment: Environment, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    app = Credentials(7, "key", slug="lessonkeeper")
    Vault(environment.data, keys=[old]).save(app)
    assert setup(replace(environment, keys=(new, old)), "127.0.0.1", 0) == 0
    assert "only the newest key is needed now" in capsys.readouterr().out
    assert Vault(environment.data, keys=[new]).load() == app


# --- the manifest ----------------------------------------------------------------------------


def test_the_app_asks_for_the_least_that_it_needs() -> None:
    asked = manifest("https://lessons.example")
    assert asked["default_permissions"] == {
        "metadata": "read",
        "contents": "write",
        "pull_requests": "write",
        "checks": "write",
        "issues": "write",
        "actions": "read",
    }
    assert asked["public"] is False


def test_the_app_hears_what_the_receiver_handles_and_nothing_else() -> None:
    assert set(EVENTS) == HANDLED - UNASKED
    assert manifest("https://lessons.example")["default_events"] == list(EVENTS)


def test_the_published_manifest_is_the_one_that_setup_posts() -> None:
    file = Path(__file__).parents[2] / "deploy" / "app-manifest.json"
    assert json.loads(file.read_text()) == manifest("https://lessonkeeper.example.com")


def test_without_a_public_address_deliveries_are_listed_and_reach_nobody() -> None:
    asked = manifest(None, setup_address="http://127.0.0.1:8080")
    assert asked["hook_attributes"] == {"url": f"{NOWHERE}/webhooks/github", "active": True}
    assert NOWHERE.endswith(".invalid")
    assert asked["redirect_url"] == "http://127.0.0.1:8080/setup/callback"


def test_people_may_sign_in_at_the_public_address_and_on_the_machine() -> None:
    asked = manifest("https://lessons.example", setup_address="http://127.0.0.1:8081")
    assert asked["callback_urls"] == [
        "https://lessons.example/auth/callback",
        "http://127.0.0.1:8081/auth/callback",
        "http://127.0.0.1/auth/callback",
        "http://localhost/auth/callback",
    ]


def test_a_name_is_as_long_as_github_takes() -> None:
    assert manifest(None, "x" * 34)["name"] == "x" * 34
    for name in ("", "x" * 35):
        with pytest.raises(ValueError, match="1 to 34 characters"):
            manifest(None, name)


def test_the_manifest_is_posted_to_whoever_owns_the_app() -> None:
    web = "https://github.com"
    assert registration_page(web, "s&t") == f"{web}/settings/apps/new?state=s%26t"
    at_acme = registration_page(web, "s", "acme")
    assert at_acme == f"{web}/organizations/acme/settings/apps/new?state=s"
