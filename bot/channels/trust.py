"""Who may teach, and what a review is worth, decided before anything reads its text (SPEC 9).

Pure: facts and settings in, a standing with its reason out.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.facts import Account, PullRequestFacts, Review, ReviewState
from bot.settings import Evidence, Reviewer, Settings
from bot.settings.accounts import is_meant


class Worth(enum.Enum):
    STRONG = "strong"
    WEAK = "weak"
    HELD = "held"
    OFFERED = "offered"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Standing:
    """What a review is worth, and why: `reason` is a phrase for people."""

    worth: Worth
    reason: str

    @property
    def teaches(self) -> bool:
        return self.worth in (Worth.STRONG, Worth.WEAK)


def is_person(account: Account, settings: Settings) -> bool:
    """An account of type User that is not listed under `agents`."""
    return account.kind == "User" and not is_listed(account, settings.agents)


def is_agent(account: Account, settings: Settings) -> bool:
    """Listed under `agents`: it never commands, whoever owns it."""
    return is_listed(account, settings.agents)


def is_listed(account: Account, logins: tuple[str, ...]) -> bool:
    return any(is_meant(account, login) for login in logins)


def reviewer_of(account: Account, settings: Settings) -> Reviewer | None:
    return next((each for each in settings.reviewers if is_meant(account, each.login)), None)


def _says(line: str | None, body: str) -> bool:
    return line is not None and any(line == each.strip() for each in body.splitlines())


def verdict(review: Review, settings: Settings) -> ReviewState:
    """The state of a review, where its reviewer's `asks` or `passes` line does not decide it."""
    reviewer = reviewer_of(review.author, settings)
    if reviewer is not None and review.state is ReviewState.COMMENTED:
        if _says(reviewer.asks, review.body):
            return ReviewState.CHANGES_REQUESTED
        if _says(reviewer.passes, review.body):
            return ReviewState.APPROVED
    return review.state


def _claimed(review: Review, settings: Settings) -> bool:
    """Whether a `reviewers` entry's line makes this a review of that reviewer, not of a founder."""
    reviewer = reviewer_of(review.author, settings)
    return reviewer is not None and (
        _says(reviewer.asks, review.body) or _says(reviewer.passes, review.body)
    )


def is_trusted(facts: PullRequestFacts) -> bool:
    """The head branch is in the repository itself, or the author has write access."""
    pull = facts.pull
    return pull.head_repository == facts.repository.id or facts.writes(pull.author)


def standing(
    review: Review, facts: PullRequestFacts, settings: Settings, us: Account | None = None
) -> Standing:
    """What a review is worth. `us` is the App's own account."""
    ignored = _ignored(review, facts, settings, us)
    if ignored is not None:
        return Standing(Worth.IGNORED, ignored)
    state = verdict(review, settings)
    founder = is_listed(review.author, settings.founders) and not _claimed(review, settings)
    if founder:
        return Standing(Worth.OFFERED, "a founder's review is offered with Keep")
    if not is_person(review.author, settings) and not is_trusted(facts) and not _landed(facts):
        return Standing(Worth.HELD, "a bot's review of a pull request from outside waits")
    if state is ReviewState.CHANGES_REQUESTED:
        return Standing(Worth.STRONG, "asks for changes")
    return _commented(review, settings)


def _commented(review: Review, settings: Settings) -> Standing:
    reviewer = reviewer_of(review.author, settings)
    evidence = reviewer.commented if reviewer else settings.people
    match evidence:
        case Evidence.STRONG:
            return Standing(Worth.STRONG, "a commented review, strong by setting")
        case Evidence.WEAK:
            return Standing(
                Worth.WEAK,
                "a commented review is weak: it counts once answered, merged and met again",
            )
        case Evidence.IGNORE:
            return Standing(Worth.IGNORED, "commented reviews are ignored by setting")


def _ignored(
    review: Review, facts: PullRequestFacts, settings: Settings, us: Account | None
) -> str | None:
    author = review.author
    reviewer = reviewer_of(author, settings)
    if us is not None and author.id == us.id:
        return "our own review"
    if us is not None and facts.pull.author.id == us.id:
        return "our own pull request"
    if review.state is ReviewState.PENDING:
        return "not submitted yet"
    if author.id == facts.pull.author.id and reviewer is None:
        return "the author's own review"
    if verdict(review, settings) is ReviewState.APPROVED:
        return "an approval"
    if reviewer is None and not is_person(author, settings):
        kind = "an agent" if is_listed(author, settings.agents) else "an unlisted bot"
        return f"{kind}: @{author.login} is not listed under reviewers"
    if reviewer is None and not facts.writes(author):
        return f"@{author.login} has no write access"
    return None


def _landed(facts: PullRequestFacts) -> bool:
    """Whether somebody with write access merged it."""
    return facts.pull.merged_at is not None and facts.writes(facts.pull.merged_by)
