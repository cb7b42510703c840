"""`python app.py setup`: the set-up pages alone, until the App is registered or an hour is over."""

from __future__ import annotations

import ipaddress
import socket
import threading
from datetime import timedelta

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from bot.credentials import Vault, credentials, known
from bot.environment import Environment
from bot.errors import UserError
from bot.invocation import command
from webhooks.setup import LIFE, Setup, install_link

DONE, NO = 0, 1


def setup(environment: Environment, host: str, port: int, wait: timedelta = LIFE) -> int:
    """Prints the link, waits for `wait` at most, says the next click: 0 registered, 1 not.

    Stored credentials that are not under the newest key are put there instead. Port 0 takes a free
    port. Raises UserError where there is an App already, the data folder cannot
    be written, or the address cannot be had.
    """
    vault = Vault.of(environment)
    if vault.exists() and vault.rotate():
        _say("The App's credentials are encrypted anew; only the newest key is needed now.")
        return DONE
    if known(environment):
        raise UserError(
            "An App is registered already.",
            remedy=f"`{command('doctor')}` looks after it. For another one use another"
            " LESSONKEEPER_DATA.",
        )
    vault.prepare()
    with _listen(host, port) as listening:
        taken = listening.getsockname()[1]
        pages = Setup(environment, address(host, taken))
        web = Flask("setup", static_folder=None)
        web.register_blueprint(pages.blueprint())
        # Not waitress: here a page is on its way to the browser once it was answered, and the
        # process may end.
        server = make_server(
            host, taken, web, threaded=True, request_handler=_Quiet, fd=listening.fileno()
        )
        _say(f"Open this page to register the App (good for an hour):\n\n  {pages.link}\n")
        _say(
            "Your browser is on another machine? Run this there, and leave it open:"
            f" ssh -N -L {taken}:{host}:{taken} THIS_MACHINE\n"
        )
        registered = _serve(server, pages, wait)
    if not registered:
        _say("Nothing was registered. Run it again when you have the time.")
        return NO
    app = credentials(environment)
    _say(f"{app.slug} is registered. Install it on your repositories:\n")
    _say(f"  {install_link(app)}\n")
    _say(f"Then run: {command('serve' if environment.url else 'serve --poll')}")
    return DONE


def _serve(server: BaseWSGIServer, pages: Setup, wait: timedelta) -> bool:
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        return pages.registered.wait(wait.total_seconds())
    except KeyboardInterrupt:
        return pages.registered.is_set()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UserError(
            f"Cannot listen on {host} port {port}: {error.strerror}.",
            remedy="Choose another with --host and --port.",
        ) from None


def address(host: str, port: int) -> str:
    """How a browser on this machine reaches what listens there."""
    try:
        everywhere = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        everywhere = False
    name = "localhost" if everywhere else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def _say(text: str) -> None:
    print(text, flush=True)


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002
        """Nothing: the address of the first page is a secret."""
