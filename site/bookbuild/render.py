"""A chapter's Markdown as the HTML of its page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from bookbuild import exercises, listings, markdown, maths, typography
from bookbuild.chapter import Source
from bookbuild.fences import ExerciseUse, FigureUse, ListingUse
from bookbuild.links import Resolver, Target
from bookbuild.markdown import Prose
from bookbuild.rooms import Placed
from widgets.words import Words


class _Html(RendererHTML):
    """Markdown tokens to HTML; what a link or a fence becomes is asked of the chapter."""

    def __init__(self, chapter: "Chapter") -> None:
        super().__init__()
        self._chapter = chapter
        self._open: list[Target] = []

    def text(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return str(escape(typography.tied(tokens[idx].content)))

    def softbreak(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        before = markdown.plain(tokens[:idx])
        return typography.soft_break(before, markdown.plain(tokens[idx + 1 :]))

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        end = next(i for i in range(idx, len(tokens)) if tokens[i].type == "link_close")
        target = self._chapter.target(markdown.link_of(tokens[idx], markdown.plain(tokens[idx + 1 : end])))
        self._open.append(target)
        kind = Markup(' class="{}"').format(target.kind) if target.kind else ""
        if not target.href:
            return Markup("<span{}>").format(kind)
        return Markup('<a{} href="{}">').format(kind, target.href)

    def link_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        target = self._open.pop()
        return Markup("</{}>{}").format("a" if target.href else "span", target.after)

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        address = self._chapter.image(str(token.attrs["src"]))
        return Markup('<img src="{}" alt="{}" loading="lazy">').format(address, markdown.plain(token.children or []))

    def math_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return maths.mathml(tokens[idx].content, False)

    def math_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f'<div class="eq" tabindex="0">{maths.mathml(tokens[idx].content, True)}</div>\n'

    math_block_label = math_block

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return '<div class="scroll" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def heading_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return str(self._chapter.heading(tokens[idx]))

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return str(self._chapter.fence(tokens[idx]))


@dataclass(frozen=True, slots=True)
class Chapter:
    """Renders one chapter in one language; its links and fences were checked before."""

    resolver: Resolver
    address: Callable[[Path], str]
    """Gives a file of the chapter its address on the site."""

    @property
    def source(self) -> Source:
        """The text."""
        return self.resolver.source

    @property
    def words(self) -> Words:
        """The language."""
        return self.resolver.words

    def inline(self, prose: Prose) -> Markup:
        """Return a text without blocks."""
        return Markup(self._render(prose.tokens))

    def question(self) -> Markup:
        """Return the question, its unbreakable phrases in `<b>`."""
        html = str(self.inline(self.source.question))
        return Markup(html.replace("<strong>", "<b>").replace("</strong>", "</b>"))

    def body(self) -> Markup:
        """Return the body, block by block."""
        return Markup("").join(self._blocks(self.source.body.tokens))

    def blocks(self, prose: Prose) -> Markup:
        """Return a text with blocks, as in an exercise."""
        return Markup("").join(self._blocks(prose.tokens))

    def _render(self, tokens: Sequence[Token]) -> str:
        return str(_Html(self).render(tokens, markdown.parser().options, {}))

    def _blocks(self, tokens: Sequence[Token]) -> Iterator[Markup]:
        blocks = list(_split(tokens))
        kinds = [_callout(block) for block in blocks]
        skip = False
        for block, kind, after, following in zip(blocks, kinds, [*kinds[1:], ""], [*blocks[1:], []], strict=True):
            if skip:
                skip = False
            elif after == "NOTE" and kind != "NOTE":
                skip = True
                html = '<div class="noted">{}<aside class="note">{}</aside></div>\n'
                yield Markup(html).format(Markup(self._render(block)), self._inner(following))
            elif kind == "IMPORTANT":
                html = '<div class="gist"><b>{}</b>{}</div>\n'
                yield Markup(html).format(self.words("Keep this"), self._inner(block))
            else:
                yield Markup(self._render(block))

    def _inner(self, quote: Sequence[Token]) -> Markup:
        """Return a callout's blocks without its mark."""
        inside = list(quote[1:-1])
        first = next(i for i, token in enumerate(inside) if token.type == "inline")
        children = list(inside[first].children or [])
        head = children[0].copy(content=markdown.CALLOUT.sub("", children[0].content))
        rest = children[2:] if len(children) > 1 and children[1].type == "softbreak" else children[1:]
        inside[first] = inside[first].copy(children=[head, *rest])
        return Markup(self._render(inside))

    # -------------------------------------------------------------- what tokens become

    def target(self, link: markdown.Link) -> Target:
        """Return where a link leads."""
        target = self.resolver.resolve(link)
        assert isinstance(target, Target), target
        return target

    def image(self, name: str) -> str:
        """Return the address of an image in the chapter's folder."""
        return self.address(self.source.folder / name)

    def heading(self, token: Token) -> Markup:
        """Return the start of a heading: a section has an anchor, and its figure's number."""
        assert token.map is not None
        section = next((s for s in self.source.sections if s.line == token.map[0]), None)
        if section is None:
            return Markup("<{}>").format(token.tag)
        number = next((f.number for f in self.source.chapter.figures if f.key == section.figure), "")
        span = Markup('<span class="n">{}</span>').format(number) if number else ""
        return Markup('<h2 id="{}">{}').format(section.anchor, span)

    def fence(self, token: Token) -> Markup:
        """Return what a fence places."""
        assert token.map is not None
        match self.source.use_at(token.map[0]):
            case FigureUse() as use:
                return self._figure(use)
            case ExerciseUse() as use:
                return self._exercise(use)
            case ListingUse() as use:
                code = listings.cut(self.resolver.manuscript.places.code(use.file), use.name)
                caption = Markup("<figcaption><code>{}</code></figcaption>").format(f"{use.file} · {use.name}")
                return Markup('<figure class="listing">{}{}</figure>\n').format(Markup(listings.html(code)), caption)
        return Markup('<pre tabindex="0"><code>{}</code></pre>\n').format(token.content)

    def _figure(self, use: FigureUse) -> Markup:
        source = self.source
        entry = next(figure for figure in source.chapter.figures if figure.key == use.key)
        placed = Placed(
            use.key, source.lang, entry.number, entry.title[source.lang], use.caption, use.preset, entry.ids
        )
        return Markup(self.resolver.rooms.card(placed)) + "\n"

    def _exercise(self, use: ExerciseUse) -> Markup:
        file = self.resolver.manuscript.exercise_file(self.source, use.name)
        computed = self.resolver.rooms.exercise(file)

        def filled(prose: Prose) -> Markup:
            return self.blocks(markdown.read(exercises.filled(prose.text, computed, self.words), prose.line))

        return exercises.html(self.source, use, computed, filled(use.question), filled(use.worked), self.words)


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the outermost blocks."""
    depth = 0
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        depth += token.nesting
        if depth == 0:
            yield block
            block = []


def _callout(block: Sequence[Token]) -> str:
    if block[0].type != "blockquote_open":
        return ""
    inline = next((token for token in block if token.type == "inline"), None)
    found = markdown.CALLOUT.match(inline.content) if inline else None
    return found[1] if found else ""
