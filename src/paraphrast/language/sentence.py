"""The words of a text, as used by the meaning checks.

Words are independent of spacing: ``do n't``, ``don't`` and ``do not`` become the same
two words, ``'tis`` becomes ``it is``, ``wouldst`` stays one word whose root is
``will``. Capitalisation is stored with each word, as names need it.
"""

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import regex

from paraphrast.language.stemming import root
from paraphrast.language.words import FUNCTION, PRONOUNS
from paraphrast.text.model_words import STRAIGHT
from paraphrast.text.sentences import split_sentences
from paraphrast.text.word_lists import read_rows

# "b4", "gr8" and "2nite" are words and no numbers; "3rd", "50k" and "12oz" are numbers.
_WORD = regex.compile(
    r"[\p{L}\p{M}]+\p{N}[\p{L}\p{N}]*|(?<![\p{N}.,])[248](?!th)\p{L}{3,}"
    r"|\p{N}+(?:[.,:/]\p{N}+)*|[\p{L}\p{M}]+(?:['.][\p{L}\p{M}]+)*|\S"
)
_APART = regex.compile(
    r"(?<=\p{L})\s+(?=(?:n't|'(?:s|m|d|t|re|ve|ll|st))(?!\p{L}))", regex.IGNORECASE
)
# Not any n't: "on't" and "in't" are "on it" and "in it".
_NOT = regex.compile(
    r"(?<!\p{L})(do|does|did|is|are|was|were|have|has|had|ca|wo|sha|would|could|should"
    r"|might|must|need|ai|dare|ought|may)n't(?!\p{L})",
    regex.IGNORECASE,
)
_ENDING = regex.compile(r"(?<=\p{L})'(s|m|d|re|ve|ll|t|st)(?!\p{L})", regex.IGNORECASE)
_THOUSANDS = regex.compile(r"(?<=\p{N}),(?=\p{N}{3}(?!\p{N}))")
_SHORTENED = {
    "ca": "can", "wo": "will", "sha": "shall", "cannot": "can not", "ai": "is",
    "'tis": "it is", "tis": "it is", "'twas": "it was", "twas": "it was",
    "'twere": "it were", "gonna": "going to", "wanna": "want to", "gotta": "got to",
    "ne'er": "never", "nev'r": "never", "e'er": "ever", "o'er": "over", "i'": "in",
    "dont": "do not", "doesnt": "does not", "didnt": "did not", "isnt": "is not",
    "dun": "do not", "aint": "is not", "couldnt": "could not", "hasnt": "has not",
    "wouldnt": "would not", "shouldnt": "should not", "havent": "have not",
    "wasnt": "was not", "cant": "can not", "wont": "will not", "arent": "are not",
}  # fmt: skip
_ENDINGS = {
    "m": "am", "re": "are", "ve": "have", "ll": "will", "d": "'d", "s": "'s",
    "t": "it", "st": "'st",
}  # fmt: skip
# A rewrite of two sentences may join them into one that shares no word with the other.
_FEWEST_SENTENCES = 3
_FEWEST_WORDS = 2  # of meaning, in a sentence that can be missed


@dataclass(frozen=True, slots=True)
class Word:
    """A word in lower case, and whether its capital may mark a name.

    ``inside`` means that it does not begin a sentence.
    """

    text: str
    capital: bool
    inside: bool

    @property
    def root(self) -> str:
        """Return the root of the word's forms; pronouns share one by person."""
        return PRONOUNS.get(self.text) or root(self.text)

    @property
    def content(self) -> bool:
        """Say whether it is a content word."""
        return self.text[0].isalnum() and self.text not in FUNCTION


@dataclass(frozen=True)
class Sentence:
    """A text, cut into words."""

    text: str
    words: tuple[Word, ...]

    @cached_property
    def roots(self) -> frozenset[str]:
        """Return the roots of all words."""
        return frozenset(word.root for word in self.words)

    @cached_property
    def content(self) -> frozenset[str]:
        """Return the roots of the content words."""
        return frozenset(word.root for word in self.words if word.content)

    def overlap(self, other: "Sentence") -> float:
        """Return the share of the smaller text's content that the other has, 0 to 1."""
        fewer = min(len(self.content), len(other.content))
        return len(self.content & other.content) / fewer if fewer else 0.0


def find_opposites(word: str) -> frozenset[str]:
    """Return the roots of the antonyms of a root; none for most."""
    return _opposites().get(word, frozenset())


@cache
def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for row in read_rows("paraphrast.language", "opposites.txt"):
        sides = [frozenset(map(root, side.split())) for side in row]
        for here, there in (sides, sides[::-1]):
            for word in here:
                table[word] = table.get(word, frozenset()) | there
    return table


@lru_cache(maxsize=2**12)
def read(text: str) -> Sentence:
    """Cut a text into words."""
    plain = _THOUSANDS.sub("", _APART.sub("", text.translate(STRAIGHT)))
    plain = _ENDING.sub(_spell_out, _NOT.sub(r"\1 not", plain))
    shouting = plain.isupper()
    words: list[Word] = []
    begins = True
    for token in _WORD.findall(plain):
        lower = token.lower()
        capital = token[0].isupper() and not shouting
        for part in _SHORTENED.get(lower, lower).split():
            words.append(Word(part, capital, not begins))
        if token[0].isalnum():
            begins = False
        elif token in '.!?:;"([-':
            begins = True
    return Sentence(text, tuple(words))


def find_lost_sentence(source: str, text: str) -> str:
    """Return the first sentence of a source that shares no content word with a text.

    Sources with fewer than three sentences are ignored, and so are sentences with fewer
    than two content words ("Return!"), which may well be said in other words.
    """
    sentences = _list_sentences(source)
    if len(sentences) < _FEWEST_SENTENCES:
        return ""
    said = read(text).content
    for sentence in sentences:
        content = read(sentence).content
        if len(content) >= _FEWEST_WORDS and said.isdisjoint(content):
            return sentence
    return ""


@lru_cache(maxsize=256)  # a source is compared with many candidates
def _list_sentences(text: str) -> tuple[str, ...]:
    return tuple(text[span.start : span.end] for span in split_sentences(text))


def _spell_out(match: "regex.Match[str]") -> str:
    return f" {_ENDINGS[match.group(1).lower()]}"
