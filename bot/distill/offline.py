"""The offline distiller: deterministic, without network or model."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from bot.distill.finding import Finding, Severity
from bot.distill.model import Distilled, Lesson, Remark
from bot.distill.passages import findings
from bot.distill.sentence import lesson
from bot.distill.validate import Refused, validate
from bot.distill.worth import gravity, is_minor, is_praise, is_report
from bot.lessons.reading import reading

#: Two findings that share this part of the smaller one's terms are one finding said twice.
SAID_TWICE = 0.5

#: Characters that the marks of what the validator sets as code may take.
_SPARE = 40


class Offline:
    def distill(self, remarks: tuple[Remark, ...], *, limit: int, characters: int) -> Distilled:
        """At most `limit` lessons: by severity, then inline before body, then in order."""
        reasons: Counter[str] = Counter()
        found: list[Finding] = []
        for remark in remarks:
            if is_report(remark.text):
                reasons["reply"] += 1
            else:
                found += findings(remark)
        lessons: list[Lesson] = []
        used: list[Finding] = []
        for finding in sorted(found, key=_rank):
            if any(_repeats(finding, other) for other in used):
                continue
            made = _made(_where_it_holds(finding, found), characters)
            if isinstance(made, str):
                reasons[made] += 1
            elif made.sentence not in {other.sentence for other in lessons}:
                lessons.append(made)
                used.append(finding)
        if lessons:
            return Distilled(tuple(lessons[:limit]), more=max(0, len(lessons) - limit))
        return Distilled(ignored=_why(remarks, reasons))


def _rank(finding: Finding) -> tuple[bool, int, bool, int, bool]:
    """Where the reviewer set no mark, what the finding says would happen stands for it."""
    unmarked = finding.severity is Severity.UNMARKED
    return (
        is_minor(finding.opening, finding.text),
        finding.severity,
        not finding.security,
        gravity(finding.text) if unmarked else 0,
        finding.comment is None,
    )


def _where_it_holds(finding: Finding, found: list[Finding]) -> Finding:
    """A finding that another file shares is about no file."""
    shared = any(other.path != finding.path and _repeats(finding, other) for other in found)
    return replace(finding, path=None) if finding.path and shared else finding


def _made(finding: Finding, characters: int) -> Lesson | str:
    if finding.praise or (finding.title and is_praise(finding.title)):
        return "approval"
    if finding.prose and is_report(finding.prose[0]):
        return "reply"
    if is_minor(finding.opening, finding.text) and finding.severity > Severity.MAJOR:
        return "style or this pull request only"
    reason = ""
    for room in (0, _SPARE):
        made = lesson(finding, characters - room)
        if isinstance(made, str):
            return made
        checked = validate(made.sentence, characters)
        if not isinstance(checked, Refused):
            return made
        reason = checked.reason
    return reason


def _alike(one: str, other: str) -> bool:
    a, b = reading(one).terms, reading(other).terms
    return len(a & b) >= SAID_TWICE * min(len(a), len(b))


def _repeats(finding: Finding, other: Finding) -> bool:
    titled = finding.title and other.title and _alike(finding.title, other.title)
    return bool(titled) or _alike(finding.text, other.text)


def _why(remarks: tuple[Remark, ...], reasons: Counter[str]) -> str:
    if reasons:
        return reasons.most_common(1)[0][0]
    return "summary" if any(remark.text.strip() for remark in remarks) else "empty"
