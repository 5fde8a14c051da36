"""HTML of letters as lines of text, each with its place in the markup.

A letter's markup is seldom well-formed, and only its words are wanted: tags are read one by one, in
one pass whose cost does not depend on how they are nested or whether they are closed.

Notes: Markdown as people write it, with front matter and wiki links, and plain paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from remanent.core.dataclasses import dataclass, field
from remanent.core.regex import regex
from remanent.core.word_lists import word_lists
from remanent.ingest.formats.shape import Line, Parsed, Piece, distinct, moment, piece_of, unescaped

_TAG = regex(r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9:]{0,20})(?P<rest>[^<>]{0,20000})>")
_DECLARATION = regex(r"<[!?][^<>]{0,2000}>")
_LOOKS_LIKE = regex(
    r"<(?:!doctype html|html|body|div|p|br|table|span|blockquote|ul|ol|h[1-6])\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
_LIST_ITEM = "li"
_LISTS = word_lists(__package__)
_BREAKS = _LISTS["html_breaks"]
_PARAGRAPHS = _LISTS["html_paragraphs"]
_CELLS = frozenset({"td", "th"})
_UNSEEN = {
    name: regex(rf"</{name}\b[^<>]{{0,100}}>", re.IGNORECASE)
    for name in ("head", "style", "script", "title", "noscript", "template", "svg")
}


def looks_like(text: str) -> bool:
    """Whether a body that does not say so is HTML."""
    return text.lstrip()[:1] == "<" and _LOOKS_LIKE.search(text, 0, 20_000) is not None


def lines_in(source: str, base: int = 0) -> list[Line]:
    """The lines that a reader would see; those inside a `<blockquote>` begin with `>`."""
    page = _Page(base)
    for token, start, end in _tokens(source):
        if token is None:
            page.words(source[start:end], start, end)
        else:
            page.tag(token["name"].lower(), closes=bool(token["close"]))
    page.end_line()
    return page.lines


def _tokens(source: str) -> Iterator[tuple[re.Match[str] | None, int, int]]:
    """Tags and the words between them; comments and what is not shown are passed over."""
    unclosed: set[str] = set()
    position = words = 0
    while (opening := source.find("<", position)) >= 0:
        tag = _TAG.match(source, opening)
        after = tag.end() if tag is not None else _past_comment(source, opening, unclosed)
        if after == opening:  # a mere "less than"
            position = opening + 1
            continue
        if words < opening:
            yield None, words, opening
        if tag is not None:
            yield tag, opening, after
            if not tag["close"]:
                after = _past_unseen(source, tag["name"].lower(), after, unclosed)
        position = words = after
    if words < len(source):
        yield None, words, len(source)


def _past_comment(source: str, opening: int, unclosed: set[str]) -> int:
    if source.startswith("<!--", opening) and "!" not in unclosed:
        closing = source.find("-->", opening + 4)
        if closing >= 0:
            return closing + 3
        unclosed.add("!")  # looked for once, not once a comment
    declaration = _DECLARATION.match(source, opening)
    return opening if declaration is None else declaration.end()


def _past_unseen(source: str, name: str, position: int, unclosed: set[str]) -> int:
    if name not in _UNSEEN or name in unclosed:
        return position
    closing = _UNSEEN[name].search(source, position)
    if closing is None:
        unclosed.add(name)
        return position
    return closing.end()


class _Page:
    """Lines as they fill."""

    def __init__(self, base: int) -> None:
        self.lines: list[Line] = []
        self._base = base
        self._quoted = 0
        self._parts: list[str] = []
        self._start = self._end = 0
        self._item = False

    def words(self, text: str, start: int, end: int) -> None:
        if not self._parts:
            if not text.strip():
                return
            self._start = start + len(text) - len(text.lstrip())
        self._parts.append(text)
        if text.strip():
            self._end = end - (len(text) - len(text.rstrip()))

    def tag(self, name: str, *, closes: bool) -> None:
        if name in _CELLS and self._parts:
            self._parts.append(" ")
        if name not in _BREAKS:
            return
        self.end_line()
        self._item = name == _LIST_ITEM and not closes
        if name in _PARAGRAPHS and self.lines and self.lines[-1].text:
            self._put("", self.lines[-1].end, self.lines[-1].end)
        if name == "blockquote":
            self._quoted = max(0, self._quoted + (-1 if closes else 1))

    def end_line(self) -> None:
        text = " ".join(unescaped("".join(self._parts)).split())
        self._parts = []
        if text:
            text = f"- {text}" if self._item else text
            text = f"> {text}" if self._quoted else text
            self._item = False
            self._put(text, self._base + self._start, self._base + self._end)

    def _put(self, text: str, start: int, end: int) -> None:
        self.lines.append(Line(text, start, end))


_FENCE = regex(r"[ \t]{0,12}(?P<mark>`{3,20}|~{3,20})")
_HEADING = regex(r"[ ]{0,3}(?P<level>#{1,6})[ \t]+(?P<words>[^\n]{0,300})")
_ITEM = regex(r"[ \t]{0,40}(?:[-*+•]|\d{1,9}[.)])[ \t]")
_INDENTED = regex(r"(?:[ ]{2,}|\t)\S")
_RULE = regex(r"(?:[-*_][ \t]?){3,80}")
_WIKI_LINK = regex(
    r"(?P<embed>!?)\[\[(?P<name>[^\[\]|#^\n]{1,200})(?:[#^][^\[\]|\n]{0,200})?(?:\|(?P<alias>[^\[\]\n]{1,200}))?\]\]"
)
# What Markdown writes beside the words: boxes to tick, names of blocks, bold, code and emphasis. What is
# struck out or quoted, lists and links keep their marks: they say something.
_MARKS = (
    (regex(r"^([ \t]{0,40}(?:[-*+•]|\d{1,9}[.)])[ \t]+)\[[ xX/-]\][ \t]+"), r"\1"),
    (regex(r"[ \t]\^[A-Za-z0-9-]{1,60}[ \t]*$"), ""),
    (regex(r"\*\*(?=\S)([^*\n]{1,1000})(?<=\S)\*\*"), r"\1"),
    (regex(r"(?<!`)`(?=[^`\s])([^`\n]{1,500})(?<=\S)`(?!`)"), r"\1"),
    (regex(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,500})(?<=\S)\*(?![\w*])"), r"\1"),
    (regex(r"(?<![\w./])_(?=[^\s_])([^_\n]{1,500})(?<=\S)_(?!\w)"), r"\1"),
)
# Lines that begin with a letter, and have nothing that means more than the words.
_LINE = r"[^\W\d_][^\n\[#^*_`]*+(?=\n|\Z)"
_LINES = rf"{_LINE}(?:\n{_LINE})*+"
_WORDS = regex(_LINES)
# As many of them as follow each other, and so behind the mark of a list or a quotation.
_RUNS = regex(
    rf"{_LINES}|[ ]{{0,40}}[-+•] {_LINE}(?:\n[ ]{{0,40}}[-+•] {_LINE})*+|> ?{_LINE}(?:\n> ?{_LINE})*+"
)
# Nothing but such lines, and blank ones: every run of them is a paragraph.
_PROSE = regex(r"(?:(?:[^\W\d_][^\n\[#^*_`]*+|[ \t]*+)(?:\n|\Z))*+")
_MARKED = regex(r"[\[#^*_`]")  # without one of these there is no mark, link or heading
_PICTURE = regex(r"\.(?:png|jpe?g|gif|svg|webp|pdf|mp[34]|wav|m4a|mov|canvas)$", re.IGNORECASE)
_FIELD = regex(r"(?P<name>[A-Za-z][\w -]{0,60}):(?:[ \t]+(?P<value>[^\n]{0,1000}))?")
_LIST_VALUE = regex(r"[ \t]*-[ \t]+(?P<value>[^\n]{1,300})")
_MOST_FRONT_MATTER = 20_000
_MANY, _TINY, _PASSAGE = (
    200,
    20,
    600,
)  # paragraphs; characters of a tiny one, and of a short passage


@dataclass(slots=True)
class _Block:
    """Lines that belong together. A heading takes along the first block under it."""

    lines: list[Line] = field(default_factory=list)
    fenced: list[bool] = field(default_factory=list)
    open_heading: bool = False
    is_list: bool = False

    def add(self, line: Line, *, fenced: bool) -> None:
        self.lines.append(line)
        self.fenced.append(fenced)


def read(raw: str, base: int = 0) -> Parsed:
    """A passage a paragraph, list, table or block of code, with the headings just above it."""
    about, start = _front_matter(raw)
    pieces: list[Piece] = []
    mentions: list[str] = []
    headings: list[tuple[int, str]] = []
    if _PROSE.fullmatch(raw, start):
        found = (one.span() for one in _paragraphs(raw, start))
        pieces = [Piece(text=raw[a:b], start=base + a, end=base + b) for a, b in found]
    else:
        for block in _blocks(raw, start):
            _note_headings(block, headings, first=not pieces)
            pieces.append(_piece(raw, block, mentions, base))
    return Parsed(
        pieces=tuple(pieces),
        title=_title(about, headings),
        mentions=distinct(mentions),
        tags=distinct(one.lstrip("#") for name in ("tags", "tag") for one in about.get(name, ())),
        aliases=distinct(one for name in ("aliases", "alias") for one in about.get(name, ())),
        about=next(iter(about.get("type", ())), "").casefold(),
        started_at=_date(about),
    )


def _paragraphs(raw: str, start: int) -> Iterator[re.Match[str]]:
    """Each by itself; of those of a word or two as many together as are worth a passage: there may be millions."""
    count = raw.count("\n\n", start)
    together = _PASSAGE * count // (len(raw) - start + 1)
    if count < _MANY or together < _PASSAGE // _TINY:
        return _WORDS.finditer(raw, start)
    run = rf"{_LINES}(?:\n(?:[ \t]*+\n)++{_LINES}){{0,{together}}}+"
    return re.compile(run).finditer(raw, start)


def _title(about: dict[str, list[str]], headings: Sequence[tuple[int, str]]) -> str:
    """The front matter's, else the heading that the note opens with, else the first of the top level."""
    named = about.get("title", [])
    if named and named[0]:
        return _linked(named[0])
    return next((words for level, words in headings if level <= 1), "")


def _date(about: dict[str, list[str]]) -> datetime | None:
    values = [one for name in ("date", "created", "created_at") for one in about.get(name, ())]
    return next((found for one in values if (found := moment(one)) is not None), None)


def _lines(raw: str, start: int, *, runs: bool = False) -> Iterator[Line]:
    """Line by line; with `runs`, lines that are nothing but words are one, as they are read."""
    while start < len(raw):
        words = _RUNS.match(raw, start) if runs else None
        end = raw.find("\n", start) if words is None else words.end()
        end = len(raw) if end < 0 else end
        yield Line(raw[start:end], start, end)
        start = end + 1


def _blocks(raw: str, start: int) -> Iterator[_Block]:
    block = _Block()
    fence = ""
    blank = False
    for line in _lines(raw, start, runs=True):
        text = line.text
        mark = _FENCE.match(text)
        if fence:
            block.add(line, fenced=True)
            if (
                mark is not None
                and mark["mark"].startswith(fence)
                and not text.strip().strip(fence[0])
            ):
                fence = ""
            continue
        if not text.strip():
            blank = True
            continue
        if block.lines and _begins_anew(block, text, after_blank=blank):
            yield block
            block = _Block()
        fence = "" if mark is None else mark["mark"]
        _take(block, line, fenced=bool(fence))
        blank = False
    if block.lines:
        yield block


def _begins_anew(block: _Block, text: str, *, after_blank: bool) -> bool:
    if _HEADING.match(text):
        return not block.open_heading
    if not after_blank or block.open_heading:
        return False
    return not (block.is_list and (_ITEM.match(text) or _INDENTED.match(text)))


def _take(block: _Block, line: Line, *, fenced: bool) -> None:
    if not fenced and "#" in line.text and _HEADING.match(line.text):
        block.open_heading = True
    elif block.open_heading or not block.lines:
        block.open_heading = False
        block.is_list = _ITEM.match(line.text) is not None
    elif _ITEM.match(line.text):
        block.is_list = True
    block.add(line, fenced=fenced)


def _note_headings(block: _Block, headings: list[tuple[int, str]], *, first: bool) -> None:
    for number, line in enumerate(block.lines):
        match = _HEADING.match(line.text)
        if match is None or block.fenced[number]:
            break
        level = 0 if first and number == 0 else len(match["level"])
        words = _linked(match["words"].strip().rstrip("#").strip())
        if words:
            headings.append((level, words))


def _piece(raw: str, block: _Block, mentions: list[str], base: int) -> Piece:
    """The raw text itself, unless there are links and marks in it that are not to be read."""
    first, last = block.lines[0].start, block.lines[-1].end
    text = raw[first:last]
    if len(block.lines) == 1 and _RULE.fullmatch(text.strip()):
        text, last = "", first  # a line drawn between two parts
    if text and len(block.lines) == 1 and not _MARKED.search(text):
        return Piece(text=text, start=base + first, end=base + last)
    read_lines: list[Line] = []
    above = ""
    for line, fenced in zip(block.lines, block.fenced, strict=True):
        words = line.text if fenced else _plain(line.text, mentions)
        if read_lines and not fenced and above and _HEADING.match(above):
            read_lines.append(Line("", read_lines[-1].end, read_lines[-1].end))
        read_lines.append(Line(words, base + line.start, base + line.end))
        above = line.text if "#" in line.text else ""
    if [one.text for one in read_lines] == [one.text for one in block.lines]:
        return Piece(text=text, start=base + first, end=base + last)
    return piece_of(_with_gaps(read_lines))


def _plain(text: str, mentions: list[str]) -> str:
    """The words of a line, without the marks around them."""
    if not _MARKED.search(text):
        return text
    if "[[" in text:
        text = _WIKI_LINK.sub(lambda one: _named(one, mentions), text)
    for mark, words in _MARKS:
        text = mark.sub(words, text)
    heading = _HEADING.match(text)
    return text if heading is None else text[heading.start("words") :].strip().rstrip("#").rstrip()


def _with_gaps(lines: Sequence[Line]) -> Iterator[Line]:
    """Blank lines, which blocks pass over, put back between what they parted."""
    before: Line | None = None
    for line in lines:
        if before is not None and before.text and line.text and line.start > before.end + 1:
            yield Line("", before.end, before.end)
        yield line
        before = line


def _named(link: re.Match[str], mentions: list[str]) -> str:
    name = link["name"].strip()
    if link["embed"] and _PICTURE.search(name):
        return ""
    mentions.append(name.rpartition("/")[2])
    return link["alias"] or name.rpartition("/")[2]


def _linked(text: str) -> str:
    return _WIKI_LINK.sub(lambda one: one["alias"] or one["name"].strip(), text)


def _front_matter(raw: str) -> tuple[dict[str, list[str]], int]:
    """Fields between `---` lines at the very top, and where the note begins after them."""
    start = 1 if raw.startswith("\ufeff") else 0
    lines = _lines(raw[:_MOST_FRONT_MATTER], start)
    opening = next(lines, None)
    if opening is None or opening.text.rstrip() != "---":
        return {}, start
    fields: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        text = line.text.rstrip()
        if text in ("---", "..."):
            return (fields, min(line.end + 1, len(raw))) if fields else ({}, start)
        value = _FIELD.match(text)
        item = _LIST_VALUE.match(text)
        if value is not None:
            name = value["name"].strip().casefold()
            fields[name] = _values(name, (value["value"] or "").strip())
        elif item is not None and name:
            fields[name].append(_bare(item["value"]))
        elif text and not text.startswith((" ", "\t", "#")):
            break  # no front matter after all
    return {}, start


def _values(name: str, text: str) -> list[str]:
    """One value, or those of an inline list; tags may also be parted by commas or blanks."""
    if text.startswith("[") and text.endswith("]"):
        return [_bare(one) for one in text[1:-1].split(",")]
    if name in ("tags", "tag"):
        return [_bare(one) for one in re.split(r"[,\s]+", text)]
    return [_bare(text)] if text else []


def _bare(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text
