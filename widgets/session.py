"""What the worker runs: every open figure of every page, behind one function from JSON text to JSON text.

Messages (`handle`): `open` builds a figure's document with the ids that its page was built with,
`do` applies an action and answers with a Bokeh patch and the card's parts, `check` judges an
exercise's answer, `close` forgets a page. An unexpected exception becomes `{"failed": sentence}`:
the page shows it, and the session goes on.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bokeh.core.json_encoder import serialize_json
from bokeh.core.serialization import Serializer
from bokeh.document import Document

from widgets import card, figures, lab
from widgets.figure import Figure
from widgets.ids import digest
from widgets.words import Words

Message = dict[str, Any]


class Live:
    """One figure of one page: its document and the changes not sent yet."""

    def __init__(self, figure: Figure, base: int) -> None:
        self.figure = figure
        self.document: Document = figure.document(base)
        self._events: list[Any] = []
        self.document.on_change(self._events.append)

    def digest(self) -> str:
        """Return the hash of this document's models."""
        return digest(list(self.document.models))

    def whole(self) -> Any:
        """The document as JSON text, for a page whose own differs."""
        return serialize_json(self.document.to_json(deferred=False))

    def patch(self) -> str | None:
        """Return the changes since the last call as a Bokeh patch, None if there are none."""
        if not self._events:
            return None
        models = self.document.models
        serializer = Serializer(references=models.synced_references, deferred=False)
        encoded = serializer.encode(self._events)
        models.flush_synced(lambda model: not serializer.has_ref(model))
        self._events.clear()
        return str(serialize_json({"events": encoded}))


class Session:
    """All open figures. `data` holds what the builder shipped: `readings/<figure>.json`, `exercises.json`."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._open: dict[tuple[str, str], Live] = {}
        self._words: dict[str, Words] = {}

    def words(self, lang: str) -> Words:
        """Return the words of a language, loaded once."""
        if lang not in self._words:
            self._words[lang] = Words(lang)
        return self._words[lang]

    def readings(self, key: str) -> list[Any]:
        """Return the recorded readings shipped for a figure."""
        path = self._data / "readings" / f"{key}.json"
        return list(json.loads(path.read_text("utf-8"))) if path.is_file() else []

    def handle(self, text: str) -> str:
        """Answer one message."""
        message: Message = json.loads(text)
        verbs: dict[str, Callable[[Message], Message]] = {
            "open": self._open_figure,
            "do": self._do,
            "check": self._check,
            "close": self._close,
        }
        try:
            return json.dumps(verbs[message["verb"]](message))
        except Exception as failure:  # noqa: BLE001  the one door: whatever a figure raises belongs on its page
            last = traceback.extract_tb(failure.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            return json.dumps({"failed": f"{type(failure).__name__}: {failure} ({where})"})

    def _open_figure(self, message: Message) -> Message:
        key = message["figure"]
        kind = figures.load(key)
        state = kind.preset(message["preset"]).state
        live = Live(kind(self.words(message["lang"]), self.readings(key), **state), message["ids"])
        self._open[message["page"], key] = live
        answer: Message = {"digest": live.digest()}
        if answer["digest"] != message["digest"]:
            answer["document"] = live.whole()
        return answer

    def _do(self, message: Message) -> Message:
        live = self._open[message["page"], message["figure"]]
        live.figure.apply(message["action"])
        return {"patch": live.patch(), "card": card.update(live.figure)}

    def _check(self, message: Message) -> Message:
        shipped = json.loads((self._data / "exercises.json").read_text("utf-8"))[message["exercise"]]
        lang = message["lang"]
        texts = shipped["texts"][lang]
        verdict = lab.check(
            message["answer"],
            lab.from_json(shipped["answer"]),
            self.words(lang),
            mistakes=shipped["mistakes"],
            why=texts["wrong"],
            right=texts["right"],
            unit=texts.get("unit", ""),
            options=texts.get("options", {}),
        )
        return asdict(verdict)

    def _close(self, message: Message) -> Message:
        for page, key in list(self._open):
            if page == message["page"]:
                self._open.pop((page, key)).document.clear()
        return {"open": len(self._open)}
