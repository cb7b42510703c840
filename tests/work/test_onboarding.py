"""The onboarding pull request: opened once where the App comes, and nothing is written before."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from datetime import timedelta

import pytest

from bot.demo.stage import Stage
from bot.facts import Permission
from bot.sandbox.pull_request import Inline, SandboxPullRequest
from bot.sandbox.records import Issue
from bot.sandbox.repository import SandboxRepository
from bot.settings import Reviewer, Settings
from bot.settings.file import read
from bot.work.onboarding import BRANCH
from tests.work.estate import Estate

_OWNERS = itertools.count(1)

SETTINGS = ".github/lessonkeeper.yml"
SESSION = "Close the database session of `src/db.py` in a `finally` block, on every path."
CURSOR = "Never keep the cursor of `src/cursor.py` open while another cursor is waiting."


def make(playing: Stage, name: str, files: Mapping[str, str] | None = None) -> SandboxRepository:
    """A repository that the bot has not heard of."""
    made = playing.forge.create_repository(name, {"src/db.py": "a = 1\n", **(files or {})})
    for login in ("ada", "ben", "cleo"):
        made.set_permission(login, Permission.WRITE)
    return made


def make_estate(playing: Stage, settings: str | None = None) -> Estate:
    owner = f"newcomer-{next(_OWNERS)}"
    files = {SETTINGS: settings} if settings is not None else {}
    return Estate(playing, owner, make(playing, f"{owner}/shop", files))


@pytest.fixture
def estate(playing: Stage) -> Estate:
    """A repository where the App is installed and no settings are; nothing is delivered yet."""
    return make_estate(playing)


def onboarding(repository: SandboxRepository) -> SandboxPullRequest | None:
    found = [p for p in repository.pulls.values() if p.head == BRANCH]
    assert len(found) <= 1
    return found[0] if found else None


def opened(estate: Estate) -> SandboxPullRequest:
    found = onboarding(estate.shop)
    assert found is not None
    return found


def merged(
    repository: SandboxRepository, author: str = "ben", reviewer: str = "ada", text: str = SESSION
) -> None:
    pull = repository.open_pull_request(author, {"src/db.py": f"{len(repository.pulls)}\n"})
    pull.review(reviewer, "changes_requested", "", [Inline("src/db.py", text, 1)])
    pull.resolve_thread(next(iter(pull.comments)), "ben")
    pull.merge("cleo")


def install(estate: Estate) -> None:
    """The deliveries of all that was before the App came are lost; that of its coming is not."""
    estate.stage.forge.take_deliveries()
    estate.stage.forge.add(estate.shop, estate.installation)
    estate.settle()


def proposed(pull: SandboxPullRequest) -> Settings:
    return read(pull.repository.bare.read(pull.head_sha, SETTINGS))


def subjects(pull: SandboxPullRequest) -> list[str]:
    commits = pull.repository.bare.commits(f"{pull.base_sha}..{pull.head_sha}")
    return [commit.message.splitlines()[0] for commit in commits]


def test_installing_opens_one_pull_request_and_writes_nowhere_else(estate: Estate) -> None:
    tip = estate.shop.tip()
    install(estate)
    pull = opened(estate)
    assert (pull.title, pull.draft, pull.closed_at) == ("Set up Lessonkeeper", False, None)
    assert subjects(pull) == ["chore(lessons): set up Lessonkeeper"]
    files = set(estate.shop.bare.paths(pull.head_sha)) - set(estate.shop.bare.paths(tip))
    assert files == {
        SETTINGS, "AGENTS.md", ".agent-corp/.gitattributes", ".agent-corp/known-pitfalls.md",
        ".agent-corp/lessons.md",
    }  # fmt: skip
    assert proposed(pull) == Settings()
    assert estate.shop.tip() == tip


def test_the_settings_hold_who_was_seen_and_the_text_what_each_would_have_given(
    estate: Estate,
) -> None:
    for _ in range(3):
        merged(estate.shop, "agent[bot]", "rabbit[bot]", CURSOR)
        merged(estate.shop, "dependabot[bot]", "ada", SESSION)
    for _ in range(2):
        merged(estate.shop, "guest[bot]", "owl[bot]")
    install(estate)
    pull = opened(estate)
    found = proposed(pull)
    assert found.reviewers == (Reviewer("rabbit[bot]"),)
    assert found.agents == ("agent[bot]",)
    assert found.mode == "auto"
    assert "In the last 8 merged pull requests:" in pull.body
    assert "| `rabbit[bot]` | 3 | 3 |" in pull.body
    assert "| people with write access | | 3 |" in pull.body
    assert "`agent[bot]` (opened 3)" in pull.body


def test_rules_of_the_branch_decide_the_mode(estate: Estate) -> None:
    estate.shop.protect("pull_request")
    install(estate)
    assert proposed(opened(estate)).mode == "pull_request"
    assert "`mode: pull_request`" in opened(estate).body


def test_commits_are_signed_where_rules_want_it(estate: Estate) -> None:
    merged(estate.shop)
    estate.shop.protect("required_signatures", "*")
    install(estate)
    pull = opened(estate)
    assert len(subjects(pull)) == 2
    assert all(estate.shop.bare.is_signed(commit) for commit in pull.commits)


def issue(estate: Estate) -> Issue:
    (found,) = estate.shop.issues.values()
    return found


def test_what_is_not_let_in_is_said_in_an_issue_with_its_remedy(estate: Estate) -> None:
    estate.shop.protect("update", "lessonkeeper/*")
    install(estate)
    assert onboarding(estate.shop) is None
    assert issue(estate).title == "Lessonkeeper could not open its first pull request here"
    assert issue(estate).user == estate.stage.forge.app_account
    assert "Cannot update this protected ref." in issue(estate).body
    assert "bypass list" in issue(estate).body
    assert "`version: 1`" in issue(estate).body

    estate.stage.server.round()
    estate.settle()
    assert issue(estate).closed_at is None


def test_it_is_closed_once_the_pull_request_is_let_in(estate: Estate) -> None:
    estate.shop.protect("update", "lessonkeeper/*")
    install(estate)
    installation = estate.installation
    estate.shop.unprotect()
    estate.stage.forge.remove(estate.shop)
    estate.settle()
    estate.stage.forge.add(estate.shop, installation)
    estate.settle()
    assert opened(estate).closed_at is None
    assert issue(estate).closed_at is not None


def test_it_is_closed_once_somebody_writes_settings_by_hand(estate: Estate) -> None:
    estate.shop.protect("update", "lessonkeeper/*")
    install(estate)
    estate.shop.commit("ada", {SETTINGS: "version: 1\n"})
    estate.settle()
    assert issue(estate).closed_at is not None
    assert onboarding(estate.shop) is None


def test_a_missing_permission_is_said_too_and_where_nothing_can_be_said_it_goes_on(
    estate: Estate,
) -> None:
    github, name = estate.stage.github, estate.shop.full_name
    lacks = "Resource not accessible by integration"
    github.fail_next("POST", f"/repos/{name}/pulls", 403, message=lacks)
    install(estate)
    assert f"GitHub refuses: {lacks}." in issue(estate).body

    other = make_estate(estate.stage)
    name = other.shop.full_name
    github.fail_next("POST", f"/repos/{name}/pulls", 403, message=lacks)
    github.fail_next("POST", f"/repos/{name}/issues", 403, message=lacks)
    install(other)
    assert other.shop.issues == {}


def test_the_starter_store_is_a_commit_of_its_own_from_ninety_days(estate: Estate) -> None:
    merged(estate.shop, text=CURSOR)
    estate.stage.clock.move(timedelta(days=91))
    merged(estate.shop)
    install(estate)
    pull = opened(estate)
    assert subjects(pull) == [
        "chore(lessons): set up Lessonkeeper",
        "chore(lessons): 1 appended from #2",
    ]
    text = estate.shop.bare.read(pull.head_sha, ".agent-corp/lessons.md").decode()
    assert text.count("\n- ") == 1
    assert "session" in text
    assert "a starter store: 1 lesson of the last 90 days" in pull.body


def test_the_starter_store_holds_twenty_at_most(estate: Estate) -> None:
    for number in range(11):
        for thing in ("lock", "cache"):
            path = f"src/{thing}_{number}.py"
            text = f"Never keep the {thing} of `{path}` open while worker {number} is waiting."
            merged(estate.shop, text=text)
    install(estate)
    text = estate.shop.bare.read(opened(estate).head_sha, ".agent-corp/lessons.md").decode()
    assert text.count("\n- ") == 20


def test_closed_unmerged_means_no_for_ever(estate: Estate) -> None:
    install(estate)
    opened(estate).close("ada")
    estate.settle()
    estate.stage.server.presence.reconcile()
    install(estate)
    assert onboarding(estate.shop) is opened(estate)
    assert opened(estate).closed_at is not None


def test_not_even_when_the_app_leaves_and_comes_again(estate: Estate) -> None:
    install(estate)
    opened(estate).close("ada")
    installation = estate.installation
    estate.stage.forge.remove(estate.shop)
    estate.settle()
    assert estate.stage.server.arrivals.behind(estate.shop.id) is None  # forgotten
    estate.stage.forge.add(estate.shop, installation)
    estate.settle()
    assert estate.stage.server.arrivals.behind(estate.shop.id) is not None
    assert opened(estate).closed_at is not None


def test_reviews_since_the_installation_are_read_when_it_is_merged(estate: Estate) -> None:
    install(estate)
    estate.review("cursor")
    estate.settle()
    assert estate.subjects() == []
    opened(estate).merge("cleo")
    estate.settle()
    assert [s for s in estate.subjects() if "appended" in s] == [
        "chore(lessons): 1 appended from #2"
    ]


def test_settings_that_are_there_are_an_answer(playing: Stage) -> None:
    estate = make_estate(playing, "people: weak\n")
    install(estate)
    assert onboarding(estate.shop) is None
    broken = make_estate(playing, "nonsense: true\n")
    install(broken)
    assert onboarding(broken.shop) is None


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_the_owners_file_answers_for_all_of_them(playing: Stage, enabled: str) -> None:
    estate = make_estate(playing)
    make(playing, f"{estate.owner}/.github", {SETTINGS: f"enabled: {enabled}\n"})
    install(estate)
    assert onboarding(estate.shop) is None


def test_what_the_owners_file_sets_is_kept_in_the_proposal(playing: Stage) -> None:
    estate = make_estate(playing)
    make(playing, f"{estate.owner}/.github", {SETTINGS: "people: strong\n"})
    install(estate)
    assert proposed(opened(estate)).people == "strong"


def test_forks_and_archived_repositories_get_none(estate: Estate) -> None:
    estate.shop.fork = True
    install(estate)
    assert onboarding(estate.shop) is None
    estate.shop.fork = False
    estate.shop.archive()
    install(estate)
    assert onboarding(estate.shop) is None


def test_of_many_repositories_only_living_ones_are_asked_and_five_a_day(playing: Stage) -> None:
    estate = make_estate(playing)
    alive = [make(playing, f"{estate.owner}/alive-{n}") for n in range(6)]
    quiet = make(playing, f"{estate.owner}/quiet")
    merged(quiet)
    playing.clock.move(timedelta(days=31))
    for each in alive:
        merged(each)
    install(estate)
    asked = [each for each in alive if onboarding(each) is not None]
    assert len(asked) == 5
    assert onboarding(quiet) is None
    assert onboarding(estate.shop) is None
    playing.clock.move(timedelta(days=1))
    estate.settle()
    assert all(onboarding(each) is not None for each in alive)


def test_a_limit_in_the_middle_costs_no_second_reading(estate: Estate) -> None:
    for _ in range(2):
        merged(estate.shop)
    second = f"/repos/{estate.shop.full_name}/pulls/2"
    github = estate.stage.github
    github.fail_next("GET", second, 403, message="rate limit", headers={"retry-after": "1"})
    install(estate)
    assert onboarding(estate.shop) is None
    estate.stage.clock.move(timedelta(minutes=10))
    estate.settle()
    assert opened(estate)
    assert github.count("GET", f"/repos/{estate.shop.full_name}/pulls/1") == 1
