"""Shouted words and stretched letters: "SOOOO" is "so", "NASA" is "NASA".

A word in capitals is lower-cased if it is a known word, or if the whole sentence is in
capitals; abbreviations stay. A letter repeated three times or more is reduced to one or
two, whichever gives a known word, and to one where neither does.
"""

import re
from itertools import product, takewhile

from paraphrast.rules.draft import Draft, capitalise
from paraphrast.rules.lexicon import Lexicon
from paraphrast.rules.tokens import OTHER, SPACE, WORD, Token, is_free

LOUD = re.compile(r"[A-Z]['’]?[A-Z]").search
STRETCHED = re.compile(r"([A-Za-z])\1\1", re.IGNORECASE).search
_RUN = re.compile(r"([a-z])\1{2,}")
_ROMAN = re.compile(r"[IVX]{2,}").fullmatch
_NUMERAL = re.compile(r"[ivxlcdm]+").fullmatch
_VOWEL = re.compile(r"[aeiouy]").search
_MOST_RUNS, _LONGEST = 4, 60
_SURELY_A_WORD = 7  # letters; abbreviations are shorter


def shorten(draft: Draft) -> None:
    """Shorten stretched letters."""
    for index, token in enumerate(draft.tokens):
        if token.kind != WORD or not STRETCHED(token.low):
            continue
        if not is_free(draft.tokens, index):
            continue
        word, doubtful = shorten_word(token.low, draft.lexicon)
        shouted = token.text.isupper()
        if word == token.low or (shouted and doubtful):
            continue
        draft.doubts += doubtful
        if shouted:
            text = word.upper()
        elif token.text[0].isupper():
            text = capitalise(word)
        else:
            text = word
        token.become(text, "repeated letters")
        token.low = word


def shorten_word(word: str, lexicon: Lexicon) -> tuple[str, bool]:
    """Return a lower-case word without stretched letters, and whether it is a guess."""
    runs = _RUN.findall(word)
    if not _may_be_stretched(word, len(runs)):
        return word, False
    parts = _RUN.split(word)  # text, letter, text, letter, …, text
    candidates = []
    for lengths in product((2, 1), repeat=len(runs)):
        pieces = list(parts)
        for run, length in enumerate(lengths):
            pieces[2 * run + 1] *= length
        candidates.append("".join(pieces))
    for vocabulary in (lexicon.plain, lexicon.words):
        for candidate in candidates:
            if candidate in vocabulary:
                return candidate, False
    return candidates[-1], True


def _may_be_stretched(word: str, runs: int) -> bool:
    """Return whether a word may be stretched, unlike "zzz", "brrr", "www" or "iii"."""
    if not 0 < runs <= _MOST_RUNS or not word.isascii() or not word.isalpha():
        return False
    short = _RUN.sub(r"\1", word)
    return 1 < len(short) <= _LONGEST and bool(_VOWEL(short)) and not _NUMERAL(word)


def quieten(draft: Draft) -> None:
    """Lower-case words in capitals, except abbreviations and blanks like "[NAME]"."""
    tokens = draft.tokens
    words = [token for token in tokens if token.kind == WORD]
    shouting = is_shouted(words)
    blank = False  # inside a blank to be filled in
    for index, token in enumerate(tokens):
        if token.kind == OTHER:
            blank = _opens_blank(draft, index) or (blank and "]" not in token.text)
        if blank or token.kind != WORD:
            continue
        if token.source.isupper() and token.source.isascii():
            loud = shouting or _is_among_shouts(draft, index)
            text = _lower_word(draft, index, shouting=shouting, loud=loud)
            if text != token.text and is_free(tokens, index):
                token.become(text, "shouting")


def _opens_blank(draft: Draft, index: int) -> bool:
    """Return whether a bracket contains only capitals, as in "Dear [FIRST NAME]"."""
    tokens = draft.tokens
    if not tokens[index].text.endswith("["):
        return False
    inside = takewhile(lambda token: token.kind in (WORD, SPACE), tokens[index + 1 :])
    held = list(inside)
    end = index + 1 + len(held)
    closed = end < len(tokens) and tokens[end].text.startswith("]")
    return closed and "".join(token.source for token in held).isupper()


def is_shouted(words: list[Token]) -> bool:
    """Return whether a sentence of two or more words is entirely in capitals."""
    if any(token.text != token.text.upper() for token in words):
        return False
    return sum(len(token.text) > 1 and token.text.isalpha() for token in words) > 1


def _is_among_shouts(draft: Draft, index: int) -> bool:
    """Return whether a plain word in capitals stands next to this one."""
    for near in (index - 2, index + 2):
        if 0 <= near < len(draft.tokens):
            token = draft.tokens[near]
            if token.source.isupper() and token.low in draft.lexicon.plain:
                return len(token.source) > 2
    return False


def _lower_word(draft: Draft, index: int, *, shouting: bool, loud: bool) -> str:
    """Return the word as written without shouting."""
    lexicon, token = draft.lexicon, draft.tokens[index]
    text, low = token.text, token.low
    if len(text) == 1:
        return "a" if text == "A" and loud and index else text
    if text in lexicon.acronyms:
        keep = "word" not in lexicon.acronyms[text] or not loud or text == "OK"
        return text if keep else low
    if _ROMAN(text) or not text.lower().islower():
        return text
    if (
        not shouting
        and low in lexicon.classes["state"]
        and _follows_place(draft, index)
    ):
        return text
    if "-" in text:
        return _lowered_parts(text, lexicon, shouting=shouting)
    if lexicon.knows(low):
        return low
    enough = 5 if shouting else _SURELY_A_WORD
    return low if low.isalpha() and _VOWEL(low) and len(low) >= enough else text


def _follows_place(draft: Draft, index: int) -> bool:
    """Return whether a comma or a bracket comes before, as in "Salem, OR"."""
    marks = [token.text for token in draft.tokens[max(0, index - 2) : index]]
    return marks == [",", " "] or marks[-1:] == ["("]


def _lowered_parts(text: str, lexicon: Lexicon, *, shouting: bool) -> str:
    parts = text.split("-")
    if shouting or all(len(p) == 1 or p.lower() in lexicon.plain for p in parts):
        return "-".join(part.lower() if len(part) > 1 else part for part in parts)
    return text
