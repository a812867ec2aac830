"""Pieces of text without a model's library, and the same as with it."""

import json

import pytest

import neural_toy as toy
from paraphrast.errors import ParaphrastError
from paraphrast.text import subwords

UNIGRAM = {
    "added_tokens": [{"id": 0, "content": "</s>", "special": True}],
    "pre_tokenizer": {"type": "Metaspace"},
    "model": {
        "type": "Unigram",
        "unk_id": 1,
        "vocab": [
            ["</s>", 0.0],
            ["<unk>", 0.0],
            ["▁", -3.0],
            ["▁th", -2.0],
            ["▁the", -2.5],
            ["e", -4.0],
            ["t", -4.0],
            ["h", -4.0],
            ["/", -4.0],
        ],
    },
}
ODD = ["", "a b", "don't we'll -- !!", "日本 zzz", "12 and 345", "it's\tÜnï ﬁne 😀"]


def unigram(tmp_path):
    (tmp_path / "tokenizer.json").write_text(json.dumps(UNIGRAM))
    return subwords.load(tmp_path)


def test_the_most_probable_tokens_win(tmp_path):
    assert unigram(tmp_path).encode("the th") == ["▁the", "▁th"]


def test_unknown_letters_side_by_side_are_one_piece(tmp_path):
    found = unigram(tmp_path)
    assert found.encode("qqt") == ["▁", "qq", "t"]
    assert found.ids(["▁", "qq"]) == [2, 1]


def test_the_name_of_a_special_token_is_only_text(tmp_path):
    found = unigram(tmp_path)
    assert "</s>" not in found.encode("the </s>")
    assert found.decode(["▁the", "</s>"]) == "the"


def test_a_word_of_any_length_is_cut_in_bounded_slices(tmp_path):
    assert "".join(unigram(tmp_path).encode("t" * 5000)) == "▁" + "t" * 5000


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"model": {"type": "WordPiece", "vocab": {}}}', '{"model": {}}'],
)
def test_an_invalid_tokenizer_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(ParaphrastError, match=r"tokenizer\.json") as error:
        subwords.load(path)
    assert "\n" not in str(error.value)


@pytest.mark.train
@pytest.mark.parametrize("kind", ["unigram", "byte_level"])
def test_tokens_are_those_of_the_tokenizers_library(tmp_path, kind):
    theirs = getattr(toy, kind)(tmp_path / "tokenizer.json")
    ours = subwords.load(tmp_path)
    for text in toy.TEXTS + ODD:
        # Ours takes a text as standing inside a line.
        given = f" {text}" if kind == "byte_level" and text else text
        expected = theirs.encode(given)
        assert ours.encode(text) == expected.tokens
        assert ours.ids(ours.encode(text)) == expected.ids


@pytest.mark.train
@pytest.mark.parametrize("kind", ["unigram", "byte_level"])
def test_tokens_join_to_the_text(tmp_path, kind):
    getattr(toy, kind)(tmp_path / "tokenizer.json")
    ours = subwords.load(tmp_path)
    for text in toy.TEXTS:
        assert ours.decode(ours.encode(text)) == text
