"""``paraphrast agreement`` and ``paraphrast study …``: parse, call, print."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from paraphrast.metrics.defaults import RESAMPLES, SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paraphrast.study.agreement import Report
    from paraphrast.study.alignments import Annotations
    from paraphrast.study.alignments import Report as LinkReport
    from paraphrast.study.judgments import Judgments, Scale

app = typer.Typer(
    no_args_is_help=True,
    help="Evaluate rewrites by people's judgments, as the papers did.",
)

Files = Annotated[list[Path], typer.Argument(help="Judgments: .csv, .tsv or .jsonl.")]
Resamples = Annotated[
    int, typer.Option(min=0, help="Bootstrap resamples for the 95% intervals.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all that is drawn.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def study() -> None:
    """Evaluate rewrites by people's judgments, as the papers did."""


@app.command()
def paraphrases(
    files: Files,
    resamples: Resamples = RESAMPLES,
    seed: Seed = SEED,
    as_json: AsJson = False,
) -> None:
    """STRAP's scale: 0 no paraphrase, 1 an ungrammatical one, 2 a grammatical one.

    Rows of item, annotator and label; besides system, accurate (1 or 0, the style
    classifier's word, for J), source and output (copies count as 2). The label that two
    chose counts.

    Example: paraphrast study paraphrases judged.csv
    """
    from paraphrast.study import human_tables, paraphrase_scale

    reports = [
        paraphrase_scale.report(system, outputs, resamples=resamples, seed=seed)
        for system, outputs in paraphrase_scale.read(files).items()
    ]
    lines = human_tables.scale_lines(reports)
    _show(human_tables.scale_record(reports), lines, as_json=as_json)


@app.command()
def criteria(
    files: Files,
    baseline: Annotated[
        str | None,
        typer.Option(help="The system to test against.", show_default="the first"),
    ] = None,
    ties: Annotated[
        str, typer.Option(help="Ranks as given, counted dense, or their mean.")
    ] = "given",
    metric: Annotated[
        list[str] | None,
        typer.Option(help="A column with a metric's value, to hold against people."),
    ] = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = SEED,
    as_json: AsJson = False,
) -> None:
    """GYAFC's criteria: formality, fluency, meaning, overall rank, and their sum.

    Rows of system, item and annotator with any of formality (-3 to 3), fluency (1 to
    5), meaning (1 to 6) and rank (1 is best).

    Example: paraphrast study criteria judged.csv --baseline rules --metric bleu
    """
    from paraphrast.study import criteria as marks
    from paraphrast.study import human_tables

    found = marks.report(
        marks.read(files, metrics=metric or []),
        baseline=baseline,
        ties=cast("marks.Ties", ties),
        metrics=metric or [],
        resamples=resamples,
        seed=seed,
    )
    lines = human_tables.criteria_lines(found)
    _show(human_tables.criteria_record(found), lines, as_json=as_json)


def agreement(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]FILE...",
            help="Judgments (.csv, .tsv, .jsonl), or an alignment an annotator.",
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="The files are alignments: jacana, jsonl, multimwa, giza, naacl, "
            "pharaoh.",
            show_default="by ending",
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="Source words, for formats without.")
    ] = None,
    target: Annotated[
        Path | None, typer.Option(help="Target words, for formats without.")
    ] = None,
    initial: Annotated[
        str,
        typer.Option(help="The aligner that annotators of links might start from."),
    ] = "hmm",
    samples: Annotated[
        int, typer.Option(min=1, help="Alignments drawn by chance for each pair.")
    ] = 1_000,
    scale: Annotated[
        str | None,
        typer.Option(help="nominal, ordinal or interval.", show_default="by labels"),
    ] = None,
    order: Annotated[
        str, typer.Option(help="Ordinal labels, lowest first: low,middle,high.")
    ] = "",
    skipped: Annotated[
        list[str] | None,
        typer.Option(help="A label that says: skipped; besides the empty one."),
    ] = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = SEED,
    as_json: AsJson = False,
) -> None:
    """Say how far annotators agree, with 95% intervals.

    Judgments are rows of item, annotator and label, or rows of an item with a column
    an annotator. Alignments are one file an annotator; pairs are matched by name.

    Examples:

      paraphrast agreement judgments.csv

      paraphrast agreement anna=a.align.json bert=b.align.json
    """
    from paraphrast.errors import ParaphrastError
    from paraphrast.study import tables
    from paraphrast.study.reading import holds_links

    named = _named(files)
    record: dict[str, object]
    lines: Iterable[str]
    if form or all(map(holds_links, named.values())):
        if scale or order:
            raise ParaphrastError("--scale and --order are for judgments only.")
        annotations = _annotations(named, form, source, target)
        compared = _compared(
            annotations, initial, samples=samples, resamples=resamples, seed=seed
        )
        record = tables.link_record(annotations, compared)
        lines = tables.link_lines(annotations, compared)
    else:
        labels = [label.strip() for label in order.split(",")] if order else []
        table = _judgments(named, scale, labels, skipped or [])
        report = _agreement(table, resamples=resamples, seed=seed)
        record = tables.judgment_record(table, report)
        lines = tables.judgment_lines(table, report)
    _show(record, lines, as_json=as_json)


def _show(
    record: "Mapping[str, object]", lines: "Iterable[str]", *, as_json: bool
) -> None:
    from paraphrast.study import tables

    if as_json:
        print(json.dumps(tables.finite(record), indent=2, ensure_ascii=False))
    else:
        print("\n".join(line.rstrip() for line in lines))


def _named(files: list[str]) -> dict[str, Path]:
    """Read ``NAME=FILE``; a file alone is called after itself."""
    from paraphrast.errors import ParaphrastError

    named: dict[str, Path] = {}
    for text in files:
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            name, file = Path(text).name.partition(".")[0], text
        if name in named:
            raise ParaphrastError(
                f"two files are called {name!r}, {named[name]} and {file}. "
                "Write NAME=FILE to tell them apart."
            )
        named[name] = Path(file)
    return named


def _judgments(
    named: dict[str, Path], scale: str | None, order: list[str], skipped: list[str]
) -> "Judgments":
    from dataclasses import replace
    from itertools import chain

    from paraphrast.study.judgments import tabulate
    from paraphrast.study.reading import read_judgments

    rows = chain.from_iterable(
        read_judgments(path, annotator=name) for name, path in named.items()
    )
    kept = (replace(row, label="") if row.label in skipped else row for row in rows)
    return tabulate(kept, scale=cast("Scale | None", scale), order=order)


def _agreement(table: "Judgments", *, resamples: int, seed: int) -> "Report":
    from paraphrast.study.agreement import agreement

    return agreement(table, resamples=resamples, seed=seed)


def _annotations(
    named: dict[str, Path], form: str | None, source: Path | None, target: Path | None
) -> "Annotations":
    from paraphrast.align.formats import read_alignments, read_words
    from paraphrast.errors import ParaphrastError
    from paraphrast.study.alignments import gather

    if (source is None) != (target is None):
        raise ParaphrastError("--source and --target belong together; give both.")
    words = read_words(source, target) if source and target else None
    return gather(
        {
            name: list(read_alignments(path, format=form, words=words))
            for name, path in named.items()
        }
    )


def _compared(
    annotations: "Annotations",
    initial: str,
    *,
    samples: int,
    resamples: int,
    seed: int,
) -> "LinkReport":
    from paraphrast.study.alignments import automatic_links, compare

    pairs = [annotations.sentences(name) for name in annotations.pairs]
    links = automatic_links(initial, pairs)
    return compare(
        annotations,
        dict(zip(annotations.pairs, links, strict=True)),
        samples=samples,
        resamples=resamples,
        seed=seed,
    )
