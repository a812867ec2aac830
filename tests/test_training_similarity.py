"""Sentence similarity by a small encoder, for selecting training data."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.train
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS += ["thou", "art", "my", "friend", "you", "are", "."]
LONG = "you are my friend . thou art my friend ."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a tiny BERT that was never trained."""
    import tokenizers
    import torch
    import transformers
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
def similarity(folder: Path) -> Any:
    from training.rewriter.similarity import Similarity

    return Similarity(folder, device="cpu")


def test_a_vector_is_the_mean_of_the_states_with_special_tokens(
    similarity: Any, folder: Path
) -> None:
    import torch
    import transformers

    model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False)
    with torch.inference_mode():
        states = model.eval()(torch.tensor([[2, 4, 5, 6, 7, 3]]))[0][0]
    mean = states.mean(0).numpy()
    expected = mean / np.linalg.norm(mean)
    # Filled up beside a longer text, it must come out the same.
    found = similarity.vectors(["thou art my friend", LONG])[0]
    assert found == pytest.approx(expected, abs=1e-6)


def test_cosines_are_computed_by_pair_and_are_1_for_copies(similarity: Any) -> None:
    sources, texts = ["you are", LONG, "you are"], ["you are", "thou", LONG]
    same, other, far = similarity.cosines(sources, texts)
    assert same == pytest.approx(1.0)
    assert 0 <= other < 1
    assert far == pytest.approx(similarity.cosines([LONG], ["you are"])[0])


def test_vectors_are_cached_until_forgotten(
    similarity: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    similarity.forget()
    before = similarity.vectors([LONG, "thou", LONG])
    monkeypatch.setattr(similarity, "_read", None)
    assert np.array_equal(similarity.vectors(["thou", LONG]), before[1:])
    similarity.forget()
    with pytest.raises(TypeError):
        similarity.vectors(["thou"])


def test_no_texts_and_empty_texts_have_vectors_too(similarity: Any) -> None:
    assert similarity.cosines([], []) == []
    assert similarity.vectors([]).shape == (0, 16)
    assert np.linalg.norm(similarity.vectors([""])) == pytest.approx(1)


def test_the_signature_is_that_of_the_weights(similarity: Any, folder: Path) -> None:
    weights = (folder / "model.safetensors").read_bytes()
    assert similarity.signature == hashlib.sha256(weights).hexdigest()
