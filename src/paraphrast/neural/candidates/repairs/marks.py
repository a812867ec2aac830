"""Repairs of marks: a text ends as its source does."""

import regex

TITLE_WORDS = 8

_END = regex.compile(r"(?P<marks>[?!.…,;:]+)(?P<closing>[\"”'’)\]]*)$")


def match_final_mark(source: str, text: str) -> str:
    """End a question or a cry as its source ends, not with a comma or with dots.

    Where the source has a stop a style may have another mark: verses end in commas.
    """
    own, new = _END.search(source), _END.search(text)
    if own is None or new is None:
        return text
    stop = next((mark for mark in "?!" if mark in own["marks"]), "")
    is_open = new["marks"][-1:] in (",", ";", ":")
    is_left_open = stop == "?" and new["marks"] in ("...", "…", "..")
    if not stop or not (is_open or is_left_open):
        return text
    return text[: new.start()] + stop + str(new["closing"])


def remove_stop_of_title(source: str, text: str) -> str:
    """Leave out the stop after a heading: short, a capital first, no mark last."""
    new = _END.search(text)
    is_title = (
        len(source.split()) <= TITLE_WORDS
        and source[:1].isupper()
        and source[-1:].isalnum()
    )
    stops = new is not None and new["marks"] in (".", ",", ";")
    return text[: new.start()] if new is not None and is_title and stops else text
