"""Which passages of a review are findings: their title, prose, place and severity.

It reads the structure that reviewers and reviewing tools share (badges, bold titles, file sections,
hidden prompts); it does not write sentences.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.distill.clauses import sentences
from bot.distill.lexicon import pattern
from bot.distill.model import Remark
from bot.distill.reading import Block, Kind, read


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
        """What the finding begins with: its title and its first sentence."""
        first = next(sentences(self.prose[0]), "") if self.prose else ""
        return f"{self.title} {first}"

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


_PATH = re.compile(
    r"^`?@?((?:[\w.@\-\[\]()+]+/)*[\w.@\-\[\]+]*\.?[\w\-]+\.\w{1,8}|(?:[\w.@\-]+/)+[\w.\-]+|Dockerfile|Makefile)"
    r"`?(?:[:#]?L?(\d+)(?:\s*[-–]\s*L?\d+)?)?`?\s*(?:\(\d+\))?:?$"
)
_RANGE = re.compile(r"^`(?:L(?:ine)?s?\s*)?\d+(?:\s*[-–]\s*L?\d+)?`\s*:?\s*")
_PROMPT = re.compile(r"prompt\b|KI-Agent|AI 에이전트|AI エージェント", re.IGNORECASE)
_SECTION = pattern("structure", "section")
_OVERVIEW = pattern("structure", "overview")
_GENERIC = pattern("structure", "generic")
_FURNITURE = pattern("structure", "furniture")
_PROMPT_PATH = re.compile(r"\bIn\s+`?@([\w./\[\]-]+\.\w{1,8})`?\s+(?:around|at)\s+lines?\b")
_PROMPT_PLACE = pattern("structure", "place in a prompt")


def findings(remark: Remark) -> list[Finding]:
    """What the remark holds, in order; passages whose place shows them to be none are left out."""
    blocks = read(remark.text)
    if any(not b.quoted and b.text for b in blocks):
        blocks = tuple(b for b in blocks if not b.quoted)
    if remark.comment is not None or remark.path is not None:
        found = [_inline(blocks, remark)]
    else:
        found = _Body().of(blocks)
    return [finding for finding in found if not finding.is_empty]


def _inline(blocks: Iterable[Block], remark: Remark) -> Finding:
    finding = Finding(remark.comment, remark.path)
    for block in blocks:
        if block.within:
            if block.kind is Kind.FENCE and _PROMPT.search(block.within[-1]) and not finding.prompt:
                finding.prompt = prompt_of(block.text)
                place = _PROMPT_PATH.search(block.text)
                finding.path = finding.path or (place[1] if place else None)
            continue
        _take(finding, block)
    return finding


def prompt_of(text: str) -> str:
    """The instruction of a prompt for agents, without its preamble and its place."""
    text = " ".join(text.split())
    match = _PROMPT_PLACE.search(text)
    if match is None:
        return ""
    text = re.split(
        r"</comment>|<file context>|</issue_to_address>|How can I resolve this\?",
        text[match.end() :],
    )[0]
    return text[:1].upper() + text[1:]


_CITED = re.compile(
    r"\s*[(\[]?`((?:[\w.@-]+/)*[\w.@-]+\.\w{1,8}):L?\d+(?:\s*[-–:]\s*L?\d+)?`[)\]]?:?"
)


def _cited(finding: Finding, text: str) -> str:
    """The text without a `path:line`, which says where the finding is."""
    if match := _CITED.search(text):
        finding.path = finding.path or match[1]
        return f"{text[: match.start()]} {text[match.end() :].lstrip(' –—-')}".strip()
    return text


def _take(finding: Finding, block: Block) -> None:
    """Adds a block to a finding: its marks, its title when it has none, or its prose."""
    marks = " ".join(block.badges)
    text, lead = _RANGE.sub("", block.text), block.lead
    if _is_status(text):
        marks, text, lead = f"{marks} {text}", "", ""
    text = _cited(finding, text)
    if (severity := severity_of(marks)) is not None:
        finding.severity = min(severity, finding.severity) if finding.title else severity
    finding.security = finding.security or bool(re.search(r"security|🔒|🛡", marks, re.IGNORECASE))
    if block.kind in (Kind.FENCE, Kind.RULE) or not text:
        return
    if block.kind is Kind.HEADING or (lead and text == lead):
        if finding.title or finding.prose or _GENERIC.match(text):
            if block.kind is not Kind.HEADING and not _FURNITURE.match(text):
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


def _add(finding: Finding, text: str) -> None:
    if text and not _FURNITURE.match(text.lstrip("_*- ")):
        finding.prose.append(text)


_LABELLED = pattern(
    "structure",
    "label",
    r"^\W*((?:{}(?:\s+(?:severity|priority|risk|issue|bug))?(?:\s*\([^)]*\))?"
    r"(?:\s*[:\]|/,–—-]+\s*|\s*$))+)",
)


def _titled(finding: Finding, text: str) -> str:
    """The title without its label, whose mark is kept; a path becomes the finding's place."""
    if match := _PATH.match(text.strip()):
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


class _Body:
    """Splits a review's body into findings by sections, files, ranges, bold titles and items."""

    def __init__(self) -> None:
        self.found: list[Finding] = []
        self.current: Finding | None = None
        self.path: str | None = None
        self.heading = ""
        self.skipping = False

    def of(self, blocks: Iterable[Block]) -> list[Finding]:
        within: tuple[str, ...] = ()
        for block in blocks:
            if block.within != within:
                within, self.current = block.within, None
                self.path = next((m[1] for s in reversed(within) if (m := _PATH.match(s))), None)
            if within:
                self._sectioned(block)
            else:
                self._free(block)
        return self.found

    def _start(self, *, nit: bool = False) -> Finding:
        severity = Severity.NIT if nit else Severity.UNMARKED
        self.current = Finding(None, self.path, severity=severity, heading=self.heading)
        self.found.append(self.current)
        return self.current

    def _sectioned(self, block: Block) -> None:
        outer = block.within[0]
        if not _SECTION.search(outer) or _PROMPT.search(outer):
            return
        if any(_PROMPT.search(s) or _is_fix(s) for s in block.within[1:] if not _PATH.match(s)):
            return
        if block.kind is Kind.RULE:
            self.current = None
        elif block.kind in (Kind.PARAGRAPH, Kind.ITEM):
            if match := _PATH.match(block.text):
                self.path, self.current = match[1], None
                return
            if self.current is None or _RANGE.match(block.text):
                self._start(nit="nitpick" in outer.lower())
            assert self.current is not None
            _take(self.current, block)

    def _free(self, block: Block) -> None:
        if block.kind is Kind.HEADING:
            self.heading = block.text
            self.skipping = bool(_OVERVIEW.search(block.text) or _FURNITURE.match(block.text))
            self.current = None
            if not self.skipping and not _GENERIC.match(block.text):
                _take(self._start(), block)
            return
        if block.kind is Kind.RULE:
            if self.current is None or self.current.prose or not self.current.title:
                self.current, self.skipping = None, False
            return
        if self.skipping or block.kind in (Kind.FENCE, Kind.CELL):
            return
        lead = bool(block.lead) and not _GENERIC.match(block.lead)
        if self.current is not None and self.current.title and not self.current.prose:
            lead = lead and block.lead != block.text  # all of it is bold: it explains the heading
        if block.kind is Kind.ITEM or lead or self.current is None or not self.current.title:
            finding = self._start()
            if severity := severity_of(self.heading):
                finding.severity = severity
        assert self.current is not None
        _take(self.current, block)


def _is_fix(summary: str) -> bool:
    return bool(
        re.search(
            r"suggest|fix|proposed|diff|♻|💡|📝|🔧|🛠|example|script|tools?\b|verif", summary, re.I
        )
    )
