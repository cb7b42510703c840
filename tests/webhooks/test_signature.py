"""Signatures: over raw bytes, by any current secret, and never without one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UserError
from webhooks.signature import Secrets, sign


@given(body=st.binary(), secret=st.text(min_size=1).filter(lambda s: s == s.strip()))
def test_what_was_signed_is_accepted_and_one_more_byte_is_not(body: bytes, secret: str) -> None:
    secrets = Secrets([secret])
    assert secrets.matching(body, sign(body, secret)) == 0
    assert secrets.matching(body + b" ", sign(body, secret)) is None


def test_the_published_example_of_github() -> None:
    # https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
    signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    secrets = Secrets(["It's a Secret to Everybody"])
    assert secrets.matching(b"Hello, World!", signature) == 0


def test_while_the_secret_is_changed_both_are_accepted_and_told_apart() -> None:
    secrets = Secrets(["new", "old"])
    assert secrets.matching(b"{}", sign(b"{}", "new")) == 0
    assert secrets.matching(b"{}", sign(b"{}", "old")) == 1
    assert secrets.matching(b"{}", sign(b"{}", "older")) is None


@given(signature=st.text())
def test_no_other_header_value_is_a_signature(signature: str) -> None:
    assert Secrets(["s"]).matching(b"{}", signature) is None


@pytest.mark.parametrize("secrets", [[], [""], [" ", "\n"]])
def test_without_a_secret_nothing_starts(secrets: list[str]) -> None:
    with pytest.raises(UserError) as refused:
        Secrets(secrets)
    assert "LESSONKEEPER_WEBHOOK_SECRETS" in refused.value.remedy


def test_spaces_around_a_secret_of_the_list_do_not_count() -> None:
    assert Secrets(["new", " old "]).matching(b"{}", sign(b"{}", "old")) == 1
