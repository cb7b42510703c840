"""One finding of a reviewer: what is gathered of it block by block, and its mark.

It knows the labels, badges and furniture that reviewers and reviewing tools share.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field

from bot.distill.clauses import sentences
from bot.distill.lexicon import pattern
from bot.distill.reading import Block, Kind


class Severity(enum.IntEnum):
    """The reviewer's own mark; UNMARKED ranks with the middle ones."""

    CRITICAL = 0
    MAJOR = 1
    UNMARKED = 2
    MINOR = 3
    NIT = 4


@dataclass(slots=True)
class Finding:
    """One thing that a reviewer found. `prompt` is the tool's wording for agents: data as well."""

    comment: int | None = None
    path: str | None = None
    title: str = ""
    prose: list[str] = field(default_factory=list)
    prompt: str = ""
    severity: Severity = Severity.UNMARKED
    heading: str = ""
    praise: bool = False
    security: bool = False

    @property
    def text(self) -> str:
        return " ".join([self.title, *self.prose])

    @property
    def opening(self) -> str:
        """What tells what the finding is about: its title, or else its first sentence."""
        return self.title or (next(sentences(self.prose[0]), "") if self.prose else "")

    @property
    def is_empty(self) -> bool:
        return not (self.title or self.prose)


#: In the order in which they are looked for: "minor" is in many a sentence, "critical" in few.
_MARKS = tuple(
    (severity, pattern("structure", severity.name.lower()))
    for severity in (
        Severity.CRITICAL,
        Severity.MAJOR,
        Severity.NIT,
        Severity.MINOR,
        Severity.UNMARKED,
    )
)


def severity_of(marks: str) -> Severity | None:
    return next((severity for severity, pattern in _MARKS if pattern.search(marks)), None)


PATH = re.compile(
    r"^`?@?((?:[\w.@\-\[\]()+]+/)*[\w.@\-\[\]+]*\.?[\w\-]+\.\w{1,8}|(?:[\w.@\-]+/)+[\w.\-]+|Dockerfile|Makefile)"
    r"`?(?:[:#]?L?(\d+)(?:\s*[-–]\s*L?\d+)?)?`?\s*(?:\(\d+\))?:?$"
)
RANGE = re.compile(r"^`(?:L(?:ine)?s?\s*)?\d+(?:\s*[-–]\s*L?\d+)?`\s*:?\s*")
GENERIC = pattern("structure", "generic")
FURNITURE = pattern("structure", "furniture")


_CITED = re.compile(
    r"\s*[(\[]?`((?:[\w.@-]+/)*[\w.@-]+\.\w{1,8}):L?\d+(?:\s*[-–:]\s*L?\d+)?`[)\]]?:?"
)


def _cited(finding: Finding, text: str) -> str:
    """The text without a `path:line`, which says where the finding is."""
    if match := _CITED.search(text):
        finding.path = finding.path or match[1]
        return f"{text[: match.start()]} {text[match.end() :].lstrip(' –—-')}".strip()
    return text


#: "P1 (accessibility): …"
_MARKED = re.compile(r"(P[0-3])(?:\s*\([^()]{1,40}\))?\s*[:–—-]\s+(?=\S)")


def take(finding: Finding, block: Block) -> None:
    """Adds a block to a finding: its marks, its title when it has none, or its prose."""
    marks = " ".join(block.badges)
    text, lead = RANGE.sub("", block.text), block.lead
    if _is_status(text):
        marks, text, lead = f"{marks} {text}", "", ""
    if not (lead or finding.title or finding.prose) and (marked := _MARKED.match(text)):
        marks, text = f"{marks} {marked[1]}", text[marked.end() :]
    text = _cited(finding, text)
    if (severity := severity_of(marks)) is not None:
        finding.severity = min(severity, finding.severity) if finding.title else severity
    finding.security = finding.security or bool(re.search(r"security|🔒|🛡", marks, re.IGNORECASE))
    if block.kind in (Kind.FENCE, Kind.RULE) or not text:
        return
    if block.kind is Kind.HEADING or (lead and text == lead):
        if finding.title or finding.prose or GENERIC.match(text):
            if block.kind is not Kind.HEADING and not FURNITURE.match(text):
                finding.prose.append(text)
            return
        finding.title = _titled(finding, text)
    elif lead and len(lead) < len(text) and not finding.title and not finding.prose:
        rest = text[text.find(lead) + len(lead) :].lstrip(" :–—-.")
        finding.title = _titled(finding, lead)
        _add(finding, rest)
    elif lead and len(lead) < len(text) and text.startswith(lead):
        _add(finding, lead.rstrip(" :.") + ".")
        _add(finding, text[len(lead) :].lstrip(" :–—-."))
    else:
        _add(finding, text)


#: "Looks good, but …": what follows is a finding.
_PRAISED = pattern(
    "worth",
    "praise before a finding",
    r"^{}\W{0,3}\s(?:but|except(?: that)?|however|only)\b,?\s+(?=\S)",
)


def _add(finding: Finding, text: str) -> None:
    if praised := _PRAISED.match(text):
        text = text[praised.end() :]
        text = f"{text[:1].upper()}{text[1:]}"
    if text and not FURNITURE.match(text.lstrip("_*- ")):
        finding.prose.append(text)


_LABELLED = pattern(
    "structure",
    "label",
    r"^\W*((?:{}(?:\s+(?:severity|priority|risk|issue|bug))?(?:\s*\([^)]*\))?"
    r"(?:\s*[:\]|/,–—-]+\s*|\s*$))+)",
)


def _titled(finding: Finding, text: str) -> str:
    """The title without its label, whose mark is kept; a path becomes the finding's place."""
    if match := PATH.match(text.strip()):
        finding.path = finding.path or match[1]
        return ""
    if match := _LABELLED.match(text):
        if (severity := severity_of(match[1])) is not None:
            finding.severity = min(severity, finding.severity)
        if "praise" in match[1].lower():
            finding.praise = True
        text = text[match.end() :]
    return text.strip(" :*_")


def _is_status(text: str) -> bool:
    """ "⚠️ Potential issue | 🟠 Major": nothing but marks."""
    parts = [part.strip() for part in text.split("|")]
    marked = all(len(part) < 40 and re.match(r"^[^\w\s`\"'(\[]+\s*\w", part) for part in parts)
    return (len(parts) > 1 and marked) or bool(
        re.fullmatch(r"\W*(?:low|medium|high|critical) (?:severity|priority)\W*", text, re.I)
    )
