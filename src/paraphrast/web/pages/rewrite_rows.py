"""A rewritten text as the rows of a page: sentences with alternatives, and the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paraphrast.rewriter import Change, Rewrite
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.passages import split_passage
from paraphrast.rewriting.ratings import Categorise, Rate
from paraphrast.rewriting.sections import Section

FIRST = 2  # sentences or passages that are rewritten before anything is shown


@dataclass(frozen=True, slots=True)
class Score:
    """A rating of one kind: from 0 to 1, and what that means."""

    name: str
    value: float
    words: str


@dataclass(frozen=True, slots=True)
class Part:
    """A span of a sentence, unchanged or changed."""

    text: str
    change: Change | None = None
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """An alternative for a sentence, in parts, with its scores."""

    rewrite: Rewrite
    parts: tuple[Part, ...]
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A span of the text from ``start``; without options it is not rewritten.

    ``source_scores`` are those of the source itself.
    """

    start: int
    end: int
    text: str
    options: tuple[Option, ...] = ()
    source_scores: tuple[Score, ...] = ()

    @property
    def is_space(self) -> bool:
        """Say whether there is nothing to read."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class Explain:
    """Rates rewrites and names the categories of their changes."""

    style: str
    rate: Rate | None = None
    categorise: Categorise | None = None

    def row(self, section: Section, rewrites: Sequence[Rewrite]) -> Row:
        """Return the row of a sentence and its rewrites."""
        source = section.text
        scores = self._score(source, [source, *(r.text for r in rewrites)])
        return Row(
            section.start,
            section.start + len(source),
            source,
            tuple(
                Option(rewrite, tuple(self._cut(source, rewrite)), own)
                for rewrite, own in zip(rewrites, scores[1:], strict=True)
            ),
            source_scores=scores[0],
        )

    def _score(self, source: str, texts: Sequence[str]) -> list[tuple[Score, ...]]:
        if self.rate is None:
            return [() for _ in texts]
        return [
            tuple(
                Score(name, value, describe(name, value, self.style))
                for name in _WORDS
                if (value := getattr(rating, name)) is not None
            )
            for rating in self.rate(source, texts)
        ]

    def _cut(self, source: str, rewrite: Rewrite) -> Iterator[Part]:
        named = self.categorise(source, rewrite) if self.categorise else ()
        position = 0
        for index, change in enumerate(rewrite.changes):
            if change.start > position:
                yield Part(source[position : change.start])
            categories = tuple(named[index]) if named else ()
            yield Part(change.before, change, categories)
            position = change.end
        if position < len(source):
            yield Part(source[position:])


def make_rows(
    rewriter: DocumentRewriter,
    text: str,
    number: int,
    *,
    reading: Reading,
    explain: Explain,
) -> Iterator[Row]:
    """Rewrite a text, and yield its rows one by one; joined, they are the text."""
    for section, rewrites in rewriter.sections(
        text, number, reading=reading, first=FIRST
    ):
        for part, own in split_passage(section, rewrites, rule=rewriter.family):
            if part.sentence is None:
                yield Row(part.start, part.start + len(part.text), part.text)
            else:
                yield explain.row(part, own)


# Words for how much of it there is, and no verdicts: for a single sentence the judge
# is right too seldom to say that a meaning was changed.
_WORDS = {
    "style": ((0.8, "strongly {}"), (0.5, "rather {}"), (0.25, "a little {}")),
    "meaning": ((0.9, "very close"), (0.75, "close"), (0.5, "fairly close")),
    "fluency": ((0.7, "smooth"), (0.5, "fairly smooth"), (0.25, "uneven")),
}
_LOWEST = {"style": "hardly {}", "meaning": "distant", "fluency": "rough"}


def describe(name: str, value: float, style: str) -> str:
    """Describe a score in words."""
    for least, words in _WORDS[name]:
        if value >= least:
            return words.format(style)
    return _LOWEST[name].format(style)
