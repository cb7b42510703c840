"""Lines that carry a pull request, a date and a known verdict in another form get our trailer.

Only where nothing is left to guess: each of the three is said once, at the start or the end of the
line, and the sentence stands without them. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from bot.lessons.bullet import Trailer, Verdict, bullet_id, read
from bot.lessons.document import Bullet, Document

_LONGEST = 1000  # characters: what is longer is no line of this kind
_NAME = r"[A-Za-z0-9._-]+"
_PULL = (
    rf"\[[^\[\]()]*\#[1-9][0-9]{{0,9}}\]\(\S+?\)|(?:{_NAME}/{_NAME})?\#[1-9][0-9]{{0,9}}"
    rf"|https?://[^\s()<>]+?/pull/[1-9][0-9]{{0,9}}"
)
_DAY = r"\d{4}-\d{2}-\d{2}"
_VERDICT = r"changes[ _-]requested|request(?:ed|s)?[ _-]changes|ci[ _-]fix|founder[ _-]note"
_LABEL = r"(?:(?:PR|pull[ ]request|from|source|date|verdict|review|on|by)\b[ :]*)*"
_ITEM = rf"[*_`]*{_LABEL}(?:{_PULL}|{_DAY}|{_VERDICT})[*_`]*"
_ITEMS = rf"{_ITEM}(?:\s*[,;|/·•–—-]?\s*{_ITEM})*"
_GROUP = rf"\(\s*{_ITEMS}\s*\)|\[\s*{_ITEMS}\s*\](?!\()"
_RUN = rf"(?:{_ITEMS}|{_GROUP})(?:\s*(?:{_ITEMS}|{_GROUP}))*"
_FLAGS = re.VERBOSE | re.IGNORECASE

# Without brackets around them they stand apart only behind the end of a sentence, or a dash.
_TAIL = re.compile(
    rf"(?:\s*(?:{_GROUP})|(?:(?<=[.!?…])\s+|\s*[|–—]\s*|\s+-+\s+){_ITEMS})\s*\.?\s*\Z", _FLAGS
)
_HEAD = re.compile(rf"\s*(?:{_RUN}\s*(?:[:|–—]|\s-+\s)|(?:{_GROUP}))\s*", _FLAGS)

_ANY = re.compile(rf"(?P<pull>{_PULL})|(?P<day>{_DAY})|(?P<verdict>{_VERDICT})", _FLAGS)
_LINKED = re.compile(r"\[[^\[\]]*#(?P<shown>\d+)\]\((?P<url>\S+)\)")
_URL = re.compile(rf"https?://[^/\s]+/(?P<repository>{_NAME}/{_NAME})/pull/(?P<number>\d+)")

_WORDS = {"pull": "pull request", "day": "date", "verdict": "verdict that is known"}


@dataclass(frozen=True, slots=True)
class Adopted:
    """A line as it was and as it is, without its marker, each on one line."""

    before: str
    after: str
    trailer: Trailer


@dataclass(frozen=True, slots=True)
class Unadopted:
    """A person's line that stays as it is; `reason` is the end of a sentence."""

    line: str
    reason: str


def adopt(data: bytes, today: date) -> tuple[bytes, tuple[Adopted, ...], tuple[Unadopted, ...]]:
    """The lessons file with those lines rewritten, which they were, and which were left.

    All else is the same, byte for byte.
    """
    document = Document.parse(data, today)
    taken = {bullet.id for bullet in document.bullets if bullet.id}
    text, found, left = document.text, list[Adopted](), list[Unadopted]()
    for bullet in reversed(document.bullets):
        if bullet.ours or bullet.struck:
            continue
        rewritten = _rewritten(bullet, today, taken)
        if isinstance(rewritten, str):
            left.append(Unadopted(" ".join(bullet.raw.split()), rewritten))
        else:
            text = text[: bullet.start] + rewritten[0] + text[bullet.end :]
            found.append(rewritten[1])
    whole = text.encode("utf-8", "surrogateescape")
    return whole, tuple(reversed(found)), tuple(reversed(left))


def _rewritten(bullet: Bullet, today: date, taken: set[str]) -> tuple[str, Adopted] | str:
    """The raw text with our trailer; the reason where anything is missing, twice or in doubt."""
    if bullet.id is not None:
        return "it has an id already"
    if len(bullet.raw) > _LONGEST:
        return f"it is longer than {_LONGEST} characters"
    sentence, said = _parted(bullet.raw)
    if not re.search(r"[^\W\d_]", sentence):
        return "there is no sentence"
    if _ANY.search(sentence):
        return "a pull request, date or verdict stands within its sentence"
    trailer = _trailer(said)
    if isinstance(trailer, str):
        return trailer
    if trailer.on > today:
        return "its date is to come"
    identity = bullet_id(" ".join(sentence.split()), trailer.ref, taken)
    raw = f"{sentence} {trailer} <!-- {identity} -->"
    if read(raw, today).trailer != trailer:
        return "it would not be read back as the same"
    taken.add(identity)
    return raw, Adopted(" ".join(bullet.raw.split()), " ".join(raw.split()), trailer)


def _parted(raw: str) -> tuple[str, str]:
    """The sentence, and all that stands before and behind it about where it came from."""
    said = ""
    while tail := _TAIL.search(raw):
        raw, said = raw[: tail.start()], f"{said} {tail[0]}"
    while head := _HEAD.match(raw):
        raw, said = raw[head.end() :], f"{said} {head[0]}"
    return raw.strip(), said


def _trailer(said: str) -> Trailer | str:
    found: dict[str, list[str]] = {"pull": [], "day": [], "verdict": []}
    for each in _ANY.finditer(said):
        found[each.lastgroup or ""].append(each[0])
    if missing := [_WORDS[name] for name, values in found.items() if not values]:
        return f"it has no {', no '.join(missing)}"
    if twice := [_WORDS[name] for name, values in found.items() if len(values) > 1]:
        return f"it has more than one {twice[0]}"
    (pull,), (day,), (verdict,) = found.values()
    ref = _ref(pull)
    try:
        on = date.fromisoformat(day)
    except ValueError:
        return "there is no such day"
    return Trailer(ref, on, _verdict(verdict)) if ref else "its link leads to another number"


def _verdict(words: str) -> Verdict:
    plain = words.lower()
    if plain.startswith("ci"):
        return Verdict.CI_FIX
    return Verdict.FOUNDER_NOTE if plain.startswith("founder") else Verdict.CHANGES_REQUESTED


def _ref(pull: str) -> str | None:
    """`#12` or `owner/repo#12`; None for a link that shows another number than it leads to."""
    linked = _LINKED.fullmatch(pull)
    address = _URL.match(linked["url"] if linked else pull)
    if linked is None:
        return f"{address['repository']}#{address['number']}" if address else pull
    if address is None or address["number"] != linked["shown"]:
        return None
    return f"#{linked['shown']}"
