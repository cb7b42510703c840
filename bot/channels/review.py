"""The review channel: what the reviews of one pull request teach, as things stand now (SPEC 4, 9).

Decides from the present state of the pull request alone, never from what arrived when. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.channels.recall import Line, part_of, recalled
from bot.channels.trust import Standing, Worth, is_listed, is_person, standing, verdict
from bot.distill.model import Distilled, Remark
from bot.facts import Account, PullRequestFacts, Review, ReviewState
from bot.lessons.bullet import Verdict
from bot.lessons.lesson import Lesson
from bot.lessons.retirement import Invalidation
from bot.lessons.similarity import decide
from bot.lessons.store import Evidence, Present
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class Told:
    """What one review came to, for `/lessons why` and the log."""

    review: int
    by: Account
    standing: Standing
    distilled: Distilled | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything that the store has to know of one pull request now."""

    evidence: tuple[Evidence, ...]
    present: tuple[Present, ...] = ()
    told: tuple[Told, ...] = ()


def remarks(review: Review) -> tuple[Remark, ...]:
    """The findings' texts: the body and the inline comments by id; replies are no findings."""
    found = [Remark(review.body)] if review.body.strip() else []
    found += [
        Remark(comment.body, comment.id, comment.path, comment.line)
        for comment in sorted(review.comments, key=lambda c: c.id)
        if comment.in_reply_to is None and comment.body.strip()
    ]
    return tuple(found)


def to_distill(
    facts: PullRequestFacts, settings: Settings, us: Account | None = None
) -> tuple[Review, ...]:
    """The reviews that may teach and say something, oldest first."""
    return tuple(
        review
        for review in _in_order(facts)
        if standing(review, facts, settings, us).teaches and remarks(review)
    )


def judge(
    facts: PullRequestFacts,
    distilled: Mapping[str, Distilled],
    settings: Settings,
    us: Account | None = None,
    shown: Sequence[Line] = (),
) -> Judged:
    """The evidence of a pull request; `distilled` is by source of the review.

    `shown`: the lines of the block that its readers had before them.
    """
    evidence: list[Evidence] = []
    present: list[Present] = []
    told: list[Told] = []
    for review in _in_order(facts):
        worth = standing(review, facts, settings, us)
        found = distilled.get(review.source) if worth.teaches else None
        told.append(Told(review.id, review.author, worth, found))
        edited = review.edited_at or review.submitted_at
        present.append(Present(facts.pull.number, review.id, review.source, edited))
        for lesson in found.lessons if found else ():
            answered = _answered(review, lesson, facts, distilled, settings)
            evidence.append(
                Evidence(
                    source=review.source,
                    pr=facts.pull.number,
                    head=review.commit,
                    channel=Verdict.CHANGES_REQUESTED,
                    state=review.state.value,
                    by=review.author.id,
                    at=review.submitted_at,
                    lesson=lesson,
                    strong=worth.worth is Worth.STRONG,
                    matured=answered and merged_at(facts, settings) is not None,
                    invalid=None if answered else _invalid(review, facts, settings),
                    base=facts.pull.base,
                    path=_path(review, lesson),
                    recall=recalled(_finding(review, lesson), shown, review.submitted_at),
                )
            )
    return Judged(tuple(evidence), tuple(present), tuple(told))


def _in_order(facts: PullRequestFacts) -> tuple[Review, ...]:
    return tuple(sorted(facts.reviews, key=lambda r: (r.submitted_at, r.id)))


def _finding(review: Review, lesson: Lesson) -> str:
    """The remark that the lesson was made of, as it was written."""
    inline = (c.body for c in review.comments if c.id == lesson.comment)
    return next(inline, None) or part_of(review.body, lesson.sentence)


def _path(review: Review, lesson: Lesson) -> str | None:
    return next((c.path for c in review.comments if c.id == lesson.comment), None)


def merged_at(facts: PullRequestFacts, settings: Settings) -> datetime | None:
    """When it was merged; closing with `merged_label` counts where a merge bot lands commits."""
    pull = facts.pull
    if pull.merged_at is not None:
        return pull.merged_at
    if settings.merged_label is not None and settings.merged_label in pull.labels:
        return pull.closed_at
    return None


def _answered(
    review: Review,
    lesson: Lesson,
    facts: PullRequestFacts,
    distilled: Mapping[str, Distilled],
    settings: Settings,
) -> bool:
    if lesson.comment is not None:
        answered = facts.is_answered_by_thread(lesson.comment)
    else:
        answered = any(
            c.committed_at > review.submitted_at and not c.merges_base for c in facts.commits
        )
    return answered and not _repeated(review, lesson, facts, distilled, settings)


def _repeated(
    review: Review,
    lesson: Lesson,
    facts: PullRequestFacts,
    distilled: Mapping[str, Distilled],
    settings: Settings,
) -> bool:
    """Whether a later review of the same reviewer says it again."""
    later = (
        r
        for r in facts.reviews
        if r.author.id == review.author.id
        and (r.submitted_at, r.id) > (review.submitted_at, review.id)
    )
    return any(
        again.sentence == lesson.sentence
        or decide(again.sentence, lesson.sentence, settings.refresh).same
        for r in later
        if r.source in distilled
        for again in distilled[r.source].lessons
    )


def _invalid(review: Review, facts: PullRequestFacts, settings: Settings) -> Invalidation | None:
    """Why an unanswered finding does not count: dismissed, or a person merged over the verdict."""
    number = facts.pull.number
    if review.dismissed_at is not None:
        return Invalidation("dismissed", review.dismissed_at, number)
    merger = facts.pull.merged_by
    merged = facts.pull.merged_at
    if merged is None or merger is None or not _merges_as_person(merger, settings):
        return None
    acted = facts.pull.acted_at or merged
    if review.submitted_at > acted or not _still_asks(review, facts, settings, acted):
        return None
    return Invalidation("merged_over", merged, number, by=merger.id)


def _merges_as_person(account: Account, settings: Settings) -> bool:
    return is_listed(account, settings.merge_actors) or is_person(account, settings)


def _still_asks(
    review: Review, facts: PullRequestFacts, settings: Settings, acted: datetime
) -> bool:
    """Whether that reviewer's latest deciding review, when the person acted, asked for changes."""
    deciding = [
        r
        for r in _in_order(facts)
        if r.author.id == review.author.id
        and r.submitted_at <= acted
        and (r.dismissed_at is None or r.dismissed_at > acted)
        and verdict(r, settings) in (ReviewState.APPROVED, ReviewState.CHANGES_REQUESTED)
    ]
    return bool(deciding) and verdict(deciding[-1], settings) is ReviewState.CHANGES_REQUESTED
