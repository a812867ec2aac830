"""``paraphrast align …``: parse, call, print."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe

if TYPE_CHECKING:
    from paraphrast.align.base import Family, WordPair

app = typer.Typer(
    no_args_is_help=True, help="Align words, score alignments, and draw them."
)

FORMATS = "jsonl, jacana, multimwa, giza, pharaoh or naacl"
Alignments = Annotated[
    Path, typer.Argument(metavar="FILE", help="Alignments in any format.")
]
AlignmentFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help=f"Format of the file: {FORMATS}.",
        show_default="by file name",
    ),
]
OtherFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="Format of the other file, as for --format.",
        show_default="by file name",
    ),
]
SourceWords = Annotated[
    Path | None,
    typer.Option("--source", help="Source words, for formats without words."),
]
TargetWords = Annotated[
    Path | None,
    typer.Option("--target", help="Target words, for formats without words."),
]


@app.command("list")
def list_aligners(as_json: options.Json = False) -> None:
    """List the installed aligners; the default is marked.

    Example: paraphrast align list
    """
    from paraphrast import registry
    from paraphrast.align import choosing

    default = choosing.default()
    records = [
        {
            "name": name,
            "summary": choosing.family(name).summary,
            "default": name == default,
        }
        for name in registry.names("aligners")
    ]
    rows = [
        (row["name"], f"{row['summary']}{' [default]' if row['default'] else ''}")
        for row in records
    ]
    printing.print_report(records, printing.format_table(rows), as_json=as_json)


@app.command()
@describe
def pairs(
    file: Path,
    using: options.Using = None,
    model: Path | None = None,
    prefer: Literal["precision", "balance", "recall"] | None = None,
    tokenized: options.Tokenized = False,
    output: options.Output = None,
    format: str | None = None,
) -> None:
    """Link the words of sentence pairs; write one JSON record per pair.

    A record has source and target words and links [i, j, probability, "sure" or
    "possible"], counted from 0. A row that cannot be aligned gives a record with the
    reason in "error".

    Examples:

    paraphrast align pairs pairs.tsv -o links.jsonl

    paraphrast align pairs pairs.tsv --prefer recall -o links.jsonl

    Options:
        file: Sentence pairs, TSV or JSONL; - is standard input.
        model FOLDER: Model written by `align train`.
        prefer: Operating point of the monolingual aligner: fewer but more reliable
            possible links, a balance, or more links. [default: precision]
        format FORMAT: Format of the file: tsv or jsonl. [default: by file name]
    """
    from paraphrast.align import choosing
    from paraphrast.align.rows import Tally, align_rows, form_of, read_rows

    aligner = choosing.load(using, model, prefer=prefer)
    rows = read_rows(file, form=form_of(file, format), tokenized=tokenized)
    tally = Tally()
    total = printing.count_bytes([file])
    shown = output is not None
    with (
        printing.open_output(output) as out,
        printing.show_bar("aligning", total=total, shown=shown) as advance,
    ):
        for row, record in align_rows(rows, aligner):
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            tally.count(row)
            advance(row.size)
    if tally.bad:
        printing.print_note(tally.describe("could not be aligned"))


@app.command()
@describe
def train(
    name: str,
    file: Path,
    output: options.NewFolder,
    tokenized: options.Tokenized = False,
    format: str | None = None,
    symmetrisation: str | None = None,
    lexicon: Literal["identity", "none"] | None = None,
    case: Literal["lower", "mixed"] | None = None,
    iterations: int | None = None,
    seed: int | None = None,
    as_json: options.Json = False,
) -> None:
    """Train an aligner on sentence pairs and save it.

    For two languages: --lexicon none --symmetrisation grow-diag-final-and.

    Example: paraphrast align train hmm pairs.tsv -o model

    Options:
        name ALIGNER: Aligner to train.
        file: Sentence pairs (TSV, JSONL), or manual alignments.
        format FORMAT: Format of the file: tsv, jsonl, jacana, multimwa or giza.
            [default: by file name]
        symmetrisation METHOD: Symmetrisation: intersection, union, grow-diag,
            grow-diag-final or grow-diag-final-and. [default: intersection]
        lexicon: Additional training pairs: every word with itself, or none. [default:
            identity]
        case: Case handling: lower-case all words, or keep mixed case. [default: lower]
        iterations: Training iterations per model. [default: 5]
        seed: Random seed of eflomal. [default: 1]
    """
    from paraphrast.align import choosing
    from paraphrast.align.base import SAVED
    from paraphrast.align.rows import read_training_pairs
    from paraphrast.storage import sealed_folder

    sealed_folder.refuse_taken(output, SAVED)
    settings = options.drop_missing(
        symmetrisation=symmetrisation,
        lexicon=lexicon,
        case=case,
        iterations=iterations,
        seed=seed,
    )
    family = _change_settings(choosing.family(name), name, settings)
    read, tally = read_training_pairs(file, format=format, tokenized=tokenized)
    if tally.bad:
        printing.print_note(tally.describe("were left out of training"))
    family.train(read).save(output)
    facts = {"aligner": name, "pairs": len(read), "left_out": tally.bad}
    lines = [f"{name} trained on {len(read):,} pairs -> {output}"]
    printing.print_report(facts | {"folder": str(output)}, lines, as_json=as_json)


@app.command()
@describe
def score(
    system: Path,
    gold: Path,
    format: AlignmentFormat = None,
    gold_format: OtherFormat = None,
    source: SourceWords = None,
    target: TargetWords = None,
    labels: Literal["asymmetric", "sure", "possible"] = "asymmetric",
    identical: Literal["ignored", "kept"] = "ignored",
    as_json: options.Json = False,
) -> None:
    """Print precision, recall, F1 and error rate over words and phrase pairs.

    Example: paraphrast align score links.jsonl gold.json --labels sure

    Options:
        system SYSTEM: Alignments to score.
        gold GOLD: Manual alignments of the same pairs.
        labels: Gold links to use: possible links for precision and sure links for
            recall (asymmetric; Cohn et al. 2008), or one kind for both.
        identical: Treatment of links between identical words.
    """

    from paraphrast.align import scoring
    from paraphrast.align.formats import read_both

    judged, wanted = read_both(
        (system, format), (gold, gold_format), words=_read_words(source, target)
    )
    result = scoring.score(
        judged,
        wanted,
        labels=labels,
        identical=identical,
    )
    rows = [row.as_dict() for row in result.scores]
    record = {"scores": rows, "signature": result.signature}
    printing.print_report(record, result.lines(), as_json=as_json)


@app.command()
@describe
def show(
    file: Alignments,
    which: str = "1",
    beside: Path | None = None,
    output: Path | None = None,
    format: AlignmentFormat = None,
    beside_format: OtherFormat = None,
    source: SourceWords = None,
    target: TargetWords = None,
    as_json: options.Json = False,
) -> None:
    """Show an alignment as a grid: black is sure, grey is possible.

    Example: paraphrast align show links.jsonl 12 -o picture.svg

    Options:
        which [PAIR]: Number or id of the pair.
        beside: Another alignment of the same pairs.
        output -o --output: SVG file to write. [default: text on the terminal]
    """
    from paraphrast.align import picture
    from paraphrast.align.formats import find_pair, read_alignments, read_both
    from paraphrast.align.formats.jsonl import as_record
    from paraphrast.align.scoring import check_same_words

    words = _read_words(source, target)
    if beside is None:
        columns = [list(read_alignments(file, format=format, words=words))]
    else:
        columns = list(read_both((file, format), (beside, beside_format), words=words))
        check_same_words(*columns)
    index = find_pair(columns[0], which, file)
    chosen = [column[index] for column in columns]
    if as_json:
        for pair in chosen:
            printing.print_json(as_record(pair))
    elif output is not None:
        titles = [path.stem for path in (file, beside) if path] if beside else ()
        printing.write_text(picture.svg(chosen, titles=titles), output)
    else:
        from rich.console import Console

        width = Console().width if sys.stdout.isatty() else None
        print("\n\n".join(picture.text(pair, width=width) for pair in chosen))


@app.command()
@describe
def convert(
    file: Alignments,
    output: Path,
    format: AlignmentFormat = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help=f"Format to write: {FORMATS}.",
            show_default="by file name",
        ),
    ] = None,
    source: SourceWords = None,
    target: TargetWords = None,
    as_json: options.Json = False,
) -> None:
    """Write alignments in another format.

    Only jsonl keeps probabilities; pharaoh and naacl contain no words.

    Example: paraphrast align convert gold.json gold.jsonl

    Options:
        output OUTPUT: File to write.
    """
    from paraphrast.align.formats import read_alignments, write_alignments

    read = read_alignments(file, format=format, words=_read_words(source, target))
    count = write_alignments(read, output, format=to)
    record = {"pairs": count, "output": str(output)}
    printing.print_report(record, [f"{count:,} pairs -> {output}"], as_json=as_json)


def _change_settings(family: "Family", name: str, given: dict[str, Any]) -> "Family":
    from dataclasses import asdict, replace

    from paraphrast.align.statistical import Settings, Statistical
    from paraphrast.config import build
    from paraphrast.errors import ParaphrastError

    if not given:
        return family
    if not isinstance(family, Statistical):
        raise ParaphrastError(f"{name} has no setting --{next(iter(given))}.")
    settings = asdict(family.settings) | given
    return replace(family, settings=build(settings, Settings, where="align train"))


def _read_words(source: Path | None, target: Path | None) -> "list[WordPair] | None":
    from paraphrast.align.formats import read_words
    from paraphrast.errors import ParaphrastError

    if source is None and target is None:
        return None
    if source is None or target is None:
        raise ParaphrastError("give both --source and --target, or neither.")
    return read_words(source, target)
