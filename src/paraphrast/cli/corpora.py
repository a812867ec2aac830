"""``paraphrast corpora …``: parse, call, print."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paraphrast.cli import printing
from paraphrast.cli.help import describe, unpack
from paraphrast.cli.options import (
    SEED,
    Cache,
    Fields,
    Json,
    Mirror,
    NewFile,
    PairFormat,
    Processes,
    Resume,
    Seed,
    Share,
    drop_missing,
)

if TYPE_CHECKING:
    from paraphrast.corpora.catalogue import Entry

app = typer.Typer(
    no_args_is_help=True, help="Find, fetch, clean, split, filter and align corpora."
)

CorpusName = Annotated[
    str,
    typer.Argument(metavar="CORPUS", help="Name from `paraphrast corpora list`."),
]
Inputs = Annotated[
    list[Path],
    typer.Argument(metavar="FILES", help="One file of pairs, or two parallel files."),
]
CountOrShare = Annotated[
    float, typer.Option(min=0, help="Number of records, or a share below 1.")
]
LEGEND = (
    "included: comes with paraphrast. public: `corpora fetch` downloads it. mirror: "
    "only available from a mirror folder. own: get it from its owner and use your own "
    "files."
)


@app.callback()
def corpora() -> None:
    """Find, fetch, clean, split, filter and align corpora."""


@app.command("list")
def list_corpora(
    mirror: Mirror = None, cache: Cache = None, as_json: Json = False
) -> None:
    """List the corpora of the catalogue: access, size, and whether they are present.

    Example: paraphrast corpora list
    """
    from paraphrast.corpora import catalogue

    records = [
        {
            **{key: getattr(entry, key) for key in ("name", "title", "access")},
            **{key: getattr(entry, key) for key in ("licence", "address", "bytes")},
            "here": catalogue.is_here(entry, mirror=mirror, cache=cache),
        }
        for entry in map(catalogue.entry, catalogue.names())
    ]
    rows = [
        (
            record["name"],
            record["access"],
            printing.format_megabytes(record["bytes"]),
            "yes" if record["here"] else "no",
            record["title"],
        )
        for record in records
    ]
    header = ("name", "access", "size", "here", "title")
    table = printing.format_table(rows, header=header, align="<<>")
    printing.print_report(records, [*table, "", LEGEND], as_json=as_json)


@app.command()
@describe
def show(name: CorpusName, files: bool = False, as_json: Json = False) -> None:
    """Show a corpus's licence, citation, address, size and loader.

    Example: paraphrast corpora show jhamtani17

    Options:
        files: List every file with its SHA-256 hash.
    """
    from paraphrast.corpora import catalogue

    entry = catalogue.entry(name)
    listed = [asdict(file) for file in entry.files]
    record = asdict(entry) | {"files": listed}
    printing.print_report(record, _entry_lines(entry, files=files), as_json=as_json)


def _entry_lines(entry: "Entry", *, files: bool) -> Iterator[str]:
    for field, value in asdict(entry).items():
        if value:
            shown = ", ".join(value) if isinstance(value, tuple) else value
            yield f"{field:9} {shown}"
    more = "" if files or not entry.files else "; --files lists them"
    size = printing.format_megabytes(entry.bytes)
    yield f"{'files':9} {len(entry.files)} ({size}{more})"
    if files:
        yield from (f"{'':9} {file.sha256}  {file.path}" for file in entry.files)


@app.command()
def fetch(
    name: CorpusName, mirror: Mirror = None, cache: Cache = None, as_json: Json = False
) -> None:
    """Verify a corpus in the mirror, or download it to the cache; print its folder.

    Example: paraphrast corpora fetch jhamtani17
    """
    from paraphrast.corpora import catalogue
    from paraphrast.corpora.catalogue.fetching import fetch

    entry = catalogue.entry(name)
    with printing.show_bar(name, total=entry.bytes, shown=mirror is None) as advance:
        folder = fetch(
            name,
            mirror=mirror,
            cache=cache,
            progress=lambda file, count: advance(count),
        )
    verified = [file.path for file in entry.files]
    record = {"name": name, "folder": str(folder), "verified": verified}
    lines = [f"{folder} ({len(verified)} files verified)"]
    printing.print_report(record, lines, as_json=as_json)


@app.command()
@describe
def read(
    name: CorpusName, part: str, mirror: Mirror = None, cache: Cache = None
) -> None:
    """Print a part of a corpus: one text per line, or two texts separated by a tab.

    Example: paraphrast corpora read quora train > quora.tsv

    Options:
        part PART: Part of the corpus, as named by `corpora show`.
    """
    from paraphrast.corpora import catalogue

    folders = {"mirror": mirror, "cache": cache}
    if part in catalogue.entry(name).texts:
        for text in catalogue.load_texts(name, part, **folders):
            print(text)
    else:
        for pair in catalogue.load_pairs(name, part, **folders):
            print(f"{pair.source}\t{pair.target}")


@app.command()
@describe
def build(
    name: Literal["formality"],
    output: Path,
    synthetic: list[Path] | None = None,
    research: bool = False,
    mirror: Mirror = None,
    as_json: Json = False,
) -> None:
    """Assemble the open formality corpus: train, tune and test in both directions.

    Writes to-formal/{train,tune,test}.jsonl, to-informal/… and about.json. Every row
    gives its source, licence and origin; no test text is in tune or train. Without a
    mirror, only the everyday corpus is used, and a message says so.

    Example: paraphrast corpora build formality -o formality

    Options:
        name CORPUS: Corpus to assemble: formality.
        output -o --output FOLDER: Folder to write.
        synthetic FILE: Filtered synthetic pairs (JSONL); repeatable.
        research: Include research-only sources, which must not be redistributed.
    """
    from paraphrast.corpora import catalogue, formality

    if mirror is not None or research:
        catalogue.locate(name, mirror=mirror)  # if requested, it must be present
    folders, missing = catalogue.locate_all([name], mirror=mirror)
    assembled = formality.assemble(
        catalogue.locate("everyday"),
        folders.get(name),
        synthetic=synthetic or (),
        research=research,
    )
    with printing.show_bar(name, total=len(assembled.rows), shown=True) as advance:
        report = formality.build(assembled, output, progress=advance)
    lines = [*report.lines(), f"Written to {output}"]
    if not folders:
        lines.append(f"From everyday alone: {missing[name]}")
    printing.print_report(asdict(report), lines, as_json=as_json)


@app.command()
def check(name: CorpusName = "everyday", as_json: Json = False) -> None:
    """Run the automatic checks of the everyday corpus; exit with status 1 on faults.

    Faults are missing versions, numbers that differ from the plain version, repeated
    texts, wrong splits, and contrast lines or references without their text. Copies of
    the plain version, lost names and overused openings are reported per style. CORPUS
    is `everyday` or a folder with the same files.

    Example: paraphrast corpora check everyday
    """
    from paraphrast.corpora import catalogue, checking

    given = Path(name)
    folder = given if given.is_dir() else catalogue.locate(name)
    report = checking.check(folder)
    rows = [
        (
            *(style.style, style.versions, f"{style.words:.1f}"),
            *(f"{style.overlap:.0f}", f"{style.copies:.1f}", f"{style.names_lost:.1f}"),
            f"{style.opening} ({style.opening_share:.1f}%)",
        )
        for style in report.styles
    ]
    header = (
        *("style", "versions", "words", "F1 to plain", "copies %", "names lost %"),
        "commonest opening",
    )
    lines = [
        f"{report.texts:,} texts, {report.documents:,} documents, "
        f"{report.contrast:,} contrast lines, {report.references:,} references: "
        f"{len(report.faults)} faults",
        *report.faults,
        "",
        *printing.format_table(rows, header=header, align="<>>>>>"),
    ]
    printing.print_report(asdict(report), lines, as_json=as_json)
    if report.faults:
        raise typer.Exit(1)


@app.command()
@describe
def clean(
    inputs: Inputs,
    outputs: list[Path],
    max_words: int | None = None,
    max_ratio: float | None = None,
    duplicates: Literal["keep", "drop"] = "keep",
    characters: Literal["keep", "normalise"] = "keep",
    quotes: Literal["keep", "straighten"] = "keep",
    format: PairFormat = None,
    fields: Fields = None,
    as_json: Json = False,
) -> None:
    """Drop or repair bad lines, and account for every line.

    Always dropped are lines that are not valid UTF-8 or not a record of the format,
    lines with a NUL character, and records with an empty side.

    Example: paraphrast corpora clean raw.tsv -o pairs.tsv --max-ratio 3

    Options:
        outputs -o --output: File to write, per input.
        max_words: Maximum words per side.
        max_ratio: Maximum ratio of the longer side to the shorter.
        duplicates: What to do with repeated records.
        characters: What to do with mojibake, white space and invisible characters.
        quotes: What to do with typographic quotes, dashes and ellipses.
    """
    from paraphrast.config import build
    from paraphrast.corpora import cleaning

    settings = drop_missing(
        max_words=max_words,
        max_ratio=max_ratio,
        duplicates=duplicates,
        characters=characters,
        quotes=quotes,
    )
    report = cleaning.clean(
        inputs,
        outputs,
        rules=build(settings, cleaning.Rules, where="corpora clean"),
        format=_choose_format(format, fields),
    )
    printing.print_report(asdict(report), report.lines(), as_json=as_json)


@app.command()
@describe
def split(
    inputs: Inputs,
    output: Path,
    valid: CountOrShare = 0.1,
    test: CountOrShare = 0.1,
    seed: Seed = SEED,
    format: PairFormat = None,
    fields: Fields = None,
    as_json: Json = False,
) -> None:
    """Split into train, valid and test parts that share no text.

    Records that share a source or target, ignoring case, punctuation and spacing, stay
    together.

    Example: paraphrast corpora split pairs.tsv -o parts --valid 1000 --test 1000

    Options:
        output -o --output FOLDER: Folder for train.NAME, valid.NAME and test.NAME.
    """
    from paraphrast.corpora import splitting

    report = splitting.split(
        inputs,
        output,
        sizes=splitting.Sizes(valid=valid, test=test),
        seed=seed,
        format=_choose_format(format, fields),
    )
    printing.print_report(asdict(report), report.lines(), as_json=as_json)


def _choose_format(name: str | None, fields: str | None) -> Any:
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
@describe
def align_sentences(
    source: Path,
    target: Path,
    output: NewFile,
    threshold: Share = 0.5,
    cognates: bool = False,
    merged: bool = False,
    as_json: Json = False,
) -> None:
    """Pair the sentences of two versions of a text (Moore 2002).

    The sentences must be in the same order; either side may omit, split or merge some.
    Given two folders, files of the same name are aligned, with one word model for all.
    Pairs are written as .tsv or .jsonl.

    Example: paraphrast corpora align-sentences modern.txt original.txt -o pairs.tsv

    Options:
        source SOURCE: Text with one sentence per line, or a folder of such files.
        target TARGET: The same text in the other style or language.
        threshold: Minimum posterior probability of a bead.
        cognates: Match words with a common prefix.
        merged: Keep 2-1 and 1-2 beads too, with the two sentences joined.
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
    sources = sum(len(bead.sources) for beads in aligned for bead in beads)
    targets = sum(len(bead.targets) for beads in aligned for bead in beads)
    counts = {"source_sentences": sources, "target_sentences": targets}
    record = counts | {"pairs": len(pairs), "output": str(output)}
    line = (
        f"{len(pairs):,} pairs of {sources:,} source and {targets:,} target sentences "
        f"-> {output}"
    )
    printing.print_report(record, [line], as_json=as_json)


@dataclass(frozen=True)
class _Filtering:
    """The arguments of `filter`; the command documents the fields."""

    inputs: Inputs
    outputs: list[Path] | None = None
    rejected: Path | None = None
    settings: Path | None = None
    min_similarity: float | None = None
    max_trigrams: float | None = None
    max_unigrams: float | None = None
    min_shuffled: float | None = None
    max_difference: int | None = None
    min_words: float | None = None
    max_words: float | None = None
    language: str | None = None
    sides: Literal["either", "both"] | None = None
    skip: list[str] | None = None
    processes: Processes = 1
    resume: Resume = False
    format: PairFormat = None
    fields: Fields = None
    as_json: Json = False

    def thresholds(self) -> dict[str, dict[str, Any]]:
        """Return the thresholds of each stage; None where the option is not given."""
        return {
            "content": {"minimum": self.min_similarity},
            "trigrams": {"maximum": self.max_trigrams},
            "unigrams": {"maximum": self.max_unigrams},
            "order": {"minimum": self.min_shuffled},
            "length": {
                "difference": self.max_difference,
                "shortest": self.min_words,
                "longest": self.max_words,
            },
            "language": {"code": self.language, "sides": self.sides},
        }


@app.command("filter")
@describe
@unpack
def filter_pairs(asked: _Filtering) -> None:
    """Keep diverse paraphrases: the six filters of Krishna et al. (2020, "STRAP").

    Prints how many of the pairs that reached each stage were dropped there. The
    similarity is lexical, with weights estimated on the input; docs/filtering.md says
    how far to trust it.

    Example: paraphrast corpora filter pairs.tsv -o diverse.tsv --rejected rest.tsv

    Options:
        outputs -o --output: File to write, per input. [default: none: only report]
        rejected: File for rejected pairs, each prefixed with the stage that dropped it.
        settings --config: TOML file with thresholds; options override it.
        min_similarity: Minimum content similarity. [default: 0.4]
        max_trigrams: Maximum share of shared trigrams. [default: 0.7]
        max_unigrams: Maximum share of target words that are in the source. [default:
            0.5]
        min_shuffled: Minimum word-order difference: 0 same order, 1 reversed. [default:
            0.5]
        max_difference: Maximum length difference in words. [default: 5]
        min_words: Minimum mean length of the two sides. [default: 7]
        max_words: Maximum mean length of the two sides. [default: 25]
        language CODE: Language code of the pairs. [default: en]
        sides: Sides that must be in the language. [default: either]
        skip STAGE: Stage to skip: content, trigrams, unigrams, order, length or
            language; repeatable.
    """
    from paraphrast import config
    from paraphrast.corpora.filtering import Pipeline, change_thresholds, filter_files

    pipeline = config.load(asked.settings, Pipeline) if asked.settings else Pipeline()
    pipeline = change_thresholds(pipeline, asked.thresholds(), skip=asked.skip or ())
    with _tell_how_to_resume(asked.inputs, resumable=bool(asked.outputs)) as progress:
        report = filter_files(
            asked.inputs,
            asked.outputs or (),
            pipeline=pipeline,
            format=_choose_format(asked.format, asked.fields),
            rejected=asked.rejected,
            processes=asked.processes,
            resume=asked.resume,
            progress=progress,
        )
    printing.print_report(report.as_dict(), [str(report)], as_json=asked.as_json)


@contextmanager
def _tell_how_to_resume(
    paths: list[Path], *, resumable: bool
) -> Iterator[Callable[[int], None]]:
    """Show how much of the files has been read; if stopped, print how to continue."""
    try:
        with printing.show_bytes(paths, "filtering") as progress:
            yield progress
    except KeyboardInterrupt:
        if not (resumable and all(path.is_file() for path in paths)):
            raise
        printing.print_note("stopped; continue with the same command and --resume.")
        raise typer.Exit(130) from None
