"""More training pairs from text in one style, for the combined system.

Self-training takes text in the source style and a rewriter into the target style: its
outputs become targets. Back-translation (Sennrich et al. 2016) takes text in the target
style and a rewriter into the source style: its outputs become sources, so that a model
still learns to write what people wrote. Such pairs are not marked; a model learns from
all in the same way.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from paraphrast.corpora.pairs import Pair
from paraphrast.text.common_subsequence import matching_indices

Rewrite: TypeAlias = Callable[[Sequence[str]], Sequence[str]]

TOGETHER = 256  # texts rewritten at once
UNCHANGED = "unchanged"
LITTLE_CHANGED = "too little changed"
LENGTH = "too short or too long"
REPEATED = "repeated in the file"


@dataclass(frozen=True)
class Selection:
    """Which pairs to keep.

    The paper keeps texts of 5 to 25 words, and of its own outputs those that differ
    from the source by more than 10 characters. ``least_change`` counts inserted and
    deleted characters.
    """

    least_words: int = 5
    most_words: int = 25
    least_change: int = 0

    def __post_init__(self) -> None:
        """Refuse limits that no text can satisfy."""
        if not 1 <= self.least_words <= self.most_words:
            raise ValueError(
                "the minimum number of words must be at least 1, and the maximum no "
                "smaller."
            )


@dataclass
class Augmentation:
    """Makes pairs with a rewriter; ``dropped`` counts texts without one by reason."""

    rewrite: Rewrite
    selection: Selection = field(default_factory=Selection)
    back: bool = False
    dropped: Counter[str] = field(default_factory=Counter)

    def run(self, texts: Iterable[str]) -> Iterator[tuple[int, list[Pair]]]:
        """Yield the pairs for a batch of texts, and the size of the batch."""
        stream, seen = iter(texts), set[str]()
        while batch := list(islice(stream, TOGETHER)):
            chosen = [text for text in batch if self._choose(text, seen)]
            pairs = zip(chosen, self.rewrite(chosen), strict=True) if chosen else ()
            yield len(batch), [p for t, r in pairs if (p := self._pair(t, r))]

    def _choose(self, text: str, seen: set[str]) -> bool:
        """Say whether to rewrite a text at all."""
        words = len(text.split())
        if not self.selection.least_words <= words <= self.selection.most_words:
            self.dropped[LENGTH] += 1
            return False
        if text in seen:
            self.dropped[REPEATED] += 1
            return False
        seen.add(text)
        return True

    def _pair(self, text: str, rewrite: str) -> Pair | None:
        if rewrite == text or not rewrite.strip():
            self.dropped[UNCHANGED] += 1
            return None
        if count_edits(text, rewrite) <= self.selection.least_change:
            self.dropped[LITTLE_CHANGED] += 1
            return None
        return Pair(rewrite, text) if self.back else Pair(text, rewrite)


def count_edits(first: str, second: str) -> int:
    """Return the number of characters deleted and inserted between two texts."""
    return len(first) + len(second) - 2 * len(matching_indices(first, second))
