"""A default branch as a set of paths, with a fate for each path that is gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch

from bot.lessons.tree import Fate


@dataclass(frozen=True)
class FakeTree:
    paths: frozenset[str] = frozenset()
    fates: Mapping[str, Fate] = field(default_factory=dict)
    commit: str = "c0ffee"

    def has(self, path: str) -> bool:
        return path in self.paths or any(p.startswith(f"{path}/") for p in self.paths)

    def expect(self, paths: Collection[str]) -> None:
        """Nothing to look up."""

    def matching(self, pattern: str) -> bool:
        lower = pattern.lower()
        return any(
            fnmatch(p.lower(), lower) or p.lower().rsplit("/", 1)[-1] == lower for p in self.paths
        )

    def fate(self, path: str) -> Fate | None:
        return self.fates.get(path)
