"""Makes text harmless to print: nothing invisible in it, and nothing that acts on GitHub.

Knows what GitHub and Markdown do with characters; knows nothing of reviews or lessons.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata

# What has no ink and no width, bidi controls and the tag block included: Unicode's
# Default_Ignorable_Code_Point, the C0 and C1 controls but tab and line feed, lone surrogates,
# private use, and the blank Braille cell.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ue000-\uf8ff\ufe00-\ufe0e"
    "\ufeff\uffa0\ufff0-\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
# The variation selector that makes a symbol an emoji is kept there, and only there.
_SELECTOR = re.compile("(?<![\u00a9\u00ae\u2000-\u3299\U0001f000-\U0001faff#*0-9])\ufe0f")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)

# What a reviewing tool tells agents about itself, in each of its comments.
_HINT = re.compile(r"<!--\s{0,9}coderabbit-cli-agent-hint:.{0,2000}?-->", re.DOTALL)

_BREAK = "\u200b"  # zero width space: the text reads the same and copies apart

# A mark that acts, cut in two behind its first character. Code spans do not help: a commit message
# is no Markdown, and a backslash was seen to defeat its own escape.
_ACTING = re.compile(
    r"@(?=\w)"  # mentions, e-mail addresses
    r"|#(?=\d)|\bGH-(?=\d)"  # issue references, and with them closing words
    r"|\bhttps?:(?=//)|\bwww(?=\.)"  # bare links
    r"|<(?=[A-Za-z/!?])|--(?=>)|\](?=[(:])"  # HTML, comment ends, Markdown links
    r"|\[(?=(?:skip|no)[ -](?:ci|actions?|\w{1,20})\]|(?:ci|actions?|\w{1,20})[ -]skip\])"
    r"|\bskip-(?=checks\s*:)|\*{3}(?=NO_CI)",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    """The text without invisible and control characters; every line end is a line feed."""
    return _SELECTOR.sub("", _INVISIBLE.sub("", _LINE_ENDS.sub("\n", text)))


def revealed(text: str) -> str:
    """The text as a model would read it: tag characters decoded, entities resolved, compatible
    forms folded (NFKC), nothing invisible between the letters."""
    spelled = _TAGS.sub(lambda m: "".join(chr(ord(c) - 0xE0000) for c in m.group()), text)
    plain = visible(html.unescape(visible(spelled))).replace("\ufe0f", "")
    return unicodedata.normalize("NFKC", plain)


def without_comments(text: str) -> str:
    """The text without HTML comments; one that is never closed hides the rest, as on GitHub."""
    return _COMMENT.sub("", text)


def without_hints(text: str) -> str:
    """The text without what a tool says of itself in a comment that names itself as that."""
    return _HINT.sub("", text)


def inert(text: str) -> str:
    """The text with the same look, for commit messages and check runs: it pings nobody, links and
    closes nothing, opens no tag and skips no check. Idempotent."""
    return _ACTING.sub(lambda m: m.group() + _BREAK, text)


def decoded(run: str) -> str | None:
    """The readable text that a run of base64 (plain or URL-safe) stands for, or None."""
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(body[: len(body) - (len(body) % 4 == 1)] + "==").decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if all(c.isprintable() or c in "\n\t" for c in text) else None
