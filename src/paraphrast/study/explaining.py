"""Name the category of each change, for ``rewrite --to formal --explain``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paraphrast.rewriter import Rewrite
    from paraphrast.rewriting.ratings import Categorise


def load_categorise(style: str) -> "Categorise | None":
    """Return a function that names the categories of changes, for formal only.

    Texts that are too long for the word aligner have no categories.
    """
    if style != "formal":
        return None
    from paraphrast.align import choosing
    from paraphrast.study.edits import LONGEST, categorise_spans

    aligner = choosing.load()

    def categorise(source: str, rewrite: "Rewrite") -> Sequence[Sequence[str]]:
        spans = [(change.start, change.end) for change in rewrite.changes]
        if max(len(source.split()), len(rewrite.text.split())) > LONGEST or not spans:
            return [[]] * len(spans)
        return categorise_spans(source, rewrite.text, spans, aligner)

    return categorise
