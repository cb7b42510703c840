"""What the pages say is what a clone says; what is pressed there is done once, as by a comment."""

from __future__ import annotations

import json
import re

import pytest

import app
from bot.facts import Permission
from tests.web.conftest import Estate

SHOP = "/repos/acme/shop"


def test_a_store_shows_its_lines_with_their_state_and_evidence(estate: Estate) -> None:
    page = estate.visit("rita").get(SHOP).text
    assert "in a <code>finally</code> block in <code>src/db.py</code>" in page
    assert "2 signals in 2 pull requests" in page
    assert 'href="' + estate.stage.github.url + '/acme/shop/pull/2"' in page
    assert '<span class="state overridden">overridden 2026-10-29</span>' in page


def test_the_command_that_a_page_names_gives_its_numbers(
    estate: Estate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app, "_now", estate.stage.clock)
    clone = str(estate.shop.bare.path)
    assert app.main(["report", "store", "--repo", clone, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    visit = estate.visit("rita")
    page = visit.get(SHOP).text
    assert said["commit"] == estate.shop.tip()
    assert f"<dt>Active</dt><dd>{said['counts']['active']}</dd>" in page
    assert f"<dt>Retired</dt><dd>{said['counts']['overridden']}</dd>" in page
    assert f"<dt>Duplicate share</dt><dd>{said['duplicate_share']:.0%}</dd>" in page
    (candidate,) = said["candidates"]
    near = visit.get(f"{SHOP}/candidates").text
    assert f"/lessons/{candidate['id']}" in near
    assert f"<td>{candidate['lacks']}</td>" in near

    assert app.main(["report", "store", "--repo", clone]) == 0
    assert capsys.readouterr().out.startswith("2 active, 1 retired (2 active, 1 overridden)\n")
    assert app.main(["report", "duplicates", "--repo", clone, "--json"]) == 0
    (store,) = json.loads(capsys.readouterr().out)["stores"]
    trends = visit.get(f"{SHOP}/trends").text
    for month in store["months"]:
        cells = [month["month"], *(str(month[k]) for k in ("appended", "refreshed", "retired"))]
        row = f'<th scope="row">{cells[0]}</th>' + "".join(
            f'<td class="number">{cell}</td>' for cell in cells[1:]
        )
        assert row in trends


def test_all_stores_are_summed_from_what_was_kept_at_each_write(estate: Estate) -> None:
    page = estate.visit("ada").get("/").text
    assert "<dt>Stores</dt><dd>2</dd>" in page
    assert '<a href="/repos/acme/shop">acme/shop</a>' in page
    assert estate.stage.server.dashboard.summaries.get(estate.shop.id) is not None
    assert "zoe/mine" not in estate.visit("ben").get("/").text


def test_a_lesson_tells_its_life(estate: Estate) -> None:
    page = estate.visit("rita").get(f"{SHOP}/lessons/{estate.id_of('finally')}").text
    assert page.index("Refreshed") < page.index("Appended"), "the newest comes first"
    assert "similarity 0." in page
    over = estate.visit("rita").get(f"{SHOP}/lessons/{estate.id_of('round prices')}").text
    assert "the pull request was merged over it" in over
    assert "(counts no more)" in over


def test_each_event_of_a_life_links_to_its_commit(estate: Estate) -> None:
    identity = estate.id_of("finally")
    page = estate.visit("rita").get(f"{SHOP}/lessons/{identity}").text
    linked = re.findall(rf'href="{estate.stage.github.url}/acme/shop/commit/(\w{{40}})"', page)
    tip = estate.shop.tip()
    ours = [c.sha for c in estate.shop.bare.commits(tip) if c.message.startswith("chore(lessons)")]
    assert linked[0] == tip, "the page is as of the tip"
    assert linked[1] in ours
    assert linked[-1] == ours[0], "it was appended by the first commit"
    assert linked[1:] != linked[-1:] * len(linked[1:])


def test_a_bot_that_nobody_listed_is_named(estate: Estate) -> None:
    assert "@rabbit[bot]: 1 review in 90 days" in estate.visit("rita").get(SHOP).text


def test_what_is_no_lesson_has_no_page(estate: Estate) -> None:
    assert estate.visit("rita").get(f"{SHOP}/lessons/00000000").status_code == 404


def test_carried_weight_is_told_file_by_file(estate: Estate) -> None:
    page = estate.visit("rita").get(f"{SHOP}/carried").text
    assert '<th scope="row">.agent-corp/known-pitfalls.md</th>' in page
    assert "python app.py report audit --repo ." in page


def test_a_reader_is_offered_no_button_but_the_way_out(estate: Estate) -> None:
    assert estate.visit("rita").get(SHOP).text.count("<button") == 1
    assert estate.visit("ben").get(SHOP).text.count("<button") > 3


def test_a_retirement_pressed_twice_is_one_commit(estate: Estate) -> None:
    lesson, before = estate.id_of("cursor"), estate.subjects()
    visit, path = estate.visit("ben"), f"{SHOP}/lessons/{estate.id_of('cursor')}"
    assert {visit.press(f"{path}/retire").status_code for _ in range(2)} == {303}
    estate.stage.settle()
    assert visit.press(f"{path}/retire").status_code == 303
    estate.stage.settle()
    assert estate.subjects()[len(before) :] == ["chore(lessons): retire 1 lesson"]
    assert estate.bullets()[lesson].startswith("- ~~Never keep a cursor")
    assert "struck through" in visit.get(path).text


def test_a_kept_offer_is_one_commit_in_the_name_of_who_pressed(estate: Estate) -> None:
    (record,) = estate.stage.server.questions.of_repository(estate.shop.id)
    before, visit = estate.subjects(), estate.visit("ben")
    press = f"{SHOP}/questions/{record.question.id}"
    assert visit.press(f"{press}/same").status_code == 404, "that is no answer to it"
    assert {visit.press(f"{press}/keep").status_code for _ in range(2)} == {303}
    estate.stage.settle()
    assert len(estate.subjects()) == len(before) + 1
    assert "founder_note" in estate.bullets()[estate.id_of("timeout")]
    decided = estate.stage.server.questions.get(estate.shop.id, record.question.id)
    assert decided is not None
    assert decided.decision is not None
    assert decided.decision.by == "ben"
    assert "Waiting for a person" not in visit.get(SHOP).text


def test_a_right_lost_since_the_page_was_shown_stops_the_press(estate: Estate) -> None:
    visit, before = estate.visit("cleo"), estate.subjects()
    assert "Retire" in visit.get(SHOP).text
    estate.shop.set_permission("cleo", Permission.READ)
    assert visit.press(f"{SHOP}/lessons/{estate.id_of('finally')}/retire").status_code == 403
    estate.stage.settle()
    assert estate.subjects() == before
    estate.shop.set_permission("cleo", Permission.WRITE)
