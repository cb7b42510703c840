"""A review's Markdown and HTML as plain blocks of prose: headings, sections, badges.

Hidden comments, images and the targets of links end here; inline code is the only markup kept.
It knows no reviewing tool and judges nothing.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from bot.distill.lexicon import words
from bot.distill.neutral import visible

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

#: GitHub's own limit of a comment is 65,536 characters: what is longer was never one.
LONGEST = 65_536
#: No reviewer writes a longer paragraph or word of prose; what is behind it is not read.
LONGEST_BLOCK = 3_000
_LONG_WORD = re.compile(r"\S{200,}")

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


class Kind(enum.Enum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    CELL = "cell"
    FENCE = "fence"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Block:
    """One block of text.

    `lead` is the bold opening of `text`, where it has one; `within` are the summaries of the
    enclosing `<details>`, outermost first; `badges` the texts of the images in it; `quoted` is true
    in a quotation of somebody else.
    """

    kind: Kind
    text: str
    lead: str = ""
    within: tuple[str, ...] = ()
    badges: tuple[str, ...] = ()
    quoted: bool = False


_FLOW = words("structure", "flow elements")
_KINDS = {
    "p": Kind.PARAGRAPH,
    "li": Kind.ITEM,
    "td": Kind.CELL,
    "th": Kind.CELL,
    "h1": Kind.HEADING,
    "h2": Kind.HEADING,
    "h3": Kind.HEADING,
    "h4": Kind.HEADING,
    "h5": Kind.HEADING,
    "h6": Kind.HEADING,
}
_SILENT = words("structure", "silent elements")
#: A name that Markdown would set in bold: `__init__` is never meant so.
_DUNDER = re.compile(r"(?<![\w`_])__[a-z][a-z_]*[a-z]__(?![\w`(])")
#: A component or a generic type that Markdown would take for HTML.
_NO_HTML = re.compile(
    r"(?<![\w`<])</?(?!(?i:details|summary|sub|sup|img|picture|source|h\d|br|hr|p|a|b|i|table|tr|td|th)\b)"
    r"[A-Z][a-z]\w*(?:\.\w+)*(?: [^<>`\n]{0,60})?/?>"
    r"|(?<![\w`])[A-Z]\w{0,60}(?:::\w{1,60}){0,8}<[\w ,:&*?\[\]<>.]{1,60}>(?:\(\))?"
)
_CODE_OR_COMMENT = re.compile(r"(```.*?```|~~~.*?~~~|`[^`\n]*`|<!--.*?(?:-->|\Z))", re.DOTALL)
#: A link to a line of a file is that place.
_BLOB_URL = re.compile(r"https?://\S+/blob/[0-9a-f]{7,40}/([\w./-]+)#L(\d+)\S*")
_BARE_URL = re.compile(r"<?\bhttps?://[^\s<>)\]]+>?")


def read(text: str) -> tuple[Block, ...]:
    """The blocks of a review body or of one inline comment, in order; never raises for any text."""
    from selectolax.lexbor import LexborHTMLParser  # a server that hears nothing goes without

    source = _marked(visible(text[:LONGEST]))
    tree = LexborHTMLParser(_MARKDOWN.render(source))
    reader = _Reader()
    if tree.body is not None:
        reader.walk(tree.body)
    return tuple(reader.blocks)


def _marked(text: str) -> str:
    """With back-ticks around bare names that Markdown or HTML would swallow."""
    parts = _CODE_OR_COMMENT.split(text)
    for at in range(0, len(parts), 2):
        parts[at] = _NO_HTML.sub(r"`\g<0>`", _DUNDER.sub(r"`\g<0>`", parts[at]))
    return "".join(parts)


@dataclass(slots=True)
class _Run:
    text: str
    bold: bool


class _Reader:
    """Walks the tree with a stack of its own, so that no nesting is too deep."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._within: list[str] = []
        self._kind = Kind.PARAGRAPH
        self._runs: list[_Run] = []
        self._badges: list[str] = []
        self._bold = 0
        self._quotes = 0
        self._cells = 0

    def walk(self, root: LexborNode) -> None:
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                self._leave(node)
            elif self._enter(node):
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(list(_children(node))))
        self._flush()

    def _enter(self, node: LexborNode) -> bool:
        """Whether the children are to be walked."""
        tag = node.tag
        if tag == "-text":
            self._runs.append(_Run(node.text_content or "", self._bold > 0))
        elif tag == "code":
            self._runs.append(_Run(_code(node.text()), self._bold > 0))
        elif tag == "pre":
            self._flush()
            self._add(Kind.FENCE, node.text(), "")
        elif tag == "img":
            self._badges.append(node.attributes.get("alt") or "")
        elif tag == "hr":
            self._flush()
            self._add(Kind.RULE, "", "")
        elif tag == "br":
            self._runs.append(_Run("\n", False))
        elif tag == "summary":
            self._flush()
            self._summary(node)
        elif tag and tag[0] not in "-_!" and tag not in _SILENT:
            if tag in _FLOW or tag in _KINDS:
                self._flush()
                if tag != "p" or self._kind is not Kind.ITEM:
                    self._kind = _KINDS.get(tag, Kind.PARAGRAPH)
            self._quotes += tag == "blockquote"
            self._cells += tag == "td"
            if tag == "details" and not self._cells:
                self._within.append("")
            self._bold += tag in ("b", "strong")
            return True
        return False

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        self._bold -= tag in ("b", "strong")
        self._quotes -= tag == "blockquote"
        if tag in _FLOW or tag in _KINDS:
            self._flush()
            self._kind = Kind.PARAGRAPH
        if tag == "details" and not self._cells and self._within:
            self._within.pop()
        self._cells -= tag == "td"

    def _summary(self, node: LexborNode) -> None:
        """In a table a heading and what is said under it, elsewhere the name of the section."""
        text = _squeeze(node.text())
        if not self._cells:
            self._within[-1:] = [text] if self._within else []
            return
        strong = node.css_first("strong, b")
        heading = _squeeze(strong.text()) if strong else text
        self._add(Kind.HEADING, heading, "")
        self._add(Kind.PARAGRAPH, text.removeprefix(heading).strip(), "")

    def _flush(self) -> None:
        runs, self._runs = self._runs, []
        # A comment that is never closed hides what is behind it.
        text = "".join(run.text for run in runs).split("<!--")[0]
        text = _squeeze(_LONG_WORD.sub(" ", text[:LONGEST_BLOCK]))
        lead = _squeeze("".join(run.text for run in _opening(runs)))
        lead = lead if text.find(lead) >= 0 else ""
        self._add(self._kind, text, lead)

    def _add(self, kind: Kind, text: str, lead: str) -> None:
        badges, self._badges = tuple(self._badges), []
        if text or badges or kind is Kind.RULE:
            # Inside a section a blockquote is only the section's indentation.
            quoted = self._quotes > 0 and not self._within
            self.blocks.append(Block(kind, text, lead, tuple(self._within), badges, quoted))


def _children(node: LexborNode) -> Iterator[LexborNode]:
    return node.iter(include_text=True)


def _opening(runs: list[_Run]) -> Iterator[_Run]:
    """The first bold runs, when nothing but a place, a number or a mark stands before them."""
    started = False
    for run in runs:
        if run.bold:
            started = True
            yield run
        elif started or re.search(r"[^\W\d]", _BARE_URL.sub("", run.text).replace("Line", "")):
            return


def _code(text: str) -> str:
    text = _squeeze(text)
    return f"`{text}`" if text and "`" not in text else text


def _squeeze(text: str) -> str:
    return " ".join(_BARE_URL.sub(" ", _BLOB_URL.sub(r"`\1:\2`", text)).split())
