"""A file that cannot be trusted is named with its reason; everything else is trusted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.git.clone import File, Kind
from bot.git.trust import distrust

FOLDER = ".agent-corp"
PATH = ".agent-corp/lessons.md"
POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)


def regular(data: bytes, size: int | None = None) -> File:
    return File(PATH, Kind.REGULAR, data, len(data) if size is None else size, "100644", at=PATH)


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (regular(b"# L\n<<<<<<< HEAD\n- a\n=======\n- b\n"), "has conflict markers (line 2)"),
        (regular(b"- a\r\n>>>>>>>\r\n"), "has conflict markers (line 2)"),
        (regular(b"||||||| merged common ancestors\n"), "has conflict markers (line 1)"),
        (regular(POINTER), "is a Git LFS pointer"),
        (regular(b"\xff\xfe#\0 \0L\0"), "is UTF-16, not UTF-8"),
        (regular(b"#\0 \0L\0"), "holds NUL bytes, so it is no UTF-8 text"),
        (regular(b"# L\n- gr\xf6\xdfe\n"), "is not UTF-8 (line 2)"),
        (regular(b"", 1024 * 1024 + 1), "is 1048577 bytes, more than 1 MB"),
        (File(PATH, Kind.SYMLINK, at=PATH), "is a symbolic link"),
        (File(PATH, Kind.SYMLINK, at=FOLDER), f"stands below {FOLDER}, which is a symbolic link"),
        (File(PATH, Kind.SUBMODULE, at=FOLDER), f"stands below {FOLDER}, which is a submodule"),
        (File(PATH, Kind.DIRECTORY, at=PATH), "is a directory"),
        (File(PATH, Kind.ABSENT, at=FOLDER), f"stands below {FOLDER}, which is a file"),
    ],
)  # fmt: skip
def test_distrusted(file: File, reason: str) -> None:
    assert distrust(file) == reason


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Heading\n=======\n\n- a\n",
        b"- text <<<<<<< HEAD\n",
        b"\xef\xbb\xbf# Lessons\r\n- a",
        b"<<<<<<<< eight\n",
        b"- Never commit `version https://git-lfs.github.com/spec/v1` pointers.\n",
        b"x" * 1024 * 1024,
    ],
)
def test_trusted(data: bytes) -> None:
    assert distrust(regular(data)) is None


def test_a_file_that_is_not_there_may_be_made() -> None:
    assert distrust(File(PATH, Kind.ABSENT)) is None


@given(st.text(alphabet=st.characters(exclude_characters="\0", codec="utf-8")))
def test_any_text_is_trusted_unless_it_has_a_marker(text: str) -> None:
    reason = distrust(regular(text.encode()))
    marked = any(
        line.startswith(mark)
        for line in text.split("\n")
        for mark in ("<<<<<<<", ">>>>>>>", "|||||||")
    )
    assert reason is None or marked
