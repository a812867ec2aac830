"""A base model in parts: a smaller vocabulary, its low-bit blocks unchanged.

The teacher's base (Qwen2.5-Coder-1.5B-Instruct, Q4_K_M) knows 151,936 tokens, of which
our texts use a fifth; SmolLM2-135M-Instruct (Q4_1), a base for a student, 49,152. Kept
are the tokens that the given texts are cut into often enough, all that these are merged
from, every single byte, and what a chat needs; a text of kept tokens is cut as before,
and that is checked. The teacher's table of tokens (4 bits) and output layer (6 bits)
stay apart, as in the file that an adapter will meet later; SmolLM2 has one for both.

Writes ``teacher.00`` and on, parts of one safetensors file whose tensors are rows of
bytes, ``teacher.sha256``, and ``kept.json``, the old numbers of the kept tokens.

Run    python -m training.everyday.teacher.shrink --wheels FOLDER
              --text FILE... -o PARTS [--model smollm2 --least 12]
"""

import argparse
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from safetensors.numpy import save

from paraphrast.corpora import read_lines
from training import base_models
from training.everyday.teacher import blocks
from training.everyday.teacher.blocks import Blocks

MODEL = "qwen2.5-coder-1.5b"
FILES: Mapping[str, Callable[[Path], Path]] = {  # the GGUF file among unpacked wheels
    MODEL: base_models.join_qwen,
    "qwen2.5-coder-0.5b": base_models.join_qwen,
    "smollm2": lambda folder: next(folder.glob("*/*.gguf")),
}
NAME = "teacher"
LLAMA = "llama"
END, PADDING = "<|im_end|>", "<|endoftext|>"
SPECIAL = (PADDING, "<|im_start|>", END)
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LEVEL = {
    "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False,
    "use_regex": False,
}  # fmt: skip
_SPLIT = {
    "type": "Split", "pattern": {"Regex": WORDS}, "behavior": "Isolated",
    "invert": False,
}  # fmt: skip
# How texts are split into words, by the name of the pre-tokenizer in GGUF.
QWEN = "qwen2"
WAYS: Mapping[str, Mapping[str, Any]] = {
    QWEN: {"normalizer": {"type": "NFC"}, "pretokenizers": [_SPLIT, _LEVEL]},
    "smollm": {
        "normalizer": None,
        "pretokenizers": [
            {"type": "Digits", "individual_digits": True},
            _LEVEL | {"use_regex": True},
        ],
    },
}
TABLES = ("output.weight", "token_embd.weight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=sorted(FILES), default=MODEL)
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--text", type=Path, nargs="+", required=True)
    parser.add_argument("--least", type=int, default=3, help="times a token is used")
    parser.add_argument("--part", type=int, default=49_000_000)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base_models.unpack(options.model, options.wheels, Path(folder))
        shrink(*blocks.read_gguf(FILES[options.model](Path(folder))), options)


def shrink(
    said: Mapping[str, Any], tensors: Mapping[str, Blocks], options: argparse.Namespace
) -> None:
    """Write the parts of a model with the tokens that the texts need."""
    whole = read_tokenizer(said)
    texts = [text for path in options.text for text in read_lines(path)]
    table = prune_tokenizer(whole, choose_tokens(whole, texts, options.least))
    check_tokenizer(whole, table, texts[:: max(1, len(texts) // 50_000)])
    numbers = [whole["model"]["vocab"][token] for token in table["model"]["vocab"]]
    special = {token["content"]: token["id"] for token in whole["added_tokens"]}
    numbers += [special[token["content"]] for token in table["added_tokens"]]
    print(f"{len(numbers)} tokens of {len(said['tokenizer.ggml.tokens'])}")
    config = make_config(said, table, tied=TABLES[0] not in tensors)
    kept = restore_halves(prune_tensors(tensors, numbers), config)
    data = pack(kept, config, table)
    write_parts(data, options.output, options.part)
    (options.output / "kept.json").write_text(json.dumps(numbers))


def read_tokenizer(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``tokenizer.json`` that a GGUF file describes; it is byte-level."""
    tokens = said["tokenizer.ggml.tokens"]
    numbers = {token: number for number, token in enumerate(tokens)}
    kinds = said["tokenizer.ggml.token_type"]
    text = {p: n for p, n in numbers.items() if kinds[n] == 1 and p not in SPECIAL}
    merges = [merge.split(" ", 1) for merge in said["tokenizer.ggml.merges"]]
    special = [(token, numbers[token]) for token in SPECIAL]
    return make_tokenizer(text, merges, special, said["tokenizer.ggml.pre"])


def make_tokenizer(
    vocabulary: Mapping[str, int],
    merges: Sequence[Sequence[str]],
    special: Sequence[tuple[str, int]],
    way: str = QWEN,
) -> dict[str, Any]:
    """Return a ``tokenizer.json`` that splits words in one of the known ways."""
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": number, "content": token, "single_word": False, "lstrip": False,
             "rstrip": False, "normalized": False, "special": True}
            for token, number in special
        ],
        "normalizer": WAYS[way]["normalizer"],
        "pre_tokenizer": {
            "type": "Sequence", "pretokenizers": list(WAYS[way]["pretokenizers"])
        },
        "post_processor": None,
        "decoder": _LEVEL,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None,
            "continuing_subword_prefix": "", "end_of_word_suffix": "",
            "fuse_unk": False, "byte_fallback": False,
            "vocab": dict(vocabulary), "merges": [list(merge) for merge in merges],
        },
    }  # fmt: skip


def load_tokenizer(table: Mapping[str, Any]) -> tokenizers.Tokenizer:
    """Return a tokenizer that treats the names of special tokens as text."""
    result = tokenizers.Tokenizer.from_str(json.dumps(table))
    result.encode_special_tokens = True
    return result


def choose_tokens(
    whole: Mapping[str, Any], texts: Sequence[str], least: int
) -> set[str]:
    """Return the tokens used often enough, what they are merged from, and all bytes."""
    tokenizer, counts = load_tokenizer(whole), Counter[int]()
    for start in range(0, len(texts), 10_000):
        for lead in ("", " "):
            rows = [f"{lead}{text}" for text in texts[start : start + 10_000]]
            for encoding in tokenizer.encode_batch_fast(rows):
                counts.update(encoding.ids)
    names = {number: token for token, number in whole["model"]["vocab"].items()}
    used = [names[number] for number, count in counts.items() if count >= 2 * least]
    ranks = {tuple(pair): rank for rank, pair in enumerate(whole["model"]["merges"])}
    kept = {token for token in names.values() if len(token) == 1} | {"Ċ", "ĊĊ"}
    for token in used:
        kept |= find_merged(token, ranks)
    return kept


def find_merged(token: str, ranks: Mapping[tuple[str, ...], int]) -> set[str]:
    """Return a token and all intermediate tokens that it is merged from."""
    parts, result = list(token), {token}
    while len(parts) > 1:
        pairs = list(zip(parts, parts[1:], strict=False))
        rank, at = min((ranks.get(p, len(ranks)), i) for i, p in enumerate(pairs))
        if rank == len(ranks):
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        result.add(parts[at])
    return result


def prune_tokenizer(whole: Mapping[str, Any], kept: set[str]) -> dict[str, Any]:
    """Return the tokenizer with the kept tokens, numbered anew in their old order."""
    old = whole["model"]["vocab"]
    tokens = sorted((p for p in kept if p in old), key=old.__getitem__)
    vocabulary = {token: number for number, token in enumerate(tokens)}
    merges = [
        (left, right)
        for left, right in whole["model"]["merges"]
        if left in vocabulary and right in vocabulary and left + right in vocabulary
    ]
    special = [(token, len(tokens) + at) for at, token in enumerate(SPECIAL)]
    same = ("normalizer", "pre_tokenizer")
    return make_tokenizer(vocabulary, merges, special) | {k: whole[k] for k in same}


def check_tokenizer(
    whole: Mapping[str, Any], table: Mapping[str, Any], texts: Sequence[str]
) -> None:
    """Stop unless texts of kept tokens are tokenised as before; print their number."""
    before, after = load_tokenizer(whole), load_tokenizer(table)
    same = 0
    vocabulary = set(table["model"]["vocab"])
    for text in texts:
        tokens = before.encode(text).tokens
        if tokens == after.encode(text).tokens:
            same += 1
        elif vocabulary >= set(tokens):
            raise SystemExit(f"cut otherwise than before: {text}")
    print(f"{same} of {len(texts)} texts are cut as before")


def prune_tensors(
    tensors: Mapping[str, Blocks], numbers: Sequence[int]
) -> dict[str, Blocks]:
    """Return the tensors by their names in transformers, with the kept rows only."""
    result = {}
    for name, tensor in tensors.items():
        wanted = tensor
        if name in TABLES:
            shape = (len(numbers), *tensor.shape[1:])
            wanted = Blocks(tensor.kind, shape, tensor.data[list(numbers)])
        result[blocks.to_hugging_face_name(name)] = wanted
    return result


def restore_halves(
    tensors: Mapping[str, Blocks], config: Mapping[str, Any]
) -> dict[str, Blocks]:
    """Return the tensors with queries and keys in transformers' order.

    A Llama's file has the two halves of every head's rows interleaved.
    """
    if config["model_type"] != LLAMA:
        return dict(tensors)
    result = dict(tensors)
    for name, tensor in tensors.items():
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            rows = tensor.data.reshape(
                -1, config["head_dim"] // 2, 2, tensor.data.shape[1]
            )
            data = rows.swapaxes(1, 2).reshape(tensor.data.shape)
            result[name] = Blocks(tensor.kind, tensor.shape, data)
    return result


def make_config(
    said: Mapping[str, Any], table: Mapping[str, Any], *, tied: bool = False
) -> dict[str, Any]:
    """Return the sizes of the model by their names in transformers."""
    special = {token["content"]: token["id"] for token in table["added_tokens"]}
    own = said["general.architecture"]
    wide, heads = said[f"{own}.embedding_length"], said[f"{own}.attention.head_count"]
    return {
        "model_type": own,
        "vocab_size": len(table["model"]["vocab"]) + len(special),
        "hidden_size": wide,
        "intermediate_size": said[f"{own}.feed_forward_length"],
        "num_hidden_layers": said[f"{own}.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": said[f"{own}.attention.head_count_kv"],
        "head_dim": wide // heads,
        "rope_theta": said[f"{own}.rope.freq_base"],
        "rms_norm_eps": said[f"{own}.attention.layer_norm_rms_epsilon"],
        "tie_word_embeddings": tied,
    }


def pack(
    tensors: Mapping[str, Blocks],
    configured: Mapping[str, Any],
    table: Mapping[str, Any],
) -> bytes:
    """Return one safetensors file with everything."""
    files = {"config.json": configured, "tokenizer.json": table}
    arrays = {
        f"file|{name}": np.frombuffer(
            json.dumps(what, ensure_ascii=False).encode(), np.uint8
        )
        for name, what in files.items()
    }
    arrays |= {name: np.ascontiguousarray(t.data) for name, t in tensors.items()}
    kinds = {name: [t.kind, list(t.shape)] for name, t in tensors.items()}
    return bytes(save(arrays, metadata={"kinds": json.dumps(kinds)}))


def write_parts(data: bytes, folder: Path, size: int) -> None:
    """Write the parts and their checksums."""
    folder.mkdir(parents=True, exist_ok=True)
    sums = []
    for number, start in enumerate(range(0, len(data), size)):
        part = folder / f"{NAME}.{number:02d}"
        part.write_bytes(data[start : start + size])
        sums.append(f"{hashlib.sha256(part.read_bytes()).hexdigest()}  {part.name}\n")
    (folder / f"{NAME}.sha256").write_text("".join(sums))
    print(f"{len(data)} bytes in {len(sums)} parts")


if __name__ == "__main__":
    main()
