"""The tiny book's site: what stands on its pages, and how they hang together."""

import json
import re
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest

if TYPE_CHECKING:
    from conftest import TinyBook


class Page(HTMLParser):
    """Ids and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def pages(site: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(site.rglob("*.html")):
        yield file.relative_to(site).as_posix(), file.read_text("utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, tiny_book: type["TinyBook"]) -> Path:
    """The site of the good book, for tests that only read it."""
    return tiny_book(tmp_path_factory.mktemp("site") / "book", shared_cache).build()


def text(site: Path, name: str) -> str:
    return (site / name).read_text("utf-8")


def test_every_page_is_there_in_every_language(site: Path) -> None:
    assert [name for name, _ in pages(site)] == [
        "en/first/index.html",
        "en/glossary/index.html",
        "en/index.html",
        "en/second/index.html",
        "index.html",
        "zh/first/index.html",
        "zh/glossary/index.html",
        "zh/index.html",
        "zh/second/index.html",
    ]


def test_every_link_leads_somewhere_and_none_is_absolute(site: Path) -> None:
    all_pages = {name: Page(html) for name, html in pages(site)}
    for name, page in all_pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        for link in page.links:
            if link == "https://example.org/":
                continue
            assert not urlsplit(link).scheme, (name, link)
            assert not link.startswith("/"), (name, link)
            path, _, anchor = urljoin(f"/{name}", link).lstrip("/").partition("#")
            path = path.partition("?")[0]
            file = f"{path}index.html" if path.endswith("/") or not path else path
            assert (site / file).is_file(), (name, link)
            if anchor:
                assert anchor.partition("?")[0] in all_pages[file].ids, (name, link)


def test_the_body_of_a_chapter(site: Path) -> None:
    body = text(site, "en/first/index.html").partition('<article class="text">')[2].partition("</article>")[0]
    for wanted in (
        '<h2 id="s-bars"><span class="n">1.1</span>The first section</h2>',
        '<a class="fact w-cost" href="#bars?height=9">992 extra</a>',
        '<a class="act" href="#bars?height=9">state</a>',
        '<div class="noted"><p>A paragraph about',
        '<aside class="note"><p><strong>A note.</strong> Beside it.</p>',
        '<figure class="fig" id="bars" data-ids="1010000">1.1 Look at the top.</figure>',
        '<div class="eq" tabindex="0"><math',
        '<figure class="listing"><pre tabindex="0"><code>',
        "<figcaption><code>sim/walk.py · steps</code></figcaption>",
        '<div class="gist"><b>Keep this</b><p>Keep it short.</p>',
        '<h2 id="s-dots"><span class="n">1.3</span>The second section</h2>',
        '<a class="fact" href="#source-reported">2.7</a>',
        '<a href="../second/#s-1">chapter 2</a>, <span>later</span> (chapter 3)',
        '<a class="out" href="https://example.org/">',
        'alt="Two bars, one higher"',
        '<div class="scroll" tabindex="0"><table>',
        '<li id="source-reported"><b>2.7\u00a0×</b> Somebody, somewhere, 2024</li>',
    ):
        assert wanted in body
    assert "[!NOTE]" not in body
    assert "Not printed" not in body  # the listing's docstring


def test_exercises_stand_with_their_fields_and_folded_answers(site: Path) -> None:
    html = text(site, "en/first/index.html")
    count = html.partition('<div class="ex" id="ex-count">')[2].partition('<div class="ex"')[0]
    assert '<p class="n">Exercise 1.3 a</p>' in count
    assert "of 32\u00a0×\u00a032?" in count
    assert '<form class="ex-form" data-exercise="first/count" data-kind="number">' in count
    assert 'aria-label="Exercise 1.3 a: turns"' in count
    assert "<details" in count.partition("It is 992, not")[0]
    pick = html.partition('<div class="ex" id="ex-pick">')[2]
    assert '<p class="n">Exercise 1.3 b</p>' in pick
    assert re.findall(r'type="radio" name="pick" value="(\w)"><span>(\w+)</span>', pick) == [
        ("a", "Padding"),
        ("b", "Luck"),
    ]


def test_the_question_keeps_its_phrases_together(site: Path) -> None:
    assert '<p class="q">Of <b>1,024 turns</b>, 992 are extra. Why?</p>' in text(site, "en/first/index.html")
    assert '<p class="lead">A lead with a <a class="term" href="../glossary/#bank">bank</a>.</p>' in text(
        site, "en/first/index.html"
    )


def test_a_figure_that_is_not_placed_stands_in_its_order_without_an_anchor(site: Path) -> None:
    nav = text(site, "en/first/index.html").partition("<nav>")[2].partition("</nav>")[0]
    assert re.findall(r'<a(?: href="(#[\w-]+)")?>([^<]*)<', nav) == [
        ("#s-bars", "1.1 The first section"),
        ("", "1.2 Lines"),
        ("#s-dots", "1.3 The second section"),
    ]


def test_the_contents_link_what_is_written_and_name_the_rest(site: Path) -> None:
    html = text(site, "en/index.html")
    assert "<h2>Part I · One</h2>" in html
    assert '<p>1 <a href="../en/first/">First things</a></p>' in html
    assert '<p>1.1 <a href="../en/first/#bars">Bars</a></p>' in html
    assert "<p>1.2 Lines</p>" in html
    assert "<p>3 Third things (to come)</p>" in html


def test_neighbours_and_needs(site: Path) -> None:
    first, second = (text(site, f"en/{slug}/index.html") for slug in ("first", "second"))
    assert 'rel="prev"' not in first
    assert '<a rel="next" href="../../en/second/">Second things</a>' in first
    assert '<p>Needs <a href="../../en/first/">First things</a></p>' in second


def test_pages_name_themselves_in_the_other_language(site: Path) -> None:
    for lang in ("en", "zh"):
        html = text(site, f"{lang}/first/index.html")
        assert f'<html lang="{"en" if lang == "en" else "zh-Hans"}">' in html
        assert '<link rel="alternate" hreflang="en" href="../../en/first/">' in html
        assert '<link rel="alternate" hreflang="zh-Hans" href="../../zh/first/">' in html


def test_the_two_languages_have_the_same_anchors(site: Path) -> None:
    for slug in ("first", "second"):
        english, chinese = (Page(text(site, f"{lang}/{slug}/index.html")) for lang in ("en", "zh"))
        assert english.ids == chinese.ids


def test_chinese_lines_join_without_a_space(site: Path) -> None:
    assert "轮次，第二行有一个" in text(site, "zh/first/index.html")


def test_the_glossary_has_both_languages(site: Path) -> None:
    html = text(site, "zh/glossary/index.html")
    assert '<p id="wave"><b>wavefront</b> 一个轮次。 <i lang="en">wavefront One turn.</i></p>' in html


def test_the_chapters_cloth_is_the_lanes_exclusive_or_its_number(site: Path) -> None:
    html = text(site, "en/second/index.html")
    dashes = re.findall(r'<rect x="(\d+)" y="([\d.]+)" width="25" height="3" class="(on|off)"/>', html)
    assert len(dashes) == 32 * 5
    lanes = [0] * 32
    for x, y, kind in dashes:
        lanes[int(x) // 28] += (kind == "on") << (4 - round(float(y) / 7.5))
    assert lanes == [lane ^ 2 for lane in range(32)]


def test_the_configuration_leads_to_the_runtime(site: Path) -> None:
    html = text(site, "zh/second/index.html")
    config = json.loads(html.partition('id="book-config">')[2].partition("</script>")[0])
    assert config["lang"] == "zh"
    manifest = site / "zh/second" / config["manifest"]
    named = json.loads(manifest.read_text("utf-8"))
    folder = manifest.parent
    assert (folder / named["pyodide"] / "pyodide.mjs").is_file()
    assert (folder / named["pyodide"] / "pyodide.asm.wasm").is_file()
    assert (folder / named["packages"] / "numpy-2.4.3-cp314-cp314-slim.whl").is_file()
    assert all((folder / named[name]).is_file() for name in ("stdlib", "libs", "book"))
    assert named["lock"] == {"info": {}, "packages": {"numpy": {}}}
    assert (site / "zh/second" / config["bokeh"]).is_file()


def test_the_bundle_holds_code_words_readings_and_answers(book: "TinyBook") -> None:
    site = book.build()
    (file,) = (site / "runtime").glob("book.*.zip")
    with zipfile.ZipFile(file) as bundle:
        assert bundle.namelist() == [
            "book/exercises.json",
            "book/readings/bars.json",
            "sim/walk.py",
            "widgets/locale/zh/LC_MESSAGES/gpubook.mo",
            "widgets/palette.json",
        ]
        assert {info.compress_type for info in bundle.infolist()} == {zipfile.ZIP_STORED}
        assert json.loads(bundle.read("book/readings/bars.json")) == [{"extra": 992}]
        exercises = json.loads(bundle.read("book/exercises.json"))
    assert exercises["first/count"]["answer"]["value"] == "992"
    assert exercises["first/count"]["mistakes"] == {"all": "1024"}
    assert exercises["first/count"]["texts"]["en"] == {
        "right": "992 are.",
        "wrong": {"all": "1,024 is all of them."},
        "unit": "turns",
        "options": {},
    }
    assert exercises["first/pick"]["texts"]["zh"]["options"] == {"a": "填充", "b": "运气"}


def snapshot(site: Path) -> dict[str, bytes]:
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def test_the_same_book_gives_the_same_site(book: "TinyBook") -> None:
    first = snapshot(book.build())
    assert snapshot(book.build()) == first


def test_only_what_changed_gets_another_name(book: "TinyBook") -> None:
    before = snapshot(book.build())
    book.edit("sim/walk.py", "# every one", "# each one")
    after = snapshot(book.build())
    gone, come = ({name for name in a if name not in b and "." in name} for a, b in ((before, after), (after, before)))
    plain = {re.sub(r"[0-9a-f]{8}", "#", name) for name in gone if not name.endswith((".gz", ".br"))}
    assert plain == {"runtime/book.#.zip", "runtime/manifest.#.json"}
    assert {re.sub(r"[0-9a-f]{8}", "#", name) for name in come} == {re.sub(r"[0-9a-f]{8}", "#", name) for name in gone}


def test_the_build_is_named_after_scripts_code_and_data_but_not_prose(book: "TinyBook") -> None:
    def name() -> str:
        html = text(book.build(), "en/second/index.html")
        return str(json.loads(html.partition('id="book-config">')[2].partition("</script>")[0])["build"])

    first = name()
    book.edit("chapters/02-second/en.md", "A lead.", "Another lead.")
    assert name() == first
    book.edit("site/static/js/page.js", "page = 1", "page = 2")
    second = name()
    assert second != first
    book.edit("sim/walk.py", "# every one", "# each one")
    assert name() not in (first, second)


def test_what_an_author_writes_is_escaped(book: "TinyBook") -> None:
    book.edit("chapters/02-second/en.md", "Back to", "<script>alert(1)</script> & back to")
    book.edit("chapters/02-second/en.md", "A lead.", "A <b>lead</b>.")
    book.edit("chapters/book.toml", '"Second things"', '"Second <i>things</i> & \\"more\\""')
    html = text(book.build(), "en/second/index.html")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; back to" in html
    assert "A &lt;b&gt;lead&lt;/b&gt;." in html
    assert "<h1>2 Second &lt;i&gt;things&lt;/i&gt; &amp; &#34;more&#34;</h1>" in html


def test_a_template_that_asks_for_a_file_that_is_not_there_fails(book: "TinyBook") -> None:
    book.edit("site/templates/frame.html", 'js("page.js")', 'js("pag.js")')
    with pytest.raises(ValueError, match=r"asks for js 'pag\.js'"):
        book.build()
    assert not book.places.out.exists()


def test_a_figure_is_asked_for_once_a_page(book: "TinyBook") -> None:
    book.build()
    assert book.rooms.cards == 2 * len(("en", "zh"))
