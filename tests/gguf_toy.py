"""A model of a few kilobytes that llama.cpp runs, and an adapter for it.

It knows single bytes, one pair and the chat markers; its weights are drawn at
random, so that what it writes is nonsense, but always the same.
"""

from pathlib import Path

import numpy as np

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MERGE = "t h"  # one at least must be
WIDTH, HEADS, LAYERS, INNER, CONTEXT = 64, 2, 2, 128, 1024


def byte_tokens() -> list[str]:
    """Return the characters by which byte-level vocabularies write the 256 bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    names = {byte: chr(byte) for byte in printable}
    names |= {byte: chr(256 + index) for index, byte in enumerate(others)}
    return [names[byte] for byte in range(256)]


def write_model(path: Path, seed: int = 1) -> None:
    import gguf

    random = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(str(path), "qwen2")
    tokens = [*byte_tokens(), MERGE.replace(" ", ""), *SPECIAL]
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10_000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 257 + [3] * len(SPECIAL))
    writer.add_token_merges([MERGE])
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_add_bos_token(False)

    def add(name, *shape):
        values = random.normal(0, 0.3, shape).astype(np.float32)
        writer.add_tensor(name, values)

    add("token_embd.weight", len(tokens), WIDTH)
    add("output.weight", len(tokens), WIDTH)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for layer in range(LAYERS):
        for part in ("attn_norm", "ffn_norm"):
            name = f"blk.{layer}.{part}.weight"
            writer.add_tensor(name, np.ones(WIDTH, np.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{part}.weight", WIDTH, WIDTH)
        for part in ("attn_q", "attn_k", "attn_v"):
            add(f"blk.{layer}.{part}.bias", WIDTH)
        add(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    _finish(writer)


def write_adapter(path: Path, seed: int = 2, rank: int = 32) -> None:
    """Write an adapter in 8 bits, as ours is."""
    import gguf

    random = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(str(path), "qwen2")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 2.0 * rank)
    kind = gguf.GGMLQuantizationType.Q8_0
    for layer in range(LAYERS):
        for side, shape in (("lora_a", (rank, WIDTH)), ("lora_b", (WIDTH, rank))):
            values = random.normal(0, 0.2, shape).astype(np.float32)
            writer.add_tensor(
                f"blk.{layer}.attn_q.weight.{side}",
                gguf.quants.quantize(values, kind),
                raw_dtype=kind,
            )
    _finish(writer)


def _finish(writer) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
