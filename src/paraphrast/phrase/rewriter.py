"""Rewrite sentences with a phrase pack.

A sentence is tokenised, decoded in lower case with its protected spans forced, and
recased and detokenised (`surface`). Every changed phrase is explained by its count in
training and an example pair. Into everyday styles no offensive word is brought in. What
cannot be rewritten is returned unchanged, with the reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from paraphrast.language.words import adds_offensive_words
from paraphrast.phrase import surface
from paraphrast.phrase.decoder import Hypothesis
from paraphrast.phrase.examples import excerpt
from paraphrast.phrase.model import Model
from paraphrast.phrase.surface import NEW, Prepared
from paraphrast.rewriter import (
    NO_WORDS,
    NOTHING_LEFT,
    Change,
    Rewrite,
    Sentence,
)

NOTHING_KNOWN = "none of its words is known"
TOO_LONG = "it has too many words for a sentence"
OFFENSIVE = "all candidates were offensive (--allow-offensive permits them)"
MOST_WORDS = 5_000
FURTHER = 20  # candidates of a sentence whose better ones were offensive


@dataclass(frozen=True)
class PhraseRewriter:
    """Rewrites sentences with a pack.

    With ``decent``, offensive words that are not in the source are rejected.
    """

    model: Model
    threads: int = 1
    decent: bool = False

    def unfiltered(self) -> "PhraseRewriter":
        """Return a rewriter that allows offensive words."""
        return replace(self, decent=False)

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` distinct rewrites per sentence, best first.

        The decoder is deterministic: ``seed`` changes nothing.
        """
        rows = self._answer(sentences, alternatives)
        if not self.decent:
            return rows
        decent = [_drop_offensive(s, r) for s, r in zip(sentences, rows, strict=True)]
        short = [at for at, row in enumerate(decent) if len(row) < len(rows[at])]
        more = max(FURTHER, 2 * alternatives)
        further = self._answer([sentences[at] for at in short], more)
        for at, row in zip(short, further, strict=True):
            left = _drop_offensive(sentences[at], row)[:alternatives]
            decent[at] = left or [Rewrite(sentences[at].text, why=OFFENSIVE)]
        return decent

    def _answer(
        self, sentences: Sequence[Sentence], alternatives: int
    ) -> list[list[Rewrite]]:
        prepared = [surface.prepare(sentence) for sentence in sentences]
        fit = [p for p in prepared if 0 < len(p.words) <= MOST_WORDS]
        free = iter(self._decode([p for p in fit if not p.in_order], alternatives))
        bound = iter(self._decode([p for p in fit if p.in_order], alternatives))
        return [
            self._rewrites(sentence, p, next(bound if p.in_order else free))
            if 0 < len(p.words) <= MOST_WORDS
            else [Rewrite(sentence.text, why=TOO_LONG if p.words else NO_WORDS)]
            for sentence, p in zip(sentences, prepared, strict=True)
        ]

    @cached_property
    def _monotone(self) -> Model:
        search = replace(self.model.settings.search, distortion=0)
        return self.model.with_search(search)

    def _decode(
        self, sentences: Sequence[Prepared], alternatives: int
    ) -> list[list[Hypothesis]]:
        """Decode sentences, either all monotone or none."""
        if not sentences:
            return []
        model = self._monotone if sentences[0].in_order else self.model
        return model.decoder.alternatives(
            [p.words for p in sentences],
            alternatives,
            forced=[p.forced for p in sentences],
            threads=self.threads,
        )

    def _rewrites(
        self, sentence: Sentence, prepared: Prepared, outputs: Sequence[Hypothesis]
    ) -> list[Rewrite]:
        result: dict[str, Rewrite] = {}
        for output in outputs:
            if output.words:
                rewrite = self._rewrite(prepared, output)
                result.setdefault(rewrite.text, rewrite)
        if not result:
            return [Rewrite(sentence.text, why=NOTHING_LEFT)]
        return list(result.values())

    def _rewrite(self, prepared: Prepared, output: Hypothesis) -> Rewrite:
        origins = _origins(prepared, output)
        copied = [
            index
            for phrase in output.phrases
            if phrase.option < 0
            for index in range(phrase.target_start, phrase.target_end)
        ]
        pieces = surface.pieces(
            prepared,
            output.words,
            origins,
            copied=copied,
            truecaser=self.model.truecaser,
        )
        before, after = prepared.tokens.edges()
        text = before + "".join(gap + word for gap, word in pieces) + after
        any_known = any(phrase.option >= 0 for phrase in output.phrases)
        return Rewrite(
            text,
            output.score,
            tuple(self._changes(prepared, output, pieces)),
            "" if any_known or text != prepared.tokens.text else NOTHING_KNOWN,
        )

    def _changes(
        self, prepared: Prepared, output: Hypothesis, pieces: list[tuple[str, str]]
    ) -> Iterator[Change]:
        spans = prepared.tokens.spans
        for phrase in sorted(output.phrases, key=lambda p: p.source_start):
            before = prepared.words[phrase.source_start : phrase.source_end]
            after = output.words[phrase.target_start : phrase.target_end]
            if phrase.option < 0 or before == list(after):
                continue
            start, end = spans[phrase.source_start][0], spans[phrase.source_end - 1][1]
            written = pieces[phrase.target_start : phrase.target_end]
            text = "".join(gap + word for gap, word in written)
            first = written[0][0] if written else ""
            yield Change(
                start,
                end,
                prepared.tokens.text[start:end],
                text.removeprefix(first),
                self._reason(phrase.option),
            )

    def _reason(self, row: int) -> str:
        """Return a phrase pair's count in training, with an example."""
        option = self.model.table.option(row)
        if not option.count:
            return "from a dictionary"
        times = f"seen {option.count:g} time{'' if option.count == 1 else 's'}"
        if option.example is None or option.example >= len(self.model.examples):
            return times
        source, target = self.model.examples.pair(option.example)
        return (
            f"{times}; e.g. pair {option.example + 1}: "
            f"{excerpt(source, ' '.join(option.source))} → "
            f"{excerpt(target, ' '.join(option.target))}"
        )


def _drop_offensive(sentence: Sentence, row: Sequence[Rewrite]) -> list[Rewrite]:
    """Return the rewrites that bring in no offensive word."""
    return [own for own in row if not adds_offensive_words(sentence.text, own.text)]


def _origins(prepared: Prepared, output: Hypothesis) -> list[int]:
    """Return for each word of the output the word of the sentence that it is."""
    origins = [NEW] * len(output.words)
    for phrase in output.phrases:
        if phrase.option < 0:
            for step in range(phrase.target_end - phrase.target_start):
                origins[phrase.target_start + step] = phrase.source_start + step
    for source, target in output.links:
        same = prepared.words[source] == output.words[target]
        if same and origins[target] == NEW and source not in origins:
            origins[target] = source
    return origins
