"""Normalise text: characters, spaces, quotes.

`normalise` repairs broken characters and removes invisible ones; it is for text from
files of unknown origin, and changes little that a reader would notice.
`straighten` writes typographic quotes, dashes and ellipses in ASCII, as the corpora of
2012 do; apply it before tokenising, because Moses splits words at a curly apostrophe.
`join_apostrophes` mends tokenised text where that has happened.

`keep_letters` keeps what copies of a text share regardless of punctuation and case.

None of them ever splits or joins lines.
"""

import re

import ftfy
import regex

_REPAIR = ftfy.TextFixerConfig(
    unescape_html=False,
    uncurl_quotes=False,
    fix_line_breaks=False,
    remove_control_chars=False,
    explain=False,
)
# Invisible, zero-width characters. Joiners stay: emoji and other scripts need them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u2064\ufeff]"
)
_LAYERS = 5  # one repair may reveal the need for another
_SURROGATES = re.compile("[\ud800-\udfff]")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_SPACES = re.compile(r"[^\S\n]+")
_LINE_EDGES = re.compile(r"(?m:^ | $)")
_CUT = regex.compile(
    r"(?<=\p{L})( ?)['’] (?=(?:s|t|d|m|re|ve|ll|er|en)(?!\w))", regex.IGNORECASE
)

STRAIGHT_QUOTES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′´ʼ", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
    }
)
_STRAIGHT = STRAIGHT_QUOTES | str.maketrans(
    {
        **dict.fromkeys("‐‑‒–−", "-"),
        "…": "...",
    }
)


def normalise(text: str) -> str:
    """Return clean text: mojibake repaired, NFC, single spaces, nothing invisible.

    All white space except ``"\\n"`` becomes a space, and lines are stripped at
    both ends. A byte that was not UTF-8 (a lone surrogate) becomes U+FFFD.
    """
    if text.isascii():
        return _tidy_spaces(text)
    text = _SURROGATES.sub("\ufffd", text)
    for _ in range(_LAYERS):
        repaired = _tidy_spaces(ftfy.fix_text(text, _REPAIR))
        if repaired == text:
            break
        text = repaired
    return text


def _tidy_spaces(text: str) -> str:
    return _LINE_EDGES.sub("", _SPACES.sub(" ", _UNSEEN.sub("", text)))


def straighten(text: str, *, em_dash: str = "--") -> str:
    """Return the text with quotes, apostrophes, dashes and ellipses in ASCII."""
    if text.isascii():
        return text
    return text.translate(_STRAIGHT).replace("—", em_dash).replace("―", em_dash)


def straighten_in_place(text: str) -> str:
    """Return the text with straight quotes and every character at its old position."""
    if text.isascii():
        return text
    # What takes several letters ("…") is a token by itself, replaced later.
    return "".join(
        straight if len(straight := straighten(letter)) == 1 else letter
        for letter in text
    )


def keep_letters(text: str) -> str:
    """Return the letters and digits of a text, in one case and without spaces."""
    return _NOT_A_LETTER.sub("", text.casefold())


def join_apostrophes(text: str) -> str:
    """Rejoin apostrophes that a tokeniser split off: ``he ’ s`` becomes ``he 's``."""
    return str(_CUT.sub(r"\1'", text))
