"""Markdown as tokens that know their line in the file, and the marks in them that the builder cares about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from bookbuild.typography import soft_break

CALLOUT = re.compile(r"\[!(\w+)\]\s*")


@dataclass(frozen=True, slots=True)
class Prose:
    """A piece of Markdown: a chapter's body, or one text of a TOML table."""

    text: str
    line: int
    """The line of the file on which it starts."""
    tokens: tuple[Token, ...] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Link:
    """A link or an image: where it leads and what it shows."""

    line: int
    href: str
    title: str
    text: str
    """What a reader sees, or the alternative text of an image."""
    image: bool = False


@cache
def parser() -> MarkdownIt:
    """Return the one parser: CommonMark without raw HTML, with tables and dollar math."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    return reader.use(dollarmath_plugin, allow_space=False, allow_digits=False)


def read(text: str, line: int = 1, inline: bool = False) -> Prose:
    """Parse Markdown that starts on `line` of its file; `inline` for a text without blocks."""
    tokens = parser().parseInline(text) if inline else parser().parse(text)
    for token in tokens:
        if token.map:
            token.map = [token.map[0] + line, token.map[1] + line]
        _number_lines(token, line)
    return Prose(text, line, tuple(tokens))


def _number_lines(token: Token, line: int) -> None:
    """Give each inline token its own line: a paragraph's tokens carry only the paragraph's."""
    line = token.map[0] if token.map else line
    for child in token.children or []:
        child.meta["line"] = line
        line += child.type in ("softbreak", "hardbreak")


def inlines(prose: Prose) -> Iterator[Token]:
    """Yield every inline token."""
    for token in prose.tokens:
        yield from token.children or []


def plain(tokens: Sequence[Token]) -> str:
    """Return the text that a reader sees of inline tokens."""
    text = ""
    for index, token in enumerate(tokens):
        if token.type.endswith("break"):
            text += soft_break(text, plain(tokens[index + 1 : index + 3])).replace("\n", " ")
        else:
            text += plain(token.children or []) or token.content
    return text


def links(prose: Prose) -> Iterator[Link]:
    """Yield every link and image, in order."""
    for block in prose.tokens:
        children = block.children or []
        for start, token in enumerate(children):
            if token.type == "link_open":
                end = next(i for i in range(start, len(children)) if children[i].type == "link_close")
                yield link_of(token, plain(children[start + 1 : end]))
            elif token.type == "image":
                yield Link(token.meta["line"], str(token.attrs["src"]), "", plain(token.children or []), image=True)


def link_of(token: Token, text: str) -> Link:
    """Return the link that a `link_open` token begins."""
    return Link(token.meta["line"], str(token.attrs["href"]), str(token.attrs.get("title", "")), text)


def fences(prose: Prose) -> Iterator[Token]:
    """Yield every fence; `map[0]` is the line it opens on."""
    return (token for token in prose.tokens if token.type == "fence")


def headings(prose: Prose) -> Iterator[tuple[int, int, Token]]:
    """Yield level, line and inline token of every heading."""
    for token, inline in zip(prose.tokens, prose.tokens[1:], strict=False):
        if token.type == "heading_open":
            assert token.map is not None
            yield int(token.tag[1]), token.map[0], inline


def formulas(prose: Prose) -> Iterator[tuple[int, str]]:
    """Yield line and LaTeX of every formula."""
    for token in prose.tokens:
        if token.type.startswith("math_block"):
            assert token.map is not None
            yield token.map[0], token.content
        for child in token.children or []:
            if child.type.startswith("math_inline"):
                yield child.meta["line"], child.content


def callouts(prose: Prose) -> Iterator[tuple[int, str]]:
    """Yield index of the blockquote and kind ("NOTE", "IMPORTANT", …, "" for a plain quotation)."""
    for index, token in enumerate(prose.tokens):
        if token.type == "blockquote_open":
            inline = next(t for t in prose.tokens[index:] if t.type in ("inline", "blockquote_close"))
            found = CALLOUT.match(inline.content)
            yield index, found[1] if found else ""
