"""Acquiring paraphrases: monolingual SMT, pivot, syntactic lattices, co-training.

Every method reads sentences and returns a `Table`:

* ``smt``: aligned monolingual pairs (Quirk et al. 2004)
* ``pivot``: text in two languages (Bannard and Callison-Burch 2005)
* ``syntax``: trees merged into lattices (Pang et al. 2003)
* ``cotraining``: co-training of contexts and paraphrases (Barzilay and McKeown 2001)
"""

from paraphrast.paraphrases.building import from_rows, merge, prune
from paraphrast.paraphrases.table import Paraphrase, Table, open_table

__all__ = ["Paraphrase", "Table", "from_rows", "merge", "open_table", "prune"]
