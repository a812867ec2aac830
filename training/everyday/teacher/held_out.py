"""The loss of adapters on the same held-out examples, e.g. before and after rounding.

Run    python -m training.everyday.teacher.held_out --base FOLDER
              --adapters FILE... [--texts FILE] [--most 40]
"""

import argparse
import random
from pathlib import Path

from training.everyday import corpus
from training.everyday.teacher import qwen, tune
from training.everyday.teacher.prompts import PromptTokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--adapters", type=Path, nargs="+", required=True)
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--most", type=int, help="examples, drawn at random")
    parser.add_argument("--tokens", type=int, default=12_000, help="per batch")
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    tokenizer = PromptTokenizer(options.base)
    pairs = tune.encode_held_out(tokenizer, corpus.read_texts(options.texts))
    random.Random(1).shuffle(pairs)
    model = qwen.load(options.base, options.device)
    settings = tune.Settings(tokens=options.tokens)
    for path in options.adapters:
        trainer = tune.Trainer(model, settings, path)
        loss = trainer.evaluate_held_out(pairs[: options.most])
        print(f"{path.name}: {loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
