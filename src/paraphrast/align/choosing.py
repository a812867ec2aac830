"""Which aligner to use: the one named, the one that a model is of, or the best."""

from pathlib import Path
from typing import cast

from paraphrast import registry
from paraphrast.align.base import Aligner, Family
from paraphrast.align.manifest import read_family

# Those that need no model of the user's, the best first.
READY = ("monolingual", "identity")


def family(name: str) -> Family:
    """Return the family of that name."""
    return cast(Family, registry.find("aligners", name))


def default() -> str:
    """Return the name of the best aligner that is installed."""
    installed = registry.names("aligners")
    return next(name for name in READY if name in installed)


def load(using: str | None = None, model: Path | None = None) -> Aligner:
    """Return an aligner ready for use."""
    name = using or (read_family(model) if model else default())
    return family(name).load(model)
