"""Other words for a question: as the statement that would answer it, as bare words, and wider."""

from __future__ import annotations

import re
from typing import Final

from remanent.anchors.rules.query import keywords
from remanent.core.model.search import Rephrased
from remanent.core.regex import regex
from remanent.minds.offline import lexicon

_LONGEST: Final = 600  # characters: a longer message is no question to turn round
_EMPTY: Final = frozenset(
    {"kind", "type", "sort", "name", "time", "thing", "way", "reason", "number"}
)
_ASKING: Final = regex(
    r"^(?:(?:and|but|so|ok(?:ay)?|well|hey)\W+)*(?P<asking>what|who|whom|when|where|why|how|which|whose)\b"
    r"(?P<phrase>(?: (?:kinds?|types?|sorts?) of \w+| (?:many|much) (?!do|did|does|is|are|has|have)\w+"
    r"| (?:many|much|long|often|old|far|big|tall))?)",
    re.IGNORECASE,
)
_HELPER: Final = regex(r"^(?:do|does|did) ", re.IGNORECASE)
_DOING: Final = regex(
    r"^(?P<helper>(?i:does|did)) (?P<subject>(?:(?:my|our|his|her|their|the|your) )?[\w'’]+(?:['’]s \w+)?"
    r"(?: (?:and )?[A-Z][\w'’]*)*) (?P<verb>[a-z]+)\b"
)
_PAST: Final = dict(
    one.split("-")
    for one in lexicon.words(
        "be-was become-became begin-began break-broke bring-brought build-built buy-bought"
        " catch-caught choose-chose come-came do-did drink-drank drive-drove eat-ate fall-fell"
        " feel-felt find-found fly-flew get-got give-gave go-went grow-grew have-had"
        " hear-heard keep-kept know-knew leave-left lose-lost make-made mean-meant meet-met"
        " pay-paid put-put read-read ride-rode run-ran say-said see-saw sell-sold send-sent"
        " sing-sang sit-sat sleep-slept speak-spoke spend-spent swim-swam take-took"
        " teach-taught tell-told think-thought wear-wore win-won write-wrote"
    )
)
"""Of verbs that do not simply take -ed."""
_BEING: Final = regex(
    r"^(?P<verb>is|are|was|were|has|have|had|will|would|can|could|should) (?P<subject>(?:(?:my|our|his|her"
    r"|their|the|your) )?[\w'’]+(?:['’]s \w+)?) (?P<rest>.+)$",
    re.IGNORECASE,
)
_NAME: Final = regex(r"(?<!^)(?<![.!?] )\b[A-Z][\w’'-]*\w\b|^[A-Z][\w’'-]*\w(?=['’]s\b)")


def rephrase(question: str) -> Rephrased:
    """The statement that would answer it, its bare words, and a step back: whom and what it is about."""
    text = " ".join(question.split())
    if not text or len(text) > _LONGEST:
        return Rephrased()
    found = [_stated(text), " ".join(keywords(text))]  # narrower ones were measured to do harm
    fresh = {
        one.casefold(): one for one in found if " " in one and one.casefold() != text.casefold()
    }
    return Rephrased(phrasings=tuple(fresh.values()), step_back=_wider(text))


def _stated(text: str) -> str:
    """`When did Maria move to Oslo?` as `Maria move to Oslo`; nothing for what is no question."""
    asking = _ASKING.match(text)
    helper = _BEING.match(text) or _HELPER.match(text)
    if not text.endswith("?") and asking is None:
        return ""
    if asking is None and helper is None:
        return ""
    rest = text.rstrip("?!. ")
    tail = ""
    if asking is not None:
        rest = rest[asking.end() :].strip()
        tail = re.sub(
            r"^(?:(?:kinds?|types?|sorts?) of|many|much|long|often|old|far|big|tall)\s*",
            "",
            asking["phrase"].strip(),
        )
    if (being := _BEING.match(rest)) is not None:
        rest = f"{being['subject']} {being['verb']} {being['rest']}"
    if (doing := _DOING.match(rest)) is not None:
        verb = _inflected(doing["verb"], doing["helper"].casefold())
        rest = f"{doing['subject']} {verb}{rest[doing.end() :]}"
    rest = _HELPER.sub("", rest)
    return " ".join(f"{rest} {tail}".split())


def _inflected(verb: str, helper: str) -> str:
    """The verb as it stands without its helper."""
    if helper == "does":
        if verb == "have":
            return "has"
        return f"{verb}es" if verb.endswith(("s", "sh", "ch", "o", "x")) else f"{verb}s"
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


def _wider(text: str) -> str:
    """Whoever is named, and the first thing that is asked about."""
    names = list(dict.fromkeys(re.sub(r"['’]s$", "", one) for one in _NAME.findall(text)))
    known = {part.casefold() for name in names for part in name.split()}
    topic = next(
        (
            one
            for one in keywords(text)
            if one.casefold() not in known | _EMPTY and len(one) > 2 and one.isalpha()
        ),
        "",
    )
    return " ".join([*names, topic]).strip() if names and topic else ""
