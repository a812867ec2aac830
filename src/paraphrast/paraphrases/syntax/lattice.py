"""Word lattices of equivalent sentences, and their paraphrases.

A forest of merged trees is written out as a graph whose edges are words: the
alternatives of a node are paths between the same two states. The graph is then
squeezed: edges with the same word that leave one state, or enter one state, become
one. Every path from the first state to the last is a sentence, and paths between the
same two states are paraphrases (PARAMETRIC §6, Figure 2).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from paraphrast.align.base import Words
from paraphrast.paraphrases.syntax.forest import Node, Sentences, merge
from paraphrast.paraphrases.syntax.trees import Tree

State: TypeAlias = int
FIRST: State = 0
LAST: State = 1
# Phrases of one length that are kept between two states. Many sentences of one shape
# would otherwise say as many things as there are ways to combine their words.
MOST_WAYS = 50


@dataclass(slots=True)
class Lattice:
    """Edges by the state they leave: (word, state entered) -> sentences."""

    edges: dict[State, dict[tuple[str, State], Sentences]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    states: int = 2

    def add(self, start: State, word: str, end: State, sentences: Sentences) -> None:
        """Add an edge, or more sentences to the edge that is there."""
        self.edges[start].setdefault((word, end), set()).update(sentences)


def lattice(trees: Sequence[Tree]) -> Lattice:
    """Merge the trees of equivalent sentences into a squeezed word lattice."""
    made = Lattice()
    _write(merge(trees), made, FIRST, LAST)
    _squeeze(made)
    return made


def alternatives(merged: Lattice, *, longest: int = 5) -> Iterator[dict[Words, int]]:
    """Yield the phrases between every two states, of at most ``longest`` words.

    Every phrase comes with the number of sentences on the least used edge of its path;
    a phrase that combines words of several sentences need not be in any of them.
    """
    for start in list(merged.edges):
        between: dict[State, dict[Words, int]] = defaultdict(dict)
        for words, end, said in _paths(merged, start, longest):
            between[end][words] = max(said, between[end].get(words, 0))
        yield from between.values()


def _write(node: Node, made: Lattice, start: State, end: State) -> None:
    for word, sentences in node.words.items():
        made.add(start, word, end, sentences)
    for expansion in node.expansions:
        here = start
        for index, child in enumerate(expansion.children, start=1):
            there = end if index == len(expansion.children) else made.states
            made.states += there != end
            _write(child, made, here, there)
            here = there


def _paths(
    merged: Lattice, start: State, longest: int
) -> Iterator[tuple[Words, State, int]]:
    everyone = 1 << 30
    ways: dict[State, dict[Words, int]] = {start: {(): everyone}}
    for _ in range(longest):
        longer: dict[State, dict[Words, int]] = defaultdict(dict)
        for state, phrases in ways.items():
            for (word, end), sentences in merged.edges.get(state, {}).items():
                for words, said in phrases.items():
                    step, count = (*words, word), min(said, len(sentences))
                    longer[end][step] = max(count, longer[end].get(step, 0))
        ways = {end: _most_said(phrases) for end, phrases in longer.items()}
        for end, phrases in ways.items():
            yield from ((words, end, said) for words, said in phrases.items())


def _most_said(phrases: dict[Words, int]) -> dict[Words, int]:
    if len(phrases) <= MOST_WAYS:
        return phrases
    order = sorted(phrases.items(), key=lambda item: (-item[1], item[0]))
    return dict(order[:MOST_WAYS])


def _squeeze(made: Lattice) -> None:
    while _squeeze_once(made):
        pass


def _squeeze_once(made: Lattice) -> bool:
    """Merge two states that share a word from one state or to one state.

    Returns whether there were any.
    """
    for first, second in _twins(made):
        if not (_reaches(made, first, second) or _reaches(made, second, first)):
            _unite(made, min(first, second), max(first, second))
            return True
    return False


def _twins(made: Lattice) -> Iterator[tuple[State, State]]:
    entering: dict[tuple[State, str], State] = {}
    for start, edges in made.edges.items():
        leaving: dict[str, State] = {}
        for word, end in edges:
            if word in leaving:
                yield leaving[word], end
            leaving[word] = end
            if (end, word) in entering:
                yield entering[end, word], start
            entering[end, word] = start


def _unite(made: Lattice, kept: State, dropped: State) -> None:
    for (word, end), sentences in made.edges.pop(dropped, {}).items():
        made.add(kept, word, end, sentences)
    for start in list(made.edges):
        edges = made.edges[start]
        for word, end in list(edges):
            if end == dropped:
                made.add(start, word, kept, edges.pop((word, end)))


def _reaches(made: Lattice, start: State, goal: State) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        state = waiting.pop()
        if state == goal:
            return True
        ends = {end for _, end in made.edges.get(state, {})} - seen
        seen |= ends
        waiting += ends
    return False
