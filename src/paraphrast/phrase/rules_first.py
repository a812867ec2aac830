"""Rules before phrases: the formality rules preprocess a text for the phrase pack.

A phrase table trained on raw text learns mostly what the rules already cover. Rao and
Tetreault (2018) therefore train on the output of the rules, so that phrases learn the
rest; the inputs of such a pack are preprocessed by the rules too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from paraphrast.phrase.surface import TextPair
from paraphrast.rewriter import Filtering, Rewrite, Rewriter, Sentence
from paraphrast.rules import family
from paraphrast.rules.edits import compose_changes, move_spans
from paraphrast.text.sentences import split_sentences

SEED = 1


@dataclass(frozen=True)
class RulesFirst:
    """Rewrites by rules, and their output by phrases."""

    rules: Rewriter
    phrases: Rewriter

    def unfiltered(self) -> "RulesFirst":
        """Return a rewriter that allows offensive words."""
        if not isinstance(self.phrases, Filtering):
            return self
        return replace(self, phrases=self.phrases.unfiltered())

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return the phrases' rewrites of what the rules made of each sentence.

        Changes are those of both, from the sentence as it was given.
        """
        first = [row[0] for row in self.rules(sentences, alternatives=1, seed=seed)]
        passed = [
            replace(
                sentence,
                text=ruled.text,
                protected=move_spans(sentence.protected, ruled.changes),
                cuts=(),
            )
            for sentence, ruled in zip(sentences, first, strict=True)
        ]
        second = self.phrases(passed, alternatives=alternatives, seed=seed)
        rows = zip(sentences, first, second, strict=True)
        return [
            [_join_rewrites(sentence, ruled, rewrite) for rewrite in rewrites]
            for sentence, ruled, rewrites in rows
        ]


def rewrite_texts(texts: Iterable[str], style: str) -> list[str]:
    """Return texts after the rules of a style, sentence by sentence."""
    rules = family.load(style)
    listed = list(texts)
    spans = [split_sentences(text) for text in listed]
    sentences = [
        Sentence(text[span.start : span.end], ends_paragraph=span is own[-1])
        for text, own in zip(listed, spans, strict=True)
        for span in own
    ]
    rewrites = iter(rules(sentences, alternatives=1, seed=SEED))
    results = []
    for text, own in zip(listed, spans, strict=True):
        parts, at = [], 0
        for span in own:
            parts += [text[at : span.start], next(rewrites)[0].text]
            at = span.end
        results.append("".join([*parts, text[at:]]))
    return results


def rewrite_sources(pairs: Sequence[TextPair], style: str) -> Sequence[TextPair]:
    """Return pairs whose sources went through the rules of a style, if there is one."""
    if not style:
        return pairs
    sources = rewrite_texts([source for source, _ in pairs], style)
    return [(new, target) for new, (_, target) in zip(sources, pairs, strict=True)]


def _join_rewrites(sentence: Sentence, ruled: Rewrite, rewrite: Rewrite) -> Rewrite:
    changes = compose_changes(sentence.text, ruled.changes, rewrite.changes)
    why = rewrite.why if rewrite.text == sentence.text else ""
    return replace(rewrite, changes=tuple(changes), why=why)
