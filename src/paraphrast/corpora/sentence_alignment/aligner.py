"""Moore's three steps: lengths, a word model from certain pairs, both together."""

from collections.abc import Sequence
from dataclasses import dataclass

from paraphrast.corpora.sentence_alignment import model1, search
from paraphrast.corpora.sentence_alignment.lengths import LengthModel, length_model
from paraphrast.corpora.sentence_alignment.model1 import Words
from paraphrast.corpora.sentence_alignment.search import Band, Floats
from paraphrast.corpora.sentence_alignment.word_scores import word_scores
from paraphrast.corpora.sentence_alignment.words import words

# The search begins with this many sentences on either side of the diagonal, and
# is widened until the best path keeps the margin from the edge.
DEVIATION, MARGIN, WIDENING = 20.0, 5.0, 1.5
# Nodes below this log-posterior in the first pass are left out of the second.
EXCLUDED = -20.0
# Above this posterior a 1-1 bead of the first pass trains the word model.
CERTAIN = 0.99
# The word model looks no further into a sentence; lengths count every word.
WORDS_READ = 1000


@dataclass(frozen=True, slots=True)
class Bead:
    """Sentences that correspond, by line index from 0, with their posterior."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    posterior: float


@dataclass(frozen=True, slots=True)
class _Side:
    """The sentences of one document that are not blank."""

    lines: list[int]
    lengths: list[int]
    words: list[Words]


@dataclass(frozen=True, slots=True)
class _FirstPass:
    """The result of the lengths alone: the beads, and the region of the second pass."""

    source: _Side
    target: _Side
    model: LengthModel | None  # None where one side has no sentence at all
    band: Band | None
    beads: list[Bead]


def align_documents(
    documents: Sequence[tuple[Sequence[str], Sequence[str]]],
    *,
    cognates: bool = False,
) -> list[list[Bead]]:
    """Align the sentences of several pairs of documents that share a word model.

    The beads of each pair cover every non-blank line once, in order.
    """
    firsts = [_first_pass(source, target) for source, target in documents]
    certain = [pair for first in firsts for pair in _certain(first)]
    lexicon = model1.train(certain)
    return [_second_pass(first, lexicon, cognates=cognates) for first in firsts]


def align_sentences(
    source: Sequence[str], target: Sequence[str], *, cognates: bool = False
) -> list[Bead]:
    """Align the sentences of two documents by their lengths and words."""
    return align_documents([(source, target)], cognates=cognates)[0]


def align_lengths(source: Sequence[str], target: Sequence[str]) -> list[Bead]:
    """Align the sentences of two documents by their lengths alone."""
    return _first_pass(source, target).beads


def _first_pass(source_lines: Sequence[str], target_lines: Sequence[str]) -> _FirstPass:
    source, target = _side(source_lines), _side(target_lines)
    if not source.lines or not target.lines:
        beads = [Bead((line,), (), 1.0) for line in source.lines]
        beads += [Bead((), (line,), 1.0) for line in target.lines]
        return _FirstPass(source, target, None, None, beads)
    model = length_model(source.lengths, target.lengths)
    band, rows = _widen_band(model)
    posteriors, kept = search.posteriors(rows, band, above=EXCLUDED)
    beads = _beads(posteriors, kept, source, target)
    return _FirstPass(source, target, model, kept, beads)


def _second_pass(
    first: _FirstPass, lexicon: model1.Lexicon, *, cognates: bool
) -> list[Bead]:
    if first.model is None or first.band is None:
        return first.beads
    scores = word_scores(
        lexicon, first.source.words, first.target.words, cognates=cognates
    )
    rows = []
    for i in range(len(first.band.starts)):
        start, stop = first.band.columns(i)
        rows.append(first.model.row(i, start, stop) + scores.row(i, start, stop))
    posteriors, kept = search.posteriors(rows, first.band, above=EXCLUDED)
    return _beads(posteriors, kept, first.source, first.target)


def _side(lines: Sequence[str]) -> _Side:
    sentences = [(number, words(line)) for number, line in enumerate(lines)]
    sentences = [(number, line) for number, line in sentences if line]
    return _Side(
        lines=[number for number, _ in sentences],
        lengths=[len(line) for _, line in sentences],
        words=[line[:WORDS_READ] for _, line in sentences],
    )


def _widen_band(model: LengthModel) -> tuple[Band, list[Floats]]:
    """Widen the band until the best path keeps away from its edge."""
    sources, targets = len(model.sources), len(model.targets) - 1
    reach, strayed = 0.0, DEVIATION / WIDENING
    while True:
        reach = max(strayed * WIDENING, strayed + MARGIN)
        band = search.diagonal_band(sources, targets, deviation=reach)
        rows = [model.row(i, *band.columns(i)) for i in range(len(band.starts))]
        path = [node for node, _ in search.best_path(rows, band)]
        strayed = search.deviation(path, sources, targets)
        if strayed + MARGIN <= reach or reach >= max(sources, targets):
            return band, rows


def _beads(
    posteriors: list[Floats], band: Band, source: _Side, target: _Side
) -> list[Bead]:
    """Return the path with the highest expected number of correct beads.

    Beads with a posterior above one half never contradict each other; a bonus for each
    makes sure that the path includes all of them.
    """
    prize = len(source.lines) + len(target.lines)
    path = search.best_path([row + prize * (row > 0.5) for row in posteriors], band)
    beads = []
    for (i, j), kind in path:
        wide, high = search.SHAPES[kind]
        sources = tuple(source.lines[i - wide : i])
        targets = tuple(target.lines[j - high : j])
        posterior = float(posteriors[i][kind, j - band.starts[i]])
        beads.append(Bead(sources, targets, posterior))
    return beads


def _certain(first: _FirstPass) -> list[tuple[Words, Words]]:
    source = dict(zip(first.source.lines, first.source.words, strict=True))
    target = dict(zip(first.target.lines, first.target.words, strict=True))
    return [
        (source[bead.sources[0]], target[bead.targets[0]])
        for bead in first.beads
        if len(bead.sources) == len(bead.targets) == 1 and bead.posterior > CERTAIN
    ]
