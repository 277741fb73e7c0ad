"""Start the server, and end it: one process, one event loop, one child."""

import asyncio
import errno
import socket
import sys
from contextlib import suppress

import uvicorn

from gpu_backend.server.api import application
from gpu_backend.server.box import Box
from gpu_backend.server.connection import within
from gpu_backend.server.guard import Guard
from gpu_backend.server.settings import Settings
from gpu_backend.server.site import Site

DEAD_PEER_MS = 30_000
"""A peer that acknowledges nothing for so long is gone (TCP_USER_TIMEOUT, Linux)."""
MOST_CONNECTIONS = 512
BACKLOG = 512
LEAVE_S = 5


class PortTaken(Exception):
    """The port is not free."""


class Server(uvicorn.Server):
    """uvicorn's server, which ends the box's runs and child before it waits for connections to end."""

    def __init__(self, config: uvicorn.Config, box: Box, address: str) -> None:
        super().__init__(config)
        self._box = box
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Print the address once Ctrl+C is taken for a farewell."""
        await super().startup(sockets)
        print(f"The GPU box is at {self._address} (Ctrl+C ends it)", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell all streams, end the child, then close."""
        await self._box.stop()
        await super().shutdown(sockets)


def listen(settings: Settings) -> socket.socket:
    """Return a socket at the address that was asked for; `PortTaken` if it is not free."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_PEER_MS)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(BACKLOG)  # before the address is printed: who reads it may come at once
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(f"port {settings.port} is taken; free it, or take any with --port 0") from error
        raise PortTaken(f"cannot listen at {settings.host}, port {settings.port}: {error.strerror}") from error
    return listening


async def _serve(settings: Settings, listening: socket.socket) -> None:
    box = Box(settings)
    config = uvicorn.Config(
        Guard(application(box), Site(settings.site), settings),
        http=within(settings.request_s),
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=LEAVE_S,
        ssl_certfile=settings.certfile,
        ssl_keyfile=settings.keyfile,
    )
    server = Server(config, box, settings.address(listening.getsockname()[1]))
    work = box.start()
    work.add_done_callback(lambda _: setattr(server, "should_exit", True))  # it never ends by itself
    try:
        await server.serve([listening])
    finally:
        if not box.closing:  # interrupted before it served
            await box.stop()
    if not work.cancelled():
        work.result()


def run(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM."""
    listening = listen(settings)
    if not (settings.site / "index.html").is_file():
        print(
            f"gpubook-box: there is no built book in {settings.site}; `make site` builds one in _site, "
            "--site names another folder",
            file=sys.stderr,
        )
    with suppress(KeyboardInterrupt):  # uvicorn raises the signal once more when all is closed
        asyncio.run(_serve(settings, listening))
