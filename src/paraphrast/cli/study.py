"""``paraphrast agreement`` and ``paraphrast study …``: parse, call, print."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe
from paraphrast.metrics.defaults import RESAMPLES, SEED, Resampling

app = typer.Typer(
    no_args_is_help=True,
    help="Evaluate rewrites by human judgments, as in the papers.",
)

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILES", help="Judgments: .csv, .tsv or .jsonl."),
]


@app.command()
def paraphrases(
    files: Files,
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Evaluate ratings: 0 not a paraphrase, 1 ungrammatical paraphrase, 2 paraphrase.

    The scale is that of Krishna et al. (2020, "STRAP"). Rows have item, annotator and
    label, and optionally system, accurate (1 or 0 from a style classifier, for J),
    source and output (copies count as 2). The majority label counts.

    Example: paraphrast study paraphrases judged.csv
    """
    from paraphrast.study import paraphrase_scale, tables

    reports = [
        paraphrase_scale.make_report(system, outputs, Resampling(resamples, seed))
        for system, outputs in paraphrase_scale.read_outputs(files).items()
    ]
    record = {"systems": [asdict(report) for report in reports]}
    printing.print_report(record, tables.scale_lines(reports), as_json=as_json)


@app.command()
@describe
def criteria(
    files: Files,
    baseline: str | None = None,
    ties: Literal["given", "dense", "mean"] = "given",
    metric: list[str] | None = None,
    criterion: list[str] | None = None,
    key: Path | None = None,
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Evaluate ratings of formality, fluency, meaning, overall rank, and their sum.

    The criteria are those of Rao and Tetreault (2018, "GYAFC"). Rows have system, item
    and annotator with any of formality (-3 to 3), fluency (1 to 5), meaning (1 to 6)
    and rank (1 is best), or are the sheets that `study sheet --criteria` made.

    Examples:

    paraphrast study criteria judged.csv --baseline rules --metric bleu

    paraphrast study criteria --key reading/key.jsonl anna.tsv ben.tsv

    paraphrast study criteria judgments.csv --criterion adequacy --criterion style

    Options:
        baseline SYSTEM: System to test the others against. [default: the first]
        ties: Ranks of ties: as given, dense, or the mean rank.
        metric COLUMN: Column with a metric's scores, to correlate with the ratings;
            repeatable.
        criterion COLUMN: Column with ratings by another criterion, on any scale;
            repeatable.
        key: Key of blind sheets, key.jsonl.
    """
    from paraphrast.errors import ParaphrastError
    from paraphrast.study import criteria as marks
    from paraphrast.study import sheets, tables

    if key and (metric or criterion):
        raise ParaphrastError(
            "--key cannot be combined with --metric or --criterion. Leave one out."
        )
    report = marks.make_report(
        marks.read_sheets(sheets.read_key(key), files)
        if key
        else marks.read_marks(files, metrics=metric or [], others=criterion or []),
        baseline=baseline,
        ties=ties,
        metrics=metric or [],
        resampling=Resampling(resamples, seed),
    )
    lines = tables.criteria_lines(report)
    printing.print_report(asdict(report), lines, as_json=as_json)


@app.command()
@describe
def sheet(
    files: list[Path],
    output: options.NewFolder,
    criteria: bool = False,
    rows: options.Count = 300,
    seed: options.Seed = options.SEED,
) -> None:
    """Make blind rating sheets with the shuffled outputs of several systems.

    Rows have item, system, target (the target style), source and output, and optionally
    kind. Readers fill in acceptable (1 or 0), meaning, style and fluency (0 to 2) and
    the fault in one word. key.jsonl, which readers must not see, names the systems.

    Example: paraphrast study sheet outputs.jsonl -o reading

    Options:
        files FILES: Outputs: .csv, .tsv or .jsonl.
        criteria: Ask for formality, fluency, meaning and rank (for `study criteria`),
            with the outputs for the same text together.
        rows: Outputs per sheet.
    """
    from paraphrast.study import acceptance, sheets
    from paraphrast.study.criteria import CRITERIA

    outputs = sheets.gather_outputs(files, seed=seed)
    columns = acceptance.COLUMNS
    if criteria:
        outputs, columns = sheets.keep_together(outputs), CRITERIA
    for name in sheets.write_sheets(outputs, output, columns=columns, rows=rows):
        print(output / name)


@app.command("acceptance")
@describe
def report_acceptance(
    key: Path,
    files: Files,
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Report the share of rewrites that readers accept, from completed sheets.

    Prints acceptance with Wilson's intervals, ratings, agreement and preferences. Each
    file belongs to one reader, whose name is the file name up to the first dot
    (anna.sheet-01.tsv is anna's), or has a column annotator.

    Example: paraphrast study acceptance reading/key.jsonl anna.tsv ben.tsv

    Options:
        key KEY: Key of the sheets, key.jsonl.
    """
    from paraphrast.study import acceptance, sheets, tables

    report = acceptance.make_report(
        sheets.read_key(key),
        acceptance.read_marks(files),
        resampling=Resampling(resamples, seed),
    )
    lines = tables.acceptance_lines(report)
    printing.print_report(asdict(report), lines, as_json=as_json)


@app.command()
@describe
def edits(
    files: list[Path],
    source: Path | None = None,
    reverse: bool = False,
    using: options.Using = None,
    chart: Path | None = None,
    output: Path | None = None,
    as_json: options.Json = False,
) -> None:
    """Count what changed between texts and their rewrites, in eleven categories.

    The categories are those of Rao and Tetreault (2018, Table 8), whose percentages are
    shown for comparison; the definitions are ours (docs/edits.md). A file has columns
    source and output or target (TSV, JSONL) or is from `corpora build formality` or
    `corpora read`; the informal text comes first.

    Examples:

    paraphrast study edits pairs.tsv --chart edits.svg

    paraphrast study edits --source informal.txt rules.txt large.txt --json

    Options:
        files FILES: Pairs (TSV or JSONL), one file per corpus or system.
        source: Sources, one per line; FILES are then outputs, one per line.
        reverse: Treat the rewrite as the informal side.
        chart FILE.svg: Bar chart to write.
        output -o --output: File for the edits of each pair, one JSON record per line.
    """
    from paraphrast.align import choosing
    from paraphrast.study import edit_report

    aligner = choosing.load(using)
    lines: list[str] = []
    reports = []
    for path in files:
        pairs = _read_pairs(path, source, reverse=reverse)
        edits_of_pairs = []
        with printing.show_bar(str(path), total=len(pairs)) as advance:
            for pair, own in edit_report.find_all_edits(pairs, aligner, advance):
                edits_of_pairs.append(own)
                record = {"file": str(path), **edit_report.make_record(pair, own)}
                lines.append(json.dumps(record, ensure_ascii=False) if output else "")
        reports.append(edit_report.make_report(str(path), edits_of_pairs))
    if output:
        printing.write_text("".join(f"{line}\n" for line in lines), output)
    if chart:
        printing.write_text(edit_report.draw_chart(reports), chart)
    head = [
        "category",
        "paper",
        "counted",
        *(f"{r.name} ({r.pairs:,})" for r in reports),
    ]
    table = printing.format_table(
        edit_report.list_rows(reports), header=head, align="<>>" + ">" * len(reports)
    )
    printing.print_report(
        edit_report.as_record(reports),
        [
            "percentage of pairs with an edit in the category, with 95% intervals",
            *table,
        ],
        as_json=as_json,
    )


def _read_pairs(
    path: Path, source: Path | None, *, reverse: bool
) -> list[tuple[str, str]]:
    """Read pairs of a source and its rewrite, the informal side first."""
    from paraphrast.corpora import read_lines
    from paraphrast.corpora.lines import read_columns
    from paraphrast.judges.rows import read_source_pairs

    if source:
        pairs = [(first, second) for first, second in read_columns([source, path])]
    else:
        pairs = list(read_source_pairs(read_lines(path), where=str(path)))
    return [pair[::-1] for pair in pairs] if reverse else pairs


@describe
def agreement(
    files: list[str],
    form: str | None = None,
    source: Path | None = None,
    target: Path | None = None,
    initial: str = "hmm",
    samples: options.Count = 1_000,
    scale: Literal["nominal", "ordinal", "interval"] | None = None,
    order: str = "",
    skipped: list[str] | None = None,
    resamples: options.Resamples = RESAMPLES,
    seed: options.ResampleSeed = SEED,
    as_json: options.Json = False,
) -> None:
    """Report inter-annotator agreement, with 95% intervals.

    Judgments are rows of item, annotator and label, or rows of an item with one column
    per annotator. Alignments are one file per annotator; pairs are matched by name.

    Examples:

    paraphrast agreement judgments.csv

    paraphrast agreement anna=a.align.json bert=b.align.json

    Options:
        files [NAME=]FILE: Judgments (.csv, .tsv, .jsonl), or one alignment per
            annotator.
        form --format FORMAT: Format of alignments: jacana, jsonl, multimwa, giza, naacl
            or pharaoh. [default: by file name]
        source: Source words, for formats without words.
        target: Target words, for formats without words.
        initial ALIGNER: Aligner for the initial links, for chance agreement.
        samples: Random alignments sampled per pair.
        scale: Scale of the labels. [default: by the labels]
        order LOW,…,HIGH: Ordinal labels from the lowest to the highest.
        skipped LABEL: Label that marks an item as skipped, besides the empty label;
            repeatable.
    """
    from paraphrast.errors import ParaphrastError
    from paraphrast.study import tables
    from paraphrast.study.agreement import compute_agreement_of_files
    from paraphrast.study.alignments import compare_files
    from paraphrast.study.reading import holds_links

    paths = options.parse_named_paths(files, option="the files", to_first_dot=True)
    if form or all(map(holds_links, paths.values())):
        if scale or order:
            raise ParaphrastError("--scale and --order are for judgments only.")
        annotations, compared = compare_files(
            paths,
            format=form,
            source=source,
            target=target,
            initial=initial,
            samples=samples,
            resampling=Resampling(resamples, seed),
        )
        record = tables.link_record(annotations, compared)
        lines = tables.link_lines(annotations, compared)
    else:
        table, report = compute_agreement_of_files(
            paths,
            scale=scale,
            order=[label.strip() for label in order.split(",")] if order else [],
            skipped=skipped or [],
            resampling=Resampling(resamples, seed),
        )
        record = tables.judgment_record(table, report)
        lines = tables.judgment_lines(table, report)
    printing.print_report(record, lines, as_json=as_json)
