"""The one exception of this package."""


class RuntimeSupplyError(Exception):
    """A file of the browser's runtime cannot be had, is not the locked one, or could not be made.

    The message is for the reader of a terminal: it names the file, what was expected, what was found
    (or what each source said), and what to do.
    """
