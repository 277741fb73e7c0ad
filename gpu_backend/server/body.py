"""The body of a request, read under a limit of bytes and of time, and as strict JSON."""

import asyncio

from starlette.requests import ClientDisconnect, Request

from gpu_backend.server import strict_json
from gpu_backend.server.refused import Refused

MOST_BYTES = 16 << 10
TOO_LARGE = Refused(413, "too_large", f"a request may have {MOST_BYTES:,} bytes")


async def read_object(request: Request, within_s: float) -> dict[str, object]:
    """Return the JSON object in the body; `Refused` for anything else, and for what takes longer than `within_s`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "type", "send JSON, with Content-Type: application/json")
    if (said := request.headers.get("content-length", "")).isdigit() and (len(said) > 9 or int(said) > MOST_BYTES):
        raise TOO_LARGE
    raw = bytearray()
    try:
        async with asyncio.timeout(within_s):
            async for part in request.stream():
                raw += part
                if len(raw) > MOST_BYTES:
                    raise TOO_LARGE
    except TimeoutError:
        raise Refused(408, "slow", f"the request was not there after {within_s:g} s") from None
    except ClientDisconnect:
        raise Refused(400, "gone", "the connection ended before the request did") from None
    try:
        value = strict_json.loads(bytes(raw))
    except strict_json.NotJson as broken:
        raise Refused(400, "json", f"the body must be JSON: {broken}") from broken
    if not isinstance(value, dict):
        raise Refused(400, "json", "the body must be a JSON object")
    return value
