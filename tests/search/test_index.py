"""What the index answers: pages by their words, of the repositories asked for, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import UserError
from bot.search.index import SearchIndex
from bot.search.model import QUERY_CHARACTERS, Finding
from tests.search.conftest import FIRST, NOW, ONE, OTHER, SECOND, page

Found = Callable[[str], list[str]]


def test_a_page_is_found_by_its_words_and_says_where_it_stands(index: SearchIndex) -> None:
    text = "Intro.\n\n## Deadlines\n\nThe gateway closes idle sockets after 75 seconds."
    index.put(ONE, FIRST, NOW, [page("docs/net.md", text, "Sockets"), page("b.md", "Other.")])
    (hit, *more) = index.search("When are idle sockets closed?", frozenset([ONE])).hits
    assert not more
    assert (hit.repository, hit.path, hit.commit, hit.title) == (
        ONE,
        "docs/net.md",
        FIRST,
        "Sockets",
    )
    assert hit.excerpt == "The gateway closes idle sockets after 75 seconds."
    assert hit.exact == 1


def test_a_word_of_the_title_says_more_than_one_of_the_text(
    index: SearchIndex, found: Found
) -> None:
    index.put(
        ONE,
        FIRST,
        NOW,
        [page("a.md", "Migrations need a lock."), page("b.md", "A lock.", "Migrations")],
    )
    assert found("migrations") == ["b.md", "a.md"]


@pytest.mark.parametrize(
    "query",
    [
        "run-tests.sh",
        "scripts/run-tests.sh",
        "run-tests",
        "MIN_TEST_CASES",
        "min test cases",
        "minTestCases",
        "bot.work.server",
        "server::Parts",
        "漏れ",
        "検索の漏れ",
        "getHTTPResponse",
        "HTTP response",
        "3.11",
    ],
)
def test_identifiers_paths_and_languages_without_spaces_are_found(
    index: SearchIndex, found: Found, query: str
) -> None:
    text = (
        "Edit `scripts/run-tests.sh`: MIN_TEST_CASES, minTestCases. See bot.work.server::Parts,"
        " 検索の漏れを直す, getHTTPResponse() on 3.11"
    )
    index.put(ONE, FIRST, NOW, [page("right.md", text), page("wrong.md", "Nothing of the kind")])
    assert found(query) == ["right.md"]


def test_the_whole_of_a_joined_word_counts_for_more_than_its_parts(
    index: SearchIndex, found: Found
) -> None:
    index.put(
        ONE,
        FIRST,
        NOW,
        [
            page("parts.md", "We run the tests twice; tests run in sh. Run run tests."),
            page("whole.md", "Somebody has to call run-tests.sh after all of the other things."),
        ],
    )
    assert found("run-tests.sh")[0] == "whole.md"


@pytest.mark.parametrize(
    "query",
    [
        'socket AND "',
        "socket*",
        "title:socket",
        "NEAR(socket",
        "socket OR NOT",
        "-socket",
        "^socket (",
    ],
)
def test_operators_of_the_search_language_are_text(index: SearchIndex, query: str) -> None:
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket."), page("b.md", "Title near not or.")])
    answer = index.search(query, frozenset([ONE]))
    assert answer.exact.ok
    assert "a.md" in [hit.path for hit in answer.hits]


@given(st.text(min_size=1, max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_no_question_breaks_the_exact_half(index: SearchIndex, query: str) -> None:
    with suppress(UserError):
        assert index.search(query, frozenset([ONE])).exact.ok


@pytest.mark.parametrize("query", ["", "  \n", "?!", "x" * 100_000, "word " * 25_000])
def test_a_query_that_is_no_question_is_refused(index: SearchIndex, query: str) -> None:
    with pytest.raises(UserError) as refused:
        index.search(query, frozenset([ONE]))
    assert refused.value.remedy


def test_the_longest_question_is_answered(index: SearchIndex) -> None:
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket.")])
    words = " ".join(f"word{number}" for number in range(QUERY_CHARACTERS))
    answer = index.search(f"idle socket {words}"[:QUERY_CHARACTERS], frozenset([ONE]))
    assert answer.exact.ok
    assert answer.finding is Finding.NOTHING, "two words of hundreds are no answer"


def test_only_the_repositories_asked_for_answer(index: SearchIndex) -> None:
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket.")])
    index.put(OTHER, FIRST, NOW, [page("b.md", "Idle socket.")])
    assert [h.path for h in index.search("socket", frozenset([OTHER])).hits] == ["b.md"]
    assert len(index.search("socket", frozenset([ONE, OTHER])).hits) == 2
    assert index.search("socket", frozenset()).hits == ()


def test_what_changed_is_found_under_its_new_words_alone(index: SearchIndex, found: Found) -> None:
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket."), page("b.md", "Slow disk.")])
    index.put(ONE, SECOND, NOW, [page("a.md", "Busy socket.")], gone=["b.md"])
    assert (found("idle"), found("busy"), found("disk")) == ([], ["a.md"], [])
    state = index.state(ONE)
    assert state is not None
    assert (state.commit, state.documents) == (SECOND, 1)


def test_the_same_again_changes_nothing(index: SearchIndex, found: Found) -> None:
    for _ in range(2):
        index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket.")])
    assert found("socket") == ["a.md"]
    index.put(ONE, SECOND, NOW, [page("a.md", "Idle socket.")])
    (hit,) = index.search("socket", frozenset([ONE])).hits
    assert hit.commit == FIRST, "the commit that brought the page as it is"


def test_a_page_of_a_commit_that_is_not_on_the_branch_is_held_and_not_found(
    index: SearchIndex, found: Found
) -> None:
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket.")])
    index.prepare(ONE, SECOND, [page("n.md", "Full disk, marker lk-77ab01ce.")])
    assert index.holds(ONE, "lk-77ab01ce", SECOND)
    assert not index.holds(ONE, "lk-77ab01ce", FIRST)
    assert not index.holds(OTHER, "lk-77ab01ce", SECOND)
    assert not index.holds(ONE, "lk-77ab01cf", SECOND)
    assert found("full disk") == []
    assert index.prepared(ONE) == (SECOND,)


def test_a_prepared_page_takes_its_place_when_its_commit_lands(
    index: SearchIndex, found: Found
) -> None:
    index.put(ONE, FIRST, NOW, [page("n.md", "Old words.")])
    index.prepare(ONE, SECOND, [page("n.md", "New words, lk-77ab01ce.")])
    assert found("old") == ["n.md"]
    index.settle(ONE, SECOND, landed=True)
    assert (found("old"), found("new")) == ([], ["n.md"])
    assert index.holds(ONE, "lk-77ab01ce", SECOND)
    assert index.prepared(ONE) == ()


def test_a_prepared_page_is_gone_when_its_commit_does_not_land(
    index: SearchIndex, found: Found
) -> None:
    index.put(ONE, FIRST, NOW, [page("n.md", "Old words.")])
    index.prepare(ONE, SECOND, [page("n.md", "New words, lk-77ab01ce.")])
    for _ in range(2):
        index.settle(ONE, SECOND, landed=False)
    assert not index.holds(ONE, "lk-77ab01ce", SECOND)
    assert (found("old"), found("new")) == (["n.md"], [])


def test_retired_pages_are_found_and_marked(index: SearchIndex) -> None:
    index.put(ONE, FIRST, NOW, [page("l.md#3f9a2c1d", "Idle socket.", retired=True)])
    (hit,) = index.search("socket", frozenset([ONE])).hits
    assert hit.retired


def test_a_repository_that_is_not_indexed_is_named_and_makes_no_empty_answer(
    index: SearchIndex,
) -> None:
    index.put(ONE, FIRST, NOW, [page("a.md", "Idle socket.")])
    answer = index.search("volcano", frozenset([ONE, OTHER]))
    assert answer.unindexed == {OTHER}
    assert answer.finding is Finding.UNTOLD
    index.drop(ONE)
    assert index.search("socket", frozenset([ONE])).unindexed == {ONE}
    assert index.state(ONE) is None


def test_the_lag_runs_from_the_commit_until_it_can_be_found(index: SearchIndex) -> None:
    index.put(ONE, FIRST, NOW - timedelta(seconds=7), [page("a.md", "Idle socket.")])
    state = index.state(ONE)
    assert state is not None
    assert state.lag == timedelta(seconds=7)
