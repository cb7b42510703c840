"""What GitHub refuses, told apart: what a person mends, what is tried again, and when."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from bot.errors import Fault, UserError
from bot.facts import Permission
from bot.forge.app import App
from bot.forge.check_run import CheckRun
from bot.forge.errors import Archived, Forbidden, Gone, RateLimited, Suspended, Unauthorized
from bot.forge.protocol import Forge, Reaction
from bot.sandbox.forge import SandboxForge
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.server import SandboxServer

SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)


def installation_of(repository: SandboxRepository) -> int:
    assert repository.installation is not None
    return repository.installation.id


def test_a_suspended_installation_is_told_apart_and_works_again_later(
    app: App, sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    assert shop.installation is not None
    sandbox.suspend(shop.installation)
    with pytest.raises(Suspended, match="suspended") as refused:
        app.installation_token(shop.installation.id)
    assert isinstance(refused.value, UserError)
    assert app.installation(shop.installation.id).suspended

    sandbox.unsuspend(shop.installation)
    with app.forge(shop.installation.id, "acme/shop") as forge:
        assert forge.repository().id == shop.id


def test_an_installation_suspended_between_two_requests(
    app: App, sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    assert shop.installation is not None
    with app.forge(shop.installation.id, "acme/shop") as forge:
        forge.repository()
        sandbox.suspend(shop.installation)
        with pytest.raises(Suspended):
            forge.permission("ada")


def test_an_uninstalled_app_finds_nothing(
    app: App, sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    assert shop.installation is not None
    gone = shop.installation
    sandbox.uninstall(gone)

    with pytest.raises(Gone):
        app.installation_token(gone.id)
    with pytest.raises(Gone):
        app.repository_installation("acme/shop")


def test_an_unknown_pull_request_is_gone(forge: Forge) -> None:
    with pytest.raises(Gone, match="Not Found"):
        forge.pull_request_facts(99)


def test_an_archived_repository_is_read_but_not_written(
    forge: Forge, shop: SandboxRepository
) -> None:
    pull = shop.open_pull_request("bob", {"a": "1\n"})
    shop.archive()

    assert forge.repository().archived
    assert forge.pull_request_facts(pull.number).pull.open
    with pytest.raises(Archived):
        forge.comment(pull.number, "Hello.", key="k")


def test_a_missing_permission_is_not_tried_again(
    forge: Forge, server: SandboxServer, shop: SandboxRepository
) -> None:
    server.fail_next(
        "GET", "/repos/acme/shop", 403, message="Resource not accessible by integration"
    )

    with pytest.raises(Forbidden, match="Resource not accessible") as refused:
        forge.repository()

    assert isinstance(refused.value, UserError)
    assert server.count("GET", "/repos/acme/shop") == 1


def test_a_permission_that_was_not_granted_costs_what_needs_it_and_nothing_else(
    app: App, sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    assert shop.installation is not None
    del shop.installation.permissions["checks"]
    shop.installation.permissions["issues"] = "read"

    app.installation_token(shop.installation.id, fresh=True)
    with app.forge(shop.installation.id, shop.full_name) as forge:
        assert forge.repository().id == shop.id
        with pytest.raises(Forbidden):
            forge.upsert_check_run(shop.tip(), CheckRun("pull:1", "t", "s"))


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize(("headers", "pause"), [({"Retry-After": "30"}, 30.0), ({}, 60.0)])
def test_a_secondary_limit_names_the_pause_and_is_not_waited_for(
    status: int,
    headers: dict[str, str],
    pause: float,
    forge: Forge,
    server: SandboxServer,
) -> None:
    server.fail_next("GET", "/repos/acme/shop", status, message=SECONDARY, headers=headers)

    with pytest.raises(RateLimited) as limited:
        forge.repository()

    assert limited.value.retry
    assert limited.value.retry_after == pause
    assert server.count("GET", "/repos/acme/shop") == 1


def test_a_limit_on_writes_is_not_tried_again_here(
    forge: Forge, server: SandboxServer, shop: SandboxRepository
) -> None:
    pull = shop.open_pull_request("bob", {"a": "1\n"})
    server.fail_next("POST", "*/comments", 403, message=SECONDARY, headers={"Retry-After": "7"})

    with pytest.raises(RateLimited) as limited:
        forge.comment(pull.number, "Hello.", key="k")

    assert limited.value.retry_after == 7.0
    assert server.count("POST", "*/comments") == 1


def test_the_primary_limit_ends_when_github_says(forge: Forge, server: SandboxServer) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 1800)}
    message = "API rate limit exceeded for installation ID 1."
    server.fail_next("GET", "/repos/acme/shop", 403, message=message, headers=headers)

    with pytest.raises(RateLimited) as limited:
        forge.repository()

    assert limited.value.retry_after is not None
    assert 1700 < limited.value.retry_after <= 1800


def test_a_read_survives_a_bad_gateway(forge: Forge, server: SandboxServer) -> None:
    server.fail_next("GET", "/repos/acme/shop", 502, times=2)

    assert forge.repository().full_name == "acme/shop"
    assert server.count("GET", "/repos/acme/shop") == 3


def test_a_read_that_keeps_failing_is_a_fault_to_be_tried_again(
    forge: Forge, server: SandboxServer
) -> None:
    server.fail_next("GET", "/repos/acme/shop", 503, headers={"Retry-After": "9"}, times=4)

    with pytest.raises(Fault, match="503") as broken:
        forge.repository()

    assert broken.value.retry
    assert broken.value.retry_after == 9.0
    assert server.count("GET", "/repos/acme/shop") == 4


def test_a_write_behind_a_bad_gateway_is_not_sent_twice(
    forge: Forge, server: SandboxServer, shop: SandboxRepository
) -> None:
    pull = shop.open_pull_request("bob", {"a": "1\n"})
    server.fail_next("POST", "*/comments", 502, after_effect=True)

    with pytest.raises(Fault, match="502"):
        forge.comment(pull.number, "Hello.", key="k")
    assert server.count("POST", "*/comments") == 1

    # It had taken effect: the next attempt finds it.
    assert [forge.comment(pull.number, "Hello.", key="k")] == list(shop.comments)


def test_a_renamed_repository_is_read_and_written_under_its_present_name(
    forge: Forge, shop: SandboxRepository, server: SandboxServer
) -> None:
    pull = shop.open_pull_request("bob", {"a": "1\n"})
    shop.rename("acme/store")

    assert (forge.repository().id, forge.repository().full_name) == (shop.id, "acme/store")
    assert forge.pull_request_facts(pull.number).pull.author.login == "bob"
    forge.react(shop.comment(pull.number, "bob", "/lesson Test it."), Reaction.EYES)
    assert server.count("POST", "/repos/acme/shop/*") == 0


def test_a_token_that_died_is_minted_anew_for_the_next_job(
    app: App, server: SandboxServer, shop: SandboxRepository
) -> None:
    installation = installation_of(shop)
    with app.forge(installation, "acme/shop") as forge:
        forge.repository()
    server.access.revoke_all()

    with (
        pytest.raises(Unauthorized) as refused,
        app.forge(installation, "acme/shop") as forge,
    ):
        forge.repository()
    assert refused.value.retry

    with app.forge(installation, "acme/shop") as forge:
        assert forge.permission("ada") is Permission.WRITE


@pytest.mark.parametrize("seconds", [45, -45])
def test_a_clock_45_seconds_off_is_accepted(
    seconds: int, app: App, server: SandboxServer, shop: SandboxRepository
) -> None:
    server.access.ahead = timedelta(seconds=seconds)

    assert app.installation_token(installation_of(shop)).startswith("ghs_")


@pytest.mark.parametrize("seconds", [-900, -120, 900])
def test_a_clock_far_off_says_check_the_clock(
    seconds: int, app: App, server: SandboxServer, shop: SandboxRepository
) -> None:
    server.access.ahead = timedelta(seconds=seconds)

    with pytest.raises(Unauthorized, match="check the clock"):
        app.installation_token(installation_of(shop))


def test_a_foreign_key_says_so(
    sandbox: SandboxForge, server: SandboxServer, shop: SandboxRepository
) -> None:
    stranger = App(1, sandbox.private_key, base_url=server.url)

    with pytest.raises(Unauthorized, match="does not accept the App's credentials"):
        stranger.slug()


def test_a_server_that_is_not_there_is_a_fault(
    sandbox: SandboxForge, shop: SandboxRepository
) -> None:
    with SandboxServer(sandbox) as server:
        pass
    lonely = App(sandbox.app_id, sandbox.private_key, base_url=server.url)

    with pytest.raises(Fault, match="could not be reached"):
        lonely.slug()


def test_an_answer_that_leads_to_another_host_is_not_followed(
    forge: Forge, server: SandboxServer
) -> None:
    elsewhere = {"Location": "http://127.0.0.2:9/repositories/1"}
    server.fail_next("GET", "/repos/acme/shop", 301, headers=elsewhere)

    with pytest.raises(Fault, match="led away") as refused:
        forge.repository()
    assert not refused.value.retry


def test_an_answer_of_an_unknown_form_is_a_fault(forge: Forge, server: SandboxServer) -> None:
    server.fail_next("GET", "/repos/acme/shop", 200, message="surprise")

    with pytest.raises(Fault, match="form that is not known"):
        forge.repository()


def test_no_error_tells_a_token(
    app: App, forge: Forge, server: SandboxServer, shop: SandboxRepository
) -> None:
    token = app.installation_token(installation_of(shop))
    for status in (401, 403, 404, 422, 429):
        server.fail_next("GET", "/repos/acme/shop", status)
        with pytest.raises((UserError, Fault)) as refused:
            forge.repository()
        assert token not in repr(refused.value) + str(refused.value)
