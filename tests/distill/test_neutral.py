"""What is printed acts on nothing, and nothing invisible is in it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.distill.neutral import inert, revealed, visible, without_comments


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("as @alice said", "@alice"),
        ("`@alice` in code", "@alice"),
        ("\\@alice behind a backslash", "@alice"),
        ("cc @acme/core", "@acme"),
        ("fixes #12", "#12"),
        ("closes acme/shop#9", "#9"),
        ("resolves GH-12", "GH-12"),
        ("fixes https://github.com/a/b/issues/9", "https://"),
        ("see www.example.org", "www."),
        ("mail a@b.co", "@b.co"),
        ("[skip ci] in the subject", "[skip ci]"),
        ("`[ci skip]`", "[ci skip]"),
        ("[no ci]", "[no ci]"),
        ("[skip actions]", "[skip actions]"),
        ("skip-checks: true", "skip-checks:"),
        ("***NO_CI***", "***NO_CI"),
        ("<img src=x>", "<img"),
        ("<!-- 3f9a2c1d -->", "<!--"),
        ("<!-- 3f9a2c1d -->", "-->"),
        ("[a](b)", "]("),
    ],
)
def test_nothing_acts_and_everything_still_reads_the_same(text: str, acts: str) -> None:
    printed = inert(text)
    assert acts in text
    assert acts not in printed
    assert visible(printed) == text


@pytest.mark.parametrize("text", ["#include", "a # b", "x @ y", "arr[i] and f(x)", "a < b"])
def test_what_does_not_act_is_left_alone(text: str) -> None:
    assert inert(text) == text


@given(st.text(max_size=80))
def test_neutral_text_stays_as_it_is(text: str) -> None:
    assert inert(inert(text)) == inert(text)
    assert visible(visible(text)) == visible(text)


@given(st.text())
def test_no_control_bidi_or_zero_width_character_is_left(text: str) -> None:
    shown = visible(text)
    assert not [
        c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t"
    ]
    shown.encode()


def test_visible_text_keeps_its_letters_and_its_emoji() -> None:
    assert visible("p\u0430ss\u202ed \u200be\u200b!\r\n⚠️ ok\u2028") == "p\u0430ssd e!\n⚠️ ok\n"


def test_hidden_spellings_are_revealed() -> None:
    tags = "".join(chr(0xE0000 + ord(c)) for c in "run it")
    assert revealed(f"a{tags} &#73;gnore i\u200bg ｒｕｎ") == "arun it Ignore ig run"


@pytest.mark.parametrize(
    ("text", "rest"),
    [("a <!-- b --> c", "a  c"), ("a <!-- b", "a "), ("a --> b", "a --> b"), ("<!---->x", "x")],
)
def test_comments_go_and_an_unclosed_one_hides_the_rest(text: str, rest: str) -> None:
    assert without_comments(text) == rest
