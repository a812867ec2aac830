"""Align the words of each pair, as `paraphrast align pairs` does."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from paraphrast.align import choosing
from paraphrast.align.base import SAVED, Preference
from paraphrast.align.formats.jsonl import Tokenise, as_record
from paraphrast.align.rows import Form as RowForm
from paraphrast.align.rows import Row, align_rows, parse_row
from paraphrast.batch.inputs import Content, Form
from paraphrast.batch.tasks import Output, Run, Task
from paraphrast.storage import sealed_folder
from paraphrast.text import tokenise

PAIRS: frozenset[Form] = frozenset(("tsv", "jsonl", "csv", "parquet"))


@dataclass(frozen=True)
class Align(Task):
    """Word alignment with the aligner ``using``, or with a trained ``model``.

    ``prefer`` is the operating point of an aligner that has several.
    """

    name: ClassVar[str] = "align"
    forms: ClassVar[frozenset[Form]] = PAIRS
    headed: ClassVar[frozenset[Form]] = frozenset(("csv",))

    using: str | None = None
    model: Path | None = None
    prefer: Preference | None = None
    tokenized: bool = False

    def resolve(self) -> "Align":
        """Name the aligner, and the model by a path that every worker knows."""
        if self.model:
            return replace(self, model=self.model.absolute())
        return replace(self, using=self.using or choosing.default())

    def models(self) -> dict[str, str]:
        """Return the hash of the model's manifest, which has those of its files."""
        if self.model is None:
            choosing.load(self.using, prefer=self.prefer)
            return {}
        sealed_folder.verify(self.model, SAVED)
        return {"aligner": sealed_folder.sha256(self.model / SAVED.manifest)}

    def read(self, content: Content) -> list[Row]:
        """Return the pairs in words."""
        form: RowForm = "tsv" if content.form == "tsv" else "jsonl"
        return [
            parse_row(
                line.encode("utf-8", "surrogateescape"),
                "",
                form=form,
                split=self._split,
            )
            for line in content.lines(("tsv", "jsonl"))
        ]

    def start(self, folder: Path) -> Run:
        """Load the aligner."""
        aligner = choosing.load(self.using, self.model, prefer=self.prefer)

        def run(pairs: Sequence[Row]) -> list[Output]:
            return [_write(row, record) for row, record in align_rows(pairs, aligner)]

        return run

    def give_up(self, record: Any, why: str) -> Output:
        """Return the pair without links, and the reason."""
        row = replace(record, error=why)
        kept = {"error": why} | ({"line": row.line} if row.line else {})
        return _write(row, as_record(replace(row.pair, links=())) | kept)

    @property
    def _split(self) -> tuple[Tokenise, Tokenise]:
        return (str.split, str.split) if self.tokenized else (tokenise, tokenise)


def _write(row: Row, record: dict[str, Any]) -> Output:
    line = json.dumps(record, ensure_ascii=False)
    return Output(f"{line}\n".encode(), row.error, failed=bool(row.error))
