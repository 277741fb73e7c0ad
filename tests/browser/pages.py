"""The pages of the book as a test drives them, beside what Python says natively about the same states."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from bokeh.models import ColumnDataSource
from playwright.sync_api import Locator, Page, expect

from bookbuild import manuscript, speech
from bookbuild.places import PROJECT, Places
from bookbuild.rooms import Live
from widgets import card, figures
from widgets.figure import Figure
from widgets.parts import Choice, Range, Stepper, Text
from widgets.status import script_words
from widgets.words import Words

PLACES = Places.of(Path(os.environ.get("GPUBOOK_ROOT") or PROJECT))
BOOK = manuscript.load(PLACES, [])
LANGUAGES = BOOK.book.languages
_PLACED = {lang: BOOK.placed(lang) for lang in LANGUAGES}
KEYS = tuple(_PLACED[LANGUAGES[0]])
"""The figures that stand in a chapter, in the order of the book."""
SLUGS = tuple(entry.slug for entry in BOOK.written)

Reads = list[tuple[str, ...]]


def address(key: str, lang: str) -> str:
    """The address of a figure's chapter, from the site's root."""
    return f"{lang}/{_PLACED[lang][key][0].chapter.slug}/"


def on_page(key: str) -> int:
    """How many figures stand in a figure's chapter: Python keeps a document for each."""
    return sum(address(other, LANGUAGES[0]) == address(key, LANGUAGES[0]) for other in KEYS)


def addresses() -> tuple[str, ...]:
    """Every page of the site."""
    of_language = [
        f"{lang}/{page}" for lang in LANGUAGES for page in ("", "glossary/", *(f"{slug}/" for slug in SLUGS))
    ]
    return ("", *of_language)


def by_page(keys: Iterable[str] = KEYS) -> list[Any]:
    """These figures as parameters of a test, those of one chapter together.

    Loading a page costs more than what a test does to one figure of it. The parameter's id names its figures, so
    that `-k` finds a figure's tests by its key.
    """
    pages: dict[str, list[str]] = {}
    for key in keys:
        pages.setdefault(address(key, LANGUAGES[0]), []).append(key)
    return [pytest.param(tuple(together), id="-".join(together)) for together in pages.values()]


def finished() -> tuple[str, ...]:
    """The pages of chapters that place all their figures."""
    return tuple(
        f"{lang}/{slug}/"
        for (slug, lang), source in sorted(BOOK.sources.items())
        if len(source.figures) == len(source.chapter.figures)
    )


# ------------------------------------------------------------------------------------------------- natively


@cache
def words(lang: str) -> Words:
    """The words of a language, from catalogues compiled as the builder does."""
    return speech.learn(PLACES, LANGUAGES)[lang]


@cache
def readings(key: str) -> list[Any]:
    """The recorded readings that a figure is handed."""
    return Live(PLACES).readings(key)


def native(key: str, lang: str, state: str = "") -> Figure:
    """The figure as its chapter places it, or at a state."""
    kind = figures.load(key)
    use = next(use for use in _PLACED[lang][key][0].figures if use.key == key)
    figure = kind(words(lang), readings(key), **kind.preset(use.preset).state)
    if state:
        figure.restore(state)
    return figure


def reads(figure: Figure) -> Reads:
    """Label, number and context of every readout, as the card prints them."""
    tree = ElementTree.fromstring(f"<dl>{card.readouts(figure)}</dl>")
    return [tuple("".join(cell.itertext()) for cell in read) for read in tree]


def permalink(figure: Figure) -> str:
    """The link to a figure's state, as the card prints it."""
    return f"#{figure.key()}?{figure.state}" if figure.state else f"#{figure.key()}"


def sources(figure: Figure) -> dict[str, Any]:
    """The drawing's data by source and column."""
    document = figure.document(1)
    return {source.name: plain(source.data) for source in document.select({"type": ColumnDataSource})}


def plain(data: Any) -> Any:
    """Data as JSON tells it: lists for tuples, whole floats for integers, "NaN" for what equals nothing."""
    return json.loads(json.dumps(data), parse_int=float, parse_constant=str)


# ------------------------------------------------------------------------------------- what a reader does


@dataclass(frozen=True)
class Act:
    """One thing a reader does to a figure."""

    kind: str
    """range, choice, text, step, preset or commit."""
    name: str
    value: Any = None

    @property
    def action(self) -> dict[str, Any]:
        """The same as `Figure.apply` takes it."""
        if self.kind in ("preset", "commit"):
            return {self.kind: self.name}
        return {"set": {self.name: self.value}}


def stops(figure: Figure, control: Range) -> list[float]:
    """The values on which a slider can stand."""
    low, high = figure.param[control.param].bounds
    steps = round((high - low) / control.step)
    return [float(f"{low + i * control.step:.9g}") for i in range(steps + 1)]


def acts(figure: Figure, draw: Random) -> Iterator[Act]:
    """Things that a reader may do to a figure in its state, each drawn by chance, in an order drawn by chance."""
    found = [Act("preset", preset.name) for preset in figure.presets]
    for control in figure.controls:
        name = control.param
        if not figure.active(name):
            continue
        match control:
            case Range():
                found += [Act("range", name, value) for value in draw.choices(stops(figure, control), k=3)]
            case Choice(options=options):
                found += [Act("choice", name, value) for value, _ in options]
            case Stepper():
                found += [Act("step", name, step) for step in range(1, figure.steps + 1)][-3:]
            case Text():
                found += [Act("text", name, text) for text in texts(figure, name, draw)]
    if figure.open:
        found += [Act("commit", guess) for guess in ("20", "3.3", "many")]
    draw.shuffle(found)
    yield from found


def texts(figure: Figure, name: str, draw: Random) -> list[str]:
    """What may be typed: what the presets hold, and what one or the other figure's grammar takes."""
    told = {str(preset.state[name]) for preset in figure.presets if name in preset.state}
    count = draw.randint(1, 8)
    listed = ", ".join(str(draw.randint(-9, 9)) for _ in range(count))
    a, b = draw.randint(1, 9), draw.randint(0, 9)
    return [*sorted(told | {str(figure.param[name].default)}), listed, f"i*{a}+{b}", f"i%{32 + b}//{a}", "nonsense"]


def differs(figure: Figure, act: Act) -> Figure | None:
    """The figure after an act that it takes and that shows other numbers; None where it does not."""
    other = twin(figure)
    other.apply(act.action)
    return None if other.error or other.veiled or reads(other) == reads(figure) else other


def twin(figure: Figure) -> Figure:
    """The same figure in the same state."""
    other = type(figure)(figure.words, figure.readings, **figure.built)
    if figure.state:
        other.restore(figure.state)
    other.open, other.guess, other.verdict = figure.open, figure.guess, figure.verdict
    return other


def some_state(key: str, lang: str, draw: Random) -> Figure:
    """A figure in a state that chance chose, that no preset holds and that shows its numbers."""
    for _ in range(1000):
        figure = native(key, lang)
        count = draw.randint(2, 8)
        for control in figure.controls:
            match control:
                case Range():
                    value: Any = draw.choice(stops(figure, control))
                case Choice(options=options):
                    value = draw.choice(options)[0]
                case Stepper():
                    continue
                case Text():
                    row = ", ".join(str(draw.randint(-9, 9)) for _ in range(count))
                    value = draw.choice([*texts(figure, control.param, draw), row, row, row])
            figure.apply({"set": {control.param: value}})
        if figure.state and not figure.pressed and not figure.veiled:
            return figure
    raise AssertionError(f"{key}: chance found no state that is not a preset")


# --------------------------------------------------------------------------------------------- on the page

_SOURCES = """figure => {
  const own = Bokeh.documents.filter(d => d.roots().some(root => {
    const view = Bokeh.index.get_by_id(root.id);
    return view && figure.querySelector(".canvas").contains(view.el);
  }));
  if (own.length !== 1) throw new Error(`${own.length} drawings in one figure`);
  const told = {};
  for (const model of own[0]._all_models.values()) {
    if (model.type === "ColumnDataSource") told[model.name] = model.data;
  }
  const flat = (key, value) => ArrayBuffer.isView(value) ? Array.from(value)
    : typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  return JSON.stringify(told, flat);
}"""

# Presses one preset after the other; what the card then says: preset, permalink, readouts, what is pressed.
_PRESETS = """async card => {
  const told = [], cells = row => [...row.children].map(cell => cell.textContent);
  for (const chip of card.querySelectorAll(".chip")) {
    const before = card.dataset.seq;
    chip.click();
    while (card.dataset.seq === before && card.dataset.state === "live") await new Promise(requestAnimationFrame);
    told.push([
      chip.dataset.preset,
      card.querySelector('[data-part="permalink"]').textContent,
      [...card.querySelector('[data-part="reads"]').children].map(cells),
      [...card.querySelectorAll('.chip[aria-pressed="true"]')].map(one => one.dataset.preset),
    ]);
  }
  return told;
}"""


class Card:
    """A figure's card on a page."""

    def __init__(self, page: Page, key: str) -> None:
        self.page, self.key = page, key
        self.element = page.locator(f'.fig[data-figure="{key}"]')

    def __enter__(self) -> Card:
        return self

    def __exit__(self, kind: object, failure: BaseException | None, trace: object) -> None:
        """Name the figure in what failed: a test may go through several."""
        if failure:
            failure.add_note(f"figure: {self.key}")

    def part(self, name: str) -> Locator:
        return self.element.locator(f'[data-part="{name}"]')

    def control(self, name: str) -> Locator:
        return self.element.locator(f'.ctl[data-param="{name}"]')

    def typed(self, name: str) -> Locator:
        """The field of a text control, which may wait in a fold."""
        field = self.control(name).locator(".text")
        field.evaluate("field => field.closest('.controls details')?.setAttribute('open', '')")
        return field

    def live(self) -> Card:
        """Wait until Python answers for it."""
        expect(self.element).to_have_attribute("data-state", "live")
        return self

    def failed(self) -> str:
        """Wait until it has failed; the sentence it shows."""
        expect(self.element).to_have_attribute("data-state", "failed")
        return self.part("status").inner_text()

    @property
    def seq(self) -> int:
        """How many answers have been put in place."""
        return int(self.element.get_attribute("data-seq") or 0)

    def answered(self, seq: int) -> Card:
        """Wait until so many answers have been put in place."""
        expect(self.element).to_have_attribute("data-seq", str(seq))
        return self

    def kept(self, lang: str) -> int:
        """How many changes it says that it keeps until Python is there."""
        told, says = self.part("status").inner_text(), script_words(words(lang))
        many = re.search(re.escape(says["kept"]).replace(r"\{n\}", r"(\d+)"), told)
        return int(many[1]) if many else int(says["oneKept"] in told)

    def reads(self) -> Reads:
        rows = self.part("reads").evaluate("dl => [...dl.children].map(r => [...r.children].map(c => c.textContent))")
        return [tuple(row) for row in rows]

    def sources(self) -> dict[str, Any]:
        return plain(json.loads(self.element.evaluate(_SOURCES)))

    def presets(self) -> Iterator[tuple[str, str, Reads, list[str]]]:
        """Press one preset after the other, in the page: the preset, then permalink, readouts, and what is pressed."""
        for preset, permalink, rows, pressed in self.element.evaluate(_PRESETS):
            yield preset, permalink, [tuple(row) for row in rows], pressed

    def shows(self, figure: Figure) -> Card:
        """Wait until it is in a figure's state, and compare its numbers with those computed here."""
        expect(self.part("permalink")).to_have_text(permalink(figure))
        assert self.reads() == reads(figure)
        return self

    def do(self, act: Act) -> None:
        """Act as a reader does."""
        control = self.control(act.name)
        match act.kind:
            case "range" | "step":
                control.locator(".range").fill(f"{act.value:.9g}")
            case "choice":
                if control.locator("select").count():
                    control.locator("select").select_option(str(act.value))
                else:
                    control.locator(f'input[value="{act.value}"]').check()
            case "text":
                self.typed(act.name).fill(act.value)
                control.locator(".field .btn").click()
            case "preset":
                self.element.locator(f'.chip[data-preset="{act.name}"]').click()
            case "commit":
                self.part("predict").locator("input").fill(act.name)
                self.part("predict").locator(".btn.main").click()


def visit(page: Page, url: str, key: str, lang: str, state: str = "") -> Card:
    """Open a figure's chapter at a state, and wait until it is live."""
    page.goto(f"{url}{address(key, lang)}" + (f"#{key}?{state}" if state else ""))
    return Card(page, key).live()


def in_turn(page: Page, url: str, states: dict[str, str], lang: str) -> Iterator[Card]:
    """Put the figures of a chapter into their states, one after the other, and wait until each is.

    The first is in the address at which the page is opened, the others come as a link on the page sets them.
    """
    for key, state in states.items():
        if key == next(iter(states)):
            visit(page, url, key, lang, state)
        else:
            page.evaluate("fragment => { location.hash = fragment; }", f"#{key}?{state}")
        yield Card(page, key).live().answered(1)


def resize(page: Page, width: int) -> None:
    """Make the window so wide, in px, and wait until the drawings are as wide as their frames."""
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_function(
        """() => [...document.querySelectorAll(".plot .canvas")].every((frame) =>
          Math.abs(frame.clientWidth - frame.firstElementChild?.getBoundingClientRect().width) <= 1)"""
    )


def all_live(page: Page) -> None:
    """Wait until every figure of a page is live."""
    for element in page.locator(".fig").all():
        expect(element).to_have_attribute("data-state", "live")


def expect_documents(page: Page, count: int) -> None:
    """Wait until Python keeps so many documents."""
    page.wait_for_function(
        """async (count) => {
          const answer = await document.documentElement.bookEngine.send({ verb: "close", page: "none" });
          return answer.open === count;
        }""",
        arg=count,
    )


def open_folds(page: Page) -> None:
    """Open everything in the text that is folded."""
    page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
