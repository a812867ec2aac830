"""Repairs of quotation marks: as many, and of the kind, that the source has."""

from itertools import cycle
from operator import add

import regex

from paraphrast.language.quotations import ELIDED, find_single_quotes
from paraphrast.text.normalisation import STRAIGHT_QUOTES

_QUOTED = regex.compile(r"[\"“”«»]|^['‘’]|['’]$")
_OPENING = regex.compile(r"(?<!\w)'(?=\w)")
_CLOSING = regex.compile(r"(?<=[\w.,?!])'(?!\w)")


def remove_wrapping_quotes(source: str, text: str) -> str:
    """Take away marks round a text, or at one of its ends, where nobody quoted."""
    if _QUOTED.search(source):
        return text
    inner = text.strip('"').strip()
    if inner and '"' not in inner:
        text = inner
    if not text.startswith("'") or ELIDED.match(text):
        return text
    closing = [match.start() for match in _CLOSING.finditer(text)]
    opened = any(not ELIDED.match(text, m.start()) for m in _OPENING.finditer(text, 1))
    if opened or closing not in ([], [len(text) - 1]):
        return text
    return text[1 : closing[0] if closing else None].strip()


def remove_unpaired_quotes(source: str, text: str) -> str:
    """Take away marks that only open or only close, where the source's do both."""
    opened, closed = find_single_quotes(text)
    if bool(opened) != bool(closed) and not any(find_single_quotes(source)):
        for at in reversed(opened + closed):
            if at in closed or at == 0 or text[at + 1].isupper():
                text = text[:at] + text[at + 1 :]
    if text.count('"') % 2 and not source.count('"') % 2:
        if text.endswith('"'):
            text = text[:-1]
        elif text.startswith('"') or text.count('"') == 1:
            text = text.replace('"', "", 1)
    return text.strip()


def match_open_quotes(source: str, text: str) -> str:
    """Leave a quotation open at the end where its source's goes on."""
    own = source.translate(STRAIGHT_QUOTES)
    if own.count('"') != 1 or text.count('"') != 2:
        return text
    if own.startswith('"') and text.startswith('"') and text.endswith('"'):
        return text[:-1]
    if own.endswith('"') and text.startswith('"') and text.endswith('"'):
        return text[1:]
    return text


def curl_quotes(source: str, text: str) -> str:
    """Write curly marks where the source has them and no straight ones."""
    if "’" in source and "'" not in source:
        text = text.replace("'", "’")
    first = next((mark for mark in source if mark in "“”"), "")
    if first and '"' not in source:
        before, *others = text.split('"')
        marks = cycle("“”" if first == "“" else "”“")
        text = before + "".join(map(add, marks, others))
    return text
