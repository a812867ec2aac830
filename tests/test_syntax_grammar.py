"""Synchronous rules from aligned trees, as in COHN08 Figure 5."""

import pytest

from paraphrast.align.base import AlignedPair, Link
from paraphrast.paraphrases.syntax.grammar import extract, rules
from paraphrast.paraphrases.syntax.treebank import ParsedPair
from paraphrast.paraphrases.syntax.trees import parse_tree


def aligned(source, target, links, name=""):
    trees = parse_tree(source), parse_tree(target)
    cells = [link.split("-") for link in links.split()]
    result = tuple(Link(int(i), int(j)) for i, j in cells)
    pair = AlignedPair(trees[0].words(), trees[1].words(), result, name)
    return ParsedPair(pair, *trees)


CAPITAL = aligned(
    "(NP (NP (DT the) (NN capital)) (PP (IN of) (NP (NNP France))))",
    "(NP (NP (NNP France) (POS 's)) (NN capital))",
    "1-2 3-0",
)
# COHN08 §4, example 4: "also" becomes "moreover" and moves to the start.
ALSO = aligned(
    "(S (NP (PRP he)) (ADVP (RB also)) (VP (VBD resigned)) (. .))",
    "(S (ADVP (RB Moreover)) (, ,) (NP (PRP he)) (VP (VBD resigned)) (. .))",
    "0-2 1-0 2-3 3-4",
)
OLD = aligned(
    "(NP (DT the) (JJ old) (NN bridge))", "(NP (DT the) (NN crossing))", "0-0 2-1"
)


def written(case):
    return {str(rule) for rule in extract(case)}


def test_a_pair_gives_the_rule_in_words_and_all_ways_to_generalise_it():
    assert written(CAPITAL) == {
        "NP -> <the capital of france, france 's capital>",
        "NP -> <the NN1 of france, france 's NN1>",
        "NP -> <the capital of NNP1, NNP1 's capital>",
        "NP -> <the NN1 of NNP2, NNP2 's NN1>",
    }


def test_also_becomes_moreover_and_moves_to_the_start():
    result = written(ALSO)
    assert "S -> <NP1 also VP2 ., moreover , NP1 VP2 .>" in result
    assert "ADVP -> <also, moreover>" in result


def test_unlinked_constituents_are_deleted_by_category():
    result = written(OLD)
    assert "NP -> <the JJ NN1, the NN1>" in result
    assert "NP -> <the old NN1, the NN1>" in result
    assert "NN -> <bridge, crossing>" in result


def test_sides_that_read_the_same_give_no_rule():
    same = aligned("(NP (DT The) (NN sea))", "(NP (DT the) (NN sea))", "0-0 1-1")
    assert written(same) == set()


def test_constituents_linked_to_words_outside_are_not_aligned():
    crossed = aligned(
        "(S (NP (DT the) (NN cook)) (VP (VBZ sings)))",
        "(S (NP (DT a) (NN song)) (VP (VBZ sounds)))",
        "0-0 1-2 2-1",
    )
    assert not any(rule.startswith("NP") for rule in written(crossed))


@pytest.mark.parametrize(
    ("case", "rule", "kind"),
    [
        (CAPITAL, "NP -> <the capital of france, france 's capital>", "lexical"),
        (CAPITAL, "NP -> <the NN1 of NNP2, NNP2 's NN1>", "reordering"),
        (CAPITAL, "NP -> <the NN1 of france, france 's NN1>", "structural"),
        (OLD, "NP -> <the JJ NN1, the NN1>", "deletion"),
    ],
)
def test_rules_say_of_what_kind_they_are(case, rule, kind):
    assert {r.kind for r in extract(case) if str(r) == rule} == {kind}


def test_probabilities_are_shares_of_the_same_source_side():
    ties = aligned("(NP (NNS relations))", "(NP (NNS ties))", "0-0")
    links = aligned("(NP (NNS relations))", "(NP (NNS links))", "0-0")
    result = {str(r.rule): (r.count, r.probability) for r in rules([ties, ties, links])}
    assert result["NP -> <relations, ties>"] == (2, pytest.approx(2 / 3))
    assert result["NP -> <relations, links>"] == (1, pytest.approx(1 / 3))


def test_rules_stay_within_their_length():
    assert all(
        max(len(rule.source), len(rule.target)) <= 3
        for rule in extract(CAPITAL, longest=3)
    )
    assert len(extract(CAPITAL, longest=3)) == 0  # "the NN1 of NNP2" is four
