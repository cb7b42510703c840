"""A file as a page of the index."""

from __future__ import annotations

import pytest

from bot.work.looked_up import page_of


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Ports\n\n8443.\n", "Ports"),
        ("Before.\n\n## Ports ##\n", "Ports"),
        ("# Calls from C#\r\n\r\nNone.\r\n", "Calls from C#"),
        ("---\nlayout: page\n# of the site\n---\n\n# Ports\n", "Ports"),
        ("### Too deep\n", "api ports"),
        ("", "api ports"),
    ],
)
def test_a_document_is_called_after_its_first_heading_or_its_file(text: str, title: str) -> None:
    assert page_of("docs/api-ports.md", text.encode(), "b").title == title


@pytest.mark.parametrize("piece", ["#", " ", " #", "\t", "# "])
def test_hostile_repetition_comes_to_an_end(piece: str) -> None:
    line = f"# a{piece * (500_000 // len(piece))}x"
    assert page_of("docs/a.md", line.encode(), "b").title == line.removeprefix("# ")
