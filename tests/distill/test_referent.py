"""What an "it" of an order is put for: a whole noun phrase of its source, or nothing at all."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.distill.english.referent import referents
from bot.distill.model import Remark
from bot.distill.offline import Offline
from bot.distill.pipeline import distill_review
from bot.distill.verbs import from_participle


def sentence(text: str) -> str | None:
    answer = distill_review(Offline(), (Remark(text),), limit=1, characters=240)
    return answer.lessons[0].sentence if answer.lessons else None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # A relative clause belongs to the subject; the object is that of the main verb.
        (
            (
                "A query that raises leaks the session. Please close it in a `finally` block in"
                " `src/db.py`."
            ),
            (
                "Close the session in a `finally` block in `src/db.py`: a query that raises leaks"
                " the session."
            ),
        ),
        (
            "A worker which dies keeps the lock. Release it in `on_exit`.",
            "Release the lock in `on_exit`: a worker which dies keeps the lock.",
        ),
        (
            "The handler that parses the body ignores the charset. Read it from the header.",
            (
                "Read the charset from the header: the handler that parses the body ignores the"
                " charset."
            ),
        ),
        (
            "The user whose token expired keeps the session. Revoke it in `refresh()`.",
            "Revoke the session in `refresh()`: the user whose token expired keeps the session.",
        ),
        (
            (
                "The branch where the retries happen still holds the mutex. Unlock it before"
                " `sleep()`."
            ),
            (
                "Unlock the mutex before `sleep()`: the branch where the retries happen still holds"
                " the mutex."
            ),
        ),
        (
            "Queries that raise leak the session. Close it in `__exit__`.",
            "Close the session in `__exit__`: queries that raise leak the session.",
        ),
        (
            "A request that was retried can leave the buffer locked. Free it in `retry()`.",
            "Free the buffer in `retry()`: a request that was retried can leave the buffer locked.",
        ),
        (
            "The retry loop, which has no limit, holds the lock. Release it between attempts.",
            (
                "Release the lock between attempts: the retry loop, which has no limit, holds the"
                " lock."
            ),
        ),
        (
            "The function that we call swallows errors. Log them with `logger.exception`.",
            ("Log errors with `logger.exception`: the function that we call swallows errors."),
        ),
        # The subject is meant where its verb has no object.
        (
            "A value which `parse` returns is never checked. Check it before `store()`.",
            "Check the value before `store()`: a value which `parse` returns is never checked.",
        ),
        (
            "The socket that `connect` opens leaks. Close it in `stop()`.",
            "Close the socket in `stop()`: the socket that `connect` opens leaks.",
        ),
        (
            "The interval created in `usePoll` runs forever. Clear it on unmount.",
            "Clear the interval on unmount: the interval created in `usePoll` runs forever.",
        ),
        (
            "The session is never closed when a query raises. Close it in `__exit__`.",
            "Close the session in `__exit__`: it is never closed when a query raises.",
        ),
        # Relative clauses without their pronoun.
        (
            "The cache shared by workers is never cleared. Clear it in `tearDown`.",
            "Clear the cache in `tearDown`: the cache shared by workers is never cleared.",
        ),
        (
            "The job started by `cron` holds the lock. Release it in `finish()`.",
            "Release the lock in `finish()`: the job started by `cron` holds the lock.",
        ),
        (
            "The file opened in `load()` is never closed. Close it with a `with` block.",
            "Close the file with a `with` block: the file opened in `load()` is never closed.",
        ),
        # The object keeps what makes it one thing, and nothing of the clause behind it.
        (
            "The uploader leaks the handle of the file. Close it in `done()`.",
            "Close the handle of the file in `done()`.",
        ),
        (
            "The pool hands out a connection that another thread closed. Validate it in `get()`.",
            (
                "Validate the connection in `get()`: the pool hands out a connection that another"
                " thread closed."
            ),
        ),
        (
            "The logger writes the token to the log. Redact it in `emit()`.",
            "Redact the token in `emit()`.",
        ),
        # "it" is one, "them" are many.
        (
            "The workers hold the lock. Release it in `stop()`.",
            "Release the lock in `stop()`.",
        ),
        (
            "The pool leaks connections. Close them in `stop()`.",
            "Close connections in `stop()`.",
        ),
        (
            "A query that raises leaks the session and the cursor. Close them in `__exit__`.",
            (
                "Close the session and the cursor in `__exit__`: a query that raises leaks the"
                " session and the cursor."
            ),
        ),
        # An order about the whole means the subject.
        (
            "A helper that formats dates swallows the error. Remove it from `utils.py`.",
            "Remove the helper from `utils.py`: a helper that formats dates swallows the error.",
        ),
        # A gerund is no thing; what its verb does something to is one.
        (
            "Opening the file twice leaks a handle. Close it in `load()`.",
            "Close the handle in `load()`: opening the file twice leaks a handle.",
        ),
        # In doubt the fault itself is told.
        (
            "A query that raises leaks the session and keeps the lock. Release it in `stop()`.",
            "Do not let a query that raises leak the session and keep the lock (`stop()`).",
        ),
        (
            "A client whose timeout is zero blocks the loop. Reject it in `validate()`.",
            "Do not let a client whose timeout is zero block the loop (`validate()`).",
        ),
        (
            "The handler is called by a timer that nobody stops. Stop it in `dispose()`.",
            None,
        ),
        (
            "A promise that rejects leaves the spinner visible. Hide it in a `finally` handler.",
            "Do not let a promise that rejects leave the spinner visible.",
        ),
        (
            "The retry loop, which has no limit, hammers the server. Cap it at five attempts.",
            "Remember that the retry loop, which has no limit, hammers the server.",
        ),
        (
            "A job that waits for the lock blocks it. Release it in `stop()`.",
            "Do not let a job that waits for the lock block it (`stop()`).",
        ),
        (
            "A query that raises is the one that leaks the session. Close it in `stop()`.",
            "Remember that a query that raises is the one that leaks the session (`stop()`).",
        ),
        (
            "The cache is faster, but the lock stays. Release it in `stop()`.",
            "Remember that the cache is faster, but the lock stays (`stop()`).",
        ),
        # What is left out altogether is what was spoken of.
        (
            (
                "The matrix is built without a type, but `sort` gives integers. Initialize with"
                " `dtype=int`."
            ),
            (
                "Initialize the matrix with `dtype=int`: it is built without a type, but `sort`"
                " gives integers."
            ),
        ),
        (
            "A query that raises leaks the session. It must be closed in `stop()`.",
            "Do not let a query that raises leak the session (`stop()`).",
        ),
        (
            "The cache shared by workers grows. It must be cleared in `stop()`.",
            "Clear the cache in `stop()`: the cache shared by workers grows.",
        ),
        (
            "The handler keeps sessions for hours. They must be closed in `stop()`.",
            "Close sessions in `stop()`: the handler keeps sessions for hours.",
        ),
        (
            "A value which `parse` returns is wrong. It should be checked before `store()`.",
            "Check the value before `store()`: a value which `parse` returns is wrong.",
        ),
        # The fault of a subject with a clause of its own.
        (
            "A query that raises leaks the session.",
            "Do not let a query that raises leak the session.",
        ),
        (
            "The handler that `db` calls never closes the cursor.",
            "Make the handler that `db` calls close the cursor.",
        ),
    ],
)
def test_what_it_is_put_for(text: str, line: str | None) -> None:
    assert sentence(text) == line


DETERMINERS = st.sampled_from(["the", "a", "its", "every"])
NOUNS = st.sampled_from(
    ["query", "session", "lock", "token cache", "request body", "\ue000", "workers", "access check"]
)
VERBS = st.sampled_from(["leaks", "holds", "checks", "is", "was", "raises", "can close", "opened"])
JOINTS = st.sampled_from(
    ["that", "which", "who", "whose", "where", "shared by", "of", "for", "and", "in", "when", ""]
)
PARTS = st.tuples(DETERMINERS, NOUNS, VERBS, JOINTS).map(" ".join)
NO_END = re.compile(
    r"\b(?:that|which|who|whose|where|when|if|of|for|by|in|on|to|from|with|at|and|or|but|the|an?|its"
    r"|every|is|was|can)$"
)


@given(st.lists(PARTS, min_size=1, max_size=4), st.sampled_from(["it", "them", ""]))
def test_it_is_a_whole_phrase_of_the_source(parts: list[str], pronoun: str) -> None:
    said = " ".join(parts)
    for found in referents("close", pronoun, [said]):
        assert not NO_END.search(found)
        last = found.rsplit(" ", 1)[-1]
        assert from_participle(last) in (None, last)
        bare = re.sub(r"^the ", "", found)
        assert re.search(rf"(?<!\S){re.escape(bare)}(?!\S)", said)
