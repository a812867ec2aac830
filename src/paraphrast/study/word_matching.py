"""Match the words of a sentence and its rewrite, with the kind of each match.

The longest monotone matching is found by dynamic programming: a word with itself, with
its full form or its correct spelling by the lists of the formality rules, a phrase with
a phrase of those lists. The remaining words are matched once more regardless of order.
The rest are gaps, for the word aligner.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from paraphrast.align.monolingual.weights import vectors
from paraphrast.language.words import AUXILIARIES
from paraphrast.rules import lexicon
from paraphrast.rules.letters import STRETCHED, shorten_word
from paraphrast.rules.tokens import FIXED, MARK, OTHER, SPACE, WORD, scan
from paraphrast.text.protection import protected_spans
from paraphrast.text.sentences import split_sentences
from paraphrast.text.word_lists import read_rows

SAME, CONTRACTION, SLANG, SPELLING = "same", "contractions", "normalization", "spelling"
_KINDS = {
    "contraction": CONTRACTION,
    "slang": SLANG,
    "dropped g": SLANG,
    "spelling": SPELLING,
}
_COSTS = {SAME: 0.0, CONTRACTION: 0.1, SLANG: 0.15, SPELLING: 0.3}
_GAP = 0.7  # cost of a word without a match
_LONGEST = 7  # words of a phrase
_ENDINGS = {
    "n't": ("not",),
    "'s": ("is", "has", "was"),
    "'re": ("are",),
    "'ve": ("have",),
    "'ll": ("will", "shall"),
    "'d": ("would", "had", "did"),
    "'m": ("am",),
}
KINDS = dict(read_rows("paraphrast.study", "edit_words.txt"))
_CONFUSED = {frozenset(pair.split()) for pair in KINDS["confused"].split(";")}
_NUMBERS = {str(n): word for n, word in enumerate(KINDS["numbers"].split())}
_SIGNS = {"&": "and", "+": "and", "@": "at"}
_SHORT = 4  # letters; shorter words may have one wrong letter, others two
_REPEATED = re.compile(r"([!?,])[!?,]*\1|[!?]{2,}|\.{4,}|…{2,}").search


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a mark or an emoticon, and its position in its text."""

    text: str
    start: int
    end: int
    opens: bool = False  # it is the first word of a sentence

    @property
    def low(self) -> str:
        """Return the text in lower case with straight apostrophes."""
        return self.text.lower().replace("’", "'")


@dataclass(frozen=True, slots=True)
class Text:
    """A text as words, marks and emoticons."""

    words: tuple[Token, ...]
    marks: tuple[Token, ...]
    faces: tuple[Token, ...]
    sentences: int


@dataclass(frozen=True, slots=True)
class Match:
    """Words ``source[first:last]`` that became ``target[start:end]``, and how."""

    how: str
    first: int
    last: int
    start: int
    end: int


def read_text(text: str) -> Text:
    """Split a text into words, marks and emoticons."""
    spans = [span for span in protected_spans(text) if span.kind == "emoji"]
    sentences = split_sentences(text)
    begins = iter([*(sentence.start for sentence in sentences), len(text)])
    begin = next(begins)
    words: list[Token] = []
    marks: list[Token] = []
    faces: list[Token] = []
    end = 0
    for token in scan(text, spans):
        start, end = end, end + len(token.source)
        if token.kind == SPACE:
            continue
        if token.kind == WORD or token.source in _SIGNS:
            opens = start >= begin
            if opens:
                begin = next(begins, len(text))
            words.append(Token(token.source, start, end, opens))
        elif token.kind == FIXED:
            faces.append(Token(token.source, start, end))
        elif token.kind in (MARK, OTHER):
            marks.append(Token(token.source, start, end))
    return Text(tuple(words), tuple(marks), tuple(faces), len(sentences))


def match_words(source: Sequence[Token], target: Sequence[Token]) -> list[Match]:
    """Return the matches of two texts in the order of the source."""
    matches = _match_in_order(source, target)
    left = set(range(len(source))) - {
        i for m in matches for i in range(m.first, m.last)
    }
    free = set(range(len(target))) - {j for m in matches for j in range(m.start, m.end)}
    for first, start in product(sorted(left), sorted(free)):
        for match in find_matches(source, target, first, start):
            ours = set(range(match.first, match.last))
            theirs = set(range(match.start, match.end))
            if ours <= left and theirs <= free and match.how != SPELLING:
                matches.append(match)
                left -= ours
                free -= theirs
                break
    return sorted(matches, key=lambda match: match.first)


def _match_in_order(source: Sequence[Token], target: Sequence[Token]) -> list[Match]:
    rows, columns = len(source), len(target)
    best = [[_GAP * (i + j) for j in range(columns + 1)] for i in range(rows + 1)]
    way: dict[tuple[int, int], Match] = {}
    arriving: dict[tuple[int, int], list[Match]] = {}
    for i in range(rows + 1):
        for j in range(columns + 1):
            cost = best[i][j]
            if i and best[i - 1][j] + _GAP < cost:
                cost = best[i - 1][j] + _GAP
            if j and best[i][j - 1] + _GAP < cost:
                cost = best[i][j - 1] + _GAP
            for match in arriving.pop((i, j), ()):
                through = best[match.first][match.start] + _COSTS[match.how]
                if through < cost:
                    cost, way[i, j] = through, match
            best[i][j] = cost
            if i < rows and j < columns:
                for match in find_matches(source, target, i, j):
                    arriving.setdefault((match.last, match.end), []).append(match)
    return _trace(best, way)


def _trace(best: list[list[float]], way: dict[tuple[int, int], Match]) -> list[Match]:
    matches = []
    i, j = len(best) - 1, len(best[0]) - 1
    while i and j:
        if match := way.get((i, j)):
            matches.append(match)
            i, j = match.first, match.start
        elif best[i - 1][j] < best[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return matches[::-1]


def find_matches(
    source: Sequence[Token], target: Sequence[Token], first: int, start: int
) -> Iterator[Match]:
    """Yield the matches that begin at a word of either side."""
    ours, theirs = source[first].low, target[start].low
    if ours == theirs:
        yield Match(SAME, first, first + 1, start, start + 1)
        return
    lows = [token.low for token in target[start : start + _LONGEST]]
    for rest, how, form in _full_forms(ours):
        last = first + 1 + len(rest)
        if form == tuple(lows[: len(form)]) and rest == tuple(
            token.low for token in source[first + 1 : last]
        ):
            yield Match(how, first, last, start, start + len(form))
    if how := _compare_words(ours, theirs):
        yield Match(how, first, first + 1, start, start + 1)
    elif ours == "".join(lows[:2]):
        yield Match(SPELLING, first, first + 1, start, start + 2)
    elif first + 1 < len(source) and ours + source[first + 1].low == theirs:
        yield Match(SPELLING, first, first + 2, start, start + 1)
    if _is_denial(ours, theirs, lows):
        yield Match(CONTRACTION, first, first + 1, start, start + 1)


def _is_denial(ours: str, theirs: str, lows: Sequence[str]) -> bool:
    """Say whether "don't" became "do you not", or "does not"."""
    if not ours.endswith(("n't", "nt")):
        return False
    inverted = theirs == ours.removesuffix("n't") and "not" in lows[1:4]
    return inverted or (
        theirs in AUXILIARIES and lows[1:2] == ["not"] and ours in _denials()
    )


@lru_cache(maxsize=1)
def _denials() -> frozenset[str]:
    """Return the contractions with "not", with and without their apostrophe."""
    return frozenset(
        entry.informal
        for entry in lexicon.load().entries
        if entry.kind == "contraction" and entry.formal[0].endswith("not")
    )


@lru_cache(maxsize=2**14)
def _full_forms(
    word: str,
) -> tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...]:
    """Return the full forms of a word, or of phrases that it begins.

    Each is the rest of the phrase, the kind of the entry and the words of the form.
    """
    lists = lexicon.load()
    if STRETCHED(word):
        word = shorten_word(word, lists)[0]
    forms: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = []
    record = lists.words.get(word)
    for rest, entries in record.entries.items() if record else ():
        forms += (
            (rest, _name_kind(entry.kind, word, form), tuple(form.lower().split()))
            for entry in entries
            for form in entry.formal
            if entry.kind in _KINDS
        )
    forms += (((), SLANG, tuple(form.split())) for form in lists.clipped.get(word, ()))
    for ending, words in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            stem = word.removesuffix(ending)
            forms += (((), CONTRACTION, (stem, full)) for full in words)
    if word in ("there's", "theres"):
        forms.append(((), CONTRACTION, ("there", "are")))
    sign = _SIGNS.get(word) or _NUMBERS.get(word)
    if sign:
        forms.append(((), SLANG, (sign,)))
    return tuple(forms)


def _name_kind(kind: str, word: str, form: str) -> str:
    """Name an entry's kind; one that differs by a letter or two is a spelling."""
    if word == form.replace(" ", ""):
        return SPELLING
    single = kind == "slang" and len(word) > _SHORT and " " not in form
    slip = single and word[0] == form[0] and is_near(word, form.lower(), 2)
    return SPELLING if slip else _KINDS[kind]


@lru_cache(maxsize=2**16)
def _compare_words(ours: str, theirs: str) -> str:
    """Return the kind of change between two words, if their letters determine it."""
    if STRETCHED(ours):
        short = shorten_word(ours, lexicon.load())[0]
        if short == theirs:
            return SAME
        ours = short
    if ours.replace("'", "") == theirs.replace("'", ""):
        return SPELLING
    if frozenset((ours, theirs)) in _CONFUSED:
        return SPELLING
    if knows_word(ours) or not knows_word(theirs) or not ours.isalpha():
        return ""
    if len(ours) > 2 and is_near(ours, theirs, 2 if len(ours) > _SHORT else 1):
        return SPELLING
    return SLANG if _abbreviates(ours, theirs) else ""


def _abbreviates(short: str, word: str) -> bool:
    """Say whether the letters are those of the word in their order: "abt", "tmrw"."""
    letters = iter(word)
    return (
        len(short) > 1
        and short[0] == word[0]
        and len(short) < len(word)
        and all(letter in letters for letter in short)
    )


def knows_word(word: str) -> bool:
    """Say whether a lower-case word is standard English rather than slang."""
    lists = lexicon.load()
    if word in lists.plain:
        return True
    record = lists.words.get(word)
    if record and any(not entry.when for entry in record.entries.get((), ())):
        return False
    return word in vectors().table.words


def is_near(first: str, second: str, most: int) -> bool:
    """Say whether two words are within an edit distance, counting a swap as one."""
    if abs(len(first) - len(second)) > most:
        return False
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, start=1):
        above, row = row, [i]
        for j, other in enumerate(second, start=1):
            cost = min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != other))
            swapped = (
                i > 1 and j > 1 and letter == second[j - 2] and other == first[i - 2]
            )
            row.append(min(cost, before[j - 2] + 1) if swapped else cost)
        before = above
    return row[-1] <= most


def find_repetitions(text: Text) -> list[Token]:
    """Return lengthened words, repeated marks, and immediately repeated words."""
    stretched = [
        word
        for word in text.words
        if STRETCHED(word.low) and shorten_word(word.low, lexicon.load())[0] != word.low
    ]
    marks = [mark for mark in text.marks if _REPEATED(mark.text)]
    twice = [
        word
        for word, following in zip(text.words, text.words[1:], strict=False)
        if word.low == following.low and word.low not in ("had", "that")
    ]
    return [*stretched, *marks, *twice]
