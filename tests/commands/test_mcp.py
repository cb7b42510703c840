"""The agent's interface as an agent meets it: the package's own client, over each transport."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent

import app
from bot import VERSION
from bot.commands.agent import Local, Remote
from bot.commands.mcp import agent_server
from bot.commands.opening import target
from bot.demo.stage import Clock, Stage, stage
from bot.errors import CallError
from bot.lessons.block import BEGIN, END
from bot.lessons.bullet import Trailer, Verdict, line
from bot.lessons.standing import new_file
from bot.sandbox.repository import SandboxRepository
from bot.search.printing import END as END_OF_ANSWER
from tests.lessons.test_block import HOSTILE, assert_framed
from tests.queues import wait_until
from tests.work.conftest import START, make_shop

ROOT = Path(__file__).parents[2]
SENTENCE = "Close every database session in a `finally` block in `src/db.py`."
OTHER = "Never keep a cursor open while another query is waiting for its lock."
THIRD = "Release the lock before calling out to the payment service."
PROPOSAL = "Run the migration in `src/db.py` before the web process starts."
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"

NOTE = {"title": "Ports", "text": "The quokkasaurus gateway listens.", "kind": "reference"}

T = TypeVar("T")
Connect = Callable[[], AbstractAsyncContextManager[Client]]


def lessons(*sentences: str) -> str:
    day = datetime.now(UTC).date()
    lines = [
        line(text, Trailer(f"#{n}", day, Verdict.CI_FIX), f"{n:08x}")
        for n, text in enumerate(sentences, 1)
    ]
    return "# Lessons\n\n" + "".join(f"{each}\n" for each in lines)


@dataclass
class Tree:
    """A work tree with a lessons file."""

    path: Path

    def git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=ada", "-c", "user.email=ada@shop.example")
        subprocess.run(["git", *identity, *arguments], cwd=self.path, check=True)

    def write(self, text: str) -> None:
        file = self.path / ".agent-corp" / "lessons.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Lessons")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "shop")
    made.path.mkdir()
    made.git("init", "--quiet", "--initial-branch", "main")
    made.write(lessons(OTHER, SENTENCE, THIRD))
    return made


def local(tree: Tree) -> Connect:
    source = Local(str(tree.path), target, lambda: datetime.now(UTC))
    return lambda: Client(agent_server(source))


def call(connect: Connect, tool: str, **arguments: object) -> CallToolResult:
    async def one() -> CallToolResult:
        async with connect() as client:
            found = await client.call_tool(tool, arguments)
            assert isinstance(found, CallToolResult)
            return found

    return asyncio.run(one())


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def items_of(result: CallToolResult) -> list[dict[str, Any]]:
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    items: list[dict[str, Any]] = result.structured_content["items"]
    return items


# --- transports --------------------------------------------------------------------------------


@pytest.fixture(params=["in process", "stdio", "http"])
def connect(request: pytest.FixtureRequest, tree: Tree) -> Iterator[Connect]:
    command = [str(ROOT / "app.py"), "mcp", "--repo", str(tree.path)]
    if request.param == "in process":
        yield local(tree)
    elif request.param == "stdio":
        server = StdioServerParameters(command=sys.executable, args=command)
        yield lambda: Client(stdio_client(server))
    else:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, *command, "--http", str(port)], stderr=subprocess.DEVNULL
        )
        try:
            wait_until(lambda: process.poll() is not None or answers(port))
            yield lambda: Client(f"http://127.0.0.1:{port}/mcp")
        finally:
            process.terminate()
            process.wait()


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_an_agent_starts_its_task_with_the_pitfalls(connect: Connect) -> None:
    async def task() -> None:
        async with connect() as client:
            assert client.server_info is not None
            assert client.server_info.version == VERSION
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            hints = {name: tool.annotations for name, tool in tools.items()}
            assert {name: hint and hint.read_only_hint for name, hint in hints.items()} == {
                "known_pitfalls": True,
                "search": True,
                "capture": False,
                "confirm": False,
                "keep_lesson": False,
                "report_outcome": False,
            }
            found = await client.call_tool("known_pitfalls", {"paths": ["src/db.py"], "items": 2})
            assert isinstance(found, CallToolResult)
            assert [item["text"] for item in items_of(found)] == [SENTENCE, THIRD]
            assert_framed(text_of(found), [SENTENCE, THIRD])

    asyncio.run(task())


# --- a repository alone ------------------------------------------------------------------------


def test_what_is_structured_is_what_the_command_prints(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    found = call(local(tree), "known_pitfalls")
    assert app.main(["block", "--repo", str(tree.path)]) == 0
    assert capsys.readouterr().out == text_of(found)
    assert found.structured_content is not None
    assert "It is data" in found.structured_content["about"]


def test_a_commit_is_seen_by_the_next_call(tree: Tree) -> None:
    connect = local(tree)
    assert len(items_of(call(connect, "known_pitfalls"))) == 3
    tree.write(lessons(SENTENCE))
    assert [item["text"] for item in items_of(call(connect, "known_pitfalls"))] == [SENTENCE]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("keep_lesson", {"sentence": PROPOSAL, "pull_request": 1}),
        ("report_outcome", {"lesson_id": "00000001", "heeded": True}),
    ],
)
def test_what_needs_the_server_says_so(tree: Tree, tool: str, arguments: dict[str, object]) -> None:
    found = call(local(tree), tool, **arguments)
    assert found.is_error
    assert "connect the server: mcp --url SERVER" in text_of(found)


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("known_pitfalls", {"items": -1}, "items"),
        ("known_pitfalls", {"paths": "src/db.py"}, "paths"),
        ("keep_lesson", {}, "sentence"),
        ("report_outcome", {"lesson_id": "00000001"}, "heeded"),
        ("known_pitfalls", {"items": -1}, "`items` should be greater than or equal to 0."),
        ("known_pitfalls", {"paths": "src/db.py"}, "`paths` should be a valid list."),
        ("keep_lesson", {}, "`sentence` is missing."),
        ("known_pitfalls", {"path": "a"}, "known_pitfalls takes no `path`. It takes: paths, item"),
    ],
)
def test_a_wrong_call_is_named(
    tree: Tree, tool: str, arguments: dict[str, object], named: str
) -> None:
    found = call(local(tree), tool, **arguments)
    assert found.is_error
    assert named in text_of(found)
    assert "pydantic" not in text_of(found)


def test_a_place_that_is_no_repository_is_told_at_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for where, place in (("nowhere", tmp_path / "nowhere"), (".", tmp_path)):
        assert app.main(["mcp", "--repo", where]) == 2
        assert f"repository at {place}." in capsys.readouterr().err


def test_where_there_is_no_repository_the_agent_is_told(tmp_path: Path) -> None:
    found = call(local(Tree(tmp_path / "nothing")), "known_pitfalls")
    assert found.is_error
    assert "There is no repository at" in text_of(found)


def test_hostile_text_cannot_leave_the_frame(tree: Tree) -> None:
    connect = local(tree)
    for text in HOSTILE:
        inside = "".join(text.splitlines())
        tree.write(lessons(inside))
        found = call(connect, "known_pitfalls")
        assert_framed(text_of(found), [inside])
        (item,) = items_of(found)
        assert not any(mark in item["text"] for mark in (BEGIN, END, "<!--", "</"))


def test_a_hostile_rule_or_standing_file_stays_inside_as_well(tree: Tree) -> None:
    store = tree.path / ".agent-corp"
    (store / "standing").mkdir()
    for text in HOSTILE:
        inside = "".join(text.splitlines())
        (store / "rules.md").write_text(f"- **class**: {inside}\n")
        path, data = new_file("0000beef", text, "", "", "ci_fix", 2.0, date(2026, 11, 1), [])
        (tree.path / path).write_bytes(data)
        tree.write(lessons(SENTENCE))
        found = call(local(tree), "known_pitfalls")
        items = items_of(found)
        assert [item["kind"] for item in items] in (
            ["rule", "standing", "bullet"],
            ["rule", "bullet"],  # where both say the same
        )
        assert_framed(text_of(found), [item["text"] for item in items])
        (tree.path / path).unlink()


def test_a_secret_is_redacted_in_both_forms(tree: Tree) -> None:
    tree.write(lessons(f"Use the token {SECRET} of the shop."))
    found = call(local(tree), "known_pitfalls")
    assert SECRET not in found.model_dump_json()
    assert "[redacted]" in text_of(found)
    assert "[redacted]" in items_of(found)[0]["text"]


def test_search_answers_in_both_forms_and_hostile_pages_stay_inside(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tree.path / "README.md").write_text(f"# Parcels\n\nSent daily. {END_OF_ANSWER} <b>{SECRET}\n")
    tree.write(lessons(SENTENCE))
    found = call(local(tree), "search", query="when are parcels sent")
    assert not found.is_error
    assert found.structured_content is not None
    (hit, *_) = found.structured_content["hits"]
    assert (hit["path"], hit["retired"]) == ("README.md", False)
    assert found.structured_content["halves"] == {"exact": "ok", "meaning": "ok"}
    assert text_of(found).count(END_OF_ANSWER) == 1
    assert SECRET not in found.model_dump_json()
    refused = call(local(tree), "search", query="  ")
    assert refused.is_error
    assert "no word in it" in text_of(refused)


def test_a_note_is_saved_found_and_confirmed(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    saved = call(local(tree), "capture", **NOTE)
    assert saved.structured_content is not None, text_of(saved)
    assert saved.structured_content["state"] == "captured"
    path = saved.structured_content["path"]
    found = call(local(tree), "search", query="quokkasaurus")
    assert found.structured_content is not None
    assert found.structured_content["hits"][0]["path"] == path
    confirmed = call(local(tree), "confirm", path=path)
    assert confirmed.structured_content is not None, text_of(confirmed)
    assert confirmed.structured_content["state"] == "confirmed"
    refused = call(local(tree), "capture", **{**NOTE, "kind": "context"})
    assert refused.is_error
    assert "Capture failed: not saved. Step: check. A context note names" in text_of(refused)
    assert call(local(tree), "capture", **{**NOTE, "kind": "lesson"}).is_error


# --- a server ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    clock = Clock(START - datetime.now(UTC))
    with stage(tmp_path_factory.mktemp("stage"), clock) as made:
        yield made


@dataclass(frozen=True)
class Served:
    """A repository that a server keeps, and an agent with a token for it."""

    stage: Stage
    repository: SandboxRepository
    token_file: Path

    def connect(self) -> AbstractAsyncContextManager[Client]:
        return Client(
            agent_server(Remote(self.stage.url, self.repository.full_name, self.token_file))
        )


@pytest.fixture
def served(playing: Stage, tmp_path: Path) -> Served:
    repository = make_shop(playing).repository
    repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    playing.settle()
    day = playing.clock().date()
    bullet = line(SENTENCE, Trailer("#1", day, Verdict.CI_FIX), "0000000a")
    repository.commit("ada", {".agent-corp/lessons.md": f"# Lessons\n\n{bullet}\n"})
    playing.forge.take_deliveries()
    file = tmp_path / "token"
    file.write_text(playing.server.tokens.issue(repository.id, "", "claude")[0] + "\n")
    return Served(playing, repository, file)


def test_a_server_gives_the_block_and_remembers_for_which_pull_request(served: Served) -> None:
    found = call(served.connect, "known_pitfalls", pull_request=1, paths=["src/db.py"])
    assert [item["id"] for item in items_of(found)] == ["0000000a"]
    assert_framed(text_of(found), [SENTENCE])
    (waiting,) = served.stage.server.memory.waiting(served.repository.id)
    assert [row.bullets for row in waiting.wanted.shown] == [("0000000a",)]


def test_a_proposal_waits_for_a_person(served: Served) -> None:
    found = call(served.connect, "keep_lesson", sentence=PROPOSAL, why="It broke.", pull_request=1)
    assert found.structured_content is not None, text_of(found)
    assert found.structured_content["state"] == "waits for a person"
    served.stage.settle()
    (run,) = served.repository.check_runs.values()
    assert found.structured_content["id"] in (run.text or "")


def test_a_note_is_saved_on_a_server_by_who_may(served: Served) -> None:
    refused = call(served.connect, "capture", **NOTE)
    assert refused.is_error
    assert "nothing for this token" in text_of(refused)
    token, _ = served.stage.server.tokens.issue(served.repository.id, "", "writer", captures=True)
    served.token_file.write_text(token)
    saved = call(served.connect, "capture", **NOTE)
    assert saved.structured_content is not None, text_of(saved)
    assert saved.structured_content["commit"] == served.repository.tip()
    path = saved.structured_content["path"]
    assert not call(served.connect, "confirm", path=path).is_error
    wrong = call(served.connect, "capture", **{**NOTE, "kind": "context"})
    assert "Step: check. A context note names its job." in text_of(wrong)


def test_an_outcome_is_stored(served: Served) -> None:
    found = call(
        served.connect, "report_outcome", lesson_id="0000000a", heeded=True, note="Closed it."
    )
    assert not found.is_error
    (report,) = served.stage.server.reports.of(served.repository.id)
    assert (report.heeded, report.note) == (True, "Closed it.")


def test_what_the_agent_can_do_better_it_is_told(served: Served) -> None:
    found = call(served.connect, "keep_lesson", sentence=PROPOSAL)
    assert found.is_error
    assert "Call again with pull_request" in text_of(found)
    unknown = call(served.connect, "report_outcome", lesson_id="ffffffff", heeded=False)
    assert "eight hex digits" in text_of(unknown)


def test_a_token_that_is_replaced_counts_from_the_next_call(served: Served) -> None:
    good = served.token_file.read_text()
    served.token_file.write_text("lkr_nonsense")
    found = call(served.connect, "known_pitfalls")
    assert found.is_error
    assert "asks the operator for a token" in text_of(found)
    assert "nonsense" not in text_of(found)
    served.token_file.write_text(good)
    assert not call(served.connect, "known_pitfalls").is_error
    served.token_file.unlink()
    assert "The token cannot be read" in text_of(call(served.connect, "known_pitfalls"))


def test_a_server_that_does_not_answer_stops_no_task(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    file = tmp_path / "token"
    file.write_text("lkr_x")
    source = Remote(f"http://127.0.0.1:{port}", "acme/shop", file)
    found = call(lambda: Client(agent_server(source)), "known_pitfalls")
    assert found.is_error
    assert "Go on with the task" in text_of(found)


@pytest.mark.parametrize(
    ("url", "repository"),
    [
        ("http://lessons.example", "acme/shop"),
        ("ftp://lessons.example", "acme/shop"),
        ("https://user@lessons.example", "acme/shop"),
        ("https://lessons.example", "."),
        ("https://lessons.example", "a/b/c"),
    ],
)
def test_a_token_goes_to_no_other_address(tmp_path: Path, url: str, repository: str) -> None:
    with pytest.raises(CallError):
        Remote(url, repository, tmp_path / "token")


@pytest.mark.parametrize(
    "arguments", [["--url", "https://lessons.example"], ["--token-file", "token"]]
)
def test_a_server_is_named_with_its_token_or_not_at_all(arguments: list[str]) -> None:
    assert app.main(["mcp", *arguments]) == 2


def test_search_on_a_server_knows_what_was_pushed(served: Served) -> None:
    served.repository.commit("ada", {"docs/parcels.md": "# Parcels\n\nSent daily.\n"})
    served.stage.settle()
    found = call(served.connect, "search", query="when are parcels sent")
    assert found.structured_content is not None
    (hit, *_) = found.structured_content["hits"]
    assert (hit["repository"], hit["path"]) == (served.repository.full_name, "docs/parcels.md")
    assert "Parcels" in text_of(found)
