"""`GET /healthz` for whoever restarts the server, `GET /metrics` for Prometheus.

Neither names a repository. The figures go to this machine, and to who has the operator's token.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable

from flask import Blueprint, Response, abort, request

from bot.environment import is_loopback
from bot.metrics import Metrics

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


def health_blueprint(
    metrics: Metrics, alive: Callable[[], bool], token: str | None = None
) -> Blueprint:
    """`alive` is asked at each look; `token` is that of `Authorization: Bearer …`."""
    blueprint = Blueprint("health", __name__)

    @blueprint.get("/healthz")
    def healthz() -> tuple[dict[str, str], int]:
        well = alive()
        return {"status": "ok" if well else "failing"}, 200 if well else 503

    @blueprint.get("/metrics")
    def figures() -> Response:
        if not (_has(token) or is_local()):
            abort(404)
        return Response(metrics.render(), content_type="text/plain; version=0.0.4; charset=utf-8")

    return blueprint


def _has(token: str | None) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if token is None or scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(given.strip().encode(), token.encode())


def is_local() -> bool:
    """From this machine and for it: a proxy beside us passes on requests of anybody."""
    if any(name in request.headers for name in FORWARDED):
        return False
    host = request.host.rpartition(":")[0] or request.host
    return is_loopback(request.remote_addr or "") and is_loopback(host.strip("[]"))
