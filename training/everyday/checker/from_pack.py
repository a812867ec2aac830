"""A checker as training reads it, from a pack that ships: its 8 bits become 32 again.

It scores a pair as the pack's encoder alone does, nearly: that computes in 8 bits. So
the guard that ships can filter many rewrites on a GPU.

Run    python -m training.everyday.checker.from_pack --pack FOLDER -o FOLDER
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers

from paraphrast.neural.candidates.checker import FOLDER, HEAD, VOCABULARY
from paraphrast.storage import ctranslate2_weights
from paraphrast.storage.ctranslate2_model import WEIGHTS
from paraphrast.storage.ctranslate2_weights import Weights
from training.everyday import from_pack

EMBEDDINGS = {
    "encoder/embeddings_0/weight": "word_embeddings",
    "encoder/embeddings_1/weight": "token_type_embeddings",
    "encoder/position_encodings/encodings": "position_embeddings",
}
LINEAR = {
    "self_attention/linear_1": "attention.output.dense",
    "ffn/linear_0": "intermediate.dense",
    "ffn/linear_1": "output.dense",
}
NORMS = {
    "self_attention/layer_norm": "attention.output.LayerNorm",
    "ffn/layer_norm": "output.LayerNorm",
}


def rename_weights(weights: Weights) -> Iterator[tuple[str, Any]]:
    """Yield the encoder's weights in 32 bits by their names in transformers' BERT."""
    for name, own in EMBEDDINGS.items():
        yield f"bert.embeddings.{own}.weight", weights.dense(name)
    for part, name in (
        ("gamma", "bert.embeddings.LayerNorm.weight"),
        ("beta", "bert.embeddings.LayerNorm.bias"),
    ):
        yield name, weights.dense(f"encoder/layernorm_embedding/{part}")
    for part in ("weight", "bias"):
        yield f"bert.pooler.dense.{part}", weights.dense(f"pooler_dense/{part}")
    for layer in range(count_layers(weights)):
        here, there = f"encoder/layer_{layer}", f"bert.encoder.layer.{layer}"
        for part in ("weight", "bias"):
            joined = weights.dense(f"{here}/self_attention/linear_0/{part}")
            for own, value in zip(
                ("query", "key", "value"), np.split(joined, 3), strict=True
            ):
                yield f"{there}.attention.self.{own}.{part}", value
            for name, own in LINEAR.items():
                yield f"{there}.{own}.{part}", weights.dense(f"{here}/{name}/{part}")
        for name, own in NORMS.items():
            yield f"{there}.{own}.weight", weights.dense(f"{here}/{name}/gamma")
            yield f"{there}.{own}.bias", weights.dense(f"{here}/{name}/beta")


def count_layers(weights: Weights) -> int:
    """Return the number of layers of an encoder."""
    return sum(name.endswith("/ffn/linear_0/weight") for name in weights.arrays)


def make_tokenizer(tokens: Sequence[str]) -> tokenizers.Tokenizer:
    """Return a tokenizer of text pairs with an uncased WordPiece vocabulary."""
    numbers = {token: number for number, token in enumerate(tokens)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.BertProcessing(
        ("[SEP]", numbers["[SEP]"]), ("[CLS]", numbers["[CLS]"])
    )
    return made


def restore(pack: Path, output: Path) -> None:
    """Write the folder of a pack's checker."""
    folder = pack / FOLDER
    weights = ctranslate2_weights.read(folder / WEIGHTS)
    tokens = json.loads((folder / VOCABULARY).read_text("utf-8"))
    state = dict(rename_weights(weights))
    with np.load(folder / HEAD) as arrays:
        state["classifier.weight"] = arrays["weight"][None]
        state["classifier.bias"] = arrays["bias"]
    places, width = state["bert.embeddings.position_embeddings.weight"].shape
    config = transformers.BertConfig(
        vocab_size=len(tokens), hidden_size=width, max_position_embeddings=places,
        num_hidden_layers=count_layers(weights),
        num_attention_heads=int(weights.arrays["encoder/num_heads"]),
        intermediate_size=len(weights.arrays["encoder/layer_0/ffn/linear_0/bias"]),
        pad_token_id=tokens.index("[PAD]"), num_labels=1,
    )  # fmt: skip
    model: Any = transformers.BertForSequenceClassification(config)
    model.load_state_dict(
        {
            name: torch.from_numpy(np.array(value, np.float32))
            for name, value in state.items()
        },
        strict=True,
    )
    model.save_pretrained(output)
    make_tokenizer(tokens).save(str(output / "tokenizer.json"))


if __name__ == "__main__":
    from_pack.run(restore, __doc__)
