"""recipes/strap/training/nearness.py: vectors of meaning by a small encoder."""

import hashlib
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.train
TRAINING = Path(__file__).parents[1] / "recipes/strap/training"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS += ["thou", "art", "my", "friend", "you", "are", "."]
LONG = "you are my friend . thou art my friend ."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a tiny BERT that was never trained."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    import tokenizers
    from tokenizers import models, pre_tokenizers, processors

    path = tmp_path_factory.mktemp("tiny")
    numbers = {word: at for at, word in enumerate(WORDS)}
    cut = tokenizers.Tokenizer(models.WordLevel(numbers, unk_token="[UNK]"))
    cut.pre_tokenizer = pre_tokenizers.Whitespace()
    cut.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    cut.save(str(path / "tokenizer.json"))
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=32,
    )  # fmt: skip
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def nearness(folder: Path) -> Any:
    """Open it as the recipe's scripts do."""
    sys.path.insert(0, str(TRAINING))
    try:
        module = importlib.import_module("nearness")
        return module.Nearness(folder, device="cpu")
    finally:
        sys.path.remove(str(TRAINING))


def test_a_vector_is_the_mean_of_the_states_with_both_ends(
    nearness: Any, folder: Path
) -> None:
    import torch
    import transformers

    model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False)
    with torch.inference_mode():
        states = model.eval()(torch.tensor([[2, 4, 5, 6, 7, 3]]))[0][0]
    mean = states.mean(0).numpy()
    expected = mean / np.linalg.norm(mean)
    # Filled up beside a longer text, it must come out the same.
    found = nearness.vectors(["thou art my friend", LONG])[0]
    assert found == pytest.approx(expected, abs=1e-6)


def test_cosines_are_of_pairs_and_a_text_is_nearest_itself(nearness: Any) -> None:
    sources, texts = ["you are", LONG, "you are"], ["you are", "thou", LONG]
    same, other, far = nearness.similarity(sources, texts)
    assert same == pytest.approx(1.0)
    assert 0 <= other < 1
    assert far == pytest.approx(nearness.similarity([LONG], ["you are"])[0])


def test_what_was_read_is_not_read_again_until_it_is_forgotten(
    nearness: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    nearness.forget()
    before = nearness.vectors([LONG, "thou", LONG])
    monkeypatch.setattr(nearness, "_read", None)
    assert np.array_equal(nearness.vectors(["thou", LONG]), before[1:])
    nearness.forget()
    with pytest.raises(TypeError):
        nearness.vectors(["thou"])


def test_nothing_and_an_empty_text_have_vectors_too(nearness: Any) -> None:
    assert nearness.similarity([], []) == []
    assert nearness.vectors([]).shape == (0, 16)
    assert np.linalg.norm(nearness.vectors([""])) == pytest.approx(1)


def test_the_signature_is_that_of_the_weights(nearness: Any, folder: Path) -> None:
    weights = (folder / "model.safetensors").read_bytes()
    assert nearness.signature == hashlib.sha256(weights).hexdigest()
