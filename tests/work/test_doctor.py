"""What doctor says, asked over real HTTP of a strict GitHub, a real database and real files."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.command_line.doctor import doctor
from bot.credentials import Credentials, Vault
from bot.database import connect, migrate
from bot.delivery import Delivery
from bot.environment import VARIABLES
from bot.forge.manifest import EVENTS
from bot.inbox import Inbox, inbox
from bot.invocation import command
from bot.work.doctor import Check, git, privacy
from bot.work.examination import examine
from bot.writer import Writer
from tests.fakes.github_app import (
    ALL,
    APP,
    GitHubApp,
    Installed,
    Repository,
    delivery,
    github_app,
    rule,
)
from tests.fakes.github_web import private_key

URL = "https://lessons.example"
NOW = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


@dataclass(slots=True)
class Place:
    """A server that is well: its environment and its GitHub; each test makes one thing ill."""

    github: GitHubApp
    environ: dict[str, str]
    data: Path

    def checks(self, repositories: int = 100) -> list[Check]:
        return list(examine(self.environ, NOW, repositories))

    def check(self, name: str) -> Check:
        (found,) = (check for check in self.checks() if check.name == name)
        return found

    def ill(self) -> dict[str, Check]:
        return {check.name: check for check in self.checks() if check.ok is False}

    def repository(self, name: str, found: Repository) -> None:
        self.github.installations[0].repositories[name] = found

    @property
    def database(self) -> str:
        return f"sqlite:///{self.data / 'lessonkeeper.sqlite'}"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    data = tmp_path / "data"
    with github_app(list(EVENTS)) as github:
        github.hook = {
            "url": f"{URL}/webhooks/github",
            "content_type": "json",
            "insecure_ssl": "0",
            "secret": "********",
        }
        github.deliveries = [delivery()]
        github.installations = [Installed(1, "acme", repositories={"acme/shop": Repository()})]
        Vault(data).save(Credentials(APP, private_key(), ("hook-secret",), "lessonkeeper"))
        environ = {
            "LESSONKEEPER_DATA": str(data),
            "LESSONKEEPER_URL": URL,
            "LESSONKEEPER_GITHUB_URL": github.url,
        }
        made = Place(github, environ, data)
        engine = connect(made.database)
        migrate(engine)
        engine.dispose()
        yield made


def test_all_is_well(place: Place) -> None:
    assert place.ill() == {}
    said = {check.name: check.said for check in place.checks() if check.name not in VARIABLES}
    assert said.pop("git").startswith("git version 2.")
    assert said.pop("clock").split(" s ")[1] in ("ahead of GitHub's", "behind GitHub's")
    assert said == {
        "database": "sqlite, can be written",
        "inbox": "0 waiting, 0 done",
        "alarms": "none rings",
        str(place.data): "mode 0700",
        str(place.data / "credentials.fernet"): "mode 0600",
        str(place.data / "key"): "mode 0600",
        "credentials": f"App {APP}, {place.data / 'credentials.fernet'}; "
        "the private key can be read",
        "webhook secret": "one",
        "App": f"lessonkeeper ({APP})",
        "permissions": "all that are needed are asked for",
        "webhook": f"GitHub sends to {URL}/webhooks/github",
        "sign-in": "none: an App that was given by hand has no secret to sign people in with",
        "deliveries": "last push at 2026-11-02 10:00 UTC arrived",
        "installation on acme": "all that is needed is granted",
        "acme/shop main": "takes direct commits",
        "model": "offline everywhere that was looked at",
    }


def test_what_is_not_ok_has_a_remedy(place: Place) -> None:
    place.github.installations.append(Installed(2, "beta", permissions={"metadata": "read"}))
    place.github.deliveries = [delivery("failed to connect to host", 0)]
    place.github.hook["url"] = "https://old.example/webhooks/github"
    place.environ["LESSONKEEPER_COLOUR"] = "red"
    assert len(place.ill()) == 4
    assert all(check.remedy for check in place.ill().values())


# --- the command -----------------------------------------------------------------------------


def test_the_command_prints_a_line_each_and_what_to_do(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert doctor(place.environ) == 0
    place.github.hook["content_type"] = "form"
    assert doctor(place.environ) == 1
    assert (
        "NO  webhook: deliveries come as forms\n"
        "      -> Set the content type of the App's webhook to application/json.\n"
    ) in capsys.readouterr().out


def test_as_json_it_is_one_document(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(place.environ, as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert {
        "name": "webhook secret",
        "ok": True,
        "said": "one",
        "remedy": "",
    } in found
    assert {check["ok"] for check in found} == {True, None}


def test_every_variable_is_listed_and_no_secret_shown(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.environ["ANTHROPIC_API_KEY"] = "sk-hidden"
    place.environ["LESSONKEEPER_TELEGRAM_TOKEN"] = "42:hidden"
    doctor(place.environ)
    printed = capsys.readouterr().out
    for name, variable in VARIABLES.items():
        state = f"not set: {variable.unset}"
        if name in place.environ:
            state = "set: not shown" if variable.secret else f"set: {place.environ[name]}"
        assert f"ok  {name}: {state} ({variable.help})\n" in printed
    assert "hidden" not in printed


# --- this machine ----------------------------------------------------------------------------


def test_a_wrong_variable_is_all_that_is_said(place: Place) -> None:
    place.environ["LESSONKEEPER_DEBOUNCE"] = "five"
    (check,) = place.checks()
    assert check.ok is False
    assert check.said == "LESSONKEEPER_DEBOUNCE is no time: 'five'."
    assert check.remedy


def test_a_misspelt_variable_is_named(place: Place) -> None:
    place.environ["LESSONKEEPER_DEBOUCE"] = "0"
    assert place.check("LESSONKEEPER_DEBOUCE").remedy == "Did you mean LESSONKEEPER_DEBOUNCE?"


@pytest.mark.parametrize(
    ("words", "ok"),
    [
        ("git version 2.31.0", True),
        ("git version 2.100.1", True),
        ("git version 3.0", True),
        ("git version 2.30.9", False),
        ("git version 1.99", False),
        ("something else", False),
        (None, False),
    ],
)
def test_git_is_new_enough(words: str | None, ok: bool) -> None:
    assert git(words).ok is ok
    assert ok or git(words).remedy == "Install git 2.31 or newer."


def test_files_of_secrets_are_for_their_owner_alone(place: Place) -> None:
    (place.data / "key").chmod(0o644)
    place.data.chmod(0o750)
    assert {name: check.remedy for name, check in place.ill().items()} == {
        str(place.data / "key"): f"chmod 600 {place.data / 'key'}",
        str(place.data): f"chmod 700 {place.data}",
    }
    assert privacy(Path("key"), stat.S_IFREG | 0o400).ok


def test_the_wrong_key_says_what_to_do(place: Place) -> None:
    place.environ["LESSONKEEPER_KEY"] = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
    check = place.check("credentials")
    assert check.ok is False
    assert "cannot be opened with LESSONKEEPER_KEY" in check.said
    assert "python app.py setup" in check.remedy


def test_without_an_app_setup_comes_next(place: Place) -> None:
    Vault(place.data).path.unlink()
    assert place.ill() == {
        "credentials": Check(
            "credentials", False, "No App is registered yet.", f"Run `{command('setup')}`."
        )
    }


# --- the database ----------------------------------------------------------------------------


def test_a_database_that_is_not_there_is_not_made(place: Place) -> None:
    (place.data / "lessonkeeper.sqlite").unlink()
    assert place.check("database").ok is None
    assert not (place.data / "lessonkeeper.sqlite").exists()


@pytest.mark.parametrize(
    ("file", "said"), [("key", "file is not a database"), ("", "unable to open database file")]
)
def test_what_is_no_database_is_not_ok(place: Place, file: str, said: str) -> None:
    place.environ["LESSONKEEPER_DATABASE_URL"] = f"sqlite:///{place.data / file}"
    check = place.check("database")
    assert (check.ok, check.said) == (False, said)
    assert check.remedy


def test_a_database_server_that_is_not_there_is_not_ok(place: Place) -> None:
    url = "postgresql://bot:pass-word@127.0.0.1:1/lessons"
    place.environ["LESSONKEEPER_DATABASE_URL"] = url
    check = place.check("database")
    assert check.ok is False
    assert "pass-word" not in check.said
    assert "127.0.0.1" in check.said


def test_a_database_server_is_looked_into(place: Place, postgres_url: str) -> None:
    engine = connect(postgres_url)
    migrate(engine)
    engine.dispose()
    place.environ["LESSONKEEPER_DATABASE_URL"] = postgres_url
    assert place.check("database").said == "postgresql, can be written"
    assert place.check("inbox").ok
    place.environ["LESSONKEEPER_DATABASE_URL"] = (
        f"{postgres_url}?options=-c%20default_transaction_read_only%3Don"
    )
    check = place.check("database")
    assert (check.ok, check.said) == (False, "can only be read")


def test_any_other_database_is_refused(place: Place) -> None:
    place.environ["LESSONKEEPER_DATABASE_URL"] = "mysql://db/lessons"
    check = place.check("database")
    assert check.ok is False
    assert "postgresql" in check.remedy


def store(place: Place, guid: str, at: datetime, status: str | None = None) -> None:
    engine = connect(place.database)
    writer = Writer(engine)
    Inbox(engine, writer, threading.Event()).store(Delivery(guid, "push", b"{}", at, at))
    if status is not None:
        row = inbox.update().where(inbox.c.guid == guid).values(status=status, done_at=at)
        writer.do(lambda connection: connection.execute(row).rowcount)
    writer.close()
    engine.dispose()


def test_what_waits_and_what_failed_is_counted(place: Place) -> None:
    store(place, "a", NOW - timedelta(minutes=1))
    store(place, "b", NOW, "done")
    store(place, "c", NOW, "failed")
    store(place, "d", NOW, "parked")
    assert place.check("inbox") == Check("inbox", True, "1 waiting, 1 done")
    assert place.check("failed deliveries").ok is False
    assert "replay GUID" in place.check("failed deliveries").remedy
    assert place.check("parked deliveries").said == "1 wait for a person"
    assert place.check("parked deliveries").ok is None


def test_work_that_nobody_takes_up_is_an_alarm(place: Place) -> None:
    store(place, "a", NOW - timedelta(minutes=11))
    check = place.check("inbox")
    assert check.ok is False
    assert check.said == "1 waiting, the oldest for 11 minutes"
    assert "serve" in check.remedy


# --- GitHub ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("ahead", "word"), [(45, "behind"), (-45, "ahead of")])
def test_a_clock_45_seconds_off_is_named_though_github_still_takes_it(
    place: Place, ahead: int, word: str
) -> None:
    place.github.ahead = timedelta(seconds=ahead)
    (check,) = place.ill().values()
    assert check.name == "clock"
    assert int(check.said.split()[0]) in (44, 45, 46)
    assert f" s {word} GitHub's" in check.said
    assert check.remedy.startswith("Check the clock")
    assert place.check("App").ok


@pytest.mark.parametrize("ahead", [20, -20])
def test_twenty_seconds_are_no_matter(place: Place, ahead: int) -> None:
    place.github.ahead = timedelta(seconds=ahead)
    assert place.ill() == {}


@pytest.mark.parametrize("minutes", [20, -20])
def test_a_clock_that_github_refuses_is_named_as_the_cause(place: Place, minutes: int) -> None:
    place.github.ahead = timedelta(minutes=minutes)
    check = place.ill()["App"]
    assert "check the clock of this machine" in check.said
    assert "NTP" in check.remedy


def test_the_key_of_another_app_is_refused(place: Place, tmp_path: Path) -> None:
    pem = tmp_path / "app.pem"
    pem.write_text(private_key())
    place.environ["LESSONKEEPER_APP_ID"] = "7"
    place.environ["LESSONKEEPER_PRIVATE_KEY_FILE"] = str(pem)
    place.environ["LESSONKEEPER_WEBHOOK_SECRETS"] = "mine"
    check = place.ill()["App"]
    assert "GitHub does not accept the App's credentials" in check.said
    assert "App id and private key belong together" in check.remedy


def test_a_github_that_is_down_or_not_reached_is_said_once_each(place: Place) -> None:
    place.environ["LESSONKEEPER_GITHUB_URL"] = "http://127.0.0.1:1"
    ill = place.ill()
    assert set(ill) == {"GitHub", "App"}
    assert "could not be reached" in ill["GitHub"].said


def test_permissions_that_the_app_does_not_ask_for_are_named(place: Place) -> None:
    place.github.permissions = ALL | {"checks": "read"}
    del place.github.permissions["issues"]
    check = place.ill()["permissions"]
    assert check.said == "the App does not ask for checks: write, issues: write"
    assert "Permissions & events" in check.remedy


def test_events_that_the_app_does_not_hear_are_named(place: Place) -> None:
    place.github.events = [event for event in EVENTS if event != "check_run"]
    assert place.ill()["events"].said == "the App does not hear check_run"


def test_permissions_that_an_owner_has_not_granted_are_named(place: Place) -> None:
    place.github.installations[0].permissions = ALL | {"pull_requests": "read"}
    check = place.ill()["installation on acme"]
    assert check.said == "not granted: pull_requests: write"
    assert "/organizations/acme/settings/installations/1" in check.remedy


def test_more_than_is_needed_is_enough(place: Place) -> None:
    place.github.installations[0].permissions = ALL | {"actions": "write", "administration": "read"}
    assert place.ill() == {}


def test_a_suspended_installation_is_said_and_left_alone(place: Place) -> None:
    place.github.installations[0].suspended = True
    assert place.check("installation on acme").ok is None
    assert place.ill() == {}


def test_an_app_that_is_installed_nowhere_has_one_click_to_go(place: Place) -> None:
    place.github.installations = []
    check = place.check("installations")
    assert check.ok is None
    assert check.remedy.endswith("/apps/lessonkeeper/installations/new")


def test_every_page_of_installations_is_read(place: Place) -> None:
    place.github.installations = [Installed(n, f"org-{n}", suspended=True) for n in range(1, 102)]
    names = {check.name for check in place.checks()}
    assert {"installation on org-1", "installation on org-101"} <= names


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ({"url": "https://old.example/webhooks/github"}, "GitHub sends to https://old.example"),
        ({"url": ""}, "GitHub sends to nothing"),
        ({"content_type": "form"}, "deliveries come as forms"),
        ({"insecure_ssl": "1"}, "GitHub does not check the certificate"),
    ],
)
def test_a_webhook_set_otherwise_is_not_ok(place: Place, hook: dict[str, str], said: str) -> None:
    place.github.hook |= hook
    check = place.ill()["webhook"]
    assert check.said.startswith(said)
    assert check.remedy


def test_where_people_are_sent_back_to_is_told_as_github_tells_nobody(place: Place) -> None:
    signs_in = Credentials(APP, private_key(), ("hook-secret",), "lessonkeeper", "Iv1.id", "secret")
    Vault(place.data).save(signs_in)
    check = place.check("sign-in")
    assert (check.ok, f"{URL}/auth/callback" in check.said) == (None, True)
    assert check.remedy.endswith("-> App settings -> General -> Callback URL")
    del place.environ["LESSONKEEPER_URL"]
    assert place.check("sign-in").ok, "each manifest names the machine itself"


def test_without_a_webhook_secret_nothing_is_verified(place: Place) -> None:
    Vault(place.data).save(Credentials(APP, private_key(), slug="lessonkeeper"))
    assert "LESSONKEEPER_WEBHOOK_SECRETS" in place.ill()["webhook secret"].remedy


def test_two_webhook_secrets_are_a_change_under_way(place: Place) -> None:
    place.environ["LESSONKEEPER_WEBHOOK_SECRETS"] = "next,hook-secret"
    check = place.check("webhook secret")
    assert (check.ok, check.said) == (None, "2: it is being changed")
    assert check.remedy == "Once GitHub uses the first, drop the others."


def test_a_delivery_that_never_arrived_is_judged_by_its_status(place: Place) -> None:
    # No HTTP answer came: a filter on failed status codes would not find it.
    place.github.deliveries = [delivery("failed to connect to host", 0), delivery()]
    check = place.ill()["deliveries"]
    assert check.said.endswith("did not arrive: failed to connect to host")
    assert f"{URL}/webhooks/github" in check.remedy


def test_an_outage_that_is_over_is_told_and_no_more(place: Place) -> None:
    place.github.deliveries = [delivery(), delivery("Bad Gateway", 502), delivery()]
    check = place.check("deliveries")
    assert check.ok is None
    assert check.said.endswith("of the newest 3 1 did not")
    place.github.deliveries = [delivery()] * 20 + [delivery("Bad Gateway", 502)]
    assert place.check("deliveries").ok


def test_without_a_public_address_failed_deliveries_are_as_it_should_be(place: Place) -> None:
    del place.environ["LESSONKEEPER_URL"]
    place.github.hook["url"] = "https://lessonkeeper.invalid/webhooks/github"
    place.github.deliveries = [delivery("failed to connect to host", 0)]
    assert place.ill() == {}
    assert "serve --poll" in place.check("webhook").remedy


# --- the repositories ------------------------------------------------------------------------


def test_the_ruleset_that_refuses_direct_commits_is_named(place: Place) -> None:
    place.repository(
        "acme/shop",
        Repository(
            rules=[
                rule("deletion", source="acme/shop"),
                rule("pull_request", 7, source="acme/shop"),
                rule("required_status_checks", 9, organization="acme"),
            ]
        ),
    )
    check = place.check("acme/shop main")
    assert check.ok is None
    assert check.said == (
        "rulesets require a pull request, require status checks: lessons come by pull request"
    )
    assert check.remedy == (
        "For direct commits add lessonkeeper to the bypass list of "
        f"{place.github.url}/acme/shop/settings/rules/7, "
        f"{place.github.url}/organizations/acme/settings/rules/9"
    )


def test_rules_that_a_commit_of_ours_keeps_are_no_matter(place: Place) -> None:
    kinds = ("creation", "deletion", "non_fast_forward", "required_linear_history")
    place.repository("acme/shop", Repository(rules=[rule(kind) for kind in kinds], protected=True))
    assert place.check("acme/shop main").said == "takes direct commits"
    place.repository("acme/shop", Repository(rules=[rule("required_signatures")], protected=True))
    assert "signed by GitHub" in place.check("acme/shop main").said


def test_a_protection_that_cannot_be_read_is_said(place: Place) -> None:
    place.repository("acme/shop", Repository(protected=True))
    check = place.check("acme/shop main")
    assert check.ok is None
    assert check.remedy.endswith("/acme/shop/settings/branches")


def test_a_repository_that_wants_claude_needs_the_key(place: Place) -> None:
    place.repository("acme/shop", Repository(settings="version: 1\ndistiller: claude\n"))
    assert "acme/shop want Claude" in place.ill()["model"].said
    place.environ["ANTHROPIC_API_KEY"] = "sk-hidden"
    assert place.check("model") == Check("model", True, "Claude for acme/shop")


def test_broken_settings_are_named_with_their_place(place: Place) -> None:
    place.repository("acme/shop", Repository(settings="version: 1\ndistiler: claude\n"))
    check = place.ill()["acme/shop"]
    assert check.said.startswith(".github/lessonkeeper.yml")
    assert "distiler" in check.said


def test_an_archived_repository_is_not_looked_at(place: Place) -> None:
    place.repository("acme/old", Repository(archived=True, protected=True))
    assert not [check for check in place.checks() if "acme/old" in check.name]


def test_what_was_not_looked_at_is_said(place: Place) -> None:
    for name in ("acme/a", "acme/b", "acme/c"):
        place.repository(name, Repository())
    (check,) = (check for check in place.checks(repositories=1) if check.name == "repositories")
    assert check == Check("repositories", None, "1 were looked at, 3 more were not")
