"""The same seed gives the same text, whatever is rewritten beside it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paraphrast
from paraphrast.judges.judge import load
from paraphrast.judges.rows import Counts, Row, judge_rows
from paraphrast.storage.ctranslate2_model import make_batches

PACK = Path(__file__).parent / "packs" / "neural-1"
WORDS = "you are late again and do you love me or have you horses today Romeo"
TOY = [
    " ".join(WORDS.split()[start : start + length])
    for length in (4, 5, 9)
    for start in range(7)
][:20]
PLAIN = [
    "Where were you last night?",
    "I do not know.",
    "The baker gave her a loaf of bread and would not take any money for it.",
    "She opened the door, and the cold wind blew out the candle on the table.",
    "You should not have told him the secret.",
    "We waited.",
    "My brother has lived in that old house by the river since our father died.",
    "Do you think that it will rain before we come to the village?",
    "He said that he had never seen so many people in one place in all his life.",
    "Come here.",
    "It was raining a little, and the leaves were yellow.",
    "I think you are wrong about this.",
    "They went home early because the road was dark.",
    "Nobody could tell me where the key was.",
    "If you want to speak with the king, you must wait until he has eaten.",
    "Her garden was the best in town for forty years.",
    "Tell me the truth.",
    "The old man was mending a pair of shoes when we came into the room.",
    "Your friends looked for you everywhere.",
    "I have three letters to write before the post leaves this evening.",
]


@pytest.mark.parametrize("number", [1, 3])
def test_a_batch_gives_what_its_texts_give_alone(number):
    old = paraphrast.load("old", pack=PACK)
    texts = TOY if number == 1 else TOY[::3]
    together = old.rewrite(texts, n=number, seed=3)
    assert together == [old.rewrite(text, n=number, seed=3) for text in texts]
    assert together[::-1] == old.rewrite(texts[::-1], n=number, seed=3)


@pytest.mark.bundled
def test_the_bundled_pack_gives_the_same_in_a_batch_and_alone():
    rewriter = paraphrast.load("shakespeare")
    together = [result.text for result in rewriter.rewrite(PLAIN)]
    assert together == [rewriter.rewrite(text).text for text in PLAIN]


def test_the_first_alternative_equals_a_single_rewrite():
    old = paraphrast.load("old", pack=PACK)
    for text in TOY[:6]:
        assert old.rewrite(text, n=4)[0].text == old.rewrite(text).text


def test_judgments_of_a_batch_equal_those_of_its_rows_alone():
    rows = [Row(text, source=PLAIN[-1 - number]) for number, text in enumerate(PLAIN)]

    def judge(rows):
        return list(judge_rows(load(Path("small")), rows, Counts(), to="formal"))

    assert judge(rows) == [record for row in rows for record in judge([row])]


def test_every_destination_gets_the_same_text(run, tmp_path):
    path, target = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_text("".join(f"{text}\n" for text in TOY))
    command = ("rewrite", "--pack", PACK, "--to", "old", path)
    _, printed, _ = run(*command)
    assert run(*command, "-o", target)[0] == 0
    assert target.read_text() == printed


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=40))
def test_a_batch_has_one_shape_and_bounded_size(shapes):
    batches = list(make_batches(shapes, 64))
    assert sorted(i for _, own in batches for i in own) == list(range(len(shapes)))
    for shape, own in batches:
        assert {shapes[index] for index in own} == {shape}
        assert len(own) == 1 or sum(shape) * len(own) <= 64
