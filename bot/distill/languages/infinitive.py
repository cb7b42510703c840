"""Spanish, Portuguese, Italian, French and Russian: orders begin with the infinitive."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from bot.distill.clauses import upper_first
from bot.distill.english import Order
from bot.distill.lexicon import any_of, pattern

_ENDING = any_of("infinitive", "ending")
_NEGATION = any_of("infinitive", "negation")
_OPENER = pattern("infinitive", "opener", r"^(?:{}\s+)+")
_ADD = {
    "spanish": "Añadir",
    "portuguese": "Adicionar",
    "italian": "Aggiungere",
    "french": "Ajouter",
}
#: "X is missing" with what is missing behind; a Russian noun would change its case.
_LACKS = {
    "spanish": re.compile(r"falta (?!de\b|que\b)(.+)$", re.IGNORECASE),
    "portuguese": re.compile(r"falta (?!de\b|que\b)(.+)$", re.IGNORECASE),
    "italian": re.compile(r"manca (?!di\b)(.+)$", re.IGNORECASE),
    "french": re.compile(r"il manque (?!de\b)(.+)$", re.IGNORECASE),
}
_IRREGULAR = {"hech": "hacer", "escrit": "escribir", "puest": "poner", "abiert": "abrir"}


def _order(
    language: str, infinitive: Callable[[str], str | None], no: str, text: str
) -> Order | None:
    text = _OPENER.sub("", text)
    if language in _LACKS and (match := _LACKS[language].match(text)):
        return Order(f"{_ADD[language]} {match[1]}", 1)
    if match := _advice(language).match(text):
        return Order(upper_first(text[match.end() :]), 3)
    match = _obligation(language).match(text)
    verb = infinitive(match["verb"].lower()) if match else None
    if match is None or verb is None:
        return None
    negation = f"{no} " if match["no"] else ""
    who = match["who"]
    return Order(upper_first(f"{negation}{verb} {who[:1].lower()}{who[1:]}{match['rest']}"), 2)


def _advice(language: str) -> re.Pattern[str]:
    return pattern(
        "infinitive",
        f"{language} advice",
        rf"^{{}}\s*(?:l['’]|l[ae]s? )?(?=(?:{_NEGATION}\s+)?[^\W\d_]+{_ENDING}(?!\w))",
    )


def _obligation(language: str) -> re.Pattern[str]:
    return pattern("infinitive", f"{language} obligation", r"^{}$")


def _iberian(participle: str) -> str | None:
    if participle.endswith("rse"):
        return participle[:-2]
    match = re.fullmatch(r"(\w+?)(ad)?[oa]s?", participle)
    if match is None:
        return None
    return f"{match[1]}ar" if match[2] else _IRREGULAR.get(match[1])


def _italian(participle: str) -> str | None:
    match = re.fullmatch(r"(\w+)at[oaie]", participle)
    return f"{match[1]}are" if match else None


def _french(participle: str) -> str | None:
    match = re.fullmatch(r"(\w+)ée?s?", participle)
    return f"{match[1]}er" if match else None


spanish = partial(_order, "spanish", _iberian, "No")
portuguese = partial(_order, "portuguese", _iberian, "Não")
italian = partial(_order, "italian", _italian, "Non")
french = partial(_order, "french", _french, "Ne pas")
russian = partial(_order, "russian", lambda _: None, "Не")
