"""Filter pairs by STRAP's six stages, as `paraphrast corpora filter` does."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from paraphrast.batch.inputs import Content, Form
from paraphrast.batch.tasks import Output, Run, Task
from paraphrast.batch.tasks.align import PAIRS
from paraphrast.corpora.filtering import Pipeline
from paraphrast.corpora.filtering.blocks import SIZE, Block
from paraphrast.corpora.filtering.run import SAMPLE, fit_similarity
from paraphrast.corpora.filtering.workers import Judge
from paraphrast.corpora.formats import Format
from paraphrast.corpora.formats.jsonl import Jsonl
from paraphrast.corpora.formats.tsv import Tsv
from paraphrast.corpora.lines import MARK
from paraphrast.rewriting.records import dump_json
from paraphrast.text.similarity import HashedSimilarity

SIMILARITY = "similarity.arrays"


@dataclass(frozen=True, slots=True)
class Line:
    """A pair: the line that holds it, and the record as it came."""

    line: str
    format: Format
    raw: bytes


@dataclass(frozen=True)
class Filter(Task):
    """Filtering with the ``thresholds``; the similarity is fitted when it is planned.

    A result with the format of the ``input`` has the pairs that are kept; in JSON Lines
    it has one record per pair, with the stage that drops it, or none.
    """

    name: ClassVar[str] = "filter"
    forms: ClassVar[frozenset[Form]] = PAIRS - {"csv"}
    headed: ClassVar[frozenset[Form]] = frozenset()

    thresholds: Pipeline = field(default_factory=Pipeline)
    result: Literal["jsonl", "input"] = "input"

    @property
    def keeps_form(self) -> bool:
        """Say whether the result has the format of the input."""
        return self.result == "input"

    def result_form(self, form: Form) -> Form:
        """Return the format of the input; rows of Parquet are kept as JSON Lines."""
        return "jsonl" if form == "parquet" else super().result_form(form)

    def models(self) -> dict[str, str]:
        """Return no hashes: the similarity is part of the plan."""
        return {}

    def prepare(self, folder: Path, contents: Iterator[Content]) -> None:
        """Fit the similarity on the first pairs, as many as the command uses."""
        first = next(contents)
        blocks = _read_sample(chain([first], contents))
        chosen = _format(first.form)
        similarity, _ = fit_similarity(blocks, chosen, self.thresholds)
        similarity.save(folder / SIMILARITY)

    def read(self, content: Content) -> list[Line]:
        """Return the pairs."""
        chosen = _format(content.form)
        lines = content.lines(("tsv", "jsonl"))
        raw = io.BytesIO(content.body.removeprefix(MARK))
        return [
            Line(line, chosen, whole.removesuffix(b"\n") + b"\n")
            for line, whole in zip(lines, raw, strict=True)
        ]

    def start(self, folder: Path) -> Run:
        """Load the similarity."""
        similarity = HashedSimilarity.load(folder / SIMILARITY)

        def run(lines: Sequence[Line]) -> list[Output]:
            if not lines:
                return []
            judge = Judge(lines[0].format, self.thresholds, similarity)
            reasons = judge.reasons([(line.line,) for line in lines])
            return [
                self._write(line, stage)
                for line, stage in zip(lines, reasons, strict=True)
            ]

        return run

    def give_up(self, record: Any, why: str) -> Output:
        """Return a pair that is dropped with the reason."""
        return replace(self._write(record, why), failed=True)

    def _write(self, line: Line, stage: str) -> Output:
        if self.result == "jsonl":
            data = f"{dump_json({'line': line.line, 'stage': stage})}\n".encode()
        else:
            data = b"" if stage else line.raw
        return Output(data, stage)


def _format(form: Form) -> Format:
    return cast(Format, Tsv() if form == "tsv" else Jsonl())


def _read_sample(contents: Iterator[Content]) -> Iterator[Block]:
    """Yield the blocks at the start of the input, as `filtering.blocks` cuts them."""
    start = bytearray()
    for content in contents:
        start += content.body
        if len(start) > (SAMPLE + 1) * SIZE:
            break
    file = io.BytesIO(bytes(start))
    while block := file.read(SIZE) + file.readline():
        yield Block((block,), (file.tell(),))
