"""What a command answers: its exit status, and what it says on each of its outputs."""

from __future__ import annotations

import json
from dataclasses import dataclass
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


def answer(capture: pytest.CaptureFixture[str], *arguments: str) -> Answer:
    capture.readouterr()
    try:
        status = app.main([*arguments])
    except SystemExit as stop:
        status = int(str(stop.code))
    out, err = capture.readouterr()
    return Answer(status, out, err)
