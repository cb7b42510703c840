"""What a capture is answered with: one sentence for people, one object for machines. Pure."""

from __future__ import annotations

from bot.distill.neutral import visible
from bot.distill.redact import redact
from bot.errors import Fault, UserError
from bot.lessons.block import Json
from bot.notes.capture import Capture, State
from bot.talk import COMMIT


def told(capture: Capture) -> str:
    where = f" in {capture.commit[:COMMIT]}" if capture.commit else ""
    step = f"Step: {capture.step.value}." if capture.step else ""
    match capture.state:
        case State.CAPTURED | State.CONFIRMED:
            return f"{capture.state.value.capitalize()}: {capture.path}{where}."
        case State.PROPOSED:
            return f"Proposed in #{capture.pull}: {capture.path}. Once that is merged it is found."
        case State.NOT_SAVED:
            return f"Capture failed: not saved. {step} {_why(capture)}"
        case State.NOT_CONFIRMED:
            return (
                f"Not confirmed: it is not known whether {capture.path} was saved. {step}"
                f" {_why(capture)} The same call again asks the remote."
            )


def to_json(capture: Capture) -> dict[str, Json]:
    return {
        "state": capture.state.value,
        "path": capture.path or None,
        "commit": capture.commit,
        "pull_request": capture.pull,
        "step": capture.step.value if capture.step else None,
        "said": told(capture),
    }


def demanded(capture: Capture) -> Capture:
    """What went well. Raises UserError or Fault with the whole answer for what did not."""
    if capture.error is None:
        return capture
    if isinstance(capture.error, UserError) and capture.state is State.NOT_SAVED:
        raise UserError(told(capture))
    raise Fault(told(capture).rstrip("."), retry=False)


def _why(capture: Capture) -> str:
    """As a whole sentence; a fault's words are none."""
    words = redact(visible(str(capture.error))).text
    if isinstance(capture.error, UserError) or not words:
        return words
    return f"{words[0].upper()}{words[1:].rstrip('.')}."
