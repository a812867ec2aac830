"""Probes make minimal pairs, and the same ones every time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.study.probes import MAKERS, make_probes
from text_strategies import ANY_TEXT

TEXTS = [
    "You must go to Verona with three men.",
    "I do not know him.",
    "He told Laertes that she loves him .",
    "You were seen in Mantua.",
]


def made(name, **settings):
    return dict(make_probes(TEXTS, **settings)[name].pairs)


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("case removed", TEXTS[0], "you must go to verona with three men."),
        ("punctuation removed", TEXTS[2], "He told Laertes that she loves him"),
        ("negation inserted", TEXTS[0], "You must not go to Verona with three men."),
        ("negation removed", TEXTS[1], "I do know him."),
        ("number changed", TEXTS[0], "You must go to Verona with eight men."),
        ("roles swapped", TEXTS[2], "He told Laertes that he loves her ."),
    ],
)
def test_exactly_one_thing_is_changed(name, text, changed):
    assert made(name)[text] == changed


def test_a_name_is_exchanged_for_another_name():
    swapped = made("name swapped")
    assert set(swapped) == {TEXTS[0], TEXTS[2], TEXTS[3]}
    assert swapped[TEXTS[3]].split()[-1] in {"Laertes.", "Verona."}


def test_a_text_without_anything_to_change_gives_no_pair():
    assert TEXTS[1] not in made("negation inserted")
    assert made("roles swapped").keys() == {TEXTS[2]}


def test_probes_are_the_same_for_one_seed_and_no_more_than_asked():
    assert make_probes(TEXTS, seed=3) == make_probes(TEXTS, seed=3)
    assert all(len(probe.pairs) <= 1 for probe in make_probes(TEXTS, most=1).values())
    other = make_probes(TEXTS, others=["Far away."])["other sentence"]
    assert {changed for _, changed in other.pairs} == {"Far away."}


@given(st.lists(ANY_TEXT, max_size=4))
def test_any_text_may_be_probed(texts):
    found = make_probes(texts)
    assert found.keys() == MAKERS.keys()
    assert all(a != b for probe in found.values() for a, b in probe.pairs)
