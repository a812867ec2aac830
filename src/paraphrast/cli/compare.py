"""``paraphrast metrics compare``: systems side by side."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe, unpack
from paraphrast.metrics.defaults import SEED

if TYPE_CHECKING:
    from collections.abc import Callable

    from paraphrast.comparison.files import ComparisonRequest, Parallel
    from paraphrast.comparison.outcome import Comparison


@dataclass(frozen=True)
class _Asked:
    """The arguments of `compare`, which documents the fields."""

    outputs: list[str]
    source: Path
    reference: list[Path] | None = None
    to: options.To = ""
    targets: Path | None = None
    judge: options.Judge = None
    second_judge: Path | None = None
    pack: list[str] | None = None
    target_corpus: list[str] | None = None
    valid_source: Path | None = None
    valid_reference: list[Path] | None = None
    valid_targets: Path | None = None
    metric: options.Metrics = None
    main: str | None = None
    baseline: str | None = None
    test: Literal["bootstrap", "randomisation"] = "bootstrap"
    correction: Literal["holm", "bh", "none"] = "holm"
    resamples: Annotated[int | None, typer.Option(min=1)] = None
    seed: options.ResampleSeed = SEED
    layout: Literal["text", "json", "csv", "latex", "html"] = "text"
    as_json: options.Json = False
    output: options.Output = None

    def request(self) -> "ComparisonRequest":
        """Return what to compare and how."""
        from paraphrast.comparison.compare import Plan
        from paraphrast.comparison.files import ComparisonRequest, Parallel

        return ComparisonRequest(
            systems=options.parse_named_paths(self.outputs, option="the outputs"),
            given=Parallel(self.source, self.reference or (), self.targets, self.to),
            validation=self._validation(),
            metrics=self.metric or (),
            judge=self.judge,
            second_judge=self.second_judge,
            packs=options.parse_named_paths(self.pack or [], option="--pack"),
            target_corpus=options.parse_named_paths(
                self.target_corpus or [], option="--target-corpus", style=self.to
            ),
            plan=Plan(
                main=self.main,
                baseline=self.baseline,
                resamples=self.resamples,
                seed=self.seed,
                test=self.test,
                correction=self.correction,
            ),
        )

    def _validation(self) -> "Parallel | None":
        from paraphrast.comparison.files import Parallel
        from paraphrast.errors import ParaphrastError

        references, targets = self.valid_reference or (), self.valid_targets
        if self.valid_source is None:
            if references or targets:
                raise ParaphrastError("validation text needs --valid-source. Add it.")
            return None
        to = "" if targets else self.to
        return Parallel(self.valid_source, references, targets, to)


@describe
@unpack
def compare(asked: _Asked) -> None:
    """Compare systems, with intervals, paired tests, baselines and signs of gaming.

    The rows COPY (the sources), REFERENCE and NAIVE (copies and random lines in the
    target style) are always included, and a warning names systems that score below
    COPY. Without -m: PINC, and BLEU if there are references. A judge adds J, ACC, SIM,
    FL and GM.

    Example: paraphrast metrics compare --source in.txt --reference ref.txt
    ours=ours.txt theirs=theirs.txt --format html -o report.html

    Options:
        outputs [NAME=]FILE: Outputs of each system, one per line.
        source --source: Source sentences.
        reference: References; repeatable.
        targets: Target styles, one per line.
        second_judge JUDGE: Judge of another kind, for comparison, or none. [default:
            small, if applicable]
        pack [NAME=]FOLDER: Pack that made the outputs; a judge used in its training is
            refused.
        target_corpus [STYLE=]FILE: Text in a target style, for the NAIVE row and the
            gaming panel.
        valid_source: Validation sources for tuning the NAIVE row.
        valid_reference: Validation references; repeatable.
        valid_targets: Validation target styles, one per line.
        main METRIC: Main metric, for warnings and the bar plot. [default: j with a
            judge, otherwise the first]
        baseline NAME: Baseline row for the tests. [default: the first system]
        test: Paired significance test.
        correction: Correction for multiple tests.
        resamples: Number of resamples for intervals and tests. [default: as many as the
            test needs]
        layout --format: Format of the report.
    """
    from paraphrast.comparison.files import compare_files

    write = _writer("json" if asked.as_json else asked.layout)
    printing.write_text(write(compare_files(asked.request())), asked.output)


def _writer(layout: str) -> "Callable[[Comparison], str]":
    from paraphrast.comparison import tables

    if layout == "html":
        from paraphrast.comparison import report

        return report.html
    return {
        "text": tables.text,
        "json": tables.as_json,
        "csv": tables.as_csv,
        "latex": tables.latex,
    }[layout]
