"""What somebody wrote in a letter, apart from what they quoted and how they signed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from remanent.core.dataclasses import dataclass
from remanent.core.regex import regex
from remanent.ingest.formats.shape import Line, moment, trimmed
from remanent.ingest.formats.thread import person_in

_QUOTED = regex(r"[ \t]{0,3}>")
_QUOTE_MARKS = regex(r"[ \t]{0,3}>[ \t]?")
# What a line must begin with to be looked at twice.
SUSPECT = regex(
    r"^[ \t]{0,3}(?:>|[-_]{2}|\*{0,2}(?:From|Von|De|Fra)\s?:|(?:On|Am|Le|El|Den|Op|Il|Em|På)\s)",
    re.IGNORECASE | re.MULTILINE,
)
_ATTRIBUTION_OPENS = regex(r"\s{0,3}(?:On|Am|Le|El|Den|Op|Il|Em|På)\s", re.IGNORECASE)
_ATTRIBUTION_ENDS = regex(
    r"(?:\b(?:wrote|a écrit|escribió|ha scritto|escreveu)|\b(?:schrieb|skrev|schreef)\b[^:]{0,80})\s?:$",
    re.IGNORECASE,
)
_DATED = regex(r"[\d@]")
_MOST_ATTRIBUTION_LINES = 4
_MOST_ATTRIBUTION_CHARACTERS = 300
_NAMED_IN_ATTRIBUTION = regex(r"(?:,|\bat\b|\d{2}:\d{2}(?:\s?[AP]M)?)\s+([^,\d]{2,100}?)\s+wrote\b")
_ORIGINAL = regex(
    r"\s{0,3}[-_]{2,20}\s?(?:Original Message|Original-Nachricht)\s?[-_]{2,20}", re.IGNORECASE
)
_RULE = regex(r"\s{0,3}_{8,80}\s*$")
_FORWARDED = regex(
    r"\s{0,3}(?:[-_]{2,20}\s?Forwarded message\s?[-_]{2,20}|Begin forwarded message:"
    r"|[-_]{2,20}\s?Weitergeleitete Nachricht\s?[-_]{2,20})",
    re.IGNORECASE,
)
_SHORTEST_MARK = 16  # characters: lines of a word each are passed over
_HEADER = regex(
    r"\s{0,3}\*{0,2}(?P<name>From|Von|De|Fra|Sent|Gesendet|Envoyé|Enviado|Sendt|Date|Datum|Dato|To|An"
    r"|À|Para|Til|Cc|Subject|Betreff|Objet|Asunto|Emne|Reply-To|Importance)\s?:\*{0,2}[ \t]*(?P<value>[^\n]{0,500})",
    re.IGNORECASE,
)
_SENDER = frozenset({"from", "von", "de", "fra"})
_SENT = frozenset({"sent", "gesendet", "envoyé", "enviado", "sendt", "date", "datum", "dato"})
_MOST_HEADERS = 8
_DASHES = regex(r"--\s?")
_LONGEST_SIGNATURE = 15
_DEVICE = regex(
    r"\s*(?:Sent (?:from|via|with) (?:my |the )?(?:iPhone|iPad|Android|Samsung|Galaxy|Mobile|mobile|Outlook"
    r"|Mail|Yahoo|Proton|Gmail|BlackBerry|phone|Superhuman)\b.{0,60}|Get Outlook for .{1,30}"
    r"|Von meinem (?:iPhone|iPad|Handy)\b.{0,30}|Envoyé de mon .{1,30})",
    re.IGNORECASE,
)
_CLOSING = regex(
    r"\s*(?:(?:with |my )?(?:best|kind|kindest|warm|warmest|many)?\s?(?:regards|wishes|thanks)"
    r"|all the best|all best|best|cheers|thanks(?: again| a lot| so much)?|thank you|yours(?: truly| sincerely)?"
    r"|sincerely(?: yours)?|love|talk soon|see you(?: soon| then)?|take care"
    r"|(?:mit )?(?:freundlichen|besten|lieben|viele|liebe|herzliche) grü(?:ß|ss)en?|vg|mvh|hilsen|cordialement)"
    r"\s*[,.!–-]{0,3}\s*",
    re.IGNORECASE,
)
_CONTACT = regex(
    r"[\w.+-]{1,64}@[\w-]{1,64}\.|https?://|\bwww\.|(?:\+|\b00)\d[\d ()./-]{6,}|\(\d{3}\)\s?\d{3}"
    r"|\b(?:tel|phone|mobile|mob|cell|fax|office|direct|tlf|t|m|p|e)\s?[.:]\s?\S",
    re.IGNORECASE,
)
_DISCLAIMER = regex(
    r"\s*(?:this|the)(?: information| contents?)?(?: (?:contained )?in)?(?: this)? ?(?:e-?mail|message|communication)"
    r"\b.{0,200}(?:confidential|intended (?:solely|only|for)|privileged)|\s*confidentiality notice\b",
    re.IGNORECASE,
)
_FIRM = regex(r"\b(?:inc|ltd|co|corp|jr|sr|ph\.d)\.$", re.IGNORECASE)
_POSTSCRIPT = regex(r"\s*p\.?\s?s\.?\b", re.IGNORECASE)
_LONGEST_CLOSING = 12
_LONGEST_LAST = 60  # lines
_LONGEST_CONTACT_LINE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedLines:
    """Lines of one voice inside a letter; without a teller they are the sender's own."""

    lines: tuple[Line, ...]
    teller: str | None = None
    at: datetime | None = None


def voices(lines: Sequence[Line], sender: str | None = None) -> list[QuotedLines]:
    """What the sender wrote, then what they passed on.

    Replies quoted below or between the lines are out: they are letters of their own. What was
    forwarded stays, under the name of who wrote it. If nothing but a quotation is there, that stays.
    """
    own, forwarded = _split_at(lines, _FORWARDED)
    written, quoted, teller = _unquoted(own)
    own_lines = QuotedLines(lines=tuple(_unsigned(trimmed(written), sender)))
    passed_on = _passed_on(forwarded) if forwarded else []
    if own_lines.lines:
        return [own_lines, *passed_on]
    if passed_on:
        return passed_on
    lines_ = trimmed(quoted)
    return [QuotedLines(lines=tuple(lines_), teller=teller[0], at=teller[1])] if lines_ else []


def _split_at(
    lines: Sequence[Line], mark: re.Pattern[str]
) -> tuple[Sequence[Line], Sequence[Line]]:
    for number, line in enumerate(lines):
        if len(line.text) > _SHORTEST_MARK and mark.match(line.text):
            return lines[:number], lines[number + 1 :]
    return lines, ()


def _passed_on(lines: Sequence[Line]) -> list[QuotedLines]:
    """A forwarded letter, without what it quotes in turn."""
    clear = [one._replace(text=_QUOTE_MARKS.sub("", one.text, count=1)) for one in lines]
    start = next((number for number, one in enumerate(clear) if one.text.strip()), 0)
    length, teller, at = _headers(clear[start:])
    body, _ = _split_at(clear[start + length :], _FORWARDED)
    written, _, _ = _unquoted(body)
    own = _unsigned(trimmed(written), teller)
    return [QuotedLines(lines=tuple(own), teller=teller, at=at)] if own else []


def _unquoted(
    lines: Sequence[Line],
) -> tuple[list[Line], list[Line], tuple[str | None, datetime | None]]:
    """The lines that were written, those that were quoted, and who is said to have written these."""
    whole = "\n".join([one.text for one in lines])
    if "\n\n\n" not in whole and not SUSPECT.search(whole):
        return list(lines), [], (None, None)
    written: list[Line] = []
    quoted: list[Line] = []
    teller: tuple[str | None, datetime | None] = (None, None)
    number = 0
    while number < len(lines):
        line = lines[number]
        if (mark := _QUOTE_MARKS.match(line.text)) is not None:
            quoted.append(Line(line.text[mark.end() :], line.start, line.end, line.at))
            number += 1
            continue
        if not SUSPECT.match(line.text):
            if line.text or (written and written[-1].text):  # one blank line is enough
                written.append(line)
            number += 1
            continue
        length, named, to_the_end = _quotation(lines, number)
        if length:
            teller = teller if teller != (None, None) else named
            number += length
            if to_the_end:
                quoted.extend(lines[number:])
                break
            continue
        written.append(line)
        number += 1
    return written, quoted, teller


def _quotation(
    lines: Sequence[Line], number: int
) -> tuple[int, tuple[str | None, datetime | None], bool]:
    """How many lines introduce a quotation here, whose, and whether it goes to the end."""
    text = lines[number].text
    if _ATTRIBUTION_OPENS.match(text):
        length = _attribution(lines, number)
        if length:
            words = " ".join(one.text.strip() for one in lines[number : number + length])
            below = lines[number + length : number + length + 3]
            after = next((one.text for one in below if one.text), ">")
            named = _NAMED_IN_ATTRIBUTION.search(words[:_MOST_ATTRIBUTION_CHARACTERS])
            who = person_in(named[1]).name if named is not None else None
            return length, (who, None), not _QUOTED.match(after)
    skipped = 0
    if _ORIGINAL.match(text) or _RULE.match(text):
        skipped = 1
    length, who, at = _headers(lines[number + skipped : number + skipped + _MOST_HEADERS])
    if length > 1 or (skipped and _ORIGINAL.match(text)):
        return skipped + length, (who, at), True
    return 0, (None, None), False


def _attribution(lines: Sequence[Line], number: int) -> int:
    """How many lines "On ..., ... wrote:" takes here; 0 if that is not what they are."""
    words = ""
    for length in range(1, _MOST_ATTRIBUTION_LINES + 1):
        if number + length > len(lines):
            return 0
        words = f"{words} {lines[number + length - 1].text.strip()}".strip()
        if len(words) > _MOST_ATTRIBUTION_CHARACTERS or not words:
            return 0
        if _ATTRIBUTION_ENDS.search(words):
            return length if _DATED.search(words) else 0
    return 0


def _headers(lines: Sequence[Line]) -> tuple[int, str | None, datetime | None]:
    """How many lines are a letter's headers inside a letter, its sender and date.

    They begin with the sender and have a date or more; a line that says "From: now on" is none.
    """
    values: dict[str, str] = {}
    length = 0
    for line in lines[:_MOST_HEADERS]:
        match = _HEADER.match(line.text)
        if match is None:
            break
        values[match["name"].casefold()] = match["value"].strip()
        length += 1
    sender = next((values[name] for name in values if name in _SENDER), None)
    if length < 2 or sender is None:
        return 0, None, None
    sent = next((values[name] for name in values if name in _SENT), None)
    return length, person_in(sender).name, moment(sent)


def _unsigned(lines: Sequence[Line], sender: str | None) -> list[Line]:
    """Without the signature, unless nothing else is there."""
    kept = _before_dashes(lines)
    kept = [one for one in kept if not (12 < len(one.text) < 100 and _DEVICE.fullmatch(one.text))]
    kept = _without_last(trimmed(kept), _is_disclaimer)
    kept = _without_closing(kept)
    kept = _without_last(kept, _is_contact)
    kept = _without_name(kept, sender)
    return kept or trimmed(lines)


def _without_name(lines: Sequence[Line], sender: str | None) -> list[Line]:
    """Without a last line that is only the sender's name, or the first of their names."""
    if not lines or sender is None:
        return list(lines)
    names = {sender.casefold(), sender.split(" ")[0].casefold()}
    signed = lines[-1].text.strip(" -–—,.").casefold() in names
    return trimmed(lines[:-1]) if signed else list(lines)


def _before_dashes(lines: Sequence[Line]) -> Sequence[Line]:
    for number in range(max(0, len(lines) - _LONGEST_SIGNATURE), len(lines)):
        if _DASHES.fullmatch(lines[number].text):
            return lines[:number]
    return lines


def _without_closing(lines: Sequence[Line]) -> list[Line]:
    """Without "Best," and the name and address below it; a postscript stays."""
    first = max(0, len(lines) - _LONGEST_CLOSING)
    for number in range(first, len(lines)):
        text = lines[number].text
        if len(text) > 40 or not _CLOSING.fullmatch(text):
            continue
        after = lines[number + 1 :]
        postscript = next(
            (at for at, one in enumerate(after) if _POSTSCRIPT.match(one.text)), len(after)
        )
        if all(_could_sign(one.text) for one in after[:postscript]):
            return trimmed([*lines[:number], *after[postscript:]])
    return list(lines)


def _could_sign(line: str) -> bool:
    """A name, a title, an address; nothing that reads like a sentence."""
    text = line.strip()
    if text.endswith((".", "?", "!", ":", ";")) and not _FIRM.search(text[-10:]):
        return False
    reached = _CONTACT.search(text[:_LONGEST_CONTACT_LINE]) is not None
    return len(text) <= (_LONGEST_CONTACT_LINE if reached else 60)


def _without_last(lines: Sequence[Line], fits: Callable[[Sequence[str]], bool]) -> list[Line]:
    """Without the last paragraph, if it is of that kind."""
    number, least = len(lines), len(lines) - _LONGEST_LAST
    while number and (text := lines[number - 1].text) and not text.isspace():
        number -= 1
        if number < least:
            return list(lines)
    if number < len(lines) and fits([one.text for one in lines[number:]]):
        return trimmed(lines[:number])
    return list(lines)


def _is_disclaimer(texts: Sequence[str]) -> bool:
    return _DISCLAIMER.match(" ".join(texts[:4])[:400]) is not None


def _is_contact(texts: Sequence[str]) -> bool:
    """Short lines, two or more of which are ways to reach somebody."""
    if not 2 <= len(texts) <= 8 or any(len(one) > _LONGEST_CONTACT_LINE for one in texts):
        return False
    return sum(_CONTACT.search(one) is not None for one in texts) >= 2 and all(
        _could_sign(one) for one in texts
    )
