"""The weekly digest in words: for an issue, for Telegram, and for the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import timedelta

from bot.reports.digest import Digest, Figure
from bot.reports.made import Json, table

KEY = "digest"  # the marker of the issue
NAMED = 20  # repositories in the command below; more make it unreadable


def title(owner: str) -> str:
    return f"Lessonkeeper: the week of {owner}"


def command(found: Digest, addresses: Sequence[str]) -> str:
    """What prints the same from clones."""
    repos = [part for each in addresses[:NAMED] for part in ("--repo", each)]
    more = " …" if len(addresses) > NAMED else ""
    call = ["python", "app.py", "report", "digest", "--until", found.until.isoformat(), *repos]
    return shlex.join(call) + more


def markdown(found: Digest, again: str) -> str:
    rows = [[each.name, *_values(each)] for each in found.figures]
    return "\n".join(
        [
            f"{_span(found)}. What changed most:",
            "",
            *table(["", "this week", "the week before"], rows),
            "",
            f"Again: `{again}`",
        ]
    )


def issue(found: Digest, again: str) -> str:
    """The body of the owner's one issue."""
    return (
        f"{markdown(found, again)}\n\n"
        "Each week comes as a comment, and stands here. Close this issue to hear no more; "
        "`digest: none` in `.github/lessonkeeper.yml` ends it for a repository."
    )


def tells(body: str, found: Digest) -> bool:
    """Whether the body of the issue is of that week."""
    return body.startswith(_span(found).partition(",")[0])


def plain(found: Digest, owner: str, again: str) -> str:
    """For a chat."""
    lines = []
    for each in found.figures:
        now, before = _values(each)
        lines.append(f"{each.name}: {now} (the week before: {before})")
    return "\n".join([f"Lessonkeeper, {owner}. {_span(found)}.", "", *lines, "", f"Again: {again}"])


def to_json(found: Digest | None) -> dict[str, Json]:
    if found is None:
        return {"figures": []}
    return {
        "since": found.since.isoformat(),
        "until": found.until.isoformat(),
        "repositories": found.stores,
        "figures": [
            {"name": each.name, "now": each.now, "before": each.before, "moved": each.moved}
            for each in found.figures
        ],
    }


def _span(found: Digest) -> str:
    last = found.until - timedelta(days=1)
    many = "1 repository" if found.stores == 1 else f"{found.stores} repositories"
    return f"{found.since.isoformat()} to {last.isoformat()}, {many}"


def _values(figure: Figure) -> tuple[str, str]:
    return _value(figure.now, figure.share), _value(figure.before, figure.share)


def _value(value: float | None, share: bool) -> str:
    if value is None:
        return "-"
    return f"{value:.0%}" if share else f"{value:g}"
