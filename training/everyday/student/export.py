"""Write a student for CTranslate2 with 8-bit weights, and let it rewrite.

Run    python -m training.everyday.student.export --student FOLDER -o FOLDER
              [--requests FILE --outputs FILE]
Needs  ctranslate2, transformers, torch
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers

from training.everyday import corpus

LONGEST = 160


def convert(student: Path, output: Path, quantization: str) -> None:
    """Write the student's folder for CTranslate2.

    CTranslate2 scales the decoder's output as tied T5s do; the output layer of this one
    is untied, so it is scaled up by the inverse factor.
    """
    transformers.logging.set_verbosity_error()
    converters: Any = import_module("ctranslate2.converters")
    model: Any = transformers.T5ForConditionalGeneration.from_pretrained(
        student, dtype=torch.float32, local_files_only=True
    )
    model.lm_head.weight.data *= model.config.d_model**0.5
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        for path in student.glob("tokenizer*"):
            shutil.copyfile(path, Path(folder) / path.name)
        converters.TransformersConverter(folder).convert(
            str(output), quantization=quantization, force=True
        )
    shutil.copyfile(student / "tokenizer.json", output / "tokenizer.json")


class Rewriter:
    """A student in CTranslate2."""

    def __init__(self, folder: Path, threads: int = 2) -> None:
        """Open a folder that `convert` wrote."""
        ctranslate2: Any = import_module("ctranslate2")
        self._model = ctranslate2.Translator(str(folder), intra_threads=threads)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def rewrite(self, requests: Sequence[tuple[str, str]]) -> list[str]:
        """Return the outputs for texts and styles."""
        rows = self._tokenizer.encode_batch(
            [f"{style}: {text}" for text, style in requests], add_special_tokens=False
        )
        result = self._model.translate_batch(
            [[*row.tokens, "</s>"] for row in rows], beam_size=1,
            max_decoding_length=LONGEST, max_batch_size=32,
        )  # fmt: skip
        return [self._join(hypotheses.hypotheses[0]) for hypotheses in result]

    def _join(self, tokens: Sequence[str]) -> str:
        ids = [self._tokenizer.token_to_id(token) for token in tokens]
        text = self._tokenizer.decode([number for number in ids if number is not None])
        return " ".join(text.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--student", type=Path)
    parser.add_argument("--quantization", default="int8")
    parser.add_argument("--requests", type=Path)
    parser.add_argument("--outputs", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if options.student:
        convert(options.student, options.output, options.quantization)
        size = sum(path.stat().st_size for path in options.output.iterdir())
        print(f"{size / 1e6:.1f} MB")
    if not options.requests:
        return
    rows = corpus.read_rows(options.requests)
    asked = [(row["text"], row["style"]) for row in rows]
    rewriter = Rewriter(options.output, options.threads)
    began, used = time.monotonic(), time.process_time()
    made = rewriter.rewrite(asked)
    gone, used = time.monotonic() - began, time.process_time() - used
    print(
        f"{len(rows)} rewrites, {len(rows) / gone:.1f}/s, {len(rows) / used:.1f}/CPU s"
    )
    for row, text in zip(rows, made, strict=True):
        row["output"] = text
    corpus.write_rows(options.outputs, rows)


if __name__ == "__main__":
    main()
