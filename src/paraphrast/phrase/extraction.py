"""Phrase pairs of an aligned corpus, counted (Och, Tillmann and Ney 1999; Koehn 2003).

A run of source words and a run of target words are a phrase pair if a link joins them
and none leaves either; outermost words may be unlinked. This is the same as Moses'
``extract`` and `align.phrase_pairs.loose_phrase_pairs`. The time is linear in the
length of a sentence, so there is no limit.

For each pair its orientation to the previous and the next phrase is counted, for
lexicalised reordering (Moses' msd-bidirectional-fe). By word, its default: the pair is
monotone to what comes before when the last source word before it is linked to the last
target word before it (or both sentences start there), a swap when the source word after
it is, and other when neither is or both are. By phrase: a phrase pair that touches the
corner counts like that link.

Given several alignments of the corpus, the counts are summed.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast import _native
from paraphrast.errors import ParaphrastError
from paraphrast.phrase.coded_corpus import CodedLinks, Corpus
from paraphrast.phrase.table import LONGEST
from paraphrast.text.runs import Runs

Orientation: TypeAlias = Literal["word", "phrase"]
Counting: TypeAlias = Literal["whole", "shared"]


@dataclass(frozen=True)
class Settings:
    """How to extract.

    ``longest`` is the most words on either side. ``counting`` is "whole" where every
    occurrence counts one, and "shared" where a pair with outermost words linked shares
    one count with all that it becomes with unlinked neighbours. ``most`` limits the
    memory: about 150 bytes per distinct phrase pair.
    """

    longest: int = 7
    orientation: Orientation = "word"
    counting: Counting = "whole"
    most: int = 20_000_000

    def __post_init__(self) -> None:
        """Refuse invalid settings."""
        if not 1 <= self.longest <= LONGEST:
            raise ParaphrastError(
                f"longest must be from 1 to {LONGEST} words, not {self.longest}."
            )
        if self.orientation not in ("word", "phrase"):
            raise ParaphrastError(
                f"orientation must be word or phrase, not {self.orientation!r}."
            )
        if self.counting not in ("whole", "shared"):
            raise ParaphrastError(
                f"counting must be whole or shared, not {self.counting!r}."
            )
        if self.most < 1:
            raise ParaphrastError(f"most must be at least 1, not {self.most}.")


@dataclass(frozen=True, eq=False)
class PhrasePairs:
    """The distinct phrase pairs of a corpus, in order of source and target.

    Row i pairs ``sources`` number ``phrases[i]`` and ``targets`` number ``outputs[i]``.
    ``orientations`` has six columns in the order of `features.REORDERING`; the links
    are the most frequent inside the pair, the example is the shortest sentence pair
    with it; ties are broken by the first occurrence.
    """

    sources: Runs
    targets: Runs
    phrases: NDArray[np.uint32]
    outputs: NDArray[np.uint32]
    counts: NDArray[np.float64]
    orientations: NDArray[np.float32]
    link_starts: NDArray[np.uint32]
    links: NDArray[np.uint8]
    examples: NDArray[np.uint32]

    def __len__(self) -> int:
        """Return the number of distinct phrase pairs."""
        return len(self.phrases)


DEFAULT = Settings()


def extract(
    corpus: Corpus, links: CodedLinks, *, settings: Settings = DEFAULT
) -> PhrasePairs:
    """Count the phrase pairs of a corpus."""
    result = _native_call(corpus, links, settings)
    if not len(result["phrases"]):
        raise ParaphrastError(
            "the corpus has no phrase pairs: no words are linked. "
            "Check that the two sides belong together, or choose another aligner."
        )
    return PhrasePairs(
        Runs(result.pop("phrase_starts"), result.pop("phrase_words")),
        Runs(result.pop("output_starts"), result.pop("output_words")),
        **result,
    )


def _native_call(
    corpus: Corpus, links: CodedLinks, settings: Settings
) -> dict[str, NDArray[Any]]:
    try:
        return _native.extract_phrases(
            corpus.source.words,
            corpus.source.starts,
            corpus.target.words,
            corpus.target.starts,
            links.cells,
            links.starts,
            longest=settings.longest,
            phrase_orientation=settings.orientation == "phrase",
            shared_counts=settings.counting == "shared",
            most=settings.most,
        )
    except OverflowError as error:
        raise ParaphrastError(
            f"the corpus has more than {settings.most:,} phrase pairs. Lower "
            f"longest (now {settings.longest}), or raise most if memory allows."
        ) from error
