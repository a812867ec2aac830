"""The guide: its blocks of few bits, what it says of texts, and who has read what."""

# ruff: noqa: SIM905 - lists of words read best as text
import sys
from pathlib import Path

import numpy as np
import pytest

TRAINING = Path(__file__).parents[1] / "recipes/judges/training"
TEXTS = ["the king is dead .", "long live the king !", "he is", "the king is dead ."]


@pytest.fixture
def recipe(monkeypatch):
    monkeypatch.syspath_prepend(str(TRAINING))
    yield
    for name in ("guide", "smollm2", "measuring", "guide_data", "data", "styles"):
        sys.modules.pop(name, None)


@pytest.fixture
def guide(recipe):
    torch = pytest.importorskip("torch")
    tokenizers = pytest.importorskip("tokenizers")
    import guide as module
    import smollm2

    torch.manual_seed(3)
    words = {word: n for n, word in enumerate("[UNK] the king is dead he .".split(), 1)}
    cut = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    cut.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    network = module.made(smollm2.SmolLM2(1))
    return module.Guide(network, cut, device="cpu", signature="0")


@pytest.mark.train
def test_blocks_of_few_bits_are_what_they_were(recipe):
    pytest.importorskip("torch")
    import smollm2

    scale, least = np.float16(0.5), np.float16(-2)
    steps = np.arange(32, dtype=np.uint8) % 16
    packed = (steps[:16] | (steps[16:] << 4)).tobytes()
    block = np.array([scale, least]).tobytes() + packed
    four = np.frombuffer(block, np.uint8)[None]
    assert smollm2.whole("a|Q4_1", four)[0] == pytest.approx(steps * 0.5 - 2)
    weights = np.arange(-16, 16, dtype=np.int8)
    eight = np.frombuffer(scale.tobytes() + weights.tobytes(), np.uint8)[None]
    assert smollm2.whole("a|Q8_0", eight)[0] == pytest.approx(weights * 0.5)


@pytest.mark.train
def test_a_text_is_judged_alike_whatever_stands_beside_it(guide):
    together = guide.fluency(TEXTS)
    assert together[0] == together[3]
    guide.forget()
    assert guide.fluency([TEXTS[2]])[0] == pytest.approx(together[2], abs=1e-5)
    assert guide.fluency([TEXTS[2].upper()])[0] == pytest.approx(together[2], abs=1e-5)


@pytest.mark.train
def test_probabilities_and_likeness_lie_from_0_to_1(guide):
    import guide as module

    styles = np.array([guide.style(TEXTS, style) for style in module.STYLES])
    assert (styles >= 0).all()
    eleven = guide.read(TEXTS)["style"]
    assert eleven.sum(axis=1) == pytest.approx(1, abs=1e-5)
    same = guide.meaning(TEXTS, TEXTS)
    assert same == pytest.approx([1] * 4, abs=2e-3)
    other = guide.meaning(TEXTS[:1], TEXTS[1:2])[0]
    assert 0 <= other < 1


def test_what_the_judge_has_read_is_known_by_its_letters(recipe, tmp_path):
    from guide_data import plain, read_by_judge

    from paraphrast.judges.encoder.wordpiece import WordPiece
    from paraphrast.judges.training.examples import Tables

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
