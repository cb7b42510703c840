"""What waits for a person (SPEC 9): findings that only a person may keep, and what Keep writes.

Pure. A question has one id however often its pull request is read; a decision is an answer to it.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.channels.trust import Worth, is_person, standing
from bot.distill.model import Distilled, Lesson
from bot.distill.note import suggested
from bot.facts import Account, Permission, PullRequest, PullRequestFacts, Review
from bot.lessons.bullet import Verdict
from bot.lessons.orders import Settle
from bot.lessons.store import Conflict, Evidence
from bot.settings import Settings

EXCERPT = 400  # characters of a quarantined text that a person is shown
AGENT = "agent:"  # then the reader's name and a digest: the source of what a reader proposes
KEPT = timedelta(days=14)  # an undecided question is as old as what it is about, and then gone


class Kind(enum.StrEnum):
    OFFERED = "offered"  # a founder's review, a note by `/revise`
    HELD = "held"  # a bot's finding on a pull request from outside
    QUARANTINED = "quarantined"
    PROPOSED = "proposed"  # by an agent: under an account that agents act from, or a reader
    CONFLICT = "conflict"
    NOTE = "note"  # `/lesson`: decided by whoever wrote it


class Answer(enum.StrEnum):
    KEEP = "keep"
    DISCARD = "discard"
    A = "a"
    B = "b"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to decide in the conversation `number`; `pull` is 0 where that is an issue.

    `lesson` is what would be kept, None where the text gives nothing to keep; `why` and `excerpt`
    tell of a quarantined one. A conflict has no lesson: `a` and `b` are its bullets' ids and texts.
    """

    id: str
    kind: Kind
    number: int
    pull: int
    source: str
    by: Account | None
    at: datetime
    lesson: Lesson | None = None
    head: str = ""
    base: str = ""
    path: str | None = None
    why: str = ""
    excerpt: str = ""
    a: tuple[str, str] | None = None
    b: tuple[str, str] | None = None

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Those that a person can give, in the order of the buttons."""
        if self.kind is Kind.CONFLICT:
            return (Answer.A, Answer.B, Answer.SAME)
        return (Answer.KEEP, Answer.DISCARD) if self.lesson is not None else (Answer.DISCARD,)


@dataclass(frozen=True, slots=True)
class Decision:
    """`commit` is set once it is in git; `outcome` says in words what came of it otherwise."""

    answer: Answer
    by: str  # login
    at: datetime
    commit: str | None = None
    bullet: str | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A question and what was decided; `reply` is the comment that gets an answer of its own."""

    question: Question
    decision: Decision | None = None
    reply: int | None = None


def question_id(repository: int, source: str, finding: str) -> str:
    """12 hex digits: `discard:ID` is as long as GitHub lets an action's identifier be."""
    seed = f"{repository}\n{source}\n{finding}"
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def set_aside(
    facts: PullRequestFacts, settings: Settings, us: Account | None, now: datetime
) -> tuple[tuple[Review, Worth], ...]:
    """The reviews whose findings only a person may keep: OFFERED or HELD, young enough to ask."""
    found = ((review, standing(review, facts, settings, us).worth) for review in facts.reviews)
    return tuple(
        (review, worth)
        for review, worth in found
        if worth in (Worth.OFFERED, Worth.HELD) and _is_asked(review, now)
    )


def _is_asked(review: Review, now: datetime) -> bool:
    return review.dismissed_at is None and review.submitted_at > now - KEPT


def of_reviews(
    facts: PullRequestFacts,
    distilled: Mapping[str, Distilled],
    settings: Settings,
    us: Account | None,
    now: datetime,
) -> tuple[Question, ...]:
    """What the reviews of a pull request leave to a person; `distilled` is by source of review."""
    return tuple(
        question
        for review in sorted(facts.reviews, key=lambda r: (r.submitted_at, r.id))
        if review.source in distilled and _is_asked(review, now)
        for question in _of_review(
            facts, review, distilled[review.source], standing(review, facts, settings, us).worth,
            settings.store.characters,
        )
    )  # fmt: skip


def _of_review(
    facts: PullRequestFacts, review: Review, distilled: Distilled, worth: Worth, characters: int
) -> Iterator[Question]:
    if worth is Worth.IGNORED:
        return

    def question(kind: Kind, finding: str, lesson: Lesson | None, comment: int | None) -> Question:
        return Question(
            id=question_id(facts.repository.id, review.source, finding),
            kind=kind,
            number=facts.pull.number,
            pull=facts.pull.number,
            source=review.source,
            by=review.author,
            at=review.submitted_at,
            lesson=lesson,
            head=review.commit,
            base=facts.pull.base,
            path=next((c.path for c in review.comments if c.id == comment), None),
        )

    kind = {Worth.OFFERED: Kind.OFFERED, Worth.HELD: Kind.HELD}.get(worth)
    if kind is not None:
        for lesson in distilled.lessons:
            yield question(kind, lesson.sentence, lesson, lesson.comment)
    for held in distilled.quarantined:
        lesson_of_it = suggested(held.text, characters)
        found = question(Kind.QUARANTINED, f"held:{held.text}", lesson_of_it, held.comment)
        yield replace(found, why=held.reason, excerpt=held.text[:EXCERPT])


def of_note(
    repository: int,
    kind: Kind,
    source: str,
    by: Account,
    at: datetime,
    *,
    number: int,
    pull: PullRequest | None,
    lesson: Lesson | None,
    why: str = "",
    excerpt: str = "",
) -> Question:
    """A note that a comment or a message made.

    `pull` is None where the conversation is an issue's; `number` is 0 outside of GitHub.
    """
    return Question(
        id=question_id(repository, source, ""),
        kind=kind,
        number=number,
        pull=pull.number if pull else 0,
        source=source,
        by=by,
        at=at,
        lesson=lesson,
        head=pull.head_sha if pull else "",
        base=pull.base if pull else "",
        why=why,
        excerpt=excerpt[:EXCERPT],
    )


def of_proposal(
    repository: int,
    pull: PullRequest,
    reader: str,
    sentence: str,
    why: str,
    at: datetime,
    held: str | None = None,
) -> Question:
    """What a reader asks to keep, and its own reason: one question however often it asks.

    `held`: why such a text is quarantined; None: it is not.
    """
    seed = f"{pull.number}\n{sentence}"
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    source = f"{AGENT}{reader}:{digest}"
    return Question(
        id=question_id(repository, source, ""),
        kind=Kind.PROPOSED if held is None else Kind.QUARANTINED,
        number=pull.number,
        pull=pull.number,
        source=source,
        by=None,
        at=at,
        lesson=Lesson(sentence),
        head=pull.head_sha,
        base=pull.base,
        why=held or "",
        excerpt=(why if held is None else f"{sentence} {why}")[:EXCERPT],
    )


def of_conflict(repository: int, conflict: Conflict) -> Question:
    """The contradiction that a pull request brought; as long as it is open, the same question."""
    return Question(
        id=question_id(repository, "conflict", f"{conflict.a}\n{conflict.b}"),
        kind=Kind.CONFLICT,
        number=conflict.pr,
        pull=conflict.pr,
        source=f"conflict:{conflict.a}:{conflict.b}",
        by=None,
        at=conflict.at,
        why=conflict.why,
        a=(conflict.a, conflict.text_a),
        b=(conflict.b, conflict.text_b),
    )


def kept(question: Question, by: Account, at: datetime) -> tuple[Evidence, ...]:
    """The founder note that Keep writes, dated the day it was kept; none without a lesson."""
    if question.lesson is None:
        return ()
    note = Evidence(
        source=question.source,
        pr=question.pull,
        head=question.head,
        channel=Verdict.FOUNDER_NOTE,
        state="kept",
        by=by.id,
        at=at,
        lesson=question.lesson,
        base=question.base,
        path=question.path,
    )
    return (note,)


def settled(question: Question, answer: Answer, by: Account, at: datetime) -> tuple[Settle, ...]:
    """The order that decides a conflict; none for any other question."""
    if question.a is None or question.b is None:
        return ()
    return (Settle(question.a[0], question.b[0], answer.value, by.id, at),)


def may_decide(account: Account, permission: Permission, settings: Settings) -> bool:
    """A person with write access, as GitHub says at this moment; never an account of agents."""
    return is_person(account, settings) and permission.writes
