"""``paraphrast metrics …``: scores of outputs, comparisons and judges."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.compare import compare
from paraphrast.cli.help import describe
from paraphrast.cli.judges import judge as judge_rows
from paraphrast.cli.judges import meaning, train_judge, trust
from paraphrast.metrics.defaults import RESAMPLES, SEED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paraphrast.metrics.base import Metric, Segment
    from paraphrast.metrics.scoring import Score

app = typer.Typer(
    no_args_is_help=True,
    help="Score rewritten text, with confidence intervals and significance tests.",
)


@app.command("list")
def list_metrics(as_json: options.Json = False) -> None:
    """List the metrics; with --json also their settings and requirements.

    Example: paraphrast metrics list
    """
    from paraphrast import registry
    from paraphrast.metrics.choosing import describe

    records = [
        describe(name, registry.find("metrics", name))
        for name in registry.names("metrics")
    ]
    rows = [(own["name"], str(own["summary"]).replace("``", "")) for own in records]
    printing.print_report(records, printing.format_table(rows), as_json=as_json)


@app.command()
@describe
def score(
    outputs: options.Outputs,
    references: list[Path] | None = None,
    source: Path | None = None,
    to: options.To = "",
    metric: options.Metrics = None,
    judge: options.Judge = None,
    second_judge: Path | None = None,
    pack: list[Path] | None = None,
    per_sentence: options.PerSentence = None,
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Print scores with 95% intervals, followed by the metrics' signatures.

    Without -m or --judge: BLEU if there are references, otherwise PINC. A judge adds
    ACC, SIM, FL, J, GM and a style grade; it requires --to.

    Example: paraphrast metrics score out.txt ref.txt --source in.txt -m bleu -m pinc

    Options:
        references [REFERENCES]: Files of references, parallel line by line.
        source: Source sentences, parallel line by line.
        second_judge JUDGE: Judge of another kind, for comparison.
        pack FOLDER: Pack that made the outputs; a judge used in its training is
            refused.
    """
    from paraphrast.judges import selection
    from paraphrast.metrics.choosing import choose

    segments = _read_segments(outputs, references or [], source, to)
    names = metric or ([] if judge else ["bleu" if references else "pinc"])
    chosen = {text: choose(text) for text in names}
    made_by = {path.name: path for path in pack or []}
    first, second = selection.load_judges(judge, second_judge, made_by)
    if first:
        selection.refuse_unknown_target(first, to)
    chosen |= selection.score_metrics(first, second, to_references=bool(references))
    _print_scores(
        chosen, segments, per_sentence, resamples=resamples, seed=seed, as_json=as_json
    )


@app.command()
@describe
def correlate(
    files: list[Path],
    x: str = "1",
    y: str = "2",
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Correlate a metric with human ratings: Pearson, Spearman, Kendall, 95% intervals.

    Example: paraphrast metrics correlate judged.tsv --x bleu --y adequacy

    Options:
        files FILES: One table (.csv, or columns separated by tabs), or two files of
            numbers.
        x COLUMN: First column: its name or number.
        y COLUMN: Second column: its name or number.
    """
    from dataclasses import asdict

    from paraphrast.metrics import correlation

    columns = _read_two_columns(files, x, y)
    results = [
        correlation.correlate(*columns, kind=kind, resamples=resamples, seed=seed)
        for kind in correlation.KINDS
    ]
    records = [asdict(result) for result in results]
    printing.print_report(records, map(str, results), as_json=as_json)


@app.command()
@describe
def style(
    outputs: options.Outputs,
    source_style: Path,
    target_style: Path,
    per_sentence: options.PerSentence = None,
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Print three style scores: cosine, language model, logistic regression.

    The scores are those of Xu et al. (2012), trained on text in the two styles, which
    must not contain the outputs' sources or references.

    Example: paraphrast metrics style out.txt --source-style modern.txt
    --target-style plays.txt

    Options:
        source_style --source-style: Text in the source style.
        target_style --target-style: Text in the target style.
    """
    from paraphrast.corpora import read_texts
    from paraphrast.metrics.style_scores import (
        StyleScore,
        train_cosine,
        train_language_model,
        train_logistic,
    )

    texts = list(read_texts(source_style)), list(read_texts(target_style))
    chosen = {}
    for train in (train_cosine, train_language_model, train_logistic):
        metric = StyleScore(train(*texts))
        chosen[metric.name] = metric
    segments = _read_segments(outputs, [], None, "")
    _print_scores(
        chosen, segments, per_sentence, resamples=resamples, seed=seed, as_json=as_json
    )


@app.command()
@describe
def nearest(
    outputs: options.Outputs,
    to: options.To,
    split: Literal["train", "dev", "judges"] = "dev",
    corpus: Path | None = None,
    per_sentence: options.PerSentence = None,
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Print nearest-style and content scores for rewrites of the everyday corpus.

    Each output is compared with the fourteen versions of its text by chrF++:
    nearest-style is how often the nearest version has the target style, content is the
    mean chrF++ to it. Outputs must be parallel to the split's plain texts; texts of
    fewer than four words are left out.

    Example: paraphrast corpora read everyday dev:plain:formal | cut -f1 > in.txt

    Example: paraphrast metrics nearest out.txt --to formal

    Options:
        split: Split of the everyday corpus whose plain texts were rewritten.
        corpus FOLDER: Folder of the corpus. [default: the corpus in the package]
    """
    from paraphrast.corpora import catalogue, read_columns
    from paraphrast.corpora.loaders import everyday
    from paraphrast.errors import ParaphrastError, unknown
    from paraphrast.metrics.base import Segment
    from paraphrast.metrics.nearest_style import LEAST_WORDS, Content, NearestStyle

    if to not in everyday.STYLES:
        raise unknown("style of everyday", to, everyday.STYLES)
    folder = corpus or catalogue.locate("everyday")
    texts = [text for text in everyday.read_texts(folder) if text.split == split]
    lines = [line for (line,) in read_columns([outputs])]
    if len(lines) != len(texts):
        raise ParaphrastError(
            f"{outputs}: {len(lines)} outputs for the {len(texts)} texts of {split!r}. "
            f"Rewrite what `corpora read everyday {split}:plain:{to}` prints."
        )
    segments = [
        Segment(
            line, references=tuple(text.versions[s] for s in everyday.STYLES), target=to
        )
        for line, text in zip(lines, texts, strict=True)
        if len(text.versions["plain"].split()) >= LEAST_WORDS
    ]
    _print_scores(
        {"nearest-style": NearestStyle(everyday.STYLES), "content": Content()},
        segments, per_sentence, resamples=resamples, seed=seed, as_json=as_json,
    )  # fmt: skip


app.command()(compare)
app.command("train-judge")(train_judge)
app.command("judge")(judge_rows)
app.command()(meaning)
app.command()(trust)


def _print_scores(
    metrics: "Mapping[str, Metric]",
    segments: "Sequence[Segment]",
    per_sentence: Path | None,
    *,
    resamples: int,
    seed: int,
    as_json: bool,
) -> None:
    from dataclasses import asdict

    from paraphrast.metrics.number_tables import table_lines
    from paraphrast.metrics.scoring import score_all

    values, scores = score_all(metrics, segments, resamples=resamples, seed=seed)
    if per_sentence:
        text = "".join(f"{line}\n" for line in table_lines(values))
        printing.write_text(text, per_sentence)
    records = [{"metric": name, **asdict(score)} for name, score in scores.items()]
    printing.print_report(records, _score_lines(scores), as_json=as_json)


def _score_lines(scores: "Mapping[str, Score]") -> list[str]:
    """Format scores as a table, followed by the signatures."""
    rows = [
        (name, f"{score.value:.2f}", f"[{score.low:.2f}, {score.high:.2f}]")
        for name, score in scores.items()
    ]
    header = ("metric", "score", "95% interval")
    table = printing.format_table(rows, header=header, align="<>>")
    signatures = [
        score.signature if score.name == name else f"{name}: {score.signature}"
        for name, score in scores.items()
    ]
    return [*table, "", *signatures]


def _read_segments(
    outputs: Path, references: list[Path], source: Path | None, target: str
) -> "list[Segment]":
    from paraphrast.corpora import read_columns
    from paraphrast.metrics.base import Segment

    paths = [outputs, *references, *([source] if source else [])]
    count = len(references)
    return [
        Segment(output, rest[count] if source else "", tuple(rest[:count]), target)
        for output, *rest in read_columns(paths)
    ]


def _read_two_columns(files: list[Path], x: str, y: str) -> list[list[float]]:
    from paraphrast.corpora import read_columns, read_lines
    from paraphrast.errors import ParaphrastError
    from paraphrast.metrics.number_tables import read_numbers, read_table

    if len(files) == 1:
        delimiter = "," if ".csv" in files[0].suffixes else "\t"
        return read_table(
            read_lines(files[0]), [x, y], delimiter=delimiter, where=str(files[0])
        )
    if len(files) == 2:
        lines = zip(*read_columns(files), strict=True)
        return [
            read_numbers(column, where=str(path))
            for path, column in zip(files, lines, strict=True)
        ]
    raise ParaphrastError(
        f"metrics correlate reads one table or two files of numbers, not {len(files)} "
        "files."
    )
