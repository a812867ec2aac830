"""Which aligner to use, and at which operating point.

It is the one named, the one that wrote the model, or the best one installed.
"""

from pathlib import Path
from typing import cast

from paraphrast import registry
from paraphrast.align.base import SAVED, Adjustable, Aligner, Family, Preference
from paraphrast.errors import ParaphrastError
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


def load(
    using: str | None = None,
    model: Path | None = None,
    *,
    prefer: Preference | None = None,
) -> Aligner:
    """Return an aligner ready for use.

    ``prefer`` chooses the operating point, by default *precision*; it is refused for an
    aligner that has only one.
    """
    name = using or default()
    if model and not using:
        name = str(sealed_folder.read_manifest(model, SAVED).get("family", ""))
    aligner = family(name).load(model)
    if prefer is None:
        return aligner
    if not isinstance(aligner, Adjustable):
        raise ParaphrastError(
            f"{name} has one operating point and cannot prefer {prefer}. Leave out "
            "--prefer, or use the aligner monolingual."
        )
    return aligner.preferring(prefer)
