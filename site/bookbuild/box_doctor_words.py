"""The connection doctor's sentences, by the codes of `site/static/js/box_doctor.js`, and why an address was refused."""

from widgets.words import Words


def doctor_words(words: Words) -> dict[str, dict[str, str]]:
    """Return for each finding what it says and what mends it; `short` where a panel has room for one sentence."""
    return _never_asked(words) | _no_box(words) | _refused(words) | _not_ready(words)


def _never_asked(words: Words) -> dict[str, dict[str, str]]:
    return {
        "mixed": {
            "says": words("A page that came by https may not ask {host} by http."),
            "fix": words(
                "Nothing was sent. Make a tunnel to it, and give http://127.0.0.1:8787 as the address; or start the "
                "box with a certificate (--certfile, --keyfile), and give its https address."
            ),
        },
        "safari": {
            "says": words("Safari lets no page that came by https ask {address}, not even on this machine."),
            "fix": words("Open the book from the box itself, at this address, or use another browser:"),
        },
    }


def _no_box(words: Words) -> dict[str, dict[str, str]]:
    return {
        "permission": {
            "says": words("This browser has been told that {origin} may not reach devices on your network."),
            "fix": words(
                "Click the sign at the left of the address bar, open the site’s settings, allow access to the local "
                "network (or to apps on this device), and try again."
            ),
        },
        "insecure": {
            "says": words("Nothing could be reached at {address}."),
            "fix": words(
                "Browsers let a page that came by plain http from another machine ask nothing of this one. Make a "
                "tunnel to the box and open the book at its end:"
            ),
        },
        "nothing": {
            "says": words("Nothing listens at {address}."),
            "fix": words("Start the box here; or, where it runs on another machine, make a tunnel to it:"),
        },
        "nothingThere": {
            "says": words("Nothing could be reached at {address}."),
            "fix": words(
                "A box listens to its own machine alone unless told otherwise. Make a tunnel to it, and give "
                "http://127.0.0.1:8787 as the address:"
            ),
        },
        "other": {
            "says": words("Something answers at {address}, but it is no GPU box."),
            "fix": words("The port is another program’s. The box prints its own address when it starts:"),
        },
        "silent": {
            "says": words("Something listens at {address} and does not answer."),
            "fix": words(
                "The box may be stopped or out of memory: look at its terminal, start it again, and try again."
            ),
        },
    }


def _refused(words: Words) -> dict[str, dict[str, str]]:
    return {
        "token": {
            "says": words("The box at {address} does not take this token."),
            "fix": words("It has another one after every start: copy it from the address that the box printed last."),
        },
        "noToken": {
            "says": words("The box at {address} wants its token."),
            "fix": words("It stands in the address that the box printed when it started, after “token=”."),
        },
        "origin": {
            "says": words("The box at {address} is there, and refuses pages from {origin}."),
            "fix": words("Start it so that it takes them:"),
        },
        "host": {
            "says": words("The box does not answer to the name {host}."),
            "fix": words("Start it so that it does, or reach it at 127.0.0.1 through a tunnel:"),
        },
        "odd": {
            "says": words("The box gave an answer that this page does not understand."),
            "fix": words("It may be of another version of the book: update the checkout and start it again."),
        },
    }


def _not_ready(words: Words) -> dict[str, dict[str, str]]:
    return {
        "failed": {
            "says": words("The box answers, but its process for GPU work does not start."),
            "fix": words("This says what is missing there:"),
            "short": words("The box answers, but its process for GPU work does not start."),
        },
        "starting": {
            "says": words("The box is starting its process for GPU work."),
            "fix": words("A run may be asked for already; it begins as soon as that is ready."),
            "short": words("The box is starting; a run may be asked for already."),
        },
        "restarting": {
            "says": words("The box starts a fresh process for GPU work after a failure."),
            "fix": words("A run may be asked for already; it begins as soon as that is ready."),
            "short": words("The box is starting a fresh process; a run may be asked for already."),
        },
        "busy": {
            "says": words("{queued} runs wait at the box, as many as it lets wait."),
            "fix": words("Try again when one of them is done; or start it with a longer queue (--queue)."),
            "short": words("The box is busy: as many runs wait as it lets wait."),
        },
    }


def problem_words(words: Words) -> dict[str, str]:
    """Return why an address was refused, by the names of `site/static/js/box_address.js`."""
    return {
        "empty": words("An address is wanted, such as http://127.0.0.1:8787."),
        "long": words("That is too long for an address; http://127.0.0.1:8787 is one."),
        "spaces": words("“{value}” has a space in it; an address has none, such as http://127.0.0.1:8787."),
        "scheme": words("“{value}:” is no way to reach a box; an address begins with http:// or https://."),
        "host": words("“{value}” names no machine; right would be http://127.0.0.1:8787 or http://[::1]:8787."),
        "user": words(
            "The address holds a name, “{value}”, before the @; a box asks for a token only, in its own field."
        ),
        "path": words("“{value}” is too much: an address ends after the port, such as http://127.0.0.1:8787."),
        "port": words("“{value}” is no port; ports are whole numbers from 1 to 65535."),
    }
