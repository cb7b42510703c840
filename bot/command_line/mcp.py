"""`mcp`: the agent's interface, of a repository or of a server."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.command_line import given
from bot.command_line.answer import DONE
from bot.commands import opening
from bot.errors import CallError


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", default=".", metavar="PATH_OR_URL", help="with --url: OWNER/NAME")
    parser.add_argument("--url", metavar="SERVER", help="ask a server instead of a repository")
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE", help="with --url: reader's token"
    )
    parser.add_argument(
        "--http", type=int, metavar="PORT", help="on this machine, instead of stdio"
    )


def run(options: argparse.Namespace) -> int:
    from bot.commands.agent import Local, Remote
    from bot.commands.mcp import serve

    if options.url is None:
        if options.token_file is not None:
            raise CallError("--token-file goes with --url.")
        with opening.target(options.repo):
            pass  # a repository that is none is told now, not to each agent that asks
        serve(Local(options.repo, opening.target, given.now), options.http)
    elif options.token_file is None:
        raise CallError("--url goes with --token-file.", remedy="The operator makes a token.")
    else:
        serve(Remote(options.url, options.repo, options.token_file), options.http)
    return DONE
