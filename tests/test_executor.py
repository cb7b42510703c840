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
    host = socket.gethostname()
    first, second = Executor(tmp_path), Executor(tmp_path)
    assert (first.name, second.name) == (f"{host}-1", f"{host}-2")
    first.release()
    third = Executor(tmp_path)
    assert third.name == f"{host}-1"
    second.release()
    third.release()


def test_a_configured_name_is_kept_or_refused(tmp_path: Path) -> None:
    first = Executor(tmp_path, "blue")
    assert first.name == "blue"
    with pytest.raises(UserError, match="Another process runs jobs as 'blue'") as refused:
        Executor(tmp_path, "blue")
    assert "LESSONKEEPER_EXECUTOR" in refused.value.remedy
    first.release()
    Executor(tmp_path, "blue").release()
