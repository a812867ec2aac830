"""Find rewriters, metrics, formats and aligners by name, ours and plugins' alike.

Each is an entry point in one of the groups below. Ours are declared in pyproject.toml
exactly as another package would declare its own, so plugins can do whatever ours can.
Nothing is imported until it is requested. Entry points are read once for each
``sys.path``.
"""

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from paraphrast.errors import ParaphrastError, unknown

GROUPS = {
    "rewriters": "a way to rewrite text; see paraphrast.rewriter.Family",
    "metrics": "an automatic score; see paraphrast.metrics.base.Metric",
    "formats": "a file format for pairs; see paraphrast.corpora.formats.Format",
    "aligners": "a way to link words; see paraphrast.align.base.Family",
}


def names(group: str) -> list[str]:
    """List what is installed in a group."""
    return sorted({entry.name for entry in _entries(group)})


def find(group: str, name: str) -> Any:
    """Import and return the one implementation called ``name``."""
    entries = [entry for entry in _entries(group) if entry.name == name]
    if not entries:
        raise unknown(group.removesuffix("s"), name, names(group))
    values = sorted({entry.value for entry in entries})
    if len(values) > 1:
        raise ParaphrastError(
            f"{name!r} in {group} is claimed by {', '.join(values)}. "
            "Uninstall all but one."
        )
    try:
        return entries[0].load()
    except (ImportError, AttributeError) as error:
        raise ParaphrastError(
            f"cannot load {name!r} in {group} from {values[0]}: {error}. "
            "Reinstall the package that provides it."
        ) from error


def _entries(group: str) -> list[EntryPoint]:
    if group not in GROUPS:
        raise unknown("group of parts", group, GROUPS)
    return _read_installed(group, tuple(sys.path))


@lru_cache(maxsize=len(GROUPS))
def _read_installed(group: str, path: tuple[str, ...]) -> list[EntryPoint]:
    """Return what all packages register; their metadata are hundreds of files."""
    return list(entry_points(group=f"paraphrast.{group}"))
