"""Takes secrets out of text, wherever it goes next: model, file, commit, log, page, comparison.

The patterns of detect-secrets do most of the work. Its entropy and keyword plugins are left out:
they take object ids, paths and long identifiers for secrets. This room knows nothing of reviews.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.basic_auth import BasicAuthDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

MARK = "[redacted]"
_PASSES = 4  # one finds nearly all; a mark may shorten a value into another rule's reach


@dataclass(frozen=True, slots=True)
class Redacted:
    """`kinds`: what was taken out, sorted, each once; empty when `text` came through unchanged."""

    text: str
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rule:
    """`hints`: lower-case literals of which every match holds one, so that most texts never meet
    the expression.

    `group` is the part that is secret; `accepts` has the last word on it.
    """

    kind: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...] = ("",)
    accepts: Callable[[str], bool] = bool
    group: int | str = 0


def _is_mixed(value: str) -> bool:
    """Letters and digits both: what tells a token from an identifier or a word."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


_PLACEHOLDER = re.compile(
    r"""^[<{(\[%$]|\$\{|\{\{|\.{3}|…|\*{3}|x{4}"""
    r"""|^(?:your|my|some|the|example|dummy|fake|placeholder|redacted)\b"""
    r"""|^(?:your|my|example|dummy|fake)[_-]|^(?:true|false|null|none|undefined|changeme|string)$"""
    r"""|^(?:process|os|env|config|settings|self|this|secrets|vars)\.""",
    re.IGNORECASE,
)


def _is_value(value: str) -> bool:
    """Neither a reference (`${{ secrets.X }}`, `<token>`, `process.env.X`) nor our mark."""
    return bool(rest := value.replace(MARK, "")) and not _PLACEHOLDER.search(rest)


def _from_base64(run: str) -> str | None:
    """The printable text a run of base64 (plain or URL-safe) stands for, or None."""
    body = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        data = base64.b64decode(body[: len(body) - (len(body) % 4 == 1)] + "==")
        decoded = data.decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return decoded if decoded.isprintable() else None


def _is_basic_auth(value: str) -> bool:
    return ":" in (_from_base64(value) or "")


def _is_mixed_value(value: str) -> bool:
    return _is_value(value) and _is_mixed(value)


# The detectors' own `analyze_string` returns the first group, for GitHub and GitLab the prefix
# alone: so their patterns are used, and the places are found here. No detector is asked to verify:
# that would send the secret over the network.
_FROM_LIBRARY = tuple(
    _Rule(
        detector.secret_type,
        pattern,
        accepts=_is_mixed,
        group=1 if detector is AWSKeyDetector and pattern.groups else 0,
    )
    for detector in (
        AWSKeyDetector,
        AzureStorageKeyDetector,
        DiscordBotTokenDetector,
        GitHubTokenDetector,
        GitLabTokenDetector,
        MailchimpDetector,
        PypiTokenDetector,
        SendGridDetector,
        SlackDetector,
        SquareOAuthDetector,
        StripeDetector,
        TelegramBotTokenDetector,
        TwilioKeyDetector,
    )
    for pattern in detector.denylist
) + tuple(
    _Rule(BasicAuthDetector.secret_type, pattern, ("://",), _is_value, 1)
    for pattern in BasicAuthDetector.denylist
)

_NAME = r"(?:pass(?:word|wd|phrase)?|pwd|passwort)"
_KEY = r"(?:secret|token|credential|(?:api|access|auth|private|signing|encryption)[_-]?key)s?"
_ASSIGNED = r"[\"'`\])]{0,2}\s{0,4}(?::=|=>|==|=|:)\s{0,4}"

# Where the library's pattern is missing, older than the token's form, or slow on hostile text
# (npm, OpenAI, JWT: quadratic), there is one here. Each begins at a word's edge and is linear.
_OWN = (
    _Rule("GitHub Token", re.compile(r"gh[pousr]_\w{20,}"), ("gh",), _is_mixed),
    _Rule("GitHub Token", re.compile(r"github_pat_\w{20,}"), ("github_pat_",)),
    _Rule("Model API Key", re.compile(r"(?<![\w-])sk-[\w-]{20,}"), ("sk-",), _is_mixed),
    _Rule(
        "Stripe Access Key",
        re.compile(r"\b(?:[rs]k_(?:live|test)|whsec)_\w{16,}"),
        ("_",),
        _is_mixed,
    ),
    _Rule("Slack Token", re.compile(r"\bxapp-[\w-]{20,}"), ("xapp-",)),
    _Rule("Google API Key", re.compile(r"\bAIza[\w-]{35}"), ("aiza",)),
    _Rule("npm Token", re.compile(r"\bnpm_\w{30,}"), ("npm_",), _is_mixed),
    _Rule("npm Token", re.compile(r"_authToken=([^\s\"'`]+)"), ("_authtoken",), _is_value, 1),
    _Rule(
        "Service Token",
        re.compile(r"\b(?:hf|dop_v1|dckr_pat|lin_api|shpat|shpss)_[\w-]{24,}"),
        ("hf_", "_v1_", "_pat_", "lin_api_", "shpat_", "shpss_"),
        _is_mixed,
    ),
    _Rule("PyPI Token", re.compile(r"\bpypi-[\w-]{50,}"), ("pypi-",)),
    _Rule(
        "JSON Web Token",
        re.compile(r"(?<![A-Za-z0-9])eyJ[\w=-]{10,}\.[\w=-]{4,}(?:\.[\w=-]+)?"),
        ("eyj",),
    ),
    _Rule(
        "Private Key",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]*-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:\s*(?:Proc-Type|DEK-Info|Version|Comment): [^\n]*)*"
            r"(?:(?:\s|\\n|[>+|\"'-])*[A-Za-z0-9+/=]{16,})*)"
        ),
        ("private key",),
    ),
    _Rule(
        "Connection String",
        re.compile(r"://[^\s:/@\"'`<>]{0,128}:([^\s/\"'`<>]{1,256})@(?=[\w.\[-])"),
        ("://",),
        _is_value,
        1,
    ),
    _Rule(
        "Connection String",
        re.compile(r";\s?(?:password|pwd)=([^;\s\"'`]{1,256})", re.IGNORECASE),
        (";",),
        _is_value,
        1,
    ),
    _Rule(
        "Authorization Header",
        re.compile(r"\b(?:bearer|authorization: token) ([\w.~+/=-]{20,})", re.IGNORECASE),
        ("bearer ", "authorization: token "),
        _is_mixed,
        1,
    ),
    _Rule(
        "Authorization Header",
        re.compile(r"\bbasic ([A-Za-z0-9+/]{4,}={0,2})", re.IGNORECASE),
        ("basic ",),
        _is_basic_auth,
        1,
    ),
    _Rule(
        "Password",
        re.compile(
            rf"{_NAME}{_ASSIGNED}([\"'`])(?P<value>[^\s\"'`]{{4,256}})\1",
            re.IGNORECASE,
        ),
        ("pass", "pwd"),
        accepts=_is_value,
        group="value",
    ),
    _Rule(
        "Secret Assignment",
        re.compile(
            rf"{_KEY}{_ASSIGNED}([\"'`])(?P<value>[^\s\"'`]{{8,256}})\1",
            re.IGNORECASE,
        ),
        ("secret", "token", "credential", "key"),
        accepts=_is_mixed_value,
        group="value",
    ),
    _Rule(
        "Secret Assignment",
        re.compile(
            r"(?:PASSWORD|PASSWD|SECRET|TOKEN|(?:API|ACCESS|AUTH|PRIVATE|SECRET|SIGNING)_?KEY)"
            r"=(?P<value>[^\s\"'`()<>{}$,;]{6,256})"
        ),
        ("=",),
        _is_mixed_value,
        "value",
    ),
)
_RULES = (*_FROM_LIBRARY, *_OWN)

_TOKEN_REST = re.compile(r"[\w-]*", re.ASCII)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")
_PERCENT = re.compile(r"(?<![\w.~%+-])[\w.~+-]*%[0-9A-Fa-f]{2}[\w.~%+-]*", re.ASCII)


def redact(text: str, *, known: Iterable[str] = ()) -> Redacted:
    """The text with every secret replaced by `[redacted]`, and nothing else changed.

    Secrets in base64 or percent-encoding count as well. `known` are values known to be secret
    whatever they look like (our own tokens). Idempotent; linear in the text; never raises.
    """
    literals = tuple(value for value in known if value)
    kinds: set[str] = set()
    for _ in range(_PASSES):
        found = sorted(_found(text, literals))
        if not found:
            break
        kinds.update(kind for _, _, kind in found)
        text = _replaced(text, found)
    return Redacted(text, tuple(sorted(kinds)))


def _found(text: str, known: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    yield from _plain(text, known)
    for run in _BASE64.finditer(text):
        if decoded := _from_base64(run.group()):
            for _, _, kind in _plain(decoded, known):
                yield run.start(), run.end(), kind
                break
    if "%" in text:
        for run in _PERCENT.finditer(text):
            for _, _, kind in _plain(unquote(run.group()), known):
                yield run.start(), run.end(), kind
                break


def _plain(text: str, known: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    lower = text.lower()
    for rule in _RULES:
        if not any(hint in lower for hint in rule.hints):
            continue
        for match in rule.pattern.finditer(text):
            if match.group(rule.group) and rule.accepts(match.group(rule.group)):
                yield *match.span(rule.group), rule.kind
    for value in known:
        at = text.find(value)
        while at >= 0:
            yield at, at + len(value), "Own Token"
            at = text.find(value, at + len(value))


def _replaced(text: str, found: list[tuple[int, int, str]]) -> str:
    """Overlapping spans become one mark; a token that is longer than its pattern goes whole."""
    parts: list[str] = []
    done = 0
    for start, end, _ in found:
        rest = _TOKEN_REST.match(text, max(end, done))
        whole = rest.end() if rest else end
        if start >= done:
            parts += [text[done:start], MARK]
        done = max(done, whole)
    return "".join([*parts, text[done:]])
