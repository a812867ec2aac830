"""``paraphrast align …``: parse, call, print."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from paraphrast.align.base import AlignedPair, Family, WordPair
    from paraphrast.align.rows import Tally

app = typer.Typer(
    no_args_is_help=True, help="Link words, score links, and show them as a picture."
)


@app.callback()
def align() -> None:
    """Link words, score links, and show them as a picture."""


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Tokenized = Annotated[
    bool, typer.Option("--tokenized", help="Split at blanks and keep these tokens.")
]
Rows = Annotated[
    str | None, typer.Option("--format", help="tsv or jsonl; else by file name.")
]
Links = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="jsonl, jacana, multimwa, giza, pharaoh or naacl; else by file name.",
    ),
]
Source = Annotated[
    Path | None, typer.Option(help="Source words, for pharaoh and naacl.")
]
Target = Annotated[
    Path | None, typer.Option(help="Target words, for pharaoh and naacl.")
]


@app.command("list")
def list_aligners(as_json: Json = False) -> None:
    """List the installed aligners; the default is marked.

    Example: paraphrast align list
    """
    from paraphrast import registry
    from paraphrast.align import choosing

    found = {name: choosing.family(name).summary for name in registry.names("aligners")}
    default = choosing.default()
    if as_json:
        rows = [
            {"name": name, "summary": summary, "default": name == default}
            for name, summary in found.items()
        ]
        print(json.dumps(rows))
        return
    for name, summary in found.items():
        print(f"{name:<14}{summary}{' [default]' if name == default else ''}")


@app.command()
def pairs(
    file: Annotated[Path, typer.Argument(help="Two columns; - is standard input.")],
    using: Annotated[
        str | None, typer.Option(help="The aligner; see `align list`.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="A folder that `align train` wrote.")
    ] = None,
    tokenized: Tokenized = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write here, not to stdout.")
    ] = None,
    format: Rows = None,
) -> None:
    """Link the words of sentence pairs; write one JSON record a pair.

    A record has source and target words and links [i, j, probability, "sure" or
    "possible"], counted from 0. A row that cannot be aligned gives a record with the
    reason in "error".

    Example: paraphrast align pairs pairs.tsv -o links.jsonl
    """
    from paraphrast.align import choosing
    from paraphrast.align.rows import Tally, align_rows, form_of, read_rows

    aligner = choosing.load(using, model)
    rows = read_rows(file, form=form_of(file, format), tokenized=tokenized)
    tally = Tally()
    with _sink(output) as out, _progress([file], shown=output is not None) as advance:
        for row, record in align_rows(rows, aligner):
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            tally.count(row)
            advance(row.size)
    _say_bad(tally, "could not be aligned")


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="The aligner; see `align list`.")],
    file: Annotated[
        Path, typer.Argument(help="Pairs (tsv, jsonl), or alignments by people.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="A new folder.")],
    tokenized: Tokenized = False,
    format: Annotated[
        str | None,
        typer.Option(help="tsv, jsonl, jacana, multimwa, giza; else by file name."),
    ] = None,
    symmetrisation: Annotated[
        str | None,
        typer.Option(
            help="intersection, union, grow-diag, grow-diag-final or "
            "grow-diag-final-and. [default: intersection]"
        ),
    ] = None,
    lexicon: Annotated[
        str | None,
        typer.Option(help="identity: each word with itself; or none. [identity]"),
    ] = None,
    case: Annotated[str | None, typer.Option(help="lower or mixed. [lower]")] = None,
    iterations: Annotated[
        int | None, typer.Option(help="Of each model in turn. [5]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="For eflomal. [1]")] = None,
    as_json: Json = False,
) -> None:
    """Train an aligner on sentence pairs and save it.

    Two languages want --lexicon none --symmetrisation grow-diag-final-and.

    Example: paraphrast align train hmm pairs.tsv -o model
    """
    from paraphrast.align import choosing
    from paraphrast.align.manifest import refuse_taken

    refuse_taken(output)
    settings = {
        "symmetrisation": symmetrisation,
        "lexicon": lexicon,
        "case": case,
        "iterations": iterations,
        "seed": seed,
    }
    given = {key: value for key, value in settings.items() if value is not None}
    family = _with_settings(choosing.family(name), name, given)
    read, tally = _training_pairs(file, format, tokenized)
    _say_bad(tally, "were left out of training")
    family.train(read).save(output)
    if as_json:
        facts = {"aligner": name, "pairs": len(read), "left_out": tally.bad}
        print(json.dumps(facts | {"folder": str(output)}))
    else:
        print(f"{name} trained on {len(read):,} pairs -> {output}")


@app.command()
def score(
    system: Annotated[Path, typer.Argument(help="The alignments to judge.")],
    gold: Annotated[Path, typer.Argument(help="The same pairs, aligned by people.")],
    format: Links = None,
    gold_format: Annotated[
        str | None, typer.Option(help="As --format, for the gold standard.")
    ] = None,
    source: Source = None,
    target: Target = None,
    labels: Annotated[
        str,
        typer.Option(
            help="asymmetric (COHN08), sure (sure links alone) or possible (all)."
        ),
    ] = "asymmetric",
    identical: Annotated[
        str, typer.Option(help="ignored, or kept: pairs of identical words.")
    ] = "ignored",
    as_json: Json = False,
) -> None:
    """Print precision, recall, F1 and error rate over words and phrase pairs.

    Example: paraphrast align score links.jsonl gold.json --labels sure
    """
    from typing import cast, get_args

    from paraphrast.align import scoring
    from paraphrast.align.measures import Identical, Labels
    from paraphrast.errors import unknown

    for kind, value, known in (
        ("value of --labels", labels, get_args(Labels)),
        ("value of --identical", identical, get_args(Identical)),
    ):
        if value not in known:
            raise unknown(kind, value, known)
    judged, wanted = _both(
        (system, format), (gold, gold_format), words=_words(source, target)
    )
    found = scoring.score(
        judged,
        wanted,
        labels=cast(Labels, labels),
        identical=cast(Identical, identical),
    )
    if as_json:
        rows = [one.as_dict() for one in found.scores]
        print(json.dumps({"scores": rows, "signature": found.signature}))
        return
    print(f"{'':16}{'P':>7}{'R':>7}{'F1':>7}  {'95% of F1':14}{'AER':>6}")
    for one in found.scores:
        a, interval = one.agreement, f"{one.low:.1%}–{one.high:.1%}".replace("%", "")
        error = f"{100 * a.error_rate:6.1f}" if one.level == "words" else ""
        print(
            f"{one.level:8}{one.average:8}{100 * a.precision:7.1f}{100 * a.recall:7.1f}"
            f"{100 * a.f1:7.1f}  {interval:14}{error}".rstrip()
        )
    print(found.signature)


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="Alignments in any format.")],
    which: Annotated[
        str, typer.Argument(metavar="[NUMBER|ID]", help="From 1, or the pair's id.")
    ] = "1",
    beside: Annotated[
        Path | None, typer.Option(help="Another alignment of the same pairs.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write SVG here.")
    ] = None,
    format: Links = None,
    beside_format: Annotated[
        str | None, typer.Option(help="As --format, for --beside.")
    ] = None,
    source: Source = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Show an alignment as a grid: black is sure, grey is possible.

    Example: paraphrast align show links.jsonl 12 -o picture.svg
    """
    from paraphrast.align import picture
    from paraphrast.align.formats.jsonl import as_record
    from paraphrast.align.scoring import check_same_words
    from paraphrast.storage import atomic

    words = _words(source, target)
    if beside is None:
        columns = [_read(file, format, words)]
    else:
        columns = list(_both((file, format), (beside, beside_format), words=words))
        check_same_words(*columns)
    place = _place(columns[0], which, file)
    chosen = [column[place] for column in columns]
    if as_json:
        for pair in chosen:
            print(json.dumps(as_record(pair), ensure_ascii=False))
    elif output is not None:
        titles = [path.stem for path in (file, beside) if path] if beside else ()
        with atomic.writer(output) as out:
            out.write(picture.svg(chosen, titles=titles))
    else:
        from rich.console import Console

        width = Console().width if sys.stdout.isatty() else None
        print("\n\n".join(picture.text(pair, width=width) for pair in chosen))


@app.command()
def convert(
    file: Annotated[Path, typer.Argument(help="Alignments in any format.")],
    output: Annotated[Path, typer.Argument(help="The same, in another format.")],
    format: Links = None,
    to: Annotated[str | None, typer.Option(help="As --format, for the output.")] = None,
    source: Source = None,
    target: Target = None,
    as_json: Json = False,
) -> None:
    """Write alignments in another format.

    Only jsonl keeps probabilities; pharaoh and naacl hold no words.

    Example: paraphrast align convert gold.json gold.jsonl
    """
    from paraphrast.align.formats import read_alignments, write_alignments

    found = read_alignments(file, format=format, words=_words(source, target))
    count = write_alignments(found, output, format=to)
    if as_json:
        print(json.dumps({"pairs": count, "output": str(output)}))
    else:
        print(f"{count:,} pairs -> {output}")


def _with_settings(family: "Family", name: str, given: dict[str, Any]) -> "Family":
    from dataclasses import asdict, replace

    from paraphrast.align.statistical import Settings, Statistical
    from paraphrast.config import build
    from paraphrast.errors import ParaphrastError

    if not given:
        return family
    if not isinstance(family, Statistical):
        raise ParaphrastError(f"{name} has no setting --{next(iter(given))}.")
    settings = asdict(family.settings) | given
    return replace(family, settings=build(settings, Settings, place="align train"))


def _training_pairs(
    file: Path, format: str | None, tokenized: bool
) -> "tuple[list[AlignedPair], Tally]":
    from paraphrast.align.formats import FORMATS
    from paraphrast.align.rows import Tally, form_of, read_rows
    from paraphrast.corpora.lines import unpacked_name

    by_people = (".json", ".A3", ".A3.final")
    if format in FORMATS.keys() - {"jsonl"} or (
        format is None and unpacked_name(file).endswith(by_people)
    ):
        return _read(file, format, None), Tally()
    found, tally = [], Tally()
    for row in read_rows(file, form=form_of(file, format), tokenized=tokenized):
        tally.count(row)
        if not row.error:
            found.append(row.pair)
    return found, tally


def _words(source: Path | None, target: Path | None) -> "list[WordPair] | None":
    from paraphrast.align.formats import read_words
    from paraphrast.errors import ParaphrastError

    if source is None and target is None:
        return None
    if source is None or target is None:
        raise ParaphrastError("give both --source and --target, or neither.")
    return read_words(source, target)


def _read(
    file: Path, format: str | None, words: "list[WordPair] | None"
) -> "list[AlignedPair]":
    from paraphrast.align.formats import read_alignments

    return list(read_alignments(file, format=format, words=words))


def _both(
    first: tuple[Path, str | None],
    second: tuple[Path, str | None],
    *,
    words: "list[WordPair] | None",
) -> "tuple[list[AlignedPair], list[AlignedPair]]":
    """Read two files of one corpus; either may take its words from the other."""
    from paraphrast.align.formats import has_words

    if has_words(*first):
        one = _read(*first, words)
        return one, _read(*second, words or [(p.source, p.target) for p in one])
    if has_words(*second):
        two = _read(*second, words)
        return _read(*first, words or [(p.source, p.target) for p in two]), two
    return _read(*first, words), _read(*second, words)


def _place(pairs: "list[AlignedPair]", which: str, file: Path) -> int:
    from paraphrast.errors import ParaphrastError

    for place, pair in enumerate(pairs):
        if pair.name and pair.name == which:
            return place
    if which.isdecimal() and 1 <= int(which) <= len(pairs):
        return int(which) - 1
    raise ParaphrastError(
        f"{file}: no pair {which!r}. Give an id, or a number from 1 to {len(pairs)}."
    )


def _say_bad(tally: "Tally", what: str) -> None:
    if tally.first is not None:
        print(
            f"{tally.bad:,} of {tally.rows:,} rows {what}; the first, "
            f"{tally.first.place}: {tally.first.error.rstrip('.')}.",
            file=sys.stderr,
        )


@contextmanager
def _sink(output: Path | None) -> "Iterator[TextIO]":
    from paraphrast.storage import atomic

    if output is None:
        yield sys.stdout
    else:
        with atomic.writer(output) as file:
            yield file


@contextmanager
def _progress(paths: list[Path], *, shown: bool) -> "Iterator[Callable[[int], None]]":
    from rich.console import Console
    from rich.progress import Progress

    from paraphrast.corpora.lines import PACKED

    console = Console(stderr=True)
    plain = all(path.is_file() and path.suffix not in PACKED for path in paths)
    total = sum(path.stat().st_size for path in paths) if plain else None
    hidden = not (shown and console.is_terminal)
    with Progress(console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("aligning", total=total)
        yield lambda size: bar.advance(task, size)
