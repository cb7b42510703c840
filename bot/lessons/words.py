"""The word lists of the refresh rule: data alone, each list with its reason. Knows no texts.

The rule is published for English; the short lists for other languages keep the guard honest there.
"""

from __future__ import annotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _pairs(listed: str) -> tuple[tuple[str, str], ...]:
    halves = (pair.partition("/") for pair in listed.split())
    return tuple((one, other) for one, _, other in halves)


# Dropped before stemmed words are compared: they carry no subject. One-letter words go too.
STOP_WORDS = _words(
    """
    a about above after again against all also am an and any are as at be because been before
    being below between both but by can could did do does doing down during e each etc few for
    from further g get gets got had has have having he here how i i.e if in into is it its just
    let may me might more most must my need needs now of off on once only or other our out over
    own per s same she should so some such t than that the their them then there these they this
    those through to too under until up us very via vs was we were what when where which while who
    whom why will with would you your
    """
)

# Their count tells a rule from its opposite. Every other word in -n't counts as well.
NEGATIONS = _words(
    """
    aren't avoid can't cannot cant didn't doesn't doesnt don't dont isn't mustn't neither never no
    none nor not shouldn't wasn't without won't
    """
) | _words(
    # nobody and nothing negate as none does; the rest is German, French, Spanish, Italian,
    # Portuguese and Dutch: lessons stay in the language of their finding.
    """
    nobody nothing nowhere
    nicht nichts nie niemals kein keine keinen keinem keiner ohne
    ne pas jamais sans aucun aucune nunca jamás sin ningún ninguna non mai senza nessun
    não sem nenhum niet geen nooit zonder sin
    """
)

# Written without spaces around them, so counted as characters (Chinese, Japanese, Korean).
NEGATING_CHARACTERS = frozenset("不没沒無无勿未非别ぬず않안못")

# Time order: which side of the event.
BEFORE = _words("before vor bevor avant antes prima voor 前 先")
AFTER = _words("after nach nachdem après después dopo depois 後 后")

# What such a word governs must not change places with what another part of the sentence says:
# "use X, not Y" is not "use Y, not X". Negations and time order are pivots too.
PIVOTS = _words("from instead into over rather than to under unless until")

# Two texts that are alike but for one of these say opposite things.
OPPOSITES = _pairs(
    """
    above/below accept/reject add/remove allow/block allow/deny allow/forbid always/never
    append/prepend ascending/descending begin/end create/delete create/destroy decode/encode
    decrease/increase decrypt/encrypt disable/enable down/up everything/nothing exclude/include
    export/import external/internal fail/pass failure/success false/true fewer/more first/last
    global/local grant/revoke greater/less hide/show high/low if/unless in/out input/output
    insert/delete inside/outside largest/smallest latest/oldest least/most left/right less/more
    local/remote lower/raise lower/upper max/min maximum/minimum new/old next/previous off/on
    open/close optional/required over/under private/public pull/push read/write receive/send
    same/different start/stop when/unless
    """
)

# "safe" and "unsafe", "sync" and "async": the same word turned round.
TURNING_PREFIXES = ("a", "anti", "de", "dis", "il", "im", "in", "ir", "mis", "non", "un")

# Numbers written as words: each as its digits. "one" is also a pronoun and stays a word.
NUMBER_WORDS = {
    "zero": "0",
    "once": "1",
    "two": "2",
    "twice": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "hundred": "100",
    "thousand": "1000",
}

# Units, each spelling as one: "60 s" is "60 seconds" and neither is "60 ms".
UNITS = {
    spelling: unit
    for unit, spellings in {
        "ms": "ms millisecond milliseconds",
        "s": "s sec secs second seconds",
        "min": "m min mins minute minutes",
        "h": "h hr hrs hour hours",
        "d": "d day days",
        "w": "w week weeks",
        "month": "month months",
        "y": "y year years",
        "b": "b byte bytes",
        "kb": "k kb kib kilobyte kilobytes",
        "mb": "mb mib megabyte megabytes",
        "gb": "g gb gib gigabyte gigabytes",
        "px": "px pixel pixels",
        "%": "% percent",
    }.items()
    for spelling in spellings.split()
}
