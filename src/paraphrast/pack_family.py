"""What families of rewriters have in common that rewrite with packs of one kind.

A family says how its packs are opened and how one that is missing can be had. Packs
lie in the folder ``home``, or come with paraphrast (`storage.packs.BUNDLED`); those in
``home`` come first. See `rewriter.PackFamily`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Self

from paraphrast.rewriter import Rewriter
from paraphrast.storage import packs
from paraphrast.storage.packs import Pack


@dataclass(frozen=True)
class InstalledPacks(ABC):
    """A family whose packs lie in the folder ``home``, or are bundled."""

    kind: ClassVar[str]
    home: Path = packs.HOME
    summary: str = ""

    @abstractmethod
    def obtainable(self) -> Mapping[str, str]:
        """Map each style that a pack can be had for to a line that says how."""

    @abstractmethod
    def open(self, pack: Pack, style: str) -> Rewriter:
        """Return a rewriter from one pack into one of its styles."""

    def styles(self) -> Mapping[str, str]:
        """Map each style that a pack writes to a line about it."""
        return packs.collect_styles(self._list())

    def missing(self) -> Mapping[str, str]:
        """Map each style that only lacks its pack to a line that says how to get it."""
        there = self.styles()
        return {s: how for s, how in self.obtainable().items() if s not in there}

    def at(self, home: Path) -> Self:
        """Return the family with the packs of another folder."""
        return replace(self, home=home)

    def load(self, style: str) -> Rewriter:
        """Return a rewriter from the pack named like the style, or else the first."""
        return self.open(packs.choose(self._list(), style), style)

    def load_pack(self, folder: Path, style: str) -> Rewriter:
        """Return a rewriter from the pack in a folder."""
        return self.open(packs.read(folder), style)

    def _list(self) -> list[Pack]:
        return [
            pack
            for folder in (self.home, packs.BUNDLED)
            for pack in _read_packs(folder, self.kind, _find_manifests(folder))
        ]


@lru_cache(maxsize=32)
def _read_packs(
    folder: Path, kind: str, manifests: tuple[tuple[Path, int], ...]
) -> list[Pack]:
    """Return the packs of a folder; they are read again when a manifest has changed."""
    return packs.list_installed(folder, kind=kind)


def _find_manifests(folder: Path) -> tuple[tuple[Path, int], ...]:
    """Return the manifests of a folder's packs and when they were changed."""
    paths = sorted(folder.expanduser().glob("*/pack.toml"))
    return tuple((path, path.stat().st_mtime_ns) for path in paths)
