"""Paraphrases through another language: aligned pair by pair, then summed.

Each pair of an English sentence and its translation is aligned with a trained model;
the paraphrases are extracted when the job is finished. See
`paraphrast.paraphrases.pivot`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from paraphrast.align.base import AlignedPair
from paraphrast.align.formats.jsonl import Tokenise, parse_record
from paraphrast.batch.tasks.align import Align
from paraphrast.paraphrases.pivot import Settings, extract_aligned
from paraphrast.paraphrases.words import english_words, foreign_words

TABLE = "result.table"


@dataclass(frozen=True)
class Pivot(Align):
    """Alignment of translations with a ``model``, and the phrases of ``extraction``."""

    name: ClassVar[str] = "pivot"
    reduces: ClassVar[bool] = True

    extraction: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        """Refuse a monolingual aligner."""
        if self.model is None:
            raise ValueError(
                "pivot needs a trained aligner. Train one with `paraphrast align train "
                "fast-align PAIRS -o FOLDER`, and give --model FOLDER."
            )

    def reduce(self, paths: Sequence[Path], folder: Path) -> Path:
        """Make the table of paraphrases."""
        table = extract_aligned(
            _read_aligned(paths), settings=self.extraction, folder=folder
        )
        table.save(folder / TABLE)
        return folder / TABLE

    @property
    def _split(self) -> tuple[Tokenise, Tokenise]:
        return super()._split if self.tokenized else (english_words, foreign_words)


def _read_aligned(paths: Sequence[Path]) -> Iterator[AlignedPair]:
    for path in paths:
        with path.open(encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                if "error" not in record:
                    yield parse_record(record, str(path))
