"""A paraphrase table from the word lattices of groups of equivalent sentences.

Of a phrase that is said in a place, between two states of a lattice, p(paraphrase |
phrase) is the share of what is said there, averaged over all places where the phrase
is said. The phrase's own share, and places where nothing else is said, stay with the
phrase, and so do `UNSEEN` more places: a pair seen once must not outweigh one that
many groups agree on.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from paraphrast.paraphrases.building import from_rows
from paraphrast.paraphrases.syntax.lattice import alternatives, lattice
from paraphrast.paraphrases.syntax.trees import Tree
from paraphrast.paraphrases.table import Paraphrase, Table

LONGEST = 5
# Chosen by cross-validation on the training half of mt-reference, where 0, 1, 3 and
# 10 were tried: of the 300 likeliest paraphrases 5, 5, 10 and 11 in 100 are right.
UNSEEN = 10


def acquire(groups: Iterable[Sequence[Tree]], *, longest: int = LONGEST) -> Table:
    """Merge each group into a lattice, and collect what its paths paraphrase."""
    places: Counter[str] = Counter()
    shares: dict[tuple[str, str], float] = defaultdict(float)
    merged_groups = 0
    for trees in groups:
        merged_groups += 1
        merged = lattice([_lowered(tree) for tree in trees])
        for said in alternatives(merged, longest=longest):
            phrases = {" ".join(words): count for words, count in said.items()}
            places.update(phrases.keys())
            total = sum(phrases.values())
            for one in phrases:
                for other, count in phrases.items():
                    if one != other:
                        shares[one, other] += count / total
    rows = (
        Paraphrase(one, other, share / (places[one] + UNSEEN))
        for (one, other), share in shares.items()
    )
    about = {
        "method": "syntax",
        "case": "lower",
        "groups": merged_groups,
        "longest": longest,
    }
    return from_rows(rows, about=about)


def _lowered(tree: Tree) -> Tree:
    return Tree(tree.label, tuple(map(_lowered, tree.children)), tree.word.lower())
