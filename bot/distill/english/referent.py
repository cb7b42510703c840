"""What an "it" of an order stands for, in what was said before it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bot.distill.clauses import CODE
from bot.distill.lexicon import any_of, words
from bot.distill.material import subject

_ABOUT_THE_WHOLE = words("verbs", "of the whole")
_OBJECT = re.compile(
    r"\s(?:(?:never|still|also|silently|\w+ly)\s)?[a-z]+s?\s"
    r"((?:the|an?|its|every|each) (?:[\w-]+ ){0,3}?[\w-]+"
    rf"|{CODE}(?: {any_of('leaning', 'kind of code')})?)"
    r"(?=$|[,;:.]| (?:when|if|in|on|to|from|for|with|without|before|after|and|or|by|at|so|but|that"
    r"|which|into|while|as|of|twice|again|once|on)\b)"
)
_STATE = re.compile(r"\s(?:is|are|was|were|can|could|may|might|will|has|have|does|do)\b")


def referents(order: str, said: Iterable[str]) -> Iterator[str]:
    """The noun phrases that the "it" of `order` may stand for in `said`, the likeliest first.

    Who closes or checks it means what the clause before is about: its object, where it has one.
    Who renames or splits it means its subject.
    """
    verb = order.split(" ", 1)[0].lower()
    for sentence in said:
        who = subject(sentence)
        if not who:
            continue
        rest = sentence[sentence.lower().find(who.lower()) + len(who) :]
        match = None if _STATE.match(rest) else _OBJECT.match(rest)
        if match and verb not in _ABOUT_THE_WHOLE:
            yield re.sub(r"^(?:an?|its)\b", "the", match[1])
        yield who
