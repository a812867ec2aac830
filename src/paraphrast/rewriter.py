"""The interface of rewriters, and their results.

``paraphrast.rewriting`` splits a document into sentences, marks the spans to protect,
and passes them on in batches. A rewriter returns at least one `Rewrite` for every
sentence, the best first; it never raises for a sentence that it cannot rewrite, but
returns it unchanged with the reason.

A plugin registers a `Family` under the entry-point group ``paraphrast.rewriters``, or a
`PackFamily` if its models are on disk.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from paraphrast.text.spans import Span

# Reasons that every kind of rewriter may have to leave a sentence as it was.
NO_WORDS = "it has no words"
NOTHING_LEFT = "the rewrite would be empty"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to rewrite, with the spans to keep letter for letter.

    ``ends_paragraph`` says whether it is the last of its paragraph. For a rewriter that
    reads context it may be a passage of several sentences: ``cuts`` are the starts of
    the others.
    """

    text: str
    protected: tuple[Span, ...] = ()
    ends_paragraph: bool = True
    cuts: tuple[int, ...] = ()


# Not frozen: to make six per sentence would take the rules 5% of their time.
@dataclass(slots=True, unsafe_hash=True)
class Change:
    """One edit: ``source[start:end]`` (``before``) became ``after`` by ``rule``."""

    start: int
    end: int
    before: str
    after: str
    rule: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A sentence of a text that is unchanged, and why."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite of a text in the target style.

    ``score`` is comparable only among the alternatives of the same text: higher is
    better. ``changes`` lists the edits. ``why`` is the reason if the text is unchanged,
    and empty otherwise. ``steps`` are the intermediate texts of a rewriter that goes
    through a neutral paraphrase. ``guards`` names the guards that rejected candidates
    for this text. ``kept`` lists the unchanged sentences of the text;
    `paraphrast.rewriting` fills it.
    """

    text: str
    score: float = 0.0
    changes: tuple[Change, ...] = ()
    why: str = ""
    steps: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()


class Rewriter(Protocol):
    """Rewrites sentences in one style; returned by a `Family`."""

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` distinct rewrites per sentence, best first.

        The result for a sentence must not depend on the other sentences.
        """
        ...


@runtime_checkable
class Contextual(Rewriter, Protocol):
    """A rewriter that reads neighbouring sentences together."""

    @property
    def context(self) -> int:
        """Return the maximum words per passage; 0 means single sentences."""
        ...


@runtime_checkable
class Adjustable(Rewriter, Protocol):
    """A rewriter that can stay closer to the source or move further from it."""

    def adjusted(self, *, strength: float) -> Rewriter:
        """Return a rewriter with another strength, from light (0) to free (1)."""
        ...


@runtime_checkable
class Levelled(Rewriter, Protocol):
    """A rewriter into formal English with several degrees of formality."""

    def at_level(self, level: str) -> Rewriter:
        """Return a rewriter at the level neutral, formal or very-formal."""
        ...


@runtime_checkable
class Filtering(Rewriter, Protocol):
    """A rewriter that can exclude offensive words from its output."""

    def unfiltered(self) -> Rewriter:
        """Return a rewriter that allows them."""
        ...


@runtime_checkable
class Guarded(Rewriter, Protocol):
    """A rewriter whose candidates pass named guards."""

    def without_guards(self, names: Iterable[str]) -> Rewriter:
        """Return a rewriter with the named guards switched off."""
        ...


@runtime_checkable
class Paced(Rewriter, Protocol):
    """A slow rewriter, whose results should be shown as they arrive."""

    @property
    def batch(self) -> int:
        """Return how many sentences it takes at once to good purpose."""
        ...


class Reranker(Protocol):
    """Scores how far texts have a style; a learned style has its own."""

    def style(self, texts: Sequence[str], style: str) -> Sequence[float]:
        """Return the style score of each text, 0 to 1."""
        ...


@runtime_checkable
class Guided(Rewriter, Protocol):
    """A rewriter that may choose its candidates with a reranker."""

    @property
    def guide(self) -> Reranker | None:
        """Return the reranker."""
        ...


class Family(Protocol):
    """A kind of rewriter, such as ``rules``, and the styles that it can write.

    One with ``explicit = True`` is used only when the user names it.
    """

    summary: str

    def styles(self) -> Mapping[str, str]:
        """Map each style that this family writes to a summary."""
        ...

    def load(self, style: str) -> Rewriter:
        """Return a rewriter into ``style``, which is one of `styles`."""
        ...


@runtime_checkable
class Configurable(Family, Protocol):
    """A family with its own settings, such as an address."""

    def configured(self, settings: Mapping[str, object]) -> Family:
        """Return this family with some settings overridden."""
        ...


@runtime_checkable
class PackFamily(Family, Protocol):
    """A family that uses packs; each pack's kind is the family's name."""

    def at(self, home: Path) -> "PackFamily":
        """Return this family with the packs in the folder ``home``."""
        ...

    def missing(self) -> Mapping[str, str]:
        """Map each style whose pack is missing to instructions in one line."""
        ...

    def load_pack(self, folder: Path, style: str) -> Rewriter:
        """Return a rewriter into ``style`` from the pack in ``folder``."""
        ...
