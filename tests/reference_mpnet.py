"""MPNet (Song et al., 2020) written out in numpy, to hold the exported one against."""

import math

import numpy as np


def weights(seed=1, *, layers=2, hidden=8, heads=2, pieces=12, places=200):
    """Return random weights with the names of Hugging Face's MPNetModel."""
    draw = np.random.default_rng(seed)
    shapes = {
        "embeddings.word_embeddings.weight": (pieces, hidden),
        "embeddings.position_embeddings.weight": (places, hidden),
        "encoder.relative_attention_bias.weight": (32, heads),
    }
    linear = {}
    for number in range(layers):
        name = f"encoder.layer.{number}."
        linear |= {f"{name}attention.attn.{p}": (hidden, hidden) for p in "qkvo"}
        linear[f"{name}intermediate.dense"] = (2 * hidden, hidden)
        linear[f"{name}output.dense"] = (hidden, 2 * hidden)
        for part in ("attention.", "output."):
            shapes[f"{name}{part}LayerNorm.weight"] = (hidden,)
            shapes[f"{name}{part}LayerNorm.bias"] = (hidden,)
    shapes["embeddings.LayerNorm.weight"] = (hidden,)
    shapes["embeddings.LayerNorm.bias"] = (hidden,)
    for name, shape in linear.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return {n: draw.normal(size=s).astype(np.float32) for n, s in shapes.items()}


def states(arrays, ids, *, heads=2):
    """Return the states of one text's tokens, special ones too: (tokens, hidden)."""
    places = np.arange(len(ids)) + 2
    found = arrays["embeddings.word_embeddings.weight"][ids]
    found = found + arrays["embeddings.position_embeddings.weight"][places]
    found = _norm(found, arrays, "embeddings.LayerNorm")
    bias = arrays["encoder.relative_attention_bias.weight"][buckets(len(ids))]
    layers = 1 + max(int(n.split(".")[2]) for n in arrays if ".layer." in n)
    for number in range(layers):
        name = f"encoder.layer.{number}."
        attended = _attention(found, bias, arrays, f"{name}attention.attn.", heads)
        found = _norm(found + attended, arrays, f"{name}attention.LayerNorm")
        inner = _gelu(_linear(found, arrays, f"{name}intermediate.dense"))
        outer = _linear(inner, arrays, f"{name}output.dense")
        found = _norm(found + outer, arrays, f"{name}output.LayerNorm")
    return found


def buckets(length):
    """Return the relative-position bucket of each pair of tokens; near ones exactly."""
    found = np.zeros((length, length), int)
    for here in range(length):
        for there in range(length):
            size = abs(here - there)
            if size >= 8:
                size = min(15, 8 + int(math.log(size / 8) / math.log(16) * 8))
            found[here, there] = size + (16 if there > here else 0)
    return found


def _attention(found, bias, arrays, name, heads):
    length, hidden = found.shape
    size = hidden // heads
    query, key, value = (
        _linear(found, arrays, name + part).reshape(length, heads, size)
        for part in "qkv"
    )
    mixed = np.zeros((length, heads, size))
    for head in range(heads):
        scores = query[:, head] @ key[:, head].T / math.sqrt(size) + bias[:, :, head]
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        mixed[:, head] = chances @ value[:, head]
    return _linear(mixed.reshape(length, hidden), arrays, f"{name}o")


def _linear(found, arrays, name):
    return found @ arrays[f"{name}.weight"].T + arrays[f"{name}.bias"]


def _norm(found, arrays, name):
    apart = found - found.mean(axis=1, keepdims=True)
    spread = np.sqrt((apart**2).mean(axis=1, keepdims=True) + 1e-5)
    return apart / spread * arrays[f"{name}.weight"] + arrays[f"{name}.bias"]


def _gelu(values):
    below = np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))))
    return values * below(values)
