"""What a settings file may say, and what a person is told where it says something else."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as checked
from hypothesis import strategies as st

from bot.errors import UserError
from bot.settings import Caps, Evidence, Refresh, Reviewer, Settings, Telegram
from bot.settings.file import MAX_PROBLEMS, problems, read, written

DOCUMENTED = Path(__file__).with_name("as_documented.yml").read_bytes()


def told(text: str | bytes) -> list[tuple[int, int, str, str]]:
    data = text.encode() if isinstance(text, str) else text
    return [(p.line, p.column, p.message, p.remedy) for p in problems(data)]


# -- what may stand there


@pytest.mark.parametrize("text", ["", "---\n", "# nothing but a comment\n", "{}", "\ufeff{}\r\n"])
def test_an_empty_file_is_every_default(text: str) -> None:
    assert read(text.encode()) == Settings()


def test_a_key_changes_itself_alone() -> None:
    text = b"\xef\xbb\xbfrefresh:\r\n  floor: 0.3\r\n  reword_floor: none\r\n"
    assert read(text) == Settings(refresh=Refresh(floor=0.3, reword_floor=None))


def test_a_fleet_run_by_one_founder() -> None:
    text = """
reviewers: [{login: me, asks: "Verdict: changes requested", passes: "Verdict: approved"}]
agents: [me]
merge_actors: [me]
founders: [me]
telegram: {chat: -1001234567890, people: {42: me}}
"""
    assert read(text.encode()) == Settings(
        reviewers=(Reviewer("me", asks="Verdict: changes requested", passes="Verdict: approved"),),
        agents=("me",),
        merge_actors=("me",),
        founders=("me",),
        telegram=Telegram(chat=-1001234567890, people={"42": "me"}),
    )


@pytest.mark.parametrize(
    ("written_as", "time"),
    [
        ("0", timedelta()),
        ("15m", timedelta(minutes=15)),
        ("24h", timedelta(hours=24)),
        ("90d", timedelta(days=90)),
    ],
)
def test_times(written_as: str, time: timedelta) -> None:
    assert read(f"commit_every: {written_as}".encode()).commit_every == time


def test_none_switches_a_value_off() -> None:
    text = """
fork: none
merged_label: none
ci_fix: none
digest: none
refresh: {reword_floor: none}
commit: {marker: none}
reviewers: [{login: octocat, asks: none, passes: none}]
"""
    settings = read(text.encode())
    assert settings.ci_fix is None
    assert settings.refresh.reword_floor is None
    assert settings.reviewers == (Reviewer("octocat"),)
    assert (settings.fork, settings.merged_label, settings.digest) == (None, None, None)
    assert settings.commit.marker is None


def test_words_that_other_yaml_readers_turn_into_values_stay_texts() -> None:
    settings = read(b"merged_label: on\nagents: [yes, 2026-11-02]\n")
    assert settings.merged_label == "on"
    assert settings.agents == ("yes", "2026-11-02")


def test_pairs_and_choices() -> None:
    settings = read(b"block: {rules: [3, 500]}\npeople: strong\nci_fix: strong\nmode: direct\n")
    assert settings.block.rules == Caps(3, 500)
    assert settings.block.bullets == Settings().block.bullets
    assert (settings.people, settings.ci_fix) == (Evidence.STRONG, Evidence.STRONG)
    assert settings.mode == "direct"


# -- the owner's defaults


def test_a_repositorys_key_replaces_the_owners_whole() -> None:
    owner = written(b"store: {cap: 10, per_review: 1}\nmode: direct\nenabled: false\n")
    settings = read(b"store: {per_review: 3}\nenabled: true\n", owner_defaults=owner)
    assert (settings.store.cap, settings.store.per_review) == (40, 3)
    assert settings.mode == "direct"
    assert settings.enabled


def test_without_a_file_of_its_own_a_repository_has_the_owners() -> None:
    assert read(b"", owner_defaults=written(b"mode: pull_request")).mode == "pull_request"


# -- what a person is told


def test_an_unknown_key_says_where_it_belongs() -> None:
    assert told("version: 1\nblock:\n  floor: 0.3\n") == [
        (3, 3, "Unknown key `floor` under `block`.", "Did you mean `refresh.floor`?")
    ]
    assert told("reviewer: []") == [(1, 1, "Unknown key `reviewer`.", "Did you mean `reviewers`?")]
    assert told("weak: {mode: direct}") == [
        (
            1,
            8,
            "Unknown key `mode` under `weak`.",
            "`mode` stands at the left margin, under no other key.",
        )
    ]
    assert told("weak: {zzz: 1}") == [
        (1, 8, "Unknown key `zzz` under `weak`.", "Known here: pull_requests, within.")
    ]


TIME = "It must be 0, or minutes, hours or days, like 15m, 24h or 90d."
LOGIN = 'It must be a login as GitHub shows it, like octocat or "dependabot[bot]" (without @).'
PATH = (
    "It must be a path inside the repository, with / between its parts and no . or .. among them."
)


@pytest.mark.parametrize(
    ("text", "column", "message", "remedy"),
    [
        ("version: 2", 10, "`version` is `2`.", "It must be 1."),
        ("version: true", 10, "`version` is `true`.", "It must be 1."),
        ("enabled: on", 10, "`enabled` is `on`.", "It must be true or false."),
        ("mode: push", 7, "`mode` is `push`.", "It must be auto, direct or pull_request."),
        ("people: none", 9, "`people` is `none`.", "It must be ignore, weak or strong."),
        ("ci_fix: ignore", 9, "`ci_fix` is `ignore`.", "It must be weak or strong, or none."),
        ("digest: mail", 9, "`digest` is `mail`.", "It must be issue or telegram, or none."),
        ("commit_every: 1w", 15, "`commit_every` is `1w`.", TIME),
        ("commit_every: 15", 15, "`commit_every` is `15`.", TIME),
        ("commit_every: 1h30m", 15, "`commit_every` is `1h30m`.", TIME),
        ("commit_every: none", 15, "`commit_every` is `none`.", TIME),
        (
            "store: {expire: 0}",
            17,
            "`store.expire` is `0`.",
            "It must be a number of days, like 90d.",
        ),
        (
            "store: {cap: 0}",
            14,
            "`store.cap` is `0`.",
            "It must be a whole number from 1 to 500.",
        ),
        (
            "store: {cap: 2.5}",
            14,
            "`store.cap` is `2.5`.",
            "It must be a whole number from 1 to 500.",
        ),
        (
            "refresh: {floor: 1.01}",
            18,
            "`refresh.floor` is `1.01`.",
            "It must be a number from 0 to 1.",
        ),
        (
            "refresh: {floor: .nan}",
            18,
            "`refresh.floor` is `.nan`.",
            "It must be a number from 0 to 1.",
        ),
        (
            "refresh: {reword_floor: off}",
            25,
            "`refresh.reword_floor` is `off`.",
            "It must be a number from 0 to 1, or none.",
        ),
        ("agents: ['@me']", 10, "`agents[0]` is `@me`.", LOGIN),
        ("agents: [12]", 10, "`agents[0]` is `12`.", LOGIN + " Put it in quotes."),
        (
            "merged_label: 12",
            15,
            "`merged_label` is `12`.",
            "It must be one line of text, at most 200 characters, or none. Put it in quotes.",
        ),
        ("agents: me", 9, "`agents` is `me`.", "It must be a list of at most 200."),
        ("fork:", 6, "`fork` has no value.", "It must be a repository as owner/name, or none."),
        (
            "block: {rules: 24}",
            16,
            "`block.rules` is `24`.",
            "It must be a pair: [items, characters].",
        ),
        (
            "block: {rules: [24, 2400, 1]}",
            16,
            "`block.rules` is a list of 3.",
            "It must be a pair: [items, characters].",
        ),
        ("include: [../CLAUDE.md]", 11, "`include[0]` is `../CLAUDE.md`.", PATH),
        ("include: [.git/config]", 11, "`include[0]` is `.git/config`.", PATH),
        ("notes: {index: [/etc]}", 17, "`notes.index[0]` is `/etc`.", PATH),
        (
            "note_prefixes: ['']",
            17,
            "`note_prefixes[0]` is ``.",
            "It must be one word without blanks, at most 40 characters.",
        ),
        (
            "telegram: {people: {bob: me}}",
            21,
            "`telegram.people` has the key `bob`.",
            "It must be a Telegram user id: digits, not the @name.",
        ),
        (
            "reviewers: [{commented: weak}]",
            13,
            "`reviewers[0]` has no `login`.",
            "Add `login: …`.",
        ),
        (
            "reviewers: [{login: a}, {login: A}]",
            33,
            "`A` stands here twice.",
            "Make one entry of the two.",
        ),
        (
            "reviewers: [{login: a, asks: x, passes: x}]",
            41,
            "The same line asks for changes and passes.",
            "Give each verdict a line of its own.",
        ),
        (
            'commit: {prefix: "a\\nb"}',
            18,
            "This value is not one line of text.",
            "Write it in one line.",
        ),
        (
            "- mode",
            1,
            "The file is a list of 1.",
            "It must hold keys with values, like mode: direct.",
        ),
    ],
)
def test_a_value_that_may_not_stand_there(
    text: str, column: int, message: str, remedy: str
) -> None:
    assert told(text) == [(1, column, message, remedy)]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (b"mode: auto\nmode: direct\n", 2, 1, "The key `mode` stands here twice."),
        (b"agents: &a [me]\nfounders: *a\n", 1, 9, "Anchors and aliases are not read."),
        (b"weak: {<<: *a}\n", 1, 12, "Anchors and aliases are not read."),
        (b"mode: !!str auto\n", 1, 7, "The tag tag:yaml.org,2002:str is not read."),
        (b"mode: !python/os.system x\n", 1, 7, "The tag !python/os.system is not read."),
        (b"a: " + b"[" * 5000, 1, 11, "This is nested too deeply."),
        (b"mode: auto\nx: \xff", 2, 4, "This is not UTF-8."),
        ("mode: auto".encode("utf-16"), 1, 1, "This is not UTF-8."),
        (b"mode: a\x00", 1, 8, "The character U+0000 may not stand here."),
        (b"mode: auto\n---\nmode: direct\n", 2, 1, "This is not YAML: but found another document."),
        (b"agents: [me[bot]]", 1, 12, "This is not YAML: expected ',' or ']', but got '['."),
        (b'mode: "\\UFFFFFFFF"', 1, 10, "This number or escape is out of range."),
        (b"#" * 65537, 1, 1, "The file has 65537 bytes; 65536 are read."),
        (b"? [a]\n: 1\n", 1, 3, "This key is not a word."),
    ],
)  # fmt: skip
def test_text_that_is_not_our_yaml(text: bytes, line: int, column: int, message: str) -> None:
    (problem,) = problems(text)
    assert (problem.line, problem.column, problem.message) == (line, column, message)
    assert problem.remedy


def test_all_problems_are_told_in_the_order_of_the_file() -> None:
    text = "version: 1\nstore: {cap: 0}\nmood: auto\nmode: fast\n"
    assert [(p.line, p.column) for p in problems(text.encode())] == [(2, 14), (3, 1), (4, 7)]
    assert len(problems(b"".join(b"k%d: 1\n" % i for i in range(5000)))) == MAX_PROBLEMS


def test_reading_fails_with_the_first_problem_and_the_number_of_the_rest() -> None:
    with pytest.raises(UserError) as caught:
        read(b"store: {cap: 0}\nmode: fast\n")
    assert str(caught.value) == (
        ".github/lessonkeeper.yml:1:14: `store.cap` is `0`. "
        "It must be a whole number from 1 to 500. (1 more problem in this file.)"
    )
    with pytest.raises(UserError) as caught:
        read(b"mode: fast\n", file="acme/.github: .github/lessonkeeper.yml")
    assert caught.value.file == "acme/.github: .github/lessonkeeper.yml"
    assert (caught.value.line, caught.value.column) == (1, 7)


# -- any input


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8")))
def test_any_bytes_give_settings_or_a_persons_error(data: bytes) -> None:
    assert_read_or_refused(data)


@checked(max_examples=100)
@given(
    st.integers(0, len(DOCUMENTED)),
    st.integers(0, 60),
    st.sampled_from(
        [
            "",
            ":",
            "[",
            "{",
            "}",
            "- ",
            "&a ",
            "*a",
            "!!x ",
            "'",
            '"',
            "\n",
            "\t",
            "%",
            "|",
            "1",
            "…",
        ]
    ),
)
def test_any_damage_to_a_good_file_gives_settings_or_a_persons_error(
    start: int, length: int, put: str
) -> None:
    assert_read_or_refused(DOCUMENTED[:start] + put.encode() + DOCUMENTED[start + length :])


def assert_read_or_refused(data: bytes) -> None:
    found = problems(data)
    if not found:
        assert isinstance(read(data), Settings)
        return
    with pytest.raises(UserError) as caught:
        read(data)
    assert caught.value.remedy
    assert (caught.value.line or 0) >= 1
    assert (caught.value.column or 0) >= 1
