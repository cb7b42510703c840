"""A repository that a command commits to: what a push takes along is told, and what refuses it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bot.errors import UserError
from bot.forge.errors import Gone
from bot.git.local import Target
from bot.work.writing import Refused

_NAMED = 5  # commits of the person that are named one by one


@contextmanager
def publishing(target: Target, *, pushes: bool) -> Iterator[Target]:
    """Raises UserError where the branch has no upstream to push to, or the push did not land."""
    along = target.unpublished() if pushes else ()
    before = target.head() if along else None
    try:
        yield target
    except Refused as refused:
        raise UserError(
            f"The remote refuses the push, so nothing was committed: {refused.said}",
            remedy="Where you may push a branch of your own: git switch -c lessons, run this"
            " without --push, git push -u, and open a pull request.",
        ) from refused
    except Gone as gone:
        raise UserError(
            f"Nothing was committed: {gone.message.rstrip('.')}.",
            remedy="Check the address (git remote -v) and your access to it.",
        ) from gone
    if along:
        print(_told(along, pushed=target.head() != before), file=sys.stderr)


def _told(along: tuple[str, ...], *, pushed: bool) -> str:
    many = f"{len(along)} commit{'s' if len(along) > 1 else ''} of yours"
    if not pushed:
        return f"Nothing was pushed; {many} would travel along. To push them: git push"
    named = [f"  {each}" for each in along[:_NAMED]]
    more = [f"  and {len(along) - _NAMED} more"] if len(along) > _NAMED else []
    return "\n".join([f"Also pushed {many}:", *named, *more])
