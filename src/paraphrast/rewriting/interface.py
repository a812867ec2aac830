"""The interface for rewriting texts, the same locally and on a server.

A text gives a `Rewrite` and several give a list; with ``n`` each gives a list of
alternatives. Implementations of `TextRewriter.alternatives` provide all of this.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite
from paraphrast.text.spans import Span


@dataclass(frozen=True, slots=True)
class Reading:
    """How texts are read: terms to keep, whether they are Markdown, and headings.

    With ``headings``, headings and list items that are not sentences are rewritten too.
    ``kept`` are sorted spans of a single text to keep letter for letter.
    """

    protect: tuple[str, ...] = ()
    markdown: bool = False
    headings: bool = False
    kept: tuple[Span, ...] = ()


AS_IT_IS = Reading()


class TextRewriter(ABC):
    """Rewrites texts of any structure in one style."""

    @overload
    def rewrite(  # type: ignore[overload-overlap]
        self,
        texts: str,
        *,
        n: None = None,
        seed: int = ...,
        protect: str | Iterable[str] = ...,
        markdown: bool = ...,
        headings: bool = ...,
    ) -> Rewrite: ...

    @overload
    def rewrite(  # type: ignore[overload-overlap]
        self,
        texts: str,
        *,
        n: int,
        seed: int = ...,
        protect: str | Iterable[str] = ...,
        markdown: bool = ...,
        headings: bool = ...,
    ) -> list[Rewrite]: ...

    @overload
    def rewrite(
        self,
        texts: Iterable[str],
        *,
        n: None = None,
        seed: int = ...,
        protect: str | Iterable[str] = ...,
        markdown: bool = ...,
        headings: bool = ...,
    ) -> list[Rewrite]: ...

    @overload
    def rewrite(
        self,
        texts: Iterable[str],
        *,
        n: int,
        seed: int = ...,
        protect: str | Iterable[str] = ...,
        markdown: bool = ...,
        headings: bool = ...,
    ) -> list[list[Rewrite]]: ...

    def rewrite(
        self,
        texts: str | Iterable[str],
        *,
        n: int | None = None,
        seed: int = 1,
        protect: str | Iterable[str] = (),
        markdown: bool = False,
        headings: bool = False,
    ) -> Rewrite | list[Rewrite] | list[list[Rewrite]]:
        """Return the best rewrite of a text, or a list of them for several texts.

        With ``n`` each text gets a list of 1 to ``n`` distinct rewrites, best first.
        ``protect`` names a term, or terms, to keep letter for letter. Headings and list
        items that are not sentences are kept, unless ``headings`` is set.
        """
        alone = isinstance(texts, str)
        results = self.alternatives(
            [texts] if isinstance(texts, str) else read_texts(texts),
            1 if n is None else n,
            seed=seed,
            reading=Reading(read_terms(protect), markdown, headings),
        )
        if n is None:
            best = [options[0] for options in results]
            return best[0] if alone else best
        return results[0] if alone else results

    @abstractmethod
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


def refuse_wrong(number: int, seed: int) -> None:
    """Refuse an invalid number of alternatives or seed."""
    if number < 1:
        raise ParaphrastError(f"cannot give {number} alternatives. Ask for 1 or more.")
    if not isinstance(seed, int) or seed < 0:
        raise ParaphrastError(
            f"the seed must be a whole number, 0 or more, not {seed!r}."
        )


def read_terms(protect: str | Iterable[str]) -> tuple[str, ...]:
    """Return the terms to keep; one string is one term."""
    terms = (protect,) if isinstance(protect, str) else tuple(protect)
    for term in terms:
        if not isinstance(term, str):
            raise ParaphrastError(f"expected terms to protect, found {term!r}.")
    return terms


def read_texts(texts: Iterable[str]) -> list[str]:
    """Return the texts as a list; each must be a string."""
    if not isinstance(texts, Iterable):
        raise ParaphrastError(
            f"expected a text or several texts, found {texts!r}. Give str objects."
        )
    listed = list(texts)
    for index, text in enumerate(listed):
        if not isinstance(text, str):
            raise ParaphrastError(
                f"text {index} is {text!r}, not a str. Leave it out or put ''."
            )
    return listed
