"""From an HTTP request to the sandbox's answer: who asks, for which repository, which page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, jsonify, request

from bot.sandbox import (
    attempts,
    graphql,
    payloads,
    rest_checks,
    rest_issues,
    rest_pulls,
    rest_repository,
)
from bot.sandbox.access import Access, Token
from bot.sandbox.forge import SandboxForge
from bot.sandbox.repository import SandboxRepository
from bot.sandbox.rest import Call, Endpoint, Listing, Refusal
from bot.sandbox.watch import Failure, Seen, Watch

Handler = Callable[..., Response]
PAGING = {"page", "per_page"}
ENDPOINTS = (
    *rest_repository.ENDPOINTS,
    *rest_pulls.ENDPOINTS,
    *rest_issues.ENDPOINTS,
    *rest_checks.ENDPOINTS,
)


class Routes:
    """`page_limit` makes pages smaller than they were asked for."""

    def __init__(self, forge: SandboxForge, access: Access, watch: Watch) -> None:
        self._forge = forge
        self._access = access
        self._watch = watch
        self.page_limit = 100

    def add_to(self, flask: Flask) -> None:
        rules: dict[tuple[str, str], Handler] = {
            ("GET", "/app"): self._app,
            ("GET", "/app/installations"): self._installations,
            ("GET", "/app/installations/<int:number>"): self._installation,
            ("POST", "/app/installations/<int:number>/access_tokens"): self._mint,
            ("GET", "/app/hook/deliveries"): self._deliveries,
            ("GET", "/app/hook/deliveries/<int:number>"): self._delivery,
            ("POST", "/app/hook/deliveries/<int:number>/attempts"): self._deliver_again,
            ("GET", "/repos/<owner>/<name>/installation"): self._repository_installation,
            ("GET", "/installation/repositories"): self._installed_repositories,
            ("GET", "/users/<login>"): self._user,
            ("GET", "/user/<int:number>"): self._user_of,
            ("POST", "/graphql"): self._graphql,
        }
        for endpoint in ENDPOINTS:
            below = self._below_repository(endpoint)
            rules[endpoint.method, f"/repos/<owner>/<name>{endpoint.rule}"] = below
            rules[endpoint.method, f"/repositories/<int:repository_id>{endpoint.rule}"] = below
        for (method, rule), handler in rules.items():
            flask.add_url_rule(
                rule,
                endpoint=f"{method} {rule}",
                view_func=self._watched(handler),
                methods=[method],
                provide_automatic_options=False,
            )

    def _watched(self, handler: Handler) -> Handler:
        def answer(**values: Any) -> Response:
            if request.method != "GET" and request.path != "/graphql":
                body = request.get_json(force=True, silent=True)
                self._watch.wrote(request.method, request.path, body)
            failure = self._watch.failure(request.method, request.path)
            response = _failed(failure) if failure else None
            if response is None or (failure and failure.after_effect):
                done = _answered(handler, values)
                response = response or done
            self._watch.seen.append(Seen(request.method, request.path, response.status_code))
            return response

        return answer

    # --- asked by the App itself ------------------------------------------------------------

    def _app(self) -> Response:
        self._access.require_app()
        return _json(payloads.app(self._forge))

    def _installations(self) -> Response:
        self._access.require_app()
        found = self._forge.installations.values()
        return self._page(Listing([payloads.installation(self._forge, one) for one in found]))

    def _installation(self, number: int) -> Response:
        self._access.require_app()
        return _json(payloads.installation(self._forge, self._access.installation(number)))

    def _repository_installation(self, owner: str, name: str) -> Response:
        self._access.require_app()
        found = self._forge.repository(f"{owner}/{name}")
        if found is None or found.installation is None:
            raise Refusal(404, "Not Found")
        return _json(payloads.installation(self._forge, found.installation))

    def _mint(self, number: int) -> Response:
        self._access.require_app()
        text, token = self._access.mint(number, self._body().get("permissions") or {})
        body = {
            "token": text,
            "expires_at": payloads.time(token.expires_at),
            "permissions": token.permissions,
            "repository_selection": "all",
        }
        return _json(body, 201)

    def _deliveries(self) -> Response:
        self._access.require_app()
        cursor = self._query(frozenset({"cursor"})).get("cursor")
        size = min(int(request.args.get("per_page", 30)), 100, self.page_limit)
        rows, more = self._forge.attempts.page(cursor, size)
        response = _json(rows)
        if more:
            query = urlencode({"per_page": size, "cursor": more})
            response.headers["Link"] = f'<{self._forge.url}{request.path}?{query}>; rel="next"'
        return response

    def _delivery(self, number: int) -> Response:
        self._access.require_app()
        found = self._forge.attempts.find(number)
        if found is None:
            raise Refusal(404, "Not Found")
        return _json(attempts.whole(found))

    def _deliver_again(self, number: int) -> Response:
        self._access.require_app()
        if not self._forge.redeliver(number):
            raise Refusal(404, "Not Found")
        return _json({}, 202)

    # --- asked with an installation's token -------------------------------------------------

    def _installed_repositories(self) -> Response:
        installation = self._access.installation(self._access.token().installation)
        everywhere = self._forge.repositories.values()
        found = [r for r in everywhere if r.installation is installation]
        return self._page(Listing([payloads.repository(r) for r in found], "repositories"))

    def _user(self, login: str) -> Response:
        self._access.token()
        account = self._forge.accounts.get(login.lower())
        if account is None:
            raise Refusal(404, "Not Found")
        return _json(payloads.user(account))

    def _user_of(self, number: int) -> Response:
        self._access.token()
        account = next((a for a in self._forge.accounts.values() if a.id == number), None)
        if account is None:
            raise Refusal(404, "Not Found")
        return _json(payloads.user(account))

    def _graphql(self) -> Response:
        token = self._access.token()
        token.require("pull_requests", "read")

        body = self._body()
        writes = "mutation" in body.get("query", "")

        def find(name: str) -> SandboxRepository | None:
            found = self._forge.repository(name) or self._forge.repository_of(name)
            return found if _is_installed(found, token) else None

        if writes:
            token.require("contents", "write")
        variables = body.get("variables") or {}
        answer = graphql.answer(
            body.get("query", ""), variables, find=find, page_limit=self.page_limit
        )
        self._watch.surprises += [
            f"GraphQL: {error['message']}"
            for error in answer.get("errors", [])
            if "type" not in error  # an answer of GitHub's, not a query that it does not know
        ]
        return _json(answer)

    def _below_repository(self, endpoint: Endpoint) -> Handler:
        writes = endpoint.method != "GET"

        def answer(
            owner: str = "", name: str = "", repository_id: int = 0, **values: Any
        ) -> Response:
            token = self._access.token()
            full_name = f"{owner}/{name}"
            if full_name.lower() in self._forge.redirects:
                return self._moved(full_name)
            found = self._forge.repositories.get(repository_id)
            found = found or self._forge.repository(full_name)
            if found is None or not (_is_installed(found, token) or _is_public(found, endpoint)):
                raise Refusal(404, "Not Found")
            token.require(endpoint.permission, "write" if writes else "read")
            if writes and found.archived:
                raise Refusal(403, "Repository was archived so is read-only.")
            body = self._body() if writes else {}
            call = Call(self._forge, found, body, self._query(endpoint.query))
            answer = endpoint.handler(call, **values)
            if isinstance(answer, Listing):
                return self._page(answer)
            return _json(answer, endpoint.status)

        return answer

    def _moved(self, full_name: str) -> Response:
        # GitHub redirects reads for good and writes for the time being.
        number = self._forge.redirects[full_name.lower()]
        rest = request.path.removeprefix(f"/repos/{full_name}")
        location = f"{self._forge.url}/repositories/{number}{rest}"
        if request.method == "GET":
            return _json(
                {"message": "Moved Permanently", "url": location}, 301, {"Location": location}
            )
        return _json(
            {"message": "Temporary Redirect", "url": location}, 307, {"Location": location}
        )

    def _query(self, known: frozenset[str]) -> dict[str, str]:
        if set(request.args) - known - PAGING:
            self._watch.surprises.append(f"{request.method} {request.full_path}: unforeseen query")
        return {name: request.args[name] for name in known & set(request.args)}

    def _body(self) -> dict[str, Any]:
        body = request.get_json(force=True, silent=True)
        if not isinstance(body, dict):
            self._watch.surprises.append(f"{request.method} {request.path}: no JSON object")
            raise Refusal(400, "Problems parsing JSON")
        return body

    def _page(self, listing: Listing) -> Response:
        size = min(int(request.args.get("per_page", 30)), 100, self.page_limit)
        number = int(request.args.get("page", 1))
        total = len(listing.items)
        last = max(-(-total // size), 1)
        shown = list(listing.items[(number - 1) * size : number * size])
        response = _json({"total_count": total, listing.key: shown} if listing.key else shown)
        others = {"prev": number - 1, "first": 1} if number > 1 else {}
        if number < last:
            others |= {"next": number + 1, "last": last}
        links = []
        for relation, page in others.items():
            query = urlencode({**request.args, "page": page})
            links.append(f'<{self._forge.url}{request.path}?{query}>; rel="{relation}"')
        if links:
            response.headers["Link"] = ", ".join(links)
        return response


def _answered(handler: Handler, values: dict[str, Any]) -> Response:
    try:
        return handler(**values)
    except Refusal as refusal:
        return _json(refusal.json, refusal.status)


def _failed(failure: Failure) -> Response:
    body = Refusal(failure.status, failure.message).json
    return _json(body, failure.status, failure.headers)


def _is_installed(repository: SandboxRepository | None, token: Token) -> bool:
    at = repository.installation if repository else None
    return at is not None and at.id == token.installation


def _is_public(repository: SandboxRepository, endpoint: Endpoint) -> bool:
    """Whether anyone may ask this of it."""
    return endpoint.public and not repository.private


def _json(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    response = jsonify(body)
    response.status_code = status
    response.headers.update(headers or {})
    return response
