"""Finds text that a person must see before it may teach: orders to the reader, and dangerous ones.

A store that every later agent reads is the worst place for an injected order, so in doubt the text
is held. Pure; knows nothing of reviewers and their rights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.distill.neutral import decoded, revealed
from bot.distill.orders import HIDDEN, RULES

_CLAUSE = 160  # characters looked back at for the words that lead up to a hit
_CLAUSE_END = re.compile(
    r"[.!?:;]\s|\n|[,—–]\s*|\s-\s"
    r"|\b(?:and|but|then|so|because|otherwise|(?:instead|rather)(?! (?:of|than)\b))\b",
    re.IGNORECASE,
)
_DECORATION = " \t\"'`“”‘’«»([{_>$#•-"

# The words that may stand between a "never" and what it forbids. The list is closed: "never forget
# to", "do not hesitate to", "not only", "never merge before" are no warnings.
_WARNING = re.compile(
    r"(?:^|\s)(?:never|do not|don['’]t|must not|mustn['’]t|must never|should not|shouldn['’]t"
    r"|should never|may not|not to|avoid|instead of|rather than|refrain from|stop|against|forbid"
    r"|prohibit|ban|reject|warns? about|beware of|no longer)"
    r"(?:\s+(?:ever|run|running|use|using|execute|executing|call|calling|do|doing|set|setting|add"
    r"|adding|pass|passing|commit|committing|push|pushing|merge|install|installing|download"
    r"|downloading|fetch|fetching|pipe|piping|paste|pasting|copy|rely|relying|on|the|a|an|any|it"
    r"|with|to|by|in|via|of|output|code|scripts?|commands?|such|as|like|try|trying|attempt"
    r"|blindly|directly|something|things|patterns?|calls?|suggest|suggesting|recommend"
    r"|recommending|write|writing|document|downloaded|piped|untrusted|unverified|external|remote"
    r"|curl|wget|(?:let|allow|letting|allowing) (?:the |an? |any )?\w+(?: to)?)\b[\"'`]?)*\s*$",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|nothing|nobody|cannot|without)\b|n['’]t\b", re.IGNORECASE
)

# The sentence is about the hit, and says that it must not be. No comma and no relative clause, so
# that an order cannot carry its own excuse.
_CONDEMNED = re.compile(
    r"[\"'`)]*(?:\s(?!as\b|because\b|since\b|so\b|which\b|that\b)[^\s,.;:]+){0,3}?\s"
    r"(?:(?:must|should|may|can)(?: not|not|n't| never)|(?:is|are) (?:never|not|too|dangerous"
    r"|unsafe|insecure|forbidden|banned|risky|prohibited|a (?:security )?(?:risk|hole|problem))"
    r"|makes|grants|gives|allows|lets|exposes|leaves|opens|means)\b",
    re.IGNORECASE,
)
_ORDERING = re.compile(
    r"(?:^|\s)(?:please|always|must|just|simply|now|also|first|kindly|shall|immediately|sudo|do"
    r"|(?:you|agents?|everyone|we|i|it|the \w+) (?:should|need to|have to|has to)"
    r"|(?:forget|hesitate|fail|remember|sure|free|needs?|neglect|refuse|want|ok|okay|fine|safe"
    r"|problem|allowed|permitted|harmless|recommended|required|necessary|best|lesson|rule) to"
    r"|(?:run|execute|use|call|set|apply|try)(?: the)?(?: command| script)?)$",
    re.IGNORECASE,
)

_EMPHASIS = str.maketrans("", "", "*~")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>|<!--|-->")
_LOOK_ALIKES = str.maketrans(
    "аеорсухіѕјԁһӏоАВЕКМНОРСТХІορνιΑΒΕΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxisjdhloABEKMHOPCTXIopviABEHIKMNOPTYX",
)
_ROW = re.compile(r"^[^\S\n]*\|.*\|[^\S\n]*$", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}={0,2}")
_DECODE = re.compile(r"\b(?:base64 (?:-d|--decode)|atob|b64decode|frombase64string|decode)\b", re.I)


def quarantine(text: str) -> str | None:
    """Why a person must look at the text before it teaches, as a sentence, or None.

    Hidden parts count: comments, attributes, invisible and tag characters, entities, base64. A
    warning against a dangerous thing passes, in a closed list of wordings.
    """
    shown = revealed(text).translate(_EMPHASIS)
    without_tags = _TAG.sub("", shown)
    for reading in dict.fromkeys((shown, without_tags, without_tags.translate(_LOOK_ALIKES))):
        if reason := _reason(_without_tables(reading)):
            return reason
    return _hidden(shown)


def _without_tables(text: str) -> str:
    """The cells of a table are not a pipeline."""
    return _ROW.sub(lambda row: _CELL.sub("¦", row.group()).replace("\\|", "|"), text)


def _reason(text: str) -> str | None:
    for rule in RULES:
        for match in _hits(rule.pattern, text):
            lead = _lead(text, match.start())
            if rule.warnable and (_is_warning(lead) or _is_condemned(lead, text, match.end())):
                continue
            if rule.order and not _is_order(lead):
                continue
            return rule.reason
    return None


def _hits(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Every match, also one that begins inside another: an order may follow within a warning."""
    match = pattern.search(text)
    while match:
        yield match
        match = pattern.search(text, match.start() + 1)


def _lead(text: str, at: int) -> str:
    """What stands before `at` in its clause, without list marks and quotation marks."""
    before = text[max(0, at - _CLAUSE) : at]
    ends = [end.end() for end in _CLAUSE_END.finditer(before)]
    return before[ends[-1] if ends else 0 :].strip(_DECORATION)


def _is_order(lead: str) -> bool:
    return not lead or bool(_ORDERING.search(lead))


def _is_warning(lead: str) -> bool:
    """Whether `lead` forbids what follows; "do not avoid" and "never not" do not."""
    warning = _WARNING.search(lead)
    return warning is not None and not _NEGATION.search(lead, 0, warning.start())


def _is_condemned(lead: str, text: str, end: int) -> bool:
    return not lead and bool(_CONDEMNED.match(text, end))


def _hidden(text: str) -> str | None:
    """Base64 that stands for an order, or for any text that the reader is told to decode."""
    asks = bool(_DECODE.search(text))
    for run in _BASE64.finditer(text):
        said = decoded(run.group())
        if said and (asks or _reason(said)):
            return HIDDEN
    return None
