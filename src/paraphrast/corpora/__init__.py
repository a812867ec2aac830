"""Pairs and style texts on disk, and the catalogue of public corpora."""

from paraphrast.corpora.formats import read_pairs, write_pairs
from paraphrast.corpora.lines import read_columns, read_lines, read_texts
from paraphrast.corpora.pairs import Pair

__all__ = [
    "Pair",
    "read_columns",
    "read_lines",
    "read_pairs",
    "read_texts",
    "write_pairs",
]
