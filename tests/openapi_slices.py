"""Cuts what the bot sends out of GitHub's OpenAPI description, for `tests/fakes/openapi.py`.

Run by hand, with the file `generated/api.github.com.json` of the npm package @octokit/openapi:
`python -m tests.openapi_slices api.github.com.json > tests/field/openapi.json`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SENT = (
    ("post", "/app-manifests/{code}/conversions"),
    ("post", "/app/hook/deliveries/{delivery_id}/attempts"),
    ("post", "/app/installations/{installation_id}/access_tokens"),
    ("post", "/repos/{owner}/{repo}/check-runs"),
    ("patch", "/repos/{owner}/{repo}/check-runs/{check_run_id}"),
    ("post", "/repos/{owner}/{repo}/issues"),
    ("patch", "/repos/{owner}/{repo}/issues/{issue_number}"),
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("patch", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("post", "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"),
    ("post", "/repos/{owner}/{repo}/pulls"),
    ("patch", "/repos/{owner}/{repo}/pulls/{pull_number}"),
)
NOTICE = "Slices of @octokit/openapi, MIT License, Copyright (c) 2020 Octokit contributors"

Json = dict[str, Any]


def slices(document: Json) -> Json:
    """The request bodies of `SENT` with everything that they refer to, in GitHub's own words.

    KeyError for a route or a reference that the description does not have.
    """
    paths: Json = {}
    for method, path in SENT:
        body = document["paths"][path][method].get("requestBody")
        sent = {"requestBody": {**body, "content": _schemas(body["content"])}} if body else {}
        paths.setdefault(path, {})[method] = sent
    names = sorted(_reached(document, paths))
    return {
        "openapi": document["openapi"],
        "info": {
            "title": document["info"]["title"],
            "version": document["info"]["version"],
            "license": document["info"]["license"],
            "x-notice": NOTICE,
        },
        "paths": paths,
        "components": {
            "schemas": {name: document["components"]["schemas"][name] for name in names}
        },
    }


def _schemas(content: Json) -> Json:
    return {kind: {"schema": described["schema"]} for kind, described in content.items()}


def _reached(document: Json, start: Json) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        for reference in _references(left.pop()):
            name = reference.removeprefix("#/components/schemas/")
            if name not in found:
                found.add(name)
                left.append(document["components"]["schemas"][name])
    return found


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for below in node.values():
            yield from _references(below)
    elif isinstance(node, list):
        for below in node:
            yield from _references(below)


if __name__ == "__main__":
    print(json.dumps(slices(json.loads(Path(sys.argv[1]).read_bytes())), indent=1))
