"""Rewrite English text in another style, keep its meaning, and measure the result.

>>> import paraphrast
>>> paraphrast.rewrite(["gonna be late, soz"], to="formal")[0].text
'I am going to be late, sorry.'
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Change, Rewrite

if TYPE_CHECKING:
    from paraphrast.rewriting.document import DocumentRewriter

__all__ = ["Change", "ParaphrastError", "Rewrite", "load", "rewrite"]


def rewrite(
    texts: Sequence[str],
    *,
    to: str,
    rewriter: str | None = None,
    seed: int = 1,
    protect: Sequence[str] = (),
    markdown: bool = False,
) -> list[Rewrite]:
    """Return the best rewrite of each text in the style ``to``.

    ``protect`` lists terms that must stay letter for letter. To rewrite more than
    once, `load` a rewriter and keep it.
    """
    if isinstance(texts, str):
        raise ParaphrastError("expected a list of texts, found one text. Put it in [].")
    loaded = load(to, rewriter=rewriter)
    return loaded.rewrite(texts, seed=seed, protect=protect, markdown=markdown)


def load(
    to: str | None = None,
    *,
    rewriter: str | None = None,
    pack: str | Path | None = None,
    home: Path | None = None,
) -> "DocumentRewriter":
    """Return a rewriter into the style ``to``; see ``paraphrast styles``.

    ``pack`` is the folder or the name of a pack, which also knows its style; packs
    are looked for in ``home``, if it is given.
    """
    from paraphrast.rewriting import offers

    if pack is not None:
        return offers.load_pack(str(pack), to=to, home=home)
    if to is None:
        raise ParaphrastError("say which style to load, or which pack.")
    return offers.load(to, rewriter=rewriter, home=home)
