"""Turns a plan into a commit object without a checkout; what it costs does not depend on the rest.

Writes objects and one private reference; moves no branch. A commit that is abandoned harms nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.errors import Fault, UserError
from bot.git.clone import Clone, File, Kind
from bot.git.command import LOCAL_TIMEOUT
from bot.git.names import is_object_id, unsafe_branch, unsafe_path
from bot.git.plan import Plan

# fast-import hands a commit over under a name. Ours keeps it from being collected until the next.
REFERENCE = "refs/lessonkeeper/plan"

_NEW_FILE = "100644"


@dataclass(frozen=True, slots=True)
class Signature:
    """Who and when, as git records it; `when` is aware."""

    name: str
    email: str
    when: datetime

    def __str__(self) -> str:
        name = "".join(c for c in self.name if c.isprintable() and c not in "<>").strip()
        email = "".join(c for c in self.email if c.isprintable() and c not in "<> ").strip()
        if self.when.tzinfo is None:
            raise Fault("a signature needs a time with its zone", retry=False)
        return f"{name} <{email}> {int(self.when.timestamp())} +0000"


def demand_safe(plan: Plan) -> None:
    """Raises UserError when the plan names a branch, commit or path that git must not be given."""
    reason = unsafe_branch(plan.branch)
    if reason:
        raise UserError(f"The branch {plan.branch[:80]!r} {reason}.")
    if plan.head is not None and not is_object_id(plan.head):
        raise UserError(f"{plan.head[:80]!r} is not the full id of a commit.")
    if "\0" in plan.message:
        raise UserError("The commit message holds a NUL character.")
    for path in plan.changes:
        reason = unsafe_path(path)
        if reason:
            raise UserError(f"The path {path[:80]!r} {reason}.")


def demand_writable(clone: Clone, plan: Plan) -> Mapping[str, File]:
    """What stands at the paths of the plan. Raises UserError where it may not be carried out."""
    demand_safe(plan)
    there = clone.kinds(plan.head, plan.changes) if plan.head else {}
    for path, file in there.items():
        if file.kind not in (Kind.ABSENT, Kind.REGULAR) or file.at not in (None, path):
            raise UserError(f"{path} is not a regular file.", file=path)
    return there


def make_commit(clone: Clone, plan: Plan, author: Signature, committer: Signature) -> str:
    """The id of the commit that `plan` describes, made of its head; nothing points to it yet.

    An existing file keeps its mode. Raises UserError where a name is refused, or where a path is or
    stands below anything but a regular file: a symlink or submodule is never written.
    """
    there = demand_writable(clone, plan)
    stream = [f"commit {REFERENCE}\nmark :1\nauthor {author}\ncommitter {committer}\n".encode()]
    stream.append(_data(plan.message.encode()))
    if plan.head:
        stream.append(f"from {plan.head}\n".encode())
    for path, data in sorted(plan.changes.items()):
        file = there.get(path, File(path, Kind.ABSENT))
        if data is None:
            stream.append(f"D {_quoted(path)}\n".encode())
        else:
            stream.append(f"M {file.mode or _NEW_FILE} inline {_quoted(path)}\n".encode())
            stream.append(_data(data))
    stream.append(b"get-mark :1\ndone\n")
    made = clone.git.output(
        "fast-import", "--quiet", "--done", "--force",
        stdin=b"".join(stream), timeout=LOCAL_TIMEOUT,
    )  # fmt: skip
    return made.decode().strip()


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str) -> str:
    return '"' + path.replace('"', '\\"') + '"'
