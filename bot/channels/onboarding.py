"""Setting a repository up: what it changes there, and what was seen there that settings can say.

Pure: what stands there comes in, the files that change go out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.channels.rolling import is_wanted
from bot.facts import BranchRule, PastPullRequest
from bot.lessons.adoption import Adopted, Unadopted, adopt
from bot.lessons.document import HEADER
from bot.lessons.edit import ATTRIBUTES, ATTRIBUTES_TEXT, LESSONS
from bot.lessons.include import include
from bot.settings import Reviewer, Settings
from bot.settings.file import FILE
from bot.settings.printing import to_yaml


@dataclass(frozen=True, slots=True)
class SetUp:
    """`changes`: paths to their new bytes. `adopted`: the lines of the store that got a trailer.

    `unadopted`: a person's other lines, with the reason.
    """

    changes: Mapping[str, bytes]
    adopted: tuple[Adopted, ...] = ()
    unadopted: tuple[Unadopted, ...] = ()


def set_up(
    files: Mapping[str, bytes | None],
    settings: Settings,
    today: date,
    *,
    adopting: bool = False,
) -> SetUp:
    """What is missing; nothing that is there is written over.

    `files` has the bytes of the settings, the store, its attributes and each of
    `settings.include`: None where there is no such file, no key where it may not be touched.
    `adopting`: lines with their provenance in another form get our trailer. Raises UserError where
    an agent file does not take the line.
    """
    changes = include(files, settings.include)
    news = {
        FILE: to_yaml(settings).encode(),
        ATTRIBUTES: ATTRIBUTES_TEXT,
        LESSONS: HEADER.encode(),
    }
    changes |= {path: data for path, data in news.items() if files.get(path, b"") is None}
    lessons = files.get(LESSONS)
    data, adopted, unadopted = adopt(lessons or b"", today)
    if adopting and adopted:
        changes[LESSONS] = data
    return SetUp(changes, adopted, unadopted)


LOOKED_AT = 100  # merged pull requests, the latest
OFTEN = 3  # pull requests: who acts in fewer is a guest

# They open pull requests, but no agent works for a person there.
_DEPENDENCY_BOTS = frozenset(
    {
        "dependabot[bot]", "dependabot-preview[bot]", "renovate[bot]", "depfu[bot]",
        "greenkeeper[bot]", "pyup-bot[bot]", "snyk-io[bot]", "pre-commit-ci[bot]", "imgbot[bot]",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Seen:
    """Who acts in a repository: logins of bots to the number of pull requests, most first."""

    looked_at: int
    reviewers: Mapping[str, int]
    agents: Mapping[str, int]


def seen(merged: Sequence[PastPullRequest], us: str) -> Seen:
    """The bots that reviewed, and the Apps that opened, often enough. `us` is our own login."""
    reviewed = Counter(
        login for pull in merged for login in {r.login for r in pull.reviews if r.is_bot}
    )
    opened = Counter(p.author for p in merged if p.is_bot and p.from_here)
    nobody = {us.lower()}
    return Seen(len(merged), _often(reviewed, nobody), _often(opened, {*nobody, *_DEPENDENCY_BOTS}))


def _often(counted: Counter[str], apart: Collection[str]) -> dict[str, int]:
    return {
        login: count
        for login, count in counted.most_common()
        if count >= OFTEN and login.lower() not in apart
    }


def proposed(owner: Settings, found: Seen, rules: Sequence[BranchRule]) -> Settings:
    """The owner's settings with what was seen: people edit them before they merge."""
    by_request = any(rule.type == "pull_request" or rule.strict for rule in rules)
    reviewers = {reviewer.login.lower() for reviewer in owner.reviewers}
    agents = {login.lower() for login in owner.agents}
    return replace(
        owner,
        reviewers=(
            *owner.reviewers,
            *(Reviewer(login) for login in found.reviewers if login.lower() not in reviewers),
        ),
        agents=(*owner.agents, *(a for a in found.agents if a.lower() not in agents)),
        mode="pull_request" if by_request or is_wanted(owner, rules) else owner.mode,
    )
