"""A standing lesson as a file of its own: what people may edit stays, what we keep is brought up.

Front matter, then one evidence line per signal. Parsing then printing gives back the same bytes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import yaml

from bot.lessons.rows import stamp
from bot.lessons.tree import named

FOLDER = ".agent-corp/standing"
REVOKED = f"{FOLDER}/.revoked"
_NAME = re.compile(r"(?P<id>[0-9a-f]{8})(?:-[^/]*)?\.md")
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?P<body>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.M)
_SLUG_WORDS = 6


@dataclass(frozen=True, slots=True)
class Evidence:
    """One line of evidence below the front matter."""

    ref: str
    commit: str
    on: date
    channel: str

    def __str__(self) -> str:
        at = f" at {self.commit[:12]}" if self.commit else ""
        return f"- {self.ref}{at}, {self.on.isoformat()}, {self.channel}"


@dataclass(frozen=True, slots=True)
class StandingFile:
    """A standing lesson as its file says it. `text` is the whole file."""

    path: str
    id: str
    sentence: str
    channel: str
    weight: float
    as_of: date | None
    text: str = field(repr=False)

    def with_evidence(self, weight: float, as_of: date, lines: Sequence[Evidence]) -> bytes:
        """The file with its weight brought up and evidence added; a person's words stay."""
        text = _set(_set(self.text, "weight", f"{weight:.2f}"), "as_of", as_of.isoformat())
        there = {line.strip() for line in text.splitlines()}
        new = [str(line) for line in lines if str(line) not in there]
        if new:
            end = "\r\n" if "\r\n" in text else "\n"
            text = text + ("" if text.endswith("\n") else end) + "".join(f"{n}{end}" for n in new)
        return text.encode("utf-8", "surrogateescape")


def parse(path: str, data: bytes) -> StandingFile | None:
    """The standing lesson of a file; None for one whose name or front matter is none of ours."""
    identity = identity_of(path)
    text = data.decode("utf-8", "surrogateescape")
    front = _FRONT.match(text)
    if identity is None or front is None:
        return None
    try:
        values = yaml.safe_load(front["body"])
    except (yaml.YAMLError, ValueError):
        return None
    if not isinstance(values, dict) or not isinstance(values.get("sentence"), str):
        return None
    sentence = " ".join(values["sentence"].split())
    weight = values.get("weight")
    as_of = values.get("as_of")
    return StandingFile(
        path=path,
        id=identity,
        sentence=sentence,
        channel=str(values.get("channel", "")),
        weight=float(weight) if isinstance(weight, int | float) else 0.0,
        as_of=as_of if isinstance(as_of, date) and not isinstance(as_of, datetime) else None,
        text=text,
    )


def is_standing(path: str) -> bool:
    """Whether a path is that of a standing lesson's file, whatever it holds."""
    return path.rpartition("/")[0] == FOLDER and path.endswith(".md")


def identity_of(path: str) -> str | None:
    """The id in a standing file's name; None for another file."""
    name = _NAME.fullmatch(path.rsplit("/", 1)[-1])
    return name["id"] if name else None


def new_file(
    identity: str,
    sentence: str,
    trigger: str,
    strategy: str,
    channel: str,
    weight: float,
    as_of: date,
    evidence: Sequence[Evidence],
) -> tuple[str, bytes]:
    """Path and bytes of a lesson that has just been promoted."""
    values = {
        "id": json.dumps(identity),
        "channel": channel,
        "sentence": _quoted(sentence),
        "trigger": _quoted(trigger),
        "strategy": _quoted(strategy),
    }
    lines = ["---", *(f"{key}: {value}" for key, value in values.items() if value != '""')]
    paths = [path.text for path in named(sentence)]
    if paths:
        lines += ["paths:", *(f"  - {_quoted(path)}" for path in paths)]
    lines += [f"weight: {weight:.2f}", f"as_of: {as_of.isoformat()}", "---", "", "Evidence:", ""]
    lines += dict.fromkeys(str(each) for each in evidence)
    path = f"{FOLDER}/{identity}-{slug(sentence)}.md"
    return path, ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def slug(sentence: str) -> str:
    """A few plain words of the sentence, for the file's name; `lesson` where it has none."""
    plain = unicodedata.normalize("NFKD", sentence).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)[:_SLUG_WORDS]
    return "-".join(words)[:48].strip("-") or "lesson"


def marker(at: datetime, why: str) -> bytes:
    """The bytes of a marker: when and why a lesson does not stand any more."""
    return (json.dumps({"at": stamp(at), "why": why}, sort_keys=True) + "\n").encode()


def _quoted(text: str) -> str:
    """A double-quoted YAML scalar: JSON's, and what YAML allows in no other form escaped."""
    return "".join(
        c if c.isprintable() else _escaped(c) for c in json.dumps(text, ensure_ascii=False)
    )


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _set(text: str, key: str, value: str) -> str:
    """One top-level key of the front matter set; every other byte stays."""
    front = _FRONT.match(text)
    if front is None:
        return text
    start, end = front.span("body")
    body = text[start:end]
    line = re.compile(rf"^{key}:[^\r\n]*", re.M)
    if line.search(body):
        body = line.sub(f"{key}: {value}", body, count=1)
    else:
        newline = "\r\n" if "\r\n" in body else "\n"
        body += f"{key}: {value}{newline}"
    return text[:start] + body + text[end:]
