"""Where commits may not go to the default branch: one rolling pull request, end to end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.demo.stage import Stage
from bot.lessons.rows import NoteRow
from bot.sandbox.pull_request import Files, SandboxPullRequest
from bot.work.rolling import ROLLING
from tests.work.conftest import Shop, make_shop

BY_SETTING = "mode: pull_request\ncommit_every: 0\nrolling: {every: 0}\n"
AUTO = "commit_every: 0\nrolling: {every: 0}\n"
LESSONS = ".agent-corp/lessons.md"
TOPICS = ("session", "cursor", "socket", "buffer", "thread", "handle")


def teach(shop: Shop, topic: str = "session", *, by: str = "ada") -> SandboxPullRequest:
    """A review that earns one bullet, which names the topic."""
    number = len(shop.repository.pulls)
    pull = shop.repository.open_pull_request("ben", {f"src/{topic}{number}.py": f"{number}\n"})
    text = f"Never keep the {topic} of `src/{topic}.py` open while another {topic} is waiting."
    pull.review(by, "changes_requested", text)
    shop.stage.settle()
    return pull


def ours(shop: Shop) -> list[SandboxPullRequest]:
    """The App's pull requests, oldest first."""
    shop.repository.notice_pushes_of_the_app()
    app = shop.stage.forge.app_account
    return [pull for pull in shop.repository.pulls.values() if pull.user == app]


def proposed(shop: Shop) -> list[str]:
    text = shop.repository.bare.read(ours(shop)[-1].head_sha, LESSONS).decode()
    return [line for line in text.splitlines() if line.startswith("- ")]


def stands(shop: Shop) -> list[str]:
    """The bullets that readers see."""
    if LESSONS not in shop.repository.bare.paths(shop.repository.tip()):
        return []
    return shop.bullets()


def messages(shop: Shop, pull: SandboxPullRequest) -> list[str]:
    """Of the commits that it proposes, oldest first."""
    commits = shop.repository.bare.commits(f"{pull.base_sha}..{pull.head_sha}")
    return [commit.message for commit in commits]


def tidy(shop: Shop) -> None:
    """Its daily look after itself."""
    shop.stage.server.memory.want_housekeeping(shop.repository.id, shop.stage.clock())
    shop.stage.settle()


@pytest.fixture
def rolling(playing: Stage) -> Shop:
    return make_shop(playing, BY_SETTING)


def test_readers_see_a_lesson_once_a_person_merged_it(rolling: Shop) -> None:
    teach(rolling)
    (pull,) = ours(rolling)
    assert pull.draft
    assert pull.head == ROLLING
    assert pull.title == "chore(lessons): 1 appended"
    assert "Appended" in pull.body
    assert "`src/session.py`" in pull.body
    assert stands(rolling) == []
    (message,) = messages(rolling, pull)
    assert message.startswith("chore(lessons): 1 appended from #1\n")
    assert "skip-checks" not in message

    teach(rolling, "cursor")
    assert len(ours(rolling)) == 1
    assert len(proposed(rolling)) == 2
    assert pull.title == "chore(lessons): 2 appended"

    bullets = proposed(rolling)
    pull.merge("ada", "squash")
    rolling.stage.settle()
    assert stands(rolling) == bullets
    tidy(rolling)
    assert len(ours(rolling)) == 1
    assert rolling.stage.server.memory.waiting(rolling.repository.id) == ()

    teach(rolling, "socket")
    assert len(ours(rolling)) == 2
    assert proposed(rolling)[:2] == bullets
    assert len(proposed(rolling)) == 3


def test_a_refused_push_falls_back_and_loses_nothing(playing: Stage) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect("pull_request")
    teach(shop)
    (pull,) = ours(shop)
    assert stands(shop) == []
    assert "`src/session.py`" in proposed(shop)[0]
    # While it is open, no push is tried that would be refused.
    shop.repository.unprotect()
    teach(shop, "cursor")
    assert len(proposed(shop)) == 2
    assert stands(shop) == []
    pull.merge("ada")
    shop.stage.settle()
    teach(shop, "socket")
    assert len(stands(shop)) == 3


def test_a_classic_protection_is_known_by_its_refusal(playing: Stage) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect("pull_request", classic=True)
    teach(shop)
    assert len(proposed(shop)) == 1


@pytest.mark.parametrize("rule", ["merge_queue", "required_status_checks"])
def test_up_to_date_branches_and_a_queue_are_respected_unasked(playing: Stage, rule: str) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect(rule, strict_required_status_checks_policy=True)
    shop.repository.bare.path.joinpath("hooks/pre-receive").unlink()  # the App may bypass it
    teach(shop)
    assert len(ours(shop)) == 1
    assert stands(shop) == []


def test_signed_commits_are_made_by_github(playing: Stage) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect("required_signatures")
    teach(shop)
    assert len(stands(shop)) == 1
    (commit,) = shop.repository.bare.commits("-1", shop.repository.tip())
    assert shop.repository.bare.is_signed(commit.sha)
    assert commit.author == "lessonkeeper[bot]"
    assert commit.message.startswith("chore(lessons): 1 appended from #1\n\nAppended ")
    assert commit.message.endswith(
        "\n\n\nLesson-Source: " + commit.message.partition("Lesson-Source: ")[2]
    )
    assert commit.message.endswith("\nskip-checks: true")


def test_a_signature_is_also_known_to_be_missing_by_a_refusal(playing: Stage) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect("required_signatures", classic=True)
    teach(shop)
    assert shop.repository.bare.is_signed(shop.repository.tip())


def test_signatures_and_a_pull_request_at_once(playing: Stage) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect("required_signatures", classic=True)
    shop.repository.protect("pull_request", classic=True)
    teach(shop)
    teach(shop, "cursor")
    (pull,) = ours(shop)
    assert len(proposed(shop)) == 2
    assert all(shop.repository.bare.is_signed(sha) for sha in pull.commits)
    assert shop.repository.bare.sha("refs/heads/lessonkeeper/next") is None


def test_what_no_way_leads_around_is_parked_and_told(playing: Stage) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect("commit_message_pattern")
    teach(shop)
    reason = playing.server.writes.reasons()[shop.repository.id]
    assert "Commit message must match pattern" in reason
    assert "bypass list of the ruleset" in reason
    assert "/rules?ref=refs/heads/main" in reason
    # It waits, and is written once the App may.
    shop.repository.unprotect()
    tidy(shop)
    assert len(stands(shop)) == 1


def test_mode_direct_never_proposes(playing: Stage) -> None:
    shop = make_shop(playing, "mode: direct\ncommit_every: 0\n")
    shop.repository.protect("pull_request")
    teach(shop)
    assert ours(shop) == []
    reason = playing.server.writes.reasons()[shop.repository.id]
    assert "Changes must be made through a pull request." in reason
    assert "or set `mode: pull_request`" in reason


def test_a_draft_is_ready_when_it_holds_enough(playing: Stage) -> None:
    shop = make_shop(playing, BY_SETTING.replace("every: 0}", "every: 0, ready_at: 2}"))
    teach(shop)
    assert ours(shop)[0].draft
    teach(shop, "cursor")
    assert not ours(shop)[0].draft


def test_a_draft_is_ready_at_its_age(rolling: Shop) -> None:
    teach(rolling)
    rolling.pass_time(days=7)
    rolling.stage.settle()
    assert not ours(rolling)[0].draft


def test_other_evidence_waits_for_its_turn_and_a_press_does_not(playing: Stage) -> None:
    shop = make_shop(playing, "mode: pull_request\ncommit_every: 0\n")
    teach(shop)
    teach(shop, "cursor")
    assert len(proposed(shop)) == 1
    pull = shop.repository.open_pull_request("ben", {"src/note.py": "1\n"})
    shop.repository.comment(pull.number, "ada", "/lesson Ask before renaming a public table.")
    shop.stage.settle()
    assert len(proposed(shop)) == 3  # a press takes along what waits
    teach(shop, "socket")
    assert len(proposed(shop)) == 3
    shop.pass_time(days=1)
    shop.stage.settle()
    assert len(proposed(shop)) == 4


def test_what_was_approved_stays_as_it_is_for_a_day(rolling: Shop) -> None:
    teach(rolling)
    (pull,) = ours(rolling)
    approved = pull.head_sha
    pull.review("ada", "approved")
    teach(rolling, "cursor")
    assert ours(rolling)[0].head_sha == approved
    (said,) = [r for r in rolling.repository.check_runs.values() if r.head_sha == approved]
    assert said.title == "Waits for the merge of what was approved"
    rolling.pass_time(days=1)
    rolling.stage.settle()
    assert len(proposed(rolling)) == 2


def test_what_was_approved_is_made_anew_once_it_conflicts(rolling: Shop) -> None:
    teach(rolling)
    (pull,) = ours(rolling)
    pull.review("ada", "approved")
    events = [p for p in rolling.repository.bare.paths(pull.head_sha) if p.endswith(".jsonl")]
    rows = NoteRow(rolling.stage.clock().replace(microsecond=0), "a.md", "confirmed").line()
    rolling.repository.commit("ben", dict.fromkeys(events, f"{rows}\n"))  # of a note, merged
    rolling.stage.settle()
    (pull,) = ours(rolling)
    assert (pull.closed_at, pull.base_sha) == (None, rolling.repository.tip())
    assert len(proposed(rolling)) == 1
    assert rows in rolling.repository.bare.read(pull.head_sha, events[0]).decode()


def test_what_was_closed_is_declined_and_a_new_source_earns_it_again(rolling: Shop) -> None:
    first = teach(rolling)
    (pull,) = ours(rolling)
    pull.close("ada")
    rolling.stage.settle()
    # The same review is heard again, by whatever event: it is not proposed again.
    first.merge("ben")
    tidy(rolling)
    assert len(ours(rolling)) == 1
    assert rolling.stage.server.memory.waiting(rolling.repository.id) == ()

    teach(rolling, by="cleo")
    assert len(ours(rolling)) == 2
    (bullet,) = proposed(rolling)
    assert "(#3," in bullet
    events = "".join(
        rolling.repository.bare.read(ours(rolling)[-1].head_sha, path).decode()
        for path in rolling.repository.bare.paths(ours(rolling)[-1].head_sha)
        if path.endswith(".jsonl")
    )
    assert events.count('"type": "declined"') == 1


def test_what_was_declined_is_not_pushed_once_pushes_are_allowed(playing: Stage) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect("pull_request")
    first = teach(shop)
    ours(shop)[0].close("ada")
    shop.repository.unprotect()
    first.merge("ben")
    tidy(shop)
    assert stands(shop) == []
    teach(shop, "cursor")
    (bullet,) = stands(shop)
    assert "cursor" in bullet


def test_a_press_that_adds_nothing_is_answered(rolling: Shop) -> None:
    pull = rolling.repository.open_pull_request("ben", {"src/note.py": "1\n"})
    for _ in range(2):
        rolling.repository.comment(
            pull.number, "ada", "/lesson Ask before renaming any public table of the warehouse."
        )
        rolling.stage.settle()
    assert len(proposed(rolling)) == 1
    app = rolling.stage.forge.app_id
    said = [c.body for c in rolling.repository.comments.values() if c.app == app]
    assert len(said) == 2
    assert "nothing was written: the bullet cites this pull request" in said[-1]


def test_a_persons_commit_on_the_branch_is_kept(rolling: Shop) -> None:
    teach(rolling)
    (pull,) = ours(rolling)
    text = rolling.repository.bare.read(pull.head_sha, LESSONS).decode()
    theirs = pull.push("ada", {LESSONS: text.replace("Never keep", "Do not keep")})
    teach(rolling, "cursor")
    assert theirs in ours(rolling)[0].commits
    assert proposed(rolling)[0].startswith("- Do not keep the session")
    assert len(proposed(rolling)) == 2


def test_a_conflict_is_solved_by_making_the_branch_anew(rolling: Shop) -> None:
    teach(rolling)
    (pull,) = ours(rolling)
    text = rolling.repository.bare.read(pull.head_sha, LESSONS).decode()
    theirs = pull.push("ada", {LESSONS: text.replace("Never keep", "Do not keep")})
    own = "# Lessons\n\n- A line of our own.\n"
    rolling.repository.commit("ben", {LESSONS: own})
    teach(rolling, "cursor")
    (pull,) = ours(rolling)
    assert pull.base_sha == rolling.repository.tip()
    assert pull.closed_at is None
    bullets = proposed(rolling)
    assert bullets[0] == "- A line of our own."
    assert bullets[1].startswith("- Do not keep the session")
    assert "cursor" in bullets[2]
    (said,) = [c.body for c in rolling.repository.comments.values() if c.number == pull.number]
    assert theirs[:12] in said


def test_nothing_on_the_branch_is_lost_with_our_memory(rolling: Shop) -> None:
    teach(rolling)
    memory = rolling.stage.server.memory
    memory.written(rolling.repository.id, memory.waiting(rolling.repository.id))
    rolling.repository.commit("ben", {LESSONS: "# Lessons\n\n- A line of our own.\n"})
    teach(rolling, "cursor")
    assert [topic for topic in TOPICS if any(topic in b for b in proposed(rolling))] == [
        "session",
        "cursor",
    ]


def test_a_renamed_default_branch_is_followed_and_the_old_one_left_alone(rolling: Shop) -> None:
    teach(rolling)
    left = rolling.repository.tip("main")
    rolling.repository.make_default("trunk")
    teach(rolling, "cursor")
    (pull,) = ours(rolling)
    assert pull.base == "trunk"
    assert len(proposed(rolling)) == 2
    assert rolling.repository.tip("main") == left


def test_a_pull_request_that_was_not_opened_is_opened_next_time(rolling: Shop) -> None:
    path = f"/repos/{rolling.repository.full_name}/pulls"
    rolling.stage.github.fail_next("POST", path, 502)
    teach(rolling)
    assert ours(rolling) == []
    rolling.stage.clock.move(timedelta(minutes=10))
    rolling.stage.settle()
    assert len(ours(rolling)) == 1
    assert len(proposed(rolling)) == 1


def test_an_opening_whose_answer_was_lost_is_found_again(rolling: Shop) -> None:
    path = f"/repos/{rolling.repository.full_name}/pulls"
    rolling.stage.github.fail_next("POST", path, 502, after_effect=True)
    teach(rolling)
    rolling.stage.clock.move(timedelta(minutes=10))
    rolling.stage.settle()
    assert len(ours(rolling)) == 1


def test_retirements_alone_do_not_come_back_after_a_no(rolling: Shop) -> None:
    teach(rolling)
    ours(rolling)[0].merge("ada")
    rolling.stage.settle()
    rolling.pass_time(days=90)
    tidy(rolling)
    assert len(ours(rolling)) == 2
    assert "expired" in ours(rolling)[1].title
    ours(rolling)[1].close("ada")
    tidy(rolling)
    rolling.pass_time(days=1)
    tidy(rolling)
    assert len(ours(rolling)) == 2


def test_our_own_pull_request_teaches_nothing(rolling: Shop) -> None:
    teach(rolling)
    (pull,) = ours(rolling)
    head = pull.head_sha
    text = "Never write lessons about `src/lessons.py` in the passive voice, please."
    pull.review("ada", "changes_requested", text)
    rolling.stage.settle()
    assert ours(rolling)[0].head_sha == head


def test_a_branch_of_that_name_that_is_not_ours_is_left_alone(rolling: Shop) -> None:
    rolling.repository.open_pull_request("ben", {"a.py": "a\n"}, branch=ROLLING)
    theirs = rolling.repository.tip(ROLLING)
    teach(rolling)
    assert rolling.repository.tip(ROLLING) == theirs
    assert "not the App's" in rolling.stage.server.writes.reasons()[rolling.repository.id]


def test_two_writers_of_a_signed_branch_lose_neither_lesson(playing: Stage) -> None:
    shop = make_shop(playing, AUTO)
    shop.repository.protect("required_signatures")
    commit, others = shop.repository.commit_as_github, iter(["moved\n"])

    def late(by: str, branch: str, expected: str, files: Files, message: str) -> str | None:
        """Somebody else's commit lands between our reading and GitHub's comparing."""
        for text in others:
            shop.repository.commit("ben", {"src/db.py": text})
        return commit(by, branch, expected, files, message)

    shop.repository.commit_as_github = late  # type: ignore[method-assign]  # the forge's own
    teach(shop)
    assert next(others, None) is None
    assert shop.file("src/db.py") == "moved\n"
    assert len(stands(shop)) == 1
    assert len(shop.subjects()) == 1
