"""``rewrite`` for documents that keep their shape: docx, HTML, subtitles and others."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.cli import printing
from paraphrast.errors import ParaphrastError

if TYPE_CHECKING:
    from paraphrast.cli.rewrite_job import Job
    from paraphrast.rewriter import Rewrite
    from paraphrast.rewriting.document import DocumentRewriter
    from paraphrast.rewriting.formats import Document, Rewritten
    from paraphrast.rewriting.jobs import Left
    from paraphrast.rewriting.records import Record


@dataclass(frozen=True)
class Whole:
    """A document, its rewrites, and what was left unchanged."""

    document: "Document"
    rewritten: "list[Rewritten]"
    left: "Left"
    track_changes: bool

    @property
    def records(self) -> "Iterator[tuple[Record, list[Rewrite]]]":
        """Yield each segment as a record, with its rewrite."""
        from paraphrast.rewriting.records import Record

        for segment, new in zip(self.document.segments, self.rewritten, strict=True):
            yield Record(segment.text), [new.rewrite]

    def write(self) -> bytes:
        """Return the rewritten document."""
        from paraphrast.rewriting.formats.rewriting import write_document

        return write_document(
            self.document, self.rewritten, track_changes=self.track_changes
        )


def rewrite_whole(
    job: "Job", rewriter: "DocumentRewriter", data: bytes, name: str, path: Path | None
) -> Whole:
    """Rewrite a document of the format ``name``; ``path`` is where it came from."""
    from paraphrast.rewriting.formats import format_named
    from paraphrast.rewriting.formats.rewriting import rewrite_document
    from paraphrast.rewriting.interface import Reading
    from paraphrast.rewriting.jobs import Left

    _refuse(job, name)
    document = format_named(name).read(data, str(path or "standard input"))
    done = 0
    with printing.show_bar("rewriting", total=len(data)) as advance:

        def show(share: float) -> None:
            nonlocal done
            advance(int(share * len(data)) - done)
            done = int(share * len(data))

        rewritten = rewrite_document(
            rewriter,
            document,
            seed=job.seed,
            reading=Reading(tuple(job.protect or ()), headings=job.rewrite_headings),
            progress=show,
        )
    whole = Whole(document, rewritten, Left(), job.track_changes)
    for record, rewrites in whole.records:
        whole.left.add_record(record, rewrites)
    return whole


def _refuse(job: "Job", name: str) -> None:
    """Reject options that do not apply to the document."""
    from paraphrast.rewriting.formats import PACKED

    if job.track_changes and name != "docx":
        raise ParaphrastError(f"--track-changes is for docx, not for {name}.")
    if job.number > 1:
        raise ParaphrastError(
            "alternatives of a whole document cannot be written to one file. Leave out "
            "-n."
        )
    if job.resume:
        raise ParaphrastError(
            f"a {name} file is written whole, and cannot be resumed. "
            "Leave out --resume."
        )
    printed = not (job.output or job.in_place or job.as_json or job.has_view)
    if name in PACKED and printed and sys.stdout.isatty():
        raise ParaphrastError(f"{name} cannot be shown in a terminal. Add -o FILE.")
