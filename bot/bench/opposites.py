"""Makes opposites of a text: what a careless rule would take for the same lesson.

Each maker takes a text and gives (what was done, the opposite); deterministic.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

Opposite = tuple[str, str]

_VERB = re.compile(r"\b(is|are|was|were|must|should|can|will|could|would|does|has|have)\b", re.I)
_NEGATION = re.compile(r"\b(not|never|no|without|cannot)\b|n't\b", re.I)
_CODE = re.compile(
    r"`[^`]+`"
    r"|(?!e\.g|i\.e)[A-Za-z_][\w-]*(?:[./][A-Za-z_][\w-]*)+"  # dotted, or a path
    r"|\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b"
    r"|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"
)
_PLAIN = re.compile(r"(?<![\w`./'-])(?!the\b|The\b)[A-Za-z]{3,}(?![\w`./'-])")
_NUMBER = re.compile(r"(?<!\w)\d+(?!\w)")
_PIVOTS = ("not", "instead of", "rather than", "before", "after", "over", "than", "to", "into")


def opposites(text: str, seed: int = 0) -> Iterator[Opposite]:
    """Every opposite of the text that the makers know; `seed` chooses words, places and values."""
    dice = random.Random(f"{seed} {text}")  # nosec B311: a test of words
    makers = (
        _negated,
        _affirmed,
        _other_time,
        _swapped_words,
        _swapped_code,
        _swapped_around_a_pivot,
        _other_number,
        _other_code,
    )
    for maker in makers:
        yield from maker(text, dice)


def pairs_in_a_frame(text: str, seed: int = 0) -> Iterator[tuple[str, str, str]]:
    """Opposites that need words which the text may not have: they are put at its end or head."""
    dice = random.Random(f"{seed} {text}")  # nosec B311: a test of words
    words = sorted({w.lower() for w in _PLAIN.findall(text)})
    x, y = dice.sample(words, 2) if len(words) > 1 else ("tabs", "spaces")
    head, end = text[:1].lower() + text[1:], text.rstrip(".")
    for form in ("use {} not {}", "use {} instead of {}", "move it from {} to {}", "{} before {}"):
        for one, other in ((x, y), (f"`{x}`", f"`{y}`"), (f"get_{x}", f"get_{y}")):
            yield (
                form,
                f"{end}: {form.format(one, other)}.",
                f"{end}: {form.format(other, one)}.",
            )
    yield "always / never", f"Always check: {head}", f"Never check: {head}"
    yield "do / do not", f"Do allow this: {head}", f"Do not allow this: {head}"
    yield "seconds", f"{end} within 60 s.", f"{end} within 8 s."
    yield "unit", f"{end} within 60 s.", f"{end} within 60 ms."
    yield "glued unit", f"{end} within 60s.", f"{end} within 60ms."
    yield "time order", f"Before the release, {head}", f"After the release, {head}"
    for one, other in (
        ("`retry`", "`abort`"),
        ("run_tests", "run_lint"),
        ("runTests", "runLint"),
        ("os.path", "os.environ"),
        ("bot/a.py", "bot/b.py"),
        ("scripts/run.sh", "scripts/run.py"),
        ("`load`", "`load_all`"),
    ):
        yield "identifier", f"In {one}, {head}", f"In {other}, {head}"
    for one, other in (("enable", "disable"), ("sync", "async"), ("safe", "unsafe")):
        yield "opposite words", f"{end} ({one}).", f"{end} ({other})."


def _negated(text: str, dice: random.Random) -> Iterator[Opposite]:
    verbs = list(_VERB.finditer(text))
    for verb in dice.sample(verbs, min(2, len(verbs))):
        yield "not inserted", f"{text[: verb.end()]} not{text[verb.end() :]}"
    yield "never in front", f"Never {text[:1].lower()}{text[1:]}"


def _affirmed(text: str, _: random.Random) -> Iterator[Opposite]:
    for negation in _NEGATION.finditer(text):
        kept = {"cannot": "can ", "without": "with "}.get(negation[0].lower(), "")
        yield "negation removed", text[: negation.start()] + kept + text[negation.end() :].lstrip()


def _other_time(text: str, _: random.Random) -> Iterator[Opposite]:
    for one, other in (("before", "after"), ("after", "before")):
        for match in re.finditer(rf"\b{one}\b", text):
            yield "before / after", text[: match.start()] + other + text[match.end() :]


def _swapped(text: str, one: re.Match[str], other: re.Match[str]) -> str:
    first, second = sorted((one, other), key=lambda match: match.start())
    between = text[first.end() : second.start()]
    return text[: first.start()] + second[0] + between + first[0] + text[second.end() :]


def _swapped_words(text: str, dice: random.Random) -> Iterator[Opposite]:
    words = list(_PLAIN.finditer(text))
    for _ in range(3):
        if len(words) < 2:
            return
        one, other = dice.sample(words, 2)
        if one[0].lower() != other[0].lower():
            yield "words swapped", _swapped(text, one, other)


def _swapped_code(text: str, _: random.Random) -> Iterator[Opposite]:
    mentions = list(_CODE.finditer(text))
    for one, other in itertools.pairwise(mentions):
        if one[0].strip("`").lower() != other[0].strip("`").lower():
            yield "identifiers swapped", _swapped(text, one, other)


def _swapped_around_a_pivot(text: str, _: random.Random) -> Iterator[Opposite]:
    words = list(_PLAIN.finditer(text))
    for pivot in _PIVOTS:
        for match in re.finditer(rf"\b{pivot}\b", text):
            left = [w for w in words if w.end() < match.start()]
            right = [w for w in words if w.start() > match.end()]
            if left and right and left[-1][0].lower() != right[0][0].lower():
                yield f"swapped around {pivot}", _swapped(text, left[-1], right[0])


def _other_number(text: str, dice: random.Random) -> Iterator[Opposite]:
    for match in _NUMBER.finditer(text):
        value = int(match[0])
        other = dice.choice((value + 1, value * 10 + 3, abs(value - 52)))
        if other != value:
            yield "number", text[: match.start()] + str(other) + text[match.end() :]


def _other_code(text: str, dice: random.Random) -> Iterator[Opposite]:
    """One identifier replaced wherever the text names it."""
    for code in sorted(set(_CODE.findall(text))):
        quoted, name = code.startswith("`"), code.strip("`")
        others = [f"{name}_v", f"other_{name}"]
        joint = max(name.rfind(mark) for mark in "._/")
        if joint > 0:
            others.append(f"{name[: joint + 1]}zeta")
        other = dice.choice(others)
        if other != name:
            yield "identifier", text.replace(code, f"`{other}`" if quoted else other)
