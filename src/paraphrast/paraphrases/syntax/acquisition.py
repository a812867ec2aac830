"""A paraphrase table from the word lattices of groups of equivalent sentences.

p(paraphrase | phrase) is the share of the sentences with the paraphrase between the
same two states of a lattice, averaged over all positions of the phrase. The phrase
itself keeps its own share, and a number of unseen positions as smoothing: a pair seen
once must not outweigh one that many groups agree on.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from paraphrast.paraphrases.building import from_rows
from paraphrast.paraphrases.syntax.lattice import alternatives, lattice
from paraphrast.paraphrases.syntax.trees import Tree
from paraphrast.paraphrases.table import Paraphrase, Table

LONGEST = 5
# Chosen on the training half of mt-reference (benchmarks/syntactic_paraphrases.py):
# more rank hardly better, and push what was seen once under PARAMETRIC's 1%.
UNSEEN = 30


def acquire(
    groups: Iterable[Sequence[Tree]],
    *,
    longest: int = LONGEST,
    unseen: float = UNSEEN,
) -> Table:
    """Merge each group into a lattice, and collect the paraphrases of its paths.

    ``longest`` limits the words of a phrase; ``unseen`` is the number of additional
    positions that a phrase keeps for itself.
    """
    positions: Counter[str] = Counter()
    shares: dict[tuple[str, str], float] = defaultdict(float)
    merged_groups = 0
    for trees in groups:
        merged_groups += 1
        merged = lattice([_lowercase(tree) for tree in trees])
        for said in alternatives(merged, longest=longest):
            phrases = {" ".join(words): count for words, count in said.items()}
            positions.update(phrases.keys())
            total = sum(phrases.values())
            for phrase in phrases:
                for other, count in phrases.items():
                    if phrase != other:
                        shares[phrase, other] += count / total
    rows = (
        Paraphrase(phrase, other, share / (positions[phrase] + unseen))
        for (phrase, other), share in shares.items()
    )
    about = {
        "method": "syntax",
        "case": "lower",
        "groups": merged_groups,
        "longest": longest,
        "unseen": unseen,
    }
    return from_rows(rows, about=about)


def _lowercase(tree: Tree) -> Tree:
    return Tree(tree.label, tuple(map(_lowercase, tree.children)), tree.word.lower())
