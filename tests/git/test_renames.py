"""A deleted file is looked for among the added ones, and only the compared blobs are fetched."""

from __future__ import annotations

import pytest

from bot.git.mirror import Mirror
from bot.git.renames import CANDIDATES, Fate, Whereabouts, renamed_to
from tests.git.conftest import Person, git

TEXT = b"".join(b"a line with number %d\n" % n for n in range(100))
EDITED = TEXT.replace(b"number 1", b"figure 1")  # a tenth of the lines
HALF_EDITED = b"".join(
    b"quite another one, %d\n" % n if n % 10 < 3 else b"a line with number %d\n" % n
    for n in range(100)
)


def moved(ann: Person, mirror: Mirror, path: str, changes: dict[str, bytes | None]) -> Whereabouts:
    before = mirror.fetch("main")
    ann.commit(changes)
    after = mirror.fetch("main")
    assert before
    assert after
    return renamed_to(mirror.clone, path, before, after)


@pytest.fixture
def with_text(ann: Person) -> Person:
    ann.commit({"src/text.py": TEXT, "src/twin.py": b"twin\n", "src/__init__.py": b""})
    return ann


def test_an_equal_file_elsewhere_is_the_same_file(with_text: Person, mirror: Mirror) -> None:
    found = moved(with_text, mirror, "src/text.py", {"src/text.py": None, "lib/other.py": TEXT})
    assert found == Whereabouts(Fate.MOVED, "lib/other.py")


def test_a_moved_file_with_a_third_of_its_lines_changed(with_text: Person, mirror: Mirror) -> None:
    found = moved(
        with_text, mirror, "src/text.py", {"src/text.py": None, "src/core/text.py": HALF_EDITED}
    )
    assert found == Whereabouts(Fate.MOVED, "src/core/text.py")


def test_the_same_name_goes_before_the_more_similar(with_text: Person, mirror: Mirror) -> None:
    changes = {"src/text.py": None, "lib/text.py": HALF_EDITED, "lib/copy.py": EDITED}
    assert moved(with_text, mirror, "src/text.py", changes).path == "lib/text.py"


def test_without_the_name_the_most_similar_is_it(with_text: Person, mirror: Mirror) -> None:
    changes = {"src/text.py": None, "lib/a.py": HALF_EDITED, "lib/b.py": EDITED}
    assert moved(with_text, mirror, "src/text.py", changes).path == "lib/b.py"


def test_what_is_less_than_half_similar_is_another_file(with_text: Person, mirror: Mirror) -> None:
    changes = {"src/text.py": None, "lib/text.py": b"nothing of it\n" * 100}
    assert moved(with_text, mirror, "src/text.py", changes) == Whereabouts(Fate.GONE)


def test_a_plain_deletion_is_gone(with_text: Person, mirror: Mirror) -> None:
    assert moved(with_text, mirror, "src/text.py", {"src/text.py": None}).fate is Fate.GONE


def test_another_case_is_the_same_file_whatever_it_holds(with_text: Person, mirror: Mirror) -> None:
    found = moved(with_text, mirror, "src/text.py", {"src/text.py": None, "src/Text.py": b"x\n"})
    assert found == Whereabouts(Fate.MOVED, "src/Text.py")


def test_two_equal_files_of_other_names_leave_a_doubt(with_text: Person, mirror: Mirror) -> None:
    changes = {"src/text.py": None, "lib/a.py": TEXT, "lib/b.py": TEXT}
    assert moved(with_text, mirror, "src/text.py", changes).fate is Fate.DOUBTFUL


def test_an_empty_file_proves_no_move(with_text: Person, mirror: Mirror) -> None:
    changes = {"src/__init__.py": None, "lib/__init__.py": b""}
    assert moved(with_text, mirror, "src/__init__.py", changes).fate is Fate.DOUBTFUL


def test_a_file_that_was_not_deleted_is_no_question(with_text: Person, mirror: Mirror) -> None:
    assert moved(with_text, mirror, "README.md", {"x": b"1"}).fate is Fate.DOUBTFUL


def test_a_path_that_became_a_directory(with_text: Person, mirror: Mirror) -> None:
    before = mirror.fetch("main")
    git(with_text.tree, "rm", "--quiet", "src/text.py")
    with_text.commit({"src/text.py/__init__.py": TEXT + b"more\n", "src/text.py/b.py": b"b\n"})
    after = mirror.fetch("main")
    assert before
    assert after
    found = renamed_to(mirror.clone, "src/text.py", before, after)
    assert found == Whereabouts(Fate.MOVED, "src/text.py/__init__.py")


def test_beyond_two_hundred_candidates_there_is_a_doubt(with_text: Person, mirror: Mirror) -> None:
    changes: dict[str, bytes | None] = {"src/text.py": None}
    changes |= {f"new/{n}.txt": b"%d\n" % n for n in range(CANDIDATES + 1)}
    assert moved(with_text, mirror, "src/text.py", changes).fate is Fate.DOUBTFUL


def test_only_compared_blobs_are_fetched(with_text: Person, mirror: Mirror) -> None:
    with_text.commit({f"old/{n}.py": b"old %d\n" % n * 9 for n in range(20)})
    changes: dict[str, bytes | None] = {f"old/{n}.py": None for n in range(20)}
    changes |= {f"new/{n}.py": b"old %d\n" % n * 9 for n in range(20)}
    moved(with_text, mirror, "old/3.py", changes)
    tip = mirror.fetch("main")
    assert tip
    here = mirror.clone.git.output("cat-file", "--batch-all-objects", "--batch-check").decode()
    assert " blob " not in here


def test_a_persons_rename_settings_change_nothing(with_text: Person, mirror: Mirror) -> None:
    mirror.clone.git.output("config", "diff.renames", "false")
    mirror.clone.git.output("config", "diff.renameLimit", "1")
    changes = {"src/text.py": None, "lib/a.py": b"x\n", "lib/b.py": EDITED}
    assert moved(with_text, mirror, "src/text.py", changes).path == "lib/b.py"
