"""The rewriter family ``neural``: styles that packs write with a neural model.

Nothing large is imported until a rewriter is loaded. The packs that come with
paraphrast lie in `storage.packs.BUNDLED`; the user's own come first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.config import count_threads
from paraphrast.neural.styles import BUNDLED_STYLES, KIND, LOOSE
from paraphrast.rewriter import Rewriter
from paraphrast.storage import packs
from paraphrast.storage.packs import Pack

if TYPE_CHECKING:
    from paraphrast.neural.candidates.rerank import Guide
    from paraphrast.neural.models.pack import Model

MOST_THREADS = 8
HOW = (
    "The neural pack is not in this installation. Train one with `paraphrast neural "
    "train` and `paraphrast neural convert`; docs/neural.md says how."
)


@dataclass(frozen=True)
class Neural:
    """Rewrites with neural packs, which lie in the folder ``home`` or are bundled."""

    home: Path = packs.HOME
    summary: str = "a neural model; paraphrases freely and keeps names and numbers"

    def styles(self) -> Mapping[str, str]:
        """Map each style that a pack writes to a line about it."""
        return packs.collect_styles(self._packs())

    def missing(self) -> Mapping[str, str]:
        """Map the styles to come that have no pack yet to how to get it."""
        there = self.styles()
        return {style: HOW for style in BUNDLED_STYLES if style not in there}

    def at(self, home: Path) -> "Neural":
        """Return the family with the packs of another folder."""
        return Neural(home)

    def load(self, style: str) -> Rewriter:
        """Return a rewriter from the pack named like the style, or else the first."""
        return _make_rewriter(packs.choose(self._packs(), style), style)

    def load_pack(self, folder: Path, style: str) -> Rewriter:
        """Return a rewriter from one pack into one of its styles."""
        from paraphrast.neural.models.pack import read

        return _make_rewriter(read(folder), style)

    def _packs(self) -> list[Pack]:
        return [
            pack
            for folder in (self.home, packs.BUNDLED)
            for pack in _read_packs(folder, _find_manifests(folder))
        ]


@lru_cache(maxsize=8)
def _read_packs(folder: Path, manifests: tuple[tuple[Path, int], ...]) -> list[Pack]:
    """Return the packs of a folder; they are read again when a manifest has changed."""
    return packs.list_installed(folder, kind=KIND)


def _find_manifests(folder: Path) -> tuple[tuple[Path, int], ...]:
    """Return the manifests of a folder's packs and when they were changed."""
    paths = sorted(folder.expanduser().glob("*/pack.toml"))
    return tuple((path, path.stat().st_mtime_ns) for path in paths)


def _make_rewriter(pack: Pack, style: str) -> Rewriter:
    from paraphrast.neural.models.pack import open_model
    from paraphrast.neural.rewriter import NeuralRewriter
    from paraphrast.rules import family as rules

    threads = min(MOST_THREADS, count_threads())
    model = open_model(pack, style, threads=threads)
    fallback = rules.load(style) if style in rules.styles() else None
    return NeuralRewriter(
        model,
        guide=_load_guide(pack, model),
        decent=style in LOOSE,
        fallback=fallback,
    )


def _load_guide(pack: Pack, model: "Model") -> "Guide | None":
    """Return the reranker that a learned style's pack brings along, if it does."""
    from paraphrast.neural.learn import style_guide

    path = pack.folder / style_guide.FILE
    if not path.is_file():
        return None
    plain = model.settings.plain or model.style
    engine = model.steps[-1].engine
    return style_guide.StyleGuide(style_guide.load(path), engine, plain)


family = Neural()
