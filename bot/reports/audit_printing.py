"""An audit as JSON and as Markdown. Pure; it finds nothing itself."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reports.audit import Audit, Load
from bot.reports.carried import CarriedFile, CarriedLine
from bot.reports.findings import Finding, quoted
from bot.reports.made import Json, Made, cell, table

DEAREST = 10  # lines that the page names; JSON has all
SHORT = 80  # characters of one of them


def to_json(found: Audit, made: Made) -> dict[str, Json]:
    return {
        "findings": [
            {
                "kind": each.kind.value,
                "repository": each.repository,
                "file": each.file,
                "line": each.line,
                "what": each.what,
                "remedy": each.remedy,
            }
            for each in found.findings
        ],
        "carried": [
            {
                "repository": load.repository,
                "runs_per_month": load.price.runs_per_month,
                "usd_per_million_tokens": load.price.usd_per_million_tokens,
                "budget": {"lines": load.price.lines, "kilobytes": load.price.kilobytes},
                "file": file.path,
                "lines": len(file.lines),
                "bytes": file.size,
                "tokens": round(file.tokens),
                "usd_per_month": round(file.usd, 6),
                "used": round(file.used, 4),
                "weight": file.weight.value,
                "line_prices": [
                    {
                        "line": line.number,
                        "tokens": line.tokens,
                        "usd_per_month": round(line.usd, 6),
                    }
                    for line in file.lines
                ],
            }
            for load in found.carried
            for file in load.files
        ],
        **made.to_json(),
    }


def to_markdown(found: Audit, made: Made) -> str:
    lines = ["# Audit"]
    kind = None
    for each in found.findings:
        if each.kind is not kind:
            kind = each.kind
            lines += ["", f"## {kind.value.capitalize()}", ""]
        lines += [f"- {_place(each)}: {each.what}.", f"  - {each.remedy}"]
    if not found.findings:
        lines += ["", "Nothing was found."]
    lines += _carried(found)
    return "\n".join(lines + made.to_markdown()) + "\n"


def _place(finding: Finding) -> str:
    line = "" if finding.line is None else f":{finding.line}"
    return f"{finding.repository}, {finding.file}{line}"


def _carried(found: Audit) -> list[str]:
    rows = [
        [
            cell(load.repository),
            cell(file.path),
            str(len(file.lines)),
            str(file.size),
            f"{file.tokens:.0f}",
            f"{file.usd:.4f}",
            f"{file.used:.0%}",
            file.weight.value,
        ]
        for load in found.carried
        for file in load.files
    ]
    head = ["repository", "file", "lines", "bytes", "tokens", "USD a month", "of budget", "weight"]
    return [
        "",
        "## Carried with every run",
        "",
        "Tokens are an estimate: a quarter for each ASCII character, one for each other.",
        "",
        *(_price(load) for load in found.carried),
        "",
        *(table(head, rows) if rows else ["No file is carried."]),
        *_dearest([(load.repository, file) for load in found.carried for file in load.files]),
    ]


def _price(load: Load) -> str:
    return (
        f"- {load.repository}: {load.price.runs_per_month} runs a month at "
        f"{load.price.usd_per_million_tokens:g} USD a million tokens of input (`carried` in its "
        "settings), as if nothing were cached. The budget of a file is "
        f"{load.price.lines} lines and {load.price.kilobytes} KB."
    )


def _dearest(files: Sequence[tuple[str, CarriedFile]]) -> list[str]:
    lines = [(name, file.path, line) for name, file in files for line in file.lines if line.text]
    lines.sort(key=lambda each: -each[2].usd)
    if not lines:
        return []
    rows = [
        [cell(f"{name}, {path}:{line.number}"), f"{line.usd:.4f}", cell(_said(line))]
        for name, path, line in lines[:DEAREST]
    ]
    return ["", "The dearest lines:", "", *table(["line", "USD a month", ""], rows)]


def _said(line: CarriedLine) -> str:
    text = quoted(line.text)
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"
