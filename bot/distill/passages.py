"""Which passages of a review are findings, by the structure that reviews share.

Badges, bold titles, file sections, hidden prompts: their place tells what they are. It does not
write sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.distill.finding import (
    FURNITURE,
    GENERIC,
    PATH,
    RANGE,
    Finding,
    Severity,
    severity_of,
    take,
)
from bot.distill.lexicon import pattern
from bot.distill.model import Remark
from bot.distill.reading import Block, Kind, read

_PROMPT = re.compile(r"prompt\b|KI-Agent|AI 에이전트|AI エージェント", re.IGNORECASE)
_SECTION = pattern("structure", "section")
_OVERVIEW = pattern("structure", "overview")
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
        take(finding, block)
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
                self.path = next((m[1] for s in reversed(within) if (m := PATH.match(s))), None)
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
        if any(_PROMPT.search(s) or _is_fix(s) for s in block.within[1:] if not PATH.match(s)):
            return
        if block.kind is Kind.RULE:
            self.current = None
        elif block.kind in (Kind.PARAGRAPH, Kind.ITEM):
            if match := PATH.match(block.text):
                self.path, self.current = match[1], None
                return
            if self.current is None or RANGE.match(block.text):
                self._start(nit="nitpick" in outer.lower())
            assert self.current is not None
            take(self.current, block)

    def _free(self, block: Block) -> None:
        if block.kind is Kind.HEADING:
            self.heading = block.text
            self.skipping = bool(_OVERVIEW.search(block.text) or FURNITURE.match(block.text))
            self.current = None
            if not self.skipping and not GENERIC.match(block.text):
                take(self._start(), block)
            return
        if block.kind is Kind.RULE:
            if self.current is None or self.current.prose or not self.current.title:
                self.current, self.skipping = None, False
            return
        if self.skipping or block.kind in (Kind.FENCE, Kind.CELL):
            return
        lead = bool(block.lead) and not GENERIC.match(block.lead)
        if self.current is not None and self.current.title and not self.current.prose:
            lead = lead and block.lead != block.text  # all of it is bold: it explains the heading
        if block.kind is Kind.ITEM or lead or self.current is None or not self.current.title:
            finding = self._start()
            if severity := severity_of(self.heading):
                finding.severity = severity
        assert self.current is not None
        take(self.current, block)


def _is_fix(summary: str) -> bool:
    return bool(
        re.search(
            r"suggest|fix|proposed|diff|♻|💡|📝|🔧|🛠|example|script|tools?\b|verif", summary, re.I
        )
    )
