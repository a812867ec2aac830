"""Prune flan-t5-small's vocabulary to the tokens that our text uses, and check it.

Of the 32,100 tokens many are German, French or Romanian. Kept are the most frequent
tokens of the given texts, every single character of Latin text, and what tags and
placeholders need. A text whose tokens are all kept is tokenised as before, because the
best segmentation of a Unigram model stays the best when others are taken away; and
where the whole model writes kept tokens only, the pruned one writes the same. Both are
checked on sentences and printed.

Run    python -m training.rewriter.prune_vocabulary --base flan-t5-small \\
           --text FILE... --tokens 16000 -o FOLDER
Needs  torch, transformers
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers

from paraphrast.corpora import read_lines
from training.base_models import load_untied, save_untied
from training.styles import STYLES

SPECIAL = 3  # padding, end, unknown
SHOWN = "0123456789 zqx zqxx0q zqxx1q zqxxx2q 1600 1700 1800 1900 2000"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--text", type=Path, nargs="+", required=True)
    parser.add_argument("--tokens", type=int, default=14_000)
    parser.add_argument("--check", type=int, default=200, help="sentences")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    table = json.loads((options.base / "tokenizer.json").read_text("utf-8"))
    whole = tokenizers.Tokenizer.from_file(str(options.base / "tokenizer.json"))
    counts = count_tokens(whole, options.text)
    kept = choose_tokens(table, whole, counts, options.tokens)
    covered = sum(counts[number] for number in kept) / sum(counts.values())
    print(f"{len(kept)} tokens, {covered:.5%} of {sum(counts.values())} in the texts")
    options.output.mkdir(parents=True, exist_ok=True)
    write(options.base, table, kept, options.output)
    check(options, kept)


def count_tokens(whole: Any, paths: list[Path]) -> Counter[int]:
    """Count the tokens of the texts; a tab separates the texts of a line."""
    counts: Counter[int] = Counter()
    for path in paths:
        texts = [text for line in read_lines(path) for text in line.split("\t")]
        for start in range(0, len(texts), 4096):
            result = whole.encode_batch(
                texts[start : start + 4096], add_special_tokens=False
            )
            for encoding in result:
                counts.update(encoding.ids)
    return counts


def choose_tokens(table: Any, whole: Any, counts: Counter[int], most: int) -> list[int]:
    """Return the numbers of the tokens to keep, in their order."""
    names = [token for token, _ in table["model"]["vocab"]]
    kept = set(range(SPECIAL))
    kept |= {index for index, name in enumerate(names) if plain(name)}
    for text in (*(f"{style}: " for style in STYLES), *SHOWN.split()):
        kept |= set(whole.encode(text, add_special_tokens=False).ids)
    for number, _ in counts.most_common():
        if len(kept) >= most:
            break
        if not names[number].startswith("<extra_id"):
            kept.add(number)
    return sorted(kept)


def plain(name: str) -> bool:
    """Return whether a token is one Latin character, with or without a space."""
    bare = name.removeprefix("\u2581")
    return len(bare) <= 1 and (not bare or ord(bare) < 0x180 or bare in "‘’“”–—…€")


def write(base: Path, table: Any, kept: list[int], output: Path) -> None:
    """Write the pruned tokenizer and model."""
    vocabulary = table["model"]["vocab"]
    table["model"]["vocab"] = [vocabulary[number] for number in kept]
    table["added_tokens"] = [t for t in table["added_tokens"] if t["id"] < SPECIAL]
    text = json.dumps(table, ensure_ascii=False)
    (output / "tokenizer.json").write_text(text, "utf-8")
    settings = json.loads((base / "tokenizer_config.json").read_text("utf-8"))
    for key in ("extra_special_tokens", "additional_special_tokens", "extra_ids"):
        settings.pop(key, None)
    (output / "tokenizer_config.json").write_text(json.dumps(settings, indent=1))
    model = load_untied(base)
    rows = torch.tensor(kept)
    tokens = torch.nn.Embedding(len(kept), model.config.d_model)
    tokens.weight.data = model.shared.weight.data[rows].clone()
    model.set_input_embeddings(tokens)
    head = torch.nn.Linear(model.config.d_model, len(kept), bias=False)
    head.weight.data = model.lm_head.weight.data[rows].clone()
    model.lm_head = head
    model.config.vocab_size = len(kept)
    save_untied(model, output)


def check(options: argparse.Namespace, kept: list[int]) -> None:
    """Compare tokenisation and greedy outputs of both models; stop if they differ."""
    whole, pruned = (
        tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        for folder in (options.base, options.output)
    )
    index = {number: at for at, number in enumerate(kept)}
    prompts = [f"Say the same in other words: {t}" for t in sentences(options)]
    inside = []
    for prompt in prompts:
        before = whole.encode(prompt).ids
        if all(number in index for number in before):
            if [index[number] for number in before] != pruned.encode(prompt).ids:
                raise SystemExit(f"cut differently: {prompt}")
            inside.append(prompt)
    written = [
        generate(load_untied(folder), tokenizer, inside)
        for folder, tokenizer in ((options.base, whole), (options.output, pruned))
    ]
    comparable = same = 0
    for before, after in zip(*written, strict=True):
        if all(number in index for number in before):
            comparable += 1
            same += [index[number] for number in before] == after
    print(
        f"{len(inside)} of {len(prompts)} sentences have kept tokens only; of "
        f"{comparable} outputs in kept tokens {same} are the same"
    )
    if same < comparable:
        raise SystemExit("the pruned model writes something else")


def sentences(options: argparse.Namespace) -> Iterator[str]:
    lines = [text for path in options.text for text in read_lines(path) if text]
    for line in random.Random(1).sample(lines, min(options.check, len(lines))):
        yield line.split("\t")[0]


def generate(model: Any, tokenizer: Any, prompts: list[str]) -> list[list[int]]:
    """Return the tokens that greedy search writes, without padding."""
    result = []
    model.eval()
    for start in range(0, len(prompts), 50):
        rows = [tokenizer.encode(p).ids for p in prompts[start : start + 50]]
        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
        with torch.inference_mode():
            outputs = model.generate(
                input_ids=ids, attention_mask=(ids > 0).long(), max_new_tokens=24,
                do_sample=False, num_beams=1,
            )  # fmt: skip
        result += [[n for n in row[1:] if n] for row in outputs.tolist()]
    return result


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    main()
