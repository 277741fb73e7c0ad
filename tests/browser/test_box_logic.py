"""What the box's scripts decide without a box: events out of bytes, addresses, the doctor's findings, inputs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from bookbuild.box_words import box_words
from tests.browser.pages import address, words
from tests.browser.panel import call, script
from tests.browser.serving import Site

STREAM = (
    ": beat\r\n\r\n"
    'event: queued\nid: 1\ndata: {"place": 0}\n\n'
    ": beat\n\n"
    'event: row\r\nid: 2\r\ndata: {"name": "行 µs 𝒳"}\r\n\r\n'
    "data: first\rdata:second\r\rdata\n\n"
    "event: nothing\n\n"
    "id: 3\ndata: last\n\n"
    "data: never ended"
)
EVENTS = [
    {"event": "queued", "data": '{"place": 0}', "id": "1"},
    {"event": "row", "data": '{"name": "行 µs 𝒳"}', "id": "2"},
    {"event": "message", "data": "first\nsecond", "id": "2"},
    {"event": "message", "data": "", "id": "2"},
    {"event": "message", "data": "last", "id": "3"},
]
"""As the HTML standard reads them: `data` alone is an empty line, an event without data is none."""

CUT = """async ([at, bytes, cuts]) => {
  const { Parser } = await import(at);
  return cuts.map((cut) => {
    const parser = new Parser(), events = [];
    for (let i = 0; i < cut.length - 1; i++) {
      events.push(...parser.push(new Uint8Array(bytes.slice(cut[i], cut[i + 1]))));
    }
    return events;
  });
}"""


@pytest.fixture
def scripts(page: Page, site: Site) -> Page:
    """A page without figures: its scripts, and no Python."""
    page.goto(f"{site.url}en/")
    return page


def test_events_are_the_same_however_the_bytes_are_cut(scripts: Page) -> None:
    sent, draw = STREAM.encode(), Random(1)
    cuts = [[0, len(sent)], list(range(len(sent) + 1))]
    cuts += [[0, *sorted(draw.sample(range(1, len(sent)), 9)), len(sent)] for _ in range(200)]
    for events in scripts.evaluate(CUT, [script(scripts, "sse.js"), list(sent), cuts]):
        assert events == EVENTS


@pytest.mark.parametrize("sent", ["data: " + "x" * 200, "data: x\n" * 40, ": " + "x" * 200 + "\n"])
def test_an_event_without_end_is_refused(scripts: Page, sent: str) -> None:
    code = """async ([at, text]) => {
      const { Parser, Unreadable } = await import(at);
      const parser = new Parser(100);
      try { for (const byte of new TextEncoder().encode(text)) parser.push(new Uint8Array([byte])); }
      catch (reason) { return reason instanceof Unreadable; }
      return false;
    }"""
    assert scripts.evaluate(code, [script(scripts, "sse.js"), sent])


BOX = "http://127.0.0.1:8787"
TYPED: dict[str, str | tuple[str, str]] = {
    BOX: BOX, f"{BOX}/": BOX, f"  {BOX} ": BOX, "127.0.0.1:8787": BOX, "127.0.0.1": BOX, "8787": BOX, ":8787": BOX,
    "localhost:9000": "http://localhost:9000", "HTTP://LocalHost:9000": "http://localhost:9000",
    "http：//127．0．0．1：8787": BOX, "１２７。０。０。１：８７８７": BOX, "//127.0.0.1:8787": BOX,
    "0.0.0.0:8787": BOX, "[::1]:8787": "http://[::1]:8787", "::1": "http://[::1]:8787", "[::1]": "http://[::1]:8787",
    "https://box.example": "https://box.example", "https://box.example:443/": "https://box.example",
    "http://box.example": "http://box.example", "box.example": "http://box.example:8787",
    "": ("empty", ""), "   ": ("empty", ""), "my box": ("spaces", "my box"), "http://a b": ("spaces", "http://a b"),
    "javascript:alert(1)": ("scheme", "javascript"), "file:///etc/passwd": ("scheme", "file"),
    "ftp://127.0.0.1": ("scheme", "ftp"), "data:text/html,x": ("scheme", "data"), "mailto:a": ("scheme", "mailto"),
    "127.0.0.1:99999": ("port", "99999"), "127.0.0.1:0": ("port", "0"), "127.0.0.1:": ("port", ""),
    "127.0.0.1:80a": ("port", "80a"), "99999": ("port", "99999"), "http://127.0.0.1:-1": ("port", "-1"),
    "http://user:secret@127.0.0.1": ("user", "user"), "me@127.0.0.1:8787": ("user", "me"),
    "http://127.0.0.1:8787/lab": ("path", "/lab"), "127.0.0.1?token=x": ("path", "?token=x"),
    "127.0.0.1#x": ("path", "#x"), "http://": ("host", "http://"), "http://[::1": ("host", "[::1"),
    "1:2:3": ("host", "1:2:3"), "a" * 500: ("long", "a" * 200),
}  # fmt: skip


def test_an_address_has_its_obvious_meaning_or_none(scripts: Page) -> None:
    problems = set(box_words(words("en"))["problems"])
    for typed, meant in TYPED.items():
        found = call(scripts, "box_address.js", "parse", typed)
        if isinstance(meant, str):
            assert found == {"address": meant, "token": ""}, typed
        else:
            assert (found["problem"], found["value"]) == meant, typed
            assert found["problem"] in problems
    pasted = call(scripts, "box_address.js", "parse", f"{BOX}/#box?token=a%2Bb")
    assert pasted == {"address": BOX, "token": "a+b"}


def facts(**more: Any) -> dict[str, Any]:
    """What is observed when all is well, but for `more`; `page` and `box` change single facts of those."""
    page = {"origin": "https://book.example", "https": True, "loopback": False, "secure": True}
    box = {"origin": BOX, "https": False, "host": "127.0.0.1", "port": "8787", "loopback": True}
    health = {"status": 200, "code": "", "why": "", "body": body()}
    told: dict[str, Any] = {"safari": False, "permission": "granted", "ping": "box", "health": health, "token": True}
    told |= {name: value for name, value in more.items() if name not in ("page", "box")}
    return told | {"page": page | more.get("page", {}), "box": box | more.get("box", {})}


def body(state: str = "idle", queued: int = 0) -> dict[str, Any]:
    return {"state": state, "machine": None, "running": None, "queued": queued, "queue_limit": 4, "why": "because"}


def status(code: int) -> dict[str, Any]:
    return {"status": code, "code": "", "why": "because", "body": None}


LAN = {"origin": "http://192.168.1.9:8787", "host": "192.168.1.9", "loopback": False}
HERE = {"origin": "http://127.0.0.1:9", "https": False, "loopback": True}
PLAIN = {"origin": "http://book.example", "https": False, "secure": False}
TUNNEL = "ssh -N -L 8787:127.0.0.1:8787 user@"
CASES: dict[str, tuple[dict[str, Any], str, str, bool]] = {
    "fine": (facts(), "fine", "", True),
    "https page, http box elsewhere": (facts(box=LAN, ping=None, health=None), "mixed", f"{TUNNEL}192.168.1.9", False),
    "the same, permission denied": (facts(box=LAN, ping=None, permission="denied"), "mixed", TUNNEL, False),
    "https box elsewhere": (facts(box=LAN | {"https": True}), "fine", "", True),
    "Safari, https page, this machine": (facts(safari=True, ping=None), "safari", BOX, False),
    "Safari, page from the box": (facts(safari=True, page=HERE), "fine", "", True),
    "permission denied": (facts(permission="denied", ping="none", health=None), "permission", "", False),
    "denied, but from this machine": (facts(permission="denied", page=HERE, ping="none"), "nothing", "serve", False),
    "denied, and yet it answers": (facts(permission="denied"), "fine", "", True),
    "nothing listens": (facts(ping="none", health=None), "nothing", "gpubook-box serve", False),
    "nothing at another port": (facts(ping="none", box={"port": "9000"}), "nothing", "serve --port 9000", False),
    "nothing elsewhere": (facts(ping="none", box=LAN, page=PLAIN), "nothingThere", f"{TUNNEL}192.168.1.9", False),
    "page by plain http": (facts(ping="none", page=PLAIN), "insecure", TUNNEL, False),
    "something else": (facts(ping="other", health=None), "other", "gpubook-box serve", False),
    "something that says nothing to pages": (facts(ping="hidden", health=None), "other", "gpubook-box serve", False),
    "no answer": (facts(ping="silent", health=None), "silent", "", False),
    "no answer to the second question": (facts(health="silent"), "silent", "", False),
    "another name": (facts(ping="host", box={"host": "gpu7"}), "host", "serve --allow-host gpu7", False),
    "wrong token": (facts(health=status(401)), "token", "", False),
    "no token": (facts(health=status(401), token=False), "noToken", "", False),
    "origin": (facts(health="refused"), "origin", "serve --allow-origin https://book.example", False),
    "origin, told": (facts(health=status(403)), "origin", "serve --allow-origin https://book.example", False),
    "strange": (facts(health=status(500)), "odd", "", False),
    "busy": (facts(health=status(200) | {"body": body(queued=4)}), "busy", "", True),
    "starting": (facts(health=status(200) | {"body": body("starting")}), "starting", "", True),
    "restarting": (facts(health=status(200) | {"body": body("restarting")}), "restarting", "", True),
    "failed child": (facts(health=status(200) | {"body": body("failed")}), "failed", "gpubook-box doctor", True),
}


def test_the_doctor_tells_each_trouble_apart_and_names_what_mends_it(scripts: Page) -> None:
    told = box_words(words("en"))["doctor"]
    seen = set()
    for name, (observed, code, typed, connected) in CASES.items():
        found = call(scripts, "box_doctor.js", "diagnose", observed)
        assert (found["code"], found["connected"]) == (code, connected), name
        assert any(typed in command for command in found["commands"]) or not typed, name
        if code != "fine":
            assert found["commands"] or told[code]["fix"], name
        seen.add(code)
    assert seen == {*told, "fine"}, "each finding has its words, and each of the words its case"


FIELDS = {
    "seed": {"type": "integer", "minimum": 0, "maximum": 9, "default": 1, "description": "seed of the random inputs"},
    "k": {"type": "integer", "minimum": 64, "maximum": 8192, "multipleOf": 8, "default": 4096},
    "idle_s": {"type": "number", "minimum": 0.5, "default": 3.0},
    "way": {"enum": ["one", "two"], "type": "string", "default": "two"},
    "tma": {"type": "boolean", "default": True},
    "gpu": {"type": "string", "pattern": "(a+)+$", "default": "h200"},
    "kind": {"$ref": "#/$defs/Kind"},
}
SCHEMA = {"type": "object", "properties": FIELDS, "$defs": {"Kind": {"enum": [4, 8], "type": "integer"}}}
GIVEN: list[tuple[str, str, Any]] = [
    ("seed", "7", 7), ("seed", " ７ ", 7), ("seed", "10", None), ("seed", "-1", None), ("seed", "1.5", None),
    ("seed", "", None), ("seed", "many", None), ("seed", "1e0", 1), ("seed", "0x7", None), ("seed", "Infinity", None),
    ("k", "4,096", 4096), ("k", "4 096", 4096), ("k", "4097", None), ("k", "8200", None), ("k", "40,96", None),
    ("idle_s", "0.5", 0.5), ("idle_s", "1e300", 1e300), ("idle_s", "0.4", None), ("idle_s", "NaN", None),
    ("gpu", "a" * 40 + "!", "a" * 40 + "!"), ("gpu", "  ", None),
]  # fmt: skip


def test_inputs_are_checked_before_they_are_sent(scripts: Page) -> None:
    told = box_words(words("en"))
    fields = {field["name"]: field for field in call(scripts, "measure_form.js", "fields", SCHEMA)}
    kinds = {name: field["kind"] for name, field in fields.items()}
    assert kinds == {"seed": "integer", "k": "integer", "idle_s": "number", "way": "choice", "tma": "boolean",
                     "gpu": "text", "kind": "choice"}  # fmt: skip
    for name, given, value in GIVEN:
        found = call(scripts, "measure_form.js", "check", fields[name], given, told)
        assert found.get("value") == value, (name, given)
        if value is None and given.strip() and name != "gpu":
            assert given.strip() in found["problem"], "what was given"
            assert call(scripts, "measure_form.js", "range", fields[name], told) in found["problem"], (
                "what would be right"
            )
    assert call(scripts, "measure_form.js", "range", fields["k"], told) == "64 to 8,192, a multiple of 8"
    assert call(scripts, "measure_form.js", "range", fields["idle_s"], told) == "at least 0.5"


def test_a_schema_without_sense_gives_no_controls(scripts: Page) -> None:
    for schema in (
        None,
        {},
        [],
        {"properties": None},
        {"properties": {"a": None}},
        {"properties": {"a": {"$ref": "#/x"}}},
    ):
        for field in call(scripts, "measure_form.js", "fields", schema):
            assert field["kind"] == "text"


def test_a_fragment_that_is_no_invitation_is_left_alone(scripts: Page, site: Site) -> None:
    for fragment in ("#bank_conflicts?pitch=33", "#boxes?token=x", "#part-1", "#box-address"):
        assert call(scripts, "box_keep.js", "invitation", fragment) is None
    told = call(scripts, "box_keep.js", "invitation", "#box?token=a+b/c=&address=http://[::1]:8787")
    assert told == {"token": "a+b/c=", "address": "http://[::1]:8787"}
    scripts.goto(f"{site.url}{address('bank_conflicts', 'en')}#boxes")
    assert scripts.url.endswith("#boxes")


TABLE = """async ([at, experiment, words, row]) => {
  const { Rows } = await import(at);
  const rows = new Rows(experiment, words);
  rows.add(row);
  return [...rows.table.querySelectorAll("tr")].map((line) => [...line.children].map((cell) => cell.textContent));
}"""


@pytest.mark.parametrize(
    ("experiment", "row", "heads", "cells"),
    [
        ("new", {"constructor": "toString", "__proto__x": 1}, ["constructor", "__proto__x"], ["toString", "1"]),
        (
            "double_buffer",
            {"slots": 2, "fmas": 4096, "stream": "copy", "batch": 0, "begin_us": 0.5, "end_us": 9.25,
             "model_begin_us": 0.25, "model_end_us": 9.5},
            ["槽数", "每个元素的 FMA 次数", "流", "批次", "模型：开始（µs）", "模型：结束（µs）", "开始（µs）",
             "结束（µs）"],
            ["2", "4,096", "拷贝流", "0", "0.2500", "9.500", "0.5000", "9.250"],
        ),
        (
            "bank_conflict_cycles",
            {"case": "a", "op": "load", "width_bytes": 4, "wavefronts": 2, "cycles": 2.5, "model_cycles": 2,
             "cycles_least": 2.25, "cycles_most": 2.75},
            None,
            ["a", "读", "4", "2", "2", "2.500", "2.250 – 2.750"],
        ),
    ],
)  # fmt: skip
def test_a_row_is_told_in_the_pages_words(
    scripts: Page, experiment: str, row: dict[str, Any], heads: list[str] | None, cells: list[str]
) -> None:
    told = box_words(words("zh"))
    given = [script(scripts, "measure_rows.js"), experiment, told, row]
    top, line = scripts.evaluate(TABLE, given)
    assert line == cells
    assert heads is None or top == heads
    assert experiment != "bank_conflict_cycles" or top[-1] == told["span"] != told["spread"]
