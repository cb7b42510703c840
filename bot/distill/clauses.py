"""Prose as sentences in which inline code is one word: masking, splitting, taking out of places.

Every function here maps text to text; which of the sentences teaches anything is not its concern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.distill.lexicon import lines, words

#: A masked code span is one private-use character: one word, and nothing in it is grammar.
_FIRST = 0xE000
_LAST = 0xF8FF
CODE = "[\ue000-\uf8ff]"

_SPAN = re.compile(r"`([^`]+)`")
_FILE = (
    r"py|pyi|ts|tsx|js|jsx|mjs|cjs|rs|go|md|mdx|yml|yaml|json|jsonl|toml|lock|java|kt|kts|rb|php|cs|cpp|cc|hpp|"
    r"sh|bash|sql|html|css|scss|vue|svelte|xml|ini|cfg|conf|env|gradle|tf|proto|swift|scala|ex|exs|lua|ipynb"
)
#: a_call("x"), an_item["of"], and chains of them: what is in their quotes is part of them.
_CALL = re.compile(
    r"""(?<![\w`@/.\ue000-\uf8ff-])\.?(?:[A-Za-z_]\w*(?:\.|::))*[A-Za-z_]\w*
    (?:(?:\??\.\w+)*(?:\((?!s\))(?:[^()\n]|\([^()\n]{0,40}\)){0,60}\)|\[[^\[\]\n]{1,40}\]))+
    (?:\.\w+)*(?![\w`/])""",
    re.VERBOSE,
)
_IDENTIFIER = re.compile(
    rf"""(?<![\w`@/.\ue000-\uf8ff-])(?:
      @?(?:\.{{0,2}}/)?(?:[\w.@\[\]()-]+/)+[\w.\[\]-]+\.(?:{_FILE})\b         # a path
    | [\w-]+(?:\.[\w-]+)*\.(?:{_FILE})\b(?!\()                               # a file
    | (?:[A-Za-z_]\w*\.)*[a-z]\w*_\w+[?!](?=\s[a-z])                          # a_predicate?
    | [A-Za-z_]\w*(?:\?\.\w+)+                                               # maybe?.there
    | (?:[A-Za-z_]\w*(?:\.|::))*\w*[a-z0-9]_\w+                              # snake_case
    | _\w*[a-z]\w*
    | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+                                          # CONSTANT_CASE
    | [a-z]\w*\.[A-Z]\w+|[A-Za-z]\w+(?:\.[A-Za-z_]\w+)+                     # attribute.access
    | [a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]+)+\w*                                  # camelCase
    | (?:[A-Z][a-z0-9]+){{2,}}                                               # PascalCase
    | [A-Z]{{2,}}[a-z]\w*[A-Z]\w*
    | --[a-z][\w-]+                                                          # --option
    | [a-z_]\w*=[\w.]+(?=[\s,;)]|$)                                         # name=value
    )(?![\w`/]|\.\w)""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"""(?<![\w`])(['"‘“])([\w.\-$]*[A-Za-z_][\w.\-$\[\]()]*)(['"’”])(?![\w`])""")
_QUOTED_MASK = re.compile(r"""['"‘“](`[^`]*`)['"’”](?!\w)""")
_NAMES = words("places", "names")
_PROPER = words("places", "proper names")


def mark_code(text: str) -> str:
    """`text` with bare identifiers, calls and paths set in back-ticks."""
    masked = Masked.of(text)
    called = _CALL.sub(lambda m: f"`{m[0]}`", masked.text)
    masked = Masked.of(_QUOTED_MASK.sub(r"\1", called), masked.spans)
    quoted = _QUOTED.sub(lambda m: f"`{m[2]}`" if _is_quoted_code(m) else m[0], masked.text)
    marked = Masked.of(quoted, masked.spans)
    found = _IDENTIFIER.sub(
        lambda m: m[0] if m[0] in _NAMES else f"`{m[0].lstrip('@')}`", marked.text
    )
    return marked.unmask(found)


def _is_quoted_code(match: re.Match[str]) -> bool:
    return {match[1], match[3]} in ({"'"}, {'"'}, {"‘", "’"}, {"“", "”"}) and (
        match[1] == "'" or not match[2].isalpha() or match[2].islower()
    )


@dataclass(slots=True)
class Masked:
    """A text whose code spans are single characters, and the spans they stand for."""

    text: str
    spans: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, text: str, spans: list[str] | None = None) -> Masked:
        kept = list(spans or ())

        def mask(match: re.Match[str]) -> str:
            code = match[1].strip()
            if code not in kept:
                if len(kept) > _LAST - _FIRST:
                    return code
                kept.append(code)
            return chr(_FIRST + kept.index(code))

        return cls(_SPAN.sub(mask, text).replace("`", ""), kept)

    def unmask(self, text: str) -> str:
        return re.sub(CODE, lambda m: f"`{self.spans[ord(m[0]) - _FIRST]}`", text)

    def word(self, code: str) -> str:
        """The character that stands for `code`, which becomes a span where it was none."""
        if code not in self.spans:
            self.spans.append(code)
        return chr(_FIRST + self.spans.index(code))


_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|incl|z\.B|d\.h|u\.a|bzw|ggf|usw|p\.ej|No|Fig|St|Mr|Dr)|\b[A-Z])$"
)
_END = re.compile(r"([.!?]+[\"'”’)*_]*)(?=\s|$)|([。！？]+[」』）)]*)|(\n)")


def sentences(text: str) -> Iterator[str]:
    """The sentences of masked text; a break never falls into brackets or after an abbreviation."""
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.start()]
        if match[3] is None and _is_open(piece):
            continue
        if match[1] is not None:
            following = text[match.end() :].lstrip()[:1]
            abbreviated = match[1].startswith(".") and _ABBREVIATION.search(piece)
            if following.isupper() and piece.endswith(("etc", "usw")):
                abbreviated = None
            if abbreviated or following.islower() or (following and following in "}])>,;"):
                continue
        whole = text[start : match.end()].strip()
        if whole:
            yield whole
        start = match.end()
    rest = text[start:].strip()
    if rest:
        yield rest


def _is_open(piece: str) -> bool:
    return piece.count("(") > piece.count(")") or piece.count("（") > piece.count("）")


_REMOVED = tuple(re.compile(line, re.IGNORECASE) for line in lines("places", "removed"))


def without_places(text: str) -> str:
    """Masked text without line numbers, mentions, emoji and pointers into the review."""
    for pattern in _REMOVED:
        text = pattern.sub("", text)
    text = re.sub(r"\s+([,.;:!?])(?!\w)", r"\1", text)
    text = re.sub(r"\(\s*\)|\[\s*\]", "", text)
    text = re.sub(r"^(?:[\s,;:–—-]|\.(?!\w))+", "", text)
    return re.sub(r"\s{2,}", " ", text).strip()


def lower_first(text: str) -> str:
    """With a small first letter, unless the first word is code, a name, or an acronym."""
    word = re.split(r"[\s,']", text, maxsplit=1)[0]
    if word in _PROPER:
        return text
    if len(word) > 1 and not word[1:].islower() and word not in ("I", "A"):
        return text
    return text[:1].lower() + text[1:] if word != "I" else text


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]
