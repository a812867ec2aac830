"""The command ``paraphrast agreement``: parse, call, print."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from paraphrast.metrics.defaults import RESAMPLES, SEED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paraphrast.study.agreement import Report
    from paraphrast.study.alignments import Annotations
    from paraphrast.study.alignments import Report as LinkReport
    from paraphrast.study.judgments import Judgments, Scale


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
    resamples: Annotated[
        int, typer.Option(min=0, help="Bootstrap resamples for the 95% intervals.")
    ] = RESAMPLES,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all that is drawn.")] = SEED,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
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
