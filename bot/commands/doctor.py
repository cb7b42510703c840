"""`python app.py doctor`: prints what the examination found, as it is found."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bot.work.examination import examine

DONE, NO = 0, 1


def doctor(environ: Mapping[str, str], *, as_json: bool = False) -> int:
    """0, or 1 where a check is not ok. `environ` is that of the process."""
    well = True
    found = []
    for check in examine(environ):
        well = well and check.ok is not False
        found.append(check.to_json())
        if not as_json:
            print(check, flush=True)
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    return DONE if well else NO
