"""``paraphrast metrics …``: parse, call, print."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from paraphrast.metrics.defaults import RESAMPLES, SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paraphrast.comparison.outcome import Comparison, Correction, File, Test
    from paraphrast.judges.judge import Judge
    from paraphrast.metrics.base import Metric, Segment
    from paraphrast.metrics.scoring import Score

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
        str,
        typer.Option(
            "--to", "--target", help="The style aimed at, for metrics of style."
        ),
    ] = "",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            help='A name from `metrics list`, with settings as "bleu:tokenize=none".',
        ),
    ] = None,
    judge: Annotated[
        Path | None,
        typer.Option(
            help="small, large, or a folder of a judge; adds ACC, SIM, FL, J, GM and "
            "a grade of style."
        ),
    ] = None,
    second_judge: Annotated[
        Path | None,
        typer.Option(help="A judge of another kind, reported beside the first."),
    ] = None,
    pack: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER",
            help="The pack that made the outputs: its own judge is refused.",
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

    Without -m or --judge: BLEU when there are references, otherwise PINC.

    Example: paraphrast metrics score out.txt ref.txt --source in.txt -m bleu -m pinc
    """
    from paraphrast.metrics.choosing import choose

    segments = _segments(outputs, references or [], source, target)
    names = metric or ([] if judge else ["bleu" if references else "pinc"])
    chosen = {text: choose(text) for text in names}
    chosen |= _judging(judge, second_judge, [Path(text) for text in pack or []])
    each, scores = _scored(chosen, segments, resamples=resamples, seed=seed)
    if per_sentence:
        _write_values(per_sentence, each)
    _show_scores(scores, as_json=as_json)


@app.command()
def compare(
    outputs: Annotated[
        list[str], typer.Argument(metavar="[NAME=]FILE...", help="A system's outputs.")
    ],
    source: Annotated[Path, typer.Option(help="What the outputs were made from.")],
    reference: Annotated[
        list[Path] | None, typer.Option(help="References; may be given repeatedly.")
    ] = None,
    to: Annotated[str, typer.Option(help="The style aimed at.")] = "",
    targets: Annotated[
        Path | None, typer.Option(help="The style aimed at, one a line.")
    ] = None,
    judge: Annotated[
        Path | None,
        typer.Option(
            help="small, large, or a folder of a judge; adds J, ACC, SIM, FL, GM."
        ),
    ] = None,
    second_judge: Annotated[
        Path | None,
        typer.Option(
            help="A judge of another kind beside the first; none for none.",
            show_default="small, if it may",
        ),
    ] = None,
    pack: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FOLDER",
            help="The pack that made the outputs: its own judge is refused.",
        ),
    ] = None,
    target_corpus: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STYLE=]FILE", help="Text of a target style, for NAIVE and gaming."
        ),
    ] = None,
    valid_source: Annotated[
        Path | None, typer.Option(help="Validation inputs, to tune NAIVE on.")
    ] = None,
    valid_reference: Annotated[
        list[Path] | None, typer.Option(help="Validation references.")
    ] = None,
    valid_targets: Annotated[
        Path | None, typer.Option(help="The style aimed at, one a validation line.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            help='A name from `metrics list`, with settings as "bleu:tokenize=none".',
        ),
    ] = None,
    main: Annotated[
        str | None, typer.Option(help="The metric to warn by; else the first.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The row to test against; else the first system.")
    ] = None,
    test: Annotated[
        str, typer.Option(help="bootstrap or randomisation.")
    ] = "bootstrap",
    correction: Annotated[str, typer.Option(help="holm, bh or none.")] = "holm",
    resamples: Annotated[
        int | None,
        typer.Option(min=1, help="For intervals and tests.", show_default="by test"),
    ] = None,
    seed: Seed = SEED,
    layout: Annotated[
        str, typer.Option("--format", help="text, json, csv, latex or html.")
    ] = "text",
    as_json: AsJson = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file.")
    ] = None,
) -> None:
    """Compare systems: intervals, paired tests, yardsticks, gaming.

    COPY, REFERENCE and NAIVE are always among the rows. Without -m: PINC, and BLEU
    when there are references.

    Example: paraphrast metrics compare --source in.txt --reference ref.txt
    ours=ours.txt theirs=theirs.txt --format html -o report.html
    """
    from dataclasses import replace

    from paraphrast.comparison import compare as comparison
    from paraphrast.metrics.choosing import choose

    shown = _layout("json" if as_json else layout)
    systems = _named(outputs, option="the outputs")
    styles = _named(target_corpus or [], option="--target-corpus", style=to)
    references = reference or []
    chosen = metric or (["bleu", "pinc"] if references else ["pinc"])
    given = _parallel(source, references, targets, list(systems.values()), to=to)
    validation = _validation(valid_source, valid_reference or [], valid_targets, to=to)
    made_by = _named(pack or [], option="--pack")
    judged = _two_judges(judge, second_judge, made_by, targets=given[2])
    result = comparison.compare(
        dict(zip(systems, given[3:], strict=True)),
        given[0],
        given[1],
        metrics={_label(text, chosen): choose(text) for text in chosen},
        judge=judged[0],
        second=judged[1],
        targets=given[2],
        validation=validation,
        target_corpus={style: _texts(path) for style, path in styles.items()},
        main=main,
        baseline=baseline,
        resamples=resamples,
        seed=seed,
        test=cast("Test", test),
        correction=cast("Correction", correction),
    )
    files: dict[str, list[Path | None]] = {
        "source": [source],
        "reference": [*references],
        "targets": [targets],
        "validation": [valid_source, *(valid_reference or []), valid_targets],
        **{f"pack {name}": [path / "pack.toml"] for name, path in made_by.items()},
        **{f"target corpus {style}".strip(): [path] for style, path in styles.items()},
        **{f"system {name}": [path] for name, path in systems.items()},
    }
    text = shown(replace(result, files=_hashed(files)))
    if output:
        from paraphrast.storage import atomic

        with atomic.writer(output) as file:
            file.write(text)
    else:
        print(text, end="")


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


@app.command()
def style(
    outputs: Annotated[Path, typer.Argument(help="Outputs, one a line; - is stdin.")],
    source_style: Annotated[Path, typer.Option(help="Text of the style to leave.")],
    target_style: Annotated[Path, typer.Option(help="Text of the style aimed at.")],
    per_sentence: Annotated[
        Path | None,
        typer.Option(help="Write each sentence's values to this file, as TSV."),
    ] = None,
    resamples: Resamples = RESAMPLES,
    seed: Seed = SEED,
    as_json: AsJson = False,
) -> None:
    """Print XU12's three style scores: cosine, language model, logistic regression.

    They are learnt from the two styles' text, which must not contain the outputs'
    sources or references.

    Example: paraphrast metrics style out.txt --source-style modern.txt
    --target-style plays.txt
    """
    from paraphrast.metrics import style_cosine, style_language_model, style_logistic
    from paraphrast.metrics.style_score import StyleScore

    texts = _texts(source_style), _texts(target_style)
    chosen = {}
    for kind in (style_cosine, style_language_model, style_logistic):
        metric = StyleScore(kind.train(*texts))
        chosen[metric.name] = metric
    segments = _segments(outputs, [], None, "")
    each, scores = _scored(chosen, segments, resamples=resamples, seed=seed)
    if per_sentence:
        _write_values(per_sentence, each)
    _show_scores(scores, as_json=as_json)


@app.command()
def train_judge(
    output: Annotated[Path, typer.Option("-o", "--output", help="The judge's folder.")],
    texts: Annotated[
        Path | None,
        typer.Argument(metavar="[FOLDER]", help="Holds a STYLE.txt for each style."),
    ] = None,
    style: Annotated[
        list[str] | None,
        typer.Option(metavar="STYLE=FILE", help="Text of a style; give two or more."),
    ] = None,
    valid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STYLE=FILE",
            help="Text to calibrate and measure on; else a tenth of each style.",
        ),
    ] = None,
    acceptability: Annotated[
        Path | None,
        typer.Option(help="Judgments in CoLA's format, to learn fluency from."),
    ] = None,
    backbone: Annotated[
        Path | None,
        typer.Option(
            help="A pretrained encoder (MiniLM, MPNet, SmolLM2) to tell styles by, in "
            "Hugging Face's format; needs the extra `train`.",
            show_default="none: n-grams",
        ),
    ] = None,
    epochs: Annotated[
        float, typer.Option(min=0.01, help="Passes over the texts, with a backbone.")
    ] = 3.0,
    device: Annotated[
        str, typer.Option(help="auto, cpu or cuda; what a backbone is trained on.")
    ] = "auto",
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of corruptions and of training.")
    ] = SEED,
    as_json: AsJson = False,
) -> None:
    """Train a judge: accuracy, similarity and fluency, in one folder.

    Use it with `metrics compare --judge`. It must have no part in the systems that
    it is to judge: neither their training nor their choice among candidates.

    Example: paraphrast metrics train-judge --style modern=modern.txt
    --style shakespeare=plays.txt -o judge
    """
    styles = _styles(texts, style or [])
    held_out = {
        name: _texts(path)
        for name, path in _named(valid or [], option="--valid").items()
    }
    given: dict[str, Any] = {
        "valid": held_out,
        "judged": _judgments(acceptability) if acceptability else None,
        "seed": seed,
        "progress": lambda step: typer.echo(step, err=True),
    }
    if backbone:
        classifier = _classifier()
        settings = classifier.Settings(epochs=epochs, device=device)
        judge = classifier.train(styles, backbone, output, settings=settings, **given)
    else:
        from paraphrast.judges import judge as judges

        judge = judges.train_judge(styles, **given)
        judge.save(output)
    if as_json:
        record = {"folder": str(output), "hashes": judge.hashes(), **judge.about}
        print(json.dumps(record, indent=2))
        return
    for name, value in judge.about["held_out"].items():
        print(f"{name.replace('_', ' '):<18}  {value}")


def _styles(folder: Path | None, given: list[str]) -> dict[str, list[str]]:
    """Return the texts of each style: a folder's files, and those given by name."""
    from paraphrast.errors import ParaphrastError

    paths: dict[str, Path] = {}
    if folder:
        paths = {path.stem: path for path in sorted(folder.glob("*.txt"))}
    paths |= _named(given, option="--style")
    if len(paths) < 2:
        where = f" in {folder}" if folder else ""
        raise ParaphrastError(
            f"a judge needs two styles or more, found {len(paths)}{where}. Give "
            "--style STYLE=FILE for each, or a folder with a STYLE.txt for each."
        )
    return {name: _texts(path) for name, path in paths.items()}


def _classifier() -> "Any":
    """Return what trains an encoder, which needs torch."""
    from paraphrast.errors import ParaphrastError

    try:
        from paraphrast.judges.training import classifier
    except ImportError as error:
        raise ParaphrastError(
            f"--backbone needs {error.name}, which is not installed: "
            "pip install 'paraphrast[train]'."
        ) from error
    return classifier


@app.command()
def meaning(
    pairs: Annotated[Path, typer.Argument(help="Pairs: .tsv or .jsonl.")],
    as_json: AsJson = False,
) -> None:
    """Check pairs for changed names, numbers, negation, roles, opposites and mood.

    A line a pair: how much of a similarity is left (1: nothing was found), and why.

    Example: paraphrast metrics meaning rewrites.tsv
    """
    from dataclasses import asdict

    from paraphrast.corpora import read_pairs
    from paraphrast.judges.meaning_checks import CheckedSimilarity
    from paraphrast.text.similarity import HashedSimilarity

    checks = CheckedSimilarity(HashedSimilarity())
    for pair in read_pairs(pairs):
        found = checks.explained(pair.source, pair.target)
        left = checks.factor(pair.source, pair.target)
        if as_json:
            listed = [{**asdict(one), "left": value} for one, value in found]
            print(json.dumps({"left": left, "findings": listed}, ensure_ascii=False))
        else:
            print(
                f"{left:.2f}", *(f"{f.check}: {f.reason}" for f, _ in found), sep="  "
            )


@app.command()
def judge(
    file: Annotated[
        Path,
        typer.Argument(help="TSV or JSONL with source, output, reference; - is stdin."),
    ],
    to: Annotated[str, typer.Option(help="The style aimed at.")] = "",
    plain: Annotated[
        bool, typer.Option("--plain", help="Judge each line as a text alone.")
    ] = False,
    checks: Annotated[
        bool,
        typer.Option(help="Check beside the model what it was not taught to see."),
    ] = True,
    looks: Annotated[
        bool, typer.Option(help="Let case and punctuation count for formality.")
    ] = True,
    by: Annotated[
        Path, typer.Option("--judge", help="small, large, or a judge's folder.")
    ] = Path("small"),
) -> None:
    """Judge each row: style, similarity, fluency, formality; a JSON record a line.

    Style and fluency are probabilities, similarity is from 0 to 1, formality from -3
    to 3. What cannot be computed is null, and "why" says why. Needs no network.

    Example: paraphrast metrics judge rewrites.tsv --to shakespeare
    """
    from dataclasses import replace

    from paraphrast.corpora import read_lines
    from paraphrast.judges import judge as judges
    from paraphrast.judges import judging
    from paraphrast.judges.meaning_checks import beside

    loaded = judges.load(by)
    if checks:
        loaded = replace(loaded, similarity=beside(loaded.similarity))
    if not looks:
        loaded = loaded.without_looks()
    given = judging.rows(read_lines(file), place=str(file), plain=plain)
    counts = judging.Counts()
    for record in judging.judged(loaded, given, counts, to=to, plain=plain):
        print(json.dumps(record, ensure_ascii=False))
    typer.echo(str(counts), err=True)


@app.command()
def trust(
    judge: Annotated[
        Path | None,
        typer.Option(
            help="A judge's folder.", show_default="the linear one, trained now"
        ),
    ] = None,
    corpora: Annotated[
        list[str] | None,
        typer.Option(help="Only these corpora of the catalogue; repeatable."),
    ] = None,
    mirror: Annotated[
        Path | None,
        typer.Option(
            envvar="PARAPHRAST_MIRROR", help="A folder with copies of the corpora."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say how far a judge can be trusted: training, agreement with people, faults.

    Every evaluator of the judge is held against the judgments that are at hand and put
    to minimal pairs. Corpora that are missing are named.

    Example: PARAPHRAST_MIRROR=data paraphrast metrics trust --judge judge
    """
    from paraphrast.judges import judge as judges
    from paraphrast.storage import atomic
    from paraphrast.study import trust as trusting

    folders, missing = _located(corpora or list(trusting.CORPORA), mirror)
    name = judge.name if judge else "linear"
    loaded = judges.load(judge) if judge else _linear(folders)
    found = trusting.examine(
        loaded,
        folders,
        missing=missing,
        progress=lambda step: typer.echo(step, err=True),
    )
    record = trusting.record(found, name=name)
    lines = "\n".join(trusting.lines(record))
    text = json.dumps(record, indent=2, ensure_ascii=False) if as_json else lines
    if output:
        with atomic.writer(output) as file:
            file.write(f"{text}\n")
    else:
        print(text)


def _located(
    names: list[str], mirror: Path | None
) -> tuple[dict[str, Path], dict[str, str]]:
    """Return the folders of corpora that are at hand, and why others are not."""
    from paraphrast.corpora import catalogue
    from paraphrast.errors import ParaphrastError

    folders, missing = {}, {}
    for name in names:
        catalogue.entry(name)  # an unknown name is the user's mistake
        try:
            folders[name] = catalogue.locate(name, mirror=mirror)
        except ParaphrastError as error:
            missing[name] = str(error)
    return folders, missing


def _linear(folders: "Mapping[str, Path]") -> "Judge":
    """Train the built-in linear judge on the plays that Romeo and Juliet is not of."""
    from paraphrast.errors import ParaphrastError
    from paraphrast.study.trust_data import linear_judge

    if "jhamtani17" not in folders:
        raise ParaphrastError(
            "the linear judge is trained on jhamtani17, which is not at hand. Run "
            "`paraphrast corpora fetch jhamtani17`, or give a --judge."
        )
    return linear_judge(folders["jhamtani17"])


def _judgments(path: Path) -> list[tuple[str, bool]]:
    from paraphrast.corpora import read_lines
    from paraphrast.judges.fluency import read_judgments

    return read_judgments(read_lines(path), place=str(path))


def _two_judges(
    judge: Path | None,
    second: Path | None,
    packs: "Mapping[str, Path]",
    *,
    targets: "Sequence[str]" = (),
) -> "tuple[Judge | None, Judge | None]":
    """Load the judges; refuse one that had a part in making a system's pack.

    Without a second, the small one stands beside any other that it shares nothing with
    if it knows the targets.
    """
    from paraphrast.judges import judge as judges
    from paraphrast.storage import packs as made

    first = judges.load(judge) if judge else None
    other = judges.load(second) if second and str(second) != "none" else None
    used = {name: made.read(path).about.evaluators for name, path in packs.items()}
    for name, evaluators in used.items():
        for found in filter(None, (first, other)):
            judges.refuse_if_used(found, evaluators, system=name)
    if first and second is None and targets:
        other = judges.unlike(first, targets, [h for one in used.values() for h in one])
    return first, other


def _judging(
    judge: Path | None, second: Path | None, packs: list[Path]
) -> "dict[str, Metric]":
    """Return the metrics of the judges, the second's marked as such."""
    from paraphrast.comparison.compare import SECOND
    from paraphrast.errors import ParaphrastError
    from paraphrast.judges.judge import refuse_alike
    from paraphrast.judges.style_grade import StyleGrade

    first, other = _two_judges(judge, second, {path.name: path for path in packs})
    found: dict[str, Metric] = {m.name: m for m in first.metrics()} if first else {}
    if first:
        found[StyleGrade.name] = StyleGrade(first.accuracy)
    if other:
        if not first:
            raise ParaphrastError(
                "a second judge needs a first. Give one with --judge."
            )
        refuse_alike(first, other)
        found |= {f"{m.name} {SECOND}": m for m in other.metrics()}
    return found


def _scored(
    metrics: "Mapping[str, Metric]",
    segments: "list[Segment]",
    *,
    resamples: int,
    seed: int,
) -> "tuple[dict[str, Sequence[float]], dict[str, Score]]":
    """Return each sentence's values and the score, by the metrics' names."""
    from paraphrast.metrics.base import rows
    from paraphrast.metrics.scoring import score_rows

    each: dict[str, Sequence[float]] = {}
    scores = {}
    for name, chosen in metrics.items():
        statistics = rows(chosen, segments)
        each[name] = chosen.each(statistics).tolist()
        scores[name] = score_rows(
            chosen, segments, statistics, resamples=resamples, seed=seed
        )
    return each, scores


def _write_values(path: Path, each: "dict[str, Sequence[float]]") -> None:
    from paraphrast.metrics.columns import table_lines
    from paraphrast.storage import atomic

    with atomic.writer(path) as file:
        file.writelines(f"{line}\n" for line in table_lines(each))


def _show_scores(scores: "dict[str, Score]", *, as_json: bool) -> None:
    from dataclasses import asdict

    if as_json:
        records = [{"metric": text, **asdict(s)} for text, s in scores.items()]
        print(json.dumps(records, indent=2))
        return
    width = max(map(len, scores))
    for text, result in scores.items():
        print(f"{text:<{width}}  {result}")


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


def _parallel(
    source: Path,
    references: list[Path],
    targets: Path | None,
    outputs: list[Path],
    *,
    to: str,
) -> list[Any]:
    """Read sources, each line's references and target, and every file of outputs."""
    from paraphrast.corpora import read_columns
    from paraphrast.errors import ParaphrastError

    if targets and to:
        raise ParaphrastError(f"--to {to} and --targets {targets} exclude each other.")
    paths = [source, *references, *([targets] if targets else []), *outputs]
    columns = list(zip(*read_columns(paths), strict=True))
    if not columns:
        raise ParaphrastError(f"{source} is empty. Give at least one line.")
    first = 1 + len(references)
    texts = list(zip(*columns[1:first], strict=True)) or [()] * len(columns[0])
    aims = columns[first] if targets else (to,) * len(columns[0])
    return [columns[0], texts, aims, *columns[first + bool(targets) :]]


def _validation(
    source: Path | None, references: list[Path], targets: Path | None, *, to: str
) -> "list[Segment]":
    from paraphrast.errors import ParaphrastError
    from paraphrast.metrics.base import Segment

    if source is None:
        if references or targets:
            raise ParaphrastError("validation text needs --valid-source; give it too.")
        return []
    lines = _parallel(source, references, targets, [], to="" if targets else to)
    return [Segment("", *line) for line in zip(*lines, strict=True)]


def _named(
    texts: list[str], *, option: str, style: str | None = None
) -> dict[str, Path]:
    """Read ``NAME=FILE``; a file alone is called after itself, or by its style."""
    from paraphrast.errors import ParaphrastError

    named: dict[str, Path] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            file = text
            name = Path(text).name.removesuffix(".txt") if style is None else style
        if name in named:
            raise ParaphrastError(
                f"{option}: two files are called {name!r}, {named[name]} and {file}. "
                "Write NAME=FILE to tell them apart."
            )
        named[name] = Path(file)
    return named


def _label(text: str, chosen: list[str]) -> str:
    """Return a metric's bare name, unless it was chosen with several settings."""
    names = [other.partition(":")[0] for other in chosen]
    name = text.partition(":")[0]
    return name if names.count(name) == 1 else text


def _texts(path: Path) -> list[str]:
    from paraphrast.corpora import read_texts

    return list(read_texts(path))


def _layout(name: str) -> "Callable[[Comparison], str]":
    from paraphrast.comparison import report, tables
    from paraphrast.errors import unknown

    layouts = {
        "text": tables.text,
        "json": tables.as_json,
        "csv": tables.as_csv,
        "latex": tables.latex,
        "html": report.html,
    }
    if name not in layouts:
        raise unknown("format", name, layouts)
    return layouts[name]


def _hashed(files: "Mapping[str, Sequence[Path | None]]") -> "tuple[File, ...]":
    from hashlib import sha256

    from paraphrast.comparison.outcome import File

    return tuple(
        File(role, str(path), sha256(path.read_bytes()).hexdigest())
        for role, paths in files.items()
        for path in paths
        if path is not None and str(path) != "-"
    )


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
