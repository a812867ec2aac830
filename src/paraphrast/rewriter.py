"""What a rewriter is and what it gives back.

The front door (``paraphrast.rewriting``) cuts a document into sentences, marks the
spans that must stay, and hands them over in batches. A rewriter answers every
sentence with at least one `Rewrite`, the best first; it never raises for a sentence
it cannot rewrite but returns it unchanged and says why.

A plugin offers a `Family` under the entry-point group ``paraphrast.rewriters``; one
whose models lie on disk offers a `PackFamily`.
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
    """A sentence to rewrite, with the spans that must stay letter for letter.

    ``ends_paragraph`` says whether it is the last of its paragraph. For a rewriter that
    reads context it may be a passage of several: ``cuts`` are where the others begin.
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
    """A sentence of a text that came back unchanged, and why."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One way to say a text in the target style.

    ``score`` is comparable among the alternatives of one text only: higher is
    better. ``changes`` lists what was replaced, where the rewriter can say so. ``why``
    is the reason if the text came back unchanged, and empty otherwise. ``steps`` are
    the intermediate texts of a rewriter that goes through a neutral paraphrase.
    ``guards`` names the guards that rejected candidates for this text. ``kept`` lists
    the sentences of the text that stayed as they were; the front door fills it.
    """

    text: str
    score: float = 0.0
    changes: tuple[Change, ...] = ()
    why: str = ""
    steps: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()


class Rewriter(Protocol):
    """Rewrites sentences into one style; made by a `Family`."""

    def __call__(
        self, sentences: Sequence[Sentence], *, alternatives: int, seed: int
    ) -> list[list[Rewrite]]:
        """Return 1 to ``alternatives`` distinct rewrites per sentence, best first.

        The answer for a sentence must not depend on the sentences beside it.
        """
        ...


@runtime_checkable
class Contextual(Rewriter, Protocol):
    """A rewriter that reads neighbouring sentences together."""

    @property
    def context(self) -> int:
        """Return how many words a passage may have; 0 asks for single sentences."""
        ...


@runtime_checkable
class Adjustable(Rewriter, Protocol):
    """A rewriter that can keep nearer to the source or go further from it."""

    def adjusted(self, *, strength: float) -> Rewriter:
        """Return a rewriter with a light touch (0), or a free one (1)."""
        ...


@runtime_checkable
class Levelled(Rewriter, Protocol):
    """A rewriter into formal English that can be more or less formal."""

    def at_level(self, level: str) -> Rewriter:
        """Return a rewriter at the level neutral, formal or very-formal."""
        ...


@runtime_checkable
class Filtering(Rewriter, Protocol):
    """A rewriter that may be keeping offensive words out of what it writes."""

    def unfiltered(self) -> Rewriter:
        """Return a rewriter that leaves them in."""
        ...


@runtime_checkable
class Guarded(Rewriter, Protocol):
    """A rewriter whose candidates pass named guards."""

    def without_guards(self, names: Iterable[str]) -> Rewriter:
        """Return a rewriter with the named guards switched off."""
        ...


@runtime_checkable
class Paced(Rewriter, Protocol):
    """A slow rewriter, whose results are wanted as they come."""

    @property
    def batch(self) -> int:
        """Return how many sentences it takes at once to good purpose."""
        ...


class Reranker(Protocol):
    """Says how far texts have a style; a learned style brings its own along."""

    def style(self, texts: Sequence[str], style: str) -> Sequence[float]:
        """Return the share of the style in each text, 0 to 1."""
        ...


@runtime_checkable
class Guided(Rewriter, Protocol):
    """A rewriter that chooses its candidates with a reranker, or with none."""

    @property
    def guide(self) -> Reranker | None:
        """Return the reranker."""
        ...


class Family(Protocol):
    """A kind of rewriter, such as ``rules``, and the styles it can write.

    One that also says ``explicit = True`` is taken only when the user names it.
    """

    summary: str

    def styles(self) -> Mapping[str, str]:
        """Map each style this family writes to a line about it."""
        ...

    def load(self, style: str) -> Rewriter:
        """Return a rewriter into ``style``, which is one of `styles`."""
        ...


@runtime_checkable
class Configurable(Family, Protocol):
    """A family with settings of its own, such as an address."""

    def configured(self, settings: Mapping[str, object]) -> Family:
        """Return this family with some of its settings replaced."""
        ...


@runtime_checkable
class PackFamily(Family, Protocol):
    """A family that rewrites with packs; each pack's kind is the family's name."""

    def at(self, home: Path) -> "PackFamily":
        """Return this family with the packs that lie in the folder ``home``."""
        ...

    def missing(self) -> Mapping[str, str]:
        """Map each style that only lacks its pack to a line that says how to get it."""
        ...

    def load_pack(self, folder: Path, style: str) -> Rewriter:
        """Return a rewriter into ``style`` from the pack in ``folder``."""
        ...
