"""Rewrite whole texts with a rewriter of sentences, and lose nothing on the way.

Promises, whatever the rewriter does: every text gives exactly one answer; what is
not prose (blank lines, bullets, indentation, code) and every protected span come
back letter for letter; a text that cannot be rewritten comes back unchanged with
the reason.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import (
    Adjustable,
    Change,
    Filtering,
    Rewrite,
    Rewriter,
    Sentence,
)
from paraphrast.rewriting.combining import combine
from paraphrast.text.documents import parse
from paraphrast.text.protection import protected_spans
from paraphrast.text.sentences import split_sentences
from paraphrast.text.spans import Span

FIRST_BATCH, BATCH = 32, 512  # sentences; each batch is twice the one before it
FAILED = "the rewriter failed"
NOTHING_TO_DO, EMPTY = "no change was needed", "empty"


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of a text: a sentence to rewrite, or what is to be left as it is."""

    start: int
    text: str
    sentence: Sentence | None = None


@dataclass(frozen=True)
class DocumentRewriter:
    """Rewrites texts of any shape into one style; made by `paraphrast.load`."""

    rewriter: Rewriter
    style: str
    family: str

    def adjusted(self, *, strength: float) -> "DocumentRewriter":
        """Return it with a light touch (0) or a free one (1), where that can be had."""
        if not isinstance(self.rewriter, Adjustable):
            raise ParaphrastError(
                f"rewriter {self.family!r} has no strength to set. Leave it out, or "
                "choose another rewriter; see `paraphrast rewriters`."
            )
        return replace(self, rewriter=self.rewriter.adjusted(strength=strength))

    def unfiltered(self) -> "DocumentRewriter":
        """Return it with offensive words let through; most keep none out anyway."""
        if not isinstance(self.rewriter, Filtering):
            return self
        return replace(self, rewriter=self.rewriter.unfiltered())

    def streamed(
        self,
        text: str,
        *,
        seed: int = 1,
        protect: Sequence[str] = (),
        markdown: bool = False,
    ) -> Iterator[Rewrite]:
        """Yield the best rewrite of a text bit by bit; joined, they are the text's.

        The first bits come soon, and what was yielded is not kept.
        """
        parts = _parts(text, protect, markdown=markdown)
        sentences = [part.sentence for part in parts if part.sentence is not None]
        answers = self._answers(sentences, 1, seed, first=FIRST_BATCH)
        for part in parts:
            if part.sentence is None:
                yield Rewrite(part.text)
            else:
                yield next(answers)[0]

    def rewrite(
        self,
        texts: Sequence[str],
        *,
        seed: int = 1,
        protect: Sequence[str] = (),
        markdown: bool = False,
    ) -> list[Rewrite]:
        """Return the best rewrite of each text; ``protect`` lists terms to keep."""
        found = self.alternatives(
            texts, 1, seed=seed, protect=protect, markdown=markdown
        )
        return [options[0] for options in found]

    def alternatives(
        self,
        texts: Sequence[str],
        number: int,
        *,
        seed: int = 1,
        protect: Sequence[str] = (),
        markdown: bool = False,
    ) -> list[list[Rewrite]]:
        """Return 1 to ``number`` distinct rewrites of each text, best first."""
        if number < 1:
            raise ParaphrastError(
                f"cannot give {number} alternatives. Ask for 1 or more."
            )
        parts = [_parts(text, protect, markdown=markdown) for text in texts]
        sentences = [p.sentence for ps in parts for p in ps if p.sentence is not None]
        answers = self._answers(sentences, number, seed)
        return [
            _assembled(text, text_parts, answers, number)
            for text, text_parts in zip(texts, parts, strict=True)
        ]

    def _answers(
        self,
        sentences: Sequence[Sentence],
        number: int,
        seed: int,
        *,
        first: int = BATCH,
    ) -> Iterator[list[Rewrite]]:
        start, size = 0, first
        while batch := sentences[start : start + size]:
            answers = self._batch(batch, number, seed)
            for sentence, options in zip(batch, answers, strict=True):
                yield _safe(sentence, options)
            start, size = start + size, min(BATCH, 2 * size)

    def _batch(
        self, batch: Sequence[Sentence], number: int, seed: int
    ) -> list[list[Rewrite]]:
        try:
            return self.rewriter(batch, alternatives=number, seed=seed)
        except ParaphrastError:
            raise
        # A sentence that breaks a rewriter must not take the rest with it.
        except Exception as error:  # noqa: BLE001
            if len(batch) == 1:
                why = f"{FAILED}: {type(error).__name__}: {error}"
                return [[Rewrite(batch[0].text, why=why)]]
            return [self._batch([s], number, seed)[0] for s in batch]


def _parts(text: str, terms: Sequence[str], *, markdown: bool) -> list[_Part]:
    if not _is_unicode(text):
        return [_Part(0, text)]
    parts: list[_Part] = []
    start = 0
    for piece in parse(text, markdown=markdown):
        if piece.prose:
            parts += _sentences(piece.text, start, terms)
        else:
            parts.append(_Part(start, piece.text))
        start += len(piece.text)
    return parts


def _sentences(text: str, offset: int, terms: Sequence[str]) -> Iterator[_Part]:
    protected = protected_spans(text, terms=terms)
    position, first = 0, 0
    for span in _joined(split_sentences(text), protected):
        if span.start > position:
            yield _Part(offset + position, text[position : span.start])
        # Both lists are sorted, so each protected span is looked at once or twice.
        last = first
        while last < len(protected) and protected[last].start < span.end:
            last += 1
        inside = tuple(
            Span(p.start - span.start, p.end - span.start, p.kind)
            for p in protected[first:last]
            if p.overlaps(span.start, span.end)
        )
        first = last
        sentence = text[span.start : span.end]
        yield _Part(offset + span.start, sentence, Sentence(sentence, inside))
        position = span.end
    if position < len(text):
        yield _Part(offset + position, text[position:])


def _joined(sentences: Sequence[Span], protected: Sequence[Span]) -> list[Span]:
    """Join sentences that were cut in the middle of a protected span."""
    joined: list[Span] = []
    waiting = iter(protected)
    span = next(waiting, None)
    for sentence in sentences:
        while span is not None and joined and span.end <= joined[-1].end:
            span = next(waiting, None)
        if joined and span is not None and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(sentence.end, span.end))
        elif not joined or sentence.start >= joined[-1].end:
            joined.append(sentence)
    return joined


def _safe(sentence: Sentence, options: Sequence[Rewrite]) -> list[Rewrite]:
    """Keep the rewrites that kept every protected span; at least the source."""
    kept = [option for option in options if _keeps(sentence, option.text)]
    if kept:
        return kept
    lost = ", ".join(repr(sentence.text[s.start : s.end]) for s in sentence.protected)
    return [Rewrite(sentence.text, why=f"every rewrite would have lost one of {lost}")]


def _keeps(sentence: Sentence, text: str) -> bool:
    position = 0
    for span in sentence.protected:
        protected = sentence.text[span.start : span.end]
        position = text.find(protected, position)
        if position < 0:
            return False
        position += len(protected)
    return True


def _assembled(
    text: str,
    parts: Sequence[_Part],
    answers: Iterator[list[Rewrite]],
    number: int,
) -> list[Rewrite]:
    options = [
        [_moved(option, part.start) for option in next(answers)]
        if part.sentence is not None
        else [Rewrite(part.text)]
        for part in parts
    ]
    reasons = Counter(
        option[0].why
        for part, option in zip(parts, options, strict=True)
        if part.sentence is not None and option[0].why
    )
    if reasons:
        why = reasons.most_common(1)[0][0]
    elif not _is_unicode(text):
        why = "not valid UTF-8"
    else:
        why = NOTHING_TO_DO if text.strip() else EMPTY
    return [
        replace(found, why=why if found.text == text else "")
        for found in combine(options, number)
    ]


def _moved(rewrite: Rewrite, offset: int) -> Rewrite:
    changes = tuple(
        Change(c.start + offset, c.end + offset, c.before, c.after, c.rule)
        for c in rewrite.changes
    )
    return replace(rewrite, changes=changes)


def _is_unicode(text: str) -> bool:
    # Bytes that are not UTF-8 arrive as lone surrogates and go out as they came.
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)
