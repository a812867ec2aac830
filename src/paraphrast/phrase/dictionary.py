"""A dictionary as a phrase table: probabilities without parallel text (XU12 §2.2.1).

A dictionary lists what may stand for a phrase, not how often. Koehn and Knight (2000)
learn that from text in the target language alone, or in both:

* `by_frequency`: p(e|f) is the language model's probability of e, made to add up to 1
  over the entries of f. XU12 does this, but its published table gives a phrase the
  probability of its last word after the others, which makes phrases of two words and
  more look far too common; the measure "last word" does that too.
* `by_context`: text in the source language is taken for target text that went through
  a channel p(f|e), whose probabilities EM finds while the language model says which
  target words follow each other. What a phrase becomes then depends on its neighbours.

Entries whose target has a word that the model does not know cannot be estimated and
are left out, as XU12 does. A phrase may also stay as it is, if the model knows it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from paraphrast.errors import ParaphrastError, unknown
from paraphrast.phrase.table import LONGEST, Option, PhraseTable

Phrase: TypeAlias = tuple[str, ...]
# Of each source phrase its targets with p(e|f).
Estimates: TypeAlias = dict[Phrase, dict[Phrase, float]]
Measure: TypeAlias = Literal["phrase", "last word"]
# How many times the estimate by frequency counts beside what EM has counted.
PRIOR = 1.0
_MOST_KEPT = 1_000_000


class NgramModel(Protocol):
    """Gives log10 probabilities; `language_model.LanguageModel` does."""

    def full_scores(
        self, words: Sequence[str], *, start: bool = True, end: bool = True
    ) -> Sequence[tuple[float, int, bool]]:
        """Return each word's logarithm, n-gram length, and whether it is unknown."""
        ...


def by_frequency(
    entries: Iterable[tuple[Phrase, Phrase]],
    model: NgramModel,
    *,
    keep_source: bool = True,
    measure: Measure = "phrase",
) -> PhraseTable:
    """Return the entries with p(e|f) from how common each e is."""
    found = frequencies(entries, model, keep_source=keep_source, measure=measure)
    return _table(found, "frequency")


def by_context(
    entries: Iterable[tuple[Phrase, Phrase]],
    model: NgramModel,
    texts: Sequence[Sequence[str]],
    *,
    iterations: int = 5,
    keep_source: bool = True,
) -> PhraseTable:
    """Return the entries with p(e|f) that EM learns from source texts, in words.

    Phrases that do not occur in the texts keep their estimates by frequency.
    """
    if iterations < 1:
        raise ParaphrastError(f"EM needs at least 1 iteration, not {iterations}.")
    prior = frequencies(entries, model, keep_source=keep_source)
    lattice = _Lattice(model, prior)
    counts: Estimates = {}
    for _ in range(iterations):
        counts = lattice.expected(texts)
        lattice.channel = _channel(counts, prior)
    found = {}
    for source, targets in prior.items():
        seen = counts.get(source, {})
        total = sum(seen.values()) + PRIOR
        found[source] = {
            target: (seen.get(target, 0.0) + PRIOR * share) / total
            for target, share in targets.items()
        }
    return _table(found, "context")


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
    listed = _listed(entries)
    found: Estimates = {}
    for source, targets in listed.items():
        if keep_source:
            targets[source] = None
        scores = {
            target: _log_probability(model, target, measure) for target in targets
        }
        known = {target: s for target, s in scores.items() if s is not None}
        if known.keys() - {source}:
            found[source] = _normalised(known)
    if not found:
        raise ParaphrastError(
            "the language model knows no target of the dictionary. Check that both "
            "are tokenised and cased alike, and which side is which."
        )
    return found


def _listed(
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


@dataclass
class _Lattice:
    """All ways to read a source text as targets of a dictionary.

    A word that is no entry stands for itself. ``channel[f][e]`` is p(f|e); before the
    first round, 1 for all. Probabilities of targets are looked up once.
    """

    model: NgramModel
    estimates: Estimates
    channel: Estimates = field(default_factory=dict)
    kept: dict[tuple[str | None, Phrase], float] = field(default_factory=dict)

    def expected(self, texts: Sequence[Sequence[str]]) -> Estimates:
        """Return how often each f was e, over all ways, as the model weighs them."""
        counts: Estimates = defaultdict(lambda: defaultdict(float))
        for text in texts:
            if text:
                self._count(list(text), counts)
            if len(self.kept) > _MOST_KEPT:
                self.kept.clear()
        return counts

    def _count(self, text: list[str], counts: Estimates) -> None:
        arcs = self._arcs(text)
        forward = self._sums(arcs, len(text))
        whole = _log_sum(
            [s + self._end(last) for last, s in forward[len(text)].items()]
        )
        backward = self._from_the_end(arcs, len(text), forward)
        for start, end, source, target in arcs:
            if source not in self.estimates:
                continue
            after = backward[end].get(target[-1])
            if after is None:
                continue
            weight = self._weight(source, target)
            for last, before in forward[start].items():
                chance = before + self._follow(last, target) + weight + after - whole
                counts[source][target] += math.exp(chance)

    def _arcs(self, text: list[str]) -> list[tuple[int, int, Phrase, Phrase]]:
        """Return start, end, source and target of every step, in order of start."""
        arcs = []
        longest = max(map(len, self.estimates))
        for start in range(len(text)):
            for end in range(start + 1, min(start + longest, len(text)) + 1):
                source = tuple(text[start:end])
                known = self.estimates.get(source)
                if known is not None:
                    arcs += [(start, end, source, target) for target in known]
                elif end == start + 1:
                    arcs.append((start, end, source, source))
        return arcs

    def _sums(
        self, arcs: list[tuple[int, int, Phrase, Phrase]], length: int
    ) -> list[dict[str | None, float]]:
        """Return, by place and last target word, the sum over the ways up to there."""
        sums: list[dict[str | None, float]] = [{} for _ in range(length + 1)]
        sums[0][None] = 0.0
        for start, end, source, target in arcs:
            weight = self._weight(source, target)
            here = _log_sum(
                [s + self._follow(last, target) for last, s in sums[start].items()]
            )
            _add(sums[end], target[-1], here + weight)
        return sums

    def _from_the_end(
        self,
        arcs: list[tuple[int, int, Phrase, Phrase]],
        length: int,
        forward: list[dict[str | None, float]],
    ) -> list[dict[str | None, float]]:
        sums: list[dict[str | None, float]] = [{} for _ in range(length + 1)]
        sums[length] = {last: self._end(last) for last in forward[length]}
        for start, end, source, target in reversed(arcs):
            after = sums[end].get(target[-1])
            if after is not None:
                weight = self._weight(source, target) + after
                for last in forward[start]:
                    _add(sums[start], last, self._follow(last, target) + weight)
        return sums

    def _weight(self, source: Phrase, target: Phrase) -> float:
        return math.log(self.channel.get(source, {}).get(target, 1.0))

    def _end(self, last: str | None) -> float:
        return self._follow(last, ())

    def _follow(self, last: str | None, target: Phrase) -> float:
        """Return the logarithm of p(target|last); no target is the sentence's end."""
        known = self.kept.get((last, target))
        if known is None:
            words = target if last is None else (last, *target)
            scores = self.model.full_scores(words, start=last is None, end=not target)
            own = scores if last is None else scores[1:]
            known = math.log(10) * math.fsum(score for score, *_ in own)
            self.kept[last, target] = known
        return known


def _channel(counts: Estimates, prior: Estimates) -> Estimates:
    """Return p(f|e) from how often each f was e, and a little of what was believed."""
    totals: dict[Phrase, float] = defaultdict(float)
    smoothed: Estimates = {}
    for source, targets in prior.items():
        seen = counts.get(source, {})
        # Never 0: what is unseen so far may come back.
        smoothed[source] = {
            target: seen.get(target, 0.0) + 1e-3 * share
            for target, share in targets.items()
        }
        for target, count in smoothed[source].items():
            totals[target] += count
    return {
        source: {target: count / totals[target] for target, count in targets.items()}
        for source, targets in smoothed.items()
    }


def _log_probability(
    model: NgramModel, words: Phrase, measure: Measure
) -> float | None:
    scores = model.full_scores(words, start=False, end=False)
    if any(unknown for *_, unknown in scores):
        return None
    counted = scores[-1:] if measure == "last word" else scores
    return math.log(10) * math.fsum(score for score, *_ in counted)


def _normalised(scores: dict[Phrase, float]) -> dict[Phrase, float]:
    whole = _log_sum(list(scores.values()))
    # A share that a float cannot hold would be 0, and a table has no zeros.
    return {target: max(math.exp(s - whole), 1e-30) for target, s in scores.items()}


def _add(sums: dict[str | None, float], key: str | None, value: float) -> None:
    sums[key] = _log_sum([sums[key], value]) if key in sums else value


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
    return PhraseTable.from_options(rows, scores=["phrase"], about=about)
