"""What is made of remarks as people speak: in one breath, with asides, with short orders."""

from __future__ import annotations

import pytest

from bot.distill.clauses import Masked
from bot.distill.english.aside import without_asides
from bot.distill.english.broken import is_broken
from bot.distill.english.splice import unspliced
from bot.distill.model import Remark
from bot.distill.offline import Offline
from bot.distill.pipeline import distill_review


def sentence(text: str, path: str | None = None) -> str | None:
    made = distill_review(Offline(), (Remark(text, 1, path, None),), limit=1, characters=240)
    return made.lessons[0].sentence if made.lessons else None


@pytest.mark.parametrize(
    "text",
    [
        "Close database sessions of a query that may raise in a `finally` block of `src/db.py`.",
        "Log failed payments with their `order_id`.",
        "Index foreign keys in `schema.sql`.",
        "Lock rows with `select_for_update` before they are counted.",
        "Order results by `created_at` before paginating.",
        "Name worker threads after their queue in `pool.py`.",
        "Time external calls with `perf_counter`, never with `time.time()`.",
        "Test empty lists and lists of one in `tests/test_page.py`.",
        "Clean up temp files in `jobs/export.py` even when the upload fails.",
    ],
)
def test_a_verb_that_is_a_noun_elsewhere_gives_an_order(text: str) -> None:
    assert sentence(text) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "Cache misses return `None` and the caller crashes.",
            "Do not let cache misses return `None` and the caller crashes.",
        ),
        ("Lock files in `tmp/` are never removed.", "Remove lock files in `tmp/`."),
        (
            "Log lines in `debug.py` may leak the token.",
            "Do not let log lines in `debug.py` leak the token.",
        ),
        (
            "Race conditions between `sync` and `flush` in `worker.py`.",
            "Avoid race conditions between `sync` and `flush` in `worker.py`.",
        ),
    ],
)
def test_a_noun_that_is_a_verb_elsewhere_gives_none(text: str, line: str) -> None:
    assert sentence(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "hmm, `except Exception: pass` hides everything, please log it.",
            "Do not let `except Exception: pass` hide everything.",
        ),
        *(
            (
                f"{aside} `sync()` swallows the error of `push()`.",
                "Do not let `sync()` swallow the error of `push()`.",
            )
            for aside in ("oh,", "btw", "tbh,", "FWIW", "One thing:", "I think", "ok so")
        ),
        *(
            (f"{aside} `retry()` should be bounded.", "Bound `retry()`.")
            for aside in ("Honestly,", "Well,", "minor,", "I'd say", "Imho")
        ),
        ("Yes please, validate `limit` in `api.py`.", "Validate `limit` in `api.py`."),
        ("pls don't use `eval` in `api.py`", "Don't use `eval` in `api.py`."),
        (
            "Hmm, not a fan of catching `Exception` in `jobs.py`.",
            "Do not catch `Exception` in `jobs.py`.",
        ),
    ],
)
def test_what_is_said_by_the_way_is_part_of_no_sentence(text: str, line: str) -> None:
    assert sentence(text) == line


def test_an_aside_alone_stays() -> None:
    assert without_asides("Hmm.") == "Hmm."
    assert without_asides("So what?") == "So what?"


def test_an_aside_may_end_a_sentence() -> None:
    assert without_asides("`a` needs a timeout imho.") == "`a` needs a timeout."
    assert without_asides("`a` should be on the left, right?") == "`a` should be on the left?"
    assert without_asides("`a` should be on the right.") == "`a` should be on the right."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            (
                "The migration in `migrations/0042_orders.py` isn't reversible, our deploys roll "
                "back automatically so every migration needs a `downgrade`."
            ),
            (
                "Give every migration a `downgrade` (`migrations/0042_orders.py`): our deploys "
                "roll back automatically."
            ),
        ),
        (
            (
                "The test in `test_a.py` doesn't clean up, the next run fails so every test must "
                "use `tmp_path`."
            ),
            "Make every test use `tmp_path`: the test in `test_a.py` doesn't clean up.",
        ),
        (
            "This query isn't indexed, the table has millions of rows, add an index on `user_id`.",
            "Add an index on `user_id`: the table has millions of rows.",
        ),
        (
            "Cache user lookups by `tenant_id`, the same row is read on each request.",
            "Cache user lookups by `tenant_id`: the same row is read on each request.",
        ),
        (
            "We log the full `Authorization` header in `http/client.py`, please redact it.",
            "Redact the full `Authorization` header (`http/client.py`).",
        ),
        (
            "You can't use `==` to compare tokens, it's vulnerable to timing attacks.",
            "Do not use `==` to compare tokens: it's vulnerable to timing attacks.",
        ),
        (
            "The SQL is built with an f-string. Parameterize it, otherwise `name` can inject.",
            "Parameterize the SQL; otherwise `name` can inject.",
        ),
        (
            (
                "The env var is read at import time, tests can't override it. Read it inside "
                "`get_settings()`."
            ),
            "Read the env var inside `get_settings()`.",
        ),
        (
            "this breaks on Windows because of the hardcoded `/tmp`, use `tempfile.gettempdir()`",
            (
                "Use `tempfile.gettempdir()`; otherwise it breaks on Windows because of the "
                "hardcoded `/tmp`."
            ),
        ),
    ],
)
def test_what_only_a_comma_joins_are_sentences_of_their_own(text: str, line: str) -> None:
    assert sentence(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "We're swallowing the exception in `sync_users`, at least log it.",
            "Do not swallow the exception in `sync_users`.",
        ),
        (
            "You forgot to unsubscribe in `ngOnDestroy`, every navigation leaks a subscription.",
            "Unsubscribe in `ngOnDestroy`: every navigation leaks a subscription.",
        ),
        (
            "I'd rather we didn't ship the sourcemaps, they expose the internal paths.",
            "Do not ship the sourcemaps: they expose the internal paths.",
        ),
        (
            "This should use the shared `http` session.",
            "Use the shared `http` session.",
        ),
        (
            "ok but `user.email` is nullable since the SSO migration, guard against `None` here.",
            "Guard against `None`: `user.email` is nullable since the SSO migration.",
        ),
        (
            "Snapshot tests for dates fail after midnight, freeze the time with `freezegun`.",
            "Freeze the time with `freezegun`: snapshot tests for dates fail after midnight.",
        ),
        # What "it" stands for is open, or was only asked about.
        (
            "`os.path.join(base, name)` lets a user escape `base` with `../`, resolve it first.",
            None,
        ),
        ("Why is `verify=False` set here? Please remove it, the certificate is valid.", None),
    ],
)
def test_people_speak_of_people(text: str, line: str | None) -> None:
    assert sentence(text) == line


@pytest.mark.parametrize(
    "praise",
    ["Looks good but ", "LGTM, but ", "Looks good to me - except that ", "Great work, but "],
)
def test_what_follows_praise_is_said_as_if_it_stood_alone(praise: str) -> None:
    fault = "The lock in `save()` is never released when `flush` raises."
    assert sentence(f"{praise}{fault[0].lower()}{fault[1:]}") == sentence(fault) is not None


def test_praise_alone_teaches_nothing() -> None:
    assert sentence("Looks good but for nothing else than the joy of it.") is None
    assert sentence("LGTM, only one thing left: merge it.") is None


@pytest.mark.parametrize("joint", [", switch", ". Switch", "; switch", " - switch"])
def test_a_short_order_keeps_its_reason_and_its_file(joint: str) -> None:
    fault = "`datetime.utcnow()` in `src/clock.py` is naive and deprecated"
    assert (
        sentence(f"{fault}{joint} to `datetime.now(timezone.utc)`.")
        == f"Switch to `datetime.now(timezone.utc)`: {fault}."
    )


def test_the_object_of_an_order_and_its_place_stand_once() -> None:
    fault = "In `src/db.py` the connection is not released when `execute` raises."
    wrap = "in try/finally so that it is always released."
    released = "In `src/db.py`, release the connection when `execute` raises."
    assert sentence(f"{fault} Wrap it {wrap}") == released
    for path in (None, "src/db.py"):
        assert sentence(f"{fault} Wrap {wrap}", path) == (
            "Wrap the connection in try/finally so that it is always released: in `src/db.py`, the "
            "connection is not released when `execute` raises."
        )


@pytest.mark.parametrize(
    "text",
    [
        "Rebase, the branch is 40 commits behind.",
        "Please rebase, this is 12 commits behind main.",
        "The branch is out of date with `main`.",
    ],
)
def test_the_state_of_a_branch_teaches_nothing(text: str) -> None:
    assert sentence(text) is None


def test_a_rebase_that_the_code_makes_teaches() -> None:
    text = "Rebase the hunks in `git/plan.py` before they are applied."
    assert sentence(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "The worker should open the file, read it, and close it before the upload.",
        "The comment says that when `reflector` is missing, the raw output is stored.",
        "When the row is locked, the job waits.",
        "The id, the name and the key are read twice.",
        "`run` (which is slow, it is said) blocks the loop.",
        "The retry, which has no limit, hammers the server.",
    ],
)
def test_a_comma_inside_a_sentence_divides_nothing(text: str) -> None:
    assert unspliced(Masked.of(text).text) == [Masked.of(text).text]


@pytest.mark.parametrize(
    "line",
    [
        "Give the migration in `a.py` isn't reversible, our deploys roll back a `downgrade`.",
        "Avoid close the session in `a.py`.",
        "Avoid not a fan of catching `Exception`.",
        "Do not let close the session block.",
        "Do not let hmm, `a` hide everything.",
        "Do not let `a` hide everything, please log it.",
        "Wrap the value is read in a lock.",
        "Add double-check after acquiring the lock may cause redundant work.",
        "Remember that use the pool might deadlock.",
        "Prevent we're swallowing the exception.",
        "Remember that the retry never stops in `a.py`, cap it.",
        "Avoid `load` returning `None` when `n` == 0 is wrong.",
    ],
)
def test_an_order_that_nobody_could_follow_is_broken(line: str) -> None:
    assert is_broken(Masked.of(line).text)


@pytest.mark.parametrize(
    "line",
    [
        "Give every migration a `downgrade`: the one in `a.py` isn't reversible.",
        "Make sure the session is closed.",
        "Check whether the value is empty.",
        "Handle the case where the value is empty and the list is not.",
        "Do not let `a`, which is shared, be changed by `b`.",
        "Do not let upload validation compare sizes; otherwise it is bypassed.",
        "Avoid race conditions between `a` and `b`.",
        "If the value is empty, return early.",
        "Don't close the session that `b` has opened.",
        "Let the pool (it is shared) grow.",
    ],
)
def test_an_order_that_reads_is_not_broken(line: str) -> None:
    assert not is_broken(Masked.of(line).text)


def test_what_would_be_broken_gives_way_to_the_next() -> None:
    assert (
        sentence("Log lines in `debug.py` may leak the token.")
        == "Do not let log lines in `debug.py` leak the token."
    )


def test_what_would_be_broken_gives_way_to_nothing() -> None:
    assert sentence("Use the pool might deadlock in `a.py`.") is None
