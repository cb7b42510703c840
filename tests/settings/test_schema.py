"""The schema agrees with the dataclasses, the documented defaults and the file beside it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import bot.settings.schema
from bot.settings import Reviewer, Settings
from bot.settings.file import read
from bot.settings.marks import load
from bot.settings.printing import plain
from bot.settings.schema import Schema, settings_schema

DOCUMENTED = Path(__file__).with_name("as_documented.yml").read_bytes()


def test_the_documented_file_is_every_default() -> None:
    assert read(DOCUMENTED) == Settings()


def test_the_documented_file_names_every_key() -> None:
    documented = load(DOCUMENTED).value
    assert isinstance(documented, dict)
    assert documented == plain(Settings())
    assert list(documented) == list(settings_schema()["properties"])


def test_the_schema_is_draft_2020_12() -> None:
    schema = settings_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_the_file_for_editors_is_the_schema_that_is_used() -> None:
    beside = Path(bot.settings.schema.__file__).with_name("schema.json")
    assert json.loads(beside.read_bytes()) == settings_schema(), (
        "run: python -m bot.settings.schema > bot/settings/schema.json"
    )


@pytest.mark.parametrize(
    "schema",
    [settings_schema(), settings_schema()["properties"]["reviewers"]["items"]],
    ids=["settings", "reviewer"],
)
def test_every_key_has_a_reason_and_unknown_ones_are_refused(schema: Schema) -> None:
    assert schema["additionalProperties"] is False
    for name, key in schema["properties"].items():
        assert key["description"], name
        assert key["errorMessage"].startswith("It must "), name
        if "properties" in key:
            test_every_key_has_a_reason_and_unknown_ones_are_refused(key)


def test_every_field_is_in_the_schema_with_its_default() -> None:
    properties = settings_schema()["properties"]
    for field in dataclasses.fields(Settings):
        value = getattr(Settings(), field.name)
        assert properties[field.name]["default"] == plain(value)
        if dataclasses.is_dataclass(value):
            inner = properties[field.name]["properties"]
            assert {name: key["default"] for name, key in inner.items()} == plain(value)
    reviewer = properties["reviewers"]["items"]
    assert list(reviewer["properties"]) == [f.name for f in dataclasses.fields(Reviewer)]
    assert reviewer["required"] == ["login"]
