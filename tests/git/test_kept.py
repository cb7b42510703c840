"""What was read once is not read again, within bounds."""

from __future__ import annotations

from bot.git.kept import ENTRY, Kept

THREE = 3 * (ENTRY + 4)


def kept(limit: int) -> Kept[str, bytes]:
    return Kept(limit, lambda _, data: len(data))


def test_what_was_used_longest_ago_goes_first() -> None:
    some = kept(THREE)
    for key in "abc":
        some.keep(key, b"1234")
    assert some.get("a") == b"1234"
    some.keep("d", b"1234")
    assert [some.get(key) for key in "abcd"] == [b"1234", None, b"1234", b"1234"]


def test_what_is_kept_twice_weighs_once() -> None:
    some = kept(THREE)
    for _ in range(5):
        some.keep("a", b"1234")
    some.keep("b", b"1234")
    assert some.get("a") == b"1234"


def test_what_is_too_large_for_all_is_not_kept_and_drives_nothing_out() -> None:
    some = kept(THREE)
    some.keep("a", b"1234")
    some.keep("b", bytes(THREE))
    assert (some.get("a"), some.get("b")) == (b"1234", None)


def test_answers_that_say_nothing_are_bounded_too() -> None:
    some = kept(10 * ENTRY)
    for number in range(1_000):
        some.keep(str(number), b"")
    assert sum(some.get(str(number)) is not None for number in range(1_000)) == 10
