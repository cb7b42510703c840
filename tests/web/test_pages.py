"""What the pages say is what a clone says; what is pressed there is done once, as by a comment."""

from __future__ import annotations

import html
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

import app
from bot.command_line import given
from bot.facts import Permission
from tests.web.conftest import Estate

SHOP = "/repos/acme/shop"


def test_a_store_shows_its_lines_with_their_state_and_evidence(estate: Estate) -> None:
    page = estate.visit("rita").get(SHOP).text
    assert "in a <code>finally</code> block in <code>src/db.py</code>" in page
    assert "2 signals in 2 pull requests" in page
    assert 'href="' + estate.stage.github.url + '/acme/shop/pull/2"' in page
    assert '<span class="state overridden">overridden 2026-10-29</span>' in page


@dataclass(frozen=True)
class Person:
    """Somebody with a clone, who types the commands that a page names."""

    clone: Path
    capture: pytest.CaptureFixture[str]

    def types(self, command: str) -> str:
        words = shlex.split(command)
        if words[0] == "git":
            done = subprocess.run(words, cwd=self.clone, capture_output=True, check=True)
            return done.stdout.decode()
        self.capture.readouterr()
        as_json = [] if "--json" in words else ["--json"]
        app.main([*words[2:], *as_json])
        return self.capture.readouterr().out


@pytest.fixture
def person(
    estate: Estate,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Person:
    clone = tmp_path / "shop"
    subprocess.run(["git", "clone", "--quiet", estate.shop.bare.path, clone], check=True)
    monkeypatch.chdir(clone)
    monkeypatch.setattr(given, "now", estate.stage.clock)
    return Person(clone, capsys)


# What is no number of the store: its texts, how a page explains itself, the scale of a drawing, how
# long a search took, what waits in the database and what GitHub alone can tell.
BESIDE = re.compile(
    r"<(?P<tag>code|h1|blockquote)\b.*?</(?P=tag)>|<p class=\"(?:sentence|note)\".*?</p>"
    r"|<section aria-labelledby=\"(?:waiting|unheard)\".*?</section>"
    r"|<text class=\"scale\".*?</text>|\d+ ms",
    re.DOTALL,
)
FIGURE = re.compile(r"(?<!\w)(?:\d{4}-\d\d(?:-\d\d)?|\d+(?:\.\d+)?%?)(?!\w)")


def figures_of(page: str) -> list[str]:
    main = page[page.index("<main") : page.index("</main>")]
    return FIGURE.findall(re.sub(r"<[^>]*>", " ", BESIDE.sub(" ", main)))


def commands_of(page: str) -> list[str]:
    found = re.findall(r'<p class="command">.*?<code>(.*?)</code>', page)
    return [html.unescape(each) for each in found if "…" not in each]


def is_given(figure: str, said: str) -> bool:
    """Whether a command gave the number, rounded as the page rounds it."""
    if "-" in figure:
        return figure in said
    digits = len(figure.rstrip("%").partition(".")[2])
    form = f".{digits}%" if figure.endswith("%") else f".{digits}f"
    return any(format(float(each), form) == figure for each in re.findall(r"\d+(?:\.\d+)?", said))


@pytest.mark.parametrize(
    "path",
    ["/", SHOP, f"{SHOP}/candidates", f"{SHOP}/trends", f"{SHOP}/carried", "/find?q=finally"]
    + [f"{SHOP}/lessons/{words}" for words in ("finally", "round prices")],
)
def test_every_number_of_a_page_is_given_by_a_command_that_it_names(
    estate: Estate, person: Person, path: str
) -> None:
    place, _, words = path.rpartition("/")
    if place.endswith("lessons"):
        path = f"{place}/{estate.id_of(words)}"
    page = estate.visit("rita").get(path).text
    said = "\n".join(person.types(each) for each in commands_of(page))
    found = figures_of(page)
    assert len(found) > 2
    assert [each for each in found if not is_given(each, said)] == []


def test_where_no_clone_has_the_numbers_the_command_of_the_server_is_named(estate: Estate) -> None:
    for path in ("/deliveries", "/alarms"):
        assert "<code>python app.py doctor</code>" in estate.visit("rita").get(path).text


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
    order = ["Retired: overridden", "Evidence stopped counting", "Appended"]
    assert [over.index(what) for what in order] == sorted(over.index(what) for what in order)


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
    assert ".agent-corp/known-pitfalls.md</th>" in page
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


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("accept", ["*/*", "application/json", BROWSER])
def test_no_such_page_is_a_page_for_browsers_and_json_for_machines(
    estate: Estate, accept: str
) -> None:
    wrong = {"/no/such/page": 404, "/sign-out": 405}
    for path, status in wrong.items():
        found = estate.visit().get(path, Accept=accept)
        assert found.status_code == status
        if accept == BROWSER:
            assert "To the stores" in found.text
            assert "default-src 'none'" in found.headers["Content-Security-Policy"]
        else:
            assert list(found.json()) == ["error"]
    assert "POST" in found.headers["Allow"]
