"""Synchronous grammar rules from word-aligned trees (Cohn & Lapata 2007).

COHN08 §4: constituents of the two trees are aligned when the words under them are
linked to each other and to nothing else. A pair of aligned constituents gives rules:
all in words, and generalised by putting numbered variables for aligned constituents
inside it (Figure 5)::

    NP -> <the capital of France, France 's capital>
    NP -> <the NN1 of NP2, NP2 's NN1>

A constituent of the source that has no links at all is deleted; in a generalised rule
it is written as its category without a number. Pairs with two identical sides are left
out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from paraphrast.align.base import Link
from paraphrast.paraphrases.syntax.tags import is_keyword
from paraphrast.paraphrases.syntax.treebank import ParsedPair
from paraphrast.paraphrases.syntax.trees import (
    Constituent,
    Tree,
    children_of,
    constituents,
)

LONGEST = 6
# A rule of more variables is a sentence pattern seen once.
MOST_VARIABLES = 4
KINDS = ("lexical", "structural", "reordering", "deletion")


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """A word (``text``), or a category with a number (0 for a deleted one)."""

    text: str
    variable: int | None = None

    def __str__(self) -> str:
        """Return the word, or the category and its number."""
        return f"{self.text}{self.variable or ''}"


Side: TypeAlias = tuple[Symbol, ...]


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """``source_label`` and ``target_label`` expand into the two sides together."""

    source_label: str
    target_label: str
    source: Side
    target: Side

    def __str__(self) -> str:
        """Return the rule as the paper writes it."""
        source, target = self.source_label, self.target_label
        left = source if source == target else f"<{source}, {target}>"
        sides = (" ".join(map(str, side)) for side in (self.source, self.target))
        return f"{left} -> <{', '.join(sides)}>"

    @property
    def kind(self) -> str:
        """Return the kind, one of `KINDS`.

        A rule without variables is lexical; one that leaves out a constituent is a
        deletion; one whose variables change places is a reordering; others with
        variables are structural.
        """
        numbers = [
            [symbol.variable for symbol in side if symbol.variable is not None]
            for side in (self.source, self.target)
        ]
        if 0 in numbers[0]:
            return "deletion"
        if numbers[0] != numbers[1]:
            return "reordering"
        return "structural" if numbers[0] else "lexical"


@dataclass(frozen=True, slots=True)
class CountedRule:
    """A rule, how often it was seen, and p(target side | source side, labels)."""

    rule: Rule
    count: int
    probability: float

    def __str__(self) -> str:
        """Return count, probability, kind and rule, separated by tabs."""
        rule = self.rule
        return f"{self.count}\t{self.probability:.4f}\t{rule.kind}\t{rule}"

    def record(self) -> dict[str, object]:
        """Return the rule as a record for JSON."""
        return {
            "source_label": self.rule.source_label,
            "target_label": self.rule.target_label,
            "source": [str(symbol) for symbol in self.rule.source],
            "target": [str(symbol) for symbol in self.rule.target],
            "kind": self.rule.kind,
            "count": self.count,
            "probability": self.probability,
        }


Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Aligned:
    """Two constituents whose words are linked to each other and nothing else."""

    source: Constituent
    target: Constituent


def rules(pairs: Iterable[ParsedPair], *, longest: int = LONGEST) -> list[CountedRule]:
    """Count the rules of aligned sentence pairs with their trees, commonest first.

    ``longest`` bounds the symbols on either side of a rule.
    """
    counts: Counter[Rule] = Counter()
    for parsed in pairs:
        counts.update(extract(parsed, longest=longest))
    totals: Counter[tuple[str, str, Side]] = Counter()
    for rule, count in counts.items():
        totals[rule.source_label, rule.target_label, rule.source] += count
    result = [
        CountedRule(
            rule,
            count,
            count / totals[rule.source_label, rule.target_label, rule.source],
        )
        for rule, count in counts.items()
    ]
    return sorted(result, key=lambda counted: (-counted.count, str(counted.rule)))


def extract(parsed: ParsedPair, *, longest: int = LONGEST) -> set[Rule]:
    """Return the rules of one sentence pair; words are in lower case."""
    pair = parsed.pair
    aligned = list(_align_constituents(parsed.source, parsed.target, pair.links))
    tight = _best(part for part in aligned if _tight(part, pair.links))
    linked = {link.source for link in pair.links}
    result: set[Rule] = set()
    for span, head in _best(aligned).items():
        if head.source.tree.label != head.target.tree.label and span not in tight:
            continue
        inner = [part for part in _topmost(head, tight) if not _is_constant(part)]
        for variables in _choices(inner):
            result.add(_rule(head, variables, set(range(head.source.end))))
            result.add(_rule(head, variables, linked))
    return {rule for rule in result if _is_informative(rule, longest)}


def _align_constituents(
    source: Tree, target: Tree, links: Sequence[Link]
) -> Iterator[_Aligned]:
    """Yield all pairs of constituents that fit, from the top of the source down."""
    there = list(constituents(target))
    for here in constituents(source):
        for other in there:
            if _fit(here, other, links):
                yield _Aligned(here, other)


def _best(aligned: Iterable[_Aligned]) -> dict[Span, _Aligned]:
    """Return for each source span the pair of equal labels, or the smallest one."""
    result: dict[Span, _Aligned] = {}
    for part in aligned:
        span = _span(part.source)
        if span not in result or _rank(part) < _rank(result[span]):
            result[span] = part
    return result


def _rank(part: _Aligned) -> tuple[bool, int]:
    differ = part.source.tree.label != part.target.tree.label
    return differ, part.target.end - part.target.start


def _tight(part: _Aligned, links: Sequence[Link]) -> bool:
    """Say whether the outermost words of both sides are linked."""
    sources = {link.source for link in links}
    targets = {link.target for link in links}
    return sources.issuperset(
        (part.source.start, part.source.end - 1)
    ) and targets.issuperset((part.target.start, part.target.end - 1))


def _fit(here: Constituent, there: Constituent, links: Sequence[Link]) -> bool:
    """Say whether links connect the two and none leaves either."""
    joined = False
    for link in links:
        inside = here.start <= link.source < here.end
        if inside != (there.start <= link.target < there.end):
            return False
        joined |= inside
    return joined


def _topmost(head: _Aligned, aligned: Mapping[Span, _Aligned]) -> Iterator[_Aligned]:
    """Yield the highest aligned constituents inside a pair of them."""
    waiting = list(children_of(head.source))[::-1]
    while waiting:
        here = waiting.pop()
        result = aligned.get((here.start, here.end))
        if (
            result
            and _inside(result.source, head.source)
            and _inside(result.target, head.target)
        ):
            yield result
        else:
            waiting += list(children_of(here))[::-1]


def _inside(part: Constituent, whole: Constituent) -> bool:
    return (
        whole.start <= part.start
        and part.end <= whole.end
        and part.end - part.start < whole.end - whole.start
    )


def _is_constant(part: _Aligned) -> bool:
    """Say whether a side is a function word or punctuation, which rules keep."""
    words = part.source.tree.word, part.target.tree.word
    return any(word and not is_keyword(word) for word in words)


def _choices(inner: Sequence[_Aligned]) -> Iterator[list[_Aligned]]:
    """Yield the sets of constituents to put variables for, none and all among them."""
    if len(inner) > MOST_VARIABLES:
        yield []
        return
    for chosen in product((False, True), repeat=len(inner)):
        yield [part for part, taken in zip(inner, chosen, strict=True) if taken]


def _rule(head: _Aligned, variables: Sequence[_Aligned], linked: set[int]) -> Rule:
    """Make a rule; source constituents with no word in ``linked`` are deleted ones."""
    ours: dict[Span, Symbol] = {}
    theirs: dict[Span, Symbol] = {}
    for number, part in enumerate(variables, start=1):
        ours[_span(part.source)] = Symbol(part.source.tree.label, number)
        theirs[_span(part.target)] = Symbol(part.target.tree.label, number)
    return Rule(
        head.source.tree.label,
        head.target.tree.label,
        tuple(_side(head.source, ours, linked)),
        tuple(_side(head.target, theirs, set(range(head.target.end)))),
    )


def _side(
    node: Constituent, variables: Mapping[Span, Symbol], linked: set[int]
) -> Iterator[Symbol]:
    span = _span(node)
    if span in variables:
        yield variables[span]
    elif linked.isdisjoint(range(*span)) and any(map(is_keyword, node.tree.words())):
        yield Symbol(node.tree.label, 0)
    elif node.tree.word:
        yield Symbol(node.tree.word.lower())
    else:
        for child in children_of(node):
            yield from _side(child, variables, linked)


def _span(node: Constituent) -> Span:
    return node.start, node.end


def _is_informative(rule: Rule, longest: int) -> bool:
    """Say whether a rule is short enough, and its sides differ and say something."""
    sides = rule.source, rule.target
    if max(map(len, sides)) > longest:
        return False
    source, target = ([symbol.variable or symbol.text for symbol in s] for s in sides)
    return source != target and all(any(map(_has_content, side)) for side in sides)


def _has_content(symbol: Symbol) -> bool:
    return bool(symbol.variable) or any(letter.isalnum() for letter in symbol.text)
