"""A request that is refused: status, a code for programs, a sentence for people."""


class Refused(Exception):
    """Raised where a request turns out to be none."""

    def __init__(self, status: int, code: str, why: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.code = code
        self.why = why
        self.headers = headers
