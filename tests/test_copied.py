"""The rate of outputs that were copied from the training text."""

import importlib
import shutil
from pathlib import Path

import pytest

import paraphrast
from paraphrast.neural.candidates import memorisation
from paraphrast.storage import packs

ROOT = Path(__file__).parents[1]
PACK = Path(__file__).parent / "packs" / "neural-1"
TRAINING = [
    "It was the best of times, it was the worst of times, it was long ago.",
    "Call me what you will, my good old friend.",
    "Yes.",
]


@pytest.fixture
def script():
    return importlib.import_module("recipes.strap.copied")


def test_sentences_and_runs_are_counted_by_style(script, tmp_path):
    path = tmp_path / "outputs.tsv"
    path.write_text(
        "x\told\tWhere are you?\tcall me what you will my good old friend!\n"
        "x\told\tCall me that, my good old friend, what you will.\t"
        "Call me what you will, my good old friend.\n"
        "x\tnew\tHe left.\tHe said it was the best of times it was the worst of all.\n"
        "x\tnew\tSo be it.\tYes.\n"
    )
    found = script.measure(script.rows(path), TRAINING)
    assert found["rates"] == {
        "all": {"outputs": 4, "whole sentences": 0.25, "runs of 8 words": 0.75},
        "old": {"outputs": 2, "whole sentences": 0.5, "runs of 8 words": 1.0},
        "new": {"outputs": 2, "whole sentences": 0.0, "runs of 8 words": 0.5},
    }
    assert found["examples"][0]["source"] == "Where are you?"


def test_a_run_that_the_source_has_is_not_copied(script):
    row = script.Row(TRAINING[0], "Well, " + TRAINING[0])
    rates = script.measure([row], TRAINING)["rates"]["all"]
    assert rates == {"outputs": 1, "whole sentences": 0.0, "runs of 8 words": 0.0}


def test_a_pack_that_knows_its_training_text_does_not_recite_it(
    script, tmp_path, monkeypatch
):
    monkeypatch.setattr(memorisation, "FEWEST_WORDS", 5)
    pack = tmp_path / "toy"
    shutil.copytree(PACK, pack)
    source, target = "where are you going today?", "whither goest thou this day?"
    assert paraphrast.load("old", pack=pack).rewrite([source])[0].text == target
    assert script.add(pack, ["something else", "and more"]) == 2
    assert script.add(pack, [target]) == 3
    packs.verify(pack)
    found = paraphrast.load("old", pack=pack).rewrite([source])[0]
    assert found.text == source
    assert "recited" in found.why
