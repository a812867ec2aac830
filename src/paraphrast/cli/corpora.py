"""``paraphrast corpora …``: parse, call, print."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="Find, fetch, clean, split, filter and align corpora.",
)


@app.callback()
def corpora() -> None:
    """Find, fetch, clean, split, filter and align corpora."""


Format = Annotated[
    str | None,
    typer.Option("--format", help="jsonl, moses, parallel, texts, tsv, or a plugin's."),
]
Fields = Annotated[
    str | None,
    typer.Option(help="The two fields of JSONL, as in informal,formal."),
]
Mirror = Annotated[
    Path | None,
    typer.Option(envvar="PARAPHRAST_MIRROR", help="A folder with copies of corpora."),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        help="Where downloads are kept. [default: ~/.cache/paraphrast/corpora]"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_corpora(as_json: Json = False) -> None:
    """List the corpora of the catalogue.

    Example: paraphrast corpora list
    """
    from paraphrast.corpora import catalogue

    entries = [catalogue.entry(name) for name in catalogue.names()]
    if as_json:
        keys = ("name", "title", "access", "licence", "address")
        print(json.dumps([{key: getattr(e, key) for key in keys} for e in entries]))
        return
    width = max(len(entry.name) for entry in entries)
    for entry in entries:
        print(f"{entry.name:{width}}  {entry.access:6}  {entry.title}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="See `paraphrast corpora list`.")],
    as_json: Json = False,
) -> None:
    """Show what a corpus is, its licence, citation, address, files and loader.

    Example: paraphrast corpora show jhamtani17
    """
    from dataclasses import asdict

    from paraphrast.corpora import catalogue

    entry = catalogue.entry(name)
    if as_json:
        files = [asdict(file) for file in entry.files]
        print(json.dumps(asdict(entry) | {"files": files}, ensure_ascii=False))
        return
    for field, value in asdict(entry).items():
        if value:
            shown = ", ".join(value) if isinstance(value, tuple) else value
            print(f"{field:9} {shown}")
    print(f"{'files':9} {len(entry.files)} ({entry.bytes / 1e6:.1f} MB)")
    for file in entry.files:
        print(f"{'':9} {file.sha256}  {file.path}")


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="See `paraphrast corpora list`.")],
    mirror: Mirror = None,
    cache: Cache = None,
    as_json: Json = False,
) -> None:
    """Verify a corpus on the mirror, or download it into the cache; print its folder.

    Example: paraphrast corpora fetch jhamtani17
    """
    from rich.console import Console
    from rich.progress import Progress

    from paraphrast.corpora import catalogue
    from paraphrast.corpora.catalogue.fetching import fetch

    entry = catalogue.entry(name)
    console = Console(stderr=True)
    quiet = mirror is not None or not console.is_terminal
    with Progress(console=console, transient=True, disable=quiet) as bar:
        task = bar.add_task(name, total=entry.bytes)
        folder = fetch(
            name,
            mirror=mirror,
            cache=cache,
            progress=lambda file, count: bar.update(task, advance=count),
        )
    if as_json:
        files = [file.path for file in entry.files]
        print(json.dumps({"name": name, "folder": str(folder), "verified": files}))
    else:
        print(f"{folder} ({len(entry.files)} files verified)")


@app.command()
def clean(
    inputs: Annotated[
        list[Path], typer.Argument(help="One file of records, or two parallel ones.")
    ],
    outputs: Annotated[
        list[Path], typer.Option("-o", "--output", help="One for each input.")
    ],
    max_words: Annotated[int | None, typer.Option(help="Longest side to keep.")] = None,
    max_ratio: Annotated[
        float | None,
        typer.Option(help="Keep if longer / shorter side is at most this."),
    ] = None,
    duplicates: Annotated[str, typer.Option(help="keep, or drop repeats.")] = "keep",
    characters: Annotated[
        str,
        typer.Option(help="keep, or normalise mojibake, white space, the unseen."),
    ] = "keep",
    quotes: Annotated[
        str, typer.Option(help="keep, or straighten them, dashes and ellipses.")
    ] = "keep",
    format: Format = None,
    fields: Fields = None,
    as_json: Json = False,
) -> None:
    """Drop bad lines and repair others; every line is accounted for.

    Always dropped: lines that are not UTF-8 or not a record of the format, lines
    with a NUL, records with an empty side.

    Example: paraphrast corpora clean raw.tsv -o pairs.tsv --max-ratio 3
    """
    from dataclasses import asdict

    from paraphrast.config import build
    from paraphrast.corpora import cleaning

    settings = {
        "max_words": max_words,
        "max_ratio": max_ratio,
        "duplicates": duplicates,
        "characters": characters,
        "quotes": quotes,
    }
    given = {key: value for key, value in settings.items() if value is not None}
    report = cleaning.clean(
        inputs,
        outputs,
        rules=build(given, cleaning.Rules, place="corpora clean"),
        format=_format(format, fields),
    )
    if as_json:
        print(json.dumps(asdict(report)))
        return
    print(f"read      {report.read:>12,}")
    print(f"kept      {report.kept:>12,}  ({report.repaired:,} repaired)")
    for reason, count in report.dropped.items():
        what = f"{cleaning.REASONS[reason]}; first in line {report.first[reason]:,}"
        print(f"dropped   {count:>12,}  {reason}: {what}")


@app.command()
def split(
    inputs: Annotated[
        list[Path], typer.Argument(help="One file of records, or two parallel ones.")
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="A folder, for train.NAME, valid.NAME, …"),
    ],
    valid: Annotated[
        float, typer.Option(min=0, help="Records, or a share below 1.")
    ] = 0.1,
    test: Annotated[
        float, typer.Option(min=0, help="Records, or a share below 1.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same parts.")] = 1,
    format: Format = None,
    fields: Fields = None,
    as_json: Json = False,
) -> None:
    """Split into train, valid and test; no text is in two of them.

    Records that share a source or target, but for case, punctuation and spacing,
    stay together.

    Example: paraphrast corpora split pairs.tsv -o parts --valid 1000 --test 1000
    """
    from dataclasses import asdict

    from paraphrast.corpora import splitting

    report = splitting.split(
        inputs,
        output,
        sizes=splitting.Sizes(valid=valid, test=test),
        seed=seed,
        format=_format(format, fields),
    )
    if as_json:
        print(json.dumps(asdict(report)))
        return
    for part, count in report.parts.items():
        short = "" if count == report.wanted[part] else f" of {report.wanted[part]:,}"
        print(f"{part:6} {count:>12,}{short}  {' '.join(report.files[part])}")
    print(
        f"{report.records:,} records in {report.components:,} groups that share texts; "
        f"the largest has {report.largest_component:,}."
    )


def _format(name: str | None, fields: str | None) -> Any:
    if fields is None:
        return name
    from paraphrast.corpora.formats.jsonl import Jsonl
    from paraphrast.errors import ParaphrastError

    names = fields.split(",")
    if name not in (None, "jsonl") or len(names) != 2 or not all(names):
        raise ParaphrastError(
            f"--fields {fields!r}: name the two fields of JSONL, as in informal,formal."
        )
    return Jsonl(*names)


@app.command("align-sentences")
def align_sentences(
    source: Annotated[
        Path, typer.Argument(help="One sentence a line, or a folder of such files.")
    ],
    target: Annotated[
        Path, typer.Argument(help="The same text in the other style or language.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The pairs: .tsv or .jsonl.")
    ],
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Keep beads likelier than this.")
    ] = 0.5,
    cognates: Annotated[
        bool, typer.Option("--cognates", help="Let words with a common start match.")
    ] = False,
    merged: Annotated[
        bool, typer.Option("--merged", help="Keep 2-1 and 1-2 beads too, joined.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Pair the sentences of two versions of a text (Moore 2002).

    The sentences must come in the same order; either side may leave some out, split
    or join them. Files of the same name in two folders share one word model.

    Example: paraphrast corpora align-sentences modern.txt original.txt -o pairs.tsv
    """
    from paraphrast.corpora import sentence_alignment, write_pairs

    documents = sentence_alignment.read_documents(source, target)
    aligned = sentence_alignment.align_documents(documents, cognates=cognates)
    pairs = [
        pair
        for document, beads in zip(documents, aligned, strict=True)
        for pair in sentence_alignment.aligned_pairs(
            document, beads, threshold=threshold, merged=merged
        )
    ]
    write_pairs(pairs, output)
    counts = {
        "source_sentences": sum(len(b.sources) for beads in aligned for b in beads),
        "target_sentences": sum(len(b.targets) for beads in aligned for b in beads),
        "pairs": len(pairs),
    }
    if as_json:
        print(json.dumps(counts | {"output": str(output)}))
    else:
        print(
            f"{counts['pairs']:,} pairs of {counts['source_sentences']:,} source and "
            f"{counts['target_sentences']:,} target sentences -> {output}"
        )


@app.command("filter")
def filter_pairs(
    inputs: Annotated[
        list[Path], typer.Argument(help="One file of pairs, or two parallel ones.")
    ],
    outputs: Annotated[
        list[Path] | None,
        typer.Option("-o", "--output", help="One for each input; none: only report."),
    ] = None,
    rejected: Annotated[
        Path | None,
        typer.Option(help="For the rejected pairs, the stage in front of each."),
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option("--config", help="Thresholds in TOML; options go before it."),
    ] = None,
    min_similarity: Annotated[
        float | None, typer.Option(help="Content similarity, 0 to 1 (0.4).")
    ] = None,
    max_trigrams: Annotated[
        float | None, typer.Option(help="Share of trigrams in common (0.7).")
    ] = None,
    max_unigrams: Annotated[
        float | None, typer.Option(help="Share of target words in the source (0.5).")
    ] = None,
    min_shuffled: Annotated[
        float | None, typer.Option(help="0 same word order, 1 reversed (0.5).")
    ] = None,
    max_difference: Annotated[
        int | None, typer.Option(help="Difference of lengths in words (5).")
    ] = None,
    min_words: Annotated[
        float | None, typer.Option(help="Average length of the sides (7).")
    ] = None,
    max_words: Annotated[
        float | None, typer.Option(help="Average length of the sides (25).")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="The code of the language (en).")
    ] = None,
    sides: Annotated[
        str | None, typer.Option(help="either or both must be in it (either).")
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(
            help="Leave a stage out: content, trigrams, unigrams, order, length, "
            "language."
        ),
    ] = None,
    processes: Annotated[int, typer.Option(min=1, help="How many to run.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was stopped.")
    ] = False,
    format: Format = None,
    fields: Fields = None,
    as_json: Json = False,
) -> None:
    """Keep diverse paraphrases: STRAP's six filters, each with a threshold.

    Prints what each stage dropped of the pairs that came to it. The similarity is
    lexical and fitted on the input; docs/filtering.md says how far to trust it.

    Example: paraphrast corpora filter pairs.tsv -o diverse.tsv --rejected rest.tsv
    """
    from paraphrast import config
    from paraphrast.corpora.filtering import Pipeline, adjusted, filter_files

    changes: dict[str, dict[str, Any]] = {
        "content": {"minimum": min_similarity},
        "trigrams": {"maximum": max_trigrams},
        "unigrams": {"maximum": max_unigrams},
        "order": {"minimum": min_shuffled},
        "length": {
            "difference": max_difference,
            "shortest": min_words,
            "longest": max_words,
        },
        "language": {"code": language, "sides": sides},
    }
    pipeline = config.load(settings, Pipeline) if settings else Pipeline()
    pipeline = adjusted(pipeline, changes, skip=skip or ())
    with _reading(inputs, "filtering", resumable=bool(outputs)) as progress:
        report = filter_files(
            inputs,
            outputs or (),
            pipeline=pipeline,
            format=_format(format, fields),
            rejected=rejected,
            processes=processes,
            resume=resume,
            progress=progress,
        )
    print(json.dumps(report.as_dict()) if as_json else report)


@contextmanager
def _reading(
    paths: list[Path], title: str, *, resumable: bool
) -> "Iterator[Callable[[int], None]]":
    """Show on stderr how much of the files is read; a stop says how to go on."""
    from rich.console import Console
    from rich.progress import Progress

    from paraphrast.corpora.lines import PACKED

    plain = all(path.is_file() and path.suffix not in PACKED for path in paths)
    total = sum(path.stat().st_size for path in paths) if plain else None
    console = Console(stderr=True)
    try:
        with Progress(
            console=console, transient=True, disable=not console.is_terminal
        ) as bar:
            task = bar.add_task(title, total=total)
            yield lambda done: bar.update(task, completed=done)
    except KeyboardInterrupt:
        if not (resumable and all(path.is_file() for path in paths)):
            raise
        print("stopped; go on with the same command and --resume.", file=sys.stderr)
        raise typer.Exit(130) from None
