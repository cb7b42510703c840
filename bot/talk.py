"""What the bot says to people who decide: the check run of a pull request, answers to comments.

Pure functions, as in `bot.texts`. Everything printed acts on nothing and is redacted.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.channels.questions import Answer, Kind, Question, Record
from bot.distill.neutral import inert, visible
from bot.distill.redact import redact
from bot.forge.check_run import Action, CheckRun, Section
from bot.lessons.orders import Order, Retire, Settle, Undo
from bot.lessons.rows import UndoneRow
from bot.lessons.store import Edit

COMMENT_LIMIT = 65_000  # characters; GitHub takes 65,536, and a marker follows
COMMIT = 12  # hex digits of a commit's id that people are shown


def quoted(text: str) -> str:
    """Somebody's words on one line: redacted, and acting on nothing."""
    return inert(" ".join(redact(visible(text)).text.split()))


def check_run(number: int, records: Sequence[Record], sections: Sequence[Section] = ()) -> CheckRun:
    """The check run of a pull request: what is undecided, numbered, what was decided, and more.

    The buttons act on the first; the text says how to decide each by a comment.
    """
    shown = [each for each in records if each.question.kind is not Kind.NOTE]
    waiting = [each.question for each in shown if each.decision is None]
    done = [each for each in shown if each.decision is not None]
    parts = []
    if waiting:
        listed = [_waits(place, each) for place, each in enumerate(waiting, 1)]
        parts.append("\n\n".join(["### Undecided", *listed]))
    if done:
        parts.append("\n".join(["### Decided", "", *(f"- {decided(each)}" for each in done)]))
    sections = sorted(sections, key=lambda section: not section.warns)
    parts += [str(section) for section in sections]
    return CheckRun(
        external_id=f"{PULL}{number}",
        title=_title(waiting, done, sections),
        summary=_HOW if waiting else "Nothing waits for a person here.",
        text="\n\n".join(parts),
        actions=_buttons(waiting),
    )


def in_a_comment(shown: CheckRun) -> str:
    """The same where the App may not write check runs: without buttons, so the text tells how."""
    body = "\n\n".join(filter(None, (f"**{shown.title}.** {_BY_COMMENT}", shown.text)))
    return body[:COMMENT_LIMIT]


PULL = "pull:"  # before the number of the pull request, in the check run's external id
_BY_COMMENT = "People with write access decide, by the comments given below."
_HOW = (
    "People with write access decide. The buttons act on the first; "
    "each can be decided by a comment as well. What is undecided goes after 14 days."
)


def _title(waiting: Sequence[Question], done: Sequence[Record], sections: Sequence[Section]) -> str:
    if waiting:
        wait = "waits" if len(waiting) == 1 else "wait"
        return f"{many(len(waiting), 'finding')} {wait} for a person"
    if sections and (sections[0].warns or not done):
        return sections[0].title
    kept = [d for d in done if d.decision and d.decision.answer is not Answer.DISCARD]
    if not kept:
        return "Nothing waits for a person"
    if any(d.decision and not (d.decision.commit or d.decision.outcome) for d in kept):
        return "A decision is being written"
    written = sum(1 for d in kept if d.decision and d.decision.commit)
    return f"{many(written, 'lesson')} kept" if written else "Nothing was written"


_WHO = {
    Kind.OFFERED: "offered as a lesson",
    Kind.HELD: "held, because a bot reviewed a pull request from outside",
    Kind.QUARANTINED: "quarantined",
    Kind.PROPOSED: "proposed by an account that agents act from",
    Kind.CONFLICT: "two lessons that contradict each other",
}


def _waits(place: int, question: Question) -> str:
    by = f"From {quoted(f'@{question.by.login}')}, " if question.by else ""
    what = _WHO.get(question.kind, "")
    if question.kind is Kind.PROPOSED and question.by is None:
        what = "proposed by an agent"
    lines = [f"{place}. {by}{what}:" if by else f"{place}. {what[:1].upper()}{what[1:]}:"]
    if question.why and question.kind is Kind.QUARANTINED:
        lines.append(f"   {quoted(question.why)} It says: “{quoted(question.excerpt)}”")
    if question.excerpt and question.kind is Kind.PROPOSED:
        lines.append(f"   Its reason: “{quoted(question.excerpt)}”")
    if question.a is not None and question.b is not None:
        lines += [
            f"   - A, `{question.a[0]}`: {quoted(question.a[1])}",
            f"   - B, `{question.b[0]}`: {quoted(question.b[1])}",
            f"   - `/lessons keep {question.id} a` or `b`; `same` where they say one thing.",
        ]
        return "\n".join(lines)
    if question.lesson is not None:
        lines.append(f"   > {quoted(question.lesson.sentence)}")
        lines.append("")
        keep = f"`/lessons keep {question.id}`, "
    else:
        lines.append("   Nothing in it can be kept as it stands: `/lesson TEXT` keeps your words.")
        keep = ""
    lines.append(f"   {keep}`/lessons discard {question.id}`")
    return "\n".join(lines)


def _subject_of(question: Question) -> str:
    if question.a is not None and question.b is not None:
        return f"A, {quoted(question.a[1])} B, {quoted(question.b[1])}"
    return quoted(question.lesson.sentence if question.lesson else question.excerpt)


def _buttons(waiting: Sequence[Question]) -> tuple[Action, ...]:
    if not waiting:
        return ()
    first = waiting[0]
    several = len(waiting) > 1
    place = f" 1 of {len(waiting)}" if several else ""
    labels = {
        Answer.KEEP: (
            f"Keep{place}" if several else "Keep as lesson",
            "Writes it down as a lesson",
        ),
        Answer.DISCARD: (f"Discard{place}", "Forgets it"),
        Answer.A: (f"Keep A{place}", "Strikes B through"),
        Answer.B: (f"Keep B{place}", "Strikes A through"),
        Answer.SAME: (f"Same{place}", "They say one thing: A stays"),
    }
    return tuple(
        Action(*labels[answer], identifier=f"{answer}:{first.id}") for answer in first.answers
    )


# --- answers to comments -----------------------------------------------------------------------

USAGE = (
    "I know `/lesson TEXT`, `/lessons`, `/lessons why`, `/lessons retire ID`, `/lessons undo #PR`, "
    "`/lessons undo @author`, `/lessons keep ID`, `/lessons discard ID` and "
    "`/lessons subject-retired NAME`."
)
DENIED = "That takes write access to this repository, and a person: accounts of agents only offer."
NOT_A_PULL_REQUEST = "`/lessons why` explains the reviews of a pull request; this is none."


def note_refused(reason: str) -> str:
    return f"I did not keep it. {quoted(reason)} Say it in one plain sentence of its own."


def unknown_question(question: str) -> str:
    return f"Nothing waits here under `{question}`: it was decided, withdrawn or is 14 days old."


def not_an_answer(question: Question) -> str:
    ways = ", ".join(f"`/lessons {_comment_for(question, each)}`" for each in question.answers)
    return f"That does not answer `{question.id}`. It takes {ways}."


def _comment_for(question: Question, answer: Answer) -> str:
    if answer in (Answer.KEEP, Answer.DISCARD):
        return f"{answer} {question.id}"
    return f"keep {question.id} {answer}"


def decided(record: Record) -> str:
    """What was decided and what came of it, as a list item or as an answer of its own."""
    question, decision = record.question, record.decision
    if decision is None:
        return ""
    by = quoted(f"@{decision.by}")
    if decision.answer is Answer.DISCARD:
        return f"Discarded by {by}: {_subject_of(question)}"
    did = "Kept" if decision.answer is Answer.KEEP else f"“{decision.answer}” was chosen"
    if decision.commit is not None:
        bullet = f" as `{decision.bullet}`" if decision.bullet else ""
        came = f"in {decision.commit[:COMMIT]}{bullet}"
    else:
        came = quoted(decision.outcome) or "being written"
    return f"{did} by {by}, {came}: {_subject_of(question)}"


def nobody(login: str) -> str:
    return f"There is no account {quoted(f'@{login}')}."


def order_done(order: Order, edit: Edit, commit: str | None) -> str:
    """What an order came to."""
    where = f" in {commit[:COMMIT]}" if commit else ""
    match order:
        case Retire(bullet):
            struck = [each for each in edit.told if (each.did, each.bullet) == ("struck", bullet)]
            if not struck:
                return f"No active bullet has the id `{bullet}`: nothing changed."
            return f"Struck through{where}: {quoted(struck[0].text)}"
        case Undo():
            signals = sum(len(row.signals) for row in edit.rows if isinstance(row, UndoneRow))
            what = "that pull request" if order.pr is not None else "that account"
            if not signals:
                return f"Nothing counts that {what} taught: nothing changed."
            retired = many(edit.counts.get("undone", 0), "bullet")
            taught = many(signals, "signal")
            return f"Undone{where}: {taught} of {what} no longer count; {retired} retired by it."
        case Settle():
            return f"Decided{where}."


def order_refused(reason: str) -> str:
    return f"That could not be written: {quoted(reason)} It is tried again with the next write."


def lessons_list(bullets: Sequence[tuple[str | None, str, str]]) -> str:
    """Active bullets as (id, sentence, where it comes from), in their order."""
    if not bullets:
        return "No lesson is active here yet."
    lines = [
        f"- {quoted(text)} ({quoted(cited)})" + (f" `{bullet}`" if bullet else "")
        for bullet, text, cited in bullets
    ]
    return "\n".join([f"{many(len(bullets), 'active lesson')}:", "", *lines])


def reviews_explained(reviews: Sequence[tuple[str, str, Sequence[str]]]) -> str:
    """Each review as (login, what it is worth and why, what its findings came to)."""
    if not reviews:
        return "No review of this pull request was seen yet."
    lines: list[str] = []
    for login, standing, came in reviews:
        lines.append(f"- {quoted(f'@{login}')}: {quoted(standing)}.")
        lines += [f"  - {quoted(each)}" for each in came]
    return "\n".join(["What the reviews of this pull request came to:", "", *lines])


def many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def finding_came(sentence: str, did: str | None, bullet: str | None, invalid: str | None) -> str:
    """One finding that the store knows; without `did` it is weak evidence."""
    if did is None:
        return f"weak, waits for another pull request: {sentence}"
    counts = f", counts no more ({invalid.replace('_', ' ')})" if invalid else ""
    return f"{did} as `{bullet}`{counts}: {sentence}"


def finding_waits(record: Record) -> str:
    if record.decision is not None:
        return decided(record)
    question = record.question
    return f"{question.kind}, waits under `{question.id}`: {_subject_of(question)}"


def finding_not_written(sentence: str) -> str:
    return f"not written yet, or not answered in a merge: {sentence}"


def finding_recalled(sentence: str, why: str) -> str:
    """A finding that quotes what was shown; `why` begins with the verb."""
    return f"no evidence, because it {why}: {sentence}"


def nothing_found(reason: str) -> str:
    return f"nothing to keep: {reason}"
