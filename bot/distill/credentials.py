"""What a secret looks like: the patterns of detect-secrets, and what they lack.

The library's entropy and keyword plugins are left out: on real reviews they take digests, paths
and long identifiers for secrets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

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

from bot.distill.neutral import decoded

MARK = "[redacted]"


@dataclass(frozen=True, slots=True)
class Rule:
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


def _is_basic_auth(value: str) -> bool:
    return ":" in (decoded(value) or "")


def _is_mixed_value(value: str) -> bool:
    return _is_value(value) and _is_mixed(value)


# The detectors' own `analyze_string` returns the first group, for GitHub and GitLab the prefix
# alone: so their patterns are used, and the places are found here. No detector is asked to verify:
# that would send the secret over the network.
_FROM_LIBRARY = tuple(
    Rule(
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
    Rule(BasicAuthDetector.secret_type, pattern, ("://",), _is_value, 1)
    for pattern in BasicAuthDetector.denylist
)

_NAME = r"(?:pass(?:word|wd|phrase)?|pwd|passwort)"
_KEY = r"(?:secret|token|credential|(?:api|access|auth|private|signing|encryption)[_-]?key)s?"
_ASSIGNED = r"[\"'`\])]{0,2}\s{0,4}(?::=|=>|==|=|:)\s{0,4}"

# Where the library's pattern is missing, older than the token's form, or slow on hostile text
# (npm, OpenAI, JWT: quadratic), there is one here. Each begins at a word's edge and is linear.
_OWN = (
    Rule("GitHub Token", re.compile(r"gh[pousr]_\w{20,}"), ("gh",), _is_mixed),
    Rule("GitHub Token", re.compile(r"github_pat_\w{20,}"), ("github_pat_",)),
    Rule("Model API Key", re.compile(r"(?<![\w-])sk-[\w-]{20,}"), ("sk-",), _is_mixed),
    Rule(
        "Stripe Access Key",
        re.compile(r"\b(?:[rs]k_(?:live|test)|whsec)_\w{16,}"),
        ("_",),
        _is_mixed,
    ),
    Rule("Slack Token", re.compile(r"\bxapp-[\w-]{20,}"), ("xapp-",)),
    Rule("Google API Key", re.compile(r"\bAIza[\w-]{35}"), ("aiza",)),
    Rule("npm Token", re.compile(r"\bnpm_\w{30,}"), ("npm_",), _is_mixed),
    Rule("npm Token", re.compile(r"_authToken=([^\s\"'`]+)"), ("_authtoken",), _is_value, 1),
    Rule(
        "Service Token",
        re.compile(r"\b(?:hf|dop_v1|dckr_pat|lin_api|shpat|shpss)_[\w-]{24,}"),
        ("hf_", "_v1_", "_pat_", "lin_api_", "shpat_", "shpss_"),
        _is_mixed,
    ),
    Rule("PyPI Token", re.compile(r"\bpypi-[\w-]{50,}"), ("pypi-",)),
    Rule(
        "JSON Web Token",
        re.compile(r"(?<![A-Za-z0-9])eyJ[\w=-]{10,}\.[\w=-]{4,}(?:\.[\w=-]+)?"),
        ("eyj",),
    ),
    Rule(
        "Private Key",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]*-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
            r"|(?:\s*(?:Proc-Type|DEK-Info|Version|Comment): [^\n]*)*"
            r"(?:(?:\s|\\n|[>+|\"'-])*[A-Za-z0-9+/=]{16,})*)"
        ),
        ("private key",),
    ),
    Rule(
        "Connection String",
        re.compile(r"://[^\s:/@\"'`<>]{0,128}:([^\s/\"'`<>]{1,256})@(?=[\w.\[-])"),
        ("://",),
        _is_value,
        1,
    ),
    Rule(
        "Connection String",
        re.compile(r";\s?(?:password|pwd)=([^;\s\"'`]{1,256})", re.IGNORECASE),
        (";",),
        _is_value,
        1,
    ),
    Rule(
        "Authorization Header",
        re.compile(r"\b(?:bearer|authorization: token) ([\w.~+/=-]{20,})", re.IGNORECASE),
        ("bearer ", "authorization: token "),
        _is_mixed,
        1,
    ),
    Rule(
        "Authorization Header",
        re.compile(r"\bbasic ([A-Za-z0-9+/]{4,}={0,2})", re.IGNORECASE),
        ("basic ",),
        _is_basic_auth,
        1,
    ),
    Rule(
        "Password",
        re.compile(
            rf"{_NAME}{_ASSIGNED}([\"'`])(?P<value>[^\s\"'`]{{4,256}})\1",
            re.IGNORECASE,
        ),
        ("pass", "pwd"),
        accepts=_is_value,
        group="value",
    ),
    Rule(
        "Secret Assignment",
        re.compile(
            rf"{_KEY}{_ASSIGNED}([\"'`])(?P<value>[^\s\"'`]{{8,256}})\1",
            re.IGNORECASE,
        ),
        ("secret", "token", "credential", "key"),
        accepts=_is_mixed_value,
        group="value",
    ),
    Rule(
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
RULES = (*_FROM_LIBRARY, *_OWN)
