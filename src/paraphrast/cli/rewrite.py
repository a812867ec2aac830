"""The commands ``rewrite``, ``styles`` and ``rewriters``."""

import json
import sys
from contextlib import AbstractContextManager, ExitStack
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from paraphrast.rewriter import Rewrite
    from paraphrast.rewriting.batch import Answer, Request
    from paraphrast.rewriting.document import DocumentRewriter
    from paraphrast.rewriting.ratings import Rate
    from paraphrast.rewriting.records import Record
    from paraphrast.storage.journal import Journal

Home = Annotated[
    Path | None,
    typer.Option("--packs", envvar="PARAPHRAST_PACKS", help="The folder of packs."),
]

FILE_SUFFIXES = (".txt", ".md", ".markdown", ".csv", ".tsv", ".jsonl", ".ndjson")


class Show(StrEnum):
    """What `--show` can show."""

    STEPS = "steps"
    SCORES = "scores"


def rewrite(
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT…|FILE]", help="Texts, or one file. Without: standard input."
        ),
    ] = None,
    to: Annotated[str, typer.Option(help="The style; see `paraphrast styles`.")] = "",
    using: Annotated[
        str | None,
        typer.Option(
            "--using", "--rewriter", help="Who rewrites; see `paraphrast rewriters`."
        ),
    ] = None,
    pack: Annotated[
        str | None, typer.Option(help="A pack: its folder, or its name.")
    ] = None,
    home: Home = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write here, not to stdout.")
    ] = None,
    file_format: Annotated[
        str | None,
        typer.Option("--format", help="txt, md, csv, tsv, jsonl; else by file name."),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="The column of a CSV or TSV file.")
    ] = None,
    field: Annotated[
        str | None, typer.Option(help="The field of a JSONL file.")
    ] = None,
    into: Annotated[
        str, typer.Option(help="New column or field for the result.")
    ] = "rewrite",
    number: Annotated[
        int, typer.Option("-n", min=1, max=100, help="Alternatives of each text.")
    ] = 1,
    explain: Annotated[bool, typer.Option(help="Say what changed and why.")] = False,
    side_by_side: Annotated[
        bool, typer.Option("--side-by-side", help="Show source and rewrite in columns.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON record a text.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Same seed, same output.")] = 1,
    protect: Annotated[
        list[str] | None,
        typer.Option(help="A term to keep letter for letter; may be repeated."),
    ] = None,
    strength: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="From a light touch (0) to free (1)."),
    ] = None,
    show: Annotated[
        Show | None,
        typer.Option(help="What each text was on the way, or what alternatives score."),
    ] = None,
    allow_offensive: Annotated[
        bool,
        typer.Option("--allow-offensive", help="Let tweets and talk be offensive."),
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a stopped job; needs -o.")
    ] = False,
) -> None:
    """Rewrite text in another style.

    Examples:

      paraphrast rewrite --to formal "gonna be late, soz"

      paraphrast rewrite --to formal notes.md -o formal.md

      paraphrast rewrite --to informal reviews.csv --column text -o out.csv

      cat lines.txt | paraphrast rewrite --to formal --json
    """
    from paraphrast.errors import ParaphrastError
    from paraphrast.rewriting import records
    from paraphrast.rewriting.batch import FIRST_BATCH, Request, answered, write_all
    from paraphrast.storage.journal import Journal

    if not to and not pack:
        raise ParaphrastError("say which style with --to; see `paraphrast styles`.")
    if resume and output is None:
        raise ParaphrastError("--resume needs the output file: add -o FILE.")
    # On a screen alternatives come with what to choose them by.
    if number > 1 and not (output or as_json or show) and sys.stdout.isatty():
        show = Show.SCORES
    to_screen = (explain or side_by_side or show is not None) and not as_json
    if to_screen and output is not None:
        raise ParaphrastError(
            "--explain, --show and --side-by-side go to the screen. Add --json."
        )
    loaded = _loaded(pack, to, using, home, strength, offensive=allow_offensive)
    rate = _rate(loaded) if show is Show.SCORES else None
    path = _file_among(texts or [])
    given = texts if path is None else None
    name = file_format or (records.format_of(path) if path else "txt")
    form = records.format_named(
        "txt" if given else name, column=column, field=field, into=into, number=number
    )
    request = Request(
        loaded, number=number, seed=seed, protect=protect or (), markdown=form.markdown
    )
    json_of = partial(records.as_json, explain=explain, rate=rate)
    write = json_of if as_json else form.write
    with ExitStack() as stack:
        if given:
            waiting = _texts_as_records(given)
        else:
            waiting = form.read(stack.enter_context(_opened(path, progress=output)))
        if to_screen:
            _show(
                answered(waiting, request, first=FIRST_BATCH),
                loaded.style,
                side=side_by_side,
                explain=explain,
                steps=show is Show.STEPS,
                rate=rate,
            )
            return
        if output is None:
            left = _printed(waiting, request, write, whole=as_json or not form.markdown)
        else:
            settings = _settings(path, rewriter=loaded.family, number=number)
            settings |= {"to": loaded.style, "pack": pack}
            settings |= {"seed": seed, "protect": protect, "json": as_json}
            settings |= {"strength": strength} if strength is not None else {}
            settings |= {"allow offensive": True} if allow_offensive else {}
            journal = stack.enter_context(Journal([output], settings, resume=resume))
            waiting = islice(waiting, journal.state.get("records", 0), None)
            left = write_all(answered(waiting, request), write, _into(journal))
    for why, count in sorted(left.items()):
        were = "it was" if count == 1 else "they were"
        print(f"left {count} as {were}: {why}.", file=sys.stderr)


def styles(
    text: Annotated[
        str | None, typer.Argument(help="Show this text in every style.")
    ] = None,
    home: Home = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the styles that text can be rewritten into, or show a text in each of them.

    Example: paraphrast styles "Where were you last night?"
    """
    from paraphrast.rewriting.offers import styles as offered

    if text is not None:
        _in_every_style(text, home, as_json=as_json)
        return
    found = offered(home)
    if as_json:
        print(_as_json([(s.name, s.summary, s.rewriters) for s in found], "rewriters"))
        return
    for style in found:
        print(f"{style.name:<14}{style.summary} [{', '.join(style.rewriters)}]")


def _in_every_style(text: str, home: Path | None, *, as_json: bool) -> None:
    from dataclasses import asdict

    from paraphrast.rewriting.offers import in_every_style

    found = in_every_style(text, home)
    if as_json:
        rows = [asdict(example) for example in found]
        table = {"source": text, "styles": rows}
        print(json.dumps(table, ensure_ascii=False, indent=2))
        return
    print(text)
    lacking: dict[str, list[str]] = {}
    for example in found:
        if example.text:
            why = f"  (unchanged: {example.why})" if example.why else ""
            print(f"{example.style:<14}{example.text}{why}", flush=True)
        else:
            lacking.setdefault(example.why, []).append(example.style)
    for why, names in lacking.items():
        print(f"Not yet: {', '.join(names)}. {why}")


def rewriters(
    home: Home = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the installed rewriters and the styles each one writes."""
    from paraphrast.rewriting.offers import rewriters as offered

    found = offered(home)
    if as_json:
        print(_as_json([(o.name, o.summary, o.styles) for o in found], "styles"))
        return
    for offer in found:
        print(f"{offer.name:<14}{offer.summary} [{', '.join(offer.styles)}]")


def _as_json(rows: "list[tuple[str, str, tuple[str, ...]]]", last: str) -> str:
    return json.dumps(
        [{"name": n, "summary": s, last: list(items)} for n, s, items in rows],
        ensure_ascii=False,
        indent=2,
    )


def _loaded(
    pack: str | None,
    to: str,
    using: str | None,
    home: Path | None,
    strength: float | None,
    *,
    offensive: bool,
) -> "DocumentRewriter":
    """Return the rewriter that was asked for."""
    from paraphrast.rewriting import offers

    if pack is not None:
        found = offers.load_pack(pack, to=to or None, home=home)
    else:
        found = offers.load(to, rewriter=using, home=home)
    found = found.unfiltered() if offensive else found
    return found if strength is None else found.adjusted(strength=strength)


def _rate(loaded: "DocumentRewriter") -> "Rate":
    """Return how to rate rewrites: by the small judge, and for a learned style's
    own look by the guide that its pack brings along."""
    from paraphrast.judges import judge
    from paraphrast.judges import rows as judging
    from paraphrast.rewriting.ratings import Rating

    small = judge.load(Path("small"))
    known = loaded.style if loaded.style in small.styles else ""
    guide = getattr(loaded.rewriter, "guide", None)

    def rate(source: str, texts: "Sequence[str]") -> list[Rating]:
        rows = [judging.Row(text, source) for text in texts]
        found = list(judging.judge_rows(small, rows, judging.Counts(), to=known))
        styles: Sequence[float | None] = [record["style"] for record in found]
        if not known and guide is not None:
            styles = guide.style(texts, loaded.style)
        return [
            Rating(style, record["sim_source"], record["fluency"])
            for style, record in zip(styles, found, strict=True)
        ]

    return rate


def _file_among(texts: list[str]) -> Path | None:
    """Return the file if the arguments are one; refuse a file that is missing."""
    from paraphrast.errors import ParaphrastError

    files = [text for text in texts if _is_file(text)]
    if files and len(texts) > 1:
        raise ParaphrastError(
            f"{files[0]!r} is a file: give one file alone, or only texts."
        )
    if files:
        return Path(files[0])
    for text in texts:
        if text.lower().endswith(FILE_SUFFIXES) and not any(map(str.isspace, text)):
            raise ParaphrastError(
                f"no such file: {text!r}. To rewrite it as text, send it by stdin."
            )
    return None


def _is_file(text: str) -> bool:
    from paraphrast.errors import ParaphrastError

    if "\0" in text or len(text) > 4096:
        return False
    try:
        path = Path(text)
        if path.is_dir() and ("/" in text):
            raise ParaphrastError(f"{text!r} is a folder. Give one of its files.")
        return path.is_file() or path.is_fifo()
    except OSError:
        return False


def _opened(
    path: Path | None, *, progress: Path | None
) -> AbstractContextManager[BinaryIO]:
    """Open the input; show how far it is read when the output goes to a file."""
    from paraphrast.errors import ParaphrastError

    if path is None:
        if sys.stdin.isatty():
            raise ParaphrastError(
                "nothing to rewrite. Give a TEXT, a FILE, or pipe text in."
            )
        return sys.stdin.buffer
    if progress is None or not sys.stderr.isatty():
        return path.open("rb")
    import rich.progress
    from rich.console import Console

    console = Console(stderr=True)
    return rich.progress.open(path, "rb", description="rewriting", console=console)


def _settings(path: Path | None, **settings: Any) -> dict[str, Any]:
    if path is not None:
        known = path.stat()
        settings["input"] = [str(path), known.st_size, known.st_mtime_ns]
    return settings


def _texts_as_records(texts: list[str]) -> "Iterator[Record]":
    from paraphrast.rewriting.records import Record

    return (Record(text, ("", "\n")) for text in texts)


def _printed(
    waiting: "Iterable[Record]",
    request: "Request",
    write: "Callable[[Record, Sequence[Rewrite]], str]",
    *,
    whole: bool,
) -> "Counter[str]":
    """Print records as they are done; a document bit by bit unless it must be whole."""
    from paraphrast.rewriting.batch import (
        FIRST_BATCH,
        answered,
        write_all,
        write_streamed,
    )

    if not whole and request.number == 1:
        return write_streamed(waiting, request, _to_stdout)
    batches = answered(waiting, request, first=FIRST_BATCH)
    return write_all(batches, write, _to_stdout)


def _into(journal: "Journal") -> "Callable[[str, int], None]":
    def add(text: str, records: int) -> None:
        done = journal.state.get("records", 0) + records
        part = text.encode("utf-8", errors="surrogateescape")
        journal.add([part], {"records": done})

    return add


def _to_stdout(text: str, records: int) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", errors="surrogateescape"))
    sys.stdout.buffer.flush()


def _show(
    batches: "Iterable[list[Answer]]",
    style: str,
    *,
    side: bool,
    explain: bool,
    steps: bool,
    rate: "Rate | None",
) -> None:
    from rich.console import Console

    from paraphrast.rewriting import display

    console = Console(highlight=False, markup=False)
    for batch in batches:
        rows = [(r.text, answers) for r, answers in batch if r.text is not None]
        if side:
            sources, best = [text for text, _ in rows], [a[0] for _, a in rows]
            console.print(display.side_by_side(sources, best, style=style))
        for text, answers in rows if rate else []:
            ratings = rate(text, [a.text for a in answers]) if rate else []
            shown = display.alternatives(text, answers, ratings)
            console.print(shown, soft_wrap=True)
        for text, answers in rows if steps else []:
            console.print(display.steps(text, answers[0]), soft_wrap=True)
        for text, answers in rows if explain else []:
            console.print(display.explanation(text, answers), soft_wrap=True)
