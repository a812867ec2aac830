"""Several phrase tables under common numbers: which options are the same in which."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paraphrast.errors import ParaphrastError
from paraphrast.phrase.building import Columns, Runs, columns_of, starts_of
from paraphrast.phrase.table import LONGEST, PhraseTable
from paraphrast.text.strings import Strings, strings

# What a phrase pair gets that a table without reordering scores adds.
EVEN = np.float32(np.log(1 / 3))


@dataclass(frozen=True, eq=False)
class Union:
    """All phrase pairs of some tables, each once.

    ``columns`` has a row a phrase pair, with what the first table says that has it;
    option i of table n is the row ``places[n][i]``.
    """

    vocabularies: tuple[Strings, Strings]
    phrases: tuple[Runs, Runs]
    columns: Columns
    places: list[NDArray[np.intp]]

    def sources_of(self, table: int) -> NDArray[np.bool_]:
        """Say of each row whether a table has its source phrase."""
        return self._known(self.columns.phrases, table, len(self.phrases[0]))

    def targets_of(self, table: int) -> NDArray[np.bool_]:
        """Say of each row whether a table has its target phrase."""
        return self._known(self.columns.outputs, table, len(self.phrases[1]))

    def _known(
        self, numbers: NDArray[np.uint32], table: int, count: int
    ) -> NDArray[np.bool_]:
        known = np.zeros(count, np.bool_)
        known[numbers[self.places[table]]] = True
        return known[numbers]


def unite(tables: Sequence[PhraseTable]) -> Union:
    """Return the union of tables, which must have the same scores."""
    if not tables:
        raise ParaphrastError("there is no phrase table to combine. Give some.")
    names = tables[0].names
    for number, table in enumerate(tables[1:], start=2):
        if table.names != names:
            raise ParaphrastError(
                f"table {number} has the scores {', '.join(table.names)}, but table 1 "
                f"has {', '.join(names)}. Complete the one that has fewer."
            )
    source, sources, phrases = _numbered(
        [table.source for table in tables],
        [Runs(table.phrase_starts, table.phrase_words) for table in tables],
    )
    target, targets, outputs = _numbered(
        [table.target for table in tables],
        [Runs(table.output_starts, table.output_words) for table in tables],
    )
    renumbered = []
    for table, new_phrases, new_outputs in zip(tables, phrases, outputs, strict=True):
        columns = columns_of(table)
        renumbered.append(
            replace(
                columns,
                phrases=new_phrases[columns.phrases],
                outputs=new_outputs[columns.outputs],
            )
        )
    whole = _joined(renumbered)
    keys = whole.phrases.astype(np.uint64) << np.uint64(32) | whole.outputs
    _, first, rows = np.unique(keys, return_index=True, return_inverse=True)
    ends = np.cumsum([len(table) for table in tables])
    places = np.split(rows.astype(np.intp), ends[:-1])
    return Union((source, target), (sources, targets), whole.taken(first), places)


def _numbered(
    vocabularies: list[Strings], runs: list[Runs]
) -> tuple[Strings, Runs, list[NDArray[np.uint32]]]:
    """Return common words and phrases, and the new number of each table's phrases."""
    lists = [vocabulary.all() for vocabulary in vocabularies]
    words = sorted(set().union(*lists))
    numbers = {word: number for number, word in enumerate(words)}
    padded = []
    for listed, run in zip(lists, runs, strict=True):
        new = np.array([numbers[word] for word in listed], np.uint32)
        padded.append(_padded(Runs(run.starts, new[run.words])))
    # As bytes, the most significant first, rows sort as phrases do.
    rows = np.ascontiguousarray(np.concatenate(padded), ">u4")
    keys = rows.view(f"V{4 * LONGEST}").reshape(-1)
    distinct, places = np.unique(keys, return_inverse=True)
    phrases = distinct.view(">u4").reshape(-1, LONGEST)
    used = phrases > 0
    common = Runs(starts_of(used.sum(axis=1)), (phrases[used] - 1).astype(np.uint32))
    ends = np.cumsum([len(part) for part in padded])
    return strings(words), common, np.split(places.astype(np.uint32), ends[:-1])


def _padded(runs: Runs) -> NDArray[np.uint32]:
    """Return a row a phrase: its words' numbers plus 1, then zeros."""
    lengths = runs.lengths()
    if len(lengths) and lengths.max() > LONGEST:
        raise ParaphrastError(
            f"a phrase of {lengths.max()} words is in a table, more than {LONGEST}. "
            "Make the table again."
        )
    rows = np.zeros((len(runs), LONGEST), np.uint32)
    rows[np.arange(LONGEST) < lengths[:, None]] = runs.words + 1
    return rows


def _joined(parts: list[Columns]) -> Columns:
    """Put columns one under the other."""
    width = max(part.reordering.shape[1] for part in parts)
    reordering = [
        part.reordering
        if part.reordering.shape[1] == width
        else np.full((len(part), width), EVEN)
        for part in parts
    ]
    links = [part.link_starts[1:] - part.link_starts[:-1] for part in parts]
    return Columns(
        np.concatenate([part.phrases for part in parts]),
        np.concatenate([part.outputs for part in parts]),
        np.concatenate([part.scores for part in parts]),
        np.concatenate(reordering),
        starts_of(np.concatenate(links)),
        np.concatenate([part.links for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.examples for part in parts]),
    )
