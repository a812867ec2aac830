"""Rewrite whole texts with a rewriter of sentences, without losing anything.

Guarantees, whatever the rewriter does: every text gives exactly one result; everything
that is not prose (blank lines, bullets, headings, code) and every protected span is
returned letter for letter; a text that cannot be rewritten is returned unchanged with
the reason; and a text uses one form of address, "thou" or "you" (`address`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from paraphrast.errors import ParaphrastError
from paraphrast.language.address import Address
from paraphrast.rewriter import (
    Adjustable,
    Contextual,
    Filtering,
    Guarded,
    Kept,
    Paced,
    Rewrite,
    Rewriter,
    Sentence,
)
from paraphrast.rewriting.address import choose_address, readdress
from paraphrast.rewriting.interface import (
    AS_IT_IS,
    Reading,
    TextRewriter,
    read_terms,
    refuse_wrong,
)
from paraphrast.rewriting.sections import (
    Section,
    assemble,
    cut_text,
    find_changes,
    move_changes,
)
from paraphrast.text.markdown import find_marks

SENTENCES = 512  # that a rewriter gets at once
FAILED = "the rewriter failed"
BROKEN_MARKS = "all candidates changed the Markdown formatting"

# From sources and their rewrites to how far each has its source's meaning, 0 to 1.
Meaning: TypeAlias = Callable[[Sequence[str], Sequence[str]], Sequence[float]]


@dataclass(frozen=True)
class DocumentRewriter(TextRewriter):
    """Rewrites texts of any structure in one style; returned by `paraphrast.load`.

    A rewrite whose ``meaning`` score is below ``min_meaning`` is rejected.
    """

    rewriter: Rewriter
    style: str
    family: str
    meaning: Meaning | None = None
    min_meaning: float = 0.0

    @property
    def batch(self) -> int:
        """Return the maximum number of sentences per batch."""
        own = self.rewriter.batch if isinstance(self.rewriter, Paced) else SENTENCES
        return min(SENTENCES, own)

    def adjusted(self, *, strength: float) -> "DocumentRewriter":
        """Return this rewriter with another strength, from light (0) to free (1).

        Raises an error for a rewriter that does not support strength.
        """
        if not isinstance(self.rewriter, Adjustable):
            raise ParaphrastError(
                f"rewriter {self.family!r} does not support strength. Leave it out, or "
                "choose another rewriter; see `paraphrast rewriters`."
            )
        return replace(self, rewriter=self.rewriter.adjusted(strength=strength))

    def unfiltered(self) -> "DocumentRewriter":
        """Return this rewriter with offensive words allowed in its output."""
        if not isinstance(self.rewriter, Filtering):
            return self
        return replace(self, rewriter=self.rewriter.unfiltered())

    def without_guards(self, names: Iterable[str]) -> "DocumentRewriter":
        """Return this rewriter with the named guards switched off."""
        if not isinstance(self.rewriter, Guarded):
            raise ParaphrastError(
                f"rewriter {self.family!r} has no guards. Leave out --without-guard."
            )
        return replace(self, rewriter=self.rewriter.without_guards(names))

    def rewrite_file(
        self,
        path: str | Path,
        output: str | Path,
        *,
        seed: int = 1,
        protect: str | Iterable[str] = (),
        headings: bool = False,
        track_changes: bool = False,
    ) -> list[Rewrite]:
        """Rewrite a document to another file with the same structure and formatting.

        Formats are docx, epub, html, md, odt, po, rtf, srt and vtt, by the file's
        extension. Returns one rewrite per paragraph. With ``track_changes``, a docx has
        every change tracked, to be accepted or rejected in an editor.
        """
        from paraphrast.rewriting.formats import rewriting

        reading = Reading(read_terms(protect), headings=headings)
        return rewriting.rewrite_file(
            self,
            Path(path),
            Path(output),
            seed=seed,
            reading=reading,
            track_changes=track_changes,
        )

    def alternatives(
        self,
        texts: Sequence[str],
        number: int,
        *,
        seed: int = 1,
        reading: Reading = AS_IT_IS,
    ) -> list[list[Rewrite]]:
        """Return 1 to ``number`` distinct rewrites of each text, best first.

        The first is what ``number=1`` gives.
        """
        refuse_wrong(number, seed)
        cut = [self._cut(text, reading) for text in texts]
        asked = [[s.sentence for s in sections if s.sentence] for sections in cut]
        given = iter(
            self._answer(list(chain.from_iterable(asked)), number, seed, reading)
        )
        answers = chain.from_iterable(
            self._unify(text, sentences, [next(given) for _ in sentences])[0]
            for text, sentences in zip(texts, asked, strict=True)
        )
        return [
            assemble(
                text,
                [
                    move_changes(next(answers), section.start)
                    if section.sentence
                    else [Rewrite(section.text)]
                    for section in sections
                ],
                sections,
                number,
            )
            for text, sections in zip(texts, cut, strict=True)
        ]

    def stream(
        self,
        text: str,
        sink: Callable[[Rewrite], None],
        *,
        seed: int = 1,
        reading: Reading = AS_IT_IS,
    ) -> None:
        """Send the best rewrite of each section of a text to ``sink``, in order.

        Their texts, joined, are the rewrite of the whole. The first sections are sent
        early, and sections are not kept in memory.
        """
        for _, options in self.sections(text, 1, seed=seed, reading=reading):
            sink(options[0])

    def sections(
        self,
        text: str,
        number: int,
        *,
        seed: int = 1,
        reading: Reading = AS_IT_IS,
        first: int = SENTENCES // 16,
    ) -> Iterator[tuple[Section, list[Rewrite]]]:
        """Yield each section of a text with 1 to ``number`` rewrites, best first.

        The first batch has ``first`` sentences, and each further one twice as many.
        Changes count from the section's start.
        """
        waiting: list[Section] = []
        largest = self.batch
        size, count = min(first, largest), 0
        address: Address | None = None
        for section in self._cut(text, reading):
            waiting.append(section)
            count += section.sentence is not None
            if count == size:
                answers, address = self._rewrite(
                    text, waiting, number, seed, reading, address
                )
                yield from answers
                waiting, size, count = [], min(largest, 2 * size), 0
        yield from self._rewrite(text, waiting, number, seed, reading, address)[0]

    @cached_property
    def _context(self) -> int:
        # Asked of each text, and Python checks a protocol slowly.
        return self.rewriter.context if isinstance(self.rewriter, Contextual) else 0

    def _cut(self, text: str, reading: Reading) -> list[Section]:
        return cut_text(text, reading, context=self._context)

    def _rewrite(
        self,
        text: str,
        sections: Sequence[Section],
        number: int,
        seed: int,
        reading: Reading,
        address: Address | None,
    ) -> tuple[list[tuple[Section, list[Rewrite]]], Address | None]:
        """Return some of a text's sections rewritten, and its address if known."""
        sentences = [s.sentence for s in sections if s.sentence]
        given = self._answer(sentences, number, seed, reading)
        unified, address = self._unify(text, sentences, given, address)
        answers = iter(unified)
        return [
            (s, next(answers) if s.sentence else [Rewrite(s.text)]) for s in sections
        ], address

    def _unify(
        self,
        text: str,
        sentences: Sequence[Sentence],
        answers: Sequence[list[Rewrite]],
        address: Address | None = None,
    ) -> tuple[Sequence[list[Rewrite]], Address | None]:
        """Return the rewrites of a text with one address, and which it is."""
        wanted = address or choose_address(text, sentences, answers)
        if wanted is None:
            return answers, None
        unified = [
            self._explain(sentence, [readdress(sentence, o, wanted) for o in options])
            for sentence, options in zip(sentences, answers, strict=True)
        ]
        return unified, wanted

    def _answer(
        self, sentences: Sequence[Sentence], number: int, seed: int, reading: Reading
    ) -> list[list[Rewrite]]:
        """Return the rewrites of sentences that keep all protected spans."""
        answers: list[list[Rewrite]] = []
        for start in range(0, len(sentences), SENTENCES):
            batch = sentences[start : start + SENTENCES]
            results = self._ask(batch, 1, seed)
            if number > 1:
                more = self._ask(batch, number, seed)
                results = [
                    _put_first(best[0], others, number)
                    for best, others in zip(results, more, strict=True)
                ]
            for sentence, options in zip(batch, results, strict=True):
                kept = _refuse_loss(sentence, options, markdown=reading.markdown)
                answers.append(self._explain(sentence, kept))
        return self._refuse_drift(sentences, answers) if self.meaning else answers

    def _ask(
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
            return [self._ask([sentence], number, seed)[0] for sentence in batch]

    def _explain(self, sentence: Sentence, options: Sequence[Rewrite]) -> list[Rewrite]:
        """Add changes where the rewriter gives none, and the unchanged sentences."""
        explained = []
        for option in options:
            if option.text == sentence.text:
                kept = (Kept(sentence.text, option.why),) if option.why else ()
                explained.append(replace(option, kept=kept))
            elif option.changes:
                explained.append(option)
            else:
                changes = find_changes(sentence.text, option.text, self.family)
                explained.append(replace(option, changes=changes))
        return explained

    def _refuse_drift(
        self, sentences: Sequence[Sentence], answers: Sequence[list[Rewrite]]
    ) -> list[list[Rewrite]]:
        """Replace rewrites with a low meaning score by the source."""
        pairs = [
            (sentence.text, option.text)
            for sentence, options in zip(sentences, answers, strict=True)
            for option in options
            if option.text != sentence.text
        ]
        sources, texts = [source for source, _ in pairs], [text for _, text in pairs]
        scored = self.meaning(sources, texts) if self.meaning and pairs else ()
        scores = dict(zip(pairs, scored, strict=True))
        return [
            self._keep_near(sentence.text, options, scores)
            for sentence, options in zip(sentences, answers, strict=True)
        ]

    def _keep_near(
        self,
        source: str,
        options: Sequence[Rewrite],
        scores: dict[tuple[str, str], float],
    ) -> list[Rewrite]:
        values = [scores.get((source, option.text), 1.0) for option in options]
        kept = [
            option
            for option, score in zip(options, values, strict=True)
            if score >= self.min_meaning
        ]
        if kept:
            return kept
        why = f"its meaning score {max(values):.2f} is below {self.min_meaning:g}"
        guards = options[0].guards
        return [Rewrite(source, why=why, guards=guards, kept=(Kept(source, why),))]


def _put_first(best: Rewrite, others: Sequence[Rewrite], number: int) -> list[Rewrite]:
    """Return the best rewrite, then the others that differ from it."""
    top = max((other.score for other in others), default=best.score)
    rest = [other for other in others if other.text != best.text]
    return [replace(best, score=max(best.score, top)), *rest][:number]


def _refuse_loss(
    sentence: Sentence, options: Sequence[Rewrite], *, markdown: bool
) -> Sequence[Rewrite]:
    """Keep the rewrites with every protected span, or else the source.

    In Markdown they must keep its markup too, with the same effect.
    """
    kept = [option for option in options if _first_lost(sentence, option.text) is None]
    if not kept:
        lost = _first_lost(sentence, options[0].text) if options else "everything"
        return [Rewrite(sentence.text, why=f"all candidates lost {lost!r}")]
    if markdown:
        marks = find_marks(sentence.text)
        kept = [option for option in kept if find_marks(option.text) == marks]
    return kept or [Rewrite(sentence.text, why=BROKEN_MARKS)]


def _first_lost(sentence: Sentence, text: str) -> str | None:
    """Return the first protected span that a text has lost, if any."""
    position = 0
    for span in sentence.protected:
        protected = sentence.text[span.start : span.end]
        position = text.find(protected, position)
        if position < 0:
            return protected
        position += len(protected)
    return None
