"""An NMT pack, opened: its weights, search settings, and preprocessing rules.

A pack of kind ``nmt`` has the file `MODEL` and the summary of its training.
"""

from dataclasses import dataclass, field
from pathlib import Path

from paraphrast.nmt import weights
from paraphrast.nmt.beam_search import Search
from paraphrast.nmt.inference import Network
from paraphrast.nmt.styles import KIND
from paraphrast.storage import packs

MODEL = "model"


@dataclass(frozen=True)
class Settings:
    """The contents of ``config.toml``."""

    search: Search = field(default_factory=Search)
    clean_up: bool = False


@dataclass(frozen=True, eq=False)
class Model:
    """A network and the settings of its pack."""

    network: Network
    settings: Settings


def load_pack(folder: Path) -> Model:
    """Open a pack of this kind."""
    pack = packs.read(folder)
    pack.require(KIND)
    settings = pack.settings(Settings)
    return Model(Network(weights.load(folder / MODEL)), settings)
