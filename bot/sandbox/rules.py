"""Rules of a branch, and the words in which GitHub refuses what breaks them.

A push is refused by the hook of the bare repository, a commit through the API by `violations`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

SIGNED = "required_signatures"
WORDS = {
    "pull_request": "Changes must be made through a pull request.",
    "update": "Cannot update this protected ref.",
    "required_status_checks": 'Required status check "ci" is expected.',
    "merge_queue": "Changes must be made through the merge queue",
    SIGNED: "Commits must have verified signatures.",
    "commit_message_pattern": "Commit message must match pattern",
}

_HOOK = """#!/bin/sh
status=0
signed() {
  git rev-list "$1" --not --all | while read -r commit; do
    git cat-file commit "$commit" | sed '/^$/q' | grep -q '^gpgsig ' || exit 1
  done
}
while read -r old new ref; do
  said=
"""
_END = """done
exit $status
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a ruleset; `classic`: of a branch protection, which no list of rules tells."""

    type: str
    branches: str  # a pattern
    ruleset: int
    parameters: Mapping[str, object] = field(default_factory=dict)
    classic: bool = False

    def covers(self, branch: str) -> bool:
        return fnmatchcase(branch, self.branches)


def violations(rules: Iterable[Rule], branch: str) -> list[str]:
    """What forbids a commit that GitHub itself signs."""
    return [WORDS[r.type] for r in rules if r.covers(branch) and r.type != SIGNED]


def install(rules: Iterable[Rule], bare: Path, name: str) -> None:
    """Makes the rules those that pushes to the bare repository are held to."""
    script = [_HOOK]
    for rule in rules:
        line = shlex.quote(("error: " if rule.classic else "- ") + WORDS[rule.type])
        breaks = '! signed "$new"' if rule.type == SIGNED else "true"
        script.append(
            f'  case "$ref" in refs/heads/{rule.branches}) if {breaks}; then\n'
            f'    test -n "$said" || {_heading(rule, name)}\n'
            f"    said=yes; status=1; echo {line} >&2\n"
            f"  fi;; esac\n"
        )
    hook = bare / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("".join([*script, _END]))
    hook.chmod(0o755)


def _heading(rule: Rule, name: str) -> str:
    if rule.classic:
        return 'echo "error: GH006: Protected branch update failed for $ref." >&2'
    review = f"https://github.invalid/{name}/rules"
    return (
        '{ echo "error: GH013: Repository rule violations found for $ref."; '
        f'echo "Review all repository rules at {review}?ref=$ref"; echo; }} >&2'
    )
