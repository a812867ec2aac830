"""The scripts in recipes/strap/training: what they keep, repair and pack."""

import importlib
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "recipes" / "strap" / "training"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("You are late.", "You came too late.", ""),
        ("Montague!", "Boston!", "names and numbers"),
        ("I saw two men.", "I saw three men.", "names and numbers"),
        ("He left.", "She went away.", "persons"),
        ("You may go.", "You may not leave.", "negation"),
        ("Is it late?", "It is late.", "question"),
        ("Go on!", "go on", "same"),
        ("It's too hot.", "It is too hot.", "same"),
        ("", "Go on.", "marks"),
    ],
)
def test_a_pair_that_changes_the_meaning_is_dropped(script, source, target, reason):
    assert script("paraphrases").wrong(source, target) == reason


def test_names_are_exchanged_on_both_sides(script):
    paraphrases = script("paraphrases")
    pair = paraphrases.Candidate("made", "Tom left Mary.", "Mary was left by Tom.")
    made = paraphrases.renamed([pair], ["Ada", "Ben"], random.Random(1))
    source, target = made[0].split("\t")
    assert {source, target} in (
        {"Ada left Ben.", "Ben was left by Ada."},
        {"Ben left Ada.", "Ada was left by Ben."},
    )


def test_half_a_quotation_and_an_unended_verse_are_repaired(script):
    assert script("paraphrases").tidy('"go, he said;') == "Go, he said."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I do n't know , sir .", "I don't know, sir."),
        ("Say 'tis not so , a province", "Say 'tis not so, a province"),
        ("it 's `` but yet '' .", 'it\'s "but yet".'),
        ("Nothing to mend.", "Nothing to mend."),
    ],
)
def test_tokenised_text_is_spaced_as_people_do(script, text, expected):
    assert script("styles").spaced(text) == expected


def test_headings_and_fragments_are_not_fit(script):
    fit = script("styles").fit
    assert fit("He went home that night.")
    assert not fit("CHAPTER IV. The Storm")
    assert not fit("Too short")
    assert not fit("[Illustration of a man]")


def test_an_apostrophe_written_as_a_quotation_mark_is_repaired(script):
    repaired = script("backtranslate").repaired
    assert repaired('Parliament"s "Rules"') == 'Parliament\'s "Rules"'


def test_judge_guide_and_held_out_text_are_parted_by_hash(script):
    owner = script("splits").owner
    shares = [owner(f"text {number}") for number in range(2000)]
    assert 0.5 < shares.count("judge") / 2000 < 0.6
    assert 0.02 < shares.count("held out") / 2000 < 0.08


def test_offensive_words_are_found_as_words_and_stems(script):
    pattern = script("styles").words_of(FOLDER / "offensive.txt")
    assert pattern.search("What the FUCKING hell")
    assert not pattern.search("Scunthorpe assessed the class")


@pytest.mark.train
def test_a_model_travels_in_parts(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    model, parts, back = (tmp_path / name for name in ("model", "parts", "back"))
    model.mkdir()
    draw = np.random.default_rng(1)
    weights = {
        "rounded": (draw.integers(-99, 100, (200, 80)) * 0.5).astype(np.float32),
        "trained": draw.normal(size=(200, 80)).astype(np.float32),
        "norm": np.ones(8, np.float32),
    }
    safetensors.save_file(weights, model / "model.safetensors")
    (model / "config.json").write_text("{}")
    run = [sys.executable, FOLDER / "transport.py"]
    size = ["--part", "9000"]
    subprocess.run([*run, "pack", model, "m", *size, "-o", parts], check=True)
    subprocess.run([*run, "unpack", parts, "m", "-o", back], check=True)
    found = safetensors.load_file(back / "model.safetensors")
    assert len(list(parts.iterdir())) > 1
    assert (back / "config.json").read_text() == "{}"
    assert np.array_equal(found["rounded"], weights["rounded"])
    assert np.array_equal(found["norm"], weights["norm"])
    assert np.abs(found["trained"] - weights["trained"]).max() < 0.02
