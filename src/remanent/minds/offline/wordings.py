"""Other words for the same: a statement put in the one wording that the judge compares.

A rule is `what is said = how we say it`. `X`, `Y` and `Z` stand for any words, `N` for a number and
its unit, `P` for a possessor ("my", "Tom's"); `BE` for am, is, are with or without "not" and `DO`
for what may stand before a verb; `DB` for a database, `JOB` for a trade and `PRO` for whom one goes to see; a word in [brackets] is a verb that follows its subject and is
denied where the original was. `P.` is the possessor as subject, `X.` the subject as possessor.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from remanent.minds.offline import lexicon
from remanent.minds.offline.moments import with_plain_moments
from remanent.minds.offline.wording_rules import APPOSED, RULES

_SHORT = (
    (r"’", "'"),
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"(\w)n't\b", r"\1 not"),
    (r"\bi'm\b", "I am"),
    (r"(\w)'re\b", r"\1 are"),
    (r"(\w)'ve\b", r"\1 have"),
    (r"(\w)'ll\b", r"\1 will"),
    (r"\b(i|you|he|she|we|they)'d (rather|love|like|prefer)\b", r"\1 would \2"),
    (r"\b(it|that|he|she|there|what|where|here)'s\b", r"\1 is"),
    (r"\b(have|has) got\b", r"\1"),
    (r"\b(?:mum|mom)\b", "mother"),
    (r"\bdislike(s?)\b", r"hate\1"),
    (r"\bdad\b", "father"),
    (r"\bfavorite\b", "favourite"),
    (r"\bfavourite (?:dish|meal)\b", "favourite food"),
    (r"\bcolor\b", "colour"),
    (r"\bonce (a|an|every|per)\b", r"one time \1"),
    (r"\btwice\b", "two times"),
    (r"\bthree-times\b|\bthrice\b", "three times"),
    (r"\bfull[ -]time\b", "full-time"),
    (r"\bpart[ -]time\b", "part-time"),
    (r"\bwell[ -]done\b", "well-done"),
    (r"\b(\d[\d,.:]*)\s?(am|pm|km|kg|cm|gb|tb|mb|mg|ml)\b", r"\1 \2"),
)
_NOISE = (
    r"\b(?:right|for) now\b|\bnow(?:adays)?\b|\bcurrently\b|\bthese days\b|\bat (?:the moment|present)\b"
    r"|\bpresently\b|\bactually\b|\breally\b|\bjust\b(?! as)|\bstill\b|\boriginally\b|\bany ?more\b"
    r"|\bfrom (?:today|now)(?: on)?\b|\bin fact\b|\bbasically\b|\bdefinitely\b|\bas of (?:today|now)\b|\bafter all\b|\bby trade\b"
)
_MARKS = re.compile(
    r"\bnow(?:adays)?\b|\bthese days\b|\binstead\b|\bcurrently\b|\bfrom (?:today|now)\b|\bas of (?:today|now)\b"
    r"|\bactually\b|\bswitched\b|\bchanged\b|\bnew\b|\binstead of\b",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"\b(the|my|our|his|her|their|\w+'s) new (?=(?:\w+ ){1,2}(?:is|are|for|of)\b)", re.IGNORECASE
)
_DETERMINERS = lexicon.words(
    "a an the my our your his her their its this that these those some any no of in on at for with by"
    " and or to from very two three four five six seven eight nine ten many several new old big"
)
_FINITE = lexicon.words(
    "am is are was were has have had does do did will would can could may might must should not never"
)
_BASE_SUBJECTS = lexicon.words("i we you they")
_KNOWN_VERBS = lexicon.words(
    "likes loves hates is was has does prefers wants needs enjoys goes gets"
)
_MISTAKEN = {
    word: base
    for base, words in (
        (base, (f"{base}s", f"{base}es", f"{base[:-1]}ies"))
        for base in lexicon.words(
            "leave study work live lead head run play rent start end cost weigh move drink report open"
            " close place ship arrive talk drive plan share own need want paint dance cook smoke walk"
            " train coach teach use visit mean type speak fly hike ski program host park stay design"
            " fish travel exercise date water farm sleep finish depart land expire begin last measure"
            " support matter function crash fail pass manage chair"
        )
    )
    for word in words
}
"""Verbs that the small parser takes for nouns when a short subject stands before them."""
_ASIDE = re.compile(
    r"^(?P<head>(?:\S+ ){2,}[^,]*?\S),\s+(?P<aside>(?:two|three|four|five|a|an|the|right|just|near|close|next|not far"
    r"|in|at|on|by|with|about|\d+|[A-Z]\w+)\b[^,;]*)$"
)
_OWN_VERB = re.compile(
    r"\b(?:i|he|she|they|we|it|who|which|that|am|is|are|was|were|and|but)\b", re.IGNORECASE
)
_INSTEAD = re.compile(
    r"^(?P<head>[^,;]+?)(?:,? (?:instead of|rather than)|,(?: and)? not) (?P<not>(?!to )[^,;]+?)(?: now)?$",
    re.IGNORECASE,
)
_PREPOSITIONS = lexicon.words("in at on for with to from by near")
_SUBJECTS = lexicon.words("i we you they he she it")
_SEVERAL = " (several)"
_NO_LONGER = re.compile(r"^(?P<who>.+?) no longer (?P<verb>\w+)(?P<rest>.*)$", re.IGNORECASE)
_CLAUSAL = (_FINITE - {"has"}) | lexicon.words(
    "if when because although while want wants plan plans hope hopes think thinks thought who which"
    " said says told maybe perhaps never to used"
)
_OWNERS = {
    "my": "I",
    "our": "we",
    "your": "you",
    "his": "he",
    "her": "she",
    "their": "they",
    "its": "it",
}
_POSSESSIVES = {subject.lower(): owner for owner, subject in _OWNERS.items()} | {"me": "my"}


@dataclass(frozen=True, slots=True)
class Wording:
    """A statement in plain words.

    `marked` when it says that something has changed ("now"), `aside` for what it adds behind a
    comma, `several` when its subject is one of some ("a dog named Rex").
    """

    text: str
    marked: bool = False
    aside: frozenset[str] = frozenset()
    several: bool = False


@lru_cache(maxsize=4096)
def plain_wording(text: str) -> Wording:
    """The statement as we say it."""
    plain = " ".join(text.split()).strip().rstrip(".!")
    for pattern, short in _SHORT:
        plain = re.sub(pattern, short, plain, flags=re.IGNORECASE)
    marked = _MARKS.search(plain) is not None
    plain = _NEW.sub(r"\1 ", plain)
    plain = " ".join(re.sub(_NOISE, " ", plain, flags=re.IGNORECASE).split()).strip(" ,")
    plain = with_plain_moments(_denied(plain))
    for rule in _rules(APPOSED):
        plain = rule(plain)
    aside = _ASIDE.match(plain)
    told = ""
    if aside is not None and not _OWN_VERB.search(aside["aside"]):
        plain, told = aside["head"], aside["aside"]
    for rule in _rules(RULES):
        plain = rule(plain)
    plain = with_plain_moments(plain)
    several = plain.endswith(_SEVERAL)
    plain = _with_verb(plain.removesuffix(_SEVERAL))
    said = frozenset(told.lower().split()) - _DETERMINERS
    return Wording(f"{plain}.", marked, said, several)


def taken_back(text: str) -> tuple[str, str]:
    """The statement without what it takes back, and what it takes back as a statement of its own.

    "I drink tea instead of coffee" says that I drink tea, and no longer that I drink coffee.
    """
    found = _INSTEAD.match(" ".join(text.split()).rstrip(".!"))
    if found is None:
        return text, ""
    head, gone = found["head"].split(), found["not"]
    if head[-2:-1] and head[-2].lower() in _PREPOSITIONS and head[-1][:1].isupper():
        return f"{found['head']} now", " ".join([*head[:-1], gone.split()[-1]])
    verb = next((at for at in range(1, len(head)) if _is_verb(head, at)), None)
    return f"{found['head']} now", " ".join(
        [*(w for w in head[: verb + 1] if w != "only"), gone]
    ) if verb is not None else ""


def _is_verb(words: list[str], place: int) -> bool:
    """True where the verb must be: after a pronoun or a name, or ending like one."""
    word, before = words[place].lower(), words[place - 1]
    if word in {"only", "now", "always", "usually"} or not word.isalpha():
        return False
    named = place == 1 and before[:1].isupper() and before.lower() not in _DETERMINERS
    return before.lower() in _SUBJECTS or named or (place > 1 and word.endswith("s"))


def _denied(text: str) -> str:
    """ "No longer leads" as "does not lead": the parser loses its way after "longer"."""
    found = _NO_LONGER.match(text)
    if found is None:
        return text
    who, verb = found["who"], found["verb"]
    if who.lower().split()[-1] in _FINITE:
        return f"{who} not {verb}{found['rest']}"
    base = verb if _is_plural(who) else base_form(verb)
    return f"{who} {'do' if _is_plural(who) else 'does'} not {base}{found['rest']}"


def base_form(verb: str) -> str:
    """A verb without the ending of "he", "she" and "it"."""
    if verb.lower() in {"has", "is", "does", "goes"}:
        return {"has": "have", "is": "be", "does": "do", "goes": "go"}[verb.lower()]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return verb[:-2]
    return verb.removesuffix("s") if not verb.endswith("ss") else verb


def _with_verb(text: str) -> str:
    """ "Kenji studies law" as "Kenji does study law", which the parser does not take for a noun."""
    words = text.split(" ")
    for place, word in enumerate(words[:7]):
        if word.lower() in _FINITE | _BASE_SUBJECTS or _may_be_verb(words, place - 1):
            return text
        if place == 1 and _is_after_name(words):
            return " ".join([words[0], "does", base_form(word), *words[2:]])
        if place and word in _MISTAKEN and words[place - 1].lower() not in _DETERMINERS:
            return " ".join([*words[:place], "does", _MISTAKEN[word], *words[place + 1 :]])
    return text


def _is_after_name(words: list[str]) -> bool:
    """ "Maria retires": a name and a word that ends like a verb."""
    name, word = words[0].lower(), words[1]
    if name not in lexicon.FIRST_NAMES or not word.islower() or not word.endswith("s"):
        return False
    last = words[2].lower() if len(words) > 2 else ""
    return last not in _FINITE and word not in _KNOWN_VERBS and not word.endswith(("ss", "'s"))


def _may_be_verb(words: list[str], place: int) -> bool:
    """ "Tom prefers trains": after "prefers" no other verb is looked for."""
    word = words[place] if place > 0 else ""
    return word.islower() and word.endswith(("s", "ed")) and not word.endswith("'s")


def _is_plural(subject: str) -> bool:
    words = subject.lower().split()
    if not words:
        return False
    if words[-1] in {"i", "we", "you", "they", "people", "children", "parents"} or "and" in words:
        return True
    last = words[-1]
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is", "'s"))
    return plural and last not in lexicon.FIRST_NAMES and len(words) > 1


@cache
def _rules(lines: str) -> tuple[Callable[[str], str], ...]:
    return tuple(_rule(line) for line in lines.strip().splitlines() if line and line[0] != "#")


_STANDS_FOR = {
    "X": r"(?P<X>(?:[^,;]|(?<=\d),(?=\d))+?)",
    "Y": r"(?P<Y>(?:[^,;]|(?<=\d),(?=\d))+?)",
    "Z": r"(?P<Z>(?:[^,;]|(?<=\d),(?=\d))+?)",
    "W": r"(?P<W>[\w'-]+)",
    "V": r"(?P<V>[\w'-]+)",
    "N": r"(?P<N>(?:about |around )?(?:[$€£])?(?:\d[\d,.:]*|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|half)(?: [\w%]+)?(?: [\w%]+)?(?: (?:a|per) \w+)?)",
    "P": r"(?P<P>my|our|your|his|her|their|its|(?:[\w-]+ ){0,2}?[\w-]+(?:'s|s'))",
    "BE": r"(?P<BE>(?:am|is|are|have been|has been)(?: not)?)",
    "DO": r"(?P<DO>(?:(?:do|does) )?(?:not )?)",
    "DB": r"(?P<DB>Postgres(?:QL)?|MySQL|MariaDB|MongoDB|Mongo|SQLite|DuckDB|Cassandra|Redis|Valkey|Oracle"
    r"|DynamoDB|CouchDB|CockroachDB|Neo4j|Snowflake|BigQuery|ClickHouse|SQL Server|Elasticsearch|InfluxDB)",
    "PRO": r"(?P<PRO>dentist|doctor|gp|therapist|psychologist|hairdresser|barber|lawyer|accountant|vet|mechanic"
    r"|plumber|physiotherapist|optician|dermatologist|gardener|tutor|trainer|coach)",
    "JOB": rf"(?P<JOB>(?:[\w-]+ )?(?:{'|'.join(sorted(lexicon.JOBS))}))",
}


_NAMED = re.compile(r"(?<![\w<\-\[])(?:[XYZWVNP]|BE|DO|DB|PRO|JOB)(?![\w>\]])")


def _rule(line: str) -> Callable[[str], str]:
    said, _, ours = line.partition(" = ")
    pattern = re.compile(f"^{_pattern(said)}$", re.IGNORECASE)
    parts = ours.split()

    def apply(text: str) -> str:
        found = pattern.match(text)
        return text if found is None or _is_clause(found) else _written(parts, found)

    return apply


def _pattern(said: str) -> str:
    filled = _NAMED.sub(lambda found: _STANDS_FOR[found[0]], said)
    return filled.replace(f"{_STANDS_FOR['DO']} ", _STANDS_FOR["DO"])


def _is_clause(found: re.Match[str]) -> bool:
    """True where what should be a name or noun has a verb of its own: "I do not", "if I"."""
    named = [found.groupdict().get(name) or "" for name in ("X", "Y", "Z", "P")]
    return any(
        value.endswith(" and") or not _CLAUSAL.isdisjoint(_lowered(value)) for value in named
    )


def _lowered(value: str) -> list[str]:
    return [word if word == "May" else word.lower() for word in value.split()]


def _written(parts: list[str], found: re.Match[str]) -> str:
    said: list[str] = []
    named = found.groupdict()
    helpers = f"{named.get('BE') or ''} {named.get('DO') or ''}".lower().split()
    for part in parts:
        if part.startswith("["):
            denied = ("not" in helpers) is not part.endswith("!]")
            said.append(_follow(" ".join(said), part.strip("[]!"), denied=denied))
        elif part.rstrip(".") in _STANDS_FOR:
            said.append(_stands(part, named.get(part.rstrip(".")) or ""))
        else:
            said.append(_caught(part, _unnamed(found)))
    return " ".join(" ".join(said).split())


def _unnamed(found: re.Match[str]) -> list[str]:
    named = set(found.re.groupindex.values())
    return [value or "" for at, value in enumerate(found.groups(), 1) if at not in named]


def _caught(part: str, caught: list[str]) -> str:
    for place in range(len(caught), 0, -1):
        part = part.replace(f"%{place}", caught[place - 1])
    first = caught[0] if caught else ""
    return part.replace("%", first[:1].lower() + first[1:] if first[1:2] != "" else first)


def _stands(part: str, value: str) -> str:
    if part == "P.":
        owner = value.lower()
        return _OWNERS.get(owner, re.sub(r"'s$|(?<=s)'$", "", value))
    if part.endswith("."):
        name = value.lower()
        if name in _POSSESSIVES:
            return _POSSESSIVES[name]
        return f"{value}'s"
    return value


def _follow(subject: str, verb: str, *, denied: bool) -> str:
    """The verb as it stands after its subject."""
    plural = _is_plural(subject)
    if verb == "be":
        be = "am" if subject.lower() == "i" else "are" if plural else "is"
        return f"{be} not" if denied else be
    if denied:
        return f"{'do' if plural else 'does'} not {verb}"
    return verb if plural else _third_person(verb)


def _third_person(verb: str) -> str:
    if verb == "have":
        return "has"
    if verb.endswith(("ch", "sh", "ss", "x", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"
