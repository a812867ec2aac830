"""The common part of rewriter families that use packs of one kind.

A family defines how its packs are opened and how to get a missing one. Packs are in the
folder ``home``, or come with paraphrast (`storage.packs.BUNDLED`); those in ``home``
take precedence. See `rewriter.PackFamily`.
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
    """A family whose packs are in the folder ``home``, or bundled."""

    kind: ClassVar[str]
    home: Path = packs.HOME
    summary: str = ""

    @abstractmethod
    def obtainable(self) -> Mapping[str, str]:
        """Map each style with an obtainable pack to instructions in one line."""

    @abstractmethod
    def open(self, pack: Pack, style: str) -> Rewriter:
        """Return a rewriter from one pack into one of its styles."""

    def styles(self) -> Mapping[str, str]:
        """Map each style that a pack writes to a summary."""
        return packs.collect_styles(self._list())

    def missing(self) -> Mapping[str, str]:
        """Map each style whose pack is missing to instructions in one line."""
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
    """Return the packs of a folder, cached until a manifest changes."""
    return packs.list_installed(folder, kind=kind)


def _find_manifests(folder: Path) -> tuple[tuple[Path, int], ...]:
    """Return the manifests of a folder's packs and when they were changed."""
    paths = sorted(folder.expanduser().glob("*/pack.toml"))
    return tuple((path, path.stat().st_mtime_ns) for path in paths)
