"""The CI-fix channel: what a job that failed and was mended in one pull request teaches (SPEC 9).

Decides from the runs of the pull request's jobs and the change between two heads. Log text never
comes here. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from bot.channels.review import merged_at
from bot.channels.trust import is_agent, is_person, is_trusted
from bot.distill.neutral import visible
from bot.distill.quarantine import quarantine
from bot.distill.validate import Refused, validate
from bot.facts import Account, Between, ChangedFile, Job, JobRun, PullRequestFacts
from bot.lessons.bullet import Verdict
from bot.lessons.lesson import Lesson
from bot.lessons.store import Evidence
from bot.settings import Evidence as Worth
from bot.settings import Settings

WINDOW = timedelta(days=14)  # in which a flaky job or a broken default branch speaks against it
PATHS = 2
OURS = ".agent-corp/"

_MATRIX = re.compile(r"\s*\([^()]*\)\s*$")
_ONLY_EXIT_CODE = re.compile(
    r"(?:\bexit(?:ed)?(?: with)?(?: code| status)?|\berror code)\W{0,3}-?\d+\W*$"
    r"|^\W*(?:error|failed|failure)?\W*$",
    re.IGNORECASE,
)
# Written by a tool: named only where nothing else was changed.
_GENERATED = re.compile(
    r"(?:^|/)(?:dist|build|out|vendor|node_modules|generated|__generated__|__snapshots__)/"
    r"|(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|bun\.lockb|go\.sum"
    r"|gradle\.lockfile|packages\.lock\.json|Package\.resolved)$"
    r"|\.(?:lock|snap|map|pb\.go|g\.dart)$|[._-](?:min|generated|gen)\.\w+$|_pb2(?:_grpc)?\.pyi?$",
    re.IGNORECASE,
)
# Known by name: some act from accounts of type User, and `agents` does not make one an agent.
_DEPENDENCY_BOTS = frozenset(
    {
        "dependabot[bot]", "depfu[bot]", "greenkeeperio-bot", "pyup-bot", "renovate-bot",
        "renovate[bot]", "scala-steward", "snyk-bot",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Episode:
    """A job that failed on one head of a pull request and passed on the next one it ended on."""

    failed: JobRun
    passed: JobRun


@dataclass(frozen=True, slots=True)
class Looked:
    """What had to be asked about an episode: the change, the titles, the job's other runs."""

    between: Between
    titles: tuple[str, ...] = ()
    elsewhere: tuple[JobRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Came:
    """What an episode came to; `reason` is a phrase for people and the log."""

    episode: Episode
    reason: str
    evidence: Evidence | None = None


def shown_name(job: Job) -> str:
    """The job as a sentence names it: one line, no back-ticks, and without its matrix.

    GitHub writes the values of a matrix behind the name, `test (3.11, ubuntu)`; the last pair of
    brackets goes, so that all legs are one `test`. A name that is nothing else stays whole.
    """
    name = " ".join(visible(job.name).replace("`", "").split())
    return _MATRIX.sub("", name) or name


def key(job: Job) -> str:
    """The `job` of an event row: two groups' jobs of one name never merge."""
    return f"{' '.join(visible(job.group).split())} / {shown_name(job)}"


def episodes(
    facts: PullRequestFacts, settings: Settings, us: int | None = None
) -> tuple[Episode, ...]:
    """The episodes worth a closer look, oldest first; `us` is the id of the App itself.

    Weak evidence counts from the merge on. One push teaches at most `per_review` jobs: what mends
    many mended something that they share.
    """
    if settings.ci_fix is None or not _may_teach(facts, settings):
        return ()
    runs = [run for run in facts.runs if run.job.app != us]
    found = sorted(
        (each for each in _episodes(runs) if not _unreliable(each, runs)),
        key=lambda each: (each.passed.completed_at, each.passed.id),
    )
    taken: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    chosen: list[Episode] = []
    for each in found:
        jobs, job = taken[each.failed.head, each.passed.head], key(each.passed.job)
        if job not in jobs and len(jobs) < settings.store.per_review:
            jobs.add(job)
            chosen.append(each)
    return tuple(chosen)


def judge(
    facts: PullRequestFacts, looked: Mapping[Episode, Looked], settings: Settings
) -> tuple[Came, ...]:
    """What each episode comes to, now that its change and the job's other runs are known."""
    return tuple(_judged(facts, episode, found, settings) for episode, found in looked.items())


def _judged(facts: PullRequestFacts, episode: Episode, looked: Looked, settings: Settings) -> Came:
    against = _unreliable(episode, (*facts.runs, *looked.elsewhere)) or _no_fix(
        facts, looked.between, settings
    )
    if against is not None:
        return Came(episode, against)
    lesson, path = _lesson(episode, looked, settings.store.characters)
    if lesson is None:
        return Came(episode, "no sentence about it may be stored")
    passed = episode.passed
    evidence = Evidence(
        source=f"check:{passed.id}",
        pr=facts.pull.number,
        head=passed.head,
        channel=Verdict.CI_FIX,
        state=passed.conclusion,
        by=facts.pull.author.id,
        at=passed.completed_at,
        lesson=lesson,
        strong=settings.ci_fix is Worth.STRONG,
        matured=merged_at(facts, settings) is not None,
        base=facts.pull.base,
        job=key(passed.job),
        path=path,
    )
    return Came(episode, "a fix", evidence)


def _may_teach(facts: PullRequestFacts, settings: Settings) -> bool:
    if merged_at(facts, settings) is not None:
        return True
    return settings.ci_fix is Worth.STRONG and facts.pull.open and is_trusted(facts)


# --- failed, then passed -----------------------------------------------------------------------


def _episodes(runs: Sequence[JobRun]) -> Iterator[Episode]:
    heads: dict[str, tuple[datetime, int]] = {}
    for run in runs:
        heads[run.head] = min(heads.get(run.head, (run.pushed_at, run.id)), (run.pushed_at, run.id))
    for job in dict.fromkeys(run.job for run in runs):
        before: JobRun | None = None
        for head in sorted(heads, key=lambda sha: heads[sha]):
            ended = sorted(
                (r for r in runs if r.job == job and r.head == head and (r.failed or r.passed)),
                key=lambda r: (r.completed_at, r.id),
            )
            if not ended:
                continue
            passed = next((run for run in ended if run.passed), None)
            if passed is not None and before is not None:
                yield Episode(before, passed)
            before = None if passed is not None else ended[-1]


def _unreliable(episode: Episode, runs: Iterable[JobRun]) -> str | None:
    """Why the job's word is worth nothing, as far as these runs tell; legs speak for their job."""
    job, at = episode.passed.job, episode.passed.completed_at
    failed: set[tuple[str, str]] = set()
    passed: set[tuple[str, str]] = set()
    for run in runs:
        same = run.job.app == job.app and key(run.job) == key(job)
        if not same or abs(run.completed_at - at) > WINDOW:
            continue
        if run.failed and run.on_default_branch:
            return "the job failed on the default branch as well"
        if run.failed:
            failed.add((run.head, run.job.name))
        if run.passed:
            passed.add((run.head, run.job.name))
    return "the job is flaky: it failed and passed on one head" if failed & passed else None


# --- what mended it ----------------------------------------------------------------------------


def _no_fix(facts: PullRequestFacts, between: Between, settings: Settings) -> str | None:
    if not between.complete:
        return "the change is too large to be known whole"
    if not between.commits:
        return "no commit lies between"
    if any(commit.merges_base for commit in between.commits):
        return "the base was merged in between"
    for commit in between.commits:
        if not _works(commit.author or facts.pull.author, settings):
            return "a bot made the change"
    if not any(_teaches(file) for file in between.files):
        return "no file was changed that it could name"
    return None


def _works(author: Account, settings: Settings) -> bool:
    """A person or one of `agents`; who has no account is taken for the pull request's author."""
    if author.login.lower() in _DEPENDENCY_BOTS:
        return False
    return is_agent(author, settings) or is_person(author, settings)


def _teaches(file: ChangedFile) -> bool:
    return not file.gone and not file.path.startswith(OURS)


# --- the sentence ------------------------------------------------------------------------------


def _lesson(episode: Episode, looked: Looked, characters: int) -> tuple[Lesson | None, str | None]:
    """The lesson and the first path that it names: as much as fits, never cut within a word."""
    job = shown_name(episode.passed.job)
    files = sorted(
        (file for file in looked.between.files if _teaches(file)),
        key=lambda f: (bool(_GENERATED.search(f.path)), -f.lines, f.path),
    )
    usable = (f.path for f in files if _stored(_order(job, (f.path,)), "", characters) is not None)
    first = tuple(islice(usable, PATHS))
    for title in dict.fromkeys((_title(job, looked.titles), "")):
        for named in dict.fromkeys((first, *((path,) for path in first))):
            sentence = _stored(_order(job, named), title, characters) if named else None
            if sentence is not None:
                return Lesson(sentence, f"Changing `{named[0]}`", f"Run `{job}`"), named[0]
    return None, None


def _order(job: str, paths: Sequence[str]) -> str:
    return f"Run `{job}` before pushing changes to {' and '.join(f'`{p}`' for p in paths)}"


def _stored(order: str, title: str, characters: int) -> str | None:
    """The sentence as the store takes it; None where the gate refuses it or changes its names."""
    sentence = f"{order}: {title}." if title else f"{order}."
    checked = validate(sentence, characters)
    if isinstance(checked, Refused) or not checked.text.startswith(order):
        return None
    if quarantine(sentence) or quarantine(checked.text) or quarantine(title):
        return None
    return checked.text


def _title(job: str, titles: Sequence[str]) -> str:
    """The first title that says more than that the job failed."""
    for title in titles:
        text = " ".join(visible(title).split()).rstrip(" .,:;!?…")
        if not _ONLY_EXIT_CODE.search(text) and text.casefold() != job.casefold():
            return text
    return ""
