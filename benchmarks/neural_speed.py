r"""How fast, how soon and in how much memory does the neural pack rewrite?

Run    python -m benchmarks.neural_speed FOLDER --pack PACK --model STUDENT \
           --two-steps INVERSE > benchmarks/results/neural_speed.json
       (FOLDER is the mirror of the corpora; STUDENT is the Hugging Face folder that the
       pack was made of, INVERSE one that writes ``neutral`` and the style; without them
       the pack is timed alone)
Backs  docs/neural.md.

Modern lines of Romeo and Juliet are rewritten on two cores by the pack (with all that
its rewriter prepares and checks, and the engine alone), by Hugging Face's ``generate``
in single precision with the same model, and by STRAP's way with it: a neutral
paraphrase first, then the style. All run in turn in one process, greedy, in batches of
like length. Before anything is timed the outputs are compared: both must write as many
pieces, and how many outputs are the same is told. CPU seconds count both cores and hold
on a machine that does other things too; the other times need one that does not. The
first rewrite is the command line from the start of its process, which is also how its
memory is taken; so is a file of many lines, its start included.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.report import report
from paraphrast.corpora import read_texts
from paraphrast.neural.family import Neural
from paraphrast.neural.finetune import torch_engine
from paraphrast.neural.finetune.batches import batches
from paraphrast.neural.models import folders
from paraphrast.neural.models.generation import (
    NEUTRAL,
    Decoding,
    Engine,
    Request,
)
from paraphrast.rewriter import Rewriter, Sentence

Timings: TypeAlias = dict[str, list[float]]
Write: TypeAlias = Callable[[Sequence[str]], object]
LINES, ALONE, REPEATS, STARTS, CORES = 200, 20, 3, 5, 2
BATCH_PIECES = 1536
HF, TWO = "HF fp32", "HF fp32, STRAP's two steps"
LINE = "Do you know where your brother went last night?"


def main() -> None:
    options = arguments()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    many = options.mirror / "jhamtani17/test.modern.nltktok"
    texts = list(read_texts(many))[:LINES]
    # A child counts its parent's memory as its own, so these come before models.
    fresh = first_rewrite(options) | whole_file(options, many)
    rewriter = Neural().load_pack(options.pack, options.to)
    engine = rewriter.model.steps[-1].engine  # type: ignore[attr-defined]
    systems: dict[str, Write] = {
        "pack": lambda own: rewrite_texts(rewriter, own),
        "pack, engine alone": lambda own: engine.candidates(
            [Request(text, options.to) for text in own], Decoding()
        ),
    }
    alike = {}
    if options.model:
        student = HuggingFace(options.model)
        systems[HF] = lambda own: student.write(own, options.to)
        alike = equal_work(engine, student, texts, options.to)
    if options.two_steps:
        both = HuggingFace(options.two_steps)
        systems[TWO] = lambda own: both.write(both.write(own, NEUTRAL), options.to)
    speeds, spared, delays = time_systems(systems, texts)
    report(
        claim="sentences rewritten in a second on two cores, in batches",
        median={name: round(statistics.median(v), 1) for name, v in speeds.items()},
        range={name: [round(x, 1) for x in sorted(v)] for name, v in speeds.items()},
        **{f"in a CPU second, {name}": round(statistics.median(v), 1)
           for name, v in spared.items()},
        **{f"milliseconds for one sentence alone, {name}": round(statistics.median(v))
           for name, v in delays.items()},
        **{f"times as fast as {name}": ratio(speeds, name)
           for name in (HF, TWO) if name in systems},
        **fresh,
        **alike,
        **{"megabytes on disk": size(options.pack)},
        setting={"lines": len(texts), "cores": CORES, "repeats": REPEATS,
                 "style": options.to},
        versions=("ctranslate2", "torch", "transformers"),
    )  # fmt: skip


def time_systems(
    systems: dict[str, Write], texts: Sequence[str]
) -> tuple[Timings, Timings, Timings]:
    """Return sentences a second, and a CPU second, and milliseconds for one alone."""
    speeds: dict[str, list[float]] = {name: [] for name in systems}
    spared: dict[str, list[float]] = {name: [] for name in systems}
    delays: dict[str, list[float]] = {name: [] for name in systems}
    few = texts[:: max(1, len(texts) // ALONE)][:ALONE]
    for _ in range(REPEATS):
        for name, write in systems.items():
            start, used = time.perf_counter(), time.process_time()
            write(texts)
            speeds[name].append(len(texts) / (time.perf_counter() - start))
            spared[name].append(len(texts) / (time.process_time() - used))
            start = time.perf_counter()
            for text in few:
                write([text])
            delays[name].append(1000 * (time.perf_counter() - start) / len(few))
    return speeds, spared, delays


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--two-steps", type=Path)
    parser.add_argument("--to", default="shakespeare")
    return parser.parse_args()


def rewrite_texts(rewriter: Rewriter, texts: Sequence[str]) -> object:
    return rewriter([Sentence(text) for text in texts], alternatives=1, seed=1)


class HuggingFace:
    """A model of many styles in single precision, run by ``generate``."""

    def __init__(self, folder: Path) -> None:
        """Load a folder's model."""
        import torch

        torch.set_num_threads(CORES)
        given = folders.read(folder)
        if given.shape != "encoder-decoder":
            raise SystemExit(f"{folder}: only encoder–decoders are timed.")
        self.model = torch_engine.load_model(given).eval()
        self.prompter, self.padding = given.prompter(tagged=True), given.padding
        self.end = given.tokenizer.vocabulary[given.end]

    def write(self, texts: Sequence[str], style: str) -> list[str]:
        """Return the greedy output of each text."""
        tokenizer = self.prompter.tokenizer
        asked = [self.prompter.source(Request(text, style)) for text in texts]
        sources = [tokenizer.ids(pieces) for pieces in asked]
        result = [""] * len(texts)
        for batch in batches([len(source) for source in sources], BATCH_PIECES):
            rows = self._generate([sources[index] for index in batch])
            for index, row in zip(batch, rows, strict=True):
                result[index] = self.prompter.text(tokenizer.tokens(row))
        return result

    def _generate(self, sources: Sequence[list[int]]) -> list[list[int]]:
        import torch

        width = max(map(len, sources))
        ids = torch.tensor([s + [self.padding] * (width - len(s)) for s in sources])
        mask = torch.tensor([[i < len(s) for i in range(width)] for s in sources])
        with torch.inference_mode():
            written: Any = self.model.generate(
                input_ids=ids,
                attention_mask=mask.long(),
                max_new_tokens=Decoding().most_pieces(width),
                max_length=None,
                do_sample=False,
                num_beams=1,
                eos_token_id=self.end,
                pad_token_id=self.padding,
            )
        return [row[1:] for row in written.tolist()]


def equal_work(
    engine: Engine, student: HuggingFace, texts: Sequence[str], style: str
) -> dict[str, Any]:
    """Say how alike the two runs of one model are; stop if one writes more."""
    asked = [Request(text, style) for text in texts]
    ours = [own[0].text for own in engine.candidates(asked, Decoding())]
    theirs = student.write(texts, style)
    encode = student.prompter.tokenizer.encode
    pieces = [sum(len(encode(text)) for text in side) for side in (ours, theirs)]
    if abs(pieces[0] - pieces[1]) > 0.1 * pieces[1]:
        raise SystemExit(f"not the same work: {pieces} pieces.")
    same = sum(a == b for a, b in zip(ours, theirs, strict=True))
    return {
        "same outputs in 8 bits and in 32": round(same / len(texts), 3),
        "pieces a sentence": round(pieces[0] / len(texts), 1),
    }


def ratio(speeds: Timings, to: str) -> float:
    pairs = zip(speeds["pack"], speeds[to], strict=True)
    return round(statistics.median(ours / theirs for ours, theirs in pairs), 2)


def first_rewrite(options: argparse.Namespace) -> dict[str, Any]:
    """Time the command line from the start of its process; take its memory too."""
    command = [sys.executable, "-m", "paraphrast", "rewrite", "--to", options.to]
    command += ["--pack", str(options.pack), LINE]
    times, peaks = [], []
    for _ in range(STARTS):
        start = time.perf_counter()
        peaks.append(peak(command))
        times.append(time.perf_counter() - start)
    return {
        "seconds from start to first rewrite": round(statistics.median(times), 2),
        "range of these": [round(value, 2) for value in sorted(times)],
        "peak memory of these in MB": round(statistics.median(peaks)),
    }


def peak(command: Sequence[str]) -> float:
    """Run a command to its end; return the most memory that it had, in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed.")
    return usage.ru_maxrss / 1000


def whole_file(options: argparse.Namespace, many: Path) -> dict[str, Any]:
    """Time the command line on a file from the start of its process to its end."""
    number = len(list(read_texts(many)))
    speeds, peaks = [], []
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines.txt"
        lines.write_bytes(many.read_bytes())
        command = [sys.executable, "-m", "paraphrast", "rewrite", "--to", options.to]
        command += ["--pack", str(options.pack), str(lines)]
        for turn in range(REPEATS):
            start = time.perf_counter()
            peaks.append(peak([*command, "-o", str(Path(folder) / f"{turn}.txt")]))
            speeds.append(number / (time.perf_counter() - start))
    return {
        "lines a second by the command, its start included": round(
            statistics.median(speeds), 1
        ),
        "lines of its file": number,
        "peak memory of a batch in MB": round(statistics.median(peaks)),
    }


def size(pack: Path) -> float:
    files = [path for path in pack.rglob("*") if path.is_file()]
    return round(sum(path.stat().st_size for path in files) / 1e6, 1)


if __name__ == "__main__":
    main()
