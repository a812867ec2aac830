"""Which aligner to use: the one named, the one that a model is of, or the best."""

from pathlib import Path
from typing import cast

from paraphrast import registry
from paraphrast.align.base import SAVED, Aligner, Family
from paraphrast.storage import sealed_folder

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
    name = using or default()
    if model and not using:
        name = str(sealed_folder.read_manifest(model, SAVED).get("family", ""))
    return family(name).load(model)
