"""What the bot says where it is set up in a repository: commit messages, the onboarding's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.channels.onboarding import Seen
from bot.errors import UserError
from bot.lessons.adoption import Adopted, Unadopted
from bot.lessons.store import LESSONS
from bot.settings import CommitStyle, Settings
from bot.settings.file import FILE
from bot.talk import quoted
from bot.texts import message

ONBOARDING = "Set up Lessonkeeper"
REFUSED = "Lessonkeeper could not open its first pull request here"


def set_up(
    paths: Sequence[str],
    adopted: int,
    style: CommitStyle,
    *,
    direct: bool = False,
    signer: str | None = None,
) -> str:
    """The message of the commit that sets the repository up. `adopted`: lines given our trailer."""
    lines = [f"Write {path}" for path in paths]
    if adopted:
        lines.append(f"Give {adopted} line{'s' if adopted > 1 else ''} our trailer")
    headline = f"{style.prefix}: set up Lessonkeeper"
    return message(headline, lines, (), style, direct=direct, signer=signer)


def onboarding(seen: Seen, settings: Settings, gave: Mapping[str, int], starter: int) -> str:
    """The text of the onboarding pull request. `gave`: bullets by reviewer; of people under ""."""
    rows = [
        f"| `{login}` | {count} | {gave.get(login, 0)} |" for login, count in seen.reviewers.items()
    ]
    rows.append(f"| people with write access | | {gave.get('', 0)} |")
    what = (
        "Lessonkeeper keeps what reviewers and CI had to say more than once, one line each, in"
        f" `{LESSONS}`, so that the next person or coding agent starts with it."
    )
    ask = (
        f"**Nothing is written here until this is merged.** Edit `{FILE}` on this branch where it"
        " is not right, then merge. Close this to say no: it is not opened again."
    )
    parts = [
        what,
        ask,
        f"In the last {seen.looked_at} merged pull requests:",
        "\n".join(
            ["| reviewer | reviewed | bullets it would have given |", "|---|---|---|", *rows]
        ),
    ]
    if seen.agents:
        names = ", ".join(f"`{login}` (opened {n})" for login, n in seen.agents.items())
        parts.append(f"Under `agents`, because they open pull requests here: {names}.")
    if settings.mode == "pull_request":
        parts.append("`mode: pull_request`, because rules of the default branch ask for it.")
    if starter:
        parts.append(
            f"The second commit is a starter store: {starter} lesson{'s' if starter > 1 else ''} of"
            " the last 90 days. Drop that commit to start empty."
        )
    return "\n\n".join(parts)


def refused(error: UserError) -> str:
    """The text of the issue where the onboarding pull request was not let in."""
    why = (
        "The App is installed here, and a pull request with its settings would be open now, had it"
        f" been let in. {quoted(error.message)}"
    )
    then = (
        "Then take this repository out of the App's installation and add it again. Or write"
        f" `{FILE}` on the default branch yourself: the one line `version: 1` stands for every"
        " default, and reviews since the App came are read then."
    )
    until = "Until one of the two is done nothing is written here; this issue is closed then."
    return "\n\n".join(part for part in (why, error.remedy, then, until) if part)


def adoption(adopted: Sequence[Adopted], *, done: bool) -> str:
    """The lines that get our trailer, as a person compares them. `done`: or is it an offer?"""
    count = len(adopted)
    what = f"{count} hand-written line{'s' if count > 1 else ''}"
    head = f"{what} got our trailer:" if done else f"--adopt gives {what} our trailer:"
    pairs = [f"- {each.before}\n+ {each.after}" for each in adopted]
    tail = "A line with our trailer counts in the cap, is refreshed, and expires by its date."
    return "\n".join([head, *pairs, tail])


def unadopted(lines: Sequence[Unadopted]) -> str:
    """A person's lines that stay as they are, and why."""
    head = "Left as they are, and shown to agents all the same:"
    return "\n".join([head, *(f"  {each.line}\n    ({each.reason})" for each in lines)])


def left_alone(files: Sequence[str]) -> str:
    """`files`: each with the reason why it was not touched."""
    return "\n".join(f"Left alone: {each}." for each in files)


def unlisted(bots: Mapping[str, int]) -> str:
    """Bots that reviewed and are not heard; list them, and they are."""
    names = ", ".join(f"{login} ({count})" for login, count in bots.items())
    return f"Not heard, because they are not listed under reviewers: {names}."
