"""Acquiring paraphrases: monolingual SMT, pivot, syntactic lattices, co-training.

Every method reads sentences and gives a `Table`:

* ``smt``: aligned pairs of one language (Quirk et al. 2004)
* ``pivot``: text in two languages (Bannard and Callison-Burch 2005)
* ``syntax``: trees merged into lattices (Pang et al. 2003)
* ``cotraining``: contexts and paraphrases that teach each other (Barzilay and
  McKeown 2001)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paraphrast.paraphrases.building import from_rows, merge, prune
    from paraphrast.paraphrases.table import Paraphrase, Table, open_table

__all__ = ["Paraphrase", "Table", "from_rows", "merge", "open_table", "prune"]

_HOMES = {
    "building": ("from_rows", "merge", "prune"),
    "table": ("Paraphrase", "Table", "open_table"),
}


def __getattr__(name: str) -> Any:
    # Imported when asked for: `paraphrast --help` should not wait for numpy.
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"paraphrast.paraphrases.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
