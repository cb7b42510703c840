"""Who signs for runs of GitHub Actions, on loopback: keys as a JWKS, and tokens under them.

Strict: a request for anything else is remembered, and the test that made it fails.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm

JWKS = "/.well-known/jwks"
AUDIENCE = "https://lessons.example"


class ActionsIssuer:
    """`down`: it answers 503. `asked` counts how often its keys were read."""

    def __init__(self) -> None:
        self.keys: dict[str, RSAPrivateKey] = {}
        self.down = False
        self.asked = 0
        self.surprises: list[str] = []
        self.rotate("key-1")
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path != JWKS:
                    issuer.surprises.append(self.path)
                issuer.asked += 1
                body = json.dumps(issuer.jwks()).encode()
                self.send_response(503 if issuer.down else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing: the issuer remembers what it has to."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        assert kind is not None or self.surprises == []

    def rotate(self, kid: str) -> None:
        """One more key, with which tokens are signed from now on."""
        self.keys[kid] = generate_private_key(public_exponent=65537, key_size=2048)

    def jwks(self) -> dict[str, object]:
        return {
            "keys": [
                {
                    **RSAAlgorithm.to_jwk(key.public_key(), as_dict=True),
                    "kid": kid,
                    "use": "sig",
                    "alg": "RS256",
                }
                for kid, key in self.keys.items()
            ]
        }

    def claims(self, repository: int, full_name: str, **changes: object) -> dict[str, object]:
        """Those of a run on pull request 7; a change to None leaves one out."""
        now = int(time.time())
        claims: dict[str, object] = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": f"repo:{full_name}:pull_request",
            "iat": now - 5,
            "nbf": now - 5,
            "exp": now + 300,
            "repository": full_name,
            "repository_id": str(repository),
            "workflow_ref": f"{full_name}/.github/workflows/review.yml@refs/pull/7/merge",
            "run_id": "123",
            "event_name": "pull_request",
            "ref": "refs/pull/7/merge",
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def sign(self, claims: Mapping[str, object]) -> str:
        kid, key = list(self.keys.items())[-1]
        return jwt.encode(dict(claims), key, algorithm="RS256", headers={"kid": kid})

    def token(self, repository: int, full_name: str, **changes: object) -> str:
        return self.sign(self.claims(repository, full_name, **changes))
