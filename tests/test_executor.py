"""No two live processes run jobs under one name, and a restarted one gets its own back."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from bot.errors import UserError
from bot.executor import Executor


def test_processes_on_one_folder_get_different_names_and_a_freed_one_comes_back(
    tmp_path: Path,
) -> None:
    first, second = Executor(tmp_path), Executor(tmp_path)
    assert first.name != second.name
    first.release()
    third = Executor(tmp_path)
    assert third.name == first.name
    second.release()
    third.release()


def test_a_container_with_a_new_host_name_takes_up_its_old_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Executor(tmp_path)
    before.release()
    monkeypatch.setattr(socket, "gethostname", lambda: "another-container")
    after = Executor(tmp_path)
    assert after.name == before.name
    after.release()


def test_two_machines_with_folders_of_their_own_differ(tmp_path: Path) -> None:
    one, other = Executor(tmp_path / "one"), Executor(tmp_path / "other")
    assert one.name != other.name
    one.release()
    other.release()


def test_a_configured_name_is_kept_or_refused(tmp_path: Path) -> None:
    first = Executor(tmp_path, "blue")
    assert first.name == "blue"
    with pytest.raises(UserError, match="Another process runs jobs as 'blue'") as refused:
        Executor(tmp_path, "blue")
    assert "LESSONKEEPER_EXECUTOR" in refused.value.remedy
    first.release()
    Executor(tmp_path, "blue").release()


@pytest.mark.parametrize("name", ["", "../blue", "a b", "x" * 101])
def test_a_name_that_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="cannot name an executor"):
        Executor(tmp_path, name)
