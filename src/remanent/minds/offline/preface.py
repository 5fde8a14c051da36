"""What stands around the fact in a sentence: "reminder to self,", "new phone, so", "I gave up tea and".

The judge compares facts, so it looks at a statement without its preface, and at an older one also
without what that one said was over.
"""

from __future__ import annotations

import re

_WHOSE = r"(?:my|our|his|her|their|[A-Z][\w.-]*(?: [A-Z][\w.-]*)*['’]s?) "
_LEAD = re.compile(
    r"^(?:(?:quick |another )?(?:reminder|note)(?: to (?:self|myself|all))?|by the way|btw|fyi|for the record"
    r"|for (?:your|my|the) (?:information|records?|files?|form|list)|(?:big|good|bad|great|sad|more) news"
    r"|news|update|heads[- ]up|just so you know|in case (?:you|anybody|anyone|somebody) (?:asks?|wonders?)"
    r"|if (?:anybody|anyone|somebody|you) asks?|it(?:'s| is) official|as (?:I|we) said|as mentioned"
    r"|so|well|okay|ok|anyway)\s*[,:;–—]\s+"
    r"|^(?:as of (?:this|last) (?:week|month)|since (?:this|last) (?:week|month)),? (?=[A-Z]|my |our |the )",
    re.IGNORECASE,
)
_NO_MORE = re.compile(
    r"^no more [^,:;.]{2,40} for (?:me|us|him|her|them|[A-Z]\w+)\s*[:;,–—]\s+", re.IGNORECASE
)
_DROP = re.compile(
    r"^(?:please )?(?:delete|forget|ignore|scratch|remove) [^,:;]{2,40}[:;,] (?:and )?(?=\S+ \S+ \S)",
    re.IGNORECASE,
)
# A reason, where what follows says whose something is: "he retired, so Dr. Vik is my doctor".
_REASON = re.compile(
    rf"^[^,:;]{{2,60}}, so (?=(?i:{_WHOSE})\w+|[^,:;]+ (?:is|are) (?:my|our|his|her|their) )"
)
_USED_TO = re.compile(
    r"^[^,:;]{1,40} used to (?:love|like|adore|enjoy|prefer) [^,:;]{2,40}, but (?!.*\b(?:it|them|that)\b)"
    r"(?=\S+ \S+ \S)",
    re.IGNORECASE,
)
_SPEAKERS = frozenset({"I", "We", "we"})
_ALL = (_LEAD, _NO_MORE, _DROP, _REASON, _USED_TO)
_OVER = (
    r"(?:has |have )?(?:sold|scrapped|got rid of|gave away|given away|gave up|given up|dropped|quit|left"
    r"|cancelled|canceled|closed|broke up with|broken up with|split up with|changed|switched)"
)
_NAME = r"(?P<who>I|[Ww]e|[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)*)"
_REST = re.compile(rf"^{_NAME} {_OVER} [^,:;]{{2,60}}?,? and (?:now )?(?P<rest>[a-z]+ [^;]+)$")
_TRADED = re.compile(
    rf"^{_NAME} (?:has |have )?(?:traded|swapped|exchanged) [^,:;]{{2,40}}? for (?P<rest>(?:an?|the) .+?)(?: (?:in|on|last|this) .+)?$"
)
_BESIDES = re.compile(
    r"^(?P<rest>[^;]+); (?:and |so |but )?(?:the|my|our|his|her|their) [^,:;]{2,40}"
    r" (?:is|had|died|gave|broke|went|was)\b[^;]*$"
)
_RATHER = re.compile(
    rf"^{_NAME} (?:am|is|are) no longer [^,:;]{{2,40}}[,;] (?:but |and )?(?:I|we|he|she|it|they) (?P<rest>.+)$"
)


def without_preface(text: str) -> str:
    """The statement without what only leads to it."""
    plain = " ".join(text.split())
    for pattern in _ALL:
        found = pattern.match(plain)
        if found is not None and len(plain[found.end() :].split()) > 2:
            plain = plain[found.end() :]
            plain = plain[:1].upper() + plain[1:]
    return plain


def what_remains(text: str) -> str:
    """ "I drive a Leaf" of "I sold the Panda and drive a Leaf"; nothing where nothing was over."""
    plain = text.rstrip(".!")
    if (traded := _TRADED.match(plain)) is not None:
        return f"{traded['who']} {'have' if traded['who'] in _SPEAKERS else 'has'} {traded['rest']}"
    if (besides := _BESIDES.match(plain)) is not None:
        return besides["rest"]
    found = _REST.match(text) or _RATHER.match(text)
    return "" if found is None else f"{found['who']} {found['rest']}"
