"""What the sandbox server was asked, what nobody foresaw, and the failures ordered for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import ClassVar

# Method, path and JSON of a write (None: it has no body) -> what is wrong with it.
Inspect = Callable[[str, str, object], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it was answered."""

    method: str
    path: str
    status: int


@dataclass(slots=True)
class Failure:
    """`after_effect`: what was asked for is done first, as behind a gateway that gave up too early.

    `left` is how many requests it still answers.
    """

    method: str
    path: str
    status: int
    message: str = "Server Error"
    headers: dict[str, str] = field(default_factory=dict)
    after_effect: bool = False
    left: int = 1


@dataclass(slots=True)
class Watch:
    """Not locked: its server asks it one request at a time.

    `inspect` is one for every server of the process, so that no test can forget it.
    """

    inspect: ClassVar[Inspect | None] = None
    seen: list[Seen] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def failure(self, method: str, path: str) -> Failure | None:
        """The first one ordered for this request, used up by one; `*` in its path is anything."""
        for failure in self.failures:
            if failure.method == method and fnmatchcase(path, failure.path):
                failure.left -= 1
                if not failure.left:
                    self.failures.remove(failure)
                return failure
        return None

    def wrote(self, method: str, path: str, body: object) -> None:
        """Somebody asks for this; whatever `inspect` has against it is a surprise."""
        if Watch.inspect is not None:
            self.surprises += Watch.inspect(method, path, body)

    def count(self, method: str, path: str) -> int:
        """How often that was asked; `*` is anything."""
        return sum(one.method == method and fnmatchcase(one.path, path) for one in self.seen)

    def assert_no_surprises(self) -> None:
        """AssertionError for requests that nobody foresaw and for failures that never came."""
        unused = [f"{f.method} {f.path}: ordered to fail, never asked" for f in self.failures]
        if self.surprises or unused:
            raise AssertionError("\n".join([*self.surprises, *unused]))
