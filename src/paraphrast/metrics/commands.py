"""``paraphrast metrics …``: parse, call, print."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paraphrast.metrics.defaults import RESAMPLES, SEED

if TYPE_CHECKING:
    from paraphrast.metrics.base import Segment

app = typer.Typer(
    no_args_is_help=True,
    help="Score rewritten text, with intervals and tests.",
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Resamples = Annotated[
    int, typer.Option(min=0, help="Bootstrap resamples for the 95% intervals.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the resamples.")]


@app.callback()
def metrics() -> None:
    """Score rewritten text, with intervals and tests."""


@app.command("list")
def list_metrics(as_json: AsJson = False) -> None:
    """List the metrics; with --json also their settings and what each needs.

    Example: paraphrast metrics list
    """
    from paraphrast import registry
    from paraphrast.metrics.choosing import described

    found = [
        described(name, registry.find("metrics", name))
        for name in registry.names("metrics")
    ]
    if as_json:
        print(json.dumps(found, indent=2))
        return
    width = max((len(str(record["name"])) for record in found), default=0)
    for record in found:
        print(f"{record['name']:<{width}}  {record['summary']}")


@app.command()
def score(
    outputs: Annotated[Path, typer.Argument(help="Outputs, one a line; - is stdin.")],
    references: Annotated[
        list[Path] | None, typer.Argument(help="References, line by line in parallel.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="What the outputs were made from.")
    ] = None,
    target: Annotated[
        str, typer.Option(help="The style aimed at, for metrics of style.")
    ] = "",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            help='A name from `metrics list`, with settings as "bleu:tokenize=none".',
        ),
    ] = None,
    per_sentence: Annotated[
        Path | None,
        typer.Option(help="Write each sentence's values to this file, as TSV."),
    ] = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = SEED,
    as_json: AsJson = False,
) -> None:
    """Print scores, their 95% intervals and their signatures.

    Without -m: BLEU when there are references, otherwise PINC.

    Example: paraphrast metrics score out.txt ref.txt --source in.txt -m bleu -m pinc
    """
    from dataclasses import asdict

    from paraphrast.metrics.base import rows
    from paraphrast.metrics.choosing import choose
    from paraphrast.metrics.columns import table_lines
    from paraphrast.metrics.scoring import score_rows

    segments = _segments(outputs, references or [], source, target)
    each, scores = {}, {}
    for text in metric or ["bleu" if references else "pinc"]:
        chosen = choose(text)
        statistics = rows(chosen, segments)
        each[text] = chosen.each(statistics).tolist()
        scores[text] = score_rows(
            chosen, segments, statistics, resamples=resamples, seed=seed
        )
    if per_sentence:
        from paraphrast import atomic

        with atomic.writer(per_sentence) as file:
            file.writelines(f"{line}\n" for line in table_lines(each))
    if as_json:
        records = [{"metric": text, **asdict(s)} for text, s in scores.items()]
        print(json.dumps(records, indent=2))
        return
    width = max(map(len, scores))
    for text, result in scores.items():
        print(f"{text:<{width}}  {result}")


@app.command()
def correlate(
    files: Annotated[
        list[Path],
        typer.Argument(help="A table (.csv, else tabs), or two files of numbers."),
    ],
    x: Annotated[str, typer.Option(help="First column: a name, or 1, 2, …")] = "1",
    y: Annotated[str, typer.Option(help="Second column: a name, or 1, 2, …")] = "2",
    resamples: Resamples = RESAMPLES,
    seed: Seed = SEED,
    as_json: AsJson = False,
) -> None:
    """Correlate a metric with people: Pearson, Spearman, Kendall, 95% intervals.

    Example: paraphrast metrics correlate judged.tsv --x bleu --y adequacy
    """
    from dataclasses import asdict

    from paraphrast.metrics import correlation

    columns = _two_columns(files, x, y)
    found = [
        correlation.correlate(*columns, kind=kind, resamples=resamples, seed=seed)
        for kind in correlation.KINDS
    ]
    if as_json:
        print(json.dumps([asdict(result) for result in found], indent=2))
        return
    for result in found:
        print(
            f"{result.kind:<8}  {result.value:+.3f} [{result.low:+.3f}, "
            f"{result.high:+.3f}]  bootstrap [{result.bootstrap_low:+.3f}, "
            f"{result.bootstrap_high:+.3f}]  {result.pairs} pairs"
        )


def _segments(
    outputs: Path, references: list[Path], source: Path | None, target: str
) -> "list[Segment]":
    from paraphrast.corpora import read_columns
    from paraphrast.metrics.base import Segment

    paths = [outputs, *references, *([source] if source else [])]
    count = len(references)
    return [
        Segment(
            output,
            source=rest[count] if source else "",
            references=tuple(rest[:count]),
            target=target,
        )
        for output, *rest in read_columns(paths)
    ]


def _two_columns(files: list[Path], x: str, y: str) -> list[list[float]]:
    from paraphrast.corpora import read_columns, read_lines
    from paraphrast.errors import ParaphrastError
    from paraphrast.metrics.columns import read_numbers, read_table

    if len(files) == 1:
        delimiter = "," if ".csv" in files[0].suffixes else "\t"
        return read_table(
            read_lines(files[0]), [x, y], delimiter=delimiter, place=str(files[0])
        )
    if len(files) == 2:
        lines = zip(*read_columns(files), strict=True)
        return [
            read_numbers(column, place=str(path))
            for path, column in zip(files, lines, strict=True)
        ]
    raise ParaphrastError(
        f"correlate reads a table or two files of numbers, not {len(files)} files."
    )
