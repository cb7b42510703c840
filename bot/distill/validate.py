"""The one gate to the store: what a sentence must be before it may become a bullet.

Both distillers and a person's own note pass it. It mends what can be mended without changing the
meaning and refuses the rest with a reason; it does not judge whether the sentence is true or safe
to obey (that is quarantine).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.distill.credentials import MARK
from bot.distill.neutral import visible
from bot.distill.redact import redact


@dataclass(frozen=True, slots=True)
class Valid:
    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """`reason` is a sentence for the person who looks for the lesson."""

    reason: str


_MARKDOWN = MarkdownIt("commonmark").enable("strikethrough")
_SPAN = re.compile(r"(`[^`]*`)")
_ROUNDS = 4  # dropping an escape or an emphasis may uncover the next one

_BLOCK_MARK = re.compile(r"^(?:(?:#{1,6}|[-+*>]|\d{1,3}[.)]|\[[ xX]\])\s+)+")
# Prose that Markdown would eat or render as a tag, but that names something: dunder names, globs,
# generics, components.
_BARE_CODE = re.compile(
    r"(?<![\w`])__\w+__(?!\w)"
    r"|(?<![\w*`/])(?:[\w.-]+/)*\*{1,2}(?:/[\w.*-]*[\w*]|\.\w+)+"
    r"|</?[A-Z]\w*(?:\.\w+)* ?/?>"
    r"|\b\w+(?:::\w+)*<[\w ,:&*?\[\]<>]{1,60}>(?:\(\))?"
)
# What GitHub acts on is shown as code instead: an address, a mention, an issue or pull request.
_ACTING = re.compile(
    r"\b[a-z][a-z+.-]*://\S*\w"
    r"|[\w.+/-]*@[A-Za-z0-9][\w.-]*(?:/[\w.-]+)*(?<!\.)"
    r"|(?:[\w.-]+/)*[\w.-]*#\d+\b|\bGH-\d+\b",
    re.ASCII,
)
_SKIP = re.compile(
    r"\[((?:skip|no)[ -](?:ci|actions?|\w{1,20})|(?:ci|actions?|\w{1,20})[ -]skip)\]"
    r"|(skip-checks)\s*:(?=\s*true)|\*{3}(NO_CI)\*{3}",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\b(?:https?|ftp)://(?!localhost\b|127\.0\.0\.1\b|\[::1\])|\bwww\.\w", re.IGNORECASE
)
_TRAILER = re.compile(r"\((?:[\w.-]+/[\w.-]+)?(?:#\d+|manual),\s*\d{4}-\d\d-\d\d")

_NEIGHBOUR = re.compile(
    r"\b(?:the|as|see|per) (?:above|below)\b"
    r"|\b(?:above|below)\s*(?:[.,;:)!?]|$)"
    r"|\b(?:section|comment|code|snippet|example|table|list|point|note|finding|bullet|rule)s?"
    r" (?:above|below)(?= (?:for|to|is|are|was|which|that|already|has)\b)"
    r"|\bas (?:already )?(?:mentioned|noted|described|said|discussed|stated|explained|shown)"
    r"(?: (?:above|below|before|earlier|previously)\b|\s*[.,;)]|$)"
    r"|^(?:a )?correction (?:to|of)\b|^(?:ditto|same (?:here|as|for|issue|problem|comment))\b"
    r"|\b(?:previous|preceding|above|earlier|my|this|that) "
    r"(?:comments?|bullets?|lessons?|remarks?|findings?|reviews?|suggestions?)\b"
    r"|\b(?:siehe|wie) (?:oben|unten)\b|\bobige[rnms]?\b|\bci-dess(?:us|ous)\b"
    r"|\b(?:más arriba|más abajo)\b|上記|前述|下記|上述",
    re.IGNORECASE,
)
_TO_AN_AGENT = re.compile(
    r"^(?:verify each finding against|in `?@?\S+ around lines? \d)"
    r"|^`?@?(?:claude|copilot|cursor|codex|gemini|devin|chatgpt"
    r"|(?:ai|coding) (?:agents?|assistants?))\b`?\s*[,:]"
    r"|\bprompt for (?:ai|all review)\b",
    re.IGNORECASE,
)

_TOKEN_END = re.compile(r"(?<!\S)(\S*[.!?…])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*(\S))")
_CJK_END = re.compile(r"[。！？](?=\s*[^\s。！？」』）)])")
_ABBREVIATIONS = re.compile(
    r"(?:e\.g|i\.e|vs|cf|approx|[ie]ncl|excl|resp|nos?|fig|eq|sec|ver|ref|[dm]r|ms|st|al|viz"
    r"|z\.b|d\.h|bzw|ca|u\.a|ggf|evtl|inkl|p\.ex|ej|n\.b)\."
)
_OPEN_ABBREVIATIONS = frozenset(["etc.", "usw.", "..."])


def validate(sentence: str, characters: int) -> Valid | Refused:
    """The sentence as it may be stored, at most `characters` long, or why not. Idempotent."""
    text = unicodedata.normalize("NFC", visible(sentence)).strip()
    if len(text) > 20 * characters:
        return _too_long(characters)
    if "\n" in text:
        return Refused("It spans more than one line.")
    for _ in range(_ROUNDS):
        before, mended = text, _mended(text)
        if isinstance(mended, Refused):
            return mended
        text = mended.text
        if text == before:
            break
    else:
        return Refused("Its markup does not come to rest.")
    return _judged(text, characters)


def sentences(text: str) -> int:
    """How many sentences the text has; inline code, abbreviations, versions and paths end none."""
    prose = _SPAN.sub("code", text)
    ends = sum(_ends(m[1], m[2]) for m in _TOKEN_END.finditer(prose))
    return 1 + ends + len(_CJK_END.findall(prose))


def _ends(token: str, following: str) -> bool:
    """Whether `token`, which has a full stop behind it, ends a sentence before `following`."""
    word = token.lstrip("\"'“‘([").lower()
    if _ABBREVIATIONS.fullmatch(word) or re.fullmatch(r"(?:[A-Z]\.)+", token):
        return False
    if following.islower():
        return (
            word.endswith(".")
            and not word.endswith("...")
            and not word[:-1].isdigit()
            and word not in _OPEN_ABBREVIATIONS
        )
    return any(c.isalnum() for c in following) or word[-1] in "!?"


def _mended(text: str) -> Valid | Refused:
    """One round: our markup alone is left, and nothing in it acts."""
    text = redact(_BLOCK_MARK.sub("", text)).text
    if "``" in text:
        return Refused("It holds a code fence.")
    if "<!--" in text or "-->" in text:
        return Refused("It holds an HTML comment.")
    if _TRAILER.search(text.replace("`", "")):
        return Refused("It holds what reads like a trailer.")
    marked = "".join(
        part if part.startswith("`") else _BARE_CODE.sub(_as_code, part)
        for part in _SPAN.split(text)
    )
    parts: list[str] = []
    for token in _MARKDOWN.parseInline(marked)[0].children or ():
        shown = _shown(token)
        if isinstance(shown, Refused):
            return shown
        parts.append(shown.text)
    return Valid(" ".join("".join(parts).split()))


def _shown(token: Token) -> Valid | Refused:
    """What remains of one piece of inline Markdown."""
    match token.type:
        case "text":
            if "`" in token.content:
                return Refused("Its back-ticks do not pair.")
            if _LINK.search(token.content):
                return Refused("It holds a link.")
            return Valid(_ACTING.sub(_as_code, _SKIP.sub(_as_code, token.content)))
        case "code_inline":
            code = _SKIP.sub(_bare, token.content)
            return Valid(f"`{code}`") if code.strip() else Refused("It holds empty code.")
        case "html_inline":
            return Refused("It holds HTML.")
        case "link_open" | "image":
            return Refused("It holds a link.")
        case _:
            return Valid("")  # emphasis and its like: the words stay


def _judged(text: str, characters: int) -> Valid | Refused:
    prose = _SPAN.sub("code", text)
    if sum(c.isalpha() for c in text.replace(MARK, "")) < 3:
        return Refused("It says nothing.")
    if len(text) > characters:
        return _too_long(characters)
    if "``" in text or text.count("`") % 2:
        return Refused("Its back-ticks do not pair.")
    if _NEIGHBOUR.search(prose):
        return Refused("It leans on text that will not stand beside it.")
    if _TO_AN_AGENT.search(text):
        return Refused("It is an order to an agent.")
    if sentences(text) != 1:
        return Refused("It is more than one sentence.")
    return Valid(text)


def _too_long(characters: int) -> Refused:
    return Refused(f"It is longer than {characters} characters.")


def _bare(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group), match.group())


def _as_code(match: re.Match[str]) -> str:
    return f"`{_bare(match)}`"
