"""A judge that matches words is made from the small one by a script."""

import sys

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.judges import judge as judges
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
    with pytest.MonkeyPatch.context() as patch:
        options = ["--mirror", str(folder), "-o", str(folder / "judge")]
        patch.setattr(sys, "argv", ["match_words", *options])
        match_words.main()
    return folder / "judge"


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


def test_lost_words_cost_more_than_under_cosine_alone(matched):
    sources, right, wrong = map(list, zip(*REWRITES, strict=True))
    costs = []
    for folder in (judges.SMALL, matched):
        similar = judges.load(folder, threads=1).similarity
        costs.append((similar(sources, right) - similar(sources, wrong)).mean())
    assert costs[1] > costs[0]


def test_matching_needs_a_vocabulary_of_words(matched):
    path = matched / "judge.json"
    path.write_text(path.read_text("utf-8").replace('"the"', '"nosuchword"'), "utf-8")
    with pytest.raises(ParaphrastError, match="nosuchword"):
        judges.load(matched)
