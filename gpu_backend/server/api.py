"""The box's API: what it is, how it is, what it can run, and runs. `guard` has looked at host, origin and token."""

from typing import Any

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from gpu_backend.server import version
from gpu_backend.server.body import MOST_BYTES, read_object
from gpu_backend.server.box import Box, QueueFull
from gpu_backend.server.catalogue import Catalogue, Described, Wrong
from gpu_backend.server.guard import refuse
from gpu_backend.server.refused import Refused
from gpu_backend.server.stream import Stream
from gpu_backend.server.worker import Gone

VERSION = version.own()
RETRY_S = "5"
ASKED = {"experiment", "inputs"}


class Why(BaseModel):
    """A refusal."""

    why: str
    code: str


class Ping(BaseModel):
    """What anybody may know."""

    box: str
    version: str


class Health(BaseModel):
    """How the box is."""

    state: str
    machine: dict[str, str | None] | None
    running: str | None
    queued: int
    queue_limit: int
    why: str | None


class Experiments(BaseModel):
    """What can be run."""

    experiments: list[Described]


REQUEST = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["experiment"],
                "additionalProperties": False,
                "properties": {
                    "experiment": {"type": "string", "description": "a name that GET /experiments gives"},
                    "inputs": {
                        "type": "object",
                        "description": f"by that experiment's schema; the whole body has at most {MOST_BYTES} bytes",
                    },
                },
            }
        }
    },
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe refusals for OpenAPI."""
    return {status: {"model": Why} for status in statuses}


def application(box: Box) -> FastAPI:
    """Return the API of a box."""
    api = FastAPI(
        title="gpubook box", version=VERSION, docs_url=None, redoc_url=None, redirect_slashes=False,
        responses=refusals(400, 401, 403, 405, 421),
    )  # fmt: skip
    api.add_exception_handler(Refused, _refused)
    api.add_exception_handler(HTTPException, _unrouted)

    @api.get("/ping")
    async def ping() -> Ping:
        """Say that this is a box; open to every page."""
        return Ping(box="gpubook", version=VERSION)

    @api.get("/health")
    async def health() -> Health:
        """Say how the box is."""
        running = box.running.id if box.running else None
        return Health(
            state=box.state, machine=box.child.machine, running=running, queued=len(box.queue),
            queue_limit=box.settings.queue_limit, why=box.child.why,
        )  # fmt: skip

    @api.get("/experiments", responses=refusals(503))
    async def experiments() -> Experiments:
        """Say what can be run, with the schemas of inputs."""
        return Experiments(experiments=list((await _known(box)).entries.values()))

    @api.post(
        "/runs",
        responses={**refusals(404, 408, 413, 415, 422, 503), 200: {"content": {"text/event-stream": {}}}},
        response_class=Response,
        openapi_extra={"requestBody": REQUEST},
    )
    async def start(request: Request) -> Response:
        """Queue a run and stream it; when the stream is left, the run is cancelled."""
        asked = await read_object(request, box.settings.request_s)
        if box.closing:
            raise Refused(503, "shutting_down", "the box is being stopped")
        name, inputs = _asked(asked)
        catalogue = await _known(box)
        if name not in catalogue.entries:
            raise Refused(404, "no_experiment", f"there is no experiment {name[:60]!r}; GET /experiments names them")
        try:
            checked = catalogue.check(name, inputs)
        except Wrong as wrong:
            raise Refused(422, "inputs", str(wrong)) from wrong
        try:
            run = box.submit(name, checked)
        except QueueFull:
            limit = box.settings.queue_limit
            raise Refused(
                503, "queue_full", f"{limit} runs wait, which is the limit; try again", {"Retry-After": RETRY_S}
            ) from None
        return Stream(run, box.settings, box.leave)

    @api.delete("/runs/{run}", status_code=204, responses=refusals(404), response_class=Response)
    async def cancel(run: str) -> None:
        """Cancel a run that waits or runs."""
        if not box.cancel(run):
            raise Refused(404, "no_run", "there is no such run, or it is over")

    return api


def _asked(asked: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    name, inputs = asked.get("experiment"), asked.get("inputs", {})
    if not isinstance(name, str) or not isinstance(inputs, dict) or asked.keys() - ASKED:
        raise Refused(422, "inputs", 'a run is {"experiment": name, "inputs": {…}} and nothing else')
    return name, inputs


async def _known(box: Box) -> Catalogue:
    try:
        return await box.child.known()
    except Gone as gone:
        raise Refused(503, "child_gone", f"{gone}; the next request tries again", {"Retry-After": RETRY_S}) from gone


async def _refused(request: Request, refused: Exception) -> Response:
    assert isinstance(refused, Refused)
    return refuse(refused.status, refused.code, refused.why, refused.headers)


async def _unrouted(request: Request, unrouted: Exception) -> Response:
    assert isinstance(unrouted, HTTPException)
    headers = {name.lower(): value for name, value in (unrouted.headers or {}).items()}
    if unrouted.status_code == 405:
        right = headers.get("allow", "GET")
        return refuse(405, "method", f"{request.method[:20]} is not answered here; {right} is", headers)
    return refuse(unrouted.status_code, "path", f"{request.url.path[:80]} is no part of this box", headers)
