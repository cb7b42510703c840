"""A person who calls reports in a directory of files."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import app


@dataclass(frozen=True)
class Answer:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Caller:
    """Runs `report …` and types what is asked of it."""

    place: Path
    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch

    def write(self, name: str, data: str) -> str:
        (self.place / name).write_text(data, encoding="utf-8")
        return name

    def report(self, *arguments: str, typed: str | io.TextIOBase = "") -> Answer:
        self.capture.readouterr()
        self.patch.setattr("sys.stdin", io.StringIO(typed) if isinstance(typed, str) else typed)
        try:
            status = app.main(["report", *arguments])
        except SystemExit as stop:
            status = int(str(stop.code))
        out, err = self.capture.readouterr()
        return Answer(status, out, err)


@pytest.fixture
def caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    monkeypatch.chdir(tmp_path)
    return Caller(tmp_path, capsys, monkeypatch)
