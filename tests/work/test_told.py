"""What the check run of a pull request tells by itself, on the real server."""

from __future__ import annotations

from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.records import CheckRun
from tests.work.conftest import SETTINGS, Shop, make_shop
from tests.work.test_founder import answers, say
from tests.work.test_standing import SAID, ask, events, standing

BLOCK = ".agent-corp/known-pitfalls.md"


def runs(shop: Shop, head: str) -> list[CheckRun]:
    return [r for r in shop.repository.check_runs.values() if r.head_sha == head]


def text(shop: Shop, pull: SandboxPullRequest) -> str:
    (run,) = runs(shop, pull.head_sha)
    assert (run.name, run.conclusion) == ("Lessonkeeper", "neutral")
    return f"{run.title}\n\n{run.text}"


def lesson(shop: Shop) -> str:
    """The id of the one bullet, which it keeps where it comes to stand."""
    (line,) = shop.bullets()
    return line[-12:-4]


def review(shop: Shop, body: str, files: dict[str, str | None] | None = None) -> SandboxPullRequest:
    number = len(shop.repository.pulls) + 1
    pull = shop.repository.open_pull_request("ben", files or {"src/db.py": f"a = {number}\n"})
    pull.review("ada", "changes_requested", body)
    shop.stage.settle()
    shop.pass_time(days=1)
    return pull


def test_the_third_pull_request_is_told_that_it_repeats_a_lesson_and_told_once(shop: Shop) -> None:
    days = [shop.today(days) for days in (0, 1)]
    first, second = review(shop, SAID[0]), review(shop, SAID[1])
    known = lesson(shop)
    for pull in (first, second):
        assert "repeats lesson" not in text(shop, pull)

    third = review(shop, SAID[2])
    told = text(shop, third)
    assert told.startswith(f"This pull request repeats lesson {known}, third time\n")
    assert f"It was said before in:\n\n- #1, {days[0]}\n- #2, {days[1]}" in told
    assert "> Close the database session in a `finally` block" in told

    third.review("cleo", "changes_requested", SAID[3])  # the same lesson by somebody else
    shop.stage.settle()
    assert text(shop, third).count("repeats lesson") == 2  # the title, and its section
    head = third.head_sha
    third.push("ben", {"src/db.py": "c = 1\n"})
    third.review("ada", "changes_requested", "Never keep a lock of `src/lock.py` while it sleeps.")
    shop.stage.settle()
    assert "repeats lesson" not in text(shop, third)
    assert len(runs(shop, head)) == 1


def test_the_notice_is_off_where_the_settings_say_so(shop: Shop) -> None:
    quiet = make_shop(shop.stage, SETTINGS + "repeat_notice: false\n")
    pulls = [review(quiet, said) for said in SAID[:3]]
    assert "refreshed" in text(quiet, pulls[-1])
    assert "repeats lesson" not in text(quiet, pulls[-1])


def test_a_write_is_reported_with_what_was_shown_and_heeded(shop: Shop) -> None:
    cursor = "Never keep a cursor of `src/cart.py` open while another query waits for its lock."
    report = text(shop, review(shop, SAID[0]))
    assert report.startswith("From this pull request: 1 appended\n")
    assert "No lesson was shown for this pull request." in report
    session = lesson(shop)
    review(shop, cursor)
    (other,) = (line[-12:-4] for line in shop.bullets() if "cursor" in line)
    assert f"<!-- {other} -->" in shop.file(BLOCK)

    both: dict[str, str | None] = {"src/cart.py": "b = 3\n", "src/db.py": "a = 3\n"}
    report = text(shop, review(shop, SAID[1], both))
    assert report.startswith("From this pull request: 1 refreshed\n")
    assert f"- refreshed `{session}`: Close the database session" in report
    assert "2 lessons shown for this pull request:" in report
    assert f"- Not heeded, a finding matched: `{session}`" in report
    assert (
        f"- Heeded, it names a file changed here and no finding matched: `{other}`, "
        "Never keep a cursor"
    ) in report

    pin = "Always pin the image of `Dockerfile` by its digest, never by a tag."
    elsewhere = review(shop, pin, {"README.md": "# Shop 4\n"})
    assert "heeded" not in text(shop, elsewhere).lower()
    assert f"- Nothing can be said of `{min(session, other)}`" in text(shop, elsewhere)


def test_a_stranger_who_touches_what_agents_read_is_warned_about_once_per_head(shop: Shop) -> None:
    shop.repository.commit("ben", {"CLAUDE.md": f"# Shop\n\n@{BLOCK}\n"})
    shop.stage.settle()
    changes: dict[str, str | None] = {BLOCK: "# Obey\n", "CLAUDE.md": "# Shop\n\n@docs/mine.md\n"}
    pull = shop.repository.open_pull_request("eve", changes, fork=True)
    shop.stage.settle()
    told = text(shop, pull)
    assert told.startswith("This pull request changes what coding agents are told here\n")
    assert f"- `{BLOCK}`" in told
    assert "- `CLAUDE.md`: the line that includes the lessons is gone" in told
    old = pull.head_sha
    before = runs(shop, old)

    shop.stage.send(shop.stage.forge.take_deliveries())
    pull.push("eve", {BLOCK: "# Obey me\n"})
    shop.stage.settle()
    assert text(shop, pull).startswith("This pull request changes what coding agents are told")
    assert runs(shop, old) == before


def test_nobody_is_warned_about_writers_and_other_files(shop: Shop) -> None:
    shop.repository.commit("ben", {"CLAUDE.md": f"# Shop\n\n@{BLOCK}\n"})
    shop.stage.settle()
    elsewhere: dict[str, str | None] = {"CLAUDE.md": f"# The shop\n\n@{BLOCK}\n", "src/db.py": ""}
    pulls = [
        shop.repository.open_pull_request("eve", elsewhere, fork=True),
        shop.repository.open_pull_request("ben", {BLOCK: "# Mine\n"}, fork=True),
        shop.repository.open_pull_request("ben", {BLOCK: "# Ours\n"}),
    ]
    shop.stage.settle()
    assert [runs(shop, pull.head_sha) for pull in pulls] == [[], [], []]


def test_a_review_that_quotes_the_block_adds_no_evidence_and_why_says_so(shop: Shop) -> None:
    review(shop, SAID[0])
    known, written = lesson(shop), shop.file()
    quotes = (
        f"As the known pitfalls say: “{SAID[0]}” Please do.",
        f"Lesson {known} again: close the session in a `finally` block in `src/db.py`, please.",
        f"{SAID[1]} It is in [this list](../blob/main/{BLOCK}).",
    )
    pulls = [review(shop, body) for body in quotes]
    assert shop.file() == written
    assert len(shop.subjects()) == 1
    assert [runs(shop, pull.head_sha) for pull in pulls] == [[], [], []]
    whys = []
    for pull in pulls:
        say(shop, pull, "ben", "/lessons why")
        whys.append(answers(shop, pull)[-1])
    shown = "which was shown for this pull request"
    assert f"no evidence, because it quotes `{known}`, {shown}: " in whys[0]
    assert f"no evidence, because it names `{known}`, {shown}: " in whys[1]
    assert "no evidence, because it links into `.agent-corp/`: " in whys[2]


def test_a_finding_that_was_not_shown_the_lesson_may_say_it_in_the_same_words(shop: Shop) -> None:
    early = shop.repository.open_pull_request("ben", {"README.md": "early\n"})
    review(shop, SAID[0])
    early.review("cleo", "changes_requested", SAID[0])
    shop.stage.settle()
    assert shop.subjects()[-1] == "chore(lessons): 1 refreshed from #1"


def test_a_recall_violates_no_standing_lesson(shop: Shop) -> None:
    for number in (1, 2, 3):
        ask(shop, number)
    (path,) = standing(shop)
    for _ in range(3):
        review(shop, f"The block has it: {SAID[1]}")
    assert standing(shop) == [path]
    assert "violated" not in events(shop)
