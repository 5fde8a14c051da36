"""Does a message need memory? Weighed from its words alone (SPEC 8)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from remanent.anchors.rules import query
from remanent.core.checks import ends_of
from remanent.core.model.anchor import Name
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.search import Need
from remanent.core.model.source import Turn

_FROM = 1.0  # signs that weigh this much together call for memory
_UNSURE = 0.5  # this near to it, a mind is worth asking
_SHORTEST_CAUSE = 3  # words: a bare answer such as "Oslo." is no reason to follow up on memory
_READ = (
    1000  # characters at either end of a message that are weighed: a pasted text does not say more
)

_KIN = (
    r"sister|brother|mother|mom|mum|father|dad|parents?|son|daughter|kids?|child(?:ren)?|wife|husband|"
    r"partner|spouse|girlfriend|boyfriend|ex|aunt|uncle|cousin|niece|nephew|grand\w+|family|in-laws|"
    r"friends?|room-?mates?|flat-?mates?|neighbou?rs?|boss|manager|colleagues?|co-?workers?|team|"
    r"clients?|customers?|landlord|doctor|dentist|therapist|teacher|professor|advisor|mentor|"
    r"accountant|lawyer|trainer|coach|dog|cat"
)
_TIMES = (
    r"yesterday|last (?:night|week|month|year|time|weekend|summer|winter|spring|autumn|fall|\w+day)|"
    r"the other day|\b(?:\w+ )?(?:days?|weeks?|months?|years?) ago|back in|recently|lately|these days|"
    r"(?:earlier|previously) (?:you|we|i|today|this)|previous (?:session|conversation|chat|meeting)|"
    r"last (?:session|conversation|chat|meeting)s?"
)
_DAYS = (
    r"today|tonight|tomorrow|this (?:week|weekend|month|year|morning|afternoon|evening)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"(?:in|since|by|until) (?:january|february|march|april|may|june|july|august|september|october|"
    r"november|december)"
)
_STATES = (
    r"(?:usually |always |normally |really |still |actually )*(?:prefer|like|love|hate|enjoy|wear|speak|"
    r"know|own|owe|have|want|listen|live|work|order|drink|eat|take|feel|believe|think|stand)\b"
)


@dataclass(frozen=True, slots=True)
class _Sign:
    weight: float
    reason: str
    pattern: re.Pattern[str]


def _sign(weight: float, reason: str, pattern: str) -> _Sign:
    return _Sign(weight, reason, re.compile(pattern, re.IGNORECASE))


# Every sign counts once. What speaks for memory:
_FOR = (
    _sign(2.0, "asks to be reminded",
          r"\bremind me\b|\bremember\b|\brecall\b|\brecap\b|\bwhere (?:we|i|did (?:i|we)) (?:left|leave) off|"
          r"\bas far as you know|\byou know (?:my|about me|that i|i\b)|\bknow about me\b|everything you know"),
    _sign(2.0, "refers to what was said between us",
          r"\byou (?:already )?(?:told|said|mentioned|recommended|suggested|gave|sent|promised|showed|wrote)\b|"
          r"\bdid you (?:tell|say|mention|recommend|suggest|give|send|show)\b|"
          r"\b(?:i|we) (?:already )?(?:told|asked|mentioned|said|discussed|talked|spoke|complained|gave you)\b|"
          r"\bour (?:\w+ )?(?:conversation|chat|talk|session|discussion)s?\b|\bwe (?:were )?(?:talk|discuss|speak)"),
    _sign(1.5, "asks what the sender did or went through",
          r"\b(?:did|have|had|was|were) (?:i|we)\b(?! supposed)|\b(?:i|we) (?:have|had|'ve) (?:been|ever|already)|"
          r"\bsince when\b|\bhave (?:i|we)\b"),
    _sign(1.0, "tells of the sender's own past",
          r"\b(?:i|we) (?:\w+ )?(?:went|met|had|saw|bought|booked|ran|lost|found|started|stopped|finished|"
          r"decided|agreed|chose|tried|got|made up|fought|moved|paid|signed|listed|achieved|dropped|learned|"
          r"planned|promised|ordered|visited|called|wrote|sent|broke|quit)\b|"
          r"\b(?:i|we) (?:\w+ )?(?!need\b|feed\b|speed\b|indeed\b)\w{2,}ed\b"),
    _sign(1.5, "asks about a decision",
          r"\b(?:decide|decided|decision|agree|agreed|settled?|sign(?:ed)? off|voted?|outcome of|end up|ended up|"
          r"go(?:ing)? with|chosen?|chose|choose)\b.*\b(?:we|i|us|our)\b|"
          r"\b(?:we|i|us|our)\b.*\b(?:decide|decided|decision|agree|agreed|settled?|voted?|end up|ended up|going with|"
          r"go with|chose|choose|chosen|plan|reasoning|reason)\b"),
    _sign(1.0, "asks about a decision",
          r"\bwho (?:signed off|approved|agreed)\b|\b(?:outcome|result) of (?:the|our|my)\b|\bthe decision\b|"
          r"\bthe plan for\b|\b(?:is|was) it the\b|\bshould i (?:take|do|accept|go|text|call|tell|say|quit|leave|stay)\b|"
          r"\bwhether (?:i|we) should\b|\bif i should\b|\bback and forth\b"),
    _sign(1.2, "asks about a running project",
          r"\b(?:status|progress|state) (?:of|on)\b|\baction items?\b|\bto-?do(?: list)?\b|\bnext steps?\b|\bon (?:schedule|track)\b|"
          r"\bwhat'?s blocking\b|\bwhere (?:are|do) (?:we|our)\b|\bhow far (?:along|are we|am i)\b|\bleft to do\b|"
          r"\bopen (?:tasks?|questions?|issues?|points?)\b|\bare we (?:still|on)\b|\b(?:i|we) (?:still )?owe\b|"
          r"\b(?:am|are|is) (?:i|we) assigned\b|\bassigned to me\b|\bweekly (?:update|report)\b|\bprepare me\b"),
    _sign(0.6, "speaks of something going on",
          r"\bthe (?:launch|migration|rollout|release|budget|offsite|renovation|move|merger|proposal|contract|"
          r"meeting|meetings|project|deal|wedding|party|trip|appointment|interview|surgery|report|deadline|venue|"
          r"logo|vendor|app|grant\b[\w ]*)\b"),
    _sign(1.5, "is about someone in the sender's life", rf"\b(?:my|our)(?: \w+)? (?:{_KIN})\b(?!-)"),
    _sign(1.2, "asks for something of the sender's own",
          r"\b(?:what|when|where|which|who|how|is|are|was|does|did|do)(?:'?s|'?re)?\b[^?.!]*\b(?:my|our)\b|"
          r"\bmy (?:usual|latest|taste|style|goals?|plans?|notes|tasks?|tickets?|favou?rite|manuscript|thesis|startup)\b"),
    _sign(1.2, "asks about the sender's tastes or habits",
          rf"\b(?:do|would|am|could) i {_STATES}|\b(?:am|was) i\b|\bi (?:usually|normally|always|typically)\b|\bi'?d (?:like|enjoy|love)\b|"
          r"\bwould i\b|\bi (?:enjoy|prefer)\b|\bthe usual\b|\bfor (?:me|myself)\b.*\b(?:like|enjoy|taste|based)\b|"
          r"\bwho do i know\b|\bmy (?:taste|preferences)\b"),
    _sign(0.8, "speaks of a time in the sender's life", rf"\b(?:{_TIMES})\b"),
    _sign(0.5, "speaks of the sender's days", rf"\b(?:i|i'?m|me|my|we|our|us)\b.*\b(?:{_DAYS})\b|\b(?:{_DAYS})\b.*\b(?:i|i'?m|me|my|we|our|us)\b"),
    _sign(0.6, "asks again", r"\bagain\s*[?.!]*$|\banything new\b|\bstill\b"),
    _sign(0.7, "tells of the sender's own life",
          r"^(?:so |well |ok(?:ay)? |and )?(?:i|i'?m|we|we'?re) (?:\w+ )?(?:meeting|seeing|going|moving|thinking|not sure|"
          r"need to|have to|keep|want to|am|think|feel|worried|supposed)\b|\bvisiting\b|\bcoming to\b"),
)  # fmt: skip

# What speaks against it:
_AGAINST = (
    _sign(3.0, "is small talk",
          r"^\W*(?:hi|hey|hello|yo|good (?:morning|night|evening|afternoon)|thanks?|thank you|thx|lol|haha\w*|ok(?:ay)?|cool|"
          r"great|nice|yes|no|sure|please|bye|see you|sorry|never mind|happy (?:new year|birthday|holidays)|what'?s up|"
          r"how are you|you'?re (?:amazing|great|welcome)|perfect|wow)\b"
          r"(?:\W+(?:there|you|so|very|a|much|lot|cool|nice|one|please|that'?s|is|perfect|great|later|thanks?|thank|again|all|"
          r"amazing|doing|today|i|made|typo|it|for|the|help))*\W*$"),
    _sign(2.0, "is about the assistant",
          r"^(?:are|who|what|do|can|how)\b(?: \w+)? you\b(?!.*\b(?:i|me|my|we|our|us|remember|recall|recommend|suggest|say|tell)\b)"
          r"(?: \w+){0,4}\W*$|^(?:tell|sing) me an? (?:joke|song|story)|^i'?m bored"),
    _sign(1.2, "is a task that brings its own material",
          r"\b(?:this|these|the following|following) (?:\w+ )?(?:functions?|class|code|text|paragraph|sentence|notes|pdf|query|"
          r"article|e-?mail|script|file|snippet|essay)\b|\b(?:code|text|notes|paragraph|list) below\b|^[\w ]{3,40}: ?['\"“]"),
    _sign(1.2, "is about code",
          r"`[^`]+`|\w+\(\)|\b(?:typescript|javascript|regex|sql|bash|dockerfile|docker|git|json|csv|css|html|div|linked list|"
          r"quicksort|unit tests?|borrow checker|rust|c\+\+|\w+error)\b|\bin (?:python|java|c|go|rust)\b|\bpython script\b"),
    _sign(2.0, "is a sum",
          r"\d\s*[-+*/^=]\s*\d|\d ?%\s+of\b|^(?:please )?(?:solve|integrate|differentiate|factor|simplify)\b|"
          r"\b(?:square root|probability) of\b|"
          r"\bconvert \d|\bhow many \w+ (?:are )?in an?\b|\bif a (?:train|car)\b|\bsplit a bill\b"),
    _sign(1.5, "is about language",
          r"\btranslate\b|\bhow (?:do|would) you (?:say|spell)\b|\bsynonyms?\b|\bgrammar\b|\bpast tense\b|\bidioms?\b|"
          r"\bis it ['\"‘“]\w+['\"’”] or\b|\bproof-?read\b|\b(?:the )?word ['\"‘“]"),
    _sign(1.2, "asks for something new to be made",
          r"^(?:please |can you |could you |help me )?(?:write|draft|create|design|generate|brainstorm|outline|draw|play|turn o\w+|"
          r"set an?|name (?:\w+ )?\w+ |give me (?:\d+|an?|one|two|three|four|five|ten|some)|rewrite|rephrase|make this|suggest (?:names|\d+)|"
          r"turn the|refactor|debug|convert|fix|compose|compare|list the|define)\b"),
    _sign(1.2, "is a general question",
          r"^(?:please )?(?:explain|describe|define|compare)\b|\bthe difference between\b|^(?:what|who)(?:'?s| is| are| was| were) (?:an? |the )?"
          r"(?:capital|population|weather|tallest|largest|smallest|best way|boiling point|time complexity|ceo|president|king|queen|"
          r"inventor|author|side effects|square root)\b|\bhow do i (?!like|usually|take|feel|stand)\w+|\bwhat do i need to\b|"
          r"\bwhat should i (?:look for|consider|know about)\b(?!.*\b(?:him|her|them)\b)|^how (?:do|does|did) (?!i\b|we\b|my\b|our\b)\w+"),
)  # fmt: skip

_KNOWN_WEIGHT = {Kind.PERSON: 2.5, Kind.ENTITY: 1.2, Kind.CONCEPT: 0.2}
_SHORT_FORM = 1.6
_MENTIONED = 1.2
_UNKNOWN_NAME = 0.5


@dataclass(frozen=True, slots=True)
class _KnownNames:
    """What the memory has heard of."""

    names: Sequence[Name]
    abbreviations: frozenset[str]
    mentioned: frozenset[str]


def need(
    message: str,
    *,
    before: Sequence[Turn] = (),
    names: Sequence[Name] = (),
    abbreviations: Collection[str] = (),
    mentioned: Collection[str] = (),
) -> Need:
    """Whether `message` needs memory. `names` are those the memory knows that may be meant,
    `abbreviations` the short forms that it can write out, `mentioned` other names it has heard."""
    known = _KnownNames(names, frozenset(abbreviations), frozenset(mentioned))
    own = _weigh_signs(message, known)
    if own.needs_search or not before or not query.is_follow_up(message):
        return own
    for turn in reversed(before[-4:]):
        earlier = _weigh_signs(turn.text, known)
        if earlier.needs_search and len(query.words(turn.text)) >= _SHORTEST_CAUSE:
            reason = f"follows up on “{_shortened(turn.text)}”"
            return Need(
                needs_search=True, reasons=(reason, *earlier.reasons), is_sure=earlier.is_sure
            )
    return own


def _weigh_signs(message: str, known: _KnownNames) -> Need:
    text = " ".join(ends_of(message, 2 * _READ).replace("’", "'").split())
    signs = {one.reason: one.weight for one in reversed(_FOR) if one.pattern.search(text)}
    signs |= _named_signs(text, known)
    doubts = {one.reason: one.weight for one in _AGAINST if one.pattern.search(text)}
    score = sum(signs.values()) - sum(doubts.values())
    needed = score >= _FROM
    decisive = signs if needed else doubts
    reasons = tuple(decisive) or ("names nothing of the sender's own",)
    return Need(needs_search=needed, reasons=reasons, is_sure=abs(score - _FROM) > _UNSURE)


def _named_signs(text: str, known: _KnownNames) -> dict[str, float]:
    """What the message calls by a name, with the weight of it."""
    signs: dict[str, float] = {}
    for name in known.names:
        if not name.is_owner and query.calls(text, name):
            signs[f"names {name.name}"] = _KNOWN_WEIGHT.get(name.kind, 0.2)
    words = set(canonical_name(text).split("-"))
    for short in known.abbreviations:
        folded = canonical_name(short)
        if folded in words or f"{folded}s" in words:
            signs[f"names {short}"] = _SHORT_FORM
    for one in known.mentioned - known.abbreviations:
        if f"-{canonical_name(one)}-" in f"-{canonical_name(text)}-":
            signs[f"names {one}, who or which was spoken of"] = _MENTIONED
    if not signs and query.foreign_names(text):
        signs["names somebody or something"] = _UNKNOWN_NAME
    return signs


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59].rstrip()}…"
