"""One arrow, no cycle: which room may know which library, and which other room."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [
    path
    for path in (ROOT / "app.py", *ROOT.glob("bot/**/*.py"), *ROOT.glob("webhooks/**/*.py"))
    if path.exists()
]

# A library and the only places that may import it.
HOMES = {
    "flask": ("webhooks", "bot/sandbox"),
    "flask_wtf": ("webhooks",),
    "github": ("bot/forge",),
    "git": ("bot/git",),
    "anthropic": ("bot/distill",),
    "mcp": ("bot/commands/mcp.py",),
    "httptools": ("webhooks/connections.py",),
    "numpy": ("bot/search/rows.py", "bot/search/vectors.py"),
    "tokenizers": ("bot/search/vectors.py",),
    "safetensors": ("bot/search/vectors.py",),
    "matplotlib": ("bot/reports/picture.py",),
}

# The domain computes; it has no clock, no disk and no network. What is not listed is refused.
PURE = {
    "__future__", "bisect", "collections", "dataclasses", "datetime", "difflib", "enum",
    "functools", "hashlib", "heapq", "html", "itertools", "json", "markdown_it", "math",
    "operator", "pathlib", "pathspec.GitIgnoreSpec", "re", "snowballstemmer", "string", "typing",
    "unicodedata", "yaml",
}  # fmt: skip
DOMAIN = ("bot/lessons", "bot/notes")
DOMAIN_MAY_KNOW = ("bot.errors", "bot.facts", "bot.lessons", "bot.notes", "bot.settings")
TELLS_THE_TIME = {"now", "today", "utcnow"}
TOUCHES_THE_WORLD = {"open", "input", "print", "exec", "eval", "__import__"}

# A room and the modules below which it must not reach; values that rooms share are excepted.
FORBIDDEN = {
    "bot/channels": ("bot.forge", "bot.git", "bot.jobs", "bot.database", "bot.inbox", "webhooks"),
    "bot/distill": ("bot.channels", "bot.forge", "bot.git", "bot.jobs", "webhooks"),
    "bot/forge": ("bot.channels", "bot.git", "bot.jobs", "bot.distill", "webhooks"),
    "bot/git": ("bot.channels", "bot.forge", "bot.jobs", "bot.distill", "webhooks"),
    "bot/search": ("bot.channels", "bot.distill", "bot.forge", "bot.git", "bot.work", "webhooks"),
    "bot/reports": (
        "bot.channels", "bot.database", "bot.forge", "bot.git", "bot.jobs", "bot.work", "webhooks",
    ),
    "bot/settings": ("bot.channels", "bot.forge", "bot.git", "bot.jobs", "bot.lessons"),
    "bot/web": (
        "bot.forge", "bot.git", "bot.jobs", "bot.database", "bot.distill", "bot.work", "webhooks",
    ),
    "webhooks": ("bot.channels", "bot.distill", "bot.git", "bot.lessons"),
}  # fmt: skip
SHARED = (
    "bot.git.plan", "bot.forge.protocol", "bot.forge.check_run", "bot.forge.errors",
    "webhooks.events",
)  # fmt: skip


def imports(source: str, module: str) -> Iterator[tuple[int, str]]:
    """Line and full name of everything imported anywhere in the module of that dotted name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def below(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    """The module's name; a package's own module keeps `__init__`, so that `.` is the package."""
    return place(path).removesuffix(".py").replace("/", ".")


def imported(path: Path) -> list[tuple[int, str]]:
    return list(imports(path.read_text(encoding="utf-8"), dotted(path)))


def within(path: Path, *rooms: str) -> bool:
    return any(place(path) == room or place(path).startswith(f"{room}/") for room in rooms)


@pytest.mark.parametrize("library", HOMES)
def test_only_its_home_knows_a_library(library: str) -> None:
    strays = [
        f"{place(path)}:{line}"
        for path in SOURCES
        if not within(path, *HOMES[library])
        for line, name in imported(path)
        if below(name, library)
    ]
    assert strays == []


def test_the_domain_imports_no_io() -> None:
    strays = [
        f"{place(path)}:{line}: {name}"
        for path in SOURCES
        if within(path, *DOMAIN)
        for line, name in imported(path)
        if not below(name, *PURE, *DOMAIN_MAY_KNOW)
        or (below(name, "pathlib") and not name.startswith("pathlib.Pure"))
        or (below(name, "bot.settings") and name.split(".")[2].islower())  # a module, not a value
    ]
    assert strays == []


def test_the_domain_asks_no_clock_and_opens_nothing() -> None:
    strays = [
        f"{place(path)}:{node.lineno}"
        for path in SOURCES
        if within(path, *DOMAIN)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Attribute) and node.func.attr in TELLS_THE_TIME)
            or (isinstance(node.func, ast.Name) and node.func.id in TOUCHES_THE_WORLD)
        )
    ]
    assert strays == []


@pytest.mark.parametrize("room", FORBIDDEN)
def test_no_room_reaches_against_the_arrow(room: str) -> None:
    assert any(within(path, room) for path in SOURCES), "the room has moved: name it anew"
    strays = [
        f"{place(path)}:{line}: {name}"
        for path in SOURCES
        if within(path, room)
        for line, name in imported(path)
        if below(name, *FORBIDDEN[room], "app") and not below(name, *SHARED)
    ]
    assert strays == []


def test_the_rooms_form_no_cycle() -> None:
    rooms = {".".join(dotted(path).split(".")[:2]) for path in SOURCES if within(path, "bot")}
    knows: dict[str, set[str]] = {room: set() for room in rooms}
    for path in SOURCES:
        room = ".".join(dotted(path).split(".")[:2])
        # Values that rooms share point no way.
        if room in rooms and not below(dotted(path), *SHARED):
            for _, name in imported(path):
                other = ".".join(name.split(".")[:2])
                if other in rooms - {room} and not below(name, *SHARED):
                    knows[room].add(other)
    graphlib.TopologicalSorter(knows).prepare()


@pytest.mark.parametrize(
    ("source", "module", "name"),
    [
        ("import git.repo", "bot.jobs", "git.repo"),
        ("def f():\n    from git import Repo", "bot.jobs", "git.Repo"),
        ("from bot import git", "bot.jobs", "bot.git"),
        ("from .. import git", "bot.lessons.store", "bot.git"),
        ("from ..git.plan import Plan", "bot.lessons.store", "bot.git.plan.Plan"),
        ("from . import bullet", "bot.lessons.__init__", "bot.lessons.bullet"),
    ],
)
def test_an_import_is_seen_however_it_is_written(source: str, module: str, name: str) -> None:
    assert name in [found for _, found in imports(source, module)]
