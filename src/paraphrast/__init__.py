"""Rewrite English text in another style, keep its meaning, and measure the result.

>>> import paraphrast
>>> paraphrast.rewrite("gonna be late, soz", to="formal", using="rules").text
'Going to be late, sorry.'
>>> formal = paraphrast.load("formal", using="rules")
>>> [result.text for result in formal.rewrite(["u ok?", "im fine"])]
['You ok?', 'I am fine.']
"""

import warnings
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, overload

from paraphrast.client import Client
from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Change, Kept, Rewrite

if TYPE_CHECKING:
    from paraphrast.rewriting.document import DocumentRewriter
    from paraphrast.rewriting.offers import Style

__all__ = [
    "Change",
    "Client",
    "Kept",
    "ParaphrastError",
    "Rewrite",
    "load",
    "rewrite",
    "styles",
]
try:
    __version__ = version("paraphrast")
except PackageNotFoundError:  # read from a checkout, as training on a GPU does
    __version__ = "0+unknown"


@overload
def rewrite(  # type: ignore[overload-overlap]
    texts: str,
    *,
    to: str,
    using: str | None = ...,
    n: None = None,
    strength: float | None = ...,
    seed: int = ...,
    protect: str | Iterable[str] = ...,
    markdown: bool = ...,
    headings: bool = ...,
) -> Rewrite: ...


@overload
def rewrite(  # type: ignore[overload-overlap]
    texts: str,
    *,
    to: str,
    using: str | None = ...,
    n: int,
    strength: float | None = ...,
    seed: int = ...,
    protect: str | Iterable[str] = ...,
    markdown: bool = ...,
    headings: bool = ...,
) -> list[Rewrite]: ...


@overload
def rewrite(
    texts: Iterable[str],
    *,
    to: str,
    using: str | None = ...,
    n: None = None,
    strength: float | None = ...,
    seed: int = ...,
    protect: str | Iterable[str] = ...,
    markdown: bool = ...,
    headings: bool = ...,
) -> list[Rewrite]: ...


@overload
def rewrite(
    texts: Iterable[str],
    *,
    to: str,
    using: str | None = ...,
    n: int,
    strength: float | None = ...,
    seed: int = ...,
    protect: str | Iterable[str] = ...,
    markdown: bool = ...,
    headings: bool = ...,
) -> list[list[Rewrite]]: ...


def rewrite(
    texts: str | Iterable[str],
    *,
    to: str,
    using: str | None = None,
    n: int | None = None,
    strength: float | None = None,
    seed: int = 1,
    protect: str | Iterable[str] = (),
    markdown: bool = False,
    headings: bool = False,
) -> Rewrite | list[Rewrite] | list[list[Rewrite]]:
    """Rewrite a text, or several texts, in the style ``to``.

    A text gives one `Rewrite`; several give a list in the same order. With ``n`` each
    text gives a list of 1 to ``n`` distinct rewrites, best first.

    ``using`` names the rewriter; `styles` lists them, and the best for the style is the
    default. ``strength`` ranges from light (0) to free (1). The same ``seed`` gives the
    same text. ``protect`` names a term, or several, to keep letter for letter.
    ``markdown`` reads the texts as Markdown, whose code and markup are kept;
    ``headings`` also rewrites headings and list items that are not sentences. To
    rewrite more than once, `load` a rewriter and reuse it.
    """
    loaded = load(to, using=using, strength=strength)
    return loaded.rewrite(
        texts,
        n=n,
        seed=seed,
        protect=protect,
        markdown=markdown,
        headings=headings,
    )


def load(
    to: str | None = None,
    *,
    using: str | None = None,
    pack: str | Path | None = None,
    packs: str | Path | None = None,
    strength: float | None = None,
    settings: Mapping[str, object] | None = None,
) -> "DocumentRewriter":
    """Return a rewriter into the style ``to``; see `styles`.

    ``using`` names a rewriter, such as ``rules``. ``pack`` is the folder or the name of
    a pack; one with a single style needs no ``to``. Installed packs are searched for in
    the folder ``packs``. ``strength`` ranges from light (0) to free (1). ``settings``
    are those of the rewriter: ``url`` and ``model`` for ``llm``.
    """
    from paraphrast.rewriting import offers

    home = None if packs is None else Path(packs)
    if pack is not None:
        loaded = offers.load_pack(str(pack), to=to, home=home)
    elif to is not None:
        loaded = offers.load(to, using=using, home=home, settings=settings)
    else:
        raise ParaphrastError("say which style to load, or which pack.")
    if notice := getattr(loaded.rewriter, "notice", ""):
        warnings.warn(notice, stacklevel=2)
    return loaded if strength is None else loaded.adjusted(strength=strength)


def styles(packs: str | Path | None = None) -> "list[Style]":
    """List the available styles, with a summary and the rewriters of each.

    Installed packs are searched for in the folder ``packs``.
    """
    from paraphrast.rewriting import offers

    return offers.styles(None if packs is None else Path(packs))
