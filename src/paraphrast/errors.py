"""Errors that a user can cause and can fix.

Every message says what was wrong, where, and what to do. The command line prints
it without a traceback and exits 2; the web app answers 400 with it. Any other
exception that leaves paraphrast is a bug in paraphrast.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches


class ParaphrastError(Exception):
    """A mistake in the input, the configuration or the installation.

    ``did_you_mean`` is the name that was probably meant, if there is one.
    """

    did_you_mean: str = ""


def unknown(kind: str, name: str, known: Iterable[str]) -> ParaphrastError:
    """Return the error for a name that is not among the known ones."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    error = ParaphrastError(
        f"unknown {kind} {name!r}.{hint} Known: {', '.join(names) or 'none'}."
    )
    error.did_you_mean = near[0] if near else ""
    return error


@contextmanager
def explain_lack_of_memory(advice: str) -> Iterator[None]:
    """Turn a lack of memory in training into an error with advice."""
    try:
        yield
    except MemoryError as error:
        raise ParaphrastError(
            f"there is not enough memory to train on this text. {advice}"
        ) from error
