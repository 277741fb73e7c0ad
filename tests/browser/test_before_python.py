"""What the reader does before Python is there is kept, carried out in order, and ends as it would have afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Watch
from tests.browser.pages import KEYS, LANGUAGES, Act, Card, acts, address, native, sources
from tests.browser.serving import Site
from widgets.figure import Figure

SEED = int(os.environ.get("GPUBOOK_SEED") or Random().randrange(10**6))
ACTIONS = 30
MANIFEST = r"/runtime/manifest\."


def mixed(figures: dict[str, Figure], draw: Random) -> dict[str, list[Act]]:
    """Thirty acts on these figures that a reader can do before Python is there, and carry out each natively.

    A control that is switched off, as built or by what was done before, cannot be used; the stepper's range
    is not known before Python answers.
    """
    built = {key: twin.active for key, twin in ((key, native(key, "en")) for key in figures)}
    done: dict[str, list[Act]] = {key: [] for key in figures}
    while sum(map(len, done.values())) < ACTIONS:
        key = draw.choice(list(figures))
        for act in acts(figures[key], draw):
            if act.kind != "step" and (act.kind in ("preset", "commit") or built[key](act.name)):
                figures[key].apply(act.action)
                done[key].append(act)
                break
    return done


def state(card: Card) -> tuple[object, ...]:
    """All that a state is: fragment, what the address bar says, numbers, words, drawing."""
    parts = [card.part(name) for name in ("permalink", "predict", "reads", "hw", "summary", "table")]
    told = [part.inner_html() for part in parts if part.count()]  # not every figure has a hardware strip
    return (*told, card.sources())


def end_of(page: Page, card: Card, figure: Figure, drawn: object) -> tuple[object, ...]:
    """The end that a page came to, which must be where the native figure stands."""
    card.shows(figure)
    assert card.sources() == drawn
    if figure.state:
        assert page.evaluate("location.hash") == f"#{card.key}?{figure.state}"
    return state(card)


def test_thirty_actions_before_python_end_as_thirty_after(
    deploy: Callable[..., Site], visitor: Callable[..., BrowserContext]
) -> None:
    draw = Random(SEED)
    lang = draw.choice(LANGUAGES)
    print(f"GPUBOOK_SEED={SEED}: {lang}")
    figures = {key: native(key, lang) for key in draw.sample(KEYS, k=min(3, len(KEYS)))}
    done = mixed(figures, draw)
    drawn = {key: sources(figure) for key, figure in figures.items()}
    site, context = deploy(figures=tuple(figures)), visitor()

    def tabs() -> dict[str, tuple[Page, Card]]:
        opened = {key: context.new_page() for key in figures}
        for key, page in opened.items():
            page.goto(site.url + address(key, lang))
        return {key: (page, Card(page, key)) for key, page in opened.items()}

    site.hold(MANIFEST)
    early = tabs()
    for key, (page, card) in early.items():
        page.bring_to_front()  # Python starts for pages that are seen
        expect(card.element).to_have_attribute("data-state", "starting")
        for act in done[key]:
            card.do(act)
    assert {key: card.seq for key, (_, card) in early.items()} == dict.fromkeys(figures, 0)
    kept = {key: card.kept(lang) for key, (_, card) in early.items()}
    site.release()
    for key, (_, card) in early.items():
        card.answered(kept[key])
    before = {key: end_of(page, card, figures[key], drawn[key]) for key, (page, card) in early.items()}

    late = tabs()
    for key, (page, card) in late.items():
        page.bring_to_front()
        card.live()
        for act in done[key]:
            card.do(act)
    after = {key: end_of(page, card, figures[key], drawn[key]) for key, (page, card) in late.items()}
    assert before == after


def test_a_value_that_works_outlives_a_refused_one_before_python(
    deploy: Callable[..., Site], visitor: Callable[..., BrowserContext]
) -> None:
    site, page = deploy(), visitor().new_page()
    site.hold(MANIFEST)
    page.goto(site.url + address("online_softmax", "en"))
    card = Card(page, "online_softmax")
    for score in ("3, 1, 2, 5, 1, 1", "3, 1, 2, 4, 1, 1", "?!"):  # three on their way: one answer
        card.do(Act("text", "score", score))
    site.release()
    card.answered(1)
    figure = native("online_softmax", "en")
    figure.apply({"set": {"score": "3, 1, 2, 4, 1, 1"}})
    assert not figure.error
    card.shows(figure)
    figure.apply({"set": {"score": "?!"}})
    assert figure.error
    expect(card.part("problem")).to_contain_text(figure.error)


def test_python_is_begun_without_waiting_for_the_pages_modules(
    deploy: Callable[..., Site], visitor: Callable[..., BrowserContext], watch: Watch
) -> None:
    """They run when the page is read and laid out; Python takes longest and needs none of that."""
    watch.expect("net::ERR_FAILED")
    page = visitor().new_page()
    page.route("**/page.js", lambda route: route.abort())
    page.goto(f"{deploy().url}{address(KEYS[0], 'en')}")
    page.wait_for_function("document.readyState === 'complete'")
    assert page.evaluate("document.documentElement.bookEngine === undefined"), "no module runs here"
    assert len(watch.workers) == 1
