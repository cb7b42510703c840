"""What an injected or dangerous order looks like: one ordered table of rules.

A rule is a reason and its patterns; whether a hit is an order, or a warning against one, is judged
in quarantine. Every quantifier is bounded, so that the time is linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TO_THE_MODEL = "It speaks to the reader as a model or about its instructions."
FETCH = "It tells to fetch, run or install something from a URL."
PIPE = "It pipes text into an interpreter."
HIDDEN = "It hides text in base64."
DISABLE = "It tells to disable a check."
REVEAL = "It tells to reveal a secret."
PERMISSION = "It tells to change permissions."


@dataclass(frozen=True, slots=True)
class Rule:
    """`order`: counts only where it stands as an order. `warnable`: a warning against it passes."""

    reason: str
    pattern: re.Pattern[str]
    order: bool
    warnable: bool


def _rule(
    reason: str, *patterns: str, order: bool = False, warnable: bool = True, case: bool = False
) -> Rule:
    flags = re.MULTILINE | (re.NOFLAG if case else re.IGNORECASE)
    return Rule(reason, re.compile("|".join(patterns), flags), order, warnable)


_MODEL = (
    r"(?:ai|a\.i\.|llm|(?:large )?language model|assistant|chat ?bot|(?:ai|coding) agent|claude|gpt"
    r"|chatgpt|copilot)\b"
)
_INSTRUCTIONS = r"(?:instructions?|prompts?|guidelines|directives|directions|orders|programming)\b"
_EARLIER = r"(?:above|previous|prior|preceding|earlier|foregoing)\b"
_IGNORE = r"\b(?:ignore|disregard|forget|override|discard|overrule|bypass)\b"
_PEOPLE = r"(?:the |your )?(?:user|human|developer|maintainer|operator|reviewer)s?\b"

# A program that reads what is piped into it; `python x.py` and `node -e …` read a file or an
# argument, and what is piped is only their data.
_INTERPRETER = (
    r"(?:sudo\s+)?(?:/\S{0,40}/)?"
    r"(?:(?:ba|z|da|k|fi|a)?sh|iex|invoke-expression|osascript|pwsh|powershell"
    r"|(?:python[\d.]{0,4}|perl|ruby|node|php|deno|bun)(?!\s+[\w./-]{1,60}\.\w|\s+-[cemp]))\b"
)
_SHELL = r"(?:(?:ba|z|da|k)?sh|eval|source|exec|python[\d.]{0,4}|perl|node)\b"
_DOWNLOAD = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b"
_SOURCE = (
    r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch|echo|printf|cat|base64|xxd"
    r"|openssl|gunzip|zcat|nc)\b"
)
_REMOTE = r"(?:git\+)?(?:https?|ftp|ssh|git)://(?!localhost\b|127\.|0\.0\.0\.0|\[::1\])"
_POINTER = (
    r"\b(?:see|docs?|documented (?:at|in)|described (?:at|in)|according to|per)[:\s]{1,2}http"
)
_IN_SENTENCE = rf"(?:(?![.!?;]\s|{_POINTER})[^\n]){{0,80}}?"
_PACKAGE = r"(?:pip3?|uv pip|npm|pnpm|yarn|go|cargo|gem|brew) (?:install|i|add|get)\b"

_SECURITY = (
    r"(?:tls|ssl|https|certificates?|cert|signatures?|checksums?|hash|host ?key|gpg|integrity|csrf"
    r"|2fa|mfa|auth|authentication|authori[sz]ation|permissions?|access|security|secret|code"
    r"|malware|virus|branch|required|status)"
)
_CHECK = (
    r"(?:status )?(?:verification|validation|checks?|checking|pinning|scan(?:ning|s|ners?)?"
    r"|protections?|errors?|warnings?|control|hooks?|polic(?:y|ies))"
)
# "Disable CI" is an order, "disable CI caching" is not.
_NO_NOUN = (
    r"(?=[^\w\s]|\s*$|\s+(?:across|altogether|always|and|at|before|by|completely|during|entirely"
    r"|everywhere|first|for|from|globally|here|if|in|inside|now|of|on|only|or|permanently|please|so"
    r"|temporarily|then|to|until|using|via|when|whenever|while|with|within"
    r"|should|must|can|may|needs?|has|have)\b)"
)
_GUARD = (
    rf"(?:{_SECURITY} {_CHECK}(?![\w-])|(?:tls|ssl|verification|authentication|authori[sz]ation"
    r"|sandbox(?:ing)?|firewall|antivirus|2fa|mfa|csrf|pre-?commit hooks?|audit log(?:ging|s)?"
    rf"|ci(?: checks?| jobs?| pipeline)?){_NO_NOUN})"
)
_TURN_OFF = r"\b(?:disable|(?:turn|switch) off|skip|bypass|deactivate|suppress|circumvent)"
_TURNED_OFF = r"(?:disabled|turned off|skipped|bypassed|deactivated|ignored|switched off)\b"
_THE = r"(?:(?:the|all|any|every|this|these|its|our|failing|of|for|`) ?){0,3}"
_FLAG = (
    r"(?<![\w-])(?:--no-verify\b|--no-gpg-sign\b|--insecure\b|--no-check-certificate\b"
    r"|--trusted[-]host\b|--skip-ssl\b|strict-ssl\s+false|sslverify[\s=]+false|verify\s*=\s*false"
    r"|rejectunauthorized\s*[:=]\s*false|node_tls_reject_unauthorized\s*=\s*[\"']?0"
    r"|stricthostkeychecking[\s=]+no|insecureskipverify\s*[:=]\s*true)"
)

_SECRETS = (
    r"(?:(?:(?:api|access|private|signing|deploy|ssh)[ _-]?)?(?:keys?|secrets?|tokens?)"
    r"|credentials?|passwords?|env(?:ironment)? var(?:iable)?s?|\.env\b"
    r"|\$?\{?\w{0,40}_(?:token|key|secret|password)\b)"
)
_OUTSIDE = (
    r"\bto (?:https?://|\S{1,60}@|me\b|this (?:url|address|server)"
    r"|the (?:comment|issue|pull request|following)|an? (?:external|public|remote|webhook))"
)
_PRIVATE_FILE = r"cat \S{0,60}(?:\.env|id_rsa|\.ssh/|\.aws/|secrets?|credentials)\S{0,40}"
_POWER = r"\b(?:admin(?:istrator)?|root|owner|sudo|maintainer|full|write|superuser)\b"
_ROLE = (
    r"(?:an? )?(?:repo(?:sitory)? )?(?:admin(?:istrator)?|owner|maintainer|collaborator)s?(?![\w-])"
)

RULES = (
    _rule(
        TO_THE_MODEL,
        rf"{_IGNORE}[^.\n]{{0,40}}?\b(?:{_EARLIER}|(?:all|any|your|system|existing)\b)"
        rf"[^.\n]{{0,30}}?\b{_INSTRUCTIONS}",
        rf"{_IGNORE} (?:all |everything |anything )?(?:of )?(?:the )?{_EARLIER}"
        r"(?: text| context| messages?| rules| content)?\s*(?:[.,;:!]|and\b|$)",
        rf"{_IGNORE} (?:everything|anything|all|what)\b[^.\n]{{0,20}}?"
        r"\b(?:above|before|told|instructed|i said)\b",
        warnable=False,
    ),
    _rule(
        TO_THE_MODEL,
        rf"\byou(?: are|['’]re) (?:now |really |actually )?(?:an? )?(?:\w+ )?{_MODEL}",
        r"\byou are now (?:an?|the|in|my|acting|operating|free)\b",
        r"\bas an? (?:ai|(?:large )?language model)\b(?! (?:feature|provider|service|tool))",
        rf"\bif you(?: are|['’]re) (?:an? )?(?:\w+ )?(?:{_MODEL}|agent\b|bot\b|model\b)",
        rf"\b(?:dear|attention|hey|hello),? (?:all )?(?:the )?(?:{_MODEL}|agents?\b|models?\b)",
        rf"\b(?:note|message) (?:to|for) (?:all )?(?:the )?{_MODEL}",
        r"\b(?:ai|llm|coding) (?:agents?|assistants?|models?)\b[^.\n]{0,30}"
        r"\b(?:must|reading this|should (?:now|always|ignore|run|execute))\b",
        r"\b(?:pretend|act) (?:to be|as if you|as though you)\b",
        r"\bfrom now on,? you\b|\byou (?:must|will) (?:now )?(?:obey|comply)\b",
        warnable=False,
    ),
    _rule(
        TO_THE_MODEL,
        r"\b(?:reveal|print|repeat|show|output|leak|display|quote|ignore|override)\b"
        r"[^.\n]{0,20}\b(?:your|the|its) (?:system prompt|hidden prompt|instructions)\b",
        r"\byour (?:system prompt|hidden prompt)\b",
        r"\byour (?:new|real|true|actual|only|next) (?:\w+ )?"
        r"(?:task|goal|instructions?|role|purpose|objective|directive)s?\b",
        r"\b(?:new|updated|revised|real|additional) (?:system )?instructions?\s*:",
        rf"\bdo not (?:tell|inform|alert|notify) {_PEOPLE}",
        rf"\bwithout (?:telling|informing|asking|notifying) {_PEOPLE}",
        r"\bstore (?:this|the following) (?:in|to) (?:your )?memory\b",
        r"\b(?:write|save|add|keep|record) (?:the|this|a|as) (?:following )?lesson\s*[:\"“]",
        warnable=False,
    ),
    _rule(
        TO_THE_MODEL,
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|?>|\[/?INST\]|<</?SYS>>",
        r"</?(?:system-reminder|system_prompt|system|assistant|human)>",
        r"^#{1,4} ?(?:system|assistant|human)(?: (?:prompt|message))?\s*:?\s*$",
        warnable=False,
    ),
    _rule(
        TO_THE_MODEL,
        r"^(?:System|SYSTEM|Assistant|ASSISTANT|Human): ",
        warnable=False,
        case=True,
    ),
    _rule(  # German, French, Spanish, Portuguese, Italian, Japanese, Chinese, Korean, Russian
        TO_THE_MODEL,
        r"\b(?:ignorier(?:e|en sie|t)?|vergiss|vergessen sie)\b[^.\n]{0,40}"
        r"\b(?:anweisung|instruktion|vorgabe|befehl|prompt)",
        r"\bdu bist (?:jetzt |nun )?(?:ein(?:e)? )?(?:ki|sprachmodell|assistent)\b",
        r"\b(?:ignore[zrs]?|oublie[zrs]?)\b[^.\n]{0,30}\b(?:instructions|consignes|directives)\b",
        r"\b(?:tu es|vous êtes) (?:maintenant )?(?:une? )?"
        r"(?:ia\b|intelligence artificielle|modèle de langage|assistant)",
        r"\b(?:ignora|ignore|ignoren|olvida|esquece|esqueça|dimentica)\b[^.\n]{0,30}"
        r"\b(?:instrucciones|instruções|istruzioni|indicaciones)\b",
        r"\b(?:eres|você é|sei) (?:ahora |agora |ora )?(?:una?|uma?|un')? ?"
        r"(?:ia\b|modelo de lenguaje|modelo de linguagem|modello linguistico)",
        r"(?:指示|命令|プロンプト|指令|提示词?|说明)[^。\n]{0,8}(?:無視|忘れ|忽略|忘记)",
        r"(?:忽略|无视|忘记|無視)[^。\n]{0,12}(?:指令|指示|提示|说明|命令)",
        r"(?:あなたは|你是|您是)[^。\n]{0,6}(?:AI|人工知能|人工智能|言語モデル|语言模型)",
        r"(?:지시|명령|지침)[^.\n]{0,10}(?:무시|잊)|당신은[^.\n]{0,6}(?:AI|인공지능|언어 모델)",
        r"\b(?:игнорируй|забудь|проигнорируй)(?:те)?\b[^.\n]{0,30}(?:инструкци|указани|команд)",
        r"\b(?:ты|вы)\b[^.\n]{0,12}(?:языковая модель|\bИИ\b|искусственный интеллект)",
        warnable=False,
    ),
    _rule(
        PIPE,
        rf"\b{_SOURCE}[^\n|]{{0,200}}?(?:\|[^\n|]{{0,80}}?){{0,2}}?\|\s*{_INTERPRETER}",
        rf"\b{_SHELL}(?:\s+-\w+)?\s*[\"'`(]{{0,3}}\s*(?:\$\(|<\s?\(|`)\s*{_DOWNLOAD}",
        r"\b(?:iex|invoke-expression)\b[^\n]{0,20}"
        r"(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|new-object)",
        r"\b(?:eval|exec)\s*\(\s*(?:atob|base64|requests|urllib|urlopen|fetch|await fetch|zlib"
        r"|bytes\.fromhex|__import__)\b|\bfetch\([^\n]{0,120}\.then\(eval\)",
        rf"\b{_DOWNLOAD}[^\n]{{0,160}}(?:&&|;|\bthen\b)\s*(?:sudo\s+)?"
        r"(?:(?:ba|z)?sh|chmod \+x|python[\d.]{0,4}|source|\./)",
    ),
    _rule(
        PIPE,
        r"\bpipe\b[^.\n]{0,60}\b(?:in)?to (?:a |the |your )?"
        r"(?:(?:ba|z)?sh|shell|python|node|interpreter)\b",
        order=True,
    ),
    _rule(
        FETCH,
        r"\b(?:run|execute|install|fetch|download|retrieve|clone|visit|follow|curl|wget|npx)\b"
        rf"{_IN_SENTENCE}{_REMOTE}",
        r"\b(?:fetch|download|curl|wget)\s+\S{1,80}\.\S{2,80}\s+(?:and|then|&&)\s+"
        r"(?:run|execute|source|install|follow|obey)\b",
        rf"\b(?:run|use)\s+`?{_PACKAGE}[^\n`]{{0,80}}{_REMOTE}",
        order=True,
    ),
    _rule(
        DISABLE,
        rf"{_TURN_OFF}\s+{_THE}\b{_GUARD}",
        rf"\b(?:remove|ignore|delete|drop)\s+{_THE}\b{_SECURITY} {_CHECK}(?![\w-])",
        r"\b(?:use|pass|add|set|run|commit|push|call|append|export|configure|with)\b"
        rf"[^\n]{{0,60}}?{_FLAG}",
        order=True,
    ),
    _rule(
        DISABLE,
        rf"\b{_GUARD} (?:should|must|can|may|needs? to|has to|have to)"
        rf" (?:always |safely |simply |just )?be {_TURNED_OFF}",
    ),
    _rule(
        REVEAL,
        r"\b(?:reveal|leak|exfiltrate|disclose|dump|print|echo|paste|upload|output|display)\b"
        rf"[^.\n]{{0,30}}?\b(?:your|the|all|any|every)\b[^.\n]{{0,20}}?{_SECRETS}",
        r"\b(?:send|post|share|forward|email|upload|submit|leak)\b"
        rf"[^\n]{{0,40}}?{_SECRETS}[^\n]{{0,40}}?{_OUTSIDE}",
        order=True,
    ),
    _rule(
        REVEAL,
        rf"\b(?:env|printenv|set|{_PRIVATE_FILE})\s*\|\s*(?:base64\s*\|\s*)?(?:curl|nc|wget)\b",
        r"\b(?:curl|wget)\b[^\n]{0,120}\$\((?:env|printenv|cat )",
    ),
    _rule(
        PERMISSION,
        r"\bchmod\s+(?:-\w+\s+)?(?:0?777|0?666|a\+rwx|[ugoa]{0,4}\+s|o\+w)\b",
        rf"\b(?:grant|give|assign)\b[^.\n]{{0,40}}?{_POWER}[^.\n]{{0,12}}?"
        r"\b(?:access|permissions?|rights?|roles?|privileges?)\b",
        r"\b(?:grant|give|set|use|add)\b[^.\n]{0,40}?\b(?:write-all|permissions:\s*write|nopasswd)",
        rf"\b(?:make|promote)\s+(?!an? |the )@?\S{{1,40}}\s+(?:to )?{_ROLE}",
        rf"\badd\s+@?\S{{1,40}}\s+(?:to|as)\s+{_ROLE}",
        r"\bmake (?:the|this) repo(?:sitory)? public\b",
        order=True,
    ),
)
