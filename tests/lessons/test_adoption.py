"""Which hand-written lines get our trailer: those that leave nothing to guess."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.lessons.adoption import adopt
from bot.lessons.document import Document

TODAY = date(2026, 11, 29)
SENTENCE = "Close every session in a `finally` block."


def adopted(line: str) -> str | None:
    """The line without its id comment; None where it is left as it is."""
    data, found, _ = adopt(f"- {line}\n".encode(), TODAY)
    if not found:
        assert data == f"- {line}\n".encode()
        return None
    return found[0].after.rpartition(" <!-- ")[0]


@pytest.mark.parametrize(
    ("line", "trailer"),
    [
        (f"{SENTENCE} (PR #12, 2026-01-02, changes requested)", "#12, changes_requested"),
        (f"{SENTENCE} (#12; 2026-01-02; CI fix)", "#12, ci_fix"),
        (f"{SENTENCE} [changes-requested] (2026-01-02, #12)", "#12, changes_requested"),
        (f"{SENTENCE} (acme/shop#12, 2026-01-02, founder note).", "acme/shop#12, founder_note"),
        (f"[#12] {SENTENCE} 2026-01-02 changes_requested", "#12, changes_requested"),
        (f"**#12** (2026-01-02, requested changes): {SENTENCE}", "#12, changes_requested"),
        (f"{SENTENCE} — PR #12, 2026-01-02, ci_fix", "#12, ci_fix"),
        (f"2026-01-02 - {SENTENCE} (from #12) [ci_fix]", "#12, ci_fix"),
        (
            f"{SENTENCE} ([#12](https://github.com/acme/shop/pull/12), 2026-01-02, ci fix)",
            "#12, ci_fix",
        ),
        (
            f"{SENTENCE} (https://github.com/acme/shop/pull/12, 2026-01-02, ci fix)",
            "acme/shop#12, ci_fix",
        ),
    ],
)
def test_the_usual_forms_are_read(line: str, trailer: str) -> None:
    ref, verdict = trailer.split(", ")
    assert adopted(line) == f"{SENTENCE} ({ref}, 2026-01-02, {verdict})"


@pytest.mark.parametrize(
    "line",
    [
        f"{SENTENCE} (#12, 2026-01-02)",  # no verdict
        f"{SENTENCE} (#12, 2026-01-02, approved)",  # none that we know
        f"{SENTENCE} (#12, #13, 2026-01-02, ci_fix)",
        f"{SENTENCE} (#12, 2026-01-02, 2026-01-03, ci_fix)",
        f"{SENTENCE} (#12, 2026-02-30, ci fix)",
        f"{SENTENCE} (PR #12, 2027-01-02, ci_fix)",  # in the future
        f"{SENTENCE} (PR #12, 2026-01-02, ci_fix; stale)",
        "Never repeat the mistake of #12 (2026-01-02, ci_fix)",  # the sentence needs it
        f"After #11, {SENTENCE} (PR #12, 2026-01-02, ci_fix)",
        f"~~{SENTENCE} (PR #12, 2026-01-02, ci_fix)~~",
        f"{SENTENCE} ([#13](https://github.com/acme/shop/pull/12), 2026-01-02, ci fix)",
        "(PR #12, 2026-01-02, ci_fix)",
        f"{SENTENCE} (#12, 2026-01-02, ci_fix)",  # ours already
        f"{SENTENCE} (PR #12, 2026-01-02, ci_fix) <!-- 01234567 -->",
    ],
)
def test_what_leaves_a_doubt_is_left(line: str) -> None:
    assert adopted(line) is None


def test_a_wrapped_line_keeps_its_shape_and_two_equal_ones_get_two_ids() -> None:
    text = "* Close every\n  session. (PR #1,\n  2026-01-02, ci fix)\r\n"
    data, _, _ = adopt((text * 2).encode(), TODAY)
    first, second = Document.parse(data, TODAY).ours
    assert first.raw.startswith("Close every\n  session. (#1, 2026-01-02, ci_fix) <!--")
    assert first.id != second.id


_PARTS = st.sampled_from(
    [
        SENTENCE,
        "(",
        ")",
        "[",
        "]",
        " ",
        ", ",
        "#12",
        "2026-01-02",
        "ci fix",
        "PR ",
        "\n",
        "- ",
        "~~",
    ]
)


@given(st.lists(_PARTS, max_size=12).map("".join))
def test_only_lines_that_are_adopted_change(text: str) -> None:
    before = Document.parse(text.encode(), TODAY)
    data, found, _ = adopt(text.encode(), TODAY)
    after = Document.parse(data, TODAY)
    assert len(after.bullets) == len(before.bullets)
    assert len(after.ours) == len(before.ours) + len(found)
    changed = [b.raw for b, a in zip(before.bullets, after.bullets, strict=True) if b.raw != a.raw]
    assert len(changed) == len(found)
