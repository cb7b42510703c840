"""What the bot says where it is set up in a repository: commit messages, the onboarding's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.lessons.adoption import Adopted
from bot.settings import CommitStyle
from bot.texts import message


def set_up(paths: Sequence[str], adopted: int, style: CommitStyle, *, direct: bool) -> str:
    """The message of the commit that sets the repository up. `adopted`: lines given our trailer."""
    lines = [f"Write {path}" for path in paths]
    if adopted:
        lines.append(f"Give {adopted} line{'s' if adopted > 1 else ''} our trailer")
    return message(f"{style.prefix}: set up Lessonkeeper", lines, (), style, direct=direct)


def adoption(adopted: Sequence[Adopted], *, done: bool) -> str:
    """The lines that get our trailer, as a person compares them. `done`: or is it an offer?"""
    count = len(adopted)
    what = f"{count} hand-written line{'s' if count > 1 else ''}"
    head = f"{what} got our trailer:" if done else f"--adopt gives {what} our trailer:"
    pairs = [f"- {each.before}\n+ {each.after}" for each in adopted]
    tail = "A line with our trailer counts in the cap, is refreshed, and expires by its date."
    return "\n".join([head, *pairs, tail])


def left_alone(files: Sequence[str]) -> str:
    """`files`: each with the reason why it was not touched."""
    return "\n".join(f"Left alone: {each}." for each in files)


def unlisted(bots: Mapping[str, int]) -> str:
    """Bots that reviewed and are not heard; list them, and they are."""
    names = ", ".join(f"{login} ({count})" for login, count in bots.items())
    return f"Not heard, because they are not listed under reviewers: {names}."
