"""Align the sentences of two documents (Moore 2002), without a dictionary.

1. `lengths` compares sentence lengths; `search` finds all plausible alignments.
2. `model1` learns from the pairs that lengths make certain which word becomes which.
3. `word_scores` and lengths together choose among the alignments left.

Moore, R. C. (2002). Fast and accurate sentence alignment of bilingual corpora. AMTA.
"""

from paraphrast.corpora.sentence_alignment.aligner import (
    Bead,
    align_documents,
    align_lengths,
    align_sentences,
)
from paraphrast.corpora.sentence_alignment.documents import (
    aligned_pairs,
    read_documents,
)

__all__ = [
    "Bead",
    "align_documents",
    "align_lengths",
    "align_sentences",
    "aligned_pairs",
    "read_documents",
]
