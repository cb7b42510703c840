"""The mirror follows its remote, outlives kills and damage, and keeps no secret."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from bot.errors import Fault, UserError
from bot.git.lock import Lock, hold
from bot.git.mirror import Mirror
from bot.git.plan import Outcome
from bot.git.remote import Remote, RemoteFault
from bot.sandbox.git_http import GitServer
from tests.git.conftest import REPOSITORY, TOKEN, Origin, Person, git, on_disk, over_http


def test_it_follows_the_branch(ann: Person, mirror: Mirror) -> None:
    assert mirror.fetch("main") == git(ann.tree, "rev-parse", "HEAD")
    newer = ann.commit({"x": b"1"})
    assert mirror.fetch("main") == newer


def test_a_tip_that_git_could_not_write_down_is_asked_for_again(
    ann: Person, mirror: Mirror
) -> None:
    written = mirror.directory / "FETCH_HEAD"
    written.symlink_to(os.devnull)  # as on a full disk: git ends well, and the file is empty
    with pytest.raises(RemoteFault) as fault:
        mirror.fetch("main")
    assert fault.value.retry
    written.unlink()
    assert mirror.fetch("main") == git(ann.tree, "rev-parse", "HEAD")


def test_it_follows_a_forced_branch(ann: Person, mirror: Mirror) -> None:
    mirror.fetch("main")
    git(ann.tree, "commit", "--quiet", "--amend", "--message", "rewritten")
    git(ann.tree, "push", "--quiet", "--force", "origin", "HEAD")
    assert mirror.fetch("main") == git(ann.tree, "rev-parse", "HEAD")


def test_an_empty_repository_and_a_missing_branch_have_no_tip(
    origin: Origin, mirror: Mirror, tmp_path: Path
) -> None:
    assert mirror.fetch("main") is None
    assert mirror.is_empty()
    origin.person(tmp_path / "ann").commit({"x": b"1"})
    assert mirror.fetch("gone") is None
    assert not mirror.is_empty()


def test_a_branch_may_take_the_place_of_a_folder_of_branches(ann: Person, mirror: Mirror) -> None:
    git(ann.tree, "push", "--quiet", "origin", "HEAD:refs/heads/bot")
    assert mirror.fetch("bot")
    git(ann.tree, "push", "--quiet", "origin", "--delete", "bot")
    git(ann.tree, "push", "--quiet", "origin", "HEAD:refs/heads/bot/lessons")
    assert mirror.fetch("bot/lessons") == mirror.fetch("main")


@pytest.mark.parametrize("branch", ["--upload-pack=touch pwned", "-f", "main:refs/heads/x"])
def test_a_branch_that_looks_like_an_option_is_refused(
    ann: Person, mirror: Mirror, branch: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError):
        mirror.fetch(branch)
    assert not list(tmp_path.rglob("pwned"))


def test_the_store_belongs_to_the_id_whatever_the_address(
    ann: Person, lock: Lock, origin: Origin
) -> None:
    mirror = Mirror(lock, on_disk(origin))
    tip = mirror.fetch("main")
    renamed = origin.directory.with_name("store.git")
    origin.directory.rename(renamed)
    with pytest.raises(RemoteFault) as fault:
        mirror.fetch("main")
    assert fault.value.outcome is Outcome.GONE
    again = Mirror(lock, on_disk(Origin(renamed)))
    assert again.fetch("main") == tip
    assert str(REPOSITORY) in again.directory.name


def test_the_data_directory_may_be_relative(
    ann: Person, origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with hold(Path("here"), REPOSITORY) as lock:
        assert Mirror(lock, on_disk(origin)).fetch("main") == origin.tip()
    assert (tmp_path / "here" / f"{REPOSITORY}.git").is_dir()


def test_a_commit_that_no_branch_holds_any_more_is_fetched_by_its_id(
    ann: Person, mirror: Mirror
) -> None:
    left = ann.commit({"x": b"1"})
    git(ann.tree, "reset", "--quiet", "--hard", "HEAD~")
    git(ann.tree, "push", "--quiet", "--force", "origin", "HEAD")
    mirror.fetch("main")
    assert not mirror.clone.has(left)
    assert mirror.fetch_commit(left)
    assert not mirror.fetch_commit("1" * 40)


def test_over_http_with_the_token(ann: Person, lock: Lock, server: GitServer) -> None:
    mirror = Mirror(lock, over_http(server))
    tip = mirror.fetch("main")
    assert tip == git(ann.tree, "rev-parse", "HEAD")
    assert mirror.clone.read(tip, "README.md").data == b"# Shop\n"


def test_a_wrong_token_is_a_matter_of_credentials(
    ann: Person, lock: Lock, server: GitServer
) -> None:
    with pytest.raises(RemoteFault) as fault:
        Mirror(lock, over_http(server, "wrong-token-value")).fetch("main")
    assert fault.value.outcome is Outcome.CREDENTIALS
    assert "wrong-token-value" not in str(fault.value)


def test_an_unknown_repository_is_gone(lock: Lock, server: GitServer) -> None:
    remote = Remote(f"{server.url}/acme/none.git", TOKEN, protocols=("http",))
    with pytest.raises(RemoteFault) as fault:
        Mirror(lock, remote).fetch("main")
    assert fault.value.outcome is Outcome.GONE


def test_a_remote_that_is_down_is_tried_again(lock: Lock, origin: Origin) -> None:
    with GitServer(origin.directory.parents[1], accepts=TOKEN.__eq__) as server:
        remote = over_http(server)
    with pytest.raises(RemoteFault) as fault:
        Mirror(lock, remote).fetch("main")
    assert fault.value.outcome is Outcome.UNKNOWN
    assert fault.value.retry


@pytest.mark.parametrize("url", ["http://x/y", "ext::sh -c id", "--upload-pack=id", "file:///etc"])
def test_the_server_speaks_https_only(url: str) -> None:
    with pytest.raises(UserError):
        Remote(url)


def test_a_password_in_the_address_is_refused() -> None:
    with pytest.raises(UserError) as error:
        Remote("https://x-access-token:secret@example.org/a/b")
    assert "secret" not in str(error.value)


def test_a_local_path_slipped_in_as_address_is_not_read(lock: Lock, ann: Person) -> None:
    with pytest.raises(RemoteFault):
        Mirror(lock, Remote(str(ann.tree))).fetch("main")


def test_the_token_is_nowhere(
    ann: Person, lock: Lock, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not on disk, not in an argument list, not in what is printed of the values."""
    seen: list[str] = []
    real = subprocess.Popen.__init__

    def spy(self: object, args: list[str], *rest: object, **more: object) -> None:
        seen.extend(args)
        real(self, args, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess.Popen, "__init__", spy)
    mirror = Mirror(lock, over_http(server))
    tip = mirror.fetch("main")
    assert tip
    mirror.clone.read(tip, "README.md")
    assert "fetch" in seen
    secrets = [TOKEN, "eC1hY2Nlc3MtdG9rZW46"]  # and base64 of `x-access-token:`
    text = " ".join(seen) + repr(mirror.remote) + repr(mirror.network)
    for path in lock.directory.rglob("*"):
        if path.is_file():
            text += path.read_bytes().decode("latin-1")
    assert not [secret for secret in secrets if secret in text]


def test_the_token_goes_to_its_own_host_only(
    ann: Person, lock: Lock, origin: Origin, server: GitServer
) -> None:
    asked: list[str] = []

    def stranger(password: str) -> bool:
        asked.append(password)
        return True

    with GitServer(origin.directory.parents[1], accepts=stranger) as other:
        mirror = Mirror(lock, over_http(server))
        mirror.network.run("ls-remote", f"{other.url}/acme/shop.git")
    assert asked == []


class _Elsewhere(BaseHTTPRequestHandler):
    """Greets as a git server does; git then comes back with all that it would send to its own."""

    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
        self.end_headers()
        self.wfile.write(b"001e# service=git-upload-pack\n0000000eversion 2\n000cls-refs\n0000")

    def do_POST(self) -> None:
        self.seen.append(self.headers.get("Authorization", "nothing"))
        self.send_error(500)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class _Redirect(_Elsewhere):
    elsewhere: ClassVar[int]

    def do_GET(self) -> None:
        self.send_response(301)
        self.send_header("Location", f"http://localhost:{self.elsewhere}{self.path}")
        self.end_headers()


@contextmanager
def _serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_a_redirect_does_not_carry_the_token_elsewhere(lock: Lock) -> None:
    with _serving(_Elsewhere) as _Redirect.elsewhere, _serving(_Redirect) as port:
        mirror = Mirror(lock, Remote(f"http://127.0.0.1:{port}/a/b", TOKEN, protocols=("http",)))
        answer = mirror.network.run("ls-remote", "origin")
    assert answer.status
    assert _Elsewhere.seen == []


def test_a_kill_in_the_middle_of_the_first_fetch_costs_only_that_fetch(
    ann: Person, origin: Origin, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    stalled = tmp_path / "stalled"
    script = (
        "import sys, pathlib\n"
        "from bot.git.lock import hold\n"
        "from bot.git.mirror import Mirror\n"
        "from bot.git.remote import Remote\n"
        "with hold(pathlib.Path(sys.argv[1]), 4711) as lock:\n"
        "    mirror = Mirror(lock, Remote(sys.argv[2], protocols=('file',)))\n"
        "    pack = mirror.directory / 'objects/pack'\n"
        "    pack.mkdir(exist_ok=True)\n"
        "    (pack / 'tmp_pack_x').write_bytes(b'PACK')\n"
        "    (mirror.directory / 'HEAD.lock').touch()\n"
        "    print('made', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(data), f"file://{origin.directory}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"made\n"
        process.send_signal(signal.SIGKILL)
    assert not stalled.exists()
    with hold(data, REPOSITORY) as lock:
        assert lock.abandoned
        mirror = Mirror(lock, on_disk(origin))
        assert mirror.fetch("main") == origin.tip()
        assert not [*mirror.directory.rglob("*.lock"), *mirror.directory.rglob("tmp_*")]
    with hold(data, REPOSITORY) as lock:
        assert not lock.abandoned


def test_what_git_leaves_where_it_broke_is_swept_by_the_next_holder(
    ann: Person, origin: Origin, tmp_path: Path
) -> None:
    """As on a full disk, or when a git command alone is killed."""
    data = tmp_path / "data"
    with suppress(Fault), hold(data, REPOSITORY) as lock:
        mirror = Mirror(lock, on_disk(origin))
        mirror.fetch("main")
        (mirror.directory / "objects/pack/tmp_pack_x").write_bytes(b"PACK")
        raise Fault("index-pack died")
    with hold(data, REPOSITORY) as lock:
        assert lock.abandoned
        assert not [*Mirror(lock, on_disk(origin)).directory.rglob("tmp_*")]
    with hold(data, REPOSITORY) as lock:
        assert not lock.abandoned


def test_a_half_made_mirror_is_made_again(ann: Person, lock: Lock, origin: Origin) -> None:
    (lock.directory / f"{REPOSITORY}.git" / "objects").mkdir(parents=True)
    (lock.directory / f"{REPOSITORY}.new" / "refs").mkdir(parents=True)
    assert Mirror(lock, on_disk(origin)).fetch("main") == origin.tip()


@pytest.mark.parametrize("damage", ["pack", "ref", "HEAD"])
def test_a_damaged_mirror_is_made_again(
    ann: Person, mirror: Mirror, origin: Origin, damage: str
) -> None:
    mirror.fetch("main")
    newer = ann.commit({"x": b"1"})
    if damage == "HEAD":
        (mirror.directory / "HEAD").write_bytes(b"")
    for path in mirror.directory.rglob("*.pack" if damage == "pack" else "refs/tips/*"):
        path.chmod(0o644)
        path.write_bytes(b"")
    assert mirror.fetch("main") == newer
    assert mirror.clone.read(newer, "x").data == b"1"


def test_packs_do_not_pile_up_although_blobs_are_lacking(ann: Person, mirror: Mirror) -> None:
    git, tip = mirror.clone.git, mirror.fetch("main")
    for number in range(51):  # as many commits as ours leave before git itself would tidy up
        who = "-c", "user.name=A", "-c", "user.email=a@example.com"
        made = git.output(*who, "commit-tree", f"{tip}^{{tree}}", "-m", f"{number}")
        git.output("pack-objects", "--quiet", "objects/pack/pack", stdin=made)
    git.output("update-ref", "refs/heads/ours", made.decode().strip())
    tip = ann.commit({"x": b"last"})
    assert mirror.fetch("main") == tip
    assert len([*(mirror.directory / "objects/pack").glob("*.pack")]) < 10
    lacking = git.output("rev-list", "--objects", "--missing=print", "ours").splitlines()
    assert any(line.startswith(b"?") for line in lacking)
    assert mirror.clone.read(tip, "x").data == b"last"


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    order: list[str] = []
    started = threading.Event()

    def other() -> None:
        started.set()
        with hold(tmp_path, 1):
            order.append("other")

    with hold(tmp_path, 1), hold(tmp_path, 2):
        thread = threading.Thread(target=other)
        thread.start()
        started.wait()
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


def test_a_lock_that_was_let_go_opens_nothing(tmp_path: Path, origin: Origin) -> None:
    with hold(tmp_path / "data", 1) as lock:
        mirror = Mirror(lock, on_disk(origin))
    with pytest.raises(Fault, match="not held"):
        mirror.fetch("main")
    with pytest.raises(Fault, match="not held"):
        Mirror(lock, on_disk(origin))
