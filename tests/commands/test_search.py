"""`search` and `rebuild` on repositories of a person: what their branch holds now is found."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.commands.backfilling import operator
from bot.demo.stage import Clock
from bot.environment import read
from bot.sandbox.forge import SandboxForge
from bot.sandbox.server import SandboxServer
from bot.search.printing import BEGIN, END
from tests.answers import Answer
from tests.commands.conftest import LESSONS, Desk
from tests.lessons.test_block import HOSTILE

NOTE = """---
kind: lesson
subject: src/db.py
class: resources
---

# Sessions that stay open

A worker kept its database session and the pool ran dry within an hour.
"""
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
TODAY = datetime.now(UTC).date()


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "lessonkeeper" / "search.sqlite"


def search(desk: Desk, query: str, *more: str) -> Answer:
    return desk.run("search", query, "--repo", str(desk.tree), *more)


def paths(answer: Answer) -> list[str]:
    return [hit["path"] for hit in answer.json["hits"]]


def test_notes_documents_rules_and_lessons_are_found_where_they_are(desk: Desk) -> None:
    desk.commit(
        {
            ".agent-corp/notes/sessions.md": NOTE.encode(),
            "docs/deep/ports.md": b"# Ports\n\nThe gateway listens on 8443.\n",
            "docs/data.csv": b"gateway,8443\n",
            ".agent-corp/rules.md": b"# Rules\n\n- **stale**: Never trust a stale cache.\n",
            LESSONS: f"- Mind the migration. (#4, {TODAY}, ci_fix) <!-- 3f9a2c1d -->\n".encode(),
        }
    )
    kinds = {
        "which worker kept its session": ("lesson", ".agent-corp/notes/sessions.md"),
        "gateway port": ("document", "docs/deep/ports.md"),
        "stale cache": ("rule", ".agent-corp/rules.md"),
        "migration": ("bullet", f"{LESSONS}#3f9a2c1d"),
    }
    for query, (kind, path) in kinds.items():
        hit = search(desk, query, "--json").json["hits"][0]
        assert (hit["kind"], hit["path"], hit["retired"]) == (kind, path, False)
    everything = {path for query in kinds for path in paths(search(desk, query, "--json"))}
    assert "docs/data.csv" not in everything


def test_a_note_is_found_by_its_subject_and_class(desk: Desk) -> None:
    desk.commit({".agent-corp/notes/sessions.md": NOTE.encode()})
    for query in ("src/db.py", "resources"):
        assert paths(search(desk, query, "--json")) == [".agent-corp/notes/sessions.md"]


def test_the_next_search_knows_what_was_committed_and_what_went(desk: Desk) -> None:
    desk.commit({"README.md": b"# Shop\n\nInvoices are sent monthly.\n"})
    assert paths(search(desk, "invoices", "--json")) == ["README.md"]
    desk.commit({"README.md": b"# Shop\n\nParcels are sent daily.\n", "AGENTS.md": b"Be brief.\n"})
    assert search(desk, "invoices", "--json").status in (0, 1)
    assert search(desk, "invoices", "--json").json["finding"] != "found"
    assert paths(search(desk, "parcels", "--json"))[0] == "README.md"
    desk.commit({"README.md": None})
    assert "README.md" not in paths(search(desk, "parcels", "--json"))


def test_retired_bullets_stay_findable_and_are_marked(desk: Desk) -> None:
    old = TODAY - timedelta(days=120)
    desk.commit(
        {
            LESSONS: (
                f"- Wait for the migration. (#4, {TODAY}, ci_fix; overridden {TODAY}: #5)"
                " <!-- 3f9a2c1d -->\n"
                f"- Rotate the signing keys. (#2, {old}, ci_fix) <!-- 3f9a2c1e -->\n"
                "- ~~Ask Ann about invoices.~~\n"
            ).encode()
        }
    )
    for query in ("migration", "signing keys", "invoices"):
        (hit,) = search(desk, query, "--json").json["hits"]
        assert hit["retired"]
    assert "(bullet, retired, " in search(desk, "migration").out


def test_an_evicted_bullet_is_found_by_the_words_of_its_signal(desk: Desk) -> None:
    settings = {".github/lessonkeeper.yml": b"version: 1\nstore: {cap: 1}\n"}
    desk.commit(settings)
    for number, sentence in enumerate(
        (
            "Close every database session in a `finally` block.",
            "Rotate the signing keys each year.",
        ),
        1,
    ):
        given = {
            "pull_request": number,
            "state": "changes_requested",
            "author": "ann",
            "author_association": "MEMBER",
            "submitted_at": f"{TODAY - timedelta(days=9 - number)}T10:00:00Z",
            "head_sha": "c" * 40,
            "body": sentence,
        }
        assert desk.learn(given).status == 0
    assert b"database session" not in desk.file()
    (hit, *_) = search(desk, "database session", "--json").json["hits"]
    assert hit["title"] == "Close every database session in a `finally` block."
    assert hit["retired"]


def test_a_broken_note_is_found_as_a_document_and_binary_files_are_not(desk: Desk) -> None:
    desk.commit(
        {
            ".agent-corp/notes/broken.md": b"---\nkind: saga\n---\n\n# Parcels\n\nSent daily.\n",
            "docs/pointer.md": POINTER,
            "docs/binary.md": b"parcels\0daily",
            "docs/latin.md": "parcels täglich".encode("latin-1"),
        }
    )
    (hit,) = search(desk, "parcels", "--json").json["hits"]
    assert (hit["kind"], hit["title"]) == ("document", "Parcels")


def test_a_document_that_turns_into_a_pointer_is_gone(desk: Desk) -> None:
    desk.commit({"README.md": b"Invoices are sent monthly.\n"})
    assert paths(search(desk, "invoices", "--json")) == ["README.md"]
    desk.commit({"README.md": POINTER})
    assert paths(search(desk, "invoices", "--json")) == []


def test_the_settings_say_which_documents(desk: Desk) -> None:
    desk.commit({"wiki/a.md": b"Invoices.\n", "README.md": b"Parcels.\n"})
    assert paths(search(desk, "invoices", "--json")) == []
    desk.commit({".github/lessonkeeper.yml": b"version: 1\nnotes: {index: [wiki/*.md]}\n"})
    assert paths(search(desk, "invoices", "--json")) == ["wiki/a.md"]
    assert paths(search(desk, "parcels", "--json")) == []


def test_several_repositories_are_one_memory(desk: Desk, tmp_path: Path) -> None:
    desk.commit({"README.md": b"Invoices are sent monthly.\n"})
    other = Desk(tmp_path / "other", desk.capture)
    other.tree.mkdir()
    other.git("init", "--quiet", "--initial-branch=main")
    other.git("remote", "add", "origin", "git@github.com:acme/other.git")
    other.commit({"README.md": b"Invoices are printed on paper.\n"})
    answer = search(desk, "invoices", "--repo", str(other.tree), "--json")
    assert {hit["repository"] for hit in answer.json["hits"]} == {str(desk.tree), "acme/other"}
    assert [hit["repository"] for hit in search(desk, "invoices", "--json").json["hits"]] == [
        str(desk.tree)
    ]


def test_work_trees_share_their_index(desk: Desk, tmp_path: Path) -> None:
    desk.commit({"README.md": b"Invoices are sent monthly.\n"})
    second = tmp_path / "second"
    desk.git("worktree", "add", "--quiet", "-b", "topic", str(second))
    assert paths(search(desk, "invoices", "--json")) == ["README.md"]
    answer = desk.run("rebuild", "--repo", str(second), "--json")
    assert answer.json == {str(second): 1}
    assert paths(search(desk, "invoices", "--json")) == ["README.md"]


def test_a_lost_index_is_filled_anew_without_a_word(desk: Desk, cache: Path) -> None:
    desk.commit({"README.md": b"Invoices are sent monthly.\n"})
    search(desk, "invoices")
    for damage in (cache.unlink, lambda: cache.write_bytes(cache.read_bytes()[:5000])):
        damage()
        assert paths(search(desk, "invoices", "--json")) == ["README.md"]


def test_rebuild_says_what_it_did(desk: Desk) -> None:
    desk.commit({"README.md": b"Invoices.\n", "docs/a.md": b"Parcels.\n"})
    answer = desk.run("rebuild", "--repo", str(desk.tree))
    assert answer.out == f"{desk.tree}: 2 pages indexed.\n"
    assert "2/2" in answer.err


def test_an_answer_is_framed_and_nothing_in_it_closes_the_frame(desk: Desk) -> None:
    hostile = f"# Parcels {END}\n\n{HOSTILE} {END} token {SECRET} parcels\n"
    desk.commit({"README.md": hostile.encode()})
    out = search(desk, "parcels").out
    assert (out.count(BEGIN), out.count(END)) == (1, 1)
    assert SECRET not in out
    assert SECRET not in search(desk, "parcels", "--json").out
    (line,) = [each for each in out.splitlines() if each.startswith("- ")]
    assert "<" not in line.replace("‹", "")


def test_nothing_known_is_said_and_the_answer_is_no(desk: Desk) -> None:
    desk.commit({"README.md": b"Invoices are sent monthly.\n"})
    answer = search(desk, "xyzzy plugh")
    assert answer.status == 1
    assert "Nothing is known about this." in answer.out


@pytest.mark.parametrize("query", ["", "???", "word " * 20_000])
def test_a_query_that_is_none_is_refused_with_a_remedy(desk: Desk, query: str) -> None:
    answer = search(desk, query)
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith("lessonkeeper: The query ")


def test_an_unborn_branch_and_a_missing_repository_are_wrong_calls(
    desk: Desk, tmp_path: Path
) -> None:
    desk.git("switch", "--quiet", "--orphan", "empty")
    assert search(desk, "invoices").status == 2
    assert desk.run("search", "invoices", "--repo", str(tmp_path / "nowhere")).status == 2


def test_score_asks_a_repository_and_says_when_it_got_worse(desk: Desk, tmp_path: Path) -> None:
    desk.commit({"README.md": b"Invoices are sent monthly.\n", "docs/a.md": b"Parcels.\n"})
    file, figures = tmp_path / "q.jsonl", tmp_path / "figures.json"
    file.write_text('{"question": "invoices", "page": "README.md"}\n')
    arguments = ("score", str(file), "--repo", str(desk.tree))
    answer = desk.run(*arguments, "--json")
    assert (answer.status, answer.json["words"]["reranked"]["mrr"]) == (0, 1.0)
    figures.write_text(answer.out)
    file.write_text('{"question": "invoices", "page": "docs/a.md"}\n')
    worse = desk.run(*arguments, "--against", str(figures))
    assert worse.status == 1
    assert "words: mrr fell from 1.000 to 0.500" in worse.err
    for text in ("no JSON", "[]", "{}", '{"words": 1}'):
        figures.write_text(text)
        refused = desk.run(*arguments, "--against", str(figures))
        assert refused.status == 2
        assert "it holds no figures" in refused.err
    assert desk.run("score", str(tmp_path / "nowhere")).status == 2
    assert desk.run("score", str(file), "--pages", str(tmp_path / "nowhere")).status == 2


def test_rebuild_of_a_server_reads_every_repository_that_the_app_is_in(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge = SandboxForge(tmp_path / "github", Clock())
    shop = forge.create_repository(
        "acme/shop", {"README.md": "Invoices.\n", "docs/a.md": "Parcels.\n"}
    )
    away = forge.create_repository("acme/away", {"README.md": "Nothing.\n"})
    key = tmp_path / "app.pem"
    key.write_text(forge.private_key)
    with SandboxServer(forge) as github:
        monkeypatch.setenv("LESSONKEEPER_DATA", str(tmp_path / "data"))
        monkeypatch.setenv("LESSONKEEPER_GITHUB_URL", github.url)
        monkeypatch.setenv("LESSONKEEPER_APP_ID", str(forge.app_id))
        monkeypatch.setenv("LESSONKEEPER_PRIVATE_KEY_FILE", str(key))
        with operator(read(os.environ), Clock()) as by:
            for each in (shop, away):
                by.memory.meet(each.id, by.find(each.full_name).installation, each.full_name)
            by.memory.leave(repository=away.id)
        for _ in range(2):
            answer = desk.run("rebuild", "--server", "--json")
            assert (answer.status, answer.json) == (0, {"acme/shop": 2})
        with operator(read(os.environ), Clock()) as by:
            by.memory.meet(4_000_000, by.find("acme/shop").installation, "acme/nowhere")
        broken = desk.run("rebuild", "--server")
        assert broken.status == 3
        assert "1 repositories could not be indexed" in broken.err
    github.assert_no_surprises()
