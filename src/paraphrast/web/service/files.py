"""Rewrite an uploaded file in its own format, as ``paraphrast rewrite`` does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting import formats, jobs, records
from paraphrast.rewriting.formats.rewriting import rewrite_document, write_document
from paraphrast.rewriting.interface import Reading
from paraphrast.web.service.rewriting import Loaded, Service


@dataclass(frozen=True)
class Asked:
    """The options for a file; see those of ``paraphrast rewrite``."""

    style: str
    rewriter: str | None = None
    strength: float | None = None
    alternatives: int = 0
    protect: tuple[str, ...] = ()
    headings: bool = False
    seed: int = 1
    format: str | None = None
    column: str | None = None
    field: str | None = None
    into: str = "rewrite"
    track_changes: bool = False


@dataclass
class _Output:
    """The destination of rewritten records; ``tell`` gets the characters done."""

    file: BinaryIO
    tell: Callable[[int], None]
    characters: int = 0
    done: int = 0

    def add(self, text: str, records: int) -> None:
        """Write the output of some records."""
        self.file.write(text.encode("utf-8", errors="surrogateescape"))
        self.tell(self.characters)


def rewrite_file(
    service: Service,
    asked: Asked,
    name: str,
    path: Path,
    result: BinaryIO,
    *,
    tell: Callable[[int, int], None],
) -> jobs.Left:
    """Rewrite a file that the client calls ``name``; return what was left unchanged.

    ``tell`` is called with the number of characters done, and of all.
    """
    form = find_format(name, asked)
    jobs.refuse_binary(path, name=name)
    loaded = service.load(asked.style, using=asked.rewriter, strength=asked.strength)
    if form is None:
        written, left = _rewrite_whole(loaded, asked, name, path, tell=tell)
        result.write(written)
        return left
    with path.open("rb") as file:
        total = sum(len(record.text or "") for record in form.read(file))
    tell(0, total)
    output = _Output(result, lambda done: tell(done, total))
    with path.open("rb") as file:
        if form.markdown and not asked.alternatives:
            return _rewrite_document(loaded, asked, form, file, output)
        return _rewrite_records(loaded, asked, form, file, output)


def name_result(name: str, style: str) -> str:
    """Return the name of a rewritten file, which differs from the upload's."""
    path = PurePath(name)
    return f"{path.stem}-{style}{path.suffix}"


def find_format(name: str, asked: Asked) -> records.Format | None:
    """Return the format of a file; None for a document that is read whole."""
    form = _name_format(name, asked)
    if asked.track_changes and form != "docx":
        raise ParaphrastError(f"changes can be tracked only in docx, not in {form}.")
    if form in formats.WHOLE:
        if asked.alternatives:
            raise ParaphrastError(
                "a document has no alternatives. Leave out `alternatives`."
            )
        return None
    return records.format_named(
        form,
        column=asked.column,
        field=asked.field,
        into=asked.into,
        number=1 + asked.alternatives,
        headings=asked.headings,
    )


def _name_format(name: str, asked: Asked) -> str:
    return asked.format or jobs.format_of(Path(name))


def _rewrite_whole(
    loaded: Loaded,
    asked: Asked,
    name: str,
    path: Path,
    *,
    tell: Callable[[int, int], None],
) -> tuple[bytes, jobs.Left]:
    """Return the rewritten document, and what was left unchanged."""
    form = formats.format_named(_name_format(name, asked))
    document = form.read(path.read_bytes(), name)
    total = sum(len(segment.text) for segment in document.segments)
    tell(0, total)
    rewritten = rewrite_document(
        loaded.rewriter,
        document,
        seed=asked.seed,
        reading=Reading(asked.protect, headings=asked.headings),
        progress=lambda share: tell(int(share * total), total),
    )
    left = jobs.Left()
    for segment, new in zip(document.segments, rewritten, strict=True):
        left.add_record(records.Record(segment.text), [new.rewrite])
    written = write_document(document, rewritten, track_changes=asked.track_changes)
    return written, left


def _rewrite_document(
    loaded: Loaded,
    asked: Asked,
    form: records.Format,
    file: BinaryIO,
    output: _Output,
) -> jobs.Left:
    """Rewrite a document section by section; return what was left unchanged."""
    reading = Reading(asked.protect, form.markdown, asked.headings)
    left = jobs.Left()
    for record in form.read(file):
        for section, options in loaded.rewriter.sections(
            record.text or "", 1, seed=asked.seed, reading=reading
        ):
            output.characters += len(section.text)
            output.add(options[0].text, 0)
            left.add(options[0].kept)
    return left


def _rewrite_records(
    loaded: Loaded,
    asked: Asked,
    form: records.Format,
    file: BinaryIO,
    output: _Output,
) -> jobs.Left:
    """Rewrite lines or rows batch by batch; return what was left unchanged."""
    reading = Reading(asked.protect, form.markdown, asked.headings)

    def answer(texts: Sequence[str]) -> list[list[Rewrite]]:
        output.characters += sum(map(len, texts))
        return loaded.rewriter.alternatives(
            texts, 1 + asked.alternatives, seed=asked.seed, reading=reading
        )

    return jobs.rewrite_records(form.read(file), answer, form.write, output)
