"""The command ``rewrite``: its arguments, and the processing of each input.

`views` has what is shown to people in place of the result, and `rating` the scores that
the small judge gives it.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer
from typer.core import TyperCommand

from paraphrast.cli import options, printing
from paraphrast.cli.help import describe, unpack
from paraphrast.cli.levels import Level, load_at_level
from paraphrast.cli.views import Diff, Show, View
from paraphrast.errors import ParaphrastError
from paraphrast.study.explaining import load_categorise
from paraphrast.study.rating import load_meaning, load_rate

if TYPE_CHECKING:
    from paraphrast.rewriting.document import DocumentRewriter
    from paraphrast.rewriting.jobs import Left, Write
    from paraphrast.rewriting.records import Format, Record
    from paraphrast.storage.resumable import Journal

STANDARD_INPUT = "-"
SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_LOOKS = 0.3


@dataclass(frozen=True)
class Job:
    """The command-line arguments; `rewrite` documents the fields."""

    texts: list[str] | None = None
    to: options.ToAny = ""
    using: options.UsingRewriter = None
    pack: str | None = None
    packs: options.Packs = None
    output: Path | None = None
    in_place: bool = False
    file_format: str | None = None
    column: str | None = None
    field: str | None = None
    into: str = "rewrite"
    number: Annotated[int, typer.Option("-n", "--alternatives", min=1, max=100)] = 1
    explain: bool = False
    side_by_side: bool = False
    diff: Diff | None = None
    as_json: options.JsonRecords = False
    seed: options.Seed = options.SEED
    protect: list[str] | None = None
    strength: options.ShareOrNone = None
    level: Level | None = None
    min_meaning: options.ShareOrNone = None
    without_guard: list[str] | None = None
    show: Show | None = None
    rewrite_headings: bool = False
    allow_offensive: bool = False
    resume: bool = False
    track_changes: bool = False
    watch: bool = False
    url: str | None = None
    model: str | None = None
    concurrency: Annotated[int | None, typer.Option(min=1, max=64)] = None

    def __post_init__(self) -> None:
        """Reject incompatible options."""
        if not self.to and not self.pack:
            raise ParaphrastError("choose a style with --to; see `paraphrast styles`.")
        if self.resume and self.output is None:
            raise ParaphrastError("--resume needs the output file: add -o FILE.")
        if self.in_place and (self.output or self.as_json):
            raise ParaphrastError("--in-place cannot be combined with -o or --json.")
        page = self.diff is Diff.HTML and not self.in_place
        if self.has_view and (self.output or self.in_place) and not page:
            raise ParaphrastError(
                "--explain, --diff, --show and --side-by-side print to the screen. Add "
                "--json, or leave out -o and --in-place."
            )

    @property
    def has_view(self) -> bool:
        """Return whether the result is shown in a view for people."""
        shown = self.explain or self.side_by_side or self.diff or self.show
        return bool(shown) and not self.as_json

    def settings(self, style: str, family: str, packs: str) -> dict[str, Any]:
        """Return the settings that determine the output, to check a resumed job."""
        ignored = ("resume", "output", "texts", "to", "using", "concurrency")
        own = {
            key.replace("_", " "): None if value is None else str(value)
            for key, value in asdict(self).items()
            if key not in ignored
        }
        return own | {"pack identity": packs, "to": style, "rewriter": family}


class RewriteCommand(TyperCommand):
    """The command ``rewrite``, whose ``--diff`` may stand without a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; a bare ``--diff`` is ``--diff auto``."""
        values = [kind.value for kind in Diff]
        words = list(args)
        for index, argument in enumerate(args):
            following = args[index + 1] if index + 1 < len(args) else ""
            if argument == "--diff" and following not in values:
                words[index] = f"--diff={Diff.AUTO.value}"
        return super().parse_args(ctx, words)


@describe
@unpack
def rewrite(job: Job) -> None:
    """Rewrite text in another style.

    Examples:

      paraphrast rewrite --to formal "gonna be late, soz"

      paraphrast rewrite --to formal notes.md -o formal.md

      paraphrast rewrite --to formal letter.docx --track-changes -o formal.docx

      paraphrast rewrite --to informal reviews.csv --column review -o out.csv

      paraphrast rewrite --to formal --in-place chapters/

      cat lines.txt | paraphrast rewrite --to formal --json

    Options:
        texts [TEXT…|FILE…|FOLDER…]: Texts, or files and folders. Reads standard input
            if omitted, or if it is "-" alone.
        pack PACK: Name or folder of a pack.
        output -o --output: Output file, or folder for several files. [default: standard
            output]
        in_place: Replace the files; each original is kept as FILE~.
        file_format --format txt|md|csv|tsv|jsonl|docx|epub|html|odt|po|rtf|srt|vtt:
            Format of the input. [default: by file name]
        column NAME: Column of a CSV or TSV file. [default: text]
        field NAME: Field of a JSONL file. [default: text]
        into NAME: New column or field for the result.
        number: Alternatives per text.
        explain --explain/--no-explain: Show what changed and why; with --to formal,
            also the category of each change (docs/edits.md).
        side_by_side: Show source and rewrite in columns.
        diff --diff [words|unified|html]: Show the changes as coloured words in a
            terminal, otherwise as a unified diff; or as an HTML page.
        protect TERM: Term to keep unchanged; repeatable.
        strength: How far to move from the source, from 0 (light) to 1 (free).
        level neutral|formal|very-formal: Degree of formality, for --to formal.
            [default: formal]
        min_meaning: Minimum meaning score; a sentence below it stays unchanged.
        without_guard GUARD: Guard to switch off, as named by --explain; repeatable.
        show: Show intermediate steps, or scores of alternatives.
        rewrite_headings: Also rewrite headings and list items that are not sentences.
        allow_offensive: Allow offensive words in the output.
        resume: Continue a stopped job; needs -o.
        track_changes: Write each change to a docx as a tracked change, to accept or
            reject in an editor.
        watch: Rewrite the file again whenever it changes, until Ctrl-C.
        url: Address of the OpenAI-compatible endpoint, for --using llm.
        model NAME: Model to request from the endpoint, for --using llm.
        concurrency: Number of concurrent requests, for --using llm. [default: 4]
    """
    from paraphrast.rewriting.jobs import find_inputs

    texts = job.texts or ()
    inputs = find_inputs(() if list(texts) == [STANDARD_INPUT] else texts)
    rewriter = _load(job)
    if job.watch:
        _watch(job, rewriter, inputs.files)
        return
    if len(inputs.files) > 1 or job.in_place:
        if job.as_json or job.has_view:
            raise ParaphrastError(
                "--json and the views take only one file. Give one file."
            )
        for path in inputs.files:
            left = _run_file(job, rewriter, path, _target(job, path))
            _tell(left, path, where=f"{path}: ")
        if not inputs.files:
            raise ParaphrastError("--in-place needs a file. Give one.")
        return
    if inputs.files:
        (path,) = inputs.files
        _tell(_run_file(job, rewriter, path, _within(job.output, path)), path)
    else:
        left = _run_file(job, rewriter, None, job.output, texts=inputs.texts)
        _tell(left, "the text" if inputs.texts else "standard input")


def _watch(job: Job, rewriter: "DocumentRewriter", files: Sequence[Path]) -> None:
    """Rewrite a file whenever it changes, until the user stops it."""
    from paraphrast.storage.resumable import identity

    if len(files) != 1 or job.in_place or _within(job.output, files[0]) == files[0]:
        raise ParaphrastError(
            "--watch needs one input file, and -o an output file. Give both."
        )
    (path,) = files
    output = _within(job.output, path)
    seen: tuple[str, int, int] | None = None
    told = ""
    with suppress(KeyboardInterrupt):
        while True:
            try:
                if (now := identity(path)) != seen:
                    seen, told = now, ""
                    _tell(_run_file(job, rewriter, path, output), path)
            except ParaphrastError as error:  # an editor may be saving it right now
                if str(error) != told:
                    printing.print_note(told := str(error))
            time.sleep(SECONDS_BETWEEN_LOOKS)


def _target(job: Job, path: Path) -> Path:
    """Return the output path for one of several files."""
    if job.in_place:
        import shutil

        shutil.copy2(path, path.with_name(f"{path.name}~"))
        return path
    if job.output is None or not job.output.is_dir():
        raise ParaphrastError(
            "several files need a folder: add --in-place, or -o FOLDER of an existing "
            "folder."
        )
    return job.output / path.name


def _within(output: Path | None, path: Path) -> Path | None:
    return output / path.name if output is not None and output.is_dir() else output


def _run_file(
    job: Job,
    rewriter: "DocumentRewriter",
    path: Path | None,
    output: Path | None,
    *,
    texts: Sequence[str] = (),
) -> "Left":
    """Rewrite one input: texts, a file, or standard input."""
    from paraphrast.rewriting import formats, jobs, records
    from paraphrast.rewriting.interface import Reading

    name = job.file_format or (jobs.format_of(path) if path else "txt")
    if not texts and name in formats.WHOLE:
        return _run_document(job, rewriter, path, output, name=name)
    if job.track_changes:
        raise ParaphrastError("--track-changes is for docx. Leave it out.")
    form = records.format_named(
        "txt" if texts else name,
        column=job.column,
        field=job.field,
        into=job.into,
        number=job.number,
        headings=job.rewrite_headings,
    )
    reading = Reading(tuple(job.protect or ()), form.markdown, job.rewrite_headings)
    answer = partial(
        rewriter.alternatives, number=job.number, seed=job.seed, reading=reading
    )
    largest = min(jobs.BATCH, rewriter.batch)
    with ExitStack() as stack:
        file = None if texts else stack.enter_context(_open(path))
        waiting = form.read(file) if file else _as_records(texts)
        if output is not None and job.diff is not Diff.HTML:
            journal = _open_journal(job, rewriter, output, path, texts)
            bar = printing.show_bytes([path] if path else [], "rewriting")
            show = stack.enter_context(bar)
            to = _File(stack.enter_context(journal), file, path, show)
            write = _writer(job, form, rewriter)
            return jobs.rewrite_records(waiting, answer, write, to, largest=largest)
        if job.number == 1 and form.markdown and not (job.as_json or job.has_view):
            return jobs.stream_documents(
                waiting, rewriter, Stdout(), seed=job.seed, reading=reading
            )
        shown = _is_shown(job, form)
        view = View(job, rewriter, str(path or "text"), output) if shown else None
        write = _writer(job, form, rewriter, view)
        left = jobs.rewrite_records(waiting, answer, write, Stdout(), largest=largest)
        if view is not None:
            Stdout().add(view.finish(), 0)
        return left


def _run_document(
    job: Job,
    rewriter: "DocumentRewriter",
    path: Path | None,
    output: Path | None,
    *,
    name: str,
) -> "Left":
    """Rewrite a document that keeps its formatting."""
    from paraphrast.cli.documents import rewrite_whole

    with _open(path) as file:
        whole = rewrite_whole(job, rewriter, file.read(), name, path)
    if not (job.as_json or job.has_view):
        _write_bytes(whole.write(), output)
        return whole.left
    view = View(job, rewriter, str(path or "text"), output) if job.has_view else None
    write = _writer(job, None, rewriter, view)
    shown = "".join(write(record, rewrites) for record, rewrites in whole.records)
    if view is not None:
        Stdout().add(shown + view.finish(), 0)
    else:
        _write_bytes(encode(shown), output)
    return whole.left


def _write_bytes(data: bytes, output: Path | None) -> None:
    if output is None:
        Stdout().write(data)
        return
    from paraphrast.storage import atomic

    with atomic.bytes_writer(output) as file:
        file.write(data)


def _is_shown(job: Job, form: "Format") -> bool:
    """Return whether a view prints the result, instead of the file format."""
    from paraphrast.rewriting.records import PlainText

    listed = job.number > 1 and isinstance(form, PlainText)
    return job.has_view or (listed and not job.as_json)


def _as_records(texts: Sequence[str]) -> "Iterator[Record]":
    from paraphrast.rewriting.records import Record

    return (Record(text, ("", "\n")) for text in texts)


def _open(path: Path | None) -> BinaryIO:
    if path is not None:
        return path.open("rb")
    if sys.stdin.isatty():
        raise ParaphrastError(
            "nothing to rewrite. Give a TEXT or a FILE, or pipe in text."
        )
    return sys.stdin.buffer


def _load(job: Job) -> "DocumentRewriter":
    """Return the requested rewriter."""
    from paraphrast.rewriting import offers

    if job.pack is not None:
        load = partial(_load_pack, job)
        style = job.to or ("formal" if job.level else "")
        loaded = load_at_level(job.level, style, load) if job.level else load(style)
    else:
        settings = options.drop_missing(
            url=job.url, model=job.model, concurrency=job.concurrency
        )
        load = partial(offers.load, using=job.using, home=job.packs, settings=settings)
        loaded = load_at_level(job.level, job.to, load) if job.level else load(job.to)
    if notice := getattr(loaded.rewriter, "notice", ""):
        printing.print_note(notice)
    if job.allow_offensive:
        loaded = loaded.unfiltered()
    if job.without_guard:
        loaded = loaded.without_guards(job.without_guard)
    if job.strength is not None:
        loaded = loaded.adjusted(strength=job.strength)
    if job.min_meaning is not None:
        loaded = replace(loaded, meaning=load_meaning(), min_meaning=job.min_meaning)
    return loaded


def _load_pack(job: Job, style: str) -> "DocumentRewriter":
    from paraphrast.rewriting import offers

    return offers.load_pack(job.pack or "", to=style or None, home=job.packs)


def _packs(job: Job, rewriter: "DocumentRewriter") -> str:
    from paraphrast.rewriting.offers import identify_packs

    return identify_packs(rewriter, pack=job.pack, home=job.packs)


def _writer(
    job: Job,
    form: "Format | None",
    rewriter: "DocumentRewriter",
    view: "Write | None" = None,
) -> "Write":
    """Return the function that writes records: as JSON, by a view, or in a format."""
    if not job.as_json and view is not None:
        return view
    if not job.as_json and form is not None:
        return form.write
    from paraphrast.rewriting.records import as_json

    rate = load_rate(rewriter) if job.show is Show.SCORES else None
    categorise = load_categorise(rewriter.style) if job.explain else None
    return partial(as_json, explain=job.explain, rate=rate, categorise=categorise)


def encode(text: str) -> bytes:
    """Return the bytes of a text; bytes that were not UTF-8 are kept unchanged."""
    return text.encode("utf-8", errors="surrogateescape")


@dataclass(frozen=True)
class Stdout:
    """Standard output, flushed after each part."""

    done: int = 0

    def add(self, text: str, records: int) -> None:
        """Write text."""
        self.write(encode(text))

    def write(self, data: bytes) -> None:
        """Write and flush; end the command if the reader has closed the pipe."""
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            # Python would raise again when it flushes stdout at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from error


@dataclass
class _File:
    """A file that appears when it is complete, with progress on stderr.

    On a terminal, ``show`` draws a bar of the bytes read; otherwise a line is printed
    occasionally.
    """

    journal: "Journal"
    read: BinaryIO | None
    path: Path | None
    show: Callable[[int], None]
    last_line: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Return the number of records that a stopped job has already written."""
        return int(self.journal.state.get("records", 0))

    def add(self, text: str, records: int) -> None:
        """Append to the file, and record the progress."""
        self.journal.add([encode(text)], {"records": self.done + records})
        position = self._position()
        self.show(position)
        now = time.monotonic()
        if not sys.stderr.isatty() and now - self.last_line > SECONDS_BETWEEN_LINES:
            self.last_line = now
            printing.print_note(f"rewriting: {self._progress(position)}")

    def _position(self) -> int:
        is_seekable = self.read is not None and self.read.seekable()
        return self.read.tell() if self.read and is_seekable else 0

    def _progress(self, position: int) -> str:
        from paraphrast.rewriting.jobs import count_nouns

        records = count_nouns(self.done, "record")
        size = self.path.stat().st_size if self.path else 0
        if not (size and position):
            return f"{records}."
        return f"{records}, {100 * position / size:.0f}% of {self.path}."


def _open_journal(
    job: Job,
    rewriter: "DocumentRewriter",
    output: Path,
    path: Path | None,
    texts: Sequence[str],
) -> "Journal":
    from paraphrast.storage.resumable import Journal, identity

    packs = _packs(job, rewriter)
    settings = job.settings(rewriter.style, rewriter.family, packs)
    if path is not None:
        settings["input"] = identity(path)
    elif texts:
        settings["input"] = list(texts)
    elif job.resume:
        raise ParaphrastError(
            "--resume cannot tell whether standard input is the same. Give a file."
        )
    resumable = path is not None or bool(texts)
    return Journal([output], settings, resume=job.resume, resumable=resumable)


def _tell(left: "Left", source: Path | str, *, where: str = "") -> None:
    """Report on stderr what stayed unchanged, or that there was no text."""
    if not left.read:
        print(f"nothing to rewrite in {source}.", file=sys.stderr)
    for line in left:
        print(f"{where}{line}", file=sys.stderr)
