"""What the worker answers: open, patches, refusals, failures, close."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bokeh.document import Document

from widgets import figures, lab
from widgets.session import Session


@pytest.fixture
def session(tiny: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(figures, "load", {"tiny": tiny}.__getitem__)
    (tmp_path / "exercises.json").write_text(
        json.dumps(
            {
                "book/one": {
                    "answer": lab.Number(32).to_json(),
                    "mistakes": {"half": "16"},
                    "texts": {"en": {"right": "All of them.", "wrong": {"half": "That is one half."}}},
                }
            }
        )
    )
    return Session(tmp_path)


def ask(session: Session, **message: Any) -> Any:
    return json.loads(session.handle(json.dumps(message)))


def opened(session: Session, page: str = "p1", digest: str = "") -> Any:
    return ask(session, verb="open", page=page, figure="tiny", preset="two", lang="en", ids=1000, digest=digest)


def test_a_page_of_the_same_build_is_not_drawn_again(session: Session, tiny: Any) -> None:
    first = opened(session, digest="another")
    assert json.loads(first["document"])["roots"]
    assert "document" not in opened(session, digest=first["digest"])


def test_a_change_comes_back_as_a_patch_that_the_built_document_takes(session: Session, tiny: Any) -> None:
    built = tiny().document(1000)
    page = Document.from_json(built.to_json(deferred=False))
    opened(session)
    answer = ask(session, verb="do", page="p1", figure="tiny", action={"set": {"side": 5}})
    assert answer["card"]["state"] == "side=5"
    page.apply_json_patch(json.loads(answer["patch"]))
    assert page.get_model_by_name("cells").data["x"] == [0, 1, 2, 3, 4]


def test_nothing_to_draw_means_no_patch(session: Session) -> None:
    opened(session)
    answer = ask(session, verb="do", page="p1", figure="tiny", action={"set": {"side": 99}})
    assert answer["patch"] is None
    assert "outside 1 to 9" in answer["card"]["problem"]


def test_pages_do_not_share_a_figure(session: Session) -> None:
    opened(session, "p1")
    opened(session, "p2")
    ask(session, verb="do", page="p1", figure="tiny", action={"set": {"side": 5}})
    other = ask(session, verb="do", page="p2", figure="tiny", action={"set": {"style": "odd"}})
    assert other["card"]["state"] == "style=odd"


def test_a_closed_page_is_forgotten(session: Session) -> None:
    opened(session, "p1")
    opened(session, "p2")
    assert ask(session, verb="close", page="p1") == {"open": 1}
    assert "KeyError" in ask(session, verb="do", page="p1", figure="tiny", action={"skip": True})["failed"]


def test_a_figure_that_raises_is_told_and_the_session_goes_on(
    session: Session, tiny: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(session)
    with monkeypatch.context() as broken:
        broken.setattr(tiny, "summary", lambda self: 1 / 0)
        failed = ask(session, verb="do", page="p1", figure="tiny", action={"set": {"side": 4}})
    assert failed["failed"].startswith("ZeroDivisionError: division by zero (test_session.py:")
    assert "card" in ask(session, verb="do", page="p1", figure="tiny", action={"set": {"side": 5}})


def test_exercises_are_judged_from_what_the_builder_shipped(session: Session) -> None:
    def check(answer: str) -> Any:
        return ask(session, verb="check", page="p1", lang="en", exercise="book/one", answer=answer)

    assert check("32")["kind"] == "right"
    assert "one half" in check("16")["message"]
    assert check("some")["kind"] == "unreadable"
