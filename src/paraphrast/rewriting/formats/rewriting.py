"""Rewrite a document that was read: all of its segments as one text.

One text, so that it keeps to one address, and so that a greeting, a sign-off and a
title are known by what stands around them.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Kept, Rewrite
from paraphrast.rewriting.formats import SUFFIXES, format_named
from paraphrast.rewriting.formats.marked import find_spaces
from paraphrast.rewriting.formats.origins import (
    MOST_WORDS,
    Passage,
    is_long,
    load_aligner,
    trace_all,
)
from paraphrast.rewriting.formats.segments import (
    Document,
    Rewritten,
    Role,
    Segment,
    Trackable,
)
from paraphrast.rewriting.interface import AS_IT_IS, Reading
from paraphrast.rewriting.sections import Section, assemble, move_changes
from paraphrast.storage import atomic
from paraphrast.text.documents import ends_sentence
from paraphrast.text.spans import Span

if TYPE_CHECKING:
    from paraphrast.rewriting.document import DocumentRewriter

_BETWEEN = "\n\n"
LONG = f"it has more than {MOST_WORDS} words, which is too many to align"


def rewrite_document(
    rewriter: "DocumentRewriter",
    document: Document,
    *,
    seed: int = 1,
    reading: Reading = AS_IT_IS,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Rewritten]:
    """Return a rewrite of each segment; ``progress`` hears the share that is done."""
    segments = document.segments
    starts, position = [], 0
    for segment in segments:
        starts.append(position)
        position += len(segment.text) + len(_BETWEEN)
    kept = tuple(
        Span(start + span.start, start + span.end, span.kind)
        for start, segment in zip(starts, segments, strict=True)
        for span in _find_kept(segment, headings=reading.headings)
    )
    text = _BETWEEN.join(segment.text for segment in segments)
    reading = replace(reading, kept=kept, markdown=document.markdown)
    answers = []
    for section, (best,) in rewriter.sections(text, 1, seed=seed, reading=reading):
        traced = not document.markdown and best.text != section.text
        if traced and (is_long(section.text) or is_long(best.text)):
            best = _refuse(section, LONG)
        answers.append((section, best))
        progress((section.start + len(section.text)) / max(1, len(text)))
    parts = [
        list(_cut(answers, start, start + len(segment.text)))
        for start, segment in zip(starts, segments, strict=True)
    ]
    return _join(segments, parts)


def rewrite_file(
    rewriter: "DocumentRewriter",
    path: Path,
    output: Path,
    *,
    seed: int = 1,
    reading: Reading = AS_IT_IS,
    track_changes: bool = False,
) -> list[Rewrite]:
    """Rewrite a document into another file; return a rewrite for each segment."""
    name = SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise ParaphrastError(
            f"{path}: not a supported document format. Known: {', '.join(SUFFIXES)}."
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ParaphrastError(
            f"cannot read {path}: {error.strerror or error}. Check the path."
        ) from error
    document = format_named(name).read(data, str(path))
    rewritten = rewrite_document(rewriter, document, seed=seed, reading=reading)
    written = write_document(document, rewritten, track_changes=track_changes)
    with atomic.bytes_writer(output) as file:
        file.write(written)
    return [new.rewrite for new in rewritten]


def write_document(
    document: Document, rewritten: Sequence[Rewritten], *, track_changes: bool
) -> bytes:
    """Return a document with its rewrites, each change to be accepted if asked for."""
    if not track_changes:
        return document.write(rewritten)
    if not isinstance(document, Trackable):
        raise ParaphrastError("changes can be tracked only in docx. Give a docx.")
    return document.write_tracked(rewritten)


def _find_kept(segment: Segment, *, headings: bool) -> tuple[Span, ...]:
    """Return what stays of a segment: all of it, if it is no sentence."""
    fixed = segment.role is Role.HEADING or (
        segment.role is Role.LABEL and not ends_sentence(segment.text)
    )
    if fixed and not headings:
        return (Span(0, len(segment.text), "kept"),)
    return segment.kept


def _cut(
    answers: Sequence[tuple[Section, Rewrite]], start: int, end: int
) -> Iterator[tuple[Section, Rewrite]]:
    """Yield what lies in a segment, counted from its start.

    Only what is no prose goes over from one segment into the next.
    """
    first = bisect_right(answers, start, key=lambda answer: answer[0].start) - 1
    for index in range(max(0, first), len(answers)):
        section, rewrite = answers[index]
        if section.start >= end:
            return
        if section.sentence is None:
            own = Span(section.start, section.start + len(section.text))
            inside = section.text[max(0, start - own.start) : end - own.start]
            if inside and own.overlaps(start, end):
                yield Section(max(start, own.start) - start, inside), Rewrite(inside)
        elif section.start >= start:
            yield replace(section, start=section.start - start), rewrite


def _join(
    segments: Sequence[Segment], parts: Sequence[list[tuple[Section, Rewrite]]]
) -> list[Rewritten]:
    """Put the parts of each segment together, with their origins."""
    passages = [
        _as_passage(segment, section, rewrite)
        for segment, own in zip(segments, parts, strict=True)
        for section, rewrite in own
        if _is_traced(segment, section, rewrite)
    ]
    traced = iter(trace_all(passages, load_aligner()) if passages else ())
    return [
        _join_segment(segment, own, traced)
        for segment, own in zip(segments, parts, strict=True)
    ]


def _is_traced(segment: Segment, section: Section, rewrite: Rewrite) -> bool:
    return segment.formats is not None and rewrite.text != section.text


def _as_passage(segment: Segment, section: Section, rewrite: Rewrite) -> Passage:
    start, end = section.start, section.start + len(section.text)
    return Passage(
        section.text,
        rewrite.text,
        (segment.formats or ())[start:end],
        section.sentence.protected if section.sentence else (),
        tuple(_links_within(segment, start, end)),
    )


def _links_within(segment: Segment, start: int, end: int) -> Iterator[Span]:
    for link in segment.links:
        if link.overlaps(start, end):
            yield Span(max(link.start, start) - start, min(link.end, end) - start)


def _join_segment(
    segment: Segment,
    parts: Sequence[tuple[Section, Rewrite]],
    traced: Iterator[list[int]],
) -> Rewritten:
    origins: list[int] = []
    options: list[list[Rewrite]] = []
    for section, rewrite in parts:
        own: Sequence[int] = range(len(section.text))
        if _is_traced(segment, section, rewrite):
            own = next(traced)
            passage = _as_passage(segment, section, rewrite)
            if why := _find_fault(segment, section, passage, own):
                rewrite, own = _refuse(section, why), range(len(section.text))
        origins += [section.start + origin for origin in own]
        options.append(move_changes([rewrite], section.start))
    sections = [section for section, _ in parts]
    (best,) = assemble(segment.text, options, sections, 1)
    return Rewritten(best, origins)


def _find_fault(
    segment: Segment, section: Section, passage: Passage, origins: Sequence[int]
) -> str:
    """Say why a rewrite cannot stand in the document; nothing if it can."""
    if lost := _find_lost_link(passage, origins):
        return f"no word of the rewrite corresponds to the link {lost!r}"
    own = Span(section.start, section.start + len(section.text))
    breaks = sum(own.start <= index < own.end for index in segment.separators)
    if breaks > len(find_spaces(passage.target)):
        return "the rewrite has fewer words than the text has lines"
    return ""


def _find_lost_link(passage: Passage, origins: Sequence[int]) -> str:
    """Return the words of a link that no word of a rewrite stands for."""
    for link in passage.links:
        if not any(link.start <= origin < link.end for origin in origins):
            return passage.source[link.start : link.end]
    return ""


def _refuse(section: Section, why: str) -> Rewrite:
    return Rewrite(section.text, why=why, kept=(Kept(section.text, why),))
