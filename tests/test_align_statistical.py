"""Aligners by name: they learn a toy lexicon, can be saved, and refuse bad models."""

import json
from dataclasses import replace

import pytest

from paraphrast import registry
from paraphrast.align.base import AlignedPair
from paraphrast.align.links import possible_cells
from paraphrast.align.statistical import Settings, hmm
from paraphrast.errors import ParaphrastError

NAMES = ["eflomal", "fast-align", "hmm", "ibm1", "ibm2", "ibm4"]
ANIMALS = {"dog": "hound", "cat": "kitten", "horse": "pony", "bird": "crow"}
VERBS = {"sees": "notices", "likes": "enjoys", "hears": "catches", "finds": "gets"}


def bitext():
    """Every animal with every verb: each word has one translation."""
    return [
        AlignedPair(
            ("a", animal, verb, other, "."),
            ("the", ANIMALS[animal], VERBS[verb], ANIMALS[other], "."),
        )
        for animal in ANIMALS
        for verb in VERBS
        for other in ANIMALS
        if other != animal
    ]


@pytest.fixture(scope="module")
def trained():
    return hmm.train(bitext())


def words(pair):
    return [(pair.source, pair.target)]


@pytest.mark.parametrize("name", NAMES)
def test_a_toy_bitext_is_learned(name):
    pairs = bitext()
    aligner = registry.find("aligners", name).train(pairs)
    result = aligner([(pair.source, pair.target) for pair in pairs])
    right = sum((i, i) in possible_cells(links) for links in result for i in (1, 2, 3))
    assert right / (3 * len(pairs)) > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_aligner_gives_the_links_of_the_saved_one(name, tmp_path):
    family = registry.find("aligners", name)
    aligner = family.train(bitext()[:12])
    aligner.save(tmp_path / "model")
    again = family.load(tmp_path / "model")
    pairs = [words(pair)[0] for pair in bitext()]
    assert again(pairs) == aligner(pairs)
    assert again.settings == aligner.settings


def test_a_seed_repeats_an_aligner():
    eflomal = registry.find("aligners", "eflomal")
    pairs = [words(pair)[0] for pair in bitext()]
    assert eflomal.train(bitext())(pairs) == eflomal.train(bitext())(pairs)


def test_the_lexicon_links_identical_words_even_new_ones(trained):
    pair = (("yes", "Zanzibar", "sees"), ("notices", "yes", "Zanzibar"))
    [links] = trained([pair])
    assert {(0, 1), (1, 2)} <= possible_cells(links)


def test_new_words_are_not_linked_without_a_lexicon(trained):
    alone = replace(hmm, settings=Settings(lexicon="none")).train(bitext()[:5])
    assert not alone.forward.src_word_exists("hound")
    assert trained.forward.src_word_exists("hound")


def test_case_is_ignored_unless_asked_for():
    pairs = [AlignedPair(("Dog",), ("Hound",)), AlignedPair(("dog",), ("hound",))]
    mixed = replace(hmm, settings=Settings(case="mixed")).train(pairs)
    assert mixed.forward.src_word_exists("Dog")
    assert not hmm.train(pairs).forward.src_word_exists("Dog")


def test_a_union_has_what_the_intersection_has(trained):
    pairs = [words(pair)[0] for pair in bitext()]
    more = replace(trained, settings=Settings(symmetrisation="union"))
    for few, many in zip(trained(pairs), more(pairs), strict=True):
        assert possible_cells(few) <= possible_cells(many)


@pytest.mark.parametrize("odd", ["a b", "NULL", "UNKNOWN_WORD", "", "\u2028", "|||"])
def test_odd_words_survive_saving(odd, tmp_path):
    family = replace(hmm, settings=Settings(case="mixed"))
    pairs = [*bitext(), *[AlignedPair((odd, "dog"), (odd, "hound"))] * 3]
    aligner = family.train(pairs)
    aligner.save(tmp_path / "model")
    asked = [((odd, "dog"), (odd, "hound"))]
    assert family.load(tmp_path / "model")(asked) == aligner(asked)
    assert possible_cells(aligner(asked)[0]) == {(0, 0), (1, 1)}


def test_empty_sides_have_no_links(trained):
    assert trained([((), ("a",)), (("a",), ()), ((), ())]) == [()] * 3


def test_too_long_a_pair_is_refused_by_number(trained):
    long = ("dog",) * (trained.longest + 1)
    with pytest.raises(ParaphrastError, match="^pair 2: hmm aligns up to 200 words"):
        trained([(("dog",), ("hound",)), (long, ("hound",))])


def test_training_needs_pairs():
    with pytest.raises(ParaphrastError, match="no sentence pair"):
        hmm.train([AlignedPair((), ("a",))])


def test_settings_are_checked():
    with pytest.raises(ValueError, match="grow-diag-final-and"):
        Settings(symmetrisation="grow")
    with pytest.raises(ValueError, match="iterations"):
        Settings(iterations=0)


@pytest.fixture
def saved(tmp_path):
    hmm.train(bitext()[:5]).save(tmp_path / "model")
    return tmp_path / "model"


def test_the_training_text_is_not_kept_in_the_model(saved):
    assert (saved / "forward.src").stat().st_size == 0


def test_a_model_of_another_format_is_refused(saved):
    manifest = json.loads((saved / "manifest.json").read_text("utf-8"))
    manifest |= {"format": 0, "paraphrast": "0.0.9"}
    (saved / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(ParaphrastError) as caught:
        hmm.load(saved)
    assert "format 0, but paraphrast" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_changed_model_is_refused(saved):
    with (saved / "forward.svcb").open("a") as file:
        file.write("x")
    with pytest.raises(ParaphrastError, match="forward.svcb has changed size"):
        hmm.load(saved)


def test_a_model_of_another_family_is_refused(saved):
    with pytest.raises(ParaphrastError, match="a model of 'hmm', not of 'eflomal'"):
        registry.find("aligners", "eflomal").load(saved)


def test_a_missing_model_is_refused_with_a_remedy(tmp_path):
    with pytest.raises(ParaphrastError, match="paraphrast align train hmm"):
        hmm.load(None)
    with pytest.raises(ParaphrastError, match="manifest.json cannot be read"):
        hmm.load(tmp_path)


def test_an_existing_folder_is_not_overwritten(saved):
    with pytest.raises(ParaphrastError, match="already exists"):
        hmm.train(bitext()[:5]).save(saved)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("a b", "b a", {(0, 1), (1, 0)}),
        ("The cat", "the cat", {(0, 0), (1, 1)}),
        # The first "the" goes with the run "the old dog", not with its own place.
        ("the old dog", "the cat saw the old dog", {(0, 3), (1, 4), (2, 5)}),
        ("x", "x x x", {(0, 0)}),
        ("", "a", set()),
    ],
)
def test_identity_links_identical_words_once(source, target, expected):
    aligner = registry.find("aligners", "identity").load(None)
    [links] = aligner([(tuple(source.split()), tuple(target.split()))])
    assert possible_cells(links) == expected


def test_identity_is_saved_and_loaded_like_the_others(tmp_path):
    family = registry.find("aligners", "identity")
    family.train([]).save(tmp_path / "model")
    assert family.load(tmp_path / "model") == family.load(None)
