"""What is asked for: JSON and nothing beyond, inputs within their ranges, a body of bounded size. Never status 500."""

import json

import boxes
import pytest
from client import ask, get

from gpu_backend import experiments
from gpu_backend.server import strict_json
from gpu_backend.server.catalogue import Catalogue, Wrong, model


@pytest.fixture(scope="module")
def box():
    with boxes.box() as running:
        yield running


def refused(box, body, **headers):
    status, _, raw = ask(box, "POST", "/runs", body, **headers)
    told = json.loads(raw)
    assert set(told) == {"why", "code"}
    return status, told["code"], told["why"]


def wanted(text):
    return b'{"experiment": "fake_rows", "inputs": {"rows": ' + text + b"}}"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'\xef\xbb\xbf{"experiment": "x"}', "not JSON"),
        (b'{"experiment": "x"} {}', "not JSON"),
        (wanted(b"NaN"), "NaN"),
        (wanted(b"Infinity"), "Infinity"),
        (wanted(b"-Infinity"), "-Infinity"),
        (wanted(b"1e999"), "too large"),
        (wanted(b"1" * 5000), "5000 characters"),
        (wanted(b"0." + b"1" * 5000), "5002 characters"),
        (b'{"experiment": "a", "experiment": "fake_rows"}', "twice"),
        (b'{"experiment": "fake_rows", "inputs": {"rows": 1, "rows": 2}}', "twice"),
        (b'{"experiment": "\\ud800"}', "surrogate"),
        pytest.param(b"[" * 8000, "nested more than 32 deep", id="brackets"),
        pytest.param(b"[" * 8000 + b"]" * 8000, "nested more than 32 deep", id="closed-brackets"),
        pytest.param(b'{"experiment": ' * 1000, "nested more than 32 deep", id="objects"),
        pytest.param(wanted(b"[" * 29 + b'"[[[[\\"[[[["'), "not JSON", id="brackets-in-a-text"),
        (b"[]", "a JSON object"),
        (b'"fake_rows"', "a JSON object"),
        (b"null", "a JSON object"),
        (b"17", "a JSON object"),
    ],
)
def test_what_is_no_json_object_is_refused(box, body, says):
    status, code, why = refused(box, body)
    assert (status, code) == (400, "json")
    assert says in why


@pytest.mark.parametrize(
    "body",
    [
        {}, {"experiment": None}, {"experiment": 1}, {"experiment": ["fake_rows"]}, {"inputs": {}},
        {"experiment": "fake_rows", "inputs": None}, {"experiment": "fake_rows", "inputs": []},
        {"experiment": "fake_rows", "code": "print()"}, {"experiment": {}, "inputs": "x"},
    ],
)  # fmt: skip
def test_a_run_is_a_name_and_inputs(box, body):
    assert refused(box, body)[:2] == (422, "inputs")


@pytest.mark.parametrize(
    "name", ["", "nothing", "../child", "__init__", "common", "fake_rows\0", "os", "a" * 9000, "🙂"]
)
def test_an_unknown_experiment_is_refused(box, name):
    status, code, why = refused(box, {"experiment": name})
    assert (status, code) == (404, "no_experiment")
    assert len(why) < 300


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"log2_n": 29}, "log2_n is 29; right is a whole number from 8 to 28"),
        ({"log2_n": -1}, "log2_n is -1; right is"),
        ({"log2_n": 10**30}, f"log2_n is {10**30}; right is"),
        ({"log2_n": 8.5}, "log2_n is 8.5; right is"),
        ({"log2_n": "8"}, "log2_n is '8'; right is"),
        ({"log2_n": True}, "log2_n is True; right is"),
        ({"log2_n": None}, "log2_n is None; right is"),
        ({"log2_n": [8]}, "log2_n is [8]; right is"),
        ({"gpu": "../../etc"}, "gpu is '../../etc'; right is a text like ^[a-z0-9_]{1,20}$"),
        ({"gpu": "h200\n"}, "gpu is 'h200\\n'; right is"),
        ({"gpu": "x" * 9000}, "gpu is 'xxx"),
        ({"path": "/etc/passwd"}, "there is no input 'path'; there are seed, log2_n, gpu"),
        ({"x" * 9000: 1}, "there is no input 'xxx"),
    ],
)
def test_inputs_outside_of_their_range_are_refused_with_field_value_and_range(box, inputs, says):
    status, code, why = refused(box, {"experiment": "roofline", "inputs": inputs})
    assert (status, code) == (422, "inputs")
    assert why.startswith(says)
    assert len(why) < 300


def test_steps_are_kept(box):
    why = refused(box, {"experiment": "transpose_tiles", "inputs": {"side": 100}})[2]
    assert why == "side is 100; right is a whole number from 64 to 16384 in steps of 64"


def test_a_body_is_bounded_whether_it_says_its_length_or_not(box):
    large = b'{"experiment": "' + b"x" * (17 << 10) + b'"}'
    assert refused(box, large)[:2] == (413, "too_large")
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (large[:9000], large[9000:])) + b"0\r\n\r\n"
    sent = ask_raw(box, b"Transfer-Encoding: chunked\r\n", chunks)
    assert b"HTTP/1.1 413" in sent
    just = json.dumps({"experiment": "none", "inputs": {}}).encode()
    assert refused(box, just + b" " * ((16 << 10) - len(just)))[0] == 404
    assert refused(box, just + b" " * ((16 << 10) - len(just) + 1))[0] == 413


def ask_raw(box, headers, body):
    import socket

    with socket.create_connection(("127.0.0.1", box.port), timeout=60) as connection:
        head = f"POST /runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {box.token}\r\nConnection: close\r\n"
        connection.sendall(head.encode() + b"Content-Type: application/json\r\n" + headers + b"\r\n" + body)
        return connection.recv(1 << 16)


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json"])
def test_only_json_is_taken(box, kind):
    """What a page may send without a preflight is not."""
    assert refused(box, b'{"experiment": "fake_rows"}', Content_Type=kind)[:2] == (415, "type")


def test_json_may_say_its_character_set(box):
    assert refused(box, b"{", Content_Type="Application/JSON; charset=utf-8")[:2] == (400, "json")


def test_the_experiments_are_told_with_the_schemas_of_their_inputs(box):
    told = {entry["name"]: entry for entry in get(box, "/experiments")["experiments"]}
    assert set(experiments.names()) <= set(told)
    roofline = told["roofline"]
    assert set(roofline) == {"name", "figure", "method", "needs_gpu", "available", "schema", "points"}
    assert roofline["schema"] == experiments.load("roofline").inputs.model_json_schema()
    assert roofline["points"] == 14


def test_health_says_how_the_box_is(box):
    health = get(box, "/health")
    assert set(health) == {"state", "machine", "running", "queued", "queue_limit", "why"}
    assert set(health["machine"]) == {"gpu", "driver", "cuda", "torch", "triton"}
    assert (health["queued"], health["queue_limit"], health["running"], health["why"]) == (0, 64, None, None)


@pytest.mark.parametrize("name", experiments.names())
def test_the_servers_models_are_the_experiments_own(name):
    """Built anew from a schema, a model has that schema: no limit is lost on the way."""
    schema = experiments.load(name).inputs.model_json_schema()
    rebuilt = model(name, schema).model_json_schema()
    schema.pop("description", None)
    assert rebuilt == schema


def test_a_schema_with_a_limit_that_the_server_would_not_keep_is_refused():
    flat = {"type": "object", "additionalProperties": False, "properties": {"x": {"type": "integer", "minimum": 1}}}
    model("fine", flat)
    flat["properties"]["x"]["format"] = "int8"
    with pytest.raises(ValueError, match="x: no model is built from format"):
        model("strange", flat)
    with pytest.raises(ValueError, match="must be an object without other properties"):
        model("open", {"type": "object", "properties": {}})


def test_a_choice_is_one_of_those():
    schema = {"type": "object", "additionalProperties": False,
              "properties": {"way": {"enum": ["a", "b"], "type": "string", "default": "a"}}}  # fmt: skip
    entry = {"name": "x", "figure": "f", "method": "m", "needs_gpu": False, "available": True, "schema": schema,
             "points": None}  # fmt: skip
    catalogue = Catalogue([entry])
    assert catalogue.check("x", {}) == {"way": "a"}
    with pytest.raises(Wrong, match="way is 'c'; right is a text one of 'a', 'b'"):
        catalogue.check("x", {"way": "c"})


def test_strict_json_is_json():
    text = '{"a": [1, -2.5e3, "é\\ud83d\\ude42", true, null], "b": {}}'
    assert strict_json.loads(text.encode()) == json.loads(text)
