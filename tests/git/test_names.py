"""No name is ever taken for an option, an escape or git's own directory."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.git.names import is_object_id, unsafe_branch, unsafe_path


@pytest.mark.parametrize(
    "name",
    [
        "--upload-pack=touch /srv/x",
        "-",
        "",
        "HEAD",
        "refs/heads/main",
        "a..b",
        "a b",
        "a:b",
        "a\nb",
        "a\x7fb",
        "a/",
        "/a",
        "a//b",
        "a.lock",
        ".a",
        "a/.b",
        "a@{1}",
        "@",
        "a~1",
    ],
)
def test_a_branch_that_git_could_misread_is_refused(name: str) -> None:
    assert unsafe_branch(name)


@pytest.mark.parametrize("name", ["main", "feature/x-1", "ärger", "a.b", "+a", "a@b"])
def test_an_ordinary_branch_is_not_refused(name: str) -> None:
    assert unsafe_branch(name) is None


@given(st.text(alphabet=st.sampled_from("ab-./@{}~^:?*[\\ \t\x7fé"), max_size=8))
@settings(max_examples=60)
def test_no_branch_passes_that_git_itself_forbids(name: str) -> None:
    if unsafe_branch(name) is None:
        checked = subprocess.run(
            ["git", "check-ref-format", f"refs/heads/{name}"], check=False, capture_output=True
        )
        assert checked.returncode == 0


@pytest.mark.parametrize(
    "path",
    [
        "-rf",
        "",
        "/etc/passwd",
        "../x",
        "a/../x",
        "a//b",
        "a/",
        "./a",
        ".git/config",
        "a/.GIT/hooks/x",
        "git~1/config",
        ".git /config",
        ".g\u200cit/config",
        ".git::$INDEX_ALLOCATION/x",
        "a\\b",
        "a\nb",
        "a\0b",
        "\udcff",
    ],
)
def test_a_path_that_leaves_the_tree_or_looks_like_an_option_is_refused(path: str) -> None:
    assert unsafe_path(path)


@pytest.mark.parametrize("path", [".agent-corp/lessons.md", ".github/x.yml", "a/-b", "größe ä.md"])
def test_an_ordinary_path_is_not_refused(path: str) -> None:
    assert unsafe_path(path) is None


@pytest.mark.parametrize("name", ["", "HEAD", "a" * 39, "A" * 40, "a" * 41, "-" + "a" * 39])
def test_only_full_ids_name_an_object(name: str) -> None:
    assert not is_object_id(name)
    assert is_object_id("a" * 40)
    assert is_object_id("0" * 64)
