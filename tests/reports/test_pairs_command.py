"""`report pairs` as a person calls it: judging in the terminal, pictures, drift, exit status."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.reports.conftest import Caller

WAIT = "Wait for every CI job of the pull request before giving a verdict."
WAIT_AGAIN = "Wait for each CI job of a pull request before you give the verdict."
NEVER_WAIT = "Never wait for every CI job of the pull request before giving a verdict."
PIN = "Pin the version of the formatter in the lock file of the repository."
HEAD = "a\tb\tlabel\n"


@pytest.fixture
def lessons(caller: Caller) -> str:
    return caller.write("one.md", f"- {WAIT}\n- {WAIT_AGAIN}\n- {NEVER_WAIT}\n- {PIN}\n")


def labels(caller: Caller, name: str = "labels.tsv") -> list[list[str]]:
    text = (caller.place / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


def asked(screen: str) -> list[frozenset[str]]:
    """The pairs that were asked about, in order."""
    lines = [line.strip() for line in screen.splitlines()]
    firsts = [line.partition("a: ")[2] for line in lines if line.startswith("a: ")]
    seconds = [line.partition("b: ")[2] for line in lines if line.startswith("b: ")]
    return [frozenset(pair) for pair in zip(firsts, seconds, strict=True)]


def test_a_person_judges_the_pairs_nearest_to_the_line_and_the_report_knows_at_once(
    caller: Caller, lessons: str
) -> None:
    answer = caller.report(
        "pairs", lessons, "--labels", "labels.tsv", "--label", typed="x\ns\n\nq\n"
    )
    first, second, third = asked(answer.err)
    assert len({first, second, third}) == 3
    assert labels(caller)[0] == ["a", "b", "label"]
    assert [frozenset(row[:2]) for row in labels(caller)[1:]] == [first]
    assert labels(caller)[1][2] == "same"
    assert "1 judged; they are kept in labels.tsv." in answer.err
    assert "## Against 1 labelled pairs" in answer.out


def test_judging_goes_on_where_it_was_left(caller: Caller, lessons: str) -> None:
    call = ("pairs", lessons, "--labels", "labels.tsv", "--label")
    before = asked(caller.report(*call, typed="d\no\n").err)  # the input ends: so does judging
    after = asked(caller.report(*call, typed="d\n" * 9).err)
    assert set(before[:2]).isdisjoint(after)
    assert len(labels(caller)) == 1 + 6  # every pair of four bullets
    assert asked(caller.report(*call).err) == []


def test_who_judges_nothing_gets_the_report_all_the_same(caller: Caller, lessons: str) -> None:
    call = ("pairs", lessons, "--labels", "labels.tsv", "--label")
    for _ in range(2):
        answer = caller.report(*call, typed="q\n")
        assert answer.status == 0
        assert "# Pair report" in answer.out
        assert len(asked(answer.err)) == 1


class _Interrupting(io.StringIO):
    """Types one answer, then Ctrl-C."""

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline()
        if not line:
            raise KeyboardInterrupt
        return line


def test_ctrl_c_loses_nothing(caller: Caller, lessons: str) -> None:
    answer = caller.report(
        "pairs", lessons, "--labels", "labels.tsv", "--label", typed=_Interrupting("s\n")
    )
    assert answer.status == 0
    assert len(labels(caller)) == 2
    assert "1 judged" in answer.err


def test_labels_that_are_there_stay_byte_for_byte_with_columns_of_their_own(
    caller: Caller, lessons: str
) -> None:
    theirs = f"label\twho\tb\ta\nsame\tann\t{WAIT}\t{PIN}"  # no line ending
    caller.write("labels.tsv", theirs)
    caller.report("pairs", lessons, "--labels", "labels.tsv", "--label", typed="o\n")
    text = (caller.place / "labels.tsv").read_text(encoding="utf-8")
    assert text.startswith(f"{theirs}\nopposite\t\t")
    answer = caller.report("pairs", "--labels", "labels.tsv", "--json")
    assert answer.status == 0
    assert answer.json["rule"]["merged"] in (0, 1)


def test_json_is_one_document_while_a_person_is_asked(caller: Caller, lessons: str) -> None:
    answer = caller.report(
        "pairs", lessons, "--labels", "labels.tsv", "--label", "--json", typed="s\n"
    )
    assert answer.json["command"] == "python app.py report pairs one.md --labels labels.tsv"


@pytest.mark.parametrize(
    "call",
    [
        (),
        ("--label", "--labels", "labels.tsv"),
        ("one.md", "--label"),
        ("one.md", "--plot", "a.pdf"),
        ("one.md", "--plot", "nowhere/a.png"),
        ("one.md", "--against", "none.json"),
        ("one.md", "--labels", "nowhere/labels.tsv", "--label"),
        ("none.md",),
    ],
)
def test_wrong_calls(caller: Caller, lessons: str, call: tuple[str, ...]) -> None:
    answer = caller.report("pairs", *call, typed="s\n")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err


def test_drift_against_a_saved_report_is_exit_status_1(caller: Caller) -> None:
    alike = [f"- Keep part {n} of the module apart from all others always.\n" for n in range(21)]
    unlike = [f"- a{n} b{n} c{n} d{n} e{n} f{n} g{n} h{n}\n" for n in range(21)]
    caller.write("then.md", "".join(alike))
    caller.write("now.md", "".join(unlike))
    day = caller.report("pairs", "then.md", "--json")
    caller.write("day.json", day.out)
    assert caller.report("pairs", "then.md", "--against", "day.json").status == 0
    drifted = caller.report("pairs", "now.md", "--against", "day.json", "--json")
    assert drifted.status == 1
    assert drifted.json["drift"]["alarm"] is True
    assert drifted.json["drift"]["distance"] == 1.0


def png_size(data: bytes) -> tuple[int, int]:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_the_picture_has_a_panel_for_each_file_and_one_for_the_labels(
    caller: Caller, lessons: str
) -> None:
    caller.write("two.md", f"- {WAIT}\n")
    caller.write("labels.tsv", f"{HEAD}{WAIT}\t{WAIT_AGAIN}\tsame\n")
    one = caller.report("pairs", lessons, "--plot", "one.png")
    assert (one.status, png_size((caller.place / "one.png").read_bytes())[0]) == (0, 768)
    call = ("pairs", lessons, "two.md", "--labels", "labels.tsv", "--plot", "all.svg")
    assert caller.report(*call).status == 0
    drawn = (caller.place / "all.svg").read_bytes()
    words = "".join(ElementTree.fromstring(drawn).itertext())
    for each in ("one.md", "two.md", "floor 0.25", "precision of the rule", "1 labelled pairs"):
        assert each in words
    assert caller.report(*call).status == 0
    assert (caller.place / "all.svg").read_bytes() == drawn  # the same report, the same file


def test_nothing_but_a_picture_loads_the_plotting_library() -> None:
    code = (
        "import sys, app, bot.reports.picture; "
        "sys.exit('matplotlib' in sys.modules or 'numpy' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
