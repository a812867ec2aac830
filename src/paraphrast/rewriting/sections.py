"""Split a text into sentences to rewrite and the rest; join and compare rewrites.

An unchanged text has a reason: that of a sentence, or one of these.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from paraphrast.rewriter import Change, Rewrite, Sentence
from paraphrast.rewriting.interface import Reading
from paraphrast.text.documents import is_sign_off, parse
from paraphrast.text.markdown import find_formulas, find_references
from paraphrast.text.protection import protected_spans
from paraphrast.text.sentences import split_sentences
from paraphrast.text.spans import Span, merge_spans

NOTHING_TO_DO, EMPTY = "no change was needed", "it is empty"
NOT_PROSE = "it holds no prose to rewrite"
NOT_UTF8 = "it is not valid UTF-8"
# Reasons that nobody need be told of.
EXPECTED = frozenset((NOTHING_TO_DO, EMPTY, NOT_PROSE))


@dataclass(frozen=True, slots=True)
class Section:
    """A span of a text from ``start``: a sentence, or text that is not rewritten."""

    start: int
    text: str
    sentence: Sentence | None = None


def cut_text(text: str, reading: Reading, *, context: int = 0) -> list[Section]:
    """Return the sections of a text; joined, they are the text.

    Neighbouring sentences of up to ``context`` words in total are one passage.
    """
    if not is_unicode(text):
        return [Section(0, text)]
    if reading.markdown:
        whole = (*find_references(text), *find_formulas(text))
        reading = replace(reading, protect=(*reading.protect, *whole))
    sections: list[Section] = []
    start = 0
    for piece in parse(text, markdown=reading.markdown, headings=reading.headings):
        if piece.prose:
            own = list(_cut_prose(piece.text, start, reading))
            sections += _join_neighbours(own, context) if context else own
        else:
            sections.append(Section(start, piece.text))
        start += len(piece.text)
    return sections


def is_unicode(text: str) -> bool:
    """Say whether a text came from valid UTF-8."""
    # Bytes that are not UTF-8 arrive as lone surrogates and go out as they came.
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def _cut_prose(text: str, offset: int, reading: Reading) -> Iterator[Section]:
    kept = _spans_within(reading.kept, offset, offset + len(text))
    protected = protected_spans(text, terms=reading.protect)
    protected = merge_spans([*kept, *protected]) if kept else protected
    position, first = 0, 0
    sentences = _join_cut(split_sentences(text), protected)
    for span in sentences:
        # Both lists are sorted, so each protected span is looked at once or twice.
        last = first
        while last < len(protected) and protected[last].start < span.end:
            last += 1
        inside = [p for p in protected[first:last] if p.overlaps(span.start, span.end)]
        first = last
        start, end = _without_faces(text, span, inside)
        if any(k.start <= start and end <= k.end for k in kept):
            continue
        if start >= end or (span is sentences[-1] and is_sign_off(text[start:end])):
            continue
        if start > position:
            yield Section(offset + position, text[position:start])
        shifted = tuple(
            Span(p.start - start, p.end - start, p.kind)
            for p in inside
            if p.overlaps(start, end)
        )
        sentence = text[start:end]
        yield Section(
            offset + start,
            sentence,
            Sentence(sentence, shifted, ends_paragraph=span is sentences[-1]),
        )
        position = end
    if position < len(text):
        yield Section(offset + position, text[position:])


def _spans_within(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    """Return the parts of sorted spans inside a range, relative to its start."""
    first = max(0, bisect_right(spans, start, key=lambda span: span.start) - 1)
    last = bisect_left(spans, end, key=lambda span: span.start)
    return [
        Span(max(s.start, start) - start, min(s.end, end) - start, s.kind)
        for s in spans[first:last]
        if s.overlaps(start, end)
    ]


def _join_neighbours(sections: Sequence[Section], most: int) -> Iterator[Section]:
    """Join sentences with nothing but white space between them to passages.

    A run of them with too many words is split into passages of about the same size, if
    possible not inside a quotation.
    """
    run: list[Section] = []
    for section in sections:
        if section.sentence is None and section.text.strip():
            yield from _cut_run(run, most)
            yield section
            run = []
        else:
            run.append(section)
    yield from _cut_run(run, most)


def _cut_run(run: Sequence[Section], most: int) -> Iterator[Section]:
    """Cut sentences and the white space between them into passages."""
    words = sum(len(s.text.split()) for s in run)
    aim = words / max(1, -(-words // most))
    waiting: list[Section] = []
    size, quotes = 0, 0
    for section in run:
        own = len(section.text.split())
        full = size + own / 2 > aim and quotes % 2 == 0
        if section.sentence and waiting and (full or size + own > most):
            yield from _join_passage(waiting)
            waiting, size, quotes = [], 0, 0
        waiting.append(section)
        size += own
        quotes += sum(section.text.count(mark) for mark in '"“”')
    yield from _join_passage(waiting)


def _join_passage(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield one section for several sentences; white space at the edges stays out."""
    indices = [index for index, s in enumerate(sections) if s.sentence]
    if len(indices) < 2:
        yield from sections
        return
    first, last = indices[0], indices[-1]
    yield from sections[:first]
    own = sections[first : last + 1]
    start = own[0].start
    protected = tuple(
        Span(p.start + offset, p.end + offset, p.kind)
        for s in own
        for offset in (s.start - start,)
        for p in (s.sentence.protected if s.sentence else ())
    )
    text = "".join(s.text for s in own)
    cuts = tuple(s.start - start for s in own[1:] if s.sentence)
    ends = own[-1].sentence is not None and own[-1].sentence.ends_paragraph
    yield Section(start, text, Sentence(text, protected, ends, cuts))
    yield from sections[last + 1 :]


def _join_cut(sentences: Sequence[Span], protected: Sequence[Span]) -> list[Span]:
    """Join sentences that were cut in the middle of a protected span."""
    joined: list[Span] = []
    waiting = iter(protected)
    span = next(waiting, None)
    for sentence in sentences:
        while span is not None and joined and span.end <= joined[-1].end:
            span = next(waiting, None)
        if joined and span is not None and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(sentence.end, span.end))
        elif joined and sentence.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(sentence.end, joined[-1].end))
        else:
            joined.append(sentence)
    return joined


def _without_faces(text: str, span: Span, protected: Sequence[Span]) -> tuple[int, int]:
    """Return the span of a sentence without surrounding emoji.

    A model reads an emoji as a word of the sentence and drops a real one for it.
    """
    start, end = span.start, span.end
    pictures = [
        p for p in protected if p.kind == "emoji" and not text[p.start].isascii()
    ]
    for picture in reversed(pictures):
        if picture.end == end and picture.start >= start:
            end = picture.start
            end -= len(text[start:end]) - len(text[start:end].rstrip())
    for picture in pictures:
        if picture.start == start and picture.end <= end:
            start = picture.end
            start += len(text[start:end]) - len(text[start:end].lstrip())
    return start, end


@dataclass(frozen=True, slots=True)
class _Prefix:
    """A choice for the sentences so far: the last option, and the previous prefix."""

    score: float
    last: Rewrite
    before: "_Prefix | None"


def combine(options: Sequence[Sequence[Rewrite]], number: int) -> list[Rewrite]:
    """Join one option per sentence into 1 to ``number`` texts, highest sums first.

    Only the best ``number`` prefixes are kept, which is exact, as scores are additive.
    """
    if number == 1:  # the first of the best, as below
        return [_join([max(own, key=lambda choice: choice.score) for own in options])]
    prefixes: list[_Prefix | None] = [None]
    for choices in options:
        prefixes = list(
            sorted(
                (
                    _Prefix((p.score if p else 0.0) + choice.score, choice, p)
                    for p in prefixes
                    for choice in choices
                ),
                key=lambda prefix: -prefix.score,
            )[:number]
        )
    texts: dict[str, Rewrite] = {}
    for prefix in prefixes:
        rewrite = _join(_choices(prefix))
        texts.setdefault(rewrite.text, rewrite)
    return list(texts.values())


def _choices(prefix: _Prefix | None) -> list[Rewrite]:
    """Return the choices that lead to a prefix, in order."""
    chosen: list[Rewrite] = []
    while prefix:
        chosen.append(prefix.last)
        prefix = prefix.before
    return chosen[::-1]


def _join(chosen: Sequence[Rewrite]) -> Rewrite:
    return Rewrite(
        "".join(rewrite.text for rewrite in chosen),
        sum(rewrite.score for rewrite in chosen),
        tuple(change for rewrite in chosen for change in rewrite.changes),
        steps=_join_steps(chosen),
        guards=tuple(dict.fromkeys(name for r in chosen for name in r.guards)),
        kept=tuple(kept for rewrite in chosen for kept in rewrite.kept),
    )


def _join_steps(chosen: Sequence[Rewrite]) -> tuple[str, ...]:
    """Join the steps of sentences; a sentence without steps is the same in each."""
    number = max((len(rewrite.steps) for rewrite in chosen), default=0)
    return tuple(
        "".join(r.steps[index] if index < len(r.steps) else r.text for r in chosen)
        for index in range(number)
    )


def assemble(
    text: str,
    options: Sequence[Sequence[Rewrite]],
    sections: Sequence[Section],
    number: int,
) -> list[Rewrite]:
    """Return up to ``number`` rewrites of a text from those of its sections."""
    why = _reason(text, options, sections)
    return [
        replace(rewrite, why=why) if rewrite.text == text else rewrite
        for rewrite in combine(options, number)
    ]


def _reason(
    text: str, options: Sequence[Sequence[Rewrite]], sections: Sequence[Section]
) -> str:
    """Return why a text may be unchanged."""
    whys = Counter(choices[0].why for choices in options if choices[0].why)
    if whys:
        return max(whys, key=whys.__getitem__)
    if not text.strip():
        return EMPTY
    if not is_unicode(text):
        return NOT_UTF8
    return NOTHING_TO_DO if any(s.sentence for s in sections) else NOT_PROSE


_WORDS = re.compile(r"\w+(?:['’]\w+)*|\s+|[^\w\s]")
# Beyond so many words and spaces, those that recur often no longer count as shared:
# comparing a text that repeats itself would take minutes.
_MOST_COMPARED = 1000


def find_changes(source: str, text: str, rule: str) -> tuple[Change, ...]:
    """Return the edits that turn ``source`` into ``text``, made by ``rule``.

    Applied from the last to the first they give exactly ``text``. Edits separated only
    by white space are merged.
    """
    changes: list[Change] = []
    for start, end, after in _find_edits(source, text):
        last = changes[-1] if changes else None
        if last and not source[last.end : start].strip():
            gap = source[last.end : start]
            changes[-1] = Change(
                last.start,
                end,
                source[last.start : end],
                last.after + gap + after,
                rule,
            )
        else:
            changes.append(Change(start, end, source[start:end], after, rule))
    return tuple(changes)


def _find_edits(source: str, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, the end and the replacement of each differing span."""
    before, after = _WORDS.findall(source), _WORDS.findall(text)
    starts = [0]
    for word in before:
        starts.append(starts[-1] + len(word))
    matcher = SequenceMatcher(
        None, before, after, autojunk=len(before) > _MOST_COMPARED
    )
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield starts[start], starts[end], "".join(after[first:last])


def move_changes(options: Sequence[Rewrite], offset: int) -> list[Rewrite]:
    """Return the rewrites of a sentence with changes relative to its text."""
    if not offset:
        return list(options)
    return [
        replace(
            option,
            changes=tuple(
                Change(c.start + offset, c.end + offset, c.before, c.after, c.rule)
                for c in option.changes
            ),
        )
        for option in options
    ]
