"""Rates of the traits that informal writing shows only sometimes.

The informal direction always changes capitals, contractions and slang, and applies the
other traits as often as a corpus shows them (Rao and Tetreault 2018, section 8.2.1).
The measured rates are in ``data/rates.toml``, which names the corpus.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from paraphrast import config
from paraphrast.rules import lexicon
from paraphrast.rules.letters import STRETCHED, is_shouted, shorten_word
from paraphrast.rules.lexicon import Lexicon
from paraphrast.rules.tokens import FIXED, MARK, SPACE, WORD, Token, scan
from paraphrast.storage import atomic
from paraphrast.text.protection import protected_spans


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares between 0 and 1.

    ``uppercase_sentences``   of sentences of two words or more: all in capitals
    ``uppercase_words``       of known words of three letters or more elsewhere: shouted
    ``repeated_letters``      of words that can be stretched ("so", "please"): stretched
    ``repeated_punctuation``  of sentences that end in "!" or "?": with more than one
    ``missing_stop``          of statements that end in a word or a stop: without one
    ``missing_apostrophes``   of contractions that can do without: without
    ``lowercase_names``       of names that are always names: in lower case
    ``fillers``               of sentences: with a hesitation or an opening "well"
    """

    uppercase_sentences: float = 0.0
    uppercase_words: float = 0.0
    repeated_letters: float = 0.0
    repeated_punctuation: float = 0.0
    missing_stop: float = 0.0
    missing_apostrophes: float = 0.0
    lowercase_names: float = 0.0
    fillers: float = 0.0

    def __post_init__(self) -> None:
        """Reject values that are not between 0 and 1."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise ValueError(f"{field.name} must be from 0 to 1, not {value}.")

    @classmethod
    def measure(cls, texts: Iterable[str]) -> "Rates":
        """Measure the rates in a corpus of informal sentences, one per text."""
        seen: Counter[str] = Counter()
        shown: Counter[str] = Counter()
        entries = lexicon.load()
        for text in texts:
            tokens = scan(text, protected_spans(text))
            for name, is_shown in _traits(tokens, entries):
                seen[name] += 1
                shown[name] += is_shown
        return cls(**{name: round(shown[name] / n, 6) for name, n in seen.items()})

    @classmethod
    def load(cls, path: Path) -> "Rates":
        """Read rates from a TOML file."""
        return config.load(path, cls)

    def save(self, path: Path) -> None:
        """Write the rates as a TOML file."""
        with atomic.writer(path) as file:
            for field in fields(self):
                file.write(f"{field.name} = {float(getattr(self, field.name))}\n")


@lru_cache(maxsize=1)
def load_measured() -> Rates:
    """Return the rates of the corpus that ``data/rates.toml`` names."""
    text = files("paraphrast.rules").joinpath("data", "rates.toml").read_text("utf-8")
    return config.build(tomllib.loads(text), Rates, where="rates.toml")


@lru_cache(maxsize=1)
def default() -> Rates:
    """Return the default rates of a rewrite.

    A corpus shouts, drops stops and stretches letters here and there for a reason;
    chance has none. What is left are fillers and repeated marks.
    """
    rates = load_measured()
    return Rates(repeated_punctuation=rates.repeated_punctuation, fillers=rates.fillers)


def _traits(tokens: list[Token], lexicon: Lexicon) -> Iterable[tuple[str, bool]]:
    """Yield each place where a trait could show, and whether it does."""
    words = [t for t in tokens if t.kind == WORD and t.text.isascii()]
    if not words:
        return
    shouted = is_shouted(words)
    if len(words) > 1:
        yield "uppercase_sentences", shouted
    yield "fillers", _has_filler(words, lexicon)
    yield from _ending(tokens)
    for token in words:
        yield from _of_word(token, lexicon, shouted=shouted)


def _of_word(
    token: Token, lexicon: Lexicon, *, shouted: bool
) -> Iterable[tuple[str, bool]]:
    low, text = token.low, token.text
    plain = len(low) > 2 and low in lexicon.plain and text not in lexicon.acronyms
    if plain and not shouted:
        yield "uppercase_words", text.isupper()
    stretched = bool(STRETCHED(low))
    word = shorten_word(low, lexicon)[0] if stretched else low
    if word in lexicon.classes["stretch"]:
        yield "repeated_letters", stretched
    if low in lexicon.bare:
        yield "missing_apostrophes", False
    elif low in lexicon.bared:
        yield "missing_apostrophes", True
    if lexicon.is_name(low) and not shouted:
        yield "lowercase_names", text.islower()


def _ending(tokens: list[Token]) -> Iterable[tuple[str, bool]]:
    shown = [token for token in tokens if token.kind != SPACE]
    last = shown[-1]
    if last.kind == MARK and ("!" in last.text or "?" in last.text):
        yield "repeated_punctuation", len(last.text) > 1
    elif last.text == ".":
        yield "missing_stop", False
    elif last.kind == WORD and len(shown) > 2 and FIXED not in {t.kind for t in shown}:
        yield "missing_stop", True


def _has_filler(words: list[Token], lexicon: Lexicon) -> bool:
    for index, token in enumerate(words):
        record = lexicon.words.get(token.low)
        where = record.fillers.get(()) if record else None
        if where == "anywhere" or (where == "start" and index == 0):
            return True
    return False
