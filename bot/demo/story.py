"""`make demo`: one repository's quarter of a year in under a minute, told while it happens.

Every step is an act on the sandbox forge; what follows is the real bot's doing, and each claim is
checked before it is printed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from bot.commands.reading import block
from bot.demo.stage import Clock, Stage, stage
from bot.errors import CallError, Fault
from bot.facts import Account, Permission
from bot.git.local import open_target
from bot.sandbox.pull_request import Inline
from bot.sandbox.records import CheckRun
from bot.sandbox.repository import SandboxRepository

SPAN = timedelta(days=100)  # how far back the story begins, so that it ends today
LESSONS = ".agent-corp/lessons.md"

SETTINGS = """version: 1
commit_every: 0            # the story does not wait
reviewers:
  - {login: "rabbit[bot]", commented: strong}
founders: [grace]          # whose reviews are offered with a button, not distilled
"""

FILES = {
    "README.md": "# Shop\n",
    "src/db.py": "".join(f"step_{n} = {n}\n" for n in range(40)),
    "src/cart.py": "".join(f"item_{n} = {n}\n" for n in range(40)),
    "scripts/run-tests.sh": "#!/bin/sh\nMIN_TESTS=12\n",
    ".github/lessonkeeper.yml": SETTINGS,
}


@dataclass(slots=True)
class Story:
    """The narrator: what is done, what came of it, and that it really did."""

    on: Stage
    shop: SandboxRepository
    console: Console
    started: float = field(default_factory=time.monotonic)
    known: int = 0
    failures: list[str] = field(default_factory=list)

    def step(self, title: str, act: Callable[[], object], said: str = "") -> None:
        """Acts, lets the bot work, and shows the commits that followed."""
        day = self.on.clock().date().isoformat()
        self.console.print(f"\n[bold]{day}  {title}[/bold]")
        if said:
            self.console.print(f"  [italic]“{escape(said)}”[/italic]")
        before = len(self.on.sent)
        act()
        self.on.settle()
        posted = len(self.on.sent) - before
        deliveries = "delivery" if posted == 1 else "deliveries"
        self.console.print(f"  {posted} signed {deliveries} posted", style="dim")
        for subject in self.new_subjects():
            self.console.print(f"  → [green]{escape(subject)}[/green]")

    def later(self, days: int) -> None:
        self.on.clock.move(timedelta(days=days))

    def new_subjects(self) -> list[str]:
        messages = self.messages()
        fresh = messages[self.known :]
        self.known = len(messages)
        return fresh

    def messages(self) -> list[str]:
        commits = self.shop.bare.commits(self.shop.tip())
        return [
            c.message.splitlines()[0] for c in commits if c.message.startswith("chore(lessons)")
        ]

    def check(self, claim: str, holds: bool) -> None:
        self.console.print(f"  {'[green]✓' if holds else '[red]✗'}[/] {escape(claim)}")
        if not holds:
            self.failures.append(claim)

    def lessons(self) -> str:
        return self.shop.bare.read(self.shop.tip(), LESSONS).decode()


def demo(keep: Path | None = None, *, stay: bool = False) -> int:
    """Tells the story; 0 when every claim held. `keep`: the sandbox stays in that directory.

    `stay`: the server runs on, with a finding to be kept by a press in the browser, until Ctrl-C.
    Raises CallError for a directory that holds something already or cannot be made.
    """
    console = Console(highlight=False, soft_wrap=True)
    with ExitStack() as stack:
        if keep is None:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="demo-")))
        else:
            directory = _empty(keep)
        console.print(
            "Lessonkeeper on a sandbox: the real receiver, queue, distiller and git path, and a"
            " forge that plays GitHub on loopback. No account, no key, no network."
        )
        guest = Account(0, "ada") if stay else None
        made = stack.enter_context(stage(directory, Clock(-SPAN), guest=guest))
        shop = _open_shop(made)
        story = Story(made, shop, console)
        _tell(story)
        _end(story, directory if keep else None)
        made.github.assert_no_surprises()
        if stay:
            _stay(story)
    return 1 if story.failures else 0


def _empty(keep: Path) -> Path:
    """The directory, made where it is not there."""
    try:
        keep.mkdir(parents=True, exist_ok=True)
        taken = any(keep.iterdir())
    except OSError as error:
        raise CallError(
            f"{keep} cannot be used: {error.strerror}.", remedy="Name another with --keep."
        ) from error
    if taken:
        raise CallError(f"{keep} is not empty.", remedy="Name a new directory with --keep.")
    return keep.resolve()


def _open_shop(on: Stage) -> SandboxRepository:
    shop = on.forge.create_repository("acme/shop", FILES)
    for login in ("ada", "ben", "cleo", "grace"):
        shop.set_permission(login, Permission.WRITE)
    on.forge.account("rabbit[bot]", "Bot")
    on.settle()
    return shop


def _tell(story: Story) -> None:
    shop = story.shop
    leak = (
        "A query that raises leaks the database session. "
        "Please close the session in a `finally` block in `src/db.py`."
    )
    first = shop.open_pull_request("ben", {"src/db.py": "a = 1\n"}, title="Read the stock")
    story.step(
        "ada asks ben for changes in #1, with one finding inline",
        lambda: first.review("ada", "changes_requested", "", [Inline("src/db.py", leak, 3)]),
        leak,
    )
    story.check("the finding is one line now, with its provenance", "(#1, " in story.lessons())

    story.later(6)
    again = (
        "A query that raises leaves the session open for ever. "
        "Close every database session in a `finally` block in `src/db.py`."
    )
    second = shop.open_pull_request("cleo", {"src/db.py": "b = 1\n"}, title="Write the stock")
    story.step(
        "rabbit, a review bot, says it again in other words in #2",
        lambda: second.review("rabbit[bot]", "commented", "", [Inline("src/db.py", again, 9)]),
        again,
    )
    story.check(
        "no second line: the first one's evidence was refreshed",
        story.lessons().count("\n- ") == 1 and "(#2, " in story.lessons(),
    )

    story.later(3)
    tests = (
        "Bump `MIN_TESTS` in `scripts/run-tests.sh` whenever you add a test, "
        "or the run passes without it."
    )
    third = shop.open_pull_request("ben", {"src/cart.py": "c = 1\n"}, title="Count the cart")
    story.step(
        "cleo asks for changes in #3",
        lambda: third.review("cleo", "changes_requested", tests),
        tests,
    )
    over = "Never round prices in `src/cart.py` before the tax is added to the whole cart."
    fourth = shop.open_pull_request("ben", {"src/cart.py": "d = 1\n"}, title="Round prices")
    story.step(
        "ada asks for changes in #4", lambda: fourth.review("ada", "changes_requested", over), over
    )
    story.later(1)
    story.step("cleo merges #4 over that open verdict", lambda: fourth.merge("cleo"))
    story.check(
        "the merged-over lesson is kept for audit, flagged", "; overridden " in story.lessons()
    )

    story.later(4)
    story.step(
        "ben moves src/db.py to src/store/db.py",
        lambda: shop.commit(
            "ben", moves={"src/db.py": "src/store/db.py"}, message="Move the store"
        ),
    )
    story.check("the bullet follows the file", "`src/store/db.py`" in story.lessons())
    story.step(
        "ben deletes scripts/run-tests.sh",
        lambda: shop.commit("ben", {"scripts/run-tests.sh": None}, message="Use make test"),
    )
    story.check("what named that file is stale", "; stale " in story.lessons())

    story.later(int(SPAN.days) - 14)
    story.step(
        "nobody says it again for 90 days; the daily sweep runs", story.on.server.housekeeping
    )
    story.check("the bullet has expired", "; expired " in story.lessons())

    fresh = (
        "Wait for every CI job to conclude before you approve a pull request; "
        "a pending check is no green one."
    )
    fifth = shop.open_pull_request("cleo", {"README.md": "# The shop\n"}, title="Name it")
    story.step(
        "ada asks for changes in #5", lambda: fifth.review("ada", "changes_requested", fresh), fresh
    )
    _keep(story)
    before = story.messages()
    story.step("the last deliveries come once more, under new ids", lambda: _again(story))
    story.check("a replay writes nothing", story.messages() == before)


def _keep(story: Story) -> None:
    """A founder's review is offered in the check run, and one press keeps it."""
    shop = story.shop
    said = "Say in the changelog what a user has to do, before you tag a release."
    sixth = shop.open_pull_request("ben", {"CHANGELOG.md": "# Changes\n"}, title="Tag 2.0")
    story.step(
        "grace, a founder, asks for changes in #6: nothing is written before somebody presses",
        lambda: sixth.review("grace", "changes_requested", said),
        said,
    )
    run = _check_run(shop, sixth.head_sha)
    buttons = "  ".join(f"[ {button.label} ]" for button in run.buttons)
    text = f"{run.title}\n\n{run.text}\n\n{buttons}"
    story.console.print(
        Panel(escape(text), title=f"the check run {run.name} on #6", title_align="left", width=100)
    )
    keep = next(button for button in run.buttons if button.identifier.startswith("keep:"))
    story.step(
        f"grace presses “{keep.label}”", lambda: shop.press(run.id, keep.identifier, "grace")
    )
    story.check("her note is kept, once, as a founder's", "(#6, " in story.lessons())


def _check_run(shop: SandboxRepository, head: str) -> CheckRun:
    return next(run for run in shop.check_runs.values() if run.head_sha == head)


def _stay(story: Story) -> None:
    """Leaves a finding to be decided, and the pages of the server to do it on."""
    said = "Name the migration in the title of a pull request that brings one."
    pull = story.shop.open_pull_request("ben", {"src/db.py": "e = 1\n"}, title="Migrate")
    pull.review("grace", "changes_requested", said)
    story.on.settle()
    link = story.on.server.sign_in.link(story.on.url)
    story.console.print(
        f"\n[bold]grace has a finding in #{pull.number} that waits for you.[/bold] Open this link,"
        f" good once and on this machine, and press Keep:\n\n  {link}\n\nCtrl-C ends the sandbox."
    )
    known = len(story.messages())
    with suppress(KeyboardInterrupt):
        while True:
            story.on.post()  # what the bot pushes comes back to it, as on GitHub
            for subject in story.messages()[known:]:
                story.console.print(f"  → [green]{escape(subject)}[/green]")
                known += 1
            time.sleep(0.5)


def _again(story: Story) -> None:
    story.on.send(story.on.sent[-3:], fresh=True)


def _end(story: Story, kept: Path | None) -> None:
    console, shop = story.console, story.shop
    console.rule("The commit log")
    for commit in reversed(shop.bare.commits(shop.tip())):
        console.print(f"{commit.sha[:7]} {escape(commit.message.splitlines()[0])}")
    console.rule(LESSONS)
    console.print(escape(story.lessons()), end="")
    console.rule("What the next agent receives: app.py block")
    with open_target(str(shop.bare.path), ("demo", "demo@example.org")) as target:
        found = block(target.clone, target.head(), story.on.clock().date())
    console.print(escape(found.to_markdown()), end="")
    console.rule()
    seconds = time.monotonic() - story.started
    console.print(f"{len(story.messages())} commits by the bot in {seconds:.0f} s.")
    if kept is not None:
        console.print(f"The sandbox is in {kept}: look at it with git -C {shop.bare.path} log.")
    if story.failures:
        raise Fault(f"the story did not hold: {'; '.join(story.failures)}", retry=False)
