"""The example of COHN08's Figure 2, and alignments to try things on."""

from hypothesis import strategies

from paraphrast.align.base import AlignedPair
from paraphrast.align.links import links_of

SOURCE = "they discussed the aspects in detail and reached an extensive agreement ."
TARGET = (
    "both parties discussed the specific issues and arrived at a general consensus ."
)
# Table 1: source word, target word, what A says, what B says.
TABLE = """
they both - P
they parties P P
discussed discussed S S
the the S S
aspects specific P -
in specific P P
detail specific P P
aspects issues P S
in issues P -
detail issues P -
and and S S
reached arrived S S
reached at - S
an a S S
extensive general S P
agreement consensus S S
. . S S
"""


def annotators() -> tuple[AlignedPair, AlignedPair]:
    source, target = tuple(SOURCE.split()), tuple(TARGET.split())
    sure, possible = ([], []), ([], [])
    for row in TABLE.strip().splitlines():
        one, other, *labels = row.split()
        cell = (source.index(one), target.index(other))
        for annotator, label in enumerate(labels):
            if label != "-":
                (sure if label == "S" else possible)[annotator].append(cell)
    first, second = (
        AlignedPair(source, target, links_of(s, p))
        for s, p in zip(sure, possible, strict=True)
    )
    return first, second


@strategies.composite
def cells(draw, longest=6):
    """Draw the lengths of two sentences and a set of cells between them."""
    rows, columns = draw(strategies.tuples(*[strategies.integers(1, longest)] * 2))
    cell = strategies.tuples(
        strategies.integers(0, rows - 1), strategies.integers(0, columns - 1)
    )
    return rows, columns, draw(strategies.frozensets(cell, max_size=9))
