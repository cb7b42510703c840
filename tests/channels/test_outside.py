"""What a pull request from outside changes of what agents read."""

from __future__ import annotations

import pytest

from bot.channels.outside import AgentFile, agent_files_in, is_outside, ours_in, reworded
from bot.facts import Account, Permission, PullRequest, PullRequestFacts, Repository
from bot.forge.protocol import PullFile

HERE = 11
BEN, US = Account(2, "Ben"), Account(9, "lessonkeeper[bot]", "Bot")
LINE = b"@.agent-corp/known-pitfalls.md"


def facts(head: int | None, permission: Permission, author: Account = BEN) -> PullRequestFacts:
    pull = PullRequest(5, author, "main", "topic", "e" * 40, head_repository=head)
    here = Repository(HERE, "acme", "shop", "main", "")
    return PullRequestFacts(here, pull, permissions={"ben": permission})


@pytest.mark.parametrize(
    ("found", "outside"),
    [
        (facts(12, Permission.READ), True),
        (facts(None, Permission.NONE), True),  # its fork was deleted
        (facts(12, Permission.WRITE), False),
        (facts(HERE, Permission.NONE), False),  # only writers push there
        (facts(12, Permission.NONE, US), False),
    ],
)
def test_who_may_not_write_is_outside(found: PullRequestFacts, outside: bool) -> None:
    assert is_outside(found, US) is outside


def test_everything_in_our_folder_is_ours_wherever_it_moves() -> None:
    files = [
        PullFile(".agent-corp/rules.md", "added"),
        PullFile("docs/old.md", "renamed", ".agent-corp/lessons.md"),
        PullFile("src/.agent-corp/x.md", "added"),
        PullFile(".agent-corpus.md", "added"),
    ]
    assert ours_in(files) == (".agent-corp/lessons.md", ".agent-corp/rules.md")


def test_agent_files_are_those_of_the_setting() -> None:
    files = [PullFile("docs/C.md", "renamed", "CLAUDE.md"), PullFile("README.md", "modified")]
    assert agent_files_in(files, ["CLAUDE.md", "AGENTS.md"]) == ("CLAUDE.md",)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (b"# Shop\n\n" + LINE, b"# The shop\r\n\r\n" + LINE + b"\r\n", {}),
        (LINE, b"# Shop\n", {"CLAUDE.md": False}),
        (LINE, None, {"CLAUDE.md": False}),
        (None, LINE, {"CLAUDE.md": True}),
        (LINE, b"Never read " + LINE, {"CLAUDE.md": True}),
        (LINE, LINE + b"\n" + LINE, {"CLAUDE.md": True}),
        (b"# Shop\n", b"# Mine\n\xff", {}),
    ],
)
def test_the_line_that_includes_us_is_compared(
    before: bytes | None, after: bytes | None, changed: dict[str, bool]
) -> None:
    assert reworded([AgentFile("CLAUDE.md", before, after)]) == changed
