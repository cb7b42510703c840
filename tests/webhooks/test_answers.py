"""Bodies that anybody may send: read, or refused as the caller's error, before a token is asked."""

from __future__ import annotations

import pytest
from flask import Blueprint, Flask, Response

from webhooks.answers import answer, answer_errors, body, text


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"[" * 10_000,
        b'{"a":' * 3_000,
        b'{"said": ' + b"9" * 5_000 + b"}",
        b'{"said": 7}',
        b'{"said": null}',
    ],
)
def test_what_is_no_object_of_texts_is_the_callers_error(sent: bytes) -> None:
    blueprint = Blueprint("desk", __name__)

    @blueprint.post("/")
    def say() -> Response:
        return answer(201, said=text(body(), "said"))

    answer_errors(blueprint)
    app = Flask(__name__)
    app.register_blueprint(blueprint)
    answered = app.test_client().post("/", data=sent)
    assert answered.status_code == 400
    assert list(answered.get_json()) == ["error"]
