"""A finding as the sentences that a lesson can be made of, masked together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bot.distill import english
from bot.distill.clauses import (
    CODE,
    Masked,
    lower_first,
    mark_code,
    sentences,
    upper_first,
    without_places,
)
from bot.distill.english.aside import without_asides
from bot.distill.english.clause import main_clause
from bot.distill.english.phrase import RELATIVE, phrase
from bot.distill.english.splice import unspliced
from bot.distill.finding import PATH, Finding
from bot.distill.languages import language_of
from bot.distill.lexicon import any_of
from bot.distill.worth import nothing
from bot.lessons.reading import is_code_word

#: Languages whose prose sets identifiers apart by their letters alone.
_LATIN = ("en", "de", "es", "fr", "it", "pt")


@dataclass(slots=True)
class Material:
    """`prose`: the sentences of the finding that may teach, `dropped`: why the others do not;
    `limit`: the characters that a sentence may have without its full stop;
    `named`: the masked words that "this function", "this field" stand for."""

    language: str
    masked: Masked
    path: str | None
    limit: int
    title: str = ""
    prose: list[str] = field(default_factory=list)
    prompt: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)

    def length(self, text: str) -> int:
        return len(self.masked.unmask(text))

    def name(self) -> str:
        """The first code of the finding that is a name, as a masked word, or nothing."""
        name = next((span for span in self.masked.spans if _is_name(span)), None)
        return self.masked.word(name) if name else ""

    def file(self, text: str) -> str:
        """The only file that the finding says something is in, as a masked word, where `text` does
        not name it."""
        said = " ".join(self.prose)
        words = [self.masked.word(span) for span in self.masked.spans if PATH.match(span)]
        files = [word for word in words if re.search(rf"\b(?i:in|at) {word}", said)]
        return files[0] if len(files) == 1 and files[0] not in text else ""


def _is_name(code: str) -> bool:
    """No keyword and no literal: `getUser`, `Client`, `a_b`, `a.b`, `run()`."""
    return bool(re.match(r"[\w./:-]+(?:\(\))?$", code)) and (
        is_code_word(code) or code.endswith("()") or code[0].isupper()
    )


#: "I found a critical issue: the counter is never reset."
_TOLD = re.compile(r": ((?:\S+ ){4,}\S+)$")
#: A fault and what is said of it, in one sentence.
_DASHED = re.compile(r"^((?:\S+ )+?\S+)\s[–—-]\s((?:\S+ ){2,}\S+)$")
_LABELLED = re.compile(r"^([A-Z][^:.`\ue000-\uf8ff]{3,60}): (\S.+)$")
_STARTS = re.compile(rf"[A-Z]|{CODE}")


def material(finding: Finding, limit: int) -> Material:
    language = language_of(re.sub(r"`[^`]*`", " ", finding.text))
    texts = [finding.title, *finding.prose, finding.prompt]
    if language in _LATIN:
        texts = [mark_code(text) for text in texts]
    masked = Masked.of("\n".join(texts))
    title, *prose, prompt = masked.text.split("\n")
    made = Material(language, masked, finding.path, limit)
    for match in _NAMED_KIND.finditer(masked.text):
        made.named.setdefault((match[1] or match[4]).lower(), match[2] or match[3])
    title = _placeless(title, made).strip(" .:")
    if title and (reason := nothing(title)) and not english.order(title):
        made.dropped.append(reason)
    else:
        made.title = title
    found = list(sentences("\n".join(prose)))
    if found and not title and (split := _titled(found[0])):
        made.title, found[0] = _placeless(split[0], made), split[1]
    if language == "en":
        found = [part for sentence in found for part in _spoken(sentence)]
    for sentence in found:
        kept = _placeless(sentence, made)
        reason = nothing(kept) if kept else None
        if reason and reason.startswith("pointer") and (told := _TOLD.search(kept)):
            kept, reason = upper_first(told[1]), nothing(told[1])
        if reason and not _teaches_all_the_same(kept, reason):
            made.dropped.append(reason)
        elif kept:
            made.prose.append(kept)
    made.prompt = [without_places(sentence) for sentence in sentences(prompt)]
    return made


#: "In `a.py` the cursor is never closed."
_IN_FILE = re.compile(rf"^((?:In|At) {CODE}) (?=(?:the|an?|each|every|all|{CODE})(?:\s|$))")


def _spoken(sentence: str) -> list[str]:
    """What is said in one breath, as it would be written."""
    return unspliced(_IN_FILE.sub(r"\1, ", without_asides(sentence)))


def _titled(sentence: str) -> tuple[str, str] | None:
    """The title and the sentence of "title: sentence" or "fault - what is said of it"."""
    if (label := _LABELLED.match(sentence)) and _is_title(label[1], label[2]):
        told = english.bare(sentence) != sentence.rstrip(". ") or english.order(sentence)
        return None if told or nothing(sentence) else (label[1], label[2])
    dashed = _DASHED.match(sentence)
    if dashed and _splits(dashed[1], dashed[2]):
        return dashed[1], upper_first(dashed[2])
    return None


def _is_title(name: str, said: str) -> bool:
    """Whether "name: said" names a fault that only the sentence behind it tells."""
    if _STARTS.match(said):
        return True
    return bool(
        english.is_name(name)
        and name.count("(") == name.count(")")
        and not english.opposite(f"{name}: {said}")
        and main_clause(said)
    )


def _splits(fault: str, said: str) -> bool:
    """Whether "fault - said" is a fault and a sentence about it."""
    named = english.is_name(said) and len(said.split()) < 6
    return not (named or english.order(fault, subject(fault)))


def _teaches_all_the_same(sentence: str, reason: str) -> bool:
    """ "I have one suggestion: improve X by doing Y" points and teaches; "use X to close it
    properly" has a word of praise and teaches."""
    if reason not in ("approval", "question") and not re.search(r"\bby \w+ing\b", sentence):
        return False
    return english.order(sentence) is not None


_LINE_DOES = re.compile(
    r"^Lines?\s+\d+(?:\s*[-–]\s*\d+)?(?=\s+(?:\w+s|still|only|also|correctly)\b)"
)


_OTHER_LINE = re.compile(r"(?:(?<=\bwhile )|(?<=\band )|(?<=\bbut ))line \d+(?= \w+s\b)")


def _placeless(text: str, made: Material) -> str:
    """Without places in the diff; "Line 12 uses X" and "this file" call the file by name."""
    text = without_places(text)
    place = made.masked.word(made.path) if made.path else "The code"
    text = _OTHER_LINE.sub("another line", _LINE_DOES.sub(place, text))
    if not made.path:
        return text
    return re.sub(rf"\b[Tt]his (?:file|module|script|workflow|page)\b(?! {CODE})", place, text)


_CODE_NOUN = re.compile(
    r"^((?:(?:the|a|an|each|every|both|all|any|using)\s+)?(?:[\w'’-]+\s+){0,4}?"
    rf"{CODE}(?:\s+{any_of('leaning', 'kind of code')})?)(?=\s|$)",
    re.IGNORECASE,
)
_PLAIN_NOUN = re.compile(
    r"^((?:[Tt]he|[Aa]n?|[Ee]ach|[Ee]very|[Aa]ll)\s+(?:[\w'’-]+\s+){0,3}?[\w'’-]+)\s+"
    r"(?:is|are|was|can|could|may|might|will|should|must|does|has|have|\w+s)\b"
)
_NAMED_KIND = re.compile(
    rf"\b({any_of('leaning', 'kind of code')}) ({CODE})"
    rf"|({CODE}) ({any_of('leaning', 'kind of code')})\b",
    re.IGNORECASE,
)
#: A clause or a participle that hangs on the noun; what was found of it may not be all.
_HANGING = re.compile(rf"{RELATIVE.pattern}|\s(?:that|which|who|whose|where|by|of|in|on|to|for)$")
_BEFORE_SUBJECT = re.compile(
    r"^(?:in|when|if|while|with|for|as|currently|additionally|also|since|because|at|on)\b"
    r"[^,]{0,80},\s+",
    re.IGNORECASE,
)


def subject(sentence: str) -> str:
    """The noun phrase that the sentence opens with, where it is short and names something."""
    text = _BEFORE_SUBJECT.sub("", sentence)
    if re.match(r"[A-Z]?[a-z]+ing ", text):
        return ""
    match = _CODE_NOUN.match(text) or _PLAIN_NOUN.match(text)
    who = match[1] if match else ""
    if _HANGING.search(who):
        who = phrase(who.split())[0]
    return lower_first(re.sub(r"^(?i:this|that)\s+", "the ", who))
