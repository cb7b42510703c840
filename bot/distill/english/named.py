"""Faults that are only named, as titles do: "wrong key in the lookup", "`run()` called twice"."""

from __future__ import annotations

import re

from bot.distill.clauses import CODE, lower_first
from bot.distill.english.clause import main_clause
from bot.distill.english.phrase import hangs
from bot.distill.lexicon import any_of, pattern
from bot.distill.verbs import BASES, from_participle, from_third, is_doubtful

_NAMES: tuple[tuple[str, str], ...] = (
    (r"unused (.+)", "Remove unused {0}"),
    (r"(?:undefined|undeclared) (.+)", "Define {0} before using it"),
    (r"hard-?coded (.+)", "Do not hardcode {0}"),
    (r"(?:duplicate|duplicated|repeated) (.+)", "Do not duplicate {0}"),
    (r"(?:redundant|unnecessary|superfluous|dead|unreachable) (.+)", "Remove unnecessary {0}"),
    (r"inconsistent (.+)", "Keep {0} consistent"),
    (
        r"(?:incorrect|wrong|invalid|inaccurate|outdated|misleading|inverted|swapped|stale) (.+)",
        "Correct {0}",
    ),
    (
        r"((?:(?:shared )?mutable|insecure|improper|unsafe|premature|excessive|inefficient) .+)",
        "Avoid {0}",
    ),
    (r"(?:unhandled|uncaught) (.+)", "Handle {0}"),
    (r"(?:unvalidated|unsanitized|unescaped|unchecked) (.+)", "Validate {0} before using it"),
    (r"(?:potential|possible|likely) (.+)", "Prevent {0}"),
    (rf"({any_of('english', 'known mishap')}\b.*)", "Prevent {0}"),
    (rf"(.* {any_of('english', 'mishap')}\b.*)", "Prevent {0}"),
)


_CLAUSE = pattern("english", "finite", r"\b{}\b")
#: Behind what is said by the way goes on what was begun: ", which has no limit, hammers".
_ASIDE = re.compile(r", (?:which|who|whose)\b[^,]*, \w+")
_SAYS = re.compile(r"[\w ]+ (\w+s) (?:that|how|whether)\b")
_SUBORDINATE = re.compile(r"[,;:]| - |\b(?:if|when|because|which|that|where|while|before|after)\b")


def has_clause(text: str) -> bool:
    """Whether the text is a sentence of its own; "wrong key in the cache lookup" only names."""
    text = re.sub(r"\s*\([^()]*\)", ")", text)
    main = _SUBORDINATE.split(text, maxsplit=1)[0]
    words = main.split()
    clause = main_clause(text)
    if clause and hangs(clause.subject):
        return True
    if _ASIDE.search(text) or ((says := _SAYS.match(text)) and from_third(says[1])):
        return True
    return bool(_CLAUSE.search(main)) or any(
        (
            from_third(verb)
            and not re.match(r"(?:of|in|on|for|with|and|or|to|from|at|by|as|instead)$", after)
        )
        or (verb in BASES and not is_doubtful(verb) and before.endswith(("s", ")")))
        or (verb in BASES and re.match(rf"(?:the|an?|'.*|{CODE})$", after))
        for before, verb, after in zip(words, words[1:], words[2:], strict=False)
    )


def is_adjunct(text: str) -> bool:
    """Whether the text begins with a circumstance or points back."""
    return bool(_ADJUNCT.match(text))


def is_name(text: str) -> bool:
    """Whether the text only names something: "wrong key in the cache lookup"."""
    return not has_clause(text) and not is_adjunct(text) and " - " not in text


_SWAPPED = re.compile(
    r"^(?:incorrect|wrong|inverted|mistaken|improper) (.+?) using (.+?) instead of (.+)$",
    re.IGNORECASE,
)
_ADJUNCT = re.compile(
    r"(?:in|on|with|without|per|for|at|as|by|to|from|when|if|while|after|before|because|since"
    r"|this|that|it|there|(?!(?:mislead|miss|block|conflict|exist|dangl|confus)ing)\w+ing)\b",
    re.IGNORECASE,
)
_TWO = re.compile(r" and (?!\w+ing\b)")
_ALONE = re.compile(
    r"((?:(?:[a-z]+ly|always|still|also|now) )?)([a-z]+s) "
    r"(?!and\b|or\b|of\b|in\b|for\b|that\b|which\b)(.+)$",
    re.IGNORECASE,
)
_AS_OBJECT = re.compile(
    rf"(?:the|an?|its|all|wrong|incorrect|null|none|true|false|empty|{CODE})\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^(.+?) ([a-z]+) "
    r"((?:without|instead of|twice|before|outside|inside|directly) .+|to .+ instead of .+)$"
)


def done(text: str) -> str | None:
    """The order against what the text says was done, without saying by what."""
    return _swapped(text) or _done_amiss(text)


def unsubjected(text: str) -> str | None:
    """ "Returns the wrong provider" -> "Do not return the wrong provider"."""
    match = _ALONE.match(text)
    base = from_third(match[2]) if match else None
    if match is None or base is None or base in ("be", "have", "do"):
        return None
    if is_doubtful(base) and not _AS_OBJECT.match(match[3]):
        return None
    adverb = "" if match[1].lower() in ("still ", "also ", "now ") else match[1].lower()
    return f"do not {adverb}{base} {match[3]}"


def _done_amiss(text: str) -> str | None:
    """ "`run()` called without X" -> "Do not call `run()` without X"."""
    match = _DONE.match(text)
    base = from_participle(match[2]) if match else None
    return f"do not {base} {lower_first(match[1])} {match[3]}" if match and base else None


def _swapped(text: str) -> str | None:
    """ "Wrong X using A instead of B": to correct "X using A" would be read as its inverse."""
    match = _SWAPPED.match(text)
    return f"Do not use {match[2]} instead of {match[3]} for {match[1]}" if match else None


_BEHIND_NAME = re.compile(r"[,;:]|\s(?:-|if|when|because|while|before|after)\s")
_FINITE_CONSEQUENCE = re.compile(
    r"\s((?:allows|causes|leads to|results in|breaks|exposes|makes|creates|can|could|may|will)\b)"
)


def named(text: str) -> str | None:
    """The order against a fault that is named, or nothing where the text says more than that."""
    for name, made in _NAMES:
        if made.startswith("Prevent") and _TWO.search(text):
            continue  # two faults are two orders
        if match := re.match(name, text, re.I):
            end = cut.start() if (cut := _SUBORDINATE.search(match[1])) else len(match[1])
            name = _FINITE_CONSEQUENCE.sub(r", which \1", match[1][:end], count=1) + match[1][end:]
            if not has_clause(name.split(", which ")[0]):
                end = behind.start() if (behind := _BEHIND_NAME.search(name)) else len(name)
                return made.format(lower_first(name[:end])) + name[end:]
    return None
