"""Phrase tables from elsewhere, and several tables as one.

* `from_paraphrases` makes a table of rows (phrase, paraphrase, probability).
* `interpolated` mixes tables: p(e|f) = sum of weight * p_i(e|f). What a table does not
  list is 0 in it; a table that does not know f at all is left out for f, and the other
  weights are made to add up to 1. Inverse scores look at e in this way.
* `learnt_weights` finds the weights under which held-out phrase pairs have the least
  cross-entropy (Sennrich 2012), each score for itself.
* `filled_up` (Bisazza et al. 2011) keeps the first table as it is, adds what only
  later ones have, and tells them apart by a score: 1 for what is from the first, e for
  what is from the later table, so that tuning can say what that costs.

Examples are numbers of training pairs of one corpus: only the first table's are kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.phrase.building import Columns, assemble, columns_of
from paraphrast.phrase.table import NO_EXAMPLE, STANDARD, Option, PhraseTable
from paraphrast.phrase.union import Union, unite

Weights: TypeAlias = Sequence[float] | Mapping[str, Sequence[float]]
LEAST_WEIGHT = 1e-4
_ROUNDS, _ENOUGH = 200, 1e-7


def from_paraphrases(
    rows: Iterable[tuple[str, str, float]], *, about: Mapping[str, Any] | None = None
) -> PhraseTable:
    """Return a table with the score "phrase"; the same pair's probabilities add up.

    Phrases are words with blanks between them. `completed` gives the other scores.
    """
    totals: dict[tuple[str, str], float] = {}
    for phrase, paraphrase, probability in rows:
        key = (phrase, paraphrase)
        totals[key] = totals.get(key, 0.0) + probability
    options = [
        Option(tuple(phrase.split()), tuple(paraphrase.split()), (probability,))
        for (phrase, paraphrase), probability in totals.items()
    ]
    return PhraseTable.from_options(options, scores=["phrase"], about=about)


def completed(table: PhraseTable) -> PhraseTable:
    """Return a table with all standard scores, made of "phrase" where it lacks them.

    p(f|e) is p(e|f), made to add up to 1 over the phrases f that e stands for; scores
    by word are those by phrase.
    """
    if "phrase" not in table.names:
        raise ParaphrastError(
            f"a table with the scores {', '.join(table.names) or 'none'} lacks "
            "'phrase', from which the others are made."
        )
    known = {name: table.scores[:, i] for i, name in enumerate(table.names)}
    columns = columns_of(table)
    direct = np.exp(known["phrase"].astype(np.float64))
    inverse = np.log(direct / np.bincount(columns.outputs, direct)[columns.outputs])
    known.setdefault("inverse phrase", inverse.astype(np.float32))
    known.setdefault("inverse words", known["inverse phrase"])
    known.setdefault("words", known["phrase"])
    names = [*STANDARD, *(name for name in table.names if name not in STANDARD)]
    scores = np.stack([known[name] for name in names], axis=1)
    return replace(table, scores=scores, about={**table.about, "scores": names})


def interpolated(tables: Sequence[PhraseTable], weights: Weights) -> PhraseTable:
    """Return one table that mixes all; weights are one a table, or so by score."""
    union = unite(tables)
    names = tables[0].names
    shares = _shares(weights, names, len(tables))
    scores = np.empty((len(union.columns), len(names)), np.float32)
    for column, name in enumerate(names):
        given = union.targets_of if name.startswith("inverse ") else union.sources_of
        total = np.zeros(len(scores))
        whole = np.zeros(len(scores))
        for number, table in enumerate(tables):
            weight = shares[name][number]
            probabilities = np.exp(table.scores[:, column].astype(np.float64))
            total[union.places[number]] += weight * probabilities
            whole += weight * given(number)
        scores[:, column] = np.log(total / whole)
    reordering = _reordering(union, tables, shares)
    columns = replace(_merged(union, tables), scores=scores, reordering=reordering)
    weighed = {name: [round(w, 6) for w in shares[name]] for name in names}
    about = {**tables[0].about, "interpolated": weighed}
    return assemble(union.vocabularies, union.phrases, columns, about)


def filled_up(tables: Sequence[PhraseTable]) -> PhraseTable:
    """Return the first table with what only later ones have, one more score each."""
    union = unite(tables)
    origin = np.full(len(union.columns), len(tables))
    for number in reversed(range(len(tables))):
        origin[union.places[number]] = number
    marks = origin[:, None] == np.arange(1, len(tables))
    columns = replace(
        _merged(union, tables),
        scores=np.concatenate([union.columns.scores, marks.astype(np.float32)], axis=1),
    )
    names = [*tables[0].names, *(f"from table {n}" for n in range(2, len(tables) + 1))]
    about = {**tables[0].about, "scores": names}
    return assemble(union.vocabularies, union.phrases, columns, about)


def learnt_weights(
    tables: Sequence[PhraseTable], held_out: PhraseTable
) -> dict[str, list[float]]:
    """Return the weights a score under which held-out counts are likeliest.

    EM finds them: mixing weights have a single best value (where a table that does not
    know a phrase gives it 0; what `interpolated` mends there is not foreseen). No
    weight falls below `LEAST_WEIGHT`, for each table knows what the others do not.
    """
    names = tables[0].names
    # Only which phrase pairs are held out, and how often, is looked at.
    borrowed = np.zeros((len(held_out), len(names)), np.float32)
    about = {**held_out.about, "scores": list(names)}
    union = unite([*tables, replace(held_out, scores=borrowed, about=about)])
    counts = np.zeros(len(union.columns))
    counts[union.places[-1]] = held_out.counts
    result = {}
    for column, name in enumerate(names):
        chances = np.zeros((len(union.columns), len(tables)))
        for number, table in enumerate(tables):
            chances[union.places[number], number] = np.exp(table.scores[:, column])
        seen = (counts > 0) & (chances > 0).any(axis=1)
        if not seen.any():
            raise ParaphrastError(
                "no held-out phrase pair is in any of the tables. Hold out text of "
                "the same kind, prepared in the same way."
            )
        result[name] = _mixture(chances[seen], counts[seen]).tolist()
    return result


def cross_entropy(
    table: PhraseTable, held_out: PhraseTable, name: str = "phrase"
) -> float:
    """Return the bits a held-out phrase pair that the table has, by one score."""
    column = table.names.index(name)
    scores = {(o.source, o.target): o.probabilities[column] for o in table}
    known = [
        (option.count, scores[option.source, option.target])
        for option in held_out
        if (option.source, option.target) in scores
    ]
    total = sum(count for count, _ in known)
    if not total:
        raise ParaphrastError("no held-out phrase pair is in the table.")
    return -sum(count * float(np.log2(chance)) for count, chance in known) / total


def _mixture(
    chances: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights = np.full(chances.shape[1], 1 / chances.shape[1])
    for _ in range(_ROUNDS):
        parts = chances * weights
        parts /= parts.sum(axis=1, keepdims=True)
        new = counts @ parts / counts.sum()
        new = np.maximum(new, LEAST_WEIGHT)
        new /= new.sum()
        change = float(np.abs(new - weights).max())
        weights = new
        if change < _ENOUGH:
            break
    return weights


def _shares(
    weights: Weights, names: Sequence[str], tables: int
) -> dict[str, list[float]]:
    """Return weights a score that add up to 1."""
    given = weights if isinstance(weights, Mapping) else dict.fromkeys(names, weights)
    shares = {}
    for name in names:
        values = list(given.get(name, ()))
        if len(values) != tables or not all(0 < value < np.inf for value in values):
            raise ParaphrastError(
                f"score {name!r}: {tables} tables need as many weights above 0, not "
                f"{values}. To give a table none, leave it out."
            )
        shares[name] = [value / sum(values) for value in values]
    return shares


def _reordering(
    union: Union, tables: Sequence[PhraseTable], shares: Mapping[str, Sequence[float]]
) -> NDArray[np.float32]:
    """Mix the reordering of the tables that have a phrase pair and such scores."""
    if not any(table.has_reordering for table in tables):
        return union.columns.reordering
    weights = shares.get("phrase") or next(iter(shares.values()))
    total = np.zeros((len(union.columns), 6))
    whole = np.zeros(len(union.columns))
    for number, table in enumerate(tables):
        if table.has_reordering:
            places = union.places[number]
            total[places] += weights[number] * np.exp(table.reordering)
            whole[places] += weights[number]
    total[whole == 0], whole[whole == 0] = 1 / 3, 1.0
    mixed: NDArray[np.float32] = np.log(total / whole[:, None]).astype(np.float32)
    return mixed


def _merged(union: Union, tables: Sequence[PhraseTable]) -> Columns:
    """Add up the counts, and forget examples of other corpora than the first."""
    counts = np.zeros(len(union.columns))
    for number, table in enumerate(tables):
        counts[union.places[number]] += table.counts
    first = np.zeros(len(union.columns), np.bool_)
    first[union.places[0]] = True
    examples = np.where(first, union.columns.examples, np.uint32(NO_EXAMPLE))
    return replace(union.columns, counts=counts.astype(np.float32), examples=examples)
