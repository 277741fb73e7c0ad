"""What can be seen: widths, swipes, colours, paper, motion."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable

import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, CDPSession, Locator, Page, expect

from tests.browser.pages import (
    LANGUAGES,
    PLACES,
    Act,
    Card,
    address,
    addresses,
    all_live,
    by_page,
    finished,
    native,
    open_folds,
    resize,
    visit,
)
from tests.browser.serving import Site

Visitor = Callable[..., BrowserContext]

PALETTE = json.loads((PLACES.widgets / "palette.json").read_text("utf-8"))


@pytest.mark.parametrize("place", addresses())
def test_a_page_opens_and_nothing_is_wider_than_its_window_or_frame(page: Page, site: Site, place: str) -> None:
    page.goto(site.url + place)
    all_live(page)
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
    assert page.locator("h1").count() == 1
    lang = place.partition("/")[0] or LANGUAGES[0]
    assert page.locator("html").get_attribute("lang") == {"en": "en", "zh": "zh-Hans"}[lang]
    for width in (800, 1440, 360):
        resize(page, width)
    if place in finished():  # formulas on a phone
        assert page.locator(".eq").count()
        wide = "boxes => boxes.filter(box => box.scrollWidth > box.clientWidth).map(box => box.textContent)"
        assert page.locator(".eq").evaluate_all(wide) == []
    open_folds(page)
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        wide, sideways = page.evaluate(
            """() => {
              scrollTo({ left: 500, behavior: "instant" });
              return [document.documentElement.scrollWidth, scrollX];
            }"""
        )
        assert (wide, sideways) == (width, 0)


def test_one_finger_on_a_drawing_scrolls_the_page(visitor: Visitor, without_python: Site) -> None:
    site = without_python
    context = visitor(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    page = context.new_page()
    finger = context.new_cdp_session(page)
    for chapter in chapters():
        page.goto(site.url + address(chapter[0], "en"))
        for key in chapter:
            with Card(page, key) as card:
                plot = card.element.locator(".plot")
                expect(plot).to_have_attribute("data-drawn", "")
                plot.evaluate("plot => plot.scrollIntoView({ block: 'center', behavior: 'instant' })")
                box, before = plot.bounding_box(), page.evaluate("scrollY")
                assert box
                swipe_up(finger, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                page.wait_for_function("before => scrollY > before + 150", arg=before)


@pytest.fixture
def without_python(deploy: Callable[..., Site]) -> Site:
    """A site whose Python does not come: what is looked at here is there before it, and would be there no sooner."""
    site = deploy()
    site.hold(r"/runtime/manifest\.")
    return site


def swipe_up(finger: CDPSession, x: float, y: float) -> None:
    for step in range(11):
        touch = {"type": "touchMove" if step else "touchStart", "touchPoints": [{"x": x, "y": y - 20 * step}]}
        finger.send("Input.dispatchTouchEvent", touch)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


# ------------------------------------------------------------------------------------------------- colours


def colours(element: Locator) -> Counter[tuple[int, ...]]:
    """How many pixels of each colour an element shows."""
    picture = Image.open(io.BytesIO(element.screenshot(animations="disabled"))).convert("RGB")
    return Counter({colour: count for count, colour in picture.getcolors(picture.width * picture.height)})


def brightness(colour: tuple[int, ...]) -> float:
    return sum(colour) / 3


def rgb(name: str) -> tuple[int, ...]:
    return tuple(int(name[i : i + 2], 16) for i in (1, 3, 5))


def shown(element: Locator, theme: str) -> bool:
    """Whether a drawing is in a theme's colours: its paper, and marks in roles of this theme and not the other's."""
    seen = colours(element)
    paper = seen.most_common(1)[0][0]
    if (brightness(paper) > 128) != (theme == "light"):
        return False
    other = {"light": "dark", "dark": "light"}[theme]
    own, others = ({rgb(c) for c in flat(PALETTE[name])} for name in (theme, other))
    others = {colour for colour in others if max(colour) - min(colour) > 32}  # the edges of letters have any grey
    marks = {colour for colour, count in seen.items() if count >= 40 and colour != paper}
    return bool(marks & (own - others)) and not marks & (others - own)


def flat(palette: object) -> list[str]:
    """All colours of a palette, however it is nested."""
    if isinstance(palette, str):
        return [palette] if palette.startswith("#") and len(palette) == 7 else []
    items = palette.values() if isinstance(palette, dict) else palette if isinstance(palette, list) else ()
    return [colour for item in items for colour in flat(item)]


def wait_for_theme(element: Locator, theme: str) -> None:
    for _ in range(40):  # a drawing is repainted with the frames that follow
        if shown(element, theme):
            return
        element.page.evaluate("new Promise(requestAnimationFrame)")
    raise AssertionError(f"not in the colours of the {theme} theme: {colours(element).most_common(8)}")


def test_the_theme_switch_recolours_drawings_and_is_remembered(visitor: Visitor, without_python: Site) -> None:
    site = without_python
    page = visitor(color_scheme="light", reduced_motion="no-preference").new_page()
    switch = page.locator("[data-theme-switch]")
    for chapter in chapters():  # every one but the first opens with the choice that was made in the one before
        page.goto(site.url + address(chapter[0], "en"))
        theme, other = ("light", "dark") if chapter == chapters()[0] else ("dark", "light")
        wait_for_drawings(page, chapter, theme)
        assert (brightness(colours(page.locator("main .lead").first).most_common(1)[0][0]) < 60) == (theme == "dark")
        switch.click()
        expect(switch).to_have_attribute("data-choice", other)
        wait_for_drawings(page, chapter, other)
        if other == "light":
            for choice in ("system", "dark"):
                switch.click()
                expect(switch).to_have_attribute("data-choice", choice)


def chapters() -> list[tuple[str, ...]]:
    """The figures, those of one chapter together."""
    return [keys for each in by_page() for keys in each.values]


def wait_for_drawings(page: Page, keys: tuple[str, ...], theme: str) -> None:
    for key in keys:
        with Card(page, key) as card:
            plot = card.element.locator(".plot")
            expect(plot).to_have_attribute("data-drawn", "")
            wait_for_theme(plot, theme)


def test_the_system_theme_is_followed_while_a_page_is_open(page: Page, site: Site) -> None:
    page.emulate_media(color_scheme="light")
    card = visit(page, site.url, "divergence", "en")
    plot = card.element.locator(".plot")
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        wait_for_theme(plot, theme)
    page.emulate_media(color_scheme="dark")
    card.do(Act("range", "a", 3))
    card.answered(1)
    wait_for_theme(plot, "dark")


# --------------------------------------------------------------------------------------------------- paper


@pytest.mark.usefixtures("few_figures")
@pytest.mark.parametrize("lang", LANGUAGES)
def test_on_paper_a_figure_shows_its_state_and_nothing_to_press(page: Page, site: Site, lang: str) -> None:
    page.emulate_media(color_scheme="dark")
    card = visit(page, site.url, "bank_conflicts", lang, "pitch=33").answered(1)
    page.evaluate(
        """() => {
          window.paper = [];
          const look = () => paper.push([
            document.querySelectorAll("main details:not([open])").length,
            document.documentElement.dataset.theme ?? "",
          ]);
          addEventListener("beforeprint", look);
          addEventListener("afterprint", look);
        }"""
    )
    closed = page.locator("main details:not([open])").count()
    assert closed > 0
    assert page.pdf().startswith(b"%PDF")
    assert page.evaluate("paper") == [[0, "light"], [closed, ""]]

    page.emulate_media(media="print", color_scheme="dark")
    open_folds(page)
    for gone in (".controls", ".chips", ".predict .row", ".status", ".bar", ".rail", ".perm button"):
        for element in page.locator(gone).all():
            expect(element).to_be_hidden()
    for there in (".plot", ".reads", ".perm code", ".look", "[data-part=table] table"):
        expect(card.element.locator(there).first).to_be_visible()
    assert card.part("permalink").inner_text() == "#bank_conflicts?pitch=33"
    assert brightness(colours(card.element.locator(".reads")).most_common(1)[0][0]) > 240


# -------------------------------------------------------------------------------------------------- motion


def test_reduced_motion_leaves_play_and_starts_nothing(page: Page, site: Site) -> None:
    page.emulate_media(reduced_motion="reduce")
    card = visit(page, site.url, "online_softmax", "en", "preset=halves").answered(1)
    steps = native("online_softmax", "en", "preset=halves").steps
    card.control("step").locator(".range").fill("1")
    card.answered(2)
    longest = "Math.max(0, ...document.getAnimations().map(one => one.effect.getComputedTiming().activeDuration))"
    assert page.evaluate(longest) <= 1
    card.element.locator(".play").click()
    card.answered(1 + steps)
    expect(card.element.locator(".play")).to_have_text("Play")
