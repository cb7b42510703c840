"""The check run "Lessonkeeper" as a value that keeps GitHub's limits. It knows no network."""

from __future__ import annotations

from dataclasses import dataclass

NAME = "Lessonkeeper"
# GitHub's OpenAPI description, POST /repos/{owner}/{repo}/check-runs.
TEXT_LIMIT = 65_535
LABEL_LIMIT = 20
DESCRIPTION_LIMIT = 40
IDENTIFIER_LIMIT = 20
ACTIONS_LIMIT = 3
CUT = "\n\n… cut here: GitHub shows no more than 65,535 bytes."


@dataclass(frozen=True, slots=True)
class Action:
    """One button. `identifier` comes back when it is pressed. ValueError beyond GitHub's limits."""

    label: str
    description: str
    identifier: str

    def __post_init__(self) -> None:
        for what, text, limit in (
            ("label", self.label, LABEL_LIMIT),
            ("description", self.description, DESCRIPTION_LIMIT),
            ("identifier", self.identifier, IDENTIFIER_LIMIT),
        ):
            if not 0 < len(text) <= limit:
                raise ValueError(f"{what} of an action takes 1 to {limit} characters: {text!r}")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of what it says: a title of one line, and a body in Markdown.

    `warns`: people should see it before anything else that is said.
    """

    title: str
    body: str
    warns: bool = False

    def __str__(self) -> str:
        return f"### {self.title}\n\n{self.body}"


@dataclass(frozen=True, slots=True)
class CheckRun:
    """A completed check run that never blocks a merge.

    `external_id` comes back when a button is pressed. `summary` and `text` are Markdown; what is
    too long is cut, and says so. ValueError for more than three actions.
    """

    external_id: str
    title: str
    summary: str
    text: str = ""
    actions: tuple[Action, ...] = ()
    name: str = NAME
    conclusion: str = "neutral"

    def __post_init__(self) -> None:
        if len(self.actions) > ACTIONS_LIMIT:
            raise ValueError(
                f"GitHub shows at most {ACTIONS_LIMIT} actions, not {len(self.actions)}"
            )
        object.__setattr__(self, "summary", _cut(self.summary))
        object.__setattr__(self, "text", _cut(self.text))


def _cut(text: str) -> str:
    # Counted in bytes: whichever way GitHub counts, this fits.
    if len(text.encode()) <= TEXT_LIMIT:
        return text
    room = TEXT_LIMIT - len(CUT.encode())
    return text.encode()[:room].decode(errors="ignore") + CUT
