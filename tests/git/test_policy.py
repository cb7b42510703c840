"""What a refusal names, in GitHub's words over git and over the API, and what may be done then."""

from __future__ import annotations

import pytest

from bot.git.policy import Refusal, Way, refusal

RULESET = """\
To https://github.com/acme/shop.git
!\tabc:refs/heads/main\t[remote rejected] (push declined due to repository rule violations)
Done
remote: error: GH013: Repository rule violations found for refs/heads/main.
remote: Review all repository rules at https://github.com/acme/shop/rules?ref=refs%2Fheads%2Fmain
remote:
remote: - {rule}
remote:
error: failed to push some refs to 'https://github.com/acme/shop.git'
"""
CLASSIC = """\
remote: error: GH006: Protected branch update failed for refs/heads/main.
remote: error: {rule}
To https://github.com/acme/shop.git
!\tabc:refs/heads/main\t[remote rejected] (protected branch hook declined)
error: failed to push some refs to 'https://github.com/acme/shop.git'
"""
API = "GitHub answered 400: Repository rule violations found\n\n{rule}\n\n"
PAGE = "https://github.com/acme/shop/rules?ref=refs%2Fheads%2Fmain"


@pytest.mark.parametrize(
    ("rule", "way"),
    [
        ("Changes must be made through a pull request.", Way.PULL_REQUEST),
        ("Changes must be made through the merge queue", Way.PULL_REQUEST),
        ('Required status check "ci" is expected.', Way.PULL_REQUEST),
        ("3 of 3 required status checks are expected.", Way.PULL_REQUEST),
        ("Cannot update this protected ref.", Way.PULL_REQUEST),
        ("At least 1 approving review is required by reviewers.", Way.PULL_REQUEST),
        ("Commits must have verified signatures.", Way.SIGNED),
        ("Commit message must match a given regex pattern: ^JIRA", Way.NONE),
    ],
)
@pytest.mark.parametrize("words", [RULESET, CLASSIC, API])
def test_a_rule_is_read_from_every_form_of_refusal(words: str, rule: str, way: Way) -> None:
    found = refusal(words.format(rule=rule))
    assert found.rules == (rule,)
    assert found.ways == {way}


def test_a_ruleset_has_a_page_and_a_protection_is_classic() -> None:
    rule = "Changes must be made through a pull request."
    assert refusal(RULESET.format(rule=rule)).page == PAGE
    assert not refusal(RULESET.format(rule=rule)).classic
    assert refusal(CLASSIC.format(rule=rule)).classic


def test_several_rules_need_several_ways() -> None:
    both = "Changes must be made through a pull request.\nremote: - Commits must have verified"
    found = refusal(RULESET.format(rule=f"{both} signatures."))
    assert found.ways == {Way.PULL_REQUEST, Way.SIGNED}


def test_where_no_rule_is_named_there_is_no_way() -> None:
    denied = "remote: Permission to acme/shop.git denied to lessonkeeper[bot].\nfatal: 403"
    assert refusal(denied) == Refusal((), frozenset({Way.NONE}))
