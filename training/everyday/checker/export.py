"""Write a small checker for CTranslate2 with 8-bit weights, and compare both.

The encoder becomes a model of CTranslate2, the last layer an array beside it: the score
is the sigmoid of ``pooler_output @ weight + bias``.

Run    python -m training.everyday.checker.export --model FOLDER -o FOLDER
              [--held FILE...]
Needs  ctranslate2, transformers, torch
"""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers

from training.everyday import corpus
from training.everyday.checker.encoder import LONGEST
from training.everyday.checker.measure import report_recall


def convert(model: Path, output: Path) -> None:
    """Write the checker's folder for CTranslate2."""
    transformers.logging.set_verbosity_error()
    converters: Any = import_module("ctranslate2.converters")
    whole: Any = transformers.AutoModelForSequenceClassification.from_pretrained(
        model, num_labels=1, local_files_only=True, dtype=torch.float32
    )
    # The converter asks for it, and transformers 5.23 no longer has it.
    whole.bert.config.position_embedding_type = "absolute"
    with tempfile.TemporaryDirectory() as folder:
        whole.bert.save_pretrained(folder)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            if (model / name).exists():
                shutil.copyfile(model / name, Path(folder) / name)
        converters.TransformersConverter(folder).convert(
            str(output), quantization="int8", force=True
        )
    np.savez(
        output / "head.npz", weight=whole.classifier.weight.detach().numpy()[0],
        bias=whole.classifier.bias.detach().numpy(),
    )  # fmt: skip
    shutil.copyfile(model / "tokenizer.json", output / "tokenizer.json")


class Checker:
    """A small checker in CTranslate2."""

    def __init__(self, folder: Path, threads: int = 2) -> None:
        """Open a folder that `convert` wrote."""
        ctranslate2: Any = import_module("ctranslate2")
        self._model = ctranslate2.Encoder(str(folder), intra_threads=threads)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)
        with np.load(folder / "head.npz") as arrays:
            self._weight, self._bias = arrays["weight"], float(arrays["bias"][0])

    def score_pairs(
        self, pairs: Sequence[tuple[str, str]], size: int = 32
    ) -> list[float]:
        """Return for each pair the probability that both texts say the same."""
        rows = self._tokenizer.encode_batch(list(pairs))
        order = sorted(range(len(rows)), key=lambda at: -len(rows[at].ids))
        result = [0.0] * len(rows)
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            made = self._model.forward_batch(
                [rows[at].ids for at in batch],
                token_type_ids=[rows[at].type_ids for at in batch],
            )
            pooled = np.array(made.pooler_output).reshape(len(batch), -1)
            logits = pooled @ self._weight + self._bias
            for at, logit in zip(batch, logits.tolist(), strict=True):
                result[at] = 1 / (1 + np.exp(-logit))
        return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--held", type=Path, nargs="*", default=[])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if options.model:
        convert(options.model, options.output)
        size = sum(path.stat().st_size for path in options.output.iterdir())
        print(f"{size / 1e6:.1f} MB")
    checker = Checker(options.output, options.threads)
    for path in options.held:
        rows = corpus.read_rows(path)
        began, used = time.monotonic(), time.process_time()
        scores = checker.score_pairs([(row["first"], row["second"]) for row in rows])
        gone, used = time.monotonic() - began, time.process_time() - used
        report = report_recall(rows, scores)
        print(path.stem, json.dumps({k: report[k] for k in ("auc", "threshold")}),
              report["recall"].get("all written"), f"{len(rows) / gone:.0f} pairs/s, "
              f"{len(rows) / used:.0f}/CPU s")  # fmt: skip


if __name__ == "__main__":
    main()
