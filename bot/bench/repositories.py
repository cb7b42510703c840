"""Repositories of any size, made in no time: what the benchmarks and tests measure against."""

from __future__ import annotations

from pathlib import Path

from bot.git.command import Git

_FILES_PER_DIRECTORY = 100


def make_bare(directory: Path, files: int = 0, branch: str = "main", seed: str = "") -> str | None:
    """A bare repository that serves blobless clones: the id of its commit, None without files.

    `files` small text files, a hundred to a directory, a hundred directories to the next one up;
    `seed` goes into every one of them.
    """
    directory.mkdir(parents=True)
    git = Git(directory)
    git.output("init", "--quiet", "--bare", "--template=", f"--initial-branch={branch}", ".")
    git.output("config", "uploadpack.allowFilter", "true")
    git.output("config", "uploadpack.allowAnySHA1InWant", "true")
    if not files:
        return None
    stream = [
        f"commit refs/heads/{branch}\nmark :1\ncommitter A <a@example.org> 1700000000 +0000\n"
    ]
    stream.append("data 6\nbegin\n\n")
    for number in range(files):
        directory_number = number // _FILES_PER_DIRECTORY
        path = f"part{directory_number // 100}/group{directory_number}/file{number}.txt"
        content = f"file {number} {seed}\n"
        stream.append(f"M 100644 inline {path}\ndata {len(content)}\n{content}\n")
    stream.append("get-mark :1\ndone\n")
    made = git.output("fast-import", "--quiet", "--done", stdin="".join(stream).encode())
    return made.decode().strip()
