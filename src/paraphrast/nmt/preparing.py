"""Make training data from pairs of texts.

1. the rules of the style clean the sources up, if asked for, as in the paper
2. both sides become words (`surface`); pairs with an empty or a long side are dropped
3. the vocabulary is counted over all pairs (`vocabulary`)
4. pretrained embeddings are read for its words (`embeddings`)
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.nmt import settings
from paraphrast.nmt.embeddings import read_vectors
from paraphrast.nmt.surface import prepare_text
from paraphrast.nmt.training_data import TrainingData, WordPair, encode_pairs
from paraphrast.nmt.vocabulary import count_words

TextPair: TypeAlias = tuple[str, str]
CleanUp: TypeAlias = Callable[[Sequence[str]], list[str]]

EMPTY, LONG = "a side is empty", "a side is too long"
LONGEST = 60  # words per side


@dataclass(frozen=True)
class Preparation:
    """Settings for making training data, besides the pairs.

    ``vectors`` is a text file of pretrained embeddings with ``dimensions``;
    ``clean_up`` preprocesses sources.
    """

    vocabulary: settings.Vocabulary = field(default_factory=settings.Vocabulary)
    vectors: Path | None = None
    dimensions: int = settings.Architecture.embedding
    longest: int = LONGEST
    clean_up: CleanUp | None = None


@dataclass(frozen=True, eq=False)
class Prepared:
    """Training data, and how many pairs were dropped by reason."""

    data: TrainingData
    dropped: Counter[str]


def prepare(
    pairs: Iterable[TextPair], held: Iterable[TextPair], how: Preparation
) -> Prepared:
    """Return training data from training pairs and held-out pairs."""
    dropped: Counter[str] = Counter()
    learned = tokenise_pairs(pairs, how, dropped)
    if not learned:
        raise ParaphrastError("there are no pairs to learn from. Check the files.")
    validation = tokenise_pairs(held, how, Counter())
    vocabulary = count_words(learned, how.vocabulary)
    data = encode_pairs(vocabulary, learned, validation)
    if how.vectors is not None:
        vectors = read_vectors(how.vectors, vocabulary, how.dimensions)
        data = replace(data, vectors=vectors)
    return Prepared(data, dropped)


def tokenise_pairs(
    pairs: Iterable[TextPair], how: Preparation, dropped: Counter[str]
) -> list[WordPair]:
    """Return pairs as words; what is left out is counted in ``dropped``.

    A pair that is given several times is prepared once.
    """
    listed = list(pairs)
    distinct = list(dict.fromkeys(listed))
    sources = [source for source, _ in distinct]
    if how.clean_up is not None:
        sources = how.clean_up(sources)
    words = {
        pair: (prepare_text(source), prepare_text(pair[1]))
        for pair, source in zip(distinct, sources, strict=True)
    }
    result: list[WordPair] = []
    for pair in listed:
        sides = words[pair]
        if not all(sides):
            dropped[EMPTY] += 1
        elif max(map(len, sides)) > how.longest:
            dropped[LONG] += 1
        else:
            result.append(sides)
    return result
