"""Watches our own files: a pull request that touches them is told what they would do, and the
default branch what stops every write there. Reads no settings, since those may be what is broken.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from bot.channels.settings_check import settings_section
from bot.errors import UserError
from bot.forge.check_run import CheckRun
from bot.forge.errors import Forbidden, Gone
from bot.forge.protocol import Forge
from bot.git.clone import File, Kind
from bot.git.store import SETTINGS
from bot.git.trust import distrust
from bot.lessons.store import LESSONS
from bot.settings.file import read as read_settings
from bot.texts import FilesReport, distrusted, files_broken
from bot.work import notes_check
from bot.work.places import Place
from webhooks.events import Event, PullRequestChanged, Pushed

log = logging.getLogger(__name__)

CHECK = "Lessonkeeper settings"
PROPOSED = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})


@dataclass(frozen=True, slots=True)
class SettingsCheck:
    """Keeps one check run of its own per head, neutral, updated in place."""

    def wait(self, event: Event) -> timedelta | None:
        match event:
            case PullRequestChanged(action=action) if action in PROPOSED:
                return timedelta(0)
            case Pushed(deleted=False, touches_us=True):
                return timedelta(0)
        return None

    def watch(self, event: Event, place: Place) -> None:
        match event:
            case PullRequestChanged():
                self._proposed(event, place.forge)
            case Pushed() if event.branch == place.repository.default_branch:
                error = _broken(place)
                if error is not None:
                    self.tell(place, error)
                else:
                    _tell_notes(place)

    def tell(self, place: Place, error: UserError) -> None:
        """Puts what stops every write on the default branch's head, where it is about our files."""
        if error.file not in (SETTINGS, LESSONS):
            return
        with place.branch() as branch:
            head = branch.head()
        if head is not None:
            _say(place.forge, head, (files_broken(error),))

    def _proposed(self, event: PullRequestChanged, forge: Forge) -> None:
        touched = {
            path
            for each in forge.pull_request_files(event.number).files
            for path in (each.path, each.previous)
        }
        head = event.head_sha
        reports = []
        if SETTINGS in touched:
            reports.append(settings_section(SETTINGS, forge.content(SETTINGS, head)))
        if LESSONS in touched:
            proposed = forge.content(LESSONS, head) or b""
            file = File(LESSONS, Kind.REGULAR, proposed, len(proposed))
            if reason := distrust(file):
                reports.append(distrusted(LESSONS, reason))
        notes = notes_check.proposed(forge, {path for path in touched if path}, head)
        reports += [notes] if notes is not None else []
        if reports and not _say(forge, head, tuple(reports)):
            forge.comment(event.number, _markdown(reports), key="settings")


def _tell_notes(place: Place) -> None:
    with place.branch() as branch:
        head = branch.head()
        report = notes_check.standing(branch.clone, head) if head is not None else None
    if head is not None and report is not None:
        _say(place.forge, head, (report,))


def _broken(place: Place) -> UserError | None:
    """What stops every write on the default branch as it is now."""
    with place.branch() as branch:
        head = branch.head()
        if head is None:
            return None
        files = branch.clone.read_many(head, [SETTINGS, LESSONS])
    for file in files.values():
        if reason := distrust(file):
            return UserError(f"it {reason}.", file=file.path, remedy="Repair it on this branch.")
    try:
        read_settings(files[SETTINGS].data, file=SETTINGS)
    except UserError as error:
        return error
    return None


def _say(forge: Forge, head: str, reports: tuple[FilesReport, ...]) -> bool:
    """Whether the App may say it there: the Checks permission can be missing."""
    more = [f"### {each.title}\n\n{each.summary}" for each in reports[1:]]
    check_run = CheckRun(
        external_id="settings",
        title=reports[0].title,
        summary="\n\n".join([reports[0].summary, *more]),
        text="\n\n".join(each.text for each in reports if each.text),
        name=CHECK,
    )
    try:
        forge.upsert_check_run(head, check_run)
    except (Forbidden, Gone) as error:
        log.info("the check run %r was not put on %s: %s", CHECK, head, error)
        return False
    return True


def _markdown(reports: list[FilesReport]) -> str:
    return "\n\n".join(f"**{each.title}**\n\n{each.summary}\n\n{each.text}" for each in reports)
