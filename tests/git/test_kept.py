"""What was read once is not read again, within bounds."""

from __future__ import annotations

from bot.git.kept import Kept


def test_what_was_used_longest_ago_goes_first() -> None:
    kept = Kept[bytes](10, len)
    kept.keep("a", b"aaaa")
    kept.keep("b", b"bbbb")
    assert kept.get("a") == b"aaaa"
    kept.keep("c", b"cccc")
    assert [kept.get(key) for key in "abc"] == [b"aaaa", None, b"cccc"]


def test_what_is_kept_twice_weighs_once() -> None:
    kept = Kept[bytes](10, len)
    for _ in range(5):
        kept.keep("a", b"aaaa")
    kept.keep("b", b"bbbb")
    assert kept.get("a") == b"aaaa"


def test_what_is_too_large_for_all_is_not_kept() -> None:
    kept = Kept[bytes](10, len)
    kept.keep("a", bytes(11))
    assert kept.get("a") is None
