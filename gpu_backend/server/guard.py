"""Who may ask what: the Host header, the origin, the token, in this order, before anything else looks at a request.

The built site is for everybody who reaches the port under a listed name; `/ping` says to any page that here is a box;
all else takes an origin of the list (or none, as a command line has it) and the token.

Sources: RFC 9110 7.2 (Host), 15.5.20 (421); RFC 6750 (Bearer); Fetch standard (CORS); Private Network Access.
"""

import re
from secrets import compare_digest

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gpu_backend.server.settings import Settings

API = frozenset({"ping", "health", "experiments", "runs", "openapi.json"})
"""First parts of paths that are no files of the site."""
HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
METHODS = "GET, POST, DELETE"
HEADERS = "Authorization, Content-Type"
KEPT_S = "600"
PROTECTION = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Server-Timing": "gpubook-box",  # by which a page knows, without a question, that a box served it
    "Content-Security-Policy": "frame-ancestors 'self'",
}


class Guard:
    """Stands before the API and the site."""

    def __init__(self, api: ASGIApp, site: ASGIApp, settings: Settings) -> None:
        self._api = api
        self._site = site
        self._settings = settings
        self._token = settings.token.encode()
        self._pages = settings.pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or let pass."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        first = scope["path"].removeprefix("/").partition("/")[0]
        open_to_all = scope["path"] == "/ping"
        origin = headers.get("origin")
        allowed = origin if origin is not None and self._listed(origin, scope["scheme"], headers) else None

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                out.update(PROTECTION)
                if first in API:
                    out["Cache-Control"] = "no-store"
                    out.add_vary_header("Origin")
                    if open_to_all or allowed is not None:
                        out["Access-Control-Expose-Headers"] = "Retry-After"
                        out["Access-Control-Allow-Origin"] = "*" if open_to_all else str(allowed)
            await send(message)

        answer = self._refusal(scope, headers, first, allowed)
        await (answer or (self._api if first in API else self._site))(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: Headers, first: str, allowed: str | None) -> Response | None:
        """An answer that ends here: a refusal, or a preflight's."""
        if not scope["path"].startswith("/"):
            return refuse(400, "request", "a request names a path that begins with /, and its host in the Host header")
        hosts = headers.getlist("host")
        found = HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if found is None or found[1].lower() not in self._settings.names:
            asked = f" {hosts[0][:80]!r}" if hosts else ""
            return refuse(421, "host", f"this box does not go by the name{asked}: gpubook-box serve --allow-host NAME")
        if first not in API:
            return None
        open_to_all = scope["path"] == "/ping"
        origin = headers.get("origin")
        if origin is not None and allowed is None and not open_to_all:
            return refuse(
                403,
                "origin",
                f"pages of {origin[:120]!r} may not use this box: gpubook-box serve --allow-origin ORIGIN",
            )
        if scope["method"] == "OPTIONS":
            return _preflight(headers)
        if not open_to_all and not self._shown(headers):
            return refuse(
                401,
                "token",
                "the token is missing or wrong; gpubook-box serve prints the right one",
                {"WWW-Authenticate": 'Bearer realm="gpubook-box"'},
            )
        return None

    def _listed(self, origin: str, scheme: str, headers: Headers) -> bool:
        own = f"{scheme}://{headers.get('host', '')}".lower()
        return origin == own or origin in self._pages

    def _shown(self, headers: Headers) -> bool:
        given = headers.getlist("authorization")
        if len(given) != 1:
            return False
        kind, _, token = given[0].partition(" ")
        return kind.lower() == "bearer" and compare_digest(token.strip().encode("latin-1"), self._token)


def _preflight(headers: Headers) -> Response:
    granted = {
        "Access-Control-Allow-Methods": METHODS,
        "Access-Control-Allow-Headers": HEADERS,
        "Access-Control-Max-Age": KEPT_S,
    }
    if headers.get("access-control-request-private-network") == "true":
        granted["Access-Control-Allow-Private-Network"] = "true"
    return Response(status_code=204, headers=granted)


def refuse(status: int, code: str, why: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """The form of every refusal: a code for programs, a sentence for people."""
    return JSONResponse({"why": why, "code": code}, status, headers)
