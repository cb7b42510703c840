"""Japanese: orders end in the dictionary form, faults in the plain form."""

from __future__ import annotations

import re

from bot.distill.english import Order
from bot.distill.lexicon import pattern, rules

_GIVEN = rules("japanese", "given")
_FAULT = rules("japanese", "fault")
_TE_FORMS = rules("japanese", "te form")
_PLAIN = rules("japanese", "plain")
_OPENER = pattern("japanese", "opener", r"^{}+")
_REQUEST = re.compile(r"(.*(?:し|い|き|み|め|え|け|れ|べ|ん|っ)[てで])(?:ください|下さい)$")
_MEANS = re.compile(r"(.*[うくぐすつむぶるぬ])ことで、(.*)$")
#: "AするとBできる": what A makes possible; without "できる" it would be what comes of A.
_MAKES_POSSIBLE = re.compile(r"(.*[うくぐすつむぶるぬ])と、([^、]*できる?(?:ます)?)$")
_ABLE = re.compile(r"(.*)できる?(?:ます)?$")
_POINTS_BACK = re.compile(r"これ|この|その|それ")
#: A noun before "する"; after anything else "して" belongs to a verb in "す".
_VERBAL_NOUN = re.compile(r"(?:[一-龠ァ-ヶー]{2}|[A-Za-z\ue000-\uf8ff]|を)$")
_FROM_I_ROW = dict(zip("きぎしちにびみり", "くぐすつぬぶむる", strict=True)) | {"い": "う"}
_TO_I_ROW = {base: stem for stem, base in _FROM_I_ROW.items()}
_ONE_ROW = "えけげせぜてでねべめれいきぎじちにびみ"  # before the る of verbs that only drop it


def order(text: str) -> Order | None:
    text = _OPENER.sub("", text)
    for sureness, ends in ((3, _GIVEN), (1, _FAULT)):
        for end, made in ends:
            if match := end.match(text):
                return Order(match.expand(made).strip("、 "), sureness)
    if match := _REQUEST.match(text):
        return Order(_dictionary(match[1]) or text, 3)
    if match := _MEANS.match(text):
        return Order(_by(match[1], match[2]), 2)
    if match := _MAKES_POSSIBLE.match(text):
        return Order(_by(match[1], match[2]), 2)
    match = _ABLE.match(text)
    return Order(f"{match[1]}する", 2) if match and not match[1].endswith(("が", "は")) else None


def plain(text: str) -> str:
    """The sentence with its last verb in the plain form."""
    for polite, made in _PLAIN:
        if match := polite.search(text):
            return text[: match.start()] + made
    if not text.endswith("ます"):
        return text
    body, before = text[:-3], text[-3:-2]
    if before == "し":
        return body + ("する" if _VERBAL_NOUN.search(body) else "す")
    return body + _FROM_I_ROW.get(before, before + "る")


def _by(means: str, end: str) -> str:
    """ "AすることでBできます": A in the dictionary form, with B where it stands by itself."""
    able = _ABLE.match(end)
    if able is None or _POINTS_BACK.search(end):
        return means
    if means.endswith("する"):
        stem = means[:-2] + "し"
    elif means.endswith("る") and means[-2:-1] in _ONE_ROW:
        stem = means[:-1]
    else:
        stem = means[:-1] + _TO_I_ROW[means[-1]]
    return f"{stem}、{able[1]}する"


def _dictionary(te: str) -> str | None:
    for form, base in _TE_FORMS:
        if match := form.search(te):
            return te[: match.start()] + base
    if te.endswith("して"):
        body = te[:-2]
        return body + ("する" if _VERBAL_NOUN.search(body) else "す")
    return f"{te[:-1]}る" if te.endswith("て") and te[-2:-1] in _ONE_ROW else None
