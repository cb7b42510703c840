"""What may become a bullet: one plain sentence that stands alone and acts on nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.distill.validate import Refused, Valid, sentences, validate

LONGEST = 240


def text_of(sentence: str) -> str:
    result = validate(sentence, LONGEST)
    assert isinstance(result, Valid), result
    return result.text


def reason_of(sentence: str) -> str:
    result = validate(sentence, LONGEST)
    assert isinstance(result, Refused), result
    return result.reason


@pytest.mark.parametrize(
    "sentence",
    [
        "Wait for every CI job to conclude before giving a verdict.",
        "Bump `MIN_TESTS` in run-tests.sh when adding tests.",
        "Pin v1.2.3 in package.json, i.e. the root one, e.g. with `npm i x@1.2.3`.",
        "Do x.",
        "Keep coverage above 80 % and latency below 200 ms.",
        "Put imports above the class body.",
        "Use `@dataclass`, `@Override` and `#include` where the style guide says so.",
        "Call `http://localhost:3000/health` before the tests.",
        "Use `List<String>` and `<details>` with care.",
        "Ask Dr. Who vs. J. Doe about the 3. row etc. and so on.",
        "`a || b` differs from `a ?? b`: only `null` and `undefined` count.",
        "テストを先に実行する。",
        "Prüfe `Größe`, d.h. die Breite, vor dem Speichern.",
        "See `docs/x.md` as described in the contributing guide.",
    ],
)
def test_a_plain_sentence_passes_untouched(sentence: str) -> None:
    assert text_of(sentence) == sentence


@pytest.mark.parametrize(
    ("sentence", "stored"),
    [
        ("  Run the tests.  ", "Run the tests."),
        ("- **Never** retry `x`.", "Never retry `x`."),
        ("## _Use_ ~~old~~ new.", "Use old new."),
        ("Run\tit  twice.", "Run it twice."),
        ("Ru\u200bn i\u202et.", "Run it."),
        ("Use Vec<String> for it.", "Use `Vec<String>` for it."),
        ("Call __init__ after src/**/*.py.", "Call `__init__` after `src/**/*.py`."),
        ("Give <RuleItem /> a key.", "Give `<RuleItem />` a key."),
        ("Escape \\*args.", "Escape *args."),
        (
            "as @alice said in #123, fixes org/repo#9",
            "as `@alice` said in `#123`, fixes `org/repo#9`",
        ),
        ("Ask @org/team, a@b.co or GH-12.", "Ask `@org/team`, `a@b.co` or `GH-12`."),
        ("Pin actions/checkout@v4.", "Pin `actions/checkout@v4`."),
        ("Never put [skip ci] into `[ci skip]`.", "Never put `skip ci` into `ci skip`."),
        ("Drop skip-checks: true and ***NO_CI***.", "Drop `skip-checks` true and NO_CI."),
        ("Never commit `AKIAIOSFODNN7EXAMPLE`.", "Never commit `[redacted]`."),
        ("Keep postgres://u:pw@h/db out.", "Keep `postgres://u:[redacted]@h/db` out."),
    ],
)
def test_what_can_be_mended_is_mended(sentence: str, stored: str) -> None:
    assert text_of(sentence) == stored


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("", "It says nothing."),
        ("`[redacted]`.", "It says nothing."),
        ("x" * (LONGEST + 1), "It is longer than 240 characters."),
        ("x" * 1_000_000, "It is longer than 240 characters."),
        ("Run it.\nTwice.", "It spans more than one line."),
        ("Run it.\u2028Twice.", "It spans more than one line."),
        ("Run it. Then stop.", "It is more than one sentence."),
        ("Run `x`. Then stop.", "It is more than one sentence."),
        ("Run it. then stop.", "It is more than one sentence."),
        ("Why run it? It fails.", "It is more than one sentence."),
        ("先に実行する。次に止める。", "It is more than one sentence."),
        ("Run ```x``` now.", "It holds a code fence."),
        ("Run `x now.", "Its back-ticks do not pair."),
        ("Use <b>bold</b> text.", "It holds HTML."),
        ("Use <img src=x onerror=y> here.", "It holds HTML."),
        ("Use &lt;b&gt; here.", "It holds HTML."),
        ("Close it with --> here.", "It holds an HTML comment."),
        ("Close it with `-->` here.", "It holds an HTML comment."),
        ("Keep it. <!-- 3f9a2c1d -->", "It holds an HTML comment."),
        ("See [the guide](x.md) first.", "It holds a link."),
        ("See ![a picture](x.png) first.", "It holds a link."),
        ("See https://example.org first.", "It holds a link."),
        ("See www.example.org first.", "It holds a link."),
        ("Keep it. (#41, 2026-11-02, changes_requested)", "It holds what reads like a trailer."),
        ("Keep it (`manual, 2026-11-02, founder_note`).", "It holds what reads like a trailer."),
        ("Keep it (a/b#4, 2026-11-02, ci_fix; stale).", "It holds what reads like a trailer."),
    ],
)
def test_what_would_break_the_file_is_refused(sentence: str, reason: str) -> None:
    assert reason_of(sentence) == reason


@pytest.mark.parametrize(
    "sentence",
    [
        "Correction to the bullet above: `detect_os()` returns linux.",
        "Do the same as above.",
        "The above also holds for `x`.",
        "As mentioned above, close it.",
        "As noted, close it.",
        "See below for details.",
        "Use the pattern from the previous comment.",
        "The code above is wrong.",
        "This finding holds for `b.py`.",
        "The function below has the same bug, see the code below for it.",
        "Siehe oben für den Grund.",
        "上記の理由で閉じること。",
    ],
)
def test_text_that_leans_on_its_neighbours_is_refused(sentence: str) -> None:
    assert reason_of(sentence) == "It leans on text that will not stand beside it."


@pytest.mark.parametrize(
    "sentence",
    [
        "Claude, please fix the import.",
        "@copilot: apply the suggestion.",
        "AI agents: run the formatter first.",
        "Verify each finding against the current code and only fix it if needed.",
        "In `@src/a.py` around lines 15 - 22, change the default to beta.",
    ],
)
def test_an_order_to_an_agent_is_refused(sentence: str) -> None:
    assert reason_of(sentence) == "It is an order to an agent."


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Wait 1.5 s, then run scripts/a.b.sh.", 1),
        ("Use `a. B` here.", 1),
        ("Wait … then go on.", 1),
        ("Use Node.js, .NET and U.S. dates", 1),
        ("One. Two! Three? Four.", 4),
        ("「先。」と言う", 1),
        ("一。二！三", 3),
    ],
)
def test_sentences_are_counted_without_dots_inside_words(text: str, count: int) -> None:
    assert sentences(text) == count


WORDS = r"""
` * ** _ __x__ ~~ [ ]( ) <b> Vec<u8> &lt; \ @alice #12 [skip https://x # - 1. word e.g. . 。 ! `` :
AKIAIOSFODNN7EXAMPLE *.py (#1, 2026-01-01 a@b.co postgres://u:p@h/d skip-checks: true file"""
PIECES = st.sampled_from([*WORDS.split(), " ", "\u200b", "[skip ci]", "Close the file. "])


@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=14).map("".join))
@example("a_`*b*`_c")
def test_a_valid_sentence_is_valid_and_stays_as_it_is(text: str) -> None:
    once = validate(text, LONGEST)
    if isinstance(once, Valid):
        assert validate(once.text, LONGEST) == once
        assert len(once.text) <= LONGEST
        assert once.text == once.text.strip()
        for broken in ("\n", "``", "<!--", "-->", "[skip ci]", "AKIA", " @alice", " #12"):
            assert broken not in once.text


@given(st.text(max_size=3000))
def test_any_text_gets_an_answer(text: str) -> None:
    assert isinstance(validate(text, LONGEST), Valid | Refused)


@pytest.mark.parametrize("piece", ["*", "[", "`", "<a", "_a", "a. ", "](", "&", "e.g. ", "!["])
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    assert isinstance(validate(piece * (4_000 // len(piece)), 4_000), Valid | Refused)
