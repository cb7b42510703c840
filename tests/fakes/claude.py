"""A strict stand-in of the model API: one endpoint, scripted answers, every request kept.

A request that the API would refuse, or that no answer is scripted for, is a failure of the test.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "test-key"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call gets; `held` is answered only when the stand-in closes."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    held: bool = False


def says(text: str, stop_reason: str = "end_turn") -> Answer:
    """A message whose text is `text`."""
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return Answer(body=json.dumps(message))


def lessons(*sentences: str, ignored: str | None = None, remark: int = 1) -> Answer:
    """A message that follows the schema."""
    items = [
        {"sentence": s, "trigger": "when", "strategy": "what", "remark": remark} for s in sentences
    ]
    return says(json.dumps({"lessons": items, "ignored": ignored}))


def fails(status: int, *, retry_after: int | None = None, kind: str = "api_error") -> Answer:
    body = json.dumps({"type": "error", "error": {"type": kind, "message": "no"}})
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Answer(status, body, headers)


@dataclass(slots=True)
class FakeClaude:
    """`requests` are the bodies in order; `wrong` is what no call should have done."""

    url: str
    answers: list[Answer]
    requests: list[dict[str, object]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str, headers: dict[str, str], raw: bytes) -> Answer:
        body = json.loads(raw)
        if path != "/v1/messages":
            self.wrong.append(f"path {path}")
        if headers.get("authorization") != f"Bearer {KEY}" and headers.get("x-api-key") != KEY:
            return fails(401, kind="authentication_error")
        if "anthropic-version" not in headers:
            self.wrong.append("no anthropic-version")
        schema = body.get("output_config", {}).get("format", {})
        if schema.get("type") != "json_schema" or schema["schema"]["additionalProperties"]:
            self.wrong.append("no strict schema")
        if unknown := set(body) - {"model", "max_tokens", "messages", "system", "output_config"}:
            self.wrong.append(f"unknown keys {unknown}")
        if [m["role"] for m in body["messages"]] != ["user"]:
            self.wrong.append("not one user message")
        self.requests.append(body)
        if not self.answers:
            self.wrong.append("a call that nobody expected")
            return fails(500)
        return self.answers.pop(0)


@contextmanager
def fake_claude(*answers: Answer) -> Iterator[FakeClaude]:
    """A stand-in on loopback; at its end every answer was asked for and nothing was wrong."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            answer = fake.answer(self.path, {k.lower(): v for k, v in self.headers.items()}, raw)
            if answer.held:
                fake.closing.wait()
                return
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body.encode())))
            self.end_headers()
            self.wfile.write(answer.body.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """The requests are kept; nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake = FakeClaude(f"http://127.0.0.1:{server.server_port}", list(answers))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        fake.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
    assert fake.wrong == []
    assert fake.answers == [], "an answer that nobody asked for"
