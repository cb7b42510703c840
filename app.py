"""The command line: which commands there are, and how each one ends.

Exit status: 0 done, 1 the answer is no, 2 the call is wrong, 3 something broke. `--json` prints one
JSON document on standard output; progress and logs go to standard error.
"""

from __future__ import annotations

import argparse
import logging
import shlex
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from bot import VERSION
from bot.command_line import given
from bot.command_line.answer import BROKE, DONE, NO, WRONG
from bot.errors import CallError, Fault, UserError
from bot.invocation import command as command_line

log = logging.getLogger(__name__)

STOPPED = 130  # as a shell says it of what Ctrl-C ended
SERVER = "serve"

# In the order of --help: the command, its module in bot/command_line, what it is for.
COMMANDS = (
    (SERVER, "serve", "receiver and workers in one process"),
    ("setup", "setup", "register the GitHub App from a page on this machine"),
    ("doctor", "doctor", "check everything; each line says its remedy"),
    ("demo", "demo", "the whole story on a sandbox: no account, no key, no network"),
    ("learn", "learn", "one review from a file into a repository"),
    ("init", "init", "settings, include line, attributes, first store: one commit"),
    ("import", "import_", "another store's bullets; a dry run without --apply"),
    ("backfill", "backfill", "past reviews, as one commit; a dry run first"),
    ("distill", "distill", "the sentences of reviews; nothing is written"),
    ("block", "block", "what an agent receives at the start of a task"),
    ("token", "token", "tokens of readers: make, list and revoke them"),
    ("mcp", "mcp", "the agent's interface (Model Context Protocol)"),
    ("replay", "replay", "a stored delivery again; the running server works on it"),
    ("sweep", "sweep", "expiry, what lost its file, notes over their grace"),
    ("search", "search", "what is looked up: notes, documents, lessons"),
    ("capture", "capture", "a note to be looked up; proven before it is answered"),
    ("confirm", "confirm", "a note that was used and found true, dated today"),
    ("canary", "canary", "one session saves, another demands it back: 0 or 1"),
    ("rebuild", "rebuild", "the index of search anew, from a clone"),
    ("score", "score", "how well search answers questions with known pages"),
    ("report", "report", "measure the memory"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and answers with its exit status."""
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    options = _parser(words).parse_args(words)
    options.given = words
    logging.basicConfig(
        level=_log_level(options),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except CallError as error:
        print(f"lessonkeeper: {error}", file=sys.stderr)
        return WRONG
    except UserError as error:
        print(f"lessonkeeper: {error}", file=sys.stderr)
        return NO
    except Fault as error:
        print(f"lessonkeeper: {error}", file=sys.stderr)
        return BROKE
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("bot", "webhooks"):
            raise
        ours = command_line(shlex.join(words), Path(__file__).parent / ".venv/bin/python")
        print(
            f"lessonkeeper: this Python lacks the package {error.name}:"
            f" run `make venv` once, then {ours}",
            file=sys.stderr,
        )
        return WRONG
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        return DONE
    except Exception as error:
        log.debug("what broke", exc_info=True)
        if options.command == SERVER:
            raise
        print(
            f"lessonkeeper: this broke, and should not have: {type(error).__name__}: {error}."
            " --verbose says where.",
            file=sys.stderr,
        )
        return BROKE


def _log_level(options: argparse.Namespace) -> int:
    """A server tells what it does; a command only what its caller has to know."""
    if options.verbose:
        return logging.DEBUG
    return logging.INFO if options.command == SERVER else logging.WARNING


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Only the command that is called is imported: `--help` lists the others unseen."""
    parser = argparse.ArgumentParser(
        prog="app.py",
        description="Keeps what reviewers say as one-line lessons, in the repository itself.",
    )
    parser.add_argument("--verbose", action="store_true", help="say more on standard error")
    parser.add_argument("--version", action="version", version=f"lessonkeeper {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    called = next((word for word in words if not word.startswith("-")), None)
    for name, module_name, text in COMMANDS:
        command = commands.add_parser(name, help=text, description=text)
        if name == called:
            module = import_module(f"bot.command_line.{module_name}")
            module.arguments(command)
            given.verbose(command)
            command.set_defaults(run=module.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
