"""Exercises: right, wrong for a reason, unreadable, and answered before Python is there, in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from bookbuild import bundle
from bookbuild.rooms import Live
from tests.browser.conftest import PATIENCE_MS
from tests.browser.pages import BOOK, KEYS, LANGUAGES, PLACES, SLUGS, words
from tests.browser.serving import Site
from widgets import lab
from widgets.status import script_words


@cache
def exercises() -> dict[str, Any]:
    """Every exercise as the bundle ships it: answer, mistakes, sentences."""
    return bundle._exercises(BOOK, Live(PLACES), {lang: words(lang) for lang in LANGUAGES})


def judged(name: str, lang: str, answer: str) -> lab.Verdict:
    """What the lab says natively."""
    shipped = exercises()[name]
    told = shipped["texts"][lang]
    return lab.check(
        answer,
        lab.from_json(shipped["answer"]),
        words(lang),
        mistakes=shipped["mistakes"],
        why=told["wrong"],
        right=told["right"],
        unit=told["unit"],
        options=told["options"],
    )


def tries(name: str) -> Iterator[tuple[str, str]]:
    """Answers as a reader writes them, and the verdict each must get: right ones, each known mistake, nonsense."""
    shipped = exercises()[name]
    answer = shipped["answer"]
    right = written(answer[{"number": "value", "set": "values", "order": "keys", "choice": "key"}[answer["type"]]])
    yield right, "right"
    yield from ((written(mistake), "not_yet") for mistake in shipped["mistakes"].values())
    if answer["type"] != "choice":
        yield f"  {right} ", "right"
        yield "?!", "unreadable"


def written(value: str | list[str]) -> str:
    """A value, or several with commas between."""
    return value if isinstance(value, str) else ", ".join(value)


def give(form: Locator, answer: str) -> None:
    """Answer as a reader does."""
    if form.locator("input[type=radio]").count():
        form.locator(f'input[value="{answer}"]').check()
    else:
        form.locator("input.ans").fill(answer)
    form.locator(".btn.main").click()


# Gives one answer after the other, and waits until what is said holds the sentence that must come, or until time is up;
# what was said in the end, and whether as right.
_ANSWERS = """async (form, [tries, patience]) => {
  const told = [], say = form.parentElement.querySelector(".say");
  for (const [answer, message] of tries) {
    const chosen = form.querySelector(`input[type=radio][value="${CSS.escape(answer)}"]`);
    if (chosen) chosen.checked = true; else form.querySelector("input.ans").value = answer;
    say.replaceChildren();
    form.querySelector(".btn.main").click();
    const end = performance.now() + patience;
    while (!say.textContent.includes(message) && performance.now() < end) await new Promise(requestAnimationFrame);
    told.push([say.textContent, say.classList.contains("right")]);
  }
  return told;
}"""


@pytest.mark.usefixtures("few_figures")
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("slug", SLUGS)
def test_every_verdict_is_the_labs(page: Page, site: Site, slug: str, lang: str) -> None:
    page.goto(f"{site.url}{lang}/{slug}/")
    seen = set()
    for name in (name for name in exercises() if name.startswith(f"{slug}/")):
        form = page.locator(f'form[data-exercise="{name}"]')
        verdicts = [(answer, kind, judged(name, lang, answer)) for answer, kind in tries(name)]
        first, _, verdict = verdicts[0]
        give(form, first)  # as a reader does; the others as fast as Python answers
        expect(form.locator("xpath=..").locator(".say")).to_contain_text(verdict.message)
        told = form.evaluate(_ANSWERS, [[(answer, verdict.message) for answer, _, verdict in verdicts], PATIENCE_MS])
        for (answer, kind, verdict), (said, right) in zip(verdicts, told, strict=True):
            assert verdict.kind == kind, (name, answer)
            assert verdict.message in said, (name, answer)
            assert right == (kind == "right"), (name, answer)
            seen.add(kind)
    assert seen >= {"right", "not_yet"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_answer_given_before_python_is_kept_and_judged(
    deploy: Callable[..., Site], visitor: Callable[..., BrowserContext], lang: str
) -> None:
    name = next(name for name in exercises() if exercises()[name]["answer"]["type"] == "number")
    right, wrong, *_ = (answer for answer, _ in tries(name))
    site, page = deploy(figures=KEYS[:1]), visitor().new_page()
    site.hold(r"/runtime/manifest\.")
    page.goto(f"{site.url}{lang}/{name.partition('/')[0]}/")
    form = page.locator(f'form[data-exercise="{name}"]')
    say = form.locator("xpath=..").locator(".say")
    for answer in (wrong, right):  # the last answer is the one that counts
        give(form, answer)
        expect(say).to_have_text(script_words(words(lang))["answerKept"])
    site.release()
    expect(say).to_contain_text(judged(name, lang, right).message)


@pytest.mark.parametrize("slug", SLUGS[:1])
def test_the_worked_answer_waits_in_a_fold(page: Page, site: Site, slug: str) -> None:
    page.goto(f"{site.url}en/{slug}/")
    fold = page.locator(".ex details.fold").first
    expect(fold.locator(".in")).to_be_hidden()
    fold.locator("summary").click()
    expect(fold.locator(".in")).to_be_visible()
