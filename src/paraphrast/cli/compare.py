"""``paraphrast metrics compare``: systems side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from paraphrast.cli import printing
from paraphrast.cli.options import (
    Json,
    Judge,
    Metrics,
    Output,
    ResampleSeed,
    To,
    choice,
    parse_named_paths,
)
from paraphrast.metrics.defaults import SEED

if TYPE_CHECKING:
    from collections.abc import Callable

    from paraphrast.comparison.outcome import Comparison, Correction, Test


def compare(
    outputs: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]FILE", help="Outputs of each system, one per line."
        ),
    ],
    source: Annotated[Path, typer.Option(help="Source sentences.")],
    reference: Annotated[
        list[Path] | None, typer.Option(help="References; repeatable.")
    ] = None,
    to: To = "",
    targets: Annotated[
        Path | None, typer.Option(help="Target styles, one per line.")
    ] = None,
    judge: Judge = None,
    second_judge: Annotated[
        Path | None,
        typer.Option(
            metavar="JUDGE",
            help="Judge of another kind, for comparison, or none.",
            show_default="small, where it fits",
        ),
    ] = None,
    pack: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FOLDER",
            help="Pack that made the outputs; a judge used in its training is refused.",
        ),
    ] = None,
    target_corpus: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STYLE=]FILE",
            help="Text in a target style, for the NAIVE row and the gaming panel.",
        ),
    ] = None,
    valid_source: Annotated[
        Path | None, typer.Option(help="Validation sources, to tune the NAIVE row.")
    ] = None,
    valid_reference: Annotated[
        list[Path] | None, typer.Option(help="Validation references; repeatable.")
    ] = None,
    valid_targets: Annotated[
        Path | None, typer.Option(help="Validation target styles, one per line.")
    ] = None,
    metric: Metrics = None,
    main: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC",
            help="Metric that decides whether NAIVE outdoes a system.",
            show_default="j with a judge, else the first",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Row to test the others against.",
            show_default="the first system",
        ),
    ] = None,
    test: Annotated[
        str, choice("bootstrap", "randomisation", help="Paired significance test.")
    ] = "bootstrap",
    correction: Annotated[
        str, choice("holm", "bh", "none", help="Correction for multiple tests.")
    ] = "holm",
    resamples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of resamples for intervals and tests.",
            show_default="as many as the test needs",
        ),
    ] = None,
    seed: ResampleSeed = SEED,
    layout: Annotated[
        str,
        choice(
            *("text", "json", "csv", "latex", "html"),
            help="Format of the report.",
            flag="--format",
        ),
    ] = "text",
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Compare systems: intervals, paired tests, baselines, signs of gaming.

    The rows COPY (the sources), REFERENCE and NAIVE (copies and random lines of the
    target style) are always there; a system below COPY is named in a warning. Without
    -m: PINC, and BLEU if there are references. A judge adds J, ACC, SIM, FL and GM.

    Example: paraphrast metrics compare --source in.txt --reference ref.txt
    ours=ours.txt theirs=theirs.txt --format html -o report.html
    """
    from paraphrast.comparison.files import Parallel, Request, compare_files
    from paraphrast.errors import ParaphrastError

    if valid_source is None and (valid_reference or valid_targets):
        raise ParaphrastError("validation text needs --valid-source; give it too.")
    validation = valid_source and Parallel(
        valid_source,
        valid_reference or (),
        valid_targets,
        to="" if valid_targets else to,
    )
    request = Request(
        systems=parse_named_paths(outputs, option="the outputs"),
        given=Parallel(source, reference or (), targets, to),
        validation=validation or None,
        metrics=metric or (),
        judge=judge,
        second_judge=second_judge,
        packs=parse_named_paths(pack or [], option="--pack"),
        target_corpus=parse_named_paths(
            target_corpus or [], option="--target-corpus", style=to
        ),
        main=main,
        baseline=baseline,
        test=cast("Test", test),
        correction=cast("Correction", correction),
        resamples=resamples,
        seed=seed,
    )
    write = _writer("json" if as_json else layout)
    printing.write_text(write(compare_files(request)), output)


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
