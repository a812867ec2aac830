"""One way to write the same text: characters, spaces, quotes.

`normalise` repairs what is broken and removes what cannot be seen; it is for text
that comes from files of unknown history, and changes little that a reader would
notice. `straighten` writes typographic quotes, dashes and ellipses in ASCII, as the
corpora of 2012 do; do so before tokenising, because Moses cuts a curly apostrophe in
two. `join_apostrophes` mends tokenised text where that has happened.

`keep_letters` leaves what two copies of a text share whatever their marks and case.

None of them ever makes a new line or joins two.
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
# Characters without shape or width. Joiners stay: emoji and other scripts need them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u2064\ufeff]"
)
_LAYERS = 5  # one repair may bare another
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

    Every kind of white space but ``"\\n"`` becomes a space; lines lose theirs at
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
    # What takes more than one letter ("…") is a token by itself, to be written later.
    return "".join(
        straight if len(straight := straighten(letter)) == 1 else letter
        for letter in text
    )


def keep_letters(text: str) -> str:
    """Return the letters and digits of a text, in one case and without spaces."""
    return _NOT_A_LETTER.sub("", text.casefold())


def join_apostrophes(text: str) -> str:
    """Mend apostrophes that a tokeniser has cut off: ``he ’ s`` becomes ``he 's``."""
    return str(_CUT.sub(r"\1'", text))
