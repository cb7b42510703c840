"""`python app.py serve` as an operator runs it, in a process of its own, against the sandbox."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import IO

import pytest
import requests

from bot.demo.stage import Clock, until
from bot.environment import read
from bot.errors import UserError
from bot.facts import Permission
from bot.letterbox import LETTERBOX
from bot.sandbox.deliver import deliver_all
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import Inline
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer
from bot.work.serving import serve

NO_APP = {"LESSONKEEPER_APP_ID": "", "LESSONKEEPER_PRIVATE_KEY_FILE": ""}
APP = Path(__file__).parents[2] / "app.py"
REMARK = Inline(
    "src/db.py",
    "A query that raises leaks the database session. "
    "Please close the session in a `finally` block in `src/db.py`.",
    3,
)


@dataclass
class Operator:
    """Whoever runs the App that is registered at `forge`, with nothing but variables."""

    folder: Path
    forge: SandboxForge
    github: SandboxServer
    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        key = self.folder / "app.pem"
        key.write_text(self.forge.private_key)
        own = {name: text for name, text in os.environ.items() if "LESSONKEEPER" not in name}
        return own | {
            "LESSONKEEPER_DATA": str(self.folder / "data"),
            "LESSONKEEPER_APP_ID": str(self.forge.app_id),
            "LESSONKEEPER_PRIVATE_KEY_FILE": str(key),
            "LESSONKEEPER_WEBHOOK_SECRETS": self.forge.webhook_secret,
            "LESSONKEEPER_GITHUB_URL": self.github.url,
            "LESSONKEEPER_DEBOUNCE": "0",
            **self.variables,
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(APP), *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    @contextmanager
    def serving(self, *arguments: str) -> Iterator[Serving]:
        process = subprocess.Popen(
            [sys.executable, str(APP), "serve", "--port", "0", *arguments],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running = Serving(process)
        try:
            yield running
        finally:
            if process.poll() is None:
                process.kill()
            running.ended()


@dataclass
class Serving:
    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        pairs = ((self.process.stdout, self.said), (self.process.stderr, self.logged))
        self._readers = [threading.Thread(target=_read, args=pair) for pair in pairs]
        for reader in self._readers:
            reader.start()

    @property
    def url(self) -> str:
        until(lambda: any(line.startswith("Listening on ") for line in self.said))
        line = next(line for line in self.said if line.startswith("Listening on "))
        return line.removeprefix("Listening on ")

    def stop(self) -> int:
        """By SIGTERM, as a service unit does; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def ended(self) -> int:
        status = self.process.wait(60)
        for reader in self._readers:
            reader.join()
        return status


def _read(stream: IO[str], lines: list[str]) -> None:
    with stream:
        lines.extend(line.rstrip("\n") for line in stream)


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    forge = SandboxForge(tmp_path / "github", Clock(timedelta(0)))
    with SandboxServer(forge) as github:
        yield Operator(tmp_path, forge, github)
    github.assert_no_surprises()


@pytest.fixture
def shop(operator: Operator) -> SandboxRepository:
    made = operator.forge.create_repository(
        "acme/shop", {"src/db.py": "a\n" * 9, ".github/lessonkeeper.yml": "commit_every: 0\n"}
    )
    for login in ("ada", "ben"):
        made.set_permission(login, Permission.WRITE)
    return made


def review(shop: SandboxRepository) -> None:
    pull = shop.open_pull_request("ben", {"src/db.py": "b\n" * 9})
    pull.review("ada", "changes_requested", "", [REMARK])


def lessons(shop: SandboxRepository) -> list[str]:
    commits = shop.bare.commits(shop.tip())
    subjects = [commit.message.splitlines()[0] for commit in commits]
    return [subject for subject in subjects if subject.startswith("chore(lessons)")]


def test_a_delivery_becomes_a_commit_and_sigterm_ends_it_well(
    operator: Operator, shop: SandboxRepository
) -> None:
    with operator.serving() as server:
        review(shop)
        deliver_all(operator.forge, f"{server.url}/webhooks/github")
        until(lambda: lessons(shop) != [])
        health = requests.get(f"{server.url}/healthz", timeout=10)
        figures = requests.get(f"{server.url}/metrics", timeout=10)
        assert server.stop() == 0
    assert (health.status_code, health.json()) == (200, {"status": "ok"})
    assert "lessonkeeper_writes_total" in figures.text
    assert "shop" not in figures.text
    guids = {one.delivery.guid for one in operator.forge.attempts.all}
    committed = next(line for line in server.logged if "committed" in line)
    assert committed.endswith("/1]")
    assert any(guid in line for guid in guids for line in server.logged if "review" in line)
    assert not any("Traceback" in line for line in server.logged)


def test_polling_needs_no_address_and_ends_when_the_work_is_done(
    operator: Operator, shop: SandboxRepository
) -> None:
    operator.variables["LESSONKEEPER_WEBHOOK_SECRETS"] = ""
    review(shop)
    operator.forge.lose_deliveries()
    first = operator.run("serve", "--poll", "--once")
    assert (first.returncode, first.stderr.count("Traceback")) == (0, 0)
    assert lessons(shop) == ["chore(lessons): 1 appended from #1"]
    again = operator.run("serve", "--poll", "--once")
    assert again.stdout.startswith("0 new deliveries.")
    assert lessons(shop) == ["chore(lessons): 1 appended from #1"]


def test_polling_goes_on_by_itself(operator: Operator, shop: SandboxRepository) -> None:
    operator.forge.lose_deliveries()
    with operator.serving("--poll") as server:
        assert server.url
        review(shop)
        operator.forge.lose_deliveries()
        until(lambda: lessons(shop) != [])
        assert server.stop() == 0


def test_what_was_missed_while_it_was_down_is_fetched_at_the_start(
    operator: Operator, shop: SandboxRepository
) -> None:
    review(shop)
    operator.forge.lose_deliveries()
    with operator.serving() as server:
        until(lambda: lessons(shop) != [])
        assert server.stop() == 0


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"LESSONKEEPER_WEBHOOK_SECRETS": ""}, "No webhook secret is set"),
        ({"LESSONKEEPER_PRIVATE_KEY_FILE": __file__}, "not the private key of an App"),
    ],
)
def test_what_is_missing_is_said_before_anything_starts(
    operator: Operator, variables: Mapping[str, str], said: str
) -> None:
    environment = read({**operator.environment(), **variables})
    with pytest.raises(UserError, match=said):
        serve(environment, "127.0.0.1", 0)


@pytest.mark.parametrize("how", [(), ("--poll", "--once")])
def test_a_damaged_letterbox_is_named_with_its_remedy(
    operator: Operator, how: tuple[str, ...]
) -> None:
    data = Path(operator.environment()["LESSONKEEPER_DATA"])
    data.mkdir(exist_ok=True)
    (data / LETTERBOX).write_bytes(b"no database" * 1000)
    done = operator.run("serve", "--port", "0", *how)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert f"{LETTERBOX} cannot be opened: file is not a database." in done.stderr
    assert "move it away" in done.stderr


def test_without_an_app_one_pass_says_what_to_run(operator: Operator) -> None:
    operator.variables.update(NO_APP)
    done = operator.run("serve", "--poll", "--once")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "python app.py setup`." in done.stderr


def test_without_an_app_the_set_up_page_is_served(operator: Operator) -> None:
    operator.variables.update(NO_APP)
    with operator.serving() as server:
        until(lambda: any("/setup?token=" in line for line in server.said))
        page = next(line.strip() for line in server.said if "/setup?token=" in line)
        assert "Register Lessonkeeper" in requests.get(page, timeout=10).text
