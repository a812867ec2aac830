"""Trees for aligned pairs, from bracketed files or from the parser, and their groups.

Equivalent sentences form a group: those of pairs whose names agree up to the last dot,
such as translations of the same source, or the two of a pair without a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from paraphrast.align.base import AlignedPair, Words
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.parametric import cluster_of
from paraphrast.paraphrases.syntax import parser
from paraphrast.paraphrases.syntax.trees import Tree, read_trees


@dataclass(frozen=True, slots=True)
class ParsedPair:
    """A pair with the trees of its two sentences."""

    pair: AlignedPair
    source: Tree
    target: Tree


@dataclass(frozen=True, slots=True)
class Treebank:
    """Pairs with their trees, and how many trees are flat for lack of a parse."""

    pairs: tuple[ParsedPair, ...]
    flat: int = 0

    def groups(self) -> list[list[Tree]]:
        """Return the trees of each group, every different sentence once."""
        result: dict[str, dict[Words, Tree]] = {}
        for number, parsed in enumerate(self.pairs):
            group = result.setdefault(cluster_of(parsed.pair) or f"\n{number}", {})
            group.setdefault(parsed.pair.source, parsed.source)
            group.setdefault(parsed.pair.target, parsed.target)
        return [list(group.values()) for group in result.values()]


def of_pairs(
    pairs: Sequence[AlignedPair],
    *,
    source: Path | None = None,
    target: Path | None = None,
    cache: Path | None = None,
) -> Treebank:
    """Read trees from two files if they are given, else parse."""
    if source and target:
        return read_parsed(pairs, source, target)
    if source or target:
        raise ParaphrastError(
            "trees are given for one side only. Give both, or neither to have the "
            "sentences parsed."
        )
    return parse_pairs(pairs, cache=cache)


def parse_pairs(pairs: Sequence[AlignedPair], *, cache: Path | None = None) -> Treebank:
    """Parse both sides of the pairs; see `parser.parse` for the cache."""
    sentences = [words for pair in pairs for words in (pair.source, pair.target)]
    parses = parser.parse(sentences, cache=cache)
    sides = parses.trees[::2], parses.trees[1::2]
    result = map(ParsedPair, pairs, *sides)
    return Treebank(tuple(result), parses.flat)


def read_parsed(pairs: Sequence[AlignedPair], source: Path, target: Path) -> Treebank:
    """Read the trees of the pairs' two sides from two bracketed files."""
    paths = source, target
    result = []
    rows = zip_longest(pairs, read_trees(source), read_trees(target))
    for number, (pair, *trees) in enumerate(rows, start=1):
        if pair is None or None in trees:
            short = [str(path) for path, t in zip(paths, trees, strict=True) if not t]
            short += ["the pairs"] if pair is None else []
            raise ParaphrastError(
                f"{' and '.join(short)} end before number {number}. Give one pair and "
                "one tree per side, in the same order."
            )
        for path, tree, words in zip(
            paths, trees, (pair.source, pair.target), strict=True
        ):
            if tree.words() != words:
                raise ParaphrastError(
                    f"{path}: tree {number} is of {' '.join(tree.words())!r}, but the "
                    f"sentence is {' '.join(words)!r}. Give trees over the pairs' "
                    "words."
                )
        result.append(ParsedPair(pair, *trees))
    return Treebank(tuple(result))
