"""Count the cheap ways to a good score, which a table of means cannot show.

A system that copies, retrieves lines of the target corpus, loops or drops names can
still look well on BLEU, PINC or a style classifier. `inspect` counts each of these
in one pass and keeps the line numbers (from 1), so that a reader can look.

`MEANINGS` defines each kind. A line without words in its source is never counted.
Shares are of all lines; for lost names and numbers, of the lines that have one.
Commonplace sentences occur in every corpus, so some lines are "retrieved" by chance:
the reference shows how many.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paraphrast.errors import ParaphrastError
from paraphrast.language.names import vote_names
from paraphrast.language.numbers import find_figures, says_figure
from paraphrast.language.sentence import read
from paraphrast.language.words import count_most_repeated, find_words
from paraphrast.text.normalisation import keep_letters

MEANINGS = {
    "copies": "the output is its source, letter for letter",
    "near copies": "it differs from its source in case, punctuation or spacing alone",
    "retrieved": "its letters are those of a line of the target corpus, and not those "
    "of its source",
    "near retrieved": "nearly all its 4-grams of words (three at least) lie in one "
    "line of the target corpus",
    "length": "it has less than half or more than twice the words of its source, and "
    "the difference is more than three words",
    "repetition": "a trigram stands in it twice or a bigram three times, more often "
    "than in its source",
    "same output": "it was given for three or more different sources",
    "lost names": "a name of the source (a capital inside a sentence, on a word that "
    "the texts write with a capital more often than without) is not in it",
    "lost numbers": "a number of the source is not in it, in digits or spelled out",
    "empty": "it has no word",
}
KINDS = tuple(MEANINGS)

_ORDER = 4
_COMMON = 200  # a 4-gram in more lines than this says nothing about one of them
_NEAR = 0.8
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """The lines (numbered from 1) on which one kind of gaming was found.

    ``total`` counts the lines on which it could have been found.
    """

    kind: str
    lines: tuple[int, ...]
    total: int

    @property
    def count(self) -> int:
        """Return how many lines there are."""
        return len(self.lines)

    @property
    def share(self) -> float:
        """Return the count in percent of the total."""
        return 100 * len(self.lines) / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Panel:
    """The findings on one system's outputs, and the reasons why kinds were not checked.

    ``length_ratio`` is the mean over lines of output words by source words.
    """

    findings: tuple[Finding, ...]
    length_ratio: float
    unchecked: Mapping[str, str]

    def __getitem__(self, kind: str) -> Finding:
        """Return the finding of one kind that was checked."""
        return next(finding for finding in self.findings if finding.kind == kind)


class Corpus:
    """Lines of the target style, indexed so that verbatim and near reuse is found."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Index the lines; repeated lines are ignored."""
        self._keys: set[str] = set()
        self._postings: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, line in enumerate(lines):
            key = keep_letters(line)
            if key in self._keys:
                continue
            self._keys.add(key)
            for gram in set(_ngrams(find_words(line.lower()), _ORDER)):
                self._postings[gram].append(number)

    def has(self, key: str) -> bool:
        """Say whether a line has these letters (see `keep_letters`)."""
        return key in self._keys

    def nearly_has(self, tokens: Sequence[str]) -> bool:
        """Say whether one line holds most 4-grams of these words."""
        grams = set(_ngrams(tokens, _ORDER))
        if len(grams) < _FEWEST:
            return False
        hits: Counter[int] = Counter()
        for gram in grams:
            postings = self._postings.get(gram, ())
            if len(postings) <= _COMMON:
                hits.update(postings)
        return bool(hits) and max(hits.values()) >= _NEAR * len(grams)


@dataclass(frozen=True, slots=True)
class Sources:
    """What every system is compared with, prepared once for all of them."""

    texts: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]
    keys: tuple[str, ...]
    names: tuple[frozenset[str], ...]
    numbers: tuple[frozenset[str], ...]
    cased: bool


def prepare(sources: Sequence[str], others: Iterable[str] = ()) -> Sources:
    """Read the sources' words, names and numbers once, for any number of systems.

    ``others`` are further texts (references, the target corpus) that help to tell
    a name from the first word of a line of verse.
    """
    return Sources(
        texts=tuple(sources),
        tokens=tuple(tuple(find_words(text.lower())) for text in sources),
        keys=tuple(keep_letters(text) for text in sources),
        names=tuple(vote_names(sources, others)),
        numbers=tuple(frozenset(find_figures(text)) for text in sources),
        cased=any(text != text.lower() for text in sources),
    )


def inspect(
    outputs: Sequence[str], sources: Sources, corpus: Corpus | None = None
) -> Panel:
    """Look for every kind of gaming in one system's outputs."""
    if len(outputs) != len(sources.texts):
        raise ParaphrastError(
            f"{len(outputs)} outputs but {len(sources.texts)} sources. "
            "Give one output per source."
        )
    tokens = [find_words(text.lower()) for text in outputs]
    keys = [keep_letters(text) for text in outputs]
    numbers: dict[str, list[int]] = {kind: [] for kind in KINDS}
    repeated = _repeated_outputs(keys, sources.keys)
    for index in range(len(outputs)):
        for kind in (
            *_against_source(outputs[index], keys[index], index, sources),
            *_shape(tokens[index], sources.tokens[index]),
            *_find_lost(outputs[index], index, sources),
            *_find_retrieved(keys[index], tokens[index], sources.keys[index], corpus),
        ):
            numbers[kind].append(index + 1)
        if keys[index] in repeated:
            numbers["same output"].append(index + 1)
    unchecked = _explain_unchecked(sources, corpus)
    totals = {
        "lost names": sum(map(bool, sources.names)),
        "lost numbers": sum(map(bool, sources.numbers)),
    }
    return Panel(
        findings=tuple(
            Finding(kind, tuple(lines), totals.get(kind, len(outputs)))
            for kind, lines in numbers.items()
            if kind not in unchecked
        ),
        length_ratio=_length_ratio(tokens, sources.tokens),
        unchecked=unchecked,
    )


def _against_source(
    output: str, key: str, index: int, sources: Sources
) -> Iterable[str]:
    source = sources.texts[index]
    if not source.strip():
        return
    if output.strip() == source.strip():
        yield "copies"
    elif key and key == sources.keys[index]:
        yield "near copies"
    if not key and sources.keys[index]:
        yield "empty"


def _shape(tokens: Sequence[str], source: Sequence[str]) -> Iterable[str]:
    if not tokens or not source:
        return
    ratio = len(tokens) / len(source)
    if not 0.5 <= ratio <= 2 and abs(len(tokens) - len(source)) > 3:
        yield "length"
    if _repeats_more(tokens, source, order=3, times=2) or _repeats_more(
        tokens, source, order=2, times=3
    ):
        yield "repetition"


def _repeats_more(
    tokens: Sequence[str], source: Sequence[str], *, order: int, times: int
) -> bool:
    most = count_most_repeated(tokens, order)
    return most >= times and most > count_most_repeated(source, order)


def _find_lost(output: str, index: int, sources: Sources) -> Iterable[str]:
    sentence = read(output)
    if sources.names[index] - {word.text for word in sentence.words}:
        yield "lost names"
    missing = sources.numbers[index].difference(find_figures(output))
    if not all(says_figure(sentence, figure) for figure in missing):
        yield "lost numbers"


def _find_retrieved(
    key: str, tokens: Sequence[str], source: str, corpus: Corpus | None
) -> Iterable[str]:
    if corpus is None or not key or key == source:
        return
    if corpus.has(key):
        yield "retrieved"
    elif corpus.nearly_has(tokens):
        yield "near retrieved"


def _explain_unchecked(sources: Sources, corpus: Corpus | None) -> dict[str, str]:
    reasons = {}
    if corpus is None:
        reasons["retrieved"] = reasons["near retrieved"] = "no target corpus was given"
    if not sources.cased:
        reasons["lost names"] = "the sources are in lower case, so names do not show"
    return reasons


def _repeated_outputs(keys: Sequence[str], source_keys: Sequence[str]) -> set[str]:
    behind: defaultdict[str, set[str]] = defaultdict(set)
    for key, source in zip(keys, source_keys, strict=True):
        behind[key].add(source)
    return {key for key, sources in behind.items() if key and len(sources) >= 3}


def _length_ratio(
    outputs: Sequence[Sequence[str]], sources: Sequence[Sequence[str]]
) -> float:
    ratios = [
        len(output) / len(source)
        for output, source in zip(outputs, sources, strict=True)
        if source
    ]
    return sum(ratios) / len(ratios) if ratios else 1.0


def _ngrams(tokens: Sequence[str], order: int) -> Iterable[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(order)), strict=False)
