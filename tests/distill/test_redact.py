"""A secret never survives, the sentence around it does, and what is no secret is left alone."""

from __future__ import annotations

import base64
import json
import string
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.distill.credentials import MARK
from bot.distill.redact import Redacted, redact

A36 = "a1B2" * 9
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiIxMjMifQ.abcDEF_123-x"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAabcdefgh\nqrstuvwxyzabcdefgh==\n"
    "-----END RSA PRIVATE KEY-----"
)

SECRETS = {
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "github": f"ghp_{A36}",
    "github app, long form": f"ghs_123456_{JWT}",
    "github, longer than today": f"gho_{A36}{A36}",
    "github fine-grained": f"github_pat_11{A36}_{A36}",
    "anthropic": f"sk-ant-api03-{A36}-{A36}",
    "jwt": JWT,
    "slack": "xoxb-123456789012-123456789012-aB3dE5fG7hI9",
    "slack app": "xapp-1-A0123456789-1234567890123-" + "ab12" * 8,
    "stripe": f"sk_live_{A36}",
    "stripe test": f"sk_test_{A36}",
    "npm": f"npm_{A36}",
    "pypi": f"pypi-AgEIcHlwaS5vcmc{A36 * 3}",
    "telegram": "1234567890:AAF" + "x1Y2" * 8,
    "hugging face": f"hf_{A36}",
    "google": "AIza" + "Sy1_" * 8 + "abc",
    "pem": PEM,
    "pem without an end": PEM.rsplit("\n", 1)[0],
    "pem in a string": PEM.replace("\n", "\\n"),
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_known_kind_of_secret_goes_whole(secret: str) -> None:
    found = redact(f"You committed {secret} to the repository.")
    assert found.text == f"You committed {MARK} to the repository."
    assert found.kinds


@pytest.mark.parametrize("name", sorted(set(SECRETS) - {"pem", "pem without an end"}))
def test_in_base64_and_percent_encoding_too(name: str) -> None:
    plain = f"x-access-token:{SECRETS[name]}"
    encoded = base64.b64encode(plain.encode()).decode()
    assert redact(f"Header: {encoded} is sent.").text == f"Header: {MARK} is sent."
    assert SECRETS[name] not in redact(f"url?{quote(plain, safe='')}").text
    assert quote(SECRETS[name], safe="") not in redact(f"url?{quote(plain, safe='')}").text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://u:pw@h/db", "postgres://u:[redacted]@h/db"),
        ("redis://:s3cr3t!$@h:6379", "redis://:[redacted]@h:6379"),
        ("https://x-access-token:ghs_TEST@github.com/a/b", "https://x-access-token:[redacted]@"),
        ("Server=h;Uid=u;Password=hunter2;", "Server=h;Uid=u;Password=[redacted];"),
        ('password = "hunter2"', 'password = "[redacted]"'),
        ("'db_passwd': 'hunter2',", "'db_passwd': '[redacted]',"),
        ('api_key: "k3yk3yk3y"', 'api_key: "[redacted]"'),
        ("DB_PASSWORD=hunter2", "DB_PASSWORD=[redacted]"),
        ("Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [redacted]"),
        ("curl -H 'Authorization: Basic dTpwYXNzd29yZDE='", "Basic [redacted]'"),
        ("//registry.example/:_authToken=abcd-1234", ":_authToken=[redacted]"),
    ],
)
def test_only_the_secret_part_goes(text: str, expected: str) -> None:
    assert expected in redact(text).text


def test_the_lesson_stays() -> None:
    text = "Do not commit `AKIAIOSFODNN7EXAMPLE` keys to `config/prod.env`."
    assert redact(text) == Redacted(
        "Do not commit `[redacted]` keys to `config/prod.env`.", ("AWS Access Key",)
    )


@pytest.mark.parametrize(
    "text",
    [
        "a3f5" * 10,
        "a3f5" * 16,
        f"sha256:{'ab12' * 16}",
        f'"integrity": "sha512-{base64.b64encode(bytes(range(64))).decode()}"',
        "3f9a2c1d and da0e4a2b-1c2d-4e5f-8a9b-0c1d2e3f4a5b",
        "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683",
        "src/components/settings/AccountAccessTokenForm2.test.tsx",
        "test_that_tokens_are_refreshed_before_they_expire_2_times_in_a_row()",
        "password: ${{ secrets.DB_PASSWORD }} token: '<token>'",
        'password = "${DB_PASSWORD}"',
        'apiKey: "your-api-key-123"',
        'token = "process.env.TOKEN1"',
        "sk-loading-spinner-container sk_live_ ghp_ AKIA",
        "https://localhost:8080/path?token=<token>",
        "git@github.com:acme/shop.git",
        "Rotate the token and the password; never log a secret.",
        "TOKEN_LIMIT=maximum1 TOKEN_URL=https://x1.example/oauth2 CACHE_KEY=v1-node-18",
        "Keep a basic integration-test-v2-suite and basic src/components/v2/Form.tsx.",
    ],
)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert redact(text) == Redacted(text)


def test_reviews_of_real_tools_lose_nothing_but_the_one_key_they_hold(field: Path) -> None:
    hits = [
        redact(text).text
        for line in (field / "reviews.jsonl").read_text(encoding="utf-8").splitlines()
        for review in [json.loads(line)]
        for text in [review["body"] or "", *(c["body"] or "" for c in review["comments"])]
        if redact(text).kinds
    ]
    assert [f"SECRET_KEY={MARK}" in hit for hit in hits] == [True]


def test_known_values_go_whatever_they_look_like() -> None:
    encoded = base64.b64encode(b"x-access-token:plainword").decode()
    found = redact(f"fatal: plainword, {encoded}", known=["plainword", ""])
    assert found.text == f"fatal: {MARK}, {MARK}"


PIECES = st.sampled_from(
    [
        *SECRETS.values(),
        "password=",
        '"',
        "'",
        " ",
        "\n",
        MARK,
        "://u:",
        "@h",
        "Bearer ",
        "%3A",
        "=",
    ]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=12).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@given(st.text(alphabet=string.ascii_letters + string.digits, max_size=40), st.text(max_size=30))
def test_a_token_survives_nowhere(before: str, after: str) -> None:
    token = f"ghp_{A36}"
    assert token not in redact(f"{before} {token} {after}").text


HOSTILE = """\
eyJ|/|sk-|aws|xoxb-1-|password=|://a:|%20|a%|a|1|QUtJ| |password: '|TOKEN_|//|token  |=|"|;pwd=
"""


@pytest.mark.parametrize("piece", [*HOSTILE.split("|"), *SECRETS.values()])
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    assert len(redact(text).text) <= len(text) + len(MARK)
