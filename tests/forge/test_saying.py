"""What we say on the forge: one check run per head, one comment per subject, a reaction."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.forge.app import App
from bot.forge.check_run import Action, CheckRun
from bot.forge.protocol import Forge, PullFile, Reaction
from bot.sandbox import records
from bot.sandbox.forge import SandboxForge
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.repository import SandboxRepository

KEEP = Action("Keep 1 of 2", "Keeps the first of them as a lesson", "keep:3f9a2c1d")


@pytest.fixture
def pull(shop: SandboxRepository) -> SandboxPullRequest:
    return shop.open_pull_request("bob", {"src/a.py": "a = 2\n"})


def test_a_check_run_is_completed_and_neutral_and_shows_its_buttons(
    forge: Forge, pull: SandboxPullRequest, shop: SandboxRepository
) -> None:
    made = forge.upsert_check_run(
        pull.head_sha, CheckRun("record-7", "1 finding", "Wait.", "More.", (KEEP,))
    )

    run = shop.check_runs[made]
    assert (run.name, run.head_sha, run.external_id) == ("Lessonkeeper", pull.head_sha, "record-7")
    assert (run.status, run.conclusion) == ("completed", "neutral")
    assert (run.title, run.summary, run.text) == ("1 finding", "Wait.", "More.")
    assert run.buttons == (records.Action(KEEP.label, KEEP.description, KEEP.identifier),)


def test_a_second_one_for_the_head_replaces_the_first(
    forge: Forge, pull: SandboxPullRequest, shop: SandboxRepository
) -> None:
    first = forge.upsert_check_run(
        pull.head_sha, CheckRun("r", "1 finding", "Wait.", "More.", (KEEP,))
    )
    second = forge.upsert_check_run(pull.head_sha, CheckRun("r", "Kept", "In 1a2b3c."))

    assert second == first
    assert list(shop.check_runs) == [first]
    run = shop.check_runs[first]
    assert (run.title, run.summary, run.text) == ("Kept", "In 1a2b3c.", None)
    assert run.buttons == ()


def test_another_head_gets_its_own(
    forge: Forge, pull: SandboxPullRequest, shop: SandboxRepository
) -> None:
    first = forge.upsert_check_run(pull.head_sha, CheckRun("r", "t", "s"))
    second = forge.upsert_check_run(pull.push("bob", {"b": "1\n"}), CheckRun("r", "t", "s"))

    assert first != second


def test_the_check_run_of_another_app_is_not_ours(
    forge: Forge,
    pull: SandboxPullRequest,
    shop: SandboxRepository,
    sandbox: SandboxForge,
) -> None:
    theirs = records.CheckRun(
        sandbox.next_id(), "Lessonkeeper", pull.head_sha, app=1, started_at=sandbox.clock()
    )
    shop.check_runs[theirs.id] = theirs

    made = forge.upsert_check_run(pull.head_sha, CheckRun("r", "Ours", "s"))

    assert made != theirs.id
    assert theirs.title is None


def test_a_comment_about_the_same_subject_is_updated_in_place(
    forge: Forge, pull: SandboxPullRequest, shop: SandboxRepository
) -> None:
    first = forge.comment(pull.number, "Kept one.", key="kept")
    other = forge.comment(pull.number, "Refused.", key="refused")
    again = forge.comment(pull.number, "Kept two.", key="kept")

    assert first == again != other
    assert shop.comments[first].body.startswith("Kept two.")
    assert shop.comments[first].user.login == "lessonkeeper[bot]"


def test_a_person_who_quotes_our_marker_is_not_overwritten(
    forge: Forge, pull: SandboxPullRequest, shop: SandboxRepository
) -> None:
    ours = forge.comment(pull.number, "Kept.", key="kept")
    quote = shop.comments[ours].body
    del shop.comments[ours]
    theirs = shop.comment(pull.number, "ada", quote)

    made = forge.comment(pull.number, "Kept anew.", key="kept")

    assert made != theirs
    assert shop.comments[theirs].body == quote


def test_a_reaction_is_given_once(
    forge: Forge, pull: SandboxPullRequest, shop: SandboxRepository
) -> None:
    comment = shop.comment(pull.number, "ada", "/lesson Wait for CI.")
    forge.react(comment, Reaction.THUMBS_UP)
    forge.react(comment, Reaction.THUMBS_UP)

    assert [content for _, content in shop.comments[comment].reactions] == ["+1"]


def test_the_files_of_a_pull_request_with_what_became_of_them(
    forge: Forge, shop: SandboxRepository
) -> None:
    body = "".join(f"line {n}\n" for n in range(30))
    shop.commit("acme", {"old.py": body, "gone.py": "1\n"})
    pull = shop.open_pull_request("bob", {"src/a.py": "a = 9\n", "gone.py": None, "old.py": None})
    pull.push("bob", {"new.py": body})

    found = forge.pull_request_files(pull.number)

    assert found.complete
    assert sorted(found.files, key=lambda file: file.path) == [
        PullFile("gone.py", "removed"),
        PullFile("new.py", "renamed", "old.py"),
        PullFile("src/a.py", "modified"),
    ]


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_the_commit_on_the_base_leads_back_to_its_pull_request(
    method: str, forge: Forge, pull: SandboxPullRequest
) -> None:
    merged = pull.merge("ada", method)

    assert forge.pull_requests_of_commit(merged) == (pull.number,)


def test_the_app_knows_itself_and_where_it_is_installed(
    app: App, sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    sandbox.create_repository("acme/other")
    sandbox.create_repository("zoe/away")
    (acme, zoe) = app.installations()

    assert [i.account.login for i in (acme, zoe)] == ["acme", "zoe"]
    assert app.repository_installation("acme/shop") == acme
    assert [r.full_name for r in app.repositories(acme.id)] == ["acme/shop", "acme/other"]
    assert app.bot(acme.id) == sandbox.app_account
    assert not acme.suspended


def test_an_account_is_found_by_its_present_login(forge: Forge, sandbox: SandboxForge) -> None:
    assert forge.account("ada") == sandbox.account("ada")
    assert forge.account("coderabbitai[bot]") is None
    sandbox.account("coderabbitai[bot]")
    bot = forge.account("coderabbitai[bot]")
    assert bot is not None
    assert bot.kind == "Bot"


def test_threads_share_one_app(app: App, sandbox: SandboxForge) -> None:
    names = [f"owner{number}/shop" for number in range(8)]
    homes = [sandbox.create_repository(name) for name in names]

    def read(home: SandboxRepository) -> str:
        assert home.installation is not None
        with app.forge(home.installation.id, home.full_name) as forge:
            return forge.repository().full_name

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(read, homes)) == names


def test_the_token_is_kept_until_it_nears_its_end(app: App, shop: SandboxRepository) -> None:
    assert shop.installation is not None
    token = app.installation_token(shop.installation.id)

    assert app.installation_token(shop.installation.id) == token
    assert app.installation_token(shop.installation.id, fresh=True) != token
