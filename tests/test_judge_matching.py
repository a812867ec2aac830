"""A judge that matches words is made from the small one by a script."""

import json
import sys
from dataclasses import replace

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.judges import judge as judges
from paraphrast.judges.encoder.matching import load_change
from paraphrast.judges.encoder.models import EncoderSimilarity
from training.judge import match_words

PAIRS = [
    ("A man is playing a guitar.", "A man plays the guitar.", 4.8),
    ("A man is playing a guitar.", "A man is playing a flute.", 2.4),
    ("The cat sleeps on the sofa.", "A cat is asleep on a couch.", 4.4),
    ("The cat sleeps on the sofa.", "The stock market fell today.", 0.0),
    ("She closed the door quietly.", "She shut the door without a sound.", 4.6),
    ("She closed the door quietly.", "He opened the window.", 1.2),
    ("The train was late again.", "Again the train did not come on time.", 4.2),
    ("The train was late again.", "The soup is too salty.", 0.0),
]


@pytest.fixture(scope="module")
def matched(tmp_path_factory):
    folder = tmp_path_factory.mktemp("matching")
    (folder / "stsb").mkdir()
    lines = [f"{first},{second},{score}\n" for first, second, score in PAIRS]
    (folder / "stsb/stsb-en-train.csv").write_text("".join(lines), "utf-8")
    run(folder, folder / "judge")
    return folder / "judge"


def run(mirror, output, *more):
    with pytest.MonkeyPatch.context() as patch:
        options = ["--mirror", str(mirror), "-o", str(output), *more]
        patch.setattr(sys, "argv", ["match_words", *options])
        match_words.main()


def test_only_the_similarity_model_differs(matched):
    before, after = judges.load(judges.SMALL).hashes(), judges.load(matched).hashes()
    assert before.pop("similarity") != after.pop("similarity")
    assert before == after


REWRITES = [  # a source, a rewrite, and one that lost or changed a word
    (
        "You may feed the dog twice a day, but never give it chocolate.",
        "Feed the dog two times a day, but do not ever give it chocolate.",
        "Feed the dog two times a day, but do not ever give it food.",
    ),
    (
        "We close at five on Sunday, and the bakery opposite closes at noon.",
        "On Sunday we shut at five, and the bakery opposite shuts at noon.",
        "On Sunday we shut at five, and the office opposite shuts at noon.",
    ),
    (
        "My sister left her umbrella on the bus yesterday morning.",
        "My sister forgot her umbrella on the bus yesterday morning.",
        "My sister forgot her purse on the bus yesterday morning.",
    ),
    (
        "Please water the plants and feed the cat while we are away.",
        "While we are gone, please water the plants and feed the cat.",
        "While we are gone, please water the plants.",
    ),
]


ROLES = [  # a source, a rewrite, and one that has agent and patient exchanged
    ("The nurse thanked the doctor.", "The nurse gave the doctor her thanks."),
    ("Peter owes Anna money.", "Peter has a debt to Anna."),
    ("She told him the truth.", "The truth she told him."),
    ("The dog chased the cat.", "The dog ran after the cat."),
    ("You helped me yesterday.", "Yesterday you gave me help."),
]
EXCHANGED = [
    "The doctor gave the nurse her thanks.",
    "Anna has a debt to Peter.",
    "The truth he told her.",
    "The cat ran after the dog.",
    "Yesterday I gave you help.",
]


@pytest.fixture(scope="module")
def cosine():
    reader = judges.load(judges.SMALL, threads=1).similarity.reader
    return EncoderSimilarity(reader, match_words.COSINE_KNOTS)


def cost(similar, sources, right, wrong):
    return (similar(sources, right) - similar(sources, wrong)).mean()


def test_lost_words_cost_more_than_under_cosine_alone(cosine):
    sources, right, wrong = map(list, zip(*REWRITES, strict=True))
    small = judges.load(judges.SMALL, threads=1).similarity
    assert cost(small, sources, right, wrong) > cost(cosine, sources, right, wrong)


def test_exchanged_roles_cost_more_than_under_cosine_alone(cosine):
    sources, right = map(list, zip(*ROLES, strict=True))
    small = judges.load(judges.SMALL, threads=1).similarity
    ours, theirs = (cost(m, sources, right, EXCHANGED) for m in (small, cosine))
    assert ours > theirs + 0.02
    without = replace(small, matching=replace(small.matching, crossed=0.0))
    assert cost(without, sources, right, EXCHANGED) < ours


def test_the_learnt_matrix_tells_persons_apart():
    sources = ["I love you.", "We know them well.", "You have hurt me."]
    right = ["I love thee.", "They are well known to us.", "Thou hast hurt me."]
    wrong = ["Thou lovest me.", "We are well known to them.", "I have hurt thee."]
    small = judges.load(judges.SMALL, threads=1).similarity
    plain = replace(small, matching=replace(small.matching, change=None))
    ours = small.scores(sources, right) - small.scores(sources, wrong)
    theirs = plain.scores(sources, right) - plain.scores(sources, wrong)
    assert ours.mean() > theirs.mean() + 0.02


def test_a_changed_matrix_is_copied_and_named(matched, tmp_path):
    manifest = json.loads((matched / "judge.json").read_text("utf-8"))
    assert manifest["format"] == judges.MATCHING
    assert "file" not in manifest["parts"]["similarity"]["matching"]
    change = judges.SMALL / "words.arrays"
    run(matched.parent, tmp_path / "judge", "--change", str(change))
    found = judges.load(tmp_path / "judge").similarity.matching.change
    assert found.signature == load_change(change).signature
    learnt = json.loads((tmp_path / "judge/judge.json").read_text("utf-8"))["training"]
    assert learnt["similarity"].count("roles exchanged") == 1


def test_matching_needs_a_vocabulary_of_words(matched):
    path = matched / "judge.json"
    path.write_text(path.read_text("utf-8").replace('"the"', '"nosuchword"'), "utf-8")
    with pytest.raises(ParaphrastError, match="nosuchword"):
        judges.load(matched)
