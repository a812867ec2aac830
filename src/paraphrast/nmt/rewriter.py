"""Rewrite sentences with an NMT pack.

A sentence is preprocessed by the rules if the pack was trained in this way, split into
words with each protected span as one (`surface`), decoded (`beam_search`) and
detokenised. Candidates that lose a protected span, repeat themselves or add an
offensive word are rejected. What cannot be rewritten is returned unchanged, with the
reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paraphrast.language.words import adds_offensive_words
from paraphrast.nmt import surface
from paraphrast.nmt.beam_search import Output, search
from paraphrast.nmt.clean_up import Rules
from paraphrast.nmt.model import Model
from paraphrast.rewriter import (
    NO_WORDS,
    NOTHING_LEFT,
    Change,
    Rewrite,
    Rewriter,
    Sentence,
)
from paraphrast.text.exact import Tokens

TOO_LONG = "it has more words than the model can read"
LOST = "all candidates changed a protected span"
LOOPED = "all candidates repeated themselves"
OFFENSIVE = "all candidates were offensive (--allow-offensive permits them)"
MOST_WORDS = 120
REPEATED = 3  # words in a row that an output says more often than its source


@dataclass(frozen=True)
class NmtRewriter:
    """Rewrites sentences with a pack; ``rules``, if any, preprocess them.

    With ``decent``, offensive words that are not in the source are rejected.
    """

    model: Model
    rules: Rules | None = None
    decent: bool = True

    @property
    def batch(self) -> int:
        """Return the preferred number of sentences per batch."""
        return 128

    def unfiltered(self) -> Rewriter:
        """Return a rewriter that allows offensive words."""
        return replace(self, decent=False)

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` distinct rewrites per sentence, best first.

        Beam search is deterministic: ``seed`` changes nothing.
        """
        cleaned = list(sentences) if self.rules is None else self.rules.clean(sentences)
        tokens = [surface.prepare_sentence(sentence) for sentence in cleaned]
        fit = [t for t in tokens if 0 < len(t.words) <= MOST_WORDS]
        # Candidates that are rejected need others behind them.
        number = max(alternatives, self.model.settings.search.beam)
        hypotheses = iter(
            search(
                self.model.network,
                [t.words for t in fit],
                self.model.settings.search,
                number,
            )
        )
        return [
            self._rewrite(before, after, own, next(hypotheses))[:alternatives]
            if 0 < len(own.words) <= MOST_WORDS
            else [Rewrite(before.text, why=TOO_LONG if own.words else NO_WORDS)]
            for before, after, own in zip(sentences, cleaned, tokens, strict=True)
        ]

    def _rewrite(
        self,
        sentence: Sentence,
        cleaned: Sentence,
        tokens: Tokens,
        outputs: Sequence[Output],
    ) -> list[Rewrite]:
        """Return the rewrites that pass, or the sentence with the first rejection."""
        rewrites: dict[str, Rewrite] = {}
        objections: list[str] = []
        for output in outputs:
            text = surface.write_text(tokens, output.words)
            if objection := self._object(cleaned, tokens, output, text):
                objections.append(objection)
                continue
            changes = _explain(sentence, cleaned, tokens, output)
            rewrites.setdefault(text, Rewrite(text, output.score, changes))
        if not rewrites:
            return [Rewrite(sentence.text, why=objections[0])]
        return list(rewrites.values())

    def _object(
        self, sentence: Sentence, tokens: Tokens, output: Output, text: str
    ) -> str:
        """Return why an output is rejected, or an empty string."""
        if not any(map(str.isalnum, text)):
            return NOTHING_LEFT
        if surface.find_lost(tokens, sentence, output.words):
            return LOST
        if count_repeats(output.words) > count_repeats(tokens.words):
            return LOOPED
        if self.decent and adds_offensive_words(sentence.text, text):
            return OFFENSIVE
        return ""


def count_repeats(words: Sequence[str]) -> int:
    """Return the number of n-grams of `REPEATED` words that repeat an earlier one."""
    lowered = [word.lower() for word in words]
    runs = [
        tuple(lowered[i : i + REPEATED]) for i in range(len(lowered) - REPEATED + 1)
    ]
    twice = sum(a == b for a, b in zip(lowered, lowered[1:], strict=False))
    return len(runs) - len(set(runs)) + twice


def _explain(
    sentence: Sentence, cleaned: Sentence, tokens: Tokens, output: Output
) -> tuple[Change, ...]:
    """Return the edits from the original sentence, each with its probability."""
    reasons = [f"probability {p:.2f}" for p in output.probabilities]
    if cleaned.text != sentence.text:  # the rules were first
        tokens = surface.prepare_sentence(sentence)
    return tuple(surface.find_changes(tokens, output.words, reasons))
