"""One repository of the sandbox forge and what people do in it; git is real."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bot.facts import Permission
from bot.sandbox import events, records, rules
from bot.sandbox.bare import EMPTY, Bare, Edit
from bot.sandbox.pull_request import Files, SandboxPullRequest

if TYPE_CHECKING:
    from bot.sandbox.forge import SandboxForge


class SandboxRepository:
    """Acts take the login of whoever acts. KeyError for numbers, ids and branches unknown here."""

    def __init__(
        self, forge: SandboxForge, number: int, name: str, *, private: bool, default_branch: str
    ) -> None:
        self.forge = forge
        self.id = number
        self.owner, self.name = name.split("/")
        self.default_branch = default_branch
        self.private = private
        self.archived = False
        self.fork = False
        self.installation: records.Installation | None = None
        self.permissions: dict[str, Permission] = {self.owner.lower(): Permission.ADMIN}
        self.pulls: dict[int, SandboxPullRequest] = {}
        self.issues: dict[int, records.Issue] = {}
        self.comments: dict[int, records.Comment] = {}
        self.check_runs: dict[int, records.CheckRun] = {}
        self.rules: list[rules.Rule] = []
        self.bare = Bare(forge.directory / self.git_path, default_branch)
        self._tips: dict[str, str] = {}

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def git_path(self) -> str:
        """Below the forge's directory, and below the URL that git is served at."""
        return f"{self.full_name}.git"

    @property
    def next_number(self) -> int:
        """Issues and pull requests are counted together."""
        return len(self.pulls) + len(self.issues) + 1

    def start(self, files: Mapping[str, str | bytes]) -> None:
        """The first commit, before anyone listens."""
        self.write(self.default_branch, self.owner, Edit(files, {}), [], "Initial commit")
        self._tips[self.default_branch] = self.tip()

    def tip(self, branch: str | None = None) -> str:
        sha = self.bare.sha(f"refs/heads/{branch or self.default_branch}")
        if sha is None:
            raise KeyError(branch)
        return sha

    def association(self, login: str) -> str:
        """GitHub's author_association, as far as a sandbox without organisations knows it."""
        if login.lower() == self.owner.lower():
            return "OWNER"
        return "COLLABORATOR" if login.lower() in self.permissions else "NONE"

    def set_permission(self, login: str, permission: Permission) -> None:
        self.forge.account(login)
        self.permissions[login.lower()] = permission

    def archive(self) -> None:
        self.archived = True
        self.forge.archived.add(self.git_path)
        events.repository(self, "archived")

    def unarchive(self) -> None:
        self.archived = False
        self.forge.archived.discard(self.git_path)
        events.repository(self, "unarchived")

    def rename(self, name: str) -> None:
        """Another name, or another owner's; the old name is redirected."""
        old = self.name
        self._move(name)
        events.repository(self, "renamed", changes={"repository": {"name": {"from": old}}})

    def transfer(self, owner: str, to: records.Installation | None) -> None:
        """Another owner's, where the App is installed as `to`; the old name is redirected."""
        old = self.forge.account(self.owner)
        self._move(f"{owner}/{self.name}")
        self.installation = to
        events.repository(
            self, "transferred", changes={"owner": {"from": {"user": {"login": old.login}}}}
        )

    def _move(self, name: str) -> None:
        self.forge.redirects[self.full_name.lower()] = self.id
        old = self.bare.path
        self.owner, self.name = name.split("/")
        self.bare.move(self.forge.directory / self.git_path)
        old.symlink_to(self.bare.path)

    def hide(self) -> None:
        self.private = True
        events.repository(self, "privatized")

    def make_default(self, branch: str) -> None:
        """A branch that stands where the default one does; the old one is left behind."""
        old, tip = self.default_branch, self.tip()
        self.bare.set_ref(f"refs/heads/{branch}", tip)
        self.default_branch, self._tips[branch] = branch, tip
        events.repository(self, "edited", changes={"default_branch": {"from": old}})

    def protect(
        self, rule: str, branches: str = "", *, classic: bool = False, **parameters: object
    ) -> None:
        """One more rule for branches of that pattern, by default the default branch."""
        pattern = branches or self.default_branch
        number = self.forge.next_id()
        self.rules.append(rules.Rule(rule, pattern, number, parameters, classic))
        rules.install(self.rules, self.bare.path, self.full_name)

    def unprotect(self) -> None:
        self.rules.clear()
        rules.install(self.rules, self.bare.path, self.full_name)

    def commit(
        self,
        by: str,
        files: Files | None = None,
        *,
        moves: Mapping[str, str] | None = None,
        message: str = "Change",
    ) -> str:
        """A commit pushed to the default branch; None deletes a file, `moves` maps old to new."""
        branch = self.default_branch
        sha = self.write(branch, by, Edit(files or {}, moves or {}), [self.tip()], message)
        self.notice_push(branch, by)
        return sha

    def open_pull_request(
        self,
        by: str,
        files: Files,
        *,
        branch: str = "",
        title: str = "Change",
        draft: bool = False,
        fork: bool = False,
    ) -> SandboxPullRequest:
        """A branch of one commit, proposed to the default branch; `fork`: in the author's fork."""
        pull = SandboxPullRequest(
            repository=self,
            id=self.forge.next_id(),
            number=self.next_number,
            title=title,
            user=self.forge.account(by),
            base=self.default_branch,
            base_sha=self.tip(),
            head=branch or f"topic-{self.next_number}",
            head_sha=self.tip(),
            created_at=self.forge.clock(),
            fork=self.forge.next_id() if fork else None,
            draft=draft,
        )
        self.pulls[pull.number] = pull
        pull.write(by, Edit(files, {}), [pull.base_sha], title)
        events.pull_request(pull, "opened", by)
        return pull

    def propose(
        self, by: str, branch: str, base: str, title: str, body: str, *, draft: bool
    ) -> SandboxPullRequest:
        """A pull request of a branch that is there."""
        head = self.tip(branch)
        pull = SandboxPullRequest(
            repository=self,
            id=self.forge.next_id(),
            number=self.next_number,
            title=title,
            user=self.forge.account(by),
            base=base,
            base_sha=self.tip(base),
            head=branch,
            head_sha=self.tip(base),
            created_at=self.forge.clock(),
            draft=draft,
            body=body,
        )
        self.bare.set_ref(f"refs/pull/{pull.number}/head", head)
        pull.stand_at(head)
        self.pulls[pull.number] = pull
        events.pull_request(pull, "opened", by)
        return pull

    def delete_branch(self, by: str, branch: str) -> None:
        """What was proposed from it is closed."""
        self.bare.delete_ref(f"refs/heads/{branch}")
        for pull in self.pulls.values():
            if pull.head == branch and pull.closed_at is None:
                pull.close(by)

    def commit_as_github(
        self, by: str, branch: str, expected: str, files: Files, message: str
    ) -> str | None:
        """A commit that GitHub signs, on the branch where it stands at `expected`; else None."""
        if self.tip(branch) != expected:
            return None
        made = "refs/sandbox/made"
        unsigned = self.write(branch, by, Edit(files, {}), [expected], message, ref=made)
        sha = self.bare.sign(unsigned)
        self.bare.delete_ref(made)
        self.bare.set_ref(f"refs/heads/{branch}", sha)
        self.notice_pushes_of_the_app()
        return sha

    def open_issue(
        self, by: str, title: str, body: str = "", *, app: int | None = None
    ) -> records.Issue:
        user, now = self.forge.account(by), self.forge.clock()
        made = records.Issue(
            self.forge.next_id(), self.next_number, user, title, body, now, app=app
        )
        self.issues[made.number] = made
        events.issue(self, "opened", made, by)
        return made

    def edit_issue(self, number: int, by: str, *, title: str = "", body: str | None = None) -> None:
        found = self.issues[number]
        before = {"title": found.title, "body": found.body}
        found.title = title or found.title
        found.body = found.body if body is None else body
        after = {"title": found.title, "body": found.body}
        changes = {key: {"from": old} for key, old in before.items() if old != after[key]}
        events.issue(self, "edited", found, by, changes=changes)

    def close_issue(self, number: int, by: str) -> None:
        found = self.issues[number]
        found.closed_at = self.forge.clock()
        events.issue(self, "closed", found, by)

    def reopen_issue(self, number: int, by: str) -> None:
        found = self.issues[number]
        found.closed_at = None
        events.issue(self, "reopened", found, by)

    def comment(self, number: int, by: str, body: str, *, app: int | None = None) -> int:
        """A conversation comment on an issue or pull request; its id."""
        now = self.forge.clock()
        user = self.forge.account(by)
        made = records.Comment(self.forge.next_id(), number, user, body, now, now, app)
        self.comments[made.id] = made
        events.issue_comment(self, "created", made)
        return made.id

    def edit_comment(self, comment: int, body: str) -> None:
        found = self.comments[comment]
        found.body, found.updated_at = body, self.forge.clock()
        events.issue_comment(self, "edited", found)

    def press(self, check_run: int, identifier: str, by: str) -> None:
        """A press on a button that is shown; ValueError for one that is not."""
        found = self.check_runs[check_run]
        if identifier not in [action.identifier for action in found.buttons]:
            raise ValueError(f"no such button: {identifier}")
        events.requested_action(self, found, identifier, by)

    def write(
        self, branch: str, by: str, edit: Edit, parents: list[str], message: str, ref: str = ""
    ) -> str:
        """A commit on the branch, or on `ref`, of which no one is told; its object id."""
        account = self.forge.account(by)
        email = f"{account.id}+{account.login}@users.noreply.github.com"
        return self.bare.commit(
            ref or f"refs/heads/{branch}",
            edit,
            parents=parents,
            message=message,
            author=(account.login, email),
            at=self.forge.clock(),
        )

    def differences(self, before: str, after: str) -> Edit:
        """What makes the one commit's tree the other's."""
        changes = self.bare.changes(before, after)
        return Edit(
            {c.path: None if c.status == "D" else self.bare.read(after, c.path) for c in changes},
            {},
        )

    def notice_push(self, branch: str, by: str) -> None:
        """Sends the webhook for whatever reached the branch since the last one."""
        before, after = self._tips.get(branch, EMPTY), self.tip(branch)
        if before != after:
            self._tips[branch] = after
            events.push(self, branch, before, after, by)

    def notice_pushes_of_the_app(self) -> None:
        """What came over git: nobody but the App pushes that way here."""
        self.notice_push(self.default_branch, self.forge.app_account.login)
        for pull in self.pulls.values():
            if pull.user == self.forge.app_account:
                pull.notice_push(self.forge.app_account.login)
