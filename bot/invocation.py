"""How a command of ours is written for the person who reads it: with the Python that runs now."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

_APP = Path(__file__).parent.parent / "app.py"


def command(arguments: str, python: Path | None = None) -> str:
    """`.venv/bin/python app.py ARGUMENTS`, with paths as they are seen from the working folder.

    `python`: another one than that which runs.
    """
    here = Path.cwd()
    parts = [
        str(path.relative_to(here) if path.is_relative_to(here) else path)
        for path in (python or Path(sys.executable), _APP)
    ]
    return f"{shlex.join(parts)} {arguments}"
