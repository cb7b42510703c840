"""What a capture is answered with, to the letter."""

from __future__ import annotations

import pytest

from bot.capture_text import demanded, to_json, told
from bot.errors import Fault, UserError
from bot.notes.capture import Capture, State, Step
from bot.notes_text import captured_body, captured_title

PATH = ".agent-corp/notes/ports-340f0924.md"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
REFUSED = Capture(
    State.NOT_SAVED, PATH, step=Step.PUSH, error=UserError("It is refused.", remedy="Ask Ann.")
)
DOUBTED = Capture(
    State.NOT_CONFIRMED, PATH, COMMIT, Step.READ_BACK, Fault(f"the remote {SECRET} is gone")
)


@pytest.mark.parametrize(
    ("capture", "said"),
    [
        (Capture(State.CAPTURED, PATH, COMMIT), f"Captured: {PATH} in 0123456789ab."),
        (Capture(State.CONFIRMED, PATH, COMMIT), f"Confirmed: {PATH} in 0123456789ab."),
        (
            Capture(State.PROPOSED, PATH, COMMIT, pull=12),
            f"Proposed in #12: {PATH}. Once that is merged it is found.",
        ),
        (REFUSED, "Capture failed: not saved. Step: push. It is refused. Ask Ann."),
        (
            DOUBTED,
            (
                f"Not confirmed: it is not known whether {PATH} was saved. Step: read back."
                " The remote [redacted] is gone. The same call again asks the remote."
            ),
        ),
    ],
)
def test_the_answers(capture: Capture, said: str) -> None:
    assert told(capture) == said
    assert to_json(capture)["said"] == said


def test_the_object_for_machines() -> None:
    assert to_json(REFUSED) == {
        "state": "not saved",
        "path": PATH,
        "commit": None,
        "pull_request": None,
        "step": "push",
        "said": "Capture failed: not saved. Step: push. It is refused. Ask Ann.",
    }


def test_what_did_not_go_well_is_raised_in_its_family() -> None:
    assert demanded(Capture(State.CAPTURED, PATH, COMMIT)).commit == COMMIT
    with pytest.raises(UserError, match=r"It is refused\. Ask Ann\."):
        demanded(REFUSED)
    with pytest.raises(Fault, match=r"The same call again asks the remote$"):
        demanded(DOUBTED)


def test_the_pull_request_that_brings_notes() -> None:
    assert captured_title(2) == "docs(notes): 2 captured"
    assert captured_body([PATH]) == (
        f"Sessions wrote these notes, to be found by search:\n\n- `{PATH}`\n\n"
        "Merging keeps them; they can be edited here first. Closed unmerged, these are not"
        " proposed again."
    )
