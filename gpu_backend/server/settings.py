"""What `gpubook-box serve` was asked for, checked: every refusal is a sentence that says what would be right."""

import re
import socket
import ssl
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PORT = 8787
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
SHORTEST_TOKEN = 16

NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\]")
ORIGIN = re.compile(r"https?://(?:[a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?")
TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+")


DEFAULT_PORTS = {"http": "80", "https": "443"}


def everywhere(host: str) -> bool:
    """Whether that means every address of the machine, however it is written: 0.0.0.0, 0, ::, ::ffff:0.0.0.0."""
    with suppress(OSError):
        return not any(socket.inet_aton(host))
    with suppress(OSError):
        packed = socket.inet_pton(socket.AF_INET6, host)
        return not any(packed[:10]) and packed[10:12] in (b"\0\0", b"\xff\xff") and not any(packed[12:])
    return host == ""


def as_sent(origin: str) -> str:
    """Return an origin as browsers write it: without the scheme's own port."""
    scheme, _, rest = origin.partition("://")
    return f"{scheme}://{rest.removesuffix(f':{DEFAULT_PORTS.get(scheme)}')}"


class Unsettled(ValueError):
    """What was asked for makes no sense."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a box serves. Times are in seconds."""

    token: str
    """What a page must show: `Authorization: Bearer …`."""
    host: str = "127.0.0.1"
    port: int = PORT
    """0: any that is free."""
    site: Path = Path("_site")
    """The built book."""
    hosts: tuple[str, ...] = ()
    """Names in the Host header that are answered beside the loopback's: a guard against DNS rebinding."""
    origins: tuple[str, ...] = ()
    """Pages from elsewhere that may use the box, as `scheme://host:port`."""
    certfile: Path | None = None
    keyfile: Path | None = None
    deadline_s: float = 120.0
    """The longest that a run may take once it has begun."""
    queue_limit: int = 64
    """Runs that may wait."""
    child: tuple[str, ...] = (sys.executable, "-m", "gpu_backend.child")
    """Command of the process that does the GPU work."""
    ready_s: float = 120.0
    """A child that has not said that it is ready by then has failed."""
    grace_s: float = 2.0
    """A cancelled run may end its row in this time; then its process is killed."""
    request_s: float = 10.0
    """A request whose head, or whose body, is not there by then is given up."""
    beat_s: float = 0.75
    """Silence on a stream is broken after this."""
    stall_s: float = 20.0
    """A reader that takes nothing for so long is dropped."""
    buffer_bytes: int = 1 << 20
    """What waits for one reader; more, and it is dropped."""

    def __post_init__(self) -> None:
        if not TOKEN.fullmatch(self.token) or len(self.token) < SHORTEST_TOKEN:
            raise Unsettled(
                f"a token has {SHORTEST_TOKEN} characters or more, of A–Z a–z 0–9 . _ ~ + / = -; "
                "leave --token out, and a good one is made"
            )
        for name in self.hosts:
            if not NAME.fullmatch(name):
                raise Unsettled(
                    f"--allow-host {name}: write a name or an address without port, such as box.example or [fd00::1]"
                )
        for origin in self.origins:
            if not ORIGIN.fullmatch(origin):
                raise Unsettled(f"--allow-origin {origin}: write scheme://host or scheme://host:port, with no path")
            port = origin.rpartition(":")[2]
            if port.isdigit() and int(port) > 65535:
                raise Unsettled(f"--allow-origin {origin}: a port is at most 65535")
        if everywhere(self.host) and not self.hosts:
            raise Unsettled(
                f"--host {self.host} listens at every address, so say by which name pages reach it: --allow-host NAME"
            )
        if (self.certfile is None) != (self.keyfile is None):
            raise Unsettled("TLS takes both --certfile and --keyfile")
        for file in (self.certfile, self.keyfile):
            if file is not None and not file.is_file():
                raise Unsettled(f"there is no file {file}")
        if self.certfile and self.keyfile:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certfile, self.keyfile)
            except OSError as broken:  # ssl.SSLError is one
                why = getattr(broken, "reason", None) or broken.strerror or broken
                raise Unsettled(
                    f"--certfile {self.certfile} and --keyfile {self.keyfile}: {why}; right are a "
                    "certificate and its own private key, both PEM"
                ) from broken
        if not 0 <= self.port <= 65535:
            raise Unsettled(f"--port {self.port}: a port is from 0 (any) to 65535")
        if not 1 <= self.deadline_s <= 3600:
            raise Unsettled(f"--deadline {self.deadline_s:g}: from 1 to 3600 seconds")
        if not 1 <= self.queue_limit <= 1000:
            raise Unsettled(f"--queue {self.queue_limit}: from 1 to 1000 runs")

    @property
    def scheme(self) -> str:
        """`http`, or `https` with a certificate."""
        return "https" if self.certfile else "http"

    @property
    def names(self) -> frozenset[str]:
        """Names that the Host header may give, without ports (a tunnel has its own)."""
        own = () if everywhere(self.host) else (f"[{self.host}]" if ":" in self.host else self.host.lower(),)
        return frozenset((*LOOPBACK, *own, *self.hosts))

    @property
    def pages(self) -> frozenset[str]:
        """The origins of `origins`, as browsers send them."""
        return frozenset(map(as_sent, self.origins))

    @property
    def local(self) -> bool:
        """Whether it listens on the loopback only."""
        return self.host.lower() in ("localhost", "::1") or self.host.startswith("127.")

    def address(self, port: int) -> str:
        """Where the page is, with the token in the fragment, which no server is sent."""
        name = self.hosts[0] if everywhere(self.host) else self.host
        shown = f"[{name}]" if ":" in name and not name.startswith("[") else name
        return f"{self.scheme}://{shown}:{port}/#box?token={self.token}"
