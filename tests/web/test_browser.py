"""The pages in a real browser: what people do there, whether everybody can, no error on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from bot.inbox import Status
from tests.browsers import chromium
from tests.web.conftest import Estate

STOCK = "Always ask the stock service with a deadline in `src/db.py`, never without one."
SIZES = {"wide": (1100, 800), "narrow": (360, 740)}


@pytest.fixture(scope="module")
def browser(estate: Estate) -> Iterator[Browser]:
    """Started after the server, which does not start beside the browser's event loop."""
    with chromium() as found:
        yield found


@contextmanager
def visiting(
    browser: Browser,
    estate: Estate,
    login: str,
    *,
    scheme: str = "light",
    size: str = "wide",
    refused: bool = False,
) -> Iterator[Page]:
    """A page of somebody who signed in by the button; at its end nothing was complained of.

    `refused`: that a whole page came with the status of an error is no complaint.
    """
    width, height = SIZES[size]
    context = browser.new_context(
        color_scheme="dark" if scheme == "dark" else "light",
        viewport={"width": width, "height": height},
    )
    page = context.new_page()
    complaints: list[str] = []

    def console(message: ConsoleMessage) -> None:
        of_the_page = message.location["url"] == page.url and "with a status of" in message.text
        if message.type in ("error", "warning") and not (refused and of_the_page):
            complaints.append(f"{page.url}: {message.text}")

    def failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # what a page that was left still wanted
            complaints.append(f"{request.url}: {request.failure}")

    page.on("console", console)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", failed)
    page.set_default_timeout(10_000)
    estate.stage.github.sign_in.visitor = login
    page.goto(estate.stage.url)
    page.get_by_role("link", name="Sign in with GitHub").click()
    page.get_by_role("heading", name="Stores", level=1).wait_for()
    yield page
    context.close()
    assert complaints == []


def paths(estate: Estate) -> list[str]:
    shop = "/repos/acme/shop"
    return [
        "/",
        shop,
        f"{shop}/candidates",
        f"{shop}/trends",
        f"{shop}/carried",
        f"{shop}/lessons/{estate.id_of('finally')}",
        "/find?q=close+the+session",
        "/deliveries",
        "/alarms",
        "/sign-in",
    ]


everyhow = pytest.mark.parametrize(("scheme", "size"), [("light", "wide"), ("dark", "narrow")])


def is_for_everybody(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, f"{page.url}: {found.generate_report()}"
    wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide, f"{page.url} is wider than the window"


@everyhow
def test_every_page_is_for_everybody(
    browser: Browser, estate: Estate, scheme: str, size: str
) -> None:
    with visiting(browser, estate, "ben", scheme=scheme, size=size) as page:
        for path in paths(estate):
            page.goto(f"{estate.stage.url}{path}")
            page.evaluate(
                "for (const each of document.querySelectorAll('details')) each.open = true"
            )
            is_for_everybody(page)


@everyhow
def test_a_server_without_a_store_says_what_to_do(
    browser: Browser, estate: Estate, scheme: str, size: str
) -> None:
    with visiting(browser, estate, "nobody", scheme=scheme, size=size) as page:
        expect(page.locator("main")).to_contain_text("Install it on one")
        is_for_everybody(page)


def broken() -> str:
    raise ZeroDivisionError("acme/shop")


@everyhow
def test_a_refusal_is_a_page_for_everybody_and_says_what_to_do(
    browser: Browser, estate: Estate, scheme: str, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = "/repos/acme/shop"
    monkeypatch.setitem(estate.stage.server.web.view_functions, "dashboard.alarms", broken)
    told = [
        ("/repos/zoe/mine", 404, "sign in as one who may see it"),
        ("/no/such/page", 404, "Check the address"),
        (f"{shop}/lessons/{estate.id_of('finally')}/retire", 405, "Open the page"),
        ("/auth/callback?state=old", 400, "Sign in again"),
        ("/sign-in/once?token=old", 403, "Start it again"),
        ("/alarms", 500, "Load the page again"),
    ]
    with visiting(browser, estate, "ben", scheme=scheme, size=size, refused=True) as page:
        for path, status, remedy in told:
            answered = page.goto(f"{estate.stage.url}{path}")
            assert answered is not None
            assert answered is not None
            assert answered.status == status
            expect(page.locator("main")).to_contain_text(remedy)
            expect(page.get_by_role("link", name="To the stores")).to_be_visible()
            is_for_everybody(page)


def test_a_button_from_before_the_sign_in_says_so(browser: Browser, estate: Estate) -> None:
    with visiting(browser, estate, "rita", refused=True) as page:
        page.goto(f"{estate.stage.url}/repos/acme/shop")
        page.locator("input[name=csrf_token]").first.evaluate("each => each.value = 'old'")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("This button is out of date")


def test_a_writer_retires_a_lesson_and_sees_the_commit(browser: Browser, estate: Estate) -> None:
    lesson, before = estate.id_of("cursor"), estate.subjects()
    with visiting(browser, estate, "ben") as page:
        page.get_by_role("link", name="acme/shop").click()
        page.get_by_role("link", name="Never keep a cursor").click()
        page.get_by_text(f"Retire {lesson}…").click()
        page.get_by_role("button", name="Retire this lesson").click()
        expect(page.get_by_role("status")).to_have_text(
            "Done. What follows from it is there in a moment."
        )
        estate.stage.settle()
        page.reload()
        expect(page.locator(".state")).to_have_text("struck through")
        expect(page.get_by_role("list").last).to_contain_text("Retired: struck through")
        retired = page.get_by_role("listitem").filter(has_text="Retired: struck through")
        expect(retired.get_by_role("link", name=estate.shop.tip()[:7])).to_be_visible()
    assert estate.subjects()[len(before) :] == ["chore(lessons): retire 1 lesson"]


def test_a_search_says_what_each_half_found(browser: Browser, estate: Estate) -> None:
    with visiting(browser, estate, "ben") as page:
        page.get_by_role("link", name="Search").click()
        page.get_by_label("What your stores know of").fill("close a leaking session")
        page.get_by_role("button", name="Search").click()
        first = page.locator("main ol > li").first
        expect(first).to_contain_text("finally")
        expect(first).to_contain_text("exact words: place 1")
        expect(page.locator(".halves")).to_contain_text("meaning: well")
        expect(page.locator("main")).not_to_contain_text("zoe/mine")


def test_a_failed_delivery_is_replayed(browser: Browser, estate: Estate) -> None:
    stage = estate.stage
    pull = estate.shop.open_pull_request("cleo", {"src/db.py": "f = 1\n"})
    stage.settle()
    stage.github.fail_next("GET", f"/repos/acme/shop/pulls/{pull.number}/reviews", 422)
    pull.review("ada", "changes_requested", STOCK)
    stage.settle()
    assert stage.server.inbox.counts()[Status.FAILED] == 1
    with visiting(browser, estate, "ben") as page:
        page.get_by_role("link", name="Alarms").click()
        expect(page.locator("main")).to_contain_text("Deliveries that failed: 1.")
        page.get_by_role("link", name="Deliveries").click()
        failed = page.get_by_role("region", name="Failed deliveries")
        expect(failed).to_contain_text("GitHub answered 422")
        failed.get_by_role("button", name="Replay").click()
        stage.settle()
        page.reload()
        expect(page.get_by_role("heading", name="Failed")).to_have_count(0)
    assert stage.server.inbox.counts()[Status.FAILED] == 0
    assert any("deadline" in line for line in estate.bullets().values())
