"""Preprocessing of sources by the rules (Rao & Tetreault 2018).

The paper trains its NMT systems on sources rewritten by the rules; a pack trained in
this way preprocesses all its inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.rewriter import Rewriter, Sentence
from paraphrast.rules import family
from paraphrast.text.protection import protected_spans
from paraphrast.text.spans import Span

SEED = 1


@dataclass(frozen=True)
class Rules:
    """The rules of one style."""

    rewriter: Rewriter

    def clean(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return sentences rewritten by the rules, with their protected spans.

        A sentence in which a protected span was lost is left unchanged.
        """
        results = self.rewriter(sentences, alternatives=1, seed=SEED)
        return [
            _move_spans(sentence, rewrites[0].text)
            for sentence, rewrites in zip(sentences, results, strict=True)
        ]

    def clean_texts(self, texts: Sequence[str]) -> list[str]:
        """Return training texts rewritten by the rules."""
        sentences = [Sentence(text, tuple(protected_spans(text))) for text in texts]
        return [sentence.text for sentence in self.clean(sentences)]


def load_rules(style: str) -> Rules:
    """Return the rules for a style; refuse a style without rules."""
    return Rules(family.load(style))


def _move_spans(sentence: Sentence, text: str) -> Sentence:
    spans: list[Span] = []
    position = 0
    for span in sentence.protected:
        own = sentence.text[span.start : span.end]
        start = text.find(own, position)
        if start < 0:
            return sentence
        position = start + len(own)
        spans.append(Span(start, position, span.kind))
    return Sentence(text, tuple(spans), sentence.ends_paragraph)
