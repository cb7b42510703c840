"""A standing lesson as a file of its own: what people may edit stays, what we keep is brought up.

Front matter, then one evidence line per signal. Parsing then printing gives back the same bytes.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from bot.errors import UserError
from bot.lessons.front_matter import front_matter, quoted
from bot.lessons.rows import stamp
from bot.lessons.tree import named

FOLDER = ".agent-corp/standing"
REVOKED = f"{FOLDER}/.revoked"
_NAME = re.compile(r"(?P<id>[0-9a-f]{8})(?:-[^/]*)?\.md")
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
        weighed = front_matter(self.text).having("weight", f"{weight:.2f}")
        text = front_matter(weighed).having("as_of", as_of.isoformat())
        there = {line.strip() for line in text.splitlines()}
        new = [str(line) for line in lines if str(line) not in there]
        if new:
            end = "\r\n" if "\r\n" in text else "\n"
            text = text + ("" if text.endswith("\n") else end) + "".join(f"{n}{end}" for n in new)
        return text.encode("utf-8", "surrogateescape")


@functools.lru_cache(maxsize=256)  # YAML is slow, and each block reads them all
def parse(path: str, data: bytes) -> StandingFile | None:
    """The standing lesson of a file; None for one whose name or front matter is none of ours."""
    identity = identity_of(path)
    text = data.decode("utf-8", "surrogateescape")
    if identity is None:
        return None
    try:
        values = front_matter(text).values
    except UserError:
        return None
    sentence = values.get("sentence")
    if not isinstance(sentence, str):
        return None
    weight = values.get("weight")
    as_of = values.get("as_of")
    return StandingFile(
        path=path,
        id=identity,
        sentence=" ".join(sentence.split()),
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
        "sentence": quoted(sentence),
        "trigger": quoted(trigger),
        "strategy": quoted(strategy),
    }
    lines = ["---", *(f"{key}: {value}" for key, value in values.items() if value != '""')]
    paths = [path.text for path in named(sentence)]
    if paths:
        lines += ["paths:", *(f"  - {quoted(path)}" for path in paths)]
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
