"""How much of a finding its one sentence keeps, and that nothing of it is cut in half."""

from __future__ import annotations

import pytest

from bot.distill.model import Remark
from bot.distill.offline import Offline
from bot.distill.pipeline import distill_review


def sentence(text: str) -> str | None:
    answer = distill_review(Offline(), (Remark(text),), limit=1, characters=240)
    return answer.lessons[0].sentence if answer.lessons else None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # Where or when a fault holds stays before the order.
        (
            "In `Cache.get`, the reader returns a stale entry instead of `None`.",
            "In `Cache.get`, do not let the reader return a stale entry instead of `None`.",
        ),
        (
            "After `build()` returns, two callers may write the same file.",
            "After `build()` returns, do not let two callers write the same file.",
        ),
        # What a name stands before is not swallowed by it.
        (
            "Inconsistent label name: the timer uses `shards` but the counter uses `shard`",
            ("Keep label name consistent: the timer uses `shards` but the counter uses `shard`."),
        ),
        (
            "Offset bug: the next button moves `offset` beyond the last row.",
            "Do not let the next button move `offset` beyond the last row.",
        ),
        # A line of the diff is the code that stands there.
        (
            "The copy of `config` is never used - line 18 returns the original `monitor.config`.",
            (
                "Remove the copy of `config` if nothing uses it: the code returns the original"
                " `monitor.config`."
            ),
        ),
        # A sentence tells more than a name.
        (
            (
                "**Incomplete locking**\n\nTwo workers can load the table twice. Take `mu` before"
                " reading `table`."
            ),
            "Take `mu` before reading `table`: two workers can load the table twice.",
        ),
        (
            "Hard-coding the limit to 10 MB ignores `max_size_kb`.",
            "Do not hardcode the limit to 10 MB: it ignores `max_size_kb`.",
        ),
        # What only tells is no name of a fault, and no pronoun becomes an article.
        (
            "The comment says that when `reflector` is missing, the raw output is stored.",
            (
                "Remember that the comment says that when `reflector` is missing, the raw output is"
                " stored."
            ),
        ),
        (
            "This isn't a type and confuses the checkers. Use `typing.Any` for what `split` takes.",
            "Use `typing.Any` for what `split` takes.",
        ),
        ("Method name `santize` is mis-spelled, should be `sanitize`", None),
        # Japanese: what makes something possible, and what points to another remark.
        (
            "`type=org` もテストすると、すべての分岐をカバーできます。",
            "`type=org` もテストし、すべての分岐をカバーする。",
        ),
        (
            "`load` と同様に、`params` は `Promise` ではありません。`await` を削除してください。",
            "`params` は `Promise` ではないため、`await` を削除する。",
        ),
    ],
)
def test_what_a_line_keeps_of_its_finding(text: str, line: str | None) -> None:
    assert sentence(text) == line


def test_a_line_is_cut_between_clauses_and_never_in_brackets() -> None:
    text = (
        "Guard `Optional.get()` in `RecoveryLogin`: it raises `NoSuchElementException` at run time"
        " when the credential is missing (for example because the feature was turned off, or the"
        " person never asked for recovery codes and has none at all in this realm), which ends the"
        " whole login."
    )
    assert sentence(text) == (
        "Guard `Optional.get()` in `RecoveryLogin`: it raises `NoSuchElementException` at run time"
        " when the credential is missing, which ends the whole login."
    )


def test_a_name_in_brackets_outlives_a_clause() -> None:
    text = (
        "Build the target from the parts of the referrer. The target of `postMessage` is set to"
        " the whole address of the page (`request.referer`), but browsers compare the origin"
        " alone; with the path in it the message is dropped by some of them without any error"
        " that anybody would see."
    )
    assert sentence(text) == (
        "Build the target from the parts of the referrer: the target of `postMessage` is set to"
        " the whole address of the page (`request.referer`), but browsers compare the origin"
        " alone."
    )
