"""Markdown tokens that know their line."""

from bookbuild import markdown

TEXT = """\
A first line with [one](a)
and a second with [two
words](b "cost"), then $x$

> quoted [three](c)

- item
- another ![four](d.png)

| a |
|---|
| [five](e) |

## A head with `code`

```figure x
```
"""


def test_every_link_knows_the_line_it_stands_on() -> None:
    found = [(link.text, link.href, link.title, link.line) for link in markdown.links(markdown.read(TEXT, line=10))]
    assert found == [
        ("one", "a", "", 10),
        ("two words", "b", "cost", 11),
        ("three", "c", "", 14),
        ("four", "d.png", "", 17),
        ("five", "e", "", 21),
    ]


def test_formulas_headings_and_fences_know_their_lines() -> None:
    prose = markdown.read(TEXT)
    assert list(markdown.formulas(prose)) == [(3, "x")]
    assert [(level, line, inline.content) for level, line, inline in markdown.headings(prose)] == [
        (2, 14, "A head with `code`")
    ]
    assert [(token.info, token.map) for token in markdown.fences(prose)] == [("figure x", [16, 18])]


def test_a_line_end_between_wide_characters_is_nothing() -> None:
    assert markdown.plain(markdown.read("一行\n又一行", inline=True).tokens) == "一行又一行"
    assert markdown.plain(markdown.read("one\ntwo", inline=True).tokens) == "one two"


def test_html_is_text() -> None:
    tokens = markdown.read("a <b>bold</b> &amp; <script>x</script>", inline=True).tokens
    assert markdown.plain(tokens) == "a <b>bold</b> & <script>x</script>"


def test_money_is_no_formula() -> None:
    assert list(markdown.formulas(markdown.read("It costs $5 here and $6 there."))) == []
