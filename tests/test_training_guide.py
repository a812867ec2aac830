"""The guide: its scores of texts, and which texts the judge has read."""

# ruff: noqa: SIM905 - lists of words read best as text
import numpy as np
import pytest

from training.guide.data import plain, read_by_judge
from training.styles import STYLES

TEXTS = ["the king is dead .", "long live the king !", "he is", "the king is dead ."]


@pytest.fixture
def guide():
    import tokenizers
    import torch
    import transformers

    from training.guide import model

    torch.manual_seed(3)
    words = {word: n for n, word in enumerate("[UNK] the king is dead he .".split(), 1)}
    cut = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    cut.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    config = transformers.LlamaConfig(
        vocab_size=16, hidden_size=32, intermediate_size=64, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1,
    )  # fmt: skip
    network = model.add_heads(transformers.LlamaModel(config))
    return model.Guide(network, cut, device="cpu", signature="0")


@pytest.mark.train
def test_the_score_of_a_text_does_not_depend_on_its_batch(guide):
    together = guide.fluency(TEXTS)
    assert together[0] == together[3]
    guide.forget()
    assert guide.fluency([TEXTS[2]])[0] == pytest.approx(together[2], abs=1e-5)
    assert guide.fluency([TEXTS[2].upper()])[0] == pytest.approx(together[2], abs=1e-5)


@pytest.mark.train
def test_probabilities_and_likeness_lie_from_0_to_1(guide):
    styles = np.array([guide.style(TEXTS, style) for style in STYLES])
    assert (styles >= 0).all()
    eleven = guide.read(TEXTS)["style"]
    assert eleven.sum(axis=1) == pytest.approx(1, abs=1e-5)
    same = guide.meaning(TEXTS, TEXTS)
    assert same == pytest.approx([1] * 4, abs=2e-3)
    other = guide.meaning(TEXTS[:1], TEXTS[1:2])[0]
    assert 0 <= other < 1


def test_text_read_by_the_judge_is_recognised_by_its_letters(tmp_path):
    from paraphrast.text.wordpiece import WordPiece
    from training.judge.tables import Tables

    pieces = ["[PAD]", "[UNK]", "the", "king", "sle", "##eps", "cafe", ".", "he"]
    (tmp_path / "vocab.txt").write_text("\n".join([*pieces, ""]), "utf-8")
    tables = Tables(WordPiece(pieces))
    tables.add("style", ["The king sleeps.", "He sleeps"], [0, 0])
    tables.add("style_dev", ["The café sleeps."], [0])
    tables.save(tmp_path / "judge.npz")
    paths = tmp_path / "judge.npz", tmp_path / "vocab.txt"
    everything = read_by_judge(*paths)
    assert plain("the King, sleeps") in everything
    assert plain("The café sleeps!") in everything
    assert plain("He sleeps") not in everything  # two words are nobody's
    assert plain("The café sleeps!") not in read_by_judge(*paths, learnt=True)
