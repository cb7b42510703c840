"""What the check run of a pull request says besides what waits for a person.

Pure functions, as in `bot.texts`. Everything printed acts on nothing and is redacted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.forge.check_run import Section
from bot.lessons.store import Reckoning, Taught
from bot.talk import many, quoted

_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
             "ninth", "tenth")  # fmt: skip
_LISTED = 20  # pull requests and lessons; the files have them all


def repeated(lesson: Taught) -> Section:
    """A lesson that earlier pull requests had been told."""
    before = [f"- #{each.pr}, {each.on.isoformat()}" for each in lesson.before]
    if len(before) > _LISTED:
        before = [*before[:1], f"- {len(before) - _LISTED} more", *before[1 - _LISTED :]]
    body = [f"> {quoted(lesson.text)}", "", "It was said before in:", "", *before]
    times = _ordinal(len(lesson.before) + 1)
    title = f"This pull request repeats lesson {lesson.lesson}, {times} time"
    return Section(title, "\n".join(body), warns=True)


def written(came: Reckoning) -> Section:
    """What a pull request taught, and below it which lessons its readers had been shown."""
    did = Counter(each.did for each in came.taught)
    counted = [f"{did[name]} {name}" for name in ("appended", "refreshed") if did[name]]
    title = ", ".join(counted) or f"{many(did.total(), 'lesson')} confirmed"
    lines = [f"- {each.did} `{each.lesson}`: {quoted(each.text)}" for each in came.taught]
    return Section(f"From this pull request: {title}", "\n".join([*lines, "", *_footer(came)]))


def _footer(came: Reckoning) -> list[str]:
    if not came.shown:
        return ["No lesson was shown for this pull request."]
    heard = [
        *_listed("Not heeded, a finding matched", came.repeated, came.shown),
        *_listed("Heeded, it names a file changed here and no finding matched", came.heeded,
                 came.shown),
    ]  # fmt: skip
    rest = sorted(came.shown.keys() - came.repeated - came.heeded)
    lines = [f"{many(len(came.shown), 'lesson')} shown for this pull request:", "", *heard]
    if rest:
        named = ", ".join(f"`{each}`" for each in rest[:_LISTED])
        more = f" and {len(rest) - _LISTED} more" if len(rest) > _LISTED else ""
        lines.append(f"- Nothing can be said of {named}{more}")
    return lines


def _listed(what: str, ids: frozenset[str], texts: Mapping[str, str]) -> list[str]:
    return [f"- {what}: `{each}`, {quoted(texts[each])}" for each in sorted(ids)[:_LISTED]]


def from_outside(paths: Sequence[str], included: Mapping[str, bool]) -> Section:
    """Somebody without write access changes what agents read. `included`: whether an agent file
    whose line about us changed has one at the head."""
    shown = [f"- `{quoted(path)}`" for path in paths[:_LISTED]]
    if len(paths) > _LISTED:
        shown.append(f"- and {len(paths) - _LISTED} more")
    shown += [
        f"- `{quoted(path)}`: the line that includes the lessons "
        + ("is changed" if there else "is gone")
        for path, there in included.items()
    ]
    why = (
        "Its author has no write access here. Read these changes yourself before an agent does, "
        "and let agents that review it take the lessons from the base branch:"
    )
    body = [why, "", *shown]
    title = "This pull request changes what coding agents are told here"
    return Section(title, "\n".join(body), warns=True)


def _ordinal(number: int) -> str:
    if number < len(_ORDINALS):
        return _ORDINALS[number]
    teen = number % 100 in (11, 12, 13)
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
