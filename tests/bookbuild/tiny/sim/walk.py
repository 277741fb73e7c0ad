"""A listing's source."""


def steps(n: int) -> list[int]:
    """Not printed."""
    # every one
    return list(range(n))
