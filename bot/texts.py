"""Every sentence the bot says, as pure functions. It decides nothing and knows no service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.distill.neutral import inert
from bot.errors import UserError
from bot.lessons.store import COUNTED, Change, Edit
from bot.settings import CommitStyle
from bot.settings.marks import Problem

SUBJECT = 72  # characters; longer subjects are cut where people read them


def counts(found: Mapping[str, int]) -> tuple[str, ...]:
    """The non-zero counts in their fixed order: `1 appended`, `2 refreshed`, …"""
    return tuple(f"{found[name]} {name}" for name in COUNTED if found.get(name))


def subject(
    found: Mapping[str, int],
    prs: Sequence[int],
    prefix: str,
    *,
    followed: int = 0,
    struck: int = 0,
) -> str:
    """`chore(lessons): 1 appended, 2 refreshed from #123`, at most 72 characters.

    Never ends in `(#123)`: that is the mark of a squash merge. What does not fit is in the body.
    `struck` lines and `followed` files are told where nothing was counted.
    """
    parts = counts(found)
    if not parts:
        if struck:
            return f"{prefix}: retire {_many(struck, 'lesson')}"
        moved = f"follow {_many(followed, 'moved file')}"
        return f"{prefix}: {moved if followed else 'evidence only'}"
    where = f" from #{prs[0]}" if len(prs) == 1 else f" from {len(prs)} pull requests"
    for tail in (where, "") if prs else ("",):
        whole = f"{prefix}: {', '.join(parts)}{tail}"
        if len(whole) <= SUBJECT:
            return whole
    shown = list(parts)
    while len(shown) > 1:
        shown.pop()
        whole = f"{prefix}: {', '.join(shown)} and more"
        if len(whole) <= SUBJECT:
            return whole
    return f"{prefix}: {sum(found.values())} changes"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''}"


@dataclass(frozen=True, slots=True)
class FilesReport:
    """What the check run on our own files says; `text` is Markdown and may be empty."""

    title: str
    summary: str
    text: str = ""


def settings_report(file: str, found: Sequence[Problem]) -> FilesReport:
    """What is wrong with a proposed settings file, each problem with its place and remedy."""
    if not found:
        return FilesReport(f"{file} reads well", "It holds once it is on the default branch.")
    lines = [
        f"- line {each.line}, column {each.column}: {inert(each.message)} {inert(each.remedy)}"
        for each in found
    ]
    return FilesReport(
        f"{file}: {_many(len(found), 'problem')}",
        "On the default branch it would stop every write here until it is mended. Nothing would"
        " be lost.",
        "\n".join(lines),
    )


def settings_removed(file: str) -> FilesReport:
    return FilesReport(
        f"{file} is removed",
        "Without it nothing is written here, unless the owner's file says `enabled: true`.",
    )


def distrusted(file: str, reason: str) -> FilesReport:
    """A proposed lessons file that could not be written to."""
    return FilesReport(
        f"{file} could not be trusted",
        f"It {inert(reason)}. On the default branch it would be left alone until it is repaired."
        " Nothing would be lost.",
    )


def files_broken(error: UserError) -> FilesReport:
    """A file of ours on the default branch that stops every write."""
    return FilesReport(
        f"{error.file} stops every write here",
        f"{inert(str(error))}\n\nWhat waits is written once this is mended on the default branch."
        " Nothing is lost.",
    )


_DID = {
    "appended": "Appended",
    "refreshed": "Refreshed",
    "overridden": "Overridden",
    "stale": "Stale",
    "expired": "Expired",
    "evicted": "Evicted",
    "undone": "Undone",
    "struck": "Struck through",
    "followed": "Followed a moved file",
}


def told(change: Change) -> str:
    """One change in words: what, which bullet, why. The lesson's own text acts on nothing."""
    detail = f" ({change.detail})" if change.detail else ""
    return f"{_DID.get(change.did, change.did)} {change.bullet}{detail}: {inert(change.text)}"


def commit_message(
    edit: Edit, style: CommitStyle, *, direct: bool, signer: str | None = None
) -> str:
    """The message of a write, with one trailer per source. `direct` and `signer` as below."""
    did = Counter(change.did for change in edit.told)
    headline = subject(
        edit.counts, edit.prs, style.prefix, followed=did["followed"], struck=did["struck"]
    )
    lines = [told(change) for change in edit.told] or [
        "No line that people read changes: this records evidence for later."
    ]
    sources = [f"Lesson-Source: {source} {head}".rstrip() for source, head in edit.sources]
    return message(headline, lines, sources, style, direct=direct, signer=signer)


def message(
    headline: str,
    lines: Sequence[str],
    trailers: Sequence[str],
    style: CommitStyle,
    *,
    direct: bool,
    signer: str | None = None,
) -> str:
    """A whole commit message. `direct`: on the default branch, where `skip-checks` may stand.

    `signer` is `Name <email>` for the optional sign-off. GitHub wants two empty lines before
    `skip-checks: true`, as the last line.
    """
    ends = list(trailers)
    if style.sign_off and signer:
        ends.append(f"Signed-off-by: {signer}")
    skips = direct and style.skip_checks
    if skips:
        ends.append("skip-checks: true")
    head = f"{headline} {style.marker}" if style.marker else headline
    body = [head, "", *lines, *([""] if skips else []), *(["", *ends] if ends else [])]
    return "\n".join(body) + "\n"
