"""Looked-up notes end with what they describe, from a signed delivery to a pushed commit."""

from __future__ import annotations

import pytest

from bot.demo.stage import Stage
from bot.facts import Permission
from bot.sandbox.pull_request import SandboxPullRequest
from bot.sandbox.records import Comment
from bot.work.note_wants import LookAtAll
from tests.work.conftest import Shop, make_shop

NOTES = ".agent-corp/notes"
STORY = "---\nkind: lesson\nsubject: {}\n---\n\n# {}\n\nIt happened.\n"


def context(job: str, title: str = "Why the queue is slow") -> str:
    return f"---\nkind: context\njob: {job}\n---\n\n# {title}\n\nStill looking.\n"


@pytest.fixture
def shop(playing: Stage) -> Shop:
    return make_shop(playing, "commit_every: 0\nagents: [helper]\n")


def write(shop: Shop, **notes: str) -> None:
    shop.repository.commit("ada", {f"{NOTES}/{slug}.md": text for slug, text in notes.items()})
    shop.stage.settle()


def there(shop: Shop) -> set[str]:
    paths = shop.repository.bare.paths(shop.repository.tip())
    return {p.removeprefix(f"{NOTES}/") for p in paths if p.startswith(NOTES)}


def found(shop: Shop) -> set[str]:
    """Which notes search still finds by a word of theirs."""
    answer = shop.stage.server.index.search("queue", frozenset({shop.repository.id}))
    return {hit.path.removeprefix(f"{NOTES}/") for hit in answer.hits if hit.exact}


def subjects(shop: Shop) -> list[str]:
    commits = shop.repository.bare.commits(shop.repository.tip())
    messages = [commit.message.splitlines()[0] for commit in commits]
    return [message for message in messages if message.startswith("docs(notes)")]


def sweep(shop: Shop) -> None:
    """The daily look at the notes, in this repository alone."""
    shop.stage.server.note_wants.add(shop.repository.id, LookAtAll(), shop.stage.clock())
    shop.stage.settle()


def said(shop: Shop, number: int) -> list[str]:
    def ours(comment: Comment) -> bool:
        return comment.number == number and comment.app is not None

    comments = filter(ours, shop.repository.comments.values())
    return [comment.body.partition("\n\n<!--")[0] for comment in comments]


def test_a_context_note_is_flagged_at_the_close_and_deleted_after_the_grace(shop: Shop) -> None:
    issue = shop.repository.open_issue("ada", "The queue is slow").number
    write(shop, slow=context(f"#{issue}"), other=context("#99"), port="---\nkind: reference\n---\n")
    shop.repository.close_issue(issue, "ada")
    shop.stage.settle()
    assert subjects(shop) == ["docs(notes): 1 flagged"]
    notice = (
        "1 note ends with this:\n\n- `.agent-corp/notes/slow.md`: Why the queue is slow\n\n"
        "Does anything in it deserve to become a lesson? Then say it here: `/lesson TEXT`."
        f" It is deleted after {shop.today(7)}, unless this is open again by then."
    )
    assert said(shop, issue) == [notice]

    assert found(shop) == {"slow.md", "other.md"}
    shop.pass_time(days=6)
    sweep(shop)
    assert there(shop) == {"slow.md", "other.md", "port.md"}
    shop.pass_time(days=1, minutes=1)
    shop.repository.commit("ada", {"src/new.py": "a = 1\n"})
    shop.stage.settle()
    assert "slow.md" in there(shop)  # only the sweep deletes

    shop.stage.server.housekeeping()
    shop.stage.settle()
    assert there(shop) == {"other.md", "port.md"}
    assert subjects(shop) == ["docs(notes): 1 flagged", "docs(notes): 1 deleted"]
    assert found(shop) == {"other.md"}
    assert said(shop, issue)[0].startswith("Deleted in ")
    sweep(shop)
    assert len(subjects(shop)) == 2


def test_reopening_cancels_and_the_next_close_counts_anew(shop: Shop) -> None:
    issue = shop.repository.open_issue("ada", "The queue is slow").number
    write(shop, slow=context(f"#{issue}"))
    shop.repository.close_issue(issue, "ada")
    shop.stage.settle()
    shop.pass_time(days=6)
    shop.repository.reopen_issue(issue, "ada")
    shop.stage.settle()
    assert subjects(shop)[-1] == "docs(notes): 1 rescued"
    (notice,) = said(shop, issue)
    assert notice == (
        "This is open again, so these notes stay:\n\n"
        "- `.agent-corp/notes/slow.md`: Why the queue is slow"
    )

    shop.pass_time(days=2)
    sweep(shop)
    assert there(shop) == {"slow.md"}
    shop.repository.close_issue(issue, "ada")
    shop.stage.settle()
    shop.pass_time(days=6)
    sweep(shop)
    assert there(shop) == {"slow.md"}
    shop.pass_time(days=1, minutes=1)
    sweep(shop)
    assert there(shop) == set()


@pytest.mark.parametrize("way", ["merge", "close"])
def test_a_context_note_ends_with_a_pull_request_too(shop: Shop, way: str) -> None:
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    write(shop, here=context(f"#{pull.number}"))
    pull.merge("ada") if way == "merge" else pull.close("ben")
    shop.stage.settle()
    assert subjects(shop) == ["docs(notes): 1 flagged"]
    assert len(said(shop, pull.number)) == 1


def test_deliveries_in_any_order_and_often_come_to_the_same(playing: Stage) -> None:
    ends = []
    for order in ((0, 1, 2), (2, 1, 0, 2), (1, 2, 2, 0)):
        shop = make_shop(playing)
        issue = shop.repository.open_issue("ada", "The queue is slow").number
        write(shop, slow=context(f"#{issue}"))
        shop.repository.close_issue(issue, "ada")
        shop.repository.reopen_issue(issue, "ada")
        shop.repository.close_issue(issue, "ben")
        sent = playing.forge.take_deliveries()
        for place in order:
            playing.send([sent[place]], fresh=True)
            playing.settle()
        ends.append((there(shop), subjects(shop)))
    assert ends == [({"slow.md"}, ["docs(notes): 1 flagged"])] * 3


def test_what_was_closed_while_the_bot_was_down_is_found_by_the_sweep(shop: Shop) -> None:
    gone, kept = (shop.repository.open_issue("ada", title).number for title in ("A", "B"))
    write(shop, gone=context(f"#{gone}"), kept=context(f"#{kept}"))
    for issue in (gone, kept):
        shop.repository.close_issue(issue, "ada")
    shop.repository.reopen_issue(kept, "ada")
    shop.stage.forge.take_deliveries()
    shop.pass_time(days=30)

    sweep(shop)
    assert there(shop) == {"gone.md", "kept.md"}  # nobody was told of it yet
    (notice,) = said(shop, gone)
    assert f"deleted after {shop.today(7)}" in notice  # people have the whole grace to act
    shop.pass_time(days=6)
    sweep(shop)
    assert there(shop) == {"gone.md", "kept.md"}
    shop.pass_time(days=2)
    sweep(shop)
    assert there(shop) == {"kept.md"}


def test_a_note_that_names_no_job_there_stays_and_holds_no_other_back(shop: Shop) -> None:
    issue, whole = shop.repository.open_issue("ada", "Slow").number, shop.repository.full_name
    write(
        shop,
        a=context("#999"),
        b=context(f"#{issue}"),
        c="---\nkind: context\n---\n",
        d=context(f"{whole}#{issue}"),  # the same job
    )
    shop.repository.close_issue(issue, "ada")
    shop.stage.settle()
    (notice,) = said(shop, issue)
    assert notice.startswith("2 notes end with this:")
    shop.pass_time(days=8)
    sweep(shop)
    assert there(shop) == {"a.md", "c.md"}


def test_a_job_of_another_repository_of_the_owner_is_followed_and_told_nothing(
    playing: Stage,
) -> None:
    shop, pay = make_shop(playing), make_shop(playing)
    issue = pay.repository.open_issue("ada", "Pay is slow").number
    pay.repository.commit("ada", {"a": "b"})
    playing.settle()  # the bot heard of it
    write(shop, pay=context(f"{pay.repository.full_name}#{issue}"))
    pay.repository.close_issue(issue, "ada")
    sweep(shop)
    assert subjects(shop) == ["docs(notes): 1 flagged"]
    assert said(pay, issue) == []
    shop.pass_time(days=8)
    sweep(shop)
    assert there(shop) == set()


# --- stories ------------------------------------------------------------------------------------


def with_stories(shop: Shop) -> None:
    shop.repository.commit(
        "ada", {"src/queue/run.py": "a = 1\n" * 20, "src/queue/keep.py": "b = 2\n" * 20}
    )
    write(
        shop,
        lost=STORY.format("src/queue/", "The queue lost jobs"),
        twice=STORY.format("src/queue/run.py", "The queue ran jobs twice"),
        other=STORY.format("billing", "Billing rounds down"),
    )


def checklist(shop: Shop) -> int:
    (found,) = [i.number for i in shop.repository.issues.values() if i.app is not None]
    return found


def tick(shop: Shop, slug: str, by: str) -> None:
    number = checklist(shop)
    body = shop.repository.issues[number].body
    line = f"- [ ] `{NOTES}/{slug}.md`"
    assert line in body
    shop.repository.edit_issue(number, by, body=body.replace(line, line.replace("[ ]", "[x]")))
    shop.stage.settle()


def test_a_deleted_directory_opens_a_checklist_and_deletes_nothing(shop: Shop) -> None:
    with_stories(shop)
    shop.repository.commit("ben", {"src/queue/run.py": None, "src/queue/keep.py": None})
    shop.stage.settle()
    issue = shop.repository.issues[checklist(shop)]
    assert issue.title == "Which notes end with src/queue?"
    assert issue.body.partition("\n\n<!--")[0] == (
        "The directory `src/queue` is no longer on the default branch. These notes are about"
        " `src/queue`. Tick those that nobody needs any more: whoever may write here can, and each"
        " ticked note is deleted at once. What is not ticked stays; close this when you are done."
        "\n\n- [ ] `.agent-corp/notes/lost.md`: The queue lost jobs"
        "\n- [ ] `.agent-corp/notes/twice.md`: The queue ran jobs twice"
    )
    shop.pass_time(days=100)
    sweep(shop)
    assert there(shop) == {"lost.md", "twice.md", "other.md"}
    assert len(shop.repository.issues) == 1


def test_a_tick_of_somebody_who_writes_here_deletes_that_note_alone(shop: Shop) -> None:
    shop.repository.set_permission("rob", Permission.READ)
    shop.repository.set_permission("helper", Permission.WRITE)
    with_stories(shop)
    shop.repository.commit("ben", {"src/queue/run.py": None, "src/queue/keep.py": None})
    shop.stage.settle()
    for by in ("rob", "helper"):
        before = shop.repository.issues[checklist(shop)].body
        tick(shop, "lost", by)
        assert "lost.md" in there(shop)
        shop.repository.issues[checklist(shop)].body = before

    tick(shop, "lost", "ada")
    assert there(shop) == {"twice.md", "other.md"}
    assert subjects(shop) == ["docs(notes): 2 flagged", "docs(notes): 1 deleted"]
    assert shop.repository.issues[checklist(shop)].closed_at is None
    tick(shop, "twice", "ada")
    assert there(shop) == {"other.md"}
    assert shop.repository.issues[checklist(shop)].closed_at is not None
    assert [body.partition(",")[0][:11] for body in said(shop, checklist(shop))] == [
        "Deleted in "
    ] * 2


def test_a_moved_directory_ends_nothing(shop: Shop) -> None:
    with_stories(shop)
    shop.repository.commit(
        "ben",
        moves={"src/queue/run.py": "src/jobs/run.py", "src/queue/keep.py": "src/jobs/keep.py"},
    )
    shop.stage.settle()
    assert shop.repository.issues == {}


def test_a_subject_is_retired_by_a_command(shop: Shop) -> None:
    with_stories(shop)
    talk = shop.repository.open_issue("ada", "We stopped billing").number
    for by, text in (("eve", "billing"), ("ada", "Shipping"), ("ada", "Billing")):
        shop.repository.comment(talk, by, f"/lessons subject-retired {text}")
        shop.stage.settle()
    number = max(shop.repository.issues)
    _denied, none, listed = said(shop, talk)
    assert none == (
        "No story names `Shipping` as its subject, so nothing ends with it."
        " A subject is written as in the note's front matter."
    )
    assert listed == f"#{number} lists 1 note about it. A ticked note is deleted."
    assert f"- [ ] `{NOTES}/other.md`: Billing rounds down" in shop.repository.issues[number].body
    assert there(shop) == {"lost.md", "twice.md", "other.md"}


def test_where_issues_are_turned_off_the_asker_is_told_and_context_goes_on(shop: Shop) -> None:
    with_stories(shop)
    pull = shop.repository.open_pull_request("ben", {"src/db.py": "a = 1\n"})
    write(shop, slow=context(f"#{pull.number}"))
    path = f"/repos/{shop.repository.full_name}/issues"
    turned_off = "Issues has been disabled in this repository."
    shop.stage.github.fail_next("POST", path, 410, message=turned_off)
    shop.repository.comment(pull.number, "ada", "/lessons subject-retired billing")
    pull.merge("ada")
    shop.stage.settle()
    notice, answer = sorted(said(shop, pull.number))  # both come of one look, in either order
    assert answer.startswith("The notes could not be changed: ")
    assert "disabled" in answer
    assert notice.startswith("1 note ends with this:")
    assert shop.repository.issues == {}


def test_a_closed_checklist_comes_back_by_a_command_alone(shop: Shop) -> None:
    with_stories(shop)
    shop.repository.commit("ben", {"src/queue/run.py": None, "src/queue/keep.py": None})
    shop.stage.settle()
    number = checklist(shop)
    shop.repository.close_issue(number, "ada")
    write(shop, late=STORY.format("src/queue", "The queue was slow"))
    sweep(shop)
    assert shop.repository.issues[number].closed_at is not None
    shop.repository.comment(number, "ada", "/lessons subject-retired src/queue/")
    shop.stage.settle()
    issue = shop.repository.issues[number]
    assert issue.closed_at is None
    assert issue.body.count("- [ ] ") == 3


# --- where commits go through pull requests -----------------------------------------------------


def proposals(shop: Shop) -> list[SandboxPullRequest]:
    return [p for p in shop.repository.pulls.values() if p.head == "lessonkeeper/notes"]


def test_notes_are_deleted_by_the_merge_of_a_proposal_and_reopening_withdraws_it(
    playing: Stage,
) -> None:
    shop = make_shop(playing, "commit_every: 0\nmode: pull_request\n")
    over, back = (shop.repository.open_issue("ada", title).number for title in ("A", "B"))
    write(shop, over=context(f"#{over}"), back=context(f"#{back}"))
    for issue in (over, back):
        shop.repository.close_issue(issue, "ada")
    shop.stage.settle()
    assert (proposals(shop), len(said(shop, over))) == ([], 1)
    shop.pass_time(days=8)
    sweep(shop)
    (pull,) = proposals(shop)
    assert pull.title == "docs(notes): 2 deleted"
    assert there(shop) == {"over.md", "back.md"}

    shop.repository.reopen_issue(back, "ada")
    shop.stage.settle()
    assert pull.title == "docs(notes): 1 deleted"
    pull.merge("ada")
    shop.stage.settle()
    sweep(shop)
    assert there(shop) == {"back.md"}
    assert len(proposals(shop)) == 1


def test_a_tick_is_proposed_and_what_was_declined_is_not_proposed_again(playing: Stage) -> None:
    shop = make_shop(playing, "commit_every: 0\nmode: pull_request\n")
    issue = shop.repository.open_issue("ada", "A").number
    write(shop, over=context(f"#{issue}"))
    with_stories(shop)
    shop.repository.comment(issue, "ada", "/lessons subject-retired billing")
    shop.repository.close_issue(issue, "ada")
    shop.stage.settle()
    shop.pass_time(days=8)
    sweep(shop)
    tick(shop, "other", "ada")
    (pull,) = proposals(shop)
    assert pull.title == "docs(notes): 2 deleted"
    assert said(shop, checklist(shop)) == [
        f"Commits go through pull requests here: #{pull.number} deletes what is ticked."
    ]
    pull.close("ada")
    shop.stage.settle()
    shop.pass_time(days=1)
    sweep(shop)
    assert len(proposals(shop)) == 1
    assert there(shop) == {"over.md", "lost.md", "twice.md", "other.md"}


def test_a_branch_that_people_use_is_left_alone(playing: Stage) -> None:
    shop = make_shop(playing, "commit_every: 0\nmode: pull_request\n")
    shop.repository.open_pull_request("ada", {"a.txt": "mine\n"}, branch="lessonkeeper/notes")
    theirs = shop.repository.tip("lessonkeeper/notes")
    issue = shop.repository.open_issue("ada", "A").number
    write(shop, over=context(f"#{issue}"))
    shop.repository.close_issue(issue, "ada")
    shop.stage.settle()
    shop.pass_time(days=8)
    sweep(shop)
    assert shop.repository.tip("lessonkeeper/notes") == theirs


def test_commits_of_people_on_a_proposal_are_not_made_undone(playing: Stage) -> None:
    shop = make_shop(playing, "commit_every: 0\nmode: pull_request\n")
    first, second = (shop.repository.open_issue("ada", title).number for title in "AB")
    write(shop, one=context(f"#{first}"), two=context(f"#{second}"))
    shop.repository.close_issue(first, "ada")
    shop.stage.settle()
    shop.pass_time(days=8)
    sweep(shop)
    (pull,) = proposals(shop)
    theirs = pull.push("ada", {"a.txt": "mine\n"})
    shop.repository.close_issue(second, "ada")
    shop.stage.settle()
    shop.pass_time(days=8)
    sweep(shop)
    assert pull.head_sha == theirs
    pull.close("ada")
    sweep(shop)
    assert [each.title for each in proposals(shop)][1:] == ["docs(notes): 1 deleted"]
