"""What is wrong with the arguments of a tool, in words that a model can act on."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pydantic import ValidationError


def unknown(tool: str, given: Mapping[str, object], taken: Collection[str]) -> str | None:
    """Names the arguments that a tool does not take, or None."""
    strange = [f"`{name}`" for name in given if name not in taken]
    if not strange:
        return None
    return f"{tool} takes no {', '.join(strange)}. It takes: {', '.join(taken)}."


def wrong(error: ValidationError) -> str:
    """One sentence for each argument that is missing or has another form."""
    return " ".join(
        f"`{'.'.join(str(part) for part in each['loc'])}` {_complaint(each['type'], each['msg'])}."
        for each in error.errors()
    )


def _complaint(kind: str, message: str) -> str:
    if kind == "missing":
        return "is missing"
    return message.removeprefix("Input ").removeprefix("String ")
