"""Trees of equivalent sentences merged into one forest (Pang, Knight & Marcu 2003).

Two nodes are merged from the top down when they have the same category and expand into
the same sequence of categories; their children are then merged in turn. Otherwise the
expansions are alternatives of one node. A merge is inhibited if the words show that it
would be wrong: when a keyword of one child turns up in another child of the other tree,
as the killer does when "Ann killed Bob" meets "Bob was killed by Ann".
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from paraphrast.paraphrases.syntax.tags import is_keyword
from paraphrast.paraphrases.syntax.trees import Tree

# The sentences, by number, that say a thing.
Sentences: TypeAlias = set[int]


@dataclass(slots=True)
class Node:
    """A merged node: words, or alternative expansions."""

    words: dict[str, Sentences] = field(default_factory=lambda: defaultdict(set))
    expansions: list["Expansion"] = field(default_factory=list)
    keywords: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Expansion:
    """One sequence of categories, and the merged node at each position."""

    labels: tuple[str, ...]
    children: list[Node]


def merge(trees: Iterable[Tree]) -> Node:
    """Merge trees one after the other; tree number k is sentence k."""
    # The extra node above lets roots of different categories be alternatives.
    root = Node()
    for number, tree in enumerate(trees):
        _add(root, Tree("", (tree,)), number)
    return root


def _add(node: Node, tree: Tree, sentence: int) -> None:
    if tree.word:
        node.words[tree.word].add(sentence)
    else:
        labels = tuple(child.label for child in tree.children)
        expansion = _matching(node, labels, tree)
        for slot, child in zip(expansion.children, tree.children, strict=True):
            _add(slot, child, sentence)
    node.keywords |= _keywords(tree)


def _matching(node: Node, labels: tuple[str, ...], tree: Tree) -> Expansion:
    """Return the expansion to merge a tree into, a new one if none will do."""
    keywords = [_keywords(child) for child in tree.children]
    for expansion in node.expansions:
        if expansion.labels == labels and not _crossing(expansion, keywords):
            return expansion
    new = Expansion(labels, [Node() for _ in labels])
    node.expansions.append(new)
    return new


def _crossing(expansion: Expansion, keywords: list[set[str]]) -> bool:
    """Say whether a keyword stands under one child here and under another there."""
    theirs = [child.keywords for child in expansion.children]
    for index, (old, new) in enumerate(zip(theirs, keywords, strict=True)):
        arrived = new - old
        if any(
            arrived & (theirs[other] - keywords[other])
            for other in range(len(theirs))
            if other != index
        ):
            return True
    return False


def _keywords(tree: Tree) -> set[str]:
    return {word.lower() for word in tree.words() if is_keyword(word)}
