"""The composition root: the command line and the server are wired here and nowhere else.

Exit status: 0 done, 1 the answer is no, 2 the call is wrong, 3 something broke. `--json` prints one
JSON document on standard output; progress and logs go to standard error.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot import VERSION
from bot.errors import CallError, Fault, UserError
from bot.invocation import command as command_line

if TYPE_CHECKING:
    from bot.git.local import Target
    from bot.notes.capture import Capture
    from bot.reports.facts import StoreFacts
    from bot.reports.made import Made
    from bot.work.writing import Written

log = logging.getLogger(__name__)

DONE, NO, WRONG, BROKE = 0, 1, 2, 3
STOPPED = 130  # as a shell says it of what Ctrl-C ended
SIGNATURE = ("Lessonkeeper", "lessonkeeper@users.noreply.github.com")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and answers with its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    options.given = [*(sys.argv[1:] if arguments is None else arguments)]
    logging.basicConfig(
        level=_log_level(options),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
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
        ours = command_line(shlex.join(options.given), Path(__file__).parent / ".venv/bin/python")
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
        if options.command is _serve:
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
    return logging.INFO if options.command is _serve else logging.WARNING


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="app.py",
        description="Keeps what reviewers say as one-line lessons, in the repository itself.",
    )
    parser.add_argument("--verbose", action="store_true", help="say more on standard error")
    parser.add_argument("--version", action="version", version=f"lessonkeeper {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], int], text: str
    ) -> argparse.ArgumentParser:
        found = commands.add_parser(name, help=text, description=text)
        found.set_defaults(command=run)
        return found

    serve = command("serve", _serve, "receiver and workers in one process")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8080)
    serve.add_argument("--poll", action="store_true", help="hear from GitHub's list of deliveries")
    serve.add_argument("--once", action="store_true", help="with --poll: one pass, then end")
    setup = command("setup", _setup, "register the GitHub App from a page on this machine")
    setup.add_argument("--host", default="127.0.0.1")
    setup.add_argument("--port", type=int, default=8080)
    doctor = command("doctor", _doctor, "check everything; each line says its remedy")
    doctor.add_argument("--json", action="store_true")
    demo = command("demo", _demo, "the whole story on a sandbox: no account, no key, no network")
    demo.add_argument("--keep", metavar="DIR", type=Path, help="leave the sandbox there")
    demo.add_argument("--stay", action="store_true", help="then press Keep yourself, in a browser")
    learn = command("learn", _learn, "one review from a file into a repository")
    _repository(learn)
    learn.add_argument("--review", metavar="FILE", required=True, help="JSON; - for standard input")
    learn.add_argument("--dry-run", action="store_true", help="print the plan, write nothing")
    learn.add_argument("--push", action="store_true", help="publish the commit")
    learn.add_argument("--json", action="store_true")
    init = command("init", _init, "settings, include line, attributes, first store: one commit")
    _repository(init)
    init.add_argument("--adopt", action="store_true", help="give hand-written lines our trailer")
    init.add_argument("--dry-run", action="store_true", help="print the plan, write nothing")
    init.add_argument("--push", action="store_true", help="publish the commit")
    init.add_argument("--json", action="store_true")
    bring = command("import", _import, "another store's bullets; a dry run without --apply")
    bring.add_argument("--from", dest="source", required=True, metavar="PATH_OR_URL")
    _repository(bring)
    bring.add_argument("--apply", action="store_true", help="write what the dry run shows")
    bring.add_argument("--push", action="store_true", help="publish the commit")
    bring.add_argument("--json", action="store_true")
    backfill = command("backfill", _backfill, "past reviews, as one commit; a dry run first")
    backfill.add_argument("--repo", required=True, metavar="OWNER/NAME")
    backfill.add_argument("--since", type=_day, metavar="DATE", help="2026-01-31; all without it")
    backfill.add_argument("--apply", action="store_true", help="write what the dry run shows")
    backfill.add_argument("--json", action="store_true")
    distill = command("distill", _distill, "the sentences of reviews; nothing is written")
    distill.add_argument("--review", metavar="FILE", required=True, help="JSON or JSON Lines")
    distill.add_argument("--json", action="store_true")
    block = command("block", _block, "what an agent receives at the start of a task")
    _repository(block)
    block.add_argument("--items", type=int, metavar="N", help="instead of block.bullets' items")
    block.add_argument("--chars", type=int, metavar="N", help="instead of its characters")
    block.add_argument(
        "--paths",
        nargs="+",
        default=(),
        metavar="PATH",
        help="paths of the task: their lessons first; a comma separates them as well",
    )
    block.add_argument("--reader", metavar="ID", help="who asks, for the record")
    block.add_argument("--session", action="store_true", help="an interactive session: fewer items")
    block.add_argument("--format", choices=("md", "json"), default="md")
    block.add_argument("--json", dest="format", action="store_const", const="json")
    token = command("token", _token, "tokens of readers: make, list and revoke them")
    what = token.add_mutually_exclusive_group(required=True)
    what.add_argument("--repo", metavar="OWNER/NAME", help="a new one for this repository")
    what.add_argument("--revoke", metavar="ID", help="end one at once")
    what.add_argument("--list", action="store_true", help="all, without the tokens themselves")
    token.add_argument("--reader", metavar="NAME", help="with --repo: who will hold it")
    token.add_argument("--captures", action="store_true", help="with --repo: it may save notes")
    token.add_argument("--days", type=int, default=90, metavar="N", help="with --repo: its life")
    mcp = command("mcp", _mcp, "the agent's interface (Model Context Protocol)")
    mcp.add_argument("--repo", default=".", metavar="PATH_OR_URL", help="with --url: OWNER/NAME")
    mcp.add_argument("--url", metavar="SERVER", help="ask a server instead of a repository")
    mcp.add_argument("--token-file", type=Path, metavar="FILE", help="with --url: reader's token")
    mcp.add_argument("--http", type=int, metavar="PORT", help="on this machine, instead of stdio")
    replay = command("replay", _replay, "a stored delivery again; the running server works on it")
    replay.add_argument("guid", metavar="GUID")
    sweep = command("sweep", _sweep, "expiry, what lost its file, notes over their grace")
    _repository(sweep)
    sweep.add_argument("--dry-run", action="store_true", help="print the plan, write nothing")
    sweep.add_argument("--push", action="store_true", help="publish the commit")
    sweep.add_argument("--json", action="store_true")
    search = command("search", _search, "what is looked up: notes, documents, lessons")
    search.add_argument("query", metavar="QUERY")
    search.add_argument("--repo", action="append", metavar="PATH_OR_URL", help="default: here")
    search.add_argument("--limit", type=int, default=5, metavar="N", help="at most so many pages")
    search.add_argument("--json", action="store_true")
    capture = command("capture", _capture, "a note to be looked up; proven before it is answered")
    capture.add_argument("file", metavar="FILE", help="Markdown; - for standard input")
    _repository(capture)
    capture.add_argument("--kind", default="", help="reference, context or lesson")
    capture.add_argument("--title", default="")
    capture.add_argument("--job", default="", metavar="#N", help="what a context note ends with")
    capture.add_argument("--subject", default="", help="a directory or a name")
    capture.add_argument("--class", default="", dest="failure_class", metavar="CLASS")
    capture.add_argument("--evidence", default="", help="strong or weak")
    capture.add_argument("--push", action="store_true", help="publish the commit")
    capture.add_argument("--json", action="store_true")
    confirm = command("confirm", _confirm, "a note that was used and found true, dated today")
    confirm.add_argument("path", metavar="PATH", help="as search names it")
    confirm.add_argument("--repo", default=".", metavar="PATH_OR_URL", help="default: here")
    confirm.add_argument("--push", action="store_true", help="publish the commit")
    confirm.add_argument("--json", action="store_true")
    canary = command("canary", _canary, "one session saves, another demands it back: 0 or 1")
    canary.add_argument("--repo", metavar="PATH_OR_URL", help="default: one of its own")
    canary.add_argument("--url", metavar="SERVER", help="of a server; --repo is OWNER/NAME then")
    canary.add_argument("--writer", type=Path, metavar="FILE", help="with --url: token, captures")
    canary.add_argument("--asker", type=Path, metavar="FILE", help="with --url: another's token")
    canary.add_argument("--questions", metavar="FILE", help="one of them is asked in --repo")
    canary.add_argument("--json", action="store_true")
    rebuild = command("rebuild", _rebuild, "the index of search anew, from a clone")
    rebuild.add_argument("--repo", action="append", metavar="PATH_OR_URL", help="default: here")
    rebuild.add_argument("--server", action="store_true", help="the server's, of all repositories")
    rebuild.add_argument("--json", action="store_true")
    score = command("score", _score, "how well search answers questions with known pages")
    score.add_argument("questions", metavar="QUESTIONS", help="JSON Lines: question, page, set")
    score.add_argument("--repo", default=".", metavar="PATH_OR_URL", help="default: here")
    score.add_argument("--pages", type=Path, metavar="DIR", help="a folder instead of --repo")
    score.add_argument("--against", metavar="FILE", help="earlier figures (--json): 1 if lower")
    score.add_argument("--json", action="store_true")
    report = command("report", _report, "measure the memory")
    kinds = report.add_subparsers(required=True, metavar="KIND")
    pairs = kinds.add_parser(
        "pairs", help="near duplicates, and the refresh rule on labelled pairs"
    )
    pairs.set_defaults(command=_report_pairs)
    pairs.add_argument("files", nargs="*", metavar="FILE", help="lessons files")
    pairs.add_argument("--labels", metavar="TSV", help="columns a, b, label")
    pairs.add_argument("--label", action="store_true", help="judge pairs near the line: into TSV")
    pairs.add_argument("--against", metavar="JSON", help="a report saved on an earlier day: drift")
    _printed(pairs)
    kept = kinds.add_parser("retention", help="what policies and caps keep of lessons files")
    kept.set_defaults(command=_report_retention)
    kept.add_argument("files", nargs="*", metavar="FILE", help="lessons files")
    kept.add_argument("--caps", nargs="+", type=_caps, metavar="ITEMS,CHARACTERS", help="per FILE")
    kept.add_argument("--generated", action="store_true", help="a made-up corpus instead of files")
    _printed(kept)
    grown = kinds.add_parser("duplicates", help="duplicate share, months, and what came up again")
    grown.set_defaults(command=_report_duplicates)
    _repositories(grown)
    _printed(grown)
    store = kinds.add_parser("store", help="the figures of a store, as its pages show them")
    store.set_defaults(command=_report_store)
    _repository(store)
    store.add_argument("--json", action="store_true")
    audit = kinds.add_parser("audit", help="what a person should look at; exit status 1 if any")
    audit.set_defaults(command=_report_audit)
    _repositories(audit)
    audit.add_argument("--labels", metavar="TSV", help="leaves out pairs labelled distinct")
    audit.add_argument("--json", action="store_true")
    week = kinds.add_parser("digest", help="what changed most in a week")
    week.set_defaults(command=_report_digest)
    _repositories(week)
    week.add_argument("--until", type=_day, metavar="DATE", help="the first day after it; today")
    week.add_argument("--json", action="store_true")
    for each in (*commands.choices.values(), *kinds.choices.values()):
        each.add_argument(
            "--verbose", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
        )
    return parser


def _printed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plot", metavar="FILE", help="also a picture, .png or .svg")
    parser.add_argument("--json", action="store_true")


def _repositories(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repo", required=True, action="append", metavar="PATH_OR_URL", help="once for each"
    )


def _repository(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repo", required=True, metavar="PATH_OR_URL")


def _now() -> datetime:
    return datetime.now(UTC)


def _day(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)


def _bytes(name: str) -> bytes:
    """The bytes of a file that the caller named. Raises CallError."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise CallError(f"{reason}.", file=name, remedy="Name a file that can be read.") from error


@contextmanager
def _target(where: str, *, pushes: bool = False) -> Iterator[Target]:
    """The repository that the caller named. Raises CallError where there is none to open."""
    from bot.git.local import open_target

    with ExitStack() as stack:
        try:
            target = stack.enter_context(open_target(where, SIGNATURE, pushes=pushes))
        except UserError as error:
            raise CallError(error.message, remedy=error.remedy) from error
        yield target


@contextmanager
def _writing(where: str, *, pushes: bool) -> Iterator[Target]:
    """The same, to commit to; what a push takes along is told, and what refuses it."""
    from bot.commands.publishing import publishing

    with _target(where, pushes=pushes) as target, publishing(target, pushes=pushes):
        yield target


def _print(document: object) -> None:
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    print()


# Each command imports its rooms itself, so that a quick one does not wait for a slow one.


def _learn(options: argparse.Namespace) -> int:
    from bot.commands.learning import learn
    from bot.commands.review_file import read
    from bot.learned_text import explained, heard, left_out
    from bot.work.distilling import Chosen

    now = _now()
    (given, *more) = read(_bytes(options.review), options.review, now) or (None,)
    if given is None:
        raise CallError(
            "it holds no review.",
            remedy='Put one into it, as {"state": "changes_requested", "body": "…"}.',
            file=options.review,
        )
    if more:
        raise CallError(
            f"it holds {len(more) + 1} reviews, and one is learned at a time.",
            remedy="Give each a file of its own; `distill` reads them all.",
            file=options.review,
        )
    with _writing(options.repo, pushes=options.push) as target:
        found = learn(
            given, target, Chosen(os.environ.get("ANTHROPIC_API_KEY")), now, dry_run=options.dry_run
        )
    if options.json:
        _print(found.to_json())
    else:
        for line in heard(found.written.edit.landed):
            print(line)
        _tell(found.written, explained(found.ignored) if found.ignored else "")
        for line in left_out(found.distilled, found.written.settings):
            print(line)
    _tell_left(found.written.detail)
    return DONE


def _tell(written: Written, nothing: str) -> None:
    """What was committed or would be; `nothing` says why neither, as the end of a sentence."""
    from bot.texts import told

    if written.commit:
        for change in written.edit.told:
            print(told(change))
        print(f"Committed {written.commit[:12]}.")
    elif written.plan is not None:
        print(written.plan)
    else:
        print(f"Nothing to write: {nothing or 'everything stands as it is'}.")


def _tell_left(detail: str) -> None:
    """What stays in the work tree, and what to do about it."""
    if detail:
        print(detail, file=sys.stderr)


def _init(options: argparse.Namespace) -> int:
    from bot.commands.setting_up import init
    from bot.welcome import adoption, left_alone, unadopted

    with _writing(options.repo, pushes=options.push) as target:
        found = init(target, _now().date(), adopting=options.adopt, dry_run=options.dry_run)
    _tell_left(found.written.detail)
    if found.left:
        print(left_alone(found.left), file=sys.stderr)
    if options.json:
        _print(found.to_json())
        return DONE
    if found.written.commit and found.written.plan:
        for path in sorted(found.written.plan.changes):
            print(f"Wrote {path}")
    _tell(found.written, "it is set up already")
    if found.adopted:
        print(adoption(found.adopted, done=options.adopt and not options.dry_run))
    if options.adopt and found.unadopted:
        print(unadopted(found.unadopted))
    return DONE


def _import(options: argparse.Namespace) -> int:
    from bot.commands.importing import bring, read_source
    from bot.git.local import full_name

    with _target(options.source) as other:
        source = read_source(other, full_name(options.source, other.clone), _now().date())
    with _writing(options.repo, pushes=options.push) as target:
        found = bring(source, target, _now().date(), dry_run=not options.apply)
    _tell_left(found.written.detail)
    if options.json:
        _print(found.to_json())
        return DONE
    _tell(found.written, "there is nothing new")
    for each in found.left:
        print(f"Left out: {each}")
    if source.loses_references:
        print(
            f"No address tells which repository {options.source} is, so what it brings names"
            " `manual` instead of pull requests there.",
            file=sys.stderr,
        )
    return DONE


def _backfill(options: argparse.Namespace) -> int:
    from bot.commands.backfilling import backfill, operator
    from bot.environment import read
    from bot.welcome import unlisted

    with operator(read(os.environ), _now) as by:
        found = backfill(by, options.repo, options.since, _now, dry_run=not options.apply)
    if options.json:
        _print(found.to_json())
        return DONE
    written = found.written
    print(f"{found.read} pull requests were reviewed.")
    _tell(written, "they teach nothing new")
    if found.proposed_in is not None:
        print(f"It is proposed in pull request #{found.proposed_in}: merging it keeps it.")
    if found.unlisted:
        print(unlisted(found.unlisted))
    return DONE


def _distill(options: argparse.Namespace) -> int:
    from bot.commands.learning import quarantined
    from bot.commands.review_file import read
    from bot.learned_text import explained, left_out
    from bot.settings import Settings
    from bot.work.distilling import Chosen, distill

    settings = Settings()
    distiller = Chosen()(settings, 0)
    answers = [
        distill(given.review, distiller, settings)
        for given in read(_bytes(options.review), options.review, _now())
    ]
    if options.json:
        _print(
            [
                {
                    "bullets": [lesson.sentence for lesson in each.lessons],
                    "ignored": each.ignored,
                    "quarantined": quarantined(each),
                }
                for each in answers
            ]
        )
        return DONE
    for number, each in enumerate(answers, 1):
        head = f"{number}. " if len(answers) > 1 else "- "
        for lesson in each.lessons:
            print(f"{head}{lesson.sentence}")
        if not each.lessons:
            print(f"{head}(nothing: {explained(each.ignored or '')})")
        for line in left_out(each, settings):
            print(line)
    return DONE


def _block(options: argparse.Namespace) -> int:
    from bot.commands.reading import block
    from bot.lessons.block import names

    paths = [path for given in options.paths for path in given.split(",") if path]
    for name in ("items", "chars"):
        if getattr(options, name) is not None and getattr(options, name) < 0:
            raise CallError(f"--{name} takes a number from 0 up.")
    with _target(options.repo) as target:
        found = block(
            target.clone,
            target.head(),
            _now().date(),
            items=options.items,
            characters=options.chars,
            paths=paths,
            session=options.session,
        )
    if paths and not any(names(item, paths) for item in found.items):
        print(f"No lesson shown names {', '.join(paths)}.", file=sys.stderr)
    if options.format == "json":
        _print(found.to_json())
    else:
        print(found.to_markdown(), end="")
    return DONE


def _token(options: argparse.Namespace) -> int:
    from bot.commands import tokens
    from bot.environment import read

    environment = read(os.environ)
    if options.list:
        for each in tokens.issued(environment):
            ends = f"revoked {each.revoked_at:%Y-%m-%d}" if each.revoked_at else "ends"
            ends = f"{ends}  {each.expires_at:%Y-%m-%d}{'  captures' * each.captures}"
            print(f"{each.id}  {each.full_name}  {each.reader}  {ends}")
        return DONE
    if options.revoke is not None:
        if tokens.revoke(environment, options.revoke):
            return DONE
        raise UserError(f"No good token has the id {options.revoke}.", remedy="Look: token --list")
    if options.reader is None:
        raise CallError("--repo goes with --reader.", remedy="Name who will hold the token.")
    text, made = tokens.issue(
        environment, options.repo, options.reader, options.days, captures=options.captures
    )
    print(text)
    may = "reads and captures in" if made.captures else "reads"
    print(
        f"Token {made.id} {may} {made.full_name} until {made.expires_at:%Y-%m-%d}."
        " It is shown this once.",
        file=sys.stderr,
    )
    return DONE


def _mcp(options: argparse.Namespace) -> int:
    from bot.commands.agent import Local, Remote
    from bot.commands.mcp import serve

    if options.url is None:
        if options.token_file is not None:
            raise CallError("--token-file goes with --url.")
        with _target(options.repo):
            pass  # a repository that is none is told now, not to each agent that asks
        serve(Local(options.repo, _target, _now), options.http)
    elif options.token_file is None:
        raise CallError("--url goes with --token-file.", remedy="The operator makes a token.")
    else:
        serve(Remote(options.url, options.repo, options.token_file), options.http)
    return DONE


def _sweep(options: argparse.Namespace) -> int:
    from bot.commands.sweeping import sweep_all

    with _writing(options.repo, pushes=options.push) as target:
        swept = sweep_all(target, _now(), dry_run=options.dry_run)
    for detail in swept.details:
        _tell_left(detail)
    if options.json:
        _print(swept.to_json())
        return DONE
    for line in swept.lines:
        print(line)
    for written in swept.writes:
        print(f"Committed {written.commit[:12]}." if written.commit else written.plan)
    if not swept.writes:
        print("Nothing to write: everything stands as it is.")
    return DONE


def _search(options: argparse.Namespace) -> int:
    from bot.commands.searching import search
    from bot.search.model import Finding

    found = search(options.query, options.repo or ["."], _target, _now, limit=options.limit)
    if options.json:
        _print(found.to_json())
    else:
        print(found.to_markdown(), end="")
    return {Finding.NOTHING: NO, Finding.UNTOLD: BROKE}.get(found.answer.finding, DONE)


def _capture(options: argparse.Namespace) -> int:
    from bot.commands.capturing import capture, given_text
    from bot.notes.capture import Capture
    from bot.notes.draft import Given

    text = given_text(_bytes(options.file), options.file)
    if isinstance(text, Capture):
        return _answered(text, as_json=options.json)
    given = Given(
        text,
        options.kind,
        options.title,
        options.subject,
        options.job,
        options.failure_class,
        options.evidence,
    )
    found = capture(given, options.repo, partial(_target, pushes=options.push), _now)
    return _answered(found, as_json=options.json)


def _confirm(options: argparse.Namespace) -> int:
    from bot.commands.capturing import confirm

    open_ = partial(_target, pushes=options.push)
    return _answered(confirm(options.path, options.repo, open_, _now), as_json=options.json)


def _canary(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from bot.commands.canary import Sessions, nest, sing, take_away
    from bot.search.score import read_questions

    tokens = options.writer, options.asker
    if any(tokens if options.url is None else [each is None for each in tokens]):
        raise CallError("--url goes with --writer and --asker.")
    if options.repo is None and (options.url or options.questions):
        raise CallError("--url and --questions go with --repo.")
    asked = (
        read_questions(_bytes(options.questions), options.questions) if options.questions else ()
    )
    checks = []
    with ExitStack() as stack:
        if options.repo is None:
            sessions = stack.enter_context(nest())
        else:
            here = options.url is None and Path(options.repo).is_dir()
            where = str(Path(options.repo).resolve()) if here else options.repo
            sessions = Sessions(where, options.url, *tokens)
        for check in sing(sessions, asked, _now().toordinal()):
            checks.append(check)
            if not options.json:
                print(check, flush=True)
            if check.path and check.ok and options.repo is not None and options.url is None:
                stack.callback(take_away, sessions.repository, _target, check.path, _now())
    if options.json:
        _print([asdict(check) for check in checks])
    return DONE if all(check.ok for check in checks) else NO


def _answered(found: Capture, *, as_json: bool) -> int:
    """Says what a capture came to; the exit status."""
    from bot.capture_text import to_json, told
    from bot.notes.capture import State

    if as_json:
        _print(to_json(found))
    else:
        print(told(found))
    if found.detail:
        print(found.detail, file=sys.stderr)
    if found.state is State.NOT_SAVED and isinstance(found.error, UserError):
        return NO
    return BROKE if found.state in (State.NOT_SAVED, State.NOT_CONFIRMED) else DONE


def _rebuild(options: argparse.Namespace) -> int:
    from bot.commands.rebuilding import rebuild_server
    from bot.commands.searching import rebuild
    from bot.environment import read

    if options.server and options.repo:
        raise CallError("--server and --repo do not go together.")
    if options.server:
        counts = dict(rebuild_server(read(os.environ), _now))
    else:
        counts = {where: rebuild(where, _target, _now).changed for where in options.repo or ["."]}
    if options.json:
        _print(counts)
    else:
        for where, count in counts.items():
            print(f"{where}: {count} pages indexed.")
    return DONE


def _score(options: argparse.Namespace) -> int:
    from bot.commands.scoring import score_folder, score_repository
    from bot.search.score import fallen, read_figures, read_questions

    questions = read_questions(_bytes(options.questions), options.questions)
    before = read_figures(_bytes(options.against), options.against) if options.against else {}
    if options.pages is not None:
        found = score_folder(questions, options.pages, _now)
    else:
        found = score_repository(questions, options.repo, _target, _now)
    if options.json:
        _print(found.to_json())
    else:
        print(found.to_markdown(), end="")
    lower = fallen(found.to_json(), before)
    for each in lower:
        print(each, file=sys.stderr)
    return NO if lower else DONE


def _report(options: argparse.Namespace) -> int:
    raise CallError("name a report, as in: report pairs")


def _report_pairs(options: argparse.Namespace) -> int:
    from bot.reports import pair_printing
    from bot.reports.drift import drift, read_earlier
    from bot.reports.pairs import report_pairs
    from bot.settings import Settings

    if not options.files and not options.labels:
        raise CallError("there is nothing to score.", remedy="Name lessons files or --labels TSV.")
    if options.label and not (options.files and options.labels):
        raise CallError("--label takes pairs of lessons files.", remedy="Name them, and --labels.")
    files = [(name, _bytes(name)) for name in options.files]
    today, settings = _now().date(), Settings()
    _demand_lessons(files)
    earlier = read_earlier(_bytes(options.against), options.against) if options.against else None
    if options.label:
        from bot.commands.labelling import ask

        near = report_pairs(files, None, settings, today).to_judge
        ask(near, Path(options.labels), sys.stdin, sys.stderr)
    labels = _bytes(options.labels) if options.labels else None
    found = report_pairs(files, labels, settings, today, labels_name=options.labels or "")
    moved = drift(found.distribution, earlier) if earlier else None
    if options.plot:
        from bot.reports import picture

        _write(options.plot, picture.pairs(found, picture.format_of(options.plot)))
    made = _made(options)
    if options.json:
        _print(pair_printing.to_json(found, made, moved))
    else:
        print(pair_printing.to_markdown(found, made, moved), end="")
    return NO if moved and moved.alarm else DONE


def _demand_lessons(files: Sequence[tuple[str, bytes]]) -> None:
    """Raises CallError for a file with neither a bullet nor a heading that waits for some."""
    from bot.lessons.document import Document

    for name, data in files:
        if data.strip()[:1] != b"#" and not Document.parse(data, _now().date()).bullets:
            raise CallError(
                "it holds no bullet, so there is nothing to measure.",
                remedy="Name lessons files: Markdown lists, as .agent-corp/lessons.md is one.",
                file=name,
            )


def _caps(text: str) -> tuple[int, int]:
    items, _, characters = text.partition(",")
    found = int(items), int(characters)
    if min(found) < 1:
        raise ValueError(text)
    return found


def _report_retention(options: argparse.Namespace) -> int:
    from bot.reports import retention_printing, sample
    from bot.reports.caps import report_caps
    from bot.reports.retention import corpus, report_retention
    from bot.settings import Caps, Settings

    if options.generated == bool(options.files):
        raise CallError("it measures lessons files.", remedy="Name them, or use --generated.")
    files = [(name, _bytes(name)) for name in options.files] or sample.files()
    usual = sample.CAPS if options.generated else [Settings().block.bullets] * len(files)
    caps = [Caps(*each) for each in options.caps] if options.caps else usual
    if len(caps) != len(files):
        raise CallError(f"{len(caps)} caps for {len(files)} files.", remedy="Give one per FILE.")
    _demand_lessons(files)
    lessons = corpus(files, sample.NEWEST if options.generated else _now().date())
    found = report_retention(lessons)
    limits = report_caps(lessons, [(name, cap) for (name, _), cap in zip(files, caps, strict=True)])
    if options.plot:
        from bot.reports import picture

        _write(options.plot, picture.retention(found, picture.format_of(options.plot)))
    made = _made(options)
    if options.json:
        _print(retention_printing.to_json(found, limits, made))
    else:
        print(retention_printing.to_markdown(found, limits, made), end="")
    return DONE


def _report_duplicates(options: argparse.Namespace) -> int:
    from bot.reports import trend_printing
    from bot.reports.recurrence import recurrences
    from bot.reports.trends import fleet, trend

    now = _now()
    with _facts(options.repo) as found:
        stores = [
            trend_printing.Store(
                facts.name,
                facts.commit,
                trend(facts.history),
                recurrences(facts.history, facts.committed, now),
            )
            for facts in found
        ]
    every = fleet(store.trend for store in stores)
    if options.plot:
        from bot.reports import picture

        _write(options.plot, picture.months(every, picture.format_of(options.plot)))
    made = _made(options)
    if options.json:
        _print(trend_printing.to_json(stores, every, made))
    else:
        print(trend_printing.to_markdown(stores, every, made), end="")
    return DONE


def _report_store(options: argparse.Namespace) -> int:
    from bot.web.figures import figures
    from bot.web.printing import to_text
    from bot.work.pitfalls import clean, files_of

    with _target(options.repo) as target:
        files = files_of(target.clone, target.head())
    found = figures(files, None, _now().date(), clean)
    if options.json:
        _print(found.to_json())
    else:
        print(to_text(found), end="")
    return DONE


def _report_audit(options: argparse.Namespace) -> int:
    from bot.reports import audit_printing
    from bot.reports.audit import audit
    from bot.reports.labels import parse_labels

    labels = options.labels
    labelled = parse_labels(_bytes(labels), labels) if labels else ()
    with _facts(options.repo) as stores:
        found = audit(stores, _now().date(), labelled)
    made = _made(options)
    if options.json:
        _print(audit_printing.to_json(found, made))
    else:
        print(audit_printing.to_markdown(found, made), end="")
    return NO if found.findings else DONE


def _report_digest(options: argparse.Namespace) -> int:
    from bot import digest_text
    from bot.reports.digest import digest

    until = (options.until or _now()).date()
    with _facts(options.repo) as stores:
        found = digest([store.history for store in stores], until)
    if options.json:
        _print(digest_text.to_json(found) | _made(options).to_json())
    elif found is None:
        print("Nothing happened in this week and the one before.")
    else:
        print(digest_text.markdown(found, digest_text.command(found, options.repo)))
    return DONE


@contextmanager
def _facts(places: Sequence[str]) -> Iterator[list[StoreFacts]]:
    """What stands in each repository. Raises CallError where there is none to open."""
    from bot.git.local import full_name
    from bot.work.measured import facts_of

    with ExitStack() as stack:
        targets = [(place, stack.enter_context(_target(place))) for place in places]
        yield [
            facts_of(each.clone, each.head(), full_name(place, each.clone) or place)
            for place, each in targets
        ]


def _made(options: argparse.Namespace) -> Made:
    """What a report says of itself; to make it again no question has to be asked."""
    from bot.reports.made import Made

    given = [each for each in options.given if each not in ("--label", "--json", "--verbose")]
    return Made(_now().date(), shlex.join(["python", "app.py", *given]))


def _write(name: str, data: bytes) -> None:
    """Puts a file where the caller named it. Raises CallError."""
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        reason = error.strerror or "it cannot be written"
        raise CallError(f"{reason}.", file=name, remedy="Name a file to be written.") from error


def _replay(options: argparse.Namespace) -> int:
    from bot.commands.replaying import replay

    replay(options.guid, os.environ)
    print(f"{options.guid} will be worked on again by the server that runs.")
    return DONE


def _setup(options: argparse.Namespace) -> int:
    from bot.environment import read
    from webhooks.setup_server import setup

    return setup(read(os.environ), options.host, options.port)


def _doctor(options: argparse.Namespace) -> int:
    from bot.commands.doctor import doctor

    return doctor(os.environ, as_json=options.json)


def _demo(options: argparse.Namespace) -> int:
    from bot.demo.story import demo

    return demo(options.keep, stay=options.stay)


def _serve(options: argparse.Namespace) -> int:
    if options.once and not options.poll:
        raise CallError("--once goes with --poll.")

    from bot import logs
    from bot.environment import read
    from bot.work.serving import serve

    logs.install()
    return serve(read(os.environ), options.host, options.port, poll=options.poll, once=options.once)


if __name__ == "__main__":
    sys.exit(main())
