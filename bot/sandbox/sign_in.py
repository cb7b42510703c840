"""The sandbox's part of signing in: a person at GitHub's page, their token, what it may list.

Whoever sits before the browser is `visitor`; the page asks nothing and sends back at once.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Flask, Response, jsonify, redirect, request
from werkzeug.wrappers import Response as Answer

from bot.facts import Account, Permission
from bot.sandbox import payloads
from bot.sandbox.forge import SandboxForge
from bot.sandbox.watch import Watch

CLIENT_ID, CLIENT_SECRET = "Iv23sandbox", "sandbox-client-secret"
_ASKED = {"client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method"}
_SENT = {"client_id", "client_secret", "code", "redirect_uri", "code_verifier"}


@dataclass(frozen=True, slots=True)
class _Code:
    account: Account
    redirect: str
    challenge: str


class SignIn:
    """`refuse`: the person presses Cancel; `silent`: what a token asks for is answered with 503.

    Tokens can be taken back with `revoke`.
    """

    def __init__(self, forge: SandboxForge, watch: Watch) -> None:
        self._forge = forge
        self._watch = watch
        self._codes: dict[str, _Code] = {}
        self._tokens: dict[str, Account] = {}
        self.visitor = "ada"
        self.refuse = False
        self.silent = False

    def add_to(self, flask: Flask) -> None:
        flask.add_url_rule("/login/oauth/authorize", view_func=self._page)
        flask.add_url_rule("/login/oauth/access_token", view_func=self._token, methods=["POST"])
        flask.add_url_rule("/user", view_func=self._user)
        flask.add_url_rule("/user/installations", view_func=self._installations)
        flask.add_url_rule(
            "/user/installations/<int:number>/repositories", view_func=self._repositories
        )

    def revoke(self) -> None:
        self._tokens.clear()

    def _page(self) -> Answer:
        asked = request.args
        if set(asked) != _ASKED or asked["client_id"] != CLIENT_ID:
            self._watch.surprises.append(f"sign-in: asked with {sorted(asked)}")
        back = {"state": asked["state"]}
        if self.refuse:
            back |= {"error": "access_denied"}
        else:
            code = back["code"] = secrets.token_hex(10)
            account = self._forge.account(self.visitor)
            self._codes[code] = _Code(account, asked["redirect_uri"], asked["code_challenge"])
        return redirect(f"{asked['redirect_uri']}?{urlencode(back)}")

    def _token(self) -> Response:
        sent = request.form
        if set(sent) != _SENT or sent["client_secret"] != CLIENT_SECRET:
            self._watch.surprises.append(f"sign-in: a code was sent with {sorted(sent)}")
        code = self._codes.pop(sent["code"], None)
        digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if code is None or (code.redirect, code.challenge) != (sent["redirect_uri"], challenge):
            return jsonify(error="bad_verification_code")  # with status 200, as GitHub does
        token = f"ghu_{secrets.token_urlsafe(30)}"
        self._tokens[token] = code.account
        kind = {"token_type": "bearer"}  # nosec B105  # nosec B105
        return jsonify(access_token=token, expires_in=28800, scope="", **kind)

    def _account(self) -> Account | None:
        return self._tokens.get(request.headers.get("Authorization", "").partition(" ")[2])

    def _user(self) -> Response:
        account = self._account()
        return _refused() if account is None else jsonify(payloads.user(account))

    def _installations(self) -> Response:
        if self.silent:
            return _refused(503, "Service unavailable")
        account = self._account()
        if account is None:
            return _refused()
        mine = {r.installation.id for r in self._forge.repositories.values() if r.installation}
        found = [payloads.installation(self._forge, self._forge.installations[n]) for n in mine]
        return jsonify(total_count=len(found), installations=found)

    def _repositories(self, number: int) -> Response:
        account = self._account()
        if account is None:
            return _refused()
        found = []
        for each in self._forge.repositories.values():
            granted = each.permissions.get(account.login.lower())
            if granted is not None and each.installation and each.installation.id == number:
                found.append({**payloads.repository(each), "permissions": _granted(granted)})
        return jsonify(total_count=len(found), repositories=found)


def _granted(permission: Permission) -> dict[str, bool]:
    return {
        "admin": permission is Permission.ADMIN,
        "maintain": permission is Permission.ADMIN,
        "push": permission.writes,
        "triage": permission.writes,
        "pull": permission is not Permission.NONE,
    }


def _refused(status: int = 401, message: str = "Bad credentials") -> Response:
    response = jsonify(message=message, status=str(status))
    response.status_code = status
    return response
