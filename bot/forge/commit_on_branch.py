"""A plan becomes a commit through the API: GitHub makes, signs and shows it as Verified.

The author is the App, and no other can be given. The expected head is compared by GitHub itself.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from bot.errors import Fault
from bot.facts import Repository
from bot.forge.connection import Connection
from bot.forge.errors import Archived, Forbidden, Gone, Invalid, RateLimited, Unauthorized
from bot.git.plan import Outcome, Plan, Published

COMMIT = """
mutation Commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}
"""
STALE = "STALE_DATA"  # GitHub's type of an error for an expected head that is none


@dataclass(frozen=True, slots=True)
class CommitOnBranch:
    """Publishes by `createCommitOnBranch`. The branch must be there: a plan needs a head."""

    connection: Connection
    repository: Repository

    def publish(self, plan: Plan) -> Published:
        """One mutation, and a question to GitHub where its answer was lost. Raises RateLimited."""
        if plan.head is None:
            return Published(Outcome.GONE, detail=f"there is no branch {plan.branch}")
        try:
            answer = self.connection.graphql(COMMIT, {"input": self._input(plan, plan.head)})
        except Invalid as refused:
            return Published(_outcome(refused), detail=refused.message)
        except Forbidden as refused:
            return Published(Outcome.REFUSED, detail=refused.message)
        except (Gone, Archived) as gone:
            return Published(Outcome.GONE, detail=gone.message)
        except Unauthorized as refused:
            return Published(Outcome.CREDENTIALS, detail=str(refused))
        except RateLimited:
            raise
        except Fault as fault:
            return self._asked(plan, Published(Outcome.UNKNOWN, detail=str(fault)))
        return Published(Outcome.LANDED, str(answer["createCommitOnBranch"]["commit"]["oid"]))

    def _input(self, plan: Plan, head: str) -> dict[str, object]:
        headline, _, body = plan.message.partition("\n")
        changes = sorted(plan.changes.items())
        return {
            "branch": {
                "repositoryNameWithOwner": self.repository.full_name,
                "branchName": plan.branch,
            },
            "expectedHeadOid": head,
            "message": {"headline": headline, "body": body.strip("\n")},
            "fileChanges": {
                "additions": [
                    {"path": path, "contents": base64.b64encode(data).decode()}
                    for path, data in changes
                    if data is not None
                ],
                "deletions": [{"path": path} for path, data in changes if data is None],
            },
        }

    def _asked(self, plan: Plan, published: Published) -> Published:
        """`published`, unless the branch holds a commit made of this plan: then it landed."""
        path = f"/repos/{self.repository.full_name}/commits"
        headline = plan.message.partition("\n")[0]
        try:
            for row in self.connection.pages(path, sha=plan.branch):
                if row["sha"] == plan.head:
                    break
                said = row["commit"]["message"].partition("\n")[0]
                if said == headline and [p["sha"] for p in row["parents"]] == [plan.head]:
                    return Published(Outcome.LANDED, row["sha"])
        except Fault:
            return published
        return published


def _outcome(refused: Invalid) -> Outcome:
    if STALE in refused.types:
        return Outcome.BEHIND
    return Outcome.GONE if "archived" in refused.message else Outcome.REFUSED
