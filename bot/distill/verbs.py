"""The English verbs that reviews are written with, as data, and the forms between them.

A form is only recognised when its base is in the list: no noun is taken for a verb by its ending.
"""

from __future__ import annotations

from bot.distill.lexicon import lines, words

BASES = words("verbs", "bases")
_FROM_IRREGULAR = {
    form: line.split()[0] for line in lines("verbs", "irregular") for form in line.split()[1:]
}
_THIRD = {"has": "have", "does": "do", "goes": "go", "is": "be"}
_DOUBTFUL = words("verbs", "doubtful")
_NOUN_BEFORE = words("verbs", "after a noun")
_TWO_WORDS = frozenset(lines("verbs", "orders of two words"))
_OBJECT_START = words("verbs", "object start")
#: A reviewer who begins with one names the fault: nobody is told to duplicate something.
_NO_ORDER = frozenset(["duplicate"])
_VOWELS = "aeiou"


def is_doubtful(word: str) -> bool:
    """Whether the verb is more often a noun or an adjective at the start of a sentence."""
    return word.lower() in _DOUBTFUL


def is_order(word: str, following: str) -> bool:
    """Whether `word` at the start of a sentence gives an order, judged with the word after it."""
    word, following = word.lower().replace("’", "'"), following.lower()
    if word in _NO_ORDER or (word == "go" and following[:1].isdigit()):
        return False
    if word in ("do", "don't", "never", "always", "please"):
        return from_third(following) is None
    if word == "be" or (word in BASES and word not in _DOUBTFUL):
        return following not in _NOUN_BEFORE
    return word in _DOUBTFUL and (
        f"{word} {following}" in _TWO_WORDS
        or following in _OBJECT_START
        or following[:1] == "`"
        or "\ue000" <= following[:1] <= "\uf8ff"
    )


def from_gerund(word: str) -> str | None:
    """`using` -> `use`; None when it is no gerund of a listed verb."""
    lowered = word.lower()
    if not lowered.endswith("ing") or len(lowered) < 5:
        return None
    stem = lowered[:-3]
    if stem.endswith("y") and stem[:-1] + "ie" in BASES:
        return stem[:-1] + "ie"
    return _known(stem)


def from_participle(word: str) -> str | None:
    """`used` -> `use`, `written` -> `write`; None when it is no participle of a listed verb."""
    lowered = word.lower()
    if lowered in _FROM_IRREGULAR:
        return _FROM_IRREGULAR[lowered]
    if lowered.endswith("ied"):
        return _listed(lowered[:-3] + "y") or _listed(lowered[:-1])
    if lowered.endswith("ed") and len(lowered) > 3:
        return _known(lowered[:-2])
    return None


def from_third(word: str) -> str | None:
    """`returns` -> `return`, `has` -> `have`; None when it is no third person of a listed verb."""
    lowered = word.lower().replace("hard-cod", "hardcod")
    if lowered in _THIRD:
        return _THIRD[lowered]
    if lowered.endswith("ies"):
        return _listed(lowered[:-3] + "y") or _listed(lowered[:-1])
    if lowered.endswith("es") and lowered[:-2] in BASES:
        return lowered[:-2]
    if lowered.endswith("s") and not lowered.endswith("ss"):
        return _listed(lowered[:-1])
    return None


def third(base: str) -> str:
    """`allow` -> `allows`."""
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "ch", "sh", "o")) else "s")


def _known(stem: str) -> str | None:
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[:-1] in BASES and stem not in BASES:
        return stem[:-1]
    return _listed(stem + "e") if _prefers_e(stem) else _listed(stem) or _listed(stem + "e")


def _prefers_e(stem: str) -> bool:
    """`us(e)`, `cach(e)`: the stem is no verb, with the dropped e it is."""
    return stem + "e" in BASES and stem not in BASES


def _listed(base: str) -> str | None:
    return base if base in BASES else None
