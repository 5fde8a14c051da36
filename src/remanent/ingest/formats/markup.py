"""HTML of letters as lines of text, each with its place in the markup.

A letter's markup is seldom well-formed, and only its words are wanted: tags are read one by one, in
one pass whose cost does not depend on how they are nested or whether they are closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from remanent.ingest.formats.shape import Line, unescaped

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9:]{0,20})(?P<rest>[^<>]{0,20000})>")
_DECLARATION = re.compile(r"<[!?][^<>]{0,2000}>")
_LOOKS_LIKE = re.compile(
    r"<(?:!doctype html|html|body|div|p|br|table|span|blockquote|ul|ol|h[1-6])\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
_LIST_ITEM = "li"
_BREAKS = frozenset(
    {
        *("address", "article", "blockquote", "body", "br", "center", "dd", "div", "dl", "dt"),
        *("footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li"),
        *("main", "ol", "p", "pre", "section", "table", "tr", "ul"),
    }
)
_PARAGRAPHS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "hr", "pre"}
)
_CELLS = frozenset({"td", "th"})
_UNSEEN = {
    name: re.compile(rf"</{name}\b[^<>]{{0,100}}>", re.IGNORECASE)
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
