"""Requests made from the box's own OpenAPI description: whatever they are, the answer is described and is no 500."""

import json

import boxes
import pytest
import schemathesis
from client import Stream, ask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
QUIETLY = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)  # fmt: skip


@pytest.fixture(scope="module")
def box():
    with boxes.box(queue_limit=2, child=boxes.fake(pace=0.0)) as running:
        yield running


@pytest.fixture(scope="module")
def described(box):
    return json.loads(ask(box, "GET", "/openapi.json")[2])


OPERATIONS = ["GET /ping", "GET /health", "GET /experiments", "POST /runs", "DELETE /runs/{run}"]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_what_the_description_allows_and_what_it_does_not(operation, mode, box, described):
    method, path = operation.split()
    strategy = schemathesis.openapi.from_dict(described)[path][method].as_strategy(generation_mode=mode)

    @QUIETLY
    @given(case=strategy)
    def ask_all(case):
        case.call_and_validate(
            base_url=box.url, headers={"Authorization": f"Bearer {box.token}"}, checks=CHECKS, timeout=60
        )

    try:
        ask_all()
    except Unsatisfiable:
        assert operation != "POST /runs"  # nothing can be wrong in a request that has no parts


def test_every_operation_is_asked(described):
    assert sorted(OPERATIONS) == sorted(f"{m.upper()} {path}" for path, ms in described["paths"].items() for m in ms)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def experiments(box):
    return json.loads(ask(box, "GET", "/experiments")[2])["experiments"]


@settings(QUIETLY, max_examples=150)
@given(data=st.data())
def test_inputs_of_any_experiment_are_taken_within_their_ranges_and_refused_outside(data, box, experiments):
    real = [entry for entry in experiments if not entry["name"].startswith("fake_")]
    entry = data.draw(st.sampled_from(real))
    inputs, right = {}, True
    for name, about in entry["schema"]["properties"].items():
        if about["type"] == "string":
            good, bad = st.from_regex(about["pattern"], fullmatch=True), st.sampled_from(["", "A B", "x" * 21])
        else:
            step = about.get("multipleOf", 1)
            low, high = int(about["minimum"]), int(about["maximum"])
            good = st.integers(-(-low // step), high // step).map(lambda i, step=step: i * step)
            bad = st.integers(max_value=low - 1) | st.integers(min_value=high + 1)
        kind = data.draw(st.sampled_from(["default", "good", "good", "bad", "strange"]))
        if kind == "good":
            inputs[name] = data.draw(good.filter(str.isascii) if about["type"] == "string" else good)
        elif kind == "bad":
            inputs[name], right = data.draw(bad), False
        elif kind == "strange":
            inputs[name], right = data.draw(st.lists(st.integers()) | st.none() | st.booleans()), False
    long = any(isinstance(value, int) and len(str(value)) > 40 for value in inputs.values())
    if right:
        stream = Stream(box, entry["name"], **inputs)
        assert stream.answer.status == 200
        assert stream.until("queued")["place"] >= 0
        stream.leave()
    else:
        status, _, raw = ask(box, "POST", "/runs", {"experiment": entry["name"], "inputs": inputs})
        assert (status, json.loads(raw)["code"]) == ((400, "json") if long else (422, "inputs"))


@settings(QUIETLY, max_examples=150)
@given(body=JSON | st.fixed_dictionaries({"experiment": st.just("roofline") | JSON}, optional={"inputs": JSON}))
def test_any_json_is_answered_with_a_sentence_or_a_stream(body, box):
    text = json.dumps(body).encode()
    if body == {"experiment": "roofline", "inputs": {}} or body == {"experiment": "roofline"}:
        return
    status, _, raw = ask(box, "POST", "/runs", text)
    assert status in (400, 404, 413, 422), (status, text)
    assert json.loads(raw)["why"]


@settings(QUIETLY, max_examples=150)
@given(body=st.binary(max_size=200))
def test_any_bytes_are_answered_with_a_sentence(body, box):
    status, _, raw = ask(box, "POST", "/runs", body)
    assert status in (400, 422)
    assert json.loads(raw)["why"]
