"""Constituent trees, and the bracket notation of treebanks and parsers.

``(S (NP (DT the) (NN train)) (VP (VBD left)))``. A node has children or a word, never
both; its label is a category or, above a word, a part of speech. A word in a
constituent without a part of speech gets `UNTAGGED`. Round brackets in the text are
written -LRB- and -RRB-, as in the Penn Treebank, whose extra pair of brackets around
every tree is taken off. A tree may run over several lines, and several may stand on
one.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError

UNTAGGED = "X"
# Recursion over a tree stays well inside Python's limit. No parser nests so deep.
DEEPEST = 200

_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True, slots=True)
class Tree:
    """A labelled node with its children, or with one word."""

    label: str
    children: tuple["Tree", ...] = ()
    word: str = ""

    def __str__(self) -> str:
        """Return the tree in brackets, on one line."""
        inside = _escape(self.word) if self.word else " ".join(map(str, self.children))
        return f"({self.label} {inside})"

    def leaves(self) -> Iterator["Tree"]:
        """Yield the nodes that have words, from left to right."""
        if self.word:
            yield self
        for child in self.children:
            yield from child.leaves()

    def words(self) -> tuple[str, ...]:
        """Return the sentence."""
        return tuple(leaf.word for leaf in self.leaves())


@dataclass(frozen=True, slots=True)
class Constituent:
    """A node and the words it spans: ``words()[start:end]``."""

    tree: Tree
    start: int
    end: int


def constituents(tree: Tree, *, start: int = 0) -> Iterator[Constituent]:
    """Yield every node with its span, parents before their children."""
    yield Constituent(tree, start, start + len(tree.words()))
    for child in children_of(Constituent(tree, start, start)):
        yield from constituents(child.tree, start=child.start)


def children_of(constituent: Constituent) -> Iterator[Constituent]:
    """Yield the children of a node with their spans."""
    start = constituent.start
    for child in constituent.tree.children:
        end = start + len(child.words())
        yield Constituent(child, start, end)
        start = end


def flat(words: Iterable[str]) -> Tree:
    """Return a flat tree for an unparsed sentence."""
    return Tree("S", tuple(Tree(UNTAGGED, word=word) for word in words))


def from_spans(
    leaves: Iterable[Tree], spans: Iterable[tuple[str, int, int]], *, root: str = "S"
) -> Tree:
    """Build a tree from its leaves and nested (label, start, end) spans.

    Of equal spans the first given is the parent. Leaves outside of every span, and
    several trees in a row, come under one node labelled ``root``.
    """
    leaf_list = list(leaves)
    whole = (root, 0, len(leaf_list))
    numbered = sorted(enumerate(spans), key=lambda n: (n[1][1], -n[1][2], n[0]))
    pending = [whole, *(span for _, span in numbered)][::-1]
    tree = _build(leaf_list, pending)
    only = tree.children[0] if len(tree.children) == 1 else tree
    return only if only.children else tree


def _build(leaves: list[Tree], pending: list[tuple[str, int, int]]) -> Tree:
    label, start, end = pending.pop()
    children: list[Tree] = []
    while start < end:
        if pending and pending[-1][1] == start and pending[-1][2] <= end:
            next_start = pending[-1][2]
            children.append(_build(leaves, pending))
        else:
            next_start = start + 1
            children.append(leaves[start])
        start = next_start
    return Tree(label, tuple(children))


def read_trees(path: Path) -> Iterator[Tree]:
    """Yield the trees of a bracketed file in order, without reading it whole."""
    return _parse(enumerate(read_lines(path), start=1), name=str(path))


def parse_tree(text: str) -> Tree:
    """Read the one tree in a text."""
    trees = list(_parse(enumerate(text.split("\n"), start=1), name="tree"))
    if len(trees) != 1:
        raise ParaphrastError(f"tree: expected 1 tree, found {len(trees)}: {text!r}.")
    return trees[0]


@dataclass(slots=True)
class _Open:
    """A bracket that was opened, and what has been read since."""

    where: str
    label: str | None
    children: list[Tree]
    words: list[str]


def _parse(lines: Iterable[tuple[int, str]], *, name: str) -> Iterator[Tree]:
    stack: list[_Open] = []
    for number, line in lines:
        for token in _TOKEN.findall(line):
            where = f"{name}:{number}"
            if token == "(":
                _check_depth(stack, where)
                stack.append(_Open(where, None, [], []))
            elif not stack:
                raise ParaphrastError(
                    f"{where}: {token!r} is outside any bracket. "
                    "Write trees as (S (NP (PRP it)) (VP (VBZ works)))."
                )
            elif token == ")":
                tree = _close(stack.pop(), where)
                if stack:
                    _add(stack[-1], tree)
                else:
                    yield tree
            else:
                _take(stack[-1], token)
    if stack:
        raise ParaphrastError(
            f"{stack[0].where}: this bracket is never closed. Add the missing ')'."
        )


def _check_depth(stack: list[_Open], where: str) -> None:
    if len(stack) >= DEEPEST:
        raise ParaphrastError(
            f"{where}: more than {DEEPEST} nested brackets. Check that every '(' has "
            "its ')'."
        )


def _take(node: _Open, token: str) -> None:
    if node.label is None and not node.children:
        node.label = token
    elif node.children:
        node.children.append(Tree(UNTAGGED, word=_unescape(token)))
    else:
        node.words.append(_unescape(token))


def _add(node: _Open, tree: Tree) -> None:
    node.children += [Tree(UNTAGGED, word=word) for word in node.words]
    node.words.clear()
    node.children.append(tree)


def _close(node: _Open, where: str) -> Tree:
    if node.label is None and len(node.children) == 1:
        return node.children[0]
    if node.label is None or not (node.children or node.words):
        what = "has no label" if node.label is None else f"{node.label!r} is empty"
        raise ParaphrastError(
            f"{where}: a bracket {what}. A tree is (LABEL word) or (LABEL (…) (…))."
        )
    if len(node.words) == 1:
        return Tree(node.label, word=node.words[0])
    untagged = (Tree(UNTAGGED, word=word) for word in node.words)
    return Tree(node.label, (*node.children, *untagged))


def _escape(word: str) -> str:
    return word.replace("(", "-LRB-").replace(")", "-RRB-")


def _unescape(word: str) -> str:
    return word.replace("-LRB-", "(").replace("-RRB-", ")")
