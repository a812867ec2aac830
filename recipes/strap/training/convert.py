"""Step 3b: base models as int8 CTranslate2 folders, their size and their speed.

A T5 with an output layer of its own needs care: transformers 5 says of any T5 that the
layer is tied, and the converter then scales its logits. So the layer goes in multiplied
by the same factor, and the log-probabilities of both forms are compared.

Run    python convert.py FOLDER -o FOLDER [--time TEXTS]
Needs  torch, transformers, ctranslate2
"""

# ruff: noqa: T201, TID253
import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
import tokenizers
import torch
import transformers
from ctranslate2.converters import TransformersConverter
from weights import load_untied

from paraphrast.corpora import read_texts

BESIDE = ("tokenizer.json", "source.spm", "target.spm")
BATCH, PIECES, THREADS = 32, 20, 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--quantization", default="int8")
    parser.add_argument("--time", type=Path, help="a file of texts, one a line")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    config = transformers.AutoConfig.from_pretrained(options.model)
    with tempfile.TemporaryDirectory() as folder:
        source = options.model
        if config.model_type == "t5" and not config.scale_decoder_outputs:
            source = Path(folder)
            scaled(options.model, source)
        converter = TransformersConverter(str(source))
        converter.convert(
            str(options.output), quantization=options.quantization, force=True
        )
    for name in BESIDE:
        if (options.model / name).exists():
            shutil.copyfile(options.model / name, options.output / name)
    size = sum(file.stat().st_size for file in options.output.iterdir())
    print(f"{options.output.name}: {size / 1e6:.1f} MB")
    if options.time:
        timed(options, config)


def scaled(model: Path, folder: Path) -> None:
    """Copy a T5 with its output layer multiplied as the converter will divide it."""
    loaded = load_untied(model)
    loaded.lm_head.weight.data *= loaded.config.d_model**0.5
    loaded.save_pretrained(folder)
    for file in model.glob("tokenizer*"):
        shutil.copyfile(file, folder / file.name)


def timed(options: argparse.Namespace, config: Any) -> None:
    """Print sentences a second, greedy, with outputs of a set length."""
    texts = list(read_texts(options.time))[: 8 * BATCH]
    cut = tokenizers.Tokenizer.from_file(str(options.output / "tokenizer.json"))
    pieces = [one.tokens for one in cut.encode_batch(texts)]
    if config.is_encoder_decoder:
        model = ctranslate2.Translator(str(options.output), intra_threads=THREADS)
        ask = lambda rows: model.translate_batch(  # noqa: E731
            rows, beam_size=1, min_decoding_length=PIECES, max_decoding_length=PIECES
        )
        compare(options, cut, texts[:20])
    else:
        causal = ctranslate2.Generator(str(options.output), intra_threads=THREADS)
        ask = lambda rows: causal.generate_batch(  # noqa: E731
            rows,
            beam_size=1,
            min_length=PIECES,
            max_length=PIECES,
            include_prompt_in_result=False,
        )
    ask(pieces[:BATCH])
    rates = []
    for start in range(BATCH, len(pieces), BATCH):
        begin = time.perf_counter()
        ask(pieces[start : start + BATCH])
        rates.append(len(pieces[start : start + BATCH]) / (time.perf_counter() - begin))
    begin = time.perf_counter()
    for row in pieces[:10]:
        ask([row])
    single = 10 / (time.perf_counter() - begin)
    print(
        f"{np.median(rates):.0f} sentences/s (best {max(rates):.0f}) in batches of "
        f"{BATCH}, "
        f"{single:.1f} one by one; {THREADS} threads, {PIECES} pieces each"
    )


def compare(options: argparse.Namespace, cut: Any, texts: list[str]) -> None:
    """Print how far log-probabilities of this form are from those of 32 bits."""
    model = load_untied(options.model).eval()
    small = ctranslate2.Translator(str(options.output), intra_threads=THREADS)
    gaps = []
    for text in texts:
        one = cut.encode(text)
        ids = torch.tensor([one.ids])
        with torch.inference_mode():
            logits = model(input_ids=ids, labels=ids).logits[0]
        ours = torch.log_softmax(logits, -1)[range(len(one.ids)), one.ids].numpy()
        theirs = small.score_batch([one.tokens], [one.tokens[:-1]])[0].log_probs
        gaps.append(np.abs(ours - np.array(theirs)).mean())
    print(f"a piece's log-probability differs by {np.mean(gaps):.3f} from 32 bits'")


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    main()
