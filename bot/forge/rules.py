"""What guards a branch, as far as GitHub tells: rules of rulesets, not classic protections.

Who may bypass a rule is not told either, so a listed rule may not bind us.
"""

from __future__ import annotations

from typing import Any

from bot.facts import BranchRule
from bot.forge.connection import Connection
from bot.forge.errors import Gone


def branch_rules(connection: Connection, path: str) -> tuple[BranchRule, ...]:
    """`GET /repos/{owner}/{repo}/rules/branches/{branch}`; none where a server has no rulesets."""
    try:
        return tuple(_rule(row) for row in connection.pages(path))
    except Gone:
        return ()


def _rule(json: dict[str, Any]) -> BranchRule:
    parameters = json.get("parameters") or {}
    return BranchRule(
        type=json["type"],
        ruleset=json["ruleset_id"],
        source=json["ruleset_source"],
        strict=bool(parameters.get("strict_required_status_checks_policy")),
    )
