"""What no other check sees: traces of one machine in the repository, and lock files out of step.

Run at the root of a checkout by the interpreter of its .venv. Exit 0 clean, 1 with one line for
each finding.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Cases from the field are kept as they were found; this file and its test name what they look for.
EXCEPTED = ("tests/field/", ".ci/hygiene.py", "tests/ci/test_hygiene.py")
MACHINE_PATH = re.compile(r"(?<![\w.~<>{}$-])/(?:work|tmp|root|opt|home/[a-z][\w-]*|Users/\w+)/\w")
REGISTRY = re.compile(
    r"\b(?:pypi\.org|pythonhosted\.org|registry\.npmjs\.org|proxy\.golang\.org|deb\.debian\.org)\b"
    r"|--(?:extra-)?index-url|--find-links|--trusted-host"
)
LOCKS = (("requirements.lock",), ("requirements-dev.lock", "--group", "dev"))
COMPILE = (
    *("pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11"),
    *("--no-annotate", "--no-header", "--quiet"),
)


def tracked_files() -> list[Path]:
    """Files in the index. A checkout that belongs to another user is read all the same."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"], check=True, capture_output=True
    )
    paths = [Path(name) for name in listing.stdout.decode().split("\0") if name]
    if not paths:
        raise SystemExit("git lists no files: run this at the root of a checkout")
    return paths


def machine_traces(paths: list[Path]) -> Iterator[str]:
    """Paths of one machine, and package registries by name: both break elsewhere."""
    for path in paths:
        if path.as_posix().startswith(EXCEPTED) or path.is_symlink() or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            for kind, pattern in (("machine path", MACHINE_PATH), ("registry", REGISTRY)):
                if found := pattern.search(line):
                    yield f"{path}:{number}: {kind}: {found.group()}"


def stale_locks() -> Iterator[str]:
    """Lock files that do not follow from pyproject.toml.

    The present pins are the resolver's preference, so a new release changes nothing; hashes are
    not compared, because a file added to a published release would change them.
    """
    uv = Path(sys.executable).with_name("uv")
    for name, *group in LOCKS:
        with tempfile.TemporaryDirectory() as directory:
            again = Path(directory, name)
            again.write_bytes(Path(name).read_bytes())
            command = [str(uv), *COMPILE, *group, "--output-file", str(again)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            for pin in sorted(pins(Path(name)) ^ pins(again)):
                yield f"{name}: {pin}: not in step with pyproject.toml: run make lock"


def pins(lock: Path) -> set[str]:
    lines = lock.read_text(encoding="utf-8").splitlines()
    return {line.removesuffix("\\").strip() for line in lines if line and line[0].isalnum()}


def main() -> int:
    findings = [*machine_traces(tracked_files()), *stale_locks()]
    print("\n".join(findings) or "Clean: no traces of a machine, lock files in step.")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
