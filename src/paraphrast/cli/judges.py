"""``paraphrast metrics train-judge``, ``judge``, ``meaning`` and ``trust``."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe
from paraphrast.errors import ParaphrastError

Rows = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="TSV with a header or JSONL; columns source, output, reference; - is "
        "standard input.",
    ),
]


@describe
def train_judge(
    output: options.NewFolder,
    texts: Path | None = None,
    style: list[str] | None = None,
    valid: list[str] | None = None,
    acceptability: Path | None = None,
    backbone: Path | None = None,
    epochs: Annotated[float, typer.Option(min=0.01)] = 3.0,
    device: options.Device = "auto",
    seed: options.Seed = options.SEED,
    as_json: options.Json = False,
) -> None:
    """Train a judge: style accuracy, similarity and fluency, in one folder.

    Use it with `metrics compare --judge`. A judge must not be used to train the systems
    that it judges, nor to choose among their candidates.

    Example: paraphrast metrics train-judge --style modern=modern.txt
    --style shakespeare=plays.txt -o judge

    Options:
        texts [FOLDER]: Folder with STYLE.txt per style.
        style STYLE=FILE: Text in a style; repeat for two or more.
        valid STYLE=FILE: Held-out text for calibration and evaluation; repeatable.
            [default: a tenth of each style]
        acceptability: Acceptability judgments in CoLA's format, for fluency.
        backbone FOLDER: Pretrained encoder (MiniLM, MPNet, SmolLM2) in Hugging Face's
            format, to fine-tune as style classifier; needs the extra `train`. [default:
            none: n-grams]
        epochs: Training epochs of the backbone.
    """
    from paraphrast.corpora import read_lines
    from paraphrast.judges.fluency import read_judgments
    from paraphrast.judges.judge import train_judge

    shared: dict[str, Any] = {
        "valid": _read_styles(options.parse_named_paths(valid or [], option="--valid")),
        "judged": acceptability
        and read_judgments(read_lines(acceptability), where=str(acceptability)),
        "seed": seed,
        "progress": printing.print_note,
    }
    styles = _read_styles(_style_paths(texts, style or []))
    if backbone:
        classifier = _import_classifier()
        settings = classifier.Settings(epochs=epochs, device=device)
        judge = classifier.train(styles, backbone, output, settings=settings, **shared)
    else:
        judge = train_judge(styles, **shared)
        judge.save(output)
    record = {"folder": str(output), "hashes": judge.hashes(), **judge.about}
    figures = judge.about["held_out"].items()
    rows = [(name.replace("_", " "), value) for name, value in figures]
    printing.print_report(record, printing.format_table(rows), as_json=as_json)


@describe
def judge(
    file: Rows,
    to: options.To = "",
    plain: bool = False,
    checks: bool = True,
    surface_features: bool = True,
    judge_name: Path = Path("small"),
    formality: bool = False,
    html: Path | None = None,
    output: options.Output = None,
    as_json: options.Json = False,
) -> None:
    """Judge each row: style, similarity, fluency, formality; one JSON record per line.

    Style and fluency are probabilities, similarity ranges from 0 to 1, formality from
    -3 to 3. A score that cannot be computed is null, with the reason in "why". No
    network is needed.

    With --formality, FILE is a document: the output is its formality sentence by
    sentence, and the phrases and words that make it informal.

    Examples:

    paraphrast metrics judge rewrites.tsv --to shakespeare

    paraphrast metrics judge --formality letter.txt --html letter.html

    Options:
        plain: Judge each line as a separate text.
        checks: Run rule-based meaning checks in addition to the model.
        surface_features: Use case and punctuation as features for formality.
        judge_name --judge JUDGE: Judge: small, large, or the folder of a judge.
        formality --formality: Show where a document is informal and why.
        html FILE: HTML page to write, with the document as a heat map; for --formality.
        as_json --json: One JSON record per sentence, for --formality.
    """
    from dataclasses import replace

    from paraphrast.corpora import read_lines
    from paraphrast.judges import judge as judges
    from paraphrast.judges import rows
    from paraphrast.judges.meaning_checks import add_checks

    loaded = judges.load(judge_name)
    if checks:
        loaded = replace(loaded, similarity=add_checks(loaded.similarity))
    if not surface_features:
        loaded = loaded.without_surface_features()
    if formality:
        _show_formality(loaded, file, html, output, as_json=as_json)
        return
    if html:
        raise ParaphrastError("--html is for --formality. Add --formality.")
    given = rows.read_rows(read_lines(file), where=str(file), plain=plain)
    counts = rows.Counts()
    with printing.open_output(output) as out:
        for record in rows.judge_rows(loaded, given, counts, to=to, plain=plain):
            print(json.dumps(record, ensure_ascii=False), file=out)
    printing.print_note(str(counts))


def _show_formality(
    judge: Any, file: Path, html: Path | None, output: Path | None, *, as_json: bool
) -> None:
    """Print the formality of a document, and write its HTML page."""
    from dataclasses import asdict

    from paraphrast.corpora import read_lines
    from paraphrast.study import formality_map

    if judge.formality is None:
        raise ParaphrastError("this judge has no formality model. Use --judge small.")
    text = "\n".join(read_lines(file))
    sentences = formality_map.map_formality(text, judge.formality.values)
    if html:
        page = formality_map.draw_page(text, sentences, title=f"{file.name}: formality")
        printing.write_text(page, html)
    if as_json:
        lines = [json.dumps(asdict(s), ensure_ascii=False) for s in sentences]
    else:
        lines = formality_map.format_lines(sentences)
    printing.write_text("".join(f"{line}\n" for line in lines), output)


def meaning(
    file: Rows, output: options.Output = None, as_json: options.Json = False
) -> None:
    """Check rows for changed names, numbers, negation, roles, antonyms and mood.

    Prints one line per row: the factor by which the findings reduce a similarity (1 if
    there are none), and the findings. FILE has the format of `metrics judge`; TSV and
    JSONL without an output column are read as pairs of source and target.

    Example: paraphrast metrics meaning rewrites.tsv
    """
    from dataclasses import asdict

    from paraphrast.corpora import read_lines
    from paraphrast.judges.meaning_checks import CheckedSimilarity
    from paraphrast.judges.rows import read_source_pairs
    from paraphrast.text.similarity import HashedSimilarity

    checks = CheckedSimilarity(HashedSimilarity())
    with printing.open_output(output) as out:
        for source, text in read_source_pairs(read_lines(file), where=str(file)):
            findings = checks.explain(source, text)
            left = checks.factor(source, text)
            if as_json:
                listed = [
                    {**asdict(finding), "left": value} for finding, value in findings
                ]
                record = {"left": left, "findings": listed}
                print(json.dumps(record, ensure_ascii=False), file=out)
            else:
                reasons = [
                    f"{finding.check}: {finding.reason}" for finding, _ in findings
                ]
                print(f"{left:.2f}", *reasons, sep="  ", file=out)


@describe
def trust(
    judge: options.Judge = None,
    corpora: list[str] | None = None,
    mirror: options.Mirror = None,
    output: options.Output = None,
    as_json: options.Json = False,
) -> None:
    """Report how reliable a judge is: training data, agreement with people, failures.

    Every evaluator of the judge is compared with human judgments and tested on minimal
    pairs. Without --judge, a linear judge of Shakespeare is trained first. Missing
    corpora are listed.

    Example: PARAPHRAST_MIRROR=data paraphrast metrics trust --judge judge

    Options:
        corpora CORPUS: Corpus of the catalogue to use; repeatable.
    """
    from paraphrast.corpora import catalogue
    from paraphrast.judges import judge as judges
    from paraphrast.study import trust as trusts
    from paraphrast.study.trust_people import default_judge

    folders, missing = catalogue.locate_all(corpora or trusts.CORPORA, mirror=mirror)
    loaded = judges.load(judge) if judge else default_judge(folders)
    report = trusts.examine(
        loaded, folders, missing=missing, progress=printing.print_note
    )
    record = trusts.make_record(report, name=judge.name if judge else "linear")
    lines = "\n".join(trusts.format_record(record))
    text = json.dumps(record, indent=2, ensure_ascii=False) if as_json else lines
    printing.write_text(f"{text}\n", output)


def _style_paths(folder: Path | None, given: list[str]) -> dict[str, Path]:
    """Return the file of each style, from a folder and from named files."""
    paths = {path.stem: path for path in sorted(folder.glob("*.txt"))} if folder else {}
    paths |= options.parse_named_paths(given, option="--style")
    if len(paths) < 2:
        where = f" in {folder}" if folder else ""
        raise ParaphrastError(
            f"a judge needs at least two styles, found {len(paths)}{where}. Give "
            "--style STYLE=FILE for each, or a folder with a STYLE.txt for each."
        )
    return paths


def _read_styles(paths: dict[str, Path]) -> dict[str, list[str]]:
    from paraphrast.corpora import read_texts

    return {name: list(read_texts(path)) for name, path in paths.items()}


def _import_classifier() -> Any:
    """Import the training of encoders, which requires torch."""
    from paraphrast.extras import require

    return require("paraphrast.judges.training.classifier")
