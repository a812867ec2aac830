"""Apply the rules at a level to the output of another rewriter."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from paraphrast.rewriter import Rewrite, Rewriter, Sentence
from paraphrast.rules.formal import Formal
from paraphrast.text.protection import protected_spans


@dataclass(frozen=True)
class Polished:
    """A rewriter whose output is post-edited by the formality rules.

    What was protected in the source stays in the rewrite. Everything else that the
    rewriter offers (its context, its batch) is the rewriter's own.
    """

    rewriter: Rewriter
    rules: Formal

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return the post-edited rewrites of the rewriter, without duplicates."""
        answers = self.rewriter(sentences, alternatives=alternatives, seed=seed)
        result = []
        for sentence, rewrites in zip(sentences, answers, strict=True):
            distinct: dict[str, Rewrite] = {}
            for rewrite in rewrites:
                polished = self._polish(sentence, rewrite)
                distinct.setdefault(polished.text, polished)
            result.append(list(distinct.values()))
        return result

    def __getattr__(self, name: str) -> Any:
        """Return the attribute of this name of the rewriter itself."""
        return getattr(self.rewriter, name)

    def _polish(self, sentence: Sentence, rewrite: Rewrite) -> Rewrite:
        text = rewrite.text
        terms = {sentence.text[span.start : span.end] for span in sentence.protected}
        kept = Sentence(text, tuple(protected_spans(text, terms=sorted(terms))))
        [[best]] = self.rules([kept], alternatives=1, seed=0)
        if best.text == text:
            return rewrite
        changes = best.changes if text == sentence.text else ()
        return replace(rewrite, text=best.text, changes=changes, why="")
