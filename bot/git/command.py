"""Runs git, one process at a time: fixed environment, no prompts, no hooks, no secrets kept.

Knows nothing of repositories, plans or GitHub. GitPython is used here and nowhere else.
"""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, quote_plus

from git import cmd

from bot.errors import Fault

# Started from a hook, git's own variables name another repository, and GitPython hands its whole
# environment on. The list is that of `git rev-parse --local-env-vars`.
for _name in (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
):
    os.environ.pop(_name, None)

LOCAL_TIMEOUT = 120.0  # seconds; what stays on this machine is far quicker
NETWORK_TIMEOUT = 600.0  # seconds; the first fetch of a very large repository
KEPT_OF_AN_ANSWER = 2000  # characters of git's words that an error carries

_ALWAYS = {
    "GIT_ASKPASS": "",  # the empty name switches SSH_ASKPASS off too
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_WITHOUT_CONFIGURATION = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
_NO_FOREIGN_CODE = (("core.hooksPath", os.devnull), ("core.fsmonitor", "false"))


@dataclass(frozen=True, slots=True)
class Answer:
    """What git said: exit status (negative: killed), standard output, redacted standard error."""

    status: int
    output: bytes
    error: str

    @property
    def words(self) -> str:
        """Both streams as text, for a person or a parser of refusals."""
        return f"{self.output.decode(errors='replace')}\n{self.error}".strip()


@dataclass(frozen=True, slots=True)
class Git:
    """git in `directory`. `settings` are configuration for each call, never written to a file.

    `own_configuration` lets the calling person's system and user configuration in: for their own
    clones only. `secrets` never come back in an answer.
    """

    directory: Path
    settings: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    own_configuration: bool = False

    def run(self, *arguments: str, stdin: bytes = b"", timeout: float = LOCAL_TIMEOUT) -> Answer:
        """Runs `git ARGUMENTS` to its end. Raises Fault when it outlives `timeout` (seconds)."""
        runner = cmd.Git(self.directory)
        runner.update_environment(**self._environment())
        with tempfile.TemporaryFile() as source:
            source.write(stdin)
            source.seek(0)
            status, output, error = runner.execute(
                ["git", *arguments],
                istream=source,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                kill_after_timeout=timeout,
            )
        text = redact(str(error), self.secrets)
        if status < 0 and text.startswith("Timeout:"):
            raise Fault(f"git {arguments[0]} did not end within {timeout:g} seconds")
        raw = output if isinstance(output, bytes) else str(output).encode()
        return Answer(int(status), raw, text)

    def output(self, *arguments: str, stdin: bytes = b"", timeout: float = LOCAL_TIMEOUT) -> bytes:
        """Standard output of a call that has to succeed; otherwise Fault with git's words."""
        answer = self.run(*arguments, stdin=stdin, timeout=timeout)
        if answer.status:
            raise Fault(
                f"git {arguments[0]} failed ({answer.status}): {answer.error[-KEPT_OF_AN_ANSWER:]}"
            )
        return answer.output

    def _environment(self) -> dict[str, str]:
        settings = (*_NO_FOREIGN_CODE, *self.settings)
        environment = {**_ALWAYS, **self.environment, "GIT_CONFIG_COUNT": str(len(settings))}
        if not self.own_configuration:
            environment |= _WITHOUT_CONFIGURATION
        for number, (key, value) in enumerate(settings):
            environment[f"GIT_CONFIG_KEY_{number}"] = key
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        return environment


def basic(user: str, password: str) -> str:
    """The credentials of HTTP basic authentication (RFC 7617), base64."""
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without the secrets: as they are, URL-encoded, and in base64 alone or after a user."""
    for secret in filter(None, secrets):
        forms = {
            secret,
            quote(secret, safe=""),
            quote_plus(secret),
            base64.b64encode(secret.encode()).decode(),
            basic(GITHUB_USER, secret),
        }
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, "[redacted]")
    return text


GITHUB_USER = "x-access-token"  # the user name that goes with an installation token
