"""A dictionary as a phrase table: probabilities without parallel text (XU12 §2.2.1).

A dictionary lists the translations of a phrase, not how often each is used. Koehn and
Knight (2000) learn that from text in the target language alone: p(e|f) is the language
model's probability of e, normalised over the entries of f.
XU12 does this, but its published table gives a phrase the probability of its last word
after the others, which makes phrases of two words and more look far too common; the
measure "last word" does that too.

Entries whose target has a word that the model does not know cannot be estimated and
are left out, as XU12 does. A phrase may also stay as it is, if the model knows it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.phrase.building import from_options
from paraphrast.phrase.table import LONGEST, Option, PhraseTable

Phrase: TypeAlias = tuple[str, ...]
# For each source phrase, its targets with p(e|f).
Estimates: TypeAlias = dict[Phrase, dict[Phrase, float]]
Measure: TypeAlias = Literal["phrase", "last word"]


class NgramModel(Protocol):
    """Gives log10 probabilities; `language_model.LanguageModel` does."""

    def full_scores(
        self, words: Sequence[str], *, start: bool = True, end: bool = True
    ) -> Sequence[tuple[float, int, bool]]:
        """Return each word's log10 probability, n-gram length, and unknown flag."""
        ...


def by_frequency(
    entries: Iterable[tuple[Phrase, Phrase]],
    model: NgramModel,
    *,
    keep_source: bool = True,
    measure: Measure = "phrase",
) -> PhraseTable:
    """Return the entries with p(e|f) estimated from how common each e is."""
    result = frequencies(entries, model, keep_source=keep_source, measure=measure)
    return _table(result, "frequency")


def frequencies(
    entries: Iterable[tuple[Phrase, Phrase]],
    model: NgramModel,
    *,
    keep_source: bool = True,
    measure: Measure = "phrase",
) -> Estimates:
    """Return p(e|f) in proportion to the model's probability of e."""
    if measure not in ("phrase", "last word"):
        raise unknown("measure", measure, ("phrase", "last word"))
    listed = _group_targets(entries)
    result: Estimates = {}
    for source, targets in listed.items():
        if keep_source:
            targets[source] = None
        scores = {
            target: _log_probability(model, target, measure) for target in targets
        }
        scored = {target: s for target, s in scores.items() if s is not None}
        if scored.keys() - {source}:
            result[source] = _normalise_scores(scored)
    if not result:
        raise ParaphrastError(
            "the language model knows no target of the dictionary. Check that both "
            "are tokenised and cased alike, and which side is which."
        )
    return result


def _group_targets(
    entries: Iterable[tuple[Phrase, Phrase]],
) -> dict[Phrase, dict[Phrase, None]]:
    """Return the targets of each phrase once, in the order of the dictionary."""
    listed: dict[Phrase, dict[Phrase, None]] = defaultdict(dict)
    for source, target in entries:
        if not source or not target:
            raise ParaphrastError(
                f"dictionary entry {' '.join(source)!r} -> {' '.join(target)!r} has an "
                "empty side. Drop it."
            )
        if max(len(source), len(target)) <= LONGEST:
            listed[source][target] = None
    return listed


def _log_probability(
    model: NgramModel, words: Phrase, measure: Measure
) -> float | None:
    scores = model.full_scores(words, start=False, end=False)
    if any(unknown for *_, unknown in scores):
        return None
    counted = scores[-1:] if measure == "last word" else scores
    return math.log(10) * math.fsum(score for score, *_ in counted)


def _normalise_scores(scores: dict[Phrase, float]) -> dict[Phrase, float]:
    whole = _log_sum(list(scores.values()))
    # A share too small for a float would be 0, and a table has no zeros.
    return {target: max(math.exp(s - whole), 1e-30) for target, s in scores.items()}


def _log_sum(values: list[float]) -> float:
    highest = max(values)
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


def _table(estimates: Estimates, method: str) -> PhraseTable:
    rows = [
        Option(source, target, (share,))
        for source, targets in estimates.items()
        for target, share in targets.items()
    ]
    about = {"method": f"dictionary by {method}"}
    return from_options(rows, scores=["phrase"], about=about)
