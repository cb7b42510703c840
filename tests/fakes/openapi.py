"""GitHub's own description of what it takes: whatever a REST request has against it.

Only of the routes that tests/openapi_slices.py lists. Stricter than GitHub, which ignores fields
that it does not know: a misspelt one would go unnoticed there.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

DESCRIPTION = Path(__file__).parent.parent / "field" / "openapi.json"
# Where GitHub redirects to after a renaming: the same routes under the repository's number.
_BY_NUMBER = re.compile(r"^/repositories/\d+(?=/)")


def problems(method: str, path: str, body: object) -> list[str]:
    """One line for each; `body` is the JSON as sent, None where there was none.

    A route that is not among the slices is a problem too.
    """
    asked = f"{method} {path}"
    route = _route(method.lower(), _BY_NUMBER.sub("/repos/owner/repo", path))
    if route is None:
        return [f"{asked}: not among the slices of GitHub's description"]
    described = _document()["paths"][route][method.lower()].get("requestBody")
    if described is None:
        return [] if body is None else [f"{asked}: takes no body"]
    if body is None:
        return [f"{asked}: takes a body"] if described.get("required") else []
    errors = _validator(method.lower(), route).iter_errors(body)
    return [f"{asked}: {error.json_path}: {error.message}" for error in errors]


@functools.cache
def _document() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(DESCRIPTION.read_bytes(), object_hook=_closed)
    return read


def _closed(node: dict[str, Any]) -> dict[str, Any]:
    if node.get("type") == "object" and "properties" in node:
        node.setdefault("additionalProperties", False)
    return node


def _route(method: str, path: str) -> str | None:
    return next(
        (
            route
            for route, methods in _document()["paths"].items()
            if method in methods and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route), path)
        ),
        None,
    )


@functools.cache
def _validator(method: str, route: str) -> Draft202012Validator:
    escaped = route.replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
    body = f"#/paths/{escaped}/{method}/requestBody/content/application~1json/schema"
    return Draft202012Validator({**_document(), "$ref": body})
