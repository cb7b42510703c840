"""What `doctor` makes of the facts: one check each, with what to do about it.

Pure: facts in, checks out. `bot.work.examination` gathers the facts.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from bot.channels.alarms import Name
from bot.credentials import Credentials
from bot.environment import VARIABLES, Environment, nearest
from bot.errors import Fault, UserError
from bot.forge.app import PERMISSIONS
from bot.forge.deliveries import Sent
from bot.forge.errors import Unauthorized
from bot.forge.manifest import EVENTS, WEBHOOK
from bot.forge.survey import Grant, Guard, Registered, Rule, Webhook
from bot.inbox import Status
from bot.invocation import command
from bot.work.alarms import Raised

SKEW = timedelta(seconds=30)  # a JWT is dated a minute back: half of that is used up
GIT = (2, 31)  # the first that takes its configuration from the environment
WATCHED = 20  # of the newest deliveries: an old outage is over
LATE = timedelta(minutes=10)  # no worker lets due work wait that long


@dataclass(frozen=True, slots=True)
class Check:
    """`ok` None: nothing is wrong, or it could not be seen, but the operator should know.

    `said` is what was found, `remedy` what to do about it.
    """

    name: str
    ok: bool | None
    said: str
    remedy: str = ""

    def __str__(self) -> str:
        mark = {True: "ok", False: "NO", None: "--"}[self.ok]
        line = f"{mark}  {self.name}: {self.said}"
        return f"{line}\n      -> {self.remedy}" if self.remedy else line

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def refused(name: str, error: UserError | Fault) -> Check:
    """A check that ended in an error."""
    match error:
        case UserError():
            place = f"{error.file}: " if error.file else ""
            return Check(name, False, place + error.message, error.remedy)
        case Unauthorized() if "clock" in str(error):
            return Check(name, False, str(error), "Let this machine keep its time by NTP.")
        case Unauthorized():
            remedy = "See that App id and private key belong together; the App's page makes a new."
            return Check(name, False, str(error), remedy)
    return Check(name, False, str(error), "Try again later; see that this machine gets there.")


# --- this machine ----------------------------------------------------------------------------


def misspelt(environment: Environment) -> Iterator[Check]:
    for name in environment.unknown:
        meant = nearest(name)
        remedy = f"Did you mean {meant}?" if meant else "Remove it."
        yield Check(name, False, "no such variable is read", remedy)


def variables(environment: Environment) -> Iterator[Check]:
    """Each variable with what it is for and what it is set to; no secret is shown."""
    for name, variable in VARIABLES.items():
        given = environment.given.get(name)
        state = f"not set: {variable.unset}" if given is None else f"set: {given}"
        yield Check(name, True, f"{state} ({variable.help})")


def git(words: str | None) -> Check:
    """`words` is what `git version` says; None where there is no git."""
    least = f"{GIT[0]}.{GIT[1]}"
    found = re.search(r"(\d+)\.(\d+)", words or "")
    if words is None or found is None:
        return Check("git", False, "not found", f"Install git {least} or newer.")
    if (int(found[1]), int(found[2])) < GIT:
        return Check("git", False, words, f"Install git {least} or newer.")
    return Check("git", True, words)


def privacy(path: Path, mode: int) -> Check:
    """Whether a folder or file of secrets, with that mode, is for its owner alone."""
    wanted = 0o700 if stat.S_ISDIR(mode) else 0o600
    found = stat.S_IMODE(mode)
    if found & 0o077:
        said = f"mode {found:04o}: others on this machine may look into it"
        return Check(str(path), False, said, f"chmod {wanted:o} {path}")
    return Check(str(path), True, f"mode {found:04o}")


def clock(skew: timedelta) -> Check:
    """`skew` is how far this machine is ahead of GitHub."""
    seconds = round(skew.total_seconds())
    said = f"{abs(seconds)} s {'ahead of' if seconds >= 0 else 'behind'} GitHub's"
    if abs(skew) > SKEW:
        remedy = "Check the clock of this machine; let it keep its time by NTP."
        return Check("clock", False, said, remedy)
    return Check("clock", True, said)


def inbox(counts: Mapping[Status, int], due: datetime | None, now: datetime) -> Iterator[Check]:
    """`due` is since when the oldest waiting delivery could be worked on."""
    waiting = counts[Status.RECEIVED] + counts[Status.HANDED]
    if due is not None and now - due > LATE:
        minutes = int((now - due).total_seconds()) // 60
        said = f"{waiting} waiting, the oldest for {minutes} minutes"
        yield Check("inbox", False, said, f"See that `{command('serve')}` runs on this data.")
    else:
        yield Check("inbox", True, f"{waiting} waiting, {counts[Status.DONE]} done")
    if counts[Status.FAILED]:
        said = f"{counts[Status.FAILED]} failed"
        remedy = f"The log says why; `{command('replay GUID')}` tries one again."
        yield Check("failed deliveries", False, said, remedy)
    if counts[Status.PARKED]:
        said = f"{counts[Status.PARKED]} wait for a person"
        yield Check("parked deliveries", None, said, "The dashboard says for what.")


def alarms(found: Sequence[Raised]) -> Iterator[Check]:
    """Those that ring; what they say of deliveries is checked by itself."""
    own = (Name.DELIVERIES_FAILED, Name.DELIVERIES_WAIT)
    ringing = [row for row in found if row.alarm.name not in own]
    for row in ringing:
        name = f"{row.full_name}: {row.alarm.name}" if row.full_name else row.alarm.name.value
        since = f"{row.alarm.reason}, since {row.raised_at:%Y-%m-%d %H:%M} UTC"
        yield Check(name, False, since, row.alarm.remedy)
    if not ringing:
        yield Check("alarms", True, "none rings")


# --- the App ---------------------------------------------------------------------------------


def app(found: Registered) -> Iterator[Check]:
    """The App as its owner configured it."""
    yield Check("App", True, f"{found.slug} ({found.id})")
    settings = f"{found.html_url} -> App settings -> Permissions & events"
    lacking = _lacking(found.permissions)
    if lacking:
        yield Check("permissions", False, f"the App does not ask for {lacking}", f"Add: {settings}")
    missing = sorted(set(EVENTS) - found.events)
    if missing:
        said = f"the App does not hear {', '.join(missing)}"
        yield Check("events", False, said, f"Subscribe: {settings}")
    if not lacking and not missing:
        yield Check("permissions", True, "all that are needed are asked for")


def grants(found: Sequence[Grant], app: Registered) -> Iterator[Check]:
    """What the installations granted of what the App needs."""
    if not found:
        remedy = f"Install it: {app.html_url}/installations/new"
        yield Check("installations", None, "the App is installed nowhere", remedy)
    for grant in found:
        name = f"installation on {grant.account}"
        lacking = _lacking(grant.permissions)
        if grant.suspended:
            remedy = f"Unsuspend it to go on: {grant.html_url}"
            yield Check(name, None, "suspended: nothing is done there", remedy)
        elif lacking:
            remedy = f"Let {grant.account} accept the new permissions: {grant.html_url}"
            yield Check(name, False, f"not granted: {lacking}", remedy)
        else:
            yield Check(name, True, "all that is needed is granted")


def _lacking(permissions: Mapping[str, str]) -> str:
    enough = {"read": ("read", "write", "admin"), "write": ("write", "admin")}
    return ", ".join(
        f"{name}: {level}"
        for name, level in PERMISSIONS.items()
        if permissions.get(name) not in enough[level]
    )


def secrets(found: Credentials, url: str | None) -> Check:
    match len(found.webhook_secrets):
        case 0 if url is not None:
            remedy = "Set LESSONKEEPER_WEBHOOK_SECRETS, and the same at the App's webhook."
            return Check("webhook secret", False, "none: no delivery can be verified", remedy)
        case 0 | 1:
            return Check("webhook secret", True, "one" if found.webhook_secrets else "none needed")
        case number:
            remedy = "Once GitHub uses the first, drop the others."
            return Check("webhook secret", None, f"{number}: it is being changed", remedy)


def webhook(found: Webhook, url: str | None) -> Check:
    """`url` is the public address of the server."""
    name = "webhook"
    if url is None:
        said = "this server has no public address; GitHub's list of deliveries is read"
        return Check(name, None, said, "Run `serve --poll`, or set LESSONKEEPER_URL.")
    wanted = f"{url}{WEBHOOK}"
    if found.url.rstrip("/") != wanted:
        shown = urlsplit(found.url)._replace(query="").geturl() or "nothing"
        said = f"GitHub sends to {shown}"
        return Check(name, False, said, f"Set the App's webhook URL to {wanted}")
    if found.content_type != "json":
        remedy = "Set the content type of the App's webhook to application/json."
        return Check(name, False, "deliveries come as forms", remedy)
    if not found.verifies:
        return Check(
            name, False, "GitHub does not check the certificate", "Enable SSL verification."
        )
    return Check(name, True, f"GitHub sends to {wanted}")


def sign_in(found: Credentials, app: Registered, url: str | None) -> Check:
    """Which callback URLs an App has, GitHub tells nobody, not even the App."""
    name = "sign-in"
    if not (found.client_id and found.client_secret):
        said = "none: an App that was given by hand has no secret to sign people in with"
        return Check(name, None, said, f"`{command('serve')}` prints a link for this machine.")
    if url is None:
        return Check(name, True, "on this machine, at any port")
    said = f"GitHub sends people back to {url}/auth/callback only if the App names it"
    where = f"{app.html_url} -> App settings -> General -> Callback URL"
    return Check(name, None, said, f"GitHub does not tell; see that it stands there: {where}")


def deliveries(found: Sequence[Sent], url: str | None) -> Check:
    """`found` newest first. Without a public address all of them fail, and rightly so."""
    name = "deliveries"
    if not found:
        return Check(name, None, "GitHub has sent none yet", "Open a pull request to see one.")
    newest, failed = found[0], sum(not sent.arrived for sent in found[:WATCHED])
    last = f"last {newest.event} at {newest.at:%Y-%m-%d %H:%M} UTC"
    if url is None:
        return Check(name, True, f"{last}, listed")
    if not newest.arrived:
        said = f"{last} did not arrive: {newest.status}"
        remedy = f"See that {url}{WEBHOOK} is reached from outside and `serve` runs behind it."
        return Check(name, False, said, remedy)
    if failed:
        said = f"{last} arrived; of the newest {min(len(found), WATCHED)} {failed} did not"
        return Check(name, None, said, "`serve` fetches what it missed, up to three days back.")
    return Check(name, True, f"{last} arrived")


# --- the repositories ------------------------------------------------------------------------

# Rules that refuse a direct commit, or may do so, in the words of GitHub's pages.
_HINDERING = {
    "pull_request": "require a pull request",
    "update": "restrict updates",
    "required_status_checks": "require status checks",
    "merge_queue": "require a merge queue",
    "required_deployments": "require deployments",
    "workflows": "require workflows",
    "code_scanning": "require code scanning",
    "commit_message_pattern": "restrict commit messages",
    "commit_author_email_pattern": "restrict author emails",
    "committer_email_pattern": "restrict committer emails",
    "file_path_restriction": "restrict file paths",
    "file_extension_restriction": "restrict file extensions",
}


def branch(repository: str, branch: str, guard: Guard, slug: str, web: str) -> Check:
    """Whether commits may go on the default branch directly, and which bypass lets them."""
    name = f"{repository} {branch}"
    hindering = [rule for rule in guard.rules if rule.type in _HINDERING]
    if hindering:
        words = ", ".join(dict.fromkeys(_HINDERING[rule.type] for rule in hindering))
        places = ", ".join(dict.fromkeys(_page(rule, web) for rule in hindering))
        return Check(
            name,
            None,
            f"rulesets {words}: lessons come by pull request",
            f"For direct commits add {slug} to the bypass list of {places}",
        )
    if guard.protected and not guard.rules:
        page = f"{web}/{repository}/settings/branches"
        said = "protected by a rule that Apps cannot read: lessons may have to come by pull request"
        return Check(name, None, said, f"For direct commits let {slug} bypass it: {page}")
    if any(rule.type == "required_signatures" for rule in guard.rules):
        return Check(name, True, "commits are signed by GitHub, as its rules require")
    return Check(name, True, "takes direct commits")


def _page(rule: Rule, web: str) -> str:
    owner = f"organizations/{rule.source}" if rule.of_organization else rule.source
    return f"{web}/{owner}/settings/rules/{rule.ruleset}"


def model(wanted_by: Collection[str], key: bool) -> Check:
    """`wanted_by` are the repositories whose settings say `distiller: claude`."""
    if wanted_by and not key:
        said = f"no key, but {', '.join(sorted(wanted_by))} want Claude: their reviews wait"
        return Check("model", False, said, "Set ANTHROPIC_API_KEY.")
    if wanted_by:
        return Check("model", True, f"Claude for {', '.join(sorted(wanted_by))}")
    return Check("model", True, "offline everywhere that was looked at")
