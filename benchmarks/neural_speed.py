r"""How fast does the default pack rewrite, with what latency and in how much memory?

Run    python -m benchmarks.neural_speed > benchmarks/results/neural_speed.json
       (four minutes on two cores that do nothing else; torch and transformers;
       --texts 8 rehearses it)
Backs  docs/neural.md and docs/small-pack.md.

Plain texts of everyday's development part are rewritten in two styles on two cores: by
the pack as users have it, with all preparation, repeated searches and checks; by one
greedy pass of its engine alone; and by one greedy pass of Hugging Face's ``generate``
in single precision, with the weights that the pack holds (`student.from_pack`). All run
in turn in one process, in batches of like length. Before anything is timed the outputs
of the greedy passes are compared: both must write as many tokens, and the number of
identical outputs is reported. A text has 1.4 sentences, so both are counted. CPU
seconds count both cores and are valid on a busy machine, too; the other times need an
idle one. The first rewrite is timed, and its memory measured, from the start of the
command line's process; so is a file of many lines, its start included.
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
from paraphrast.corpora.loaders import everyday
from paraphrast.neural.family import Neural
from paraphrast.neural.finetune import torch_engine
from paraphrast.neural.finetune.batches import batches
from paraphrast.neural.models import folders
from paraphrast.neural.models.generation import Decoding, Engine, Request
from paraphrast.neural.rewriter import NeuralRewriter
from paraphrast.rewriter import Sentence
from paraphrast.storage import packs
from paraphrast.text.protection import protected_spans
from paraphrast.text.sentences import split_sentences
from training.everyday.student.from_pack import restore

Timings: TypeAlias = dict[str, list[float]]
Write: TypeAlias = Callable[[Sequence[str], str], object]
EVERYDAY = Path(__file__).parents[1] / "corpora/everyday"
SMALL = packs.BUNDLED / "small"
STYLES = ("formal", "bible")
TEXTS, ALONE, REPEATS, STARTS, CORES = 100, 10, 3, 5, 2
BATCH_TOKENS = 1536
PACK, ENGINE, HF = "pack", "one greedy pass", "HF fp32, one greedy pass"
LINE = "Do you know where your brother went last night?"


def main() -> None:
    options = read_arguments()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    every = [
        t.versions["plain"] for t in everyday.read_texts(EVERYDAY) if t.split == "dev"
    ]
    texts = every[: options.texts]
    # A child counts its parent's memory as its own, so run these before loading models.
    fresh = time_first_rewrite(options.pack) | time_file(
        options.pack, every[: 3 * options.texts]
    )
    rewriters = {style: load(options.pack, style) for style in STYLES}
    engine = rewriters[STYLES[0]].model.steps[-1].engine
    with tempfile.TemporaryDirectory() as folder:
        restore(options.pack, Path(folder))
        student = HuggingFace(Path(folder))
    systems: dict[str, Write] = {
        PACK: lambda own, style: rewrite_texts(rewriters[style], own),
        ENGINE: lambda own, style: engine.candidates(
            [Request(text, style) for text in own], Decoding()
        ),
        HF: student.write,
    }
    alike = compare_work(engine, student, texts)
    speeds, spared, delays = time_systems(systems, texts)
    sentences = sum(len(list(split_sentences(text))) for text in texts) / len(texts)
    report(
        claim="sentences rewritten per second on two cores, in batches",
        median={name: median(v, sentences) for name, v in speeds.items()},
        range={
            name: [round(x * sentences, 1) for x in sorted(v)]
            for name, v in speeds.items()
        },
        texts={name: median(v) for name, v in speeds.items()},
        **{f"per CPU second, {name}": median(v, sentences)
           for name, v in spared.items()},
        **{f"milliseconds for one text alone, {name}": round(statistics.median(v))
           for name, v in delays.items()},
        **{f"times as fast as {HF}": divide(speeds[PACK], speeds[HF]),
           f"engine, times as fast as {HF}": divide(speeds[ENGINE], speeds[HF])},
        **fresh,
        **alike,
        **{"megabytes on disk": measure_size(options.pack)},
        setting={"texts": len(texts), "sentences per text": round(sentences, 2),
                 "cores": CORES, "repeats": REPEATS, "styles": STYLES,
                 "corpus": "everyday, dev, plain"},
        versions=("ctranslate2", "torch", "transformers"),
    )  # fmt: skip


def time_systems(
    systems: dict[str, Write], texts: Sequence[str]
) -> tuple[Timings, Timings, Timings]:
    """Return texts per second and per CPU second, and the milliseconds of one alone."""
    speeds: Timings = {name: [] for name in systems}
    spared: Timings = {name: [] for name in systems}
    delays: Timings = {name: [] for name in systems}
    few = texts[:: max(1, len(texts) // ALONE)][:ALONE]
    for _ in range(REPEATS):
        for name, write in systems.items():
            start, used = time.perf_counter(), time.process_time()
            for style in STYLES:
                write(texts, style)
            number = len(STYLES) * len(texts)
            speeds[name].append(number / (time.perf_counter() - start))
            spared[name].append(number / (time.process_time() - used))
            start = time.perf_counter()
            for style in STYLES:
                for text in few:
                    write([text], style)
            passed = time.perf_counter() - start
            delays[name].append(1000 * passed / (len(STYLES) * len(few)))
    return speeds, spared, delays


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pack", type=Path, default=SMALL)
    parser.add_argument("--texts", type=int, default=TEXTS)
    return parser.parse_args()


def load(pack: Path, style: str) -> NeuralRewriter:
    rewriter = Neural().load_pack(pack, style)
    assert isinstance(rewriter, NeuralRewriter)
    return rewriter


def rewrite_texts(rewriter: NeuralRewriter, texts: Sequence[str]) -> object:
    sentences = [Sentence(text, tuple(protected_spans(text))) for text in texts]
    return rewriter(sentences, alternatives=1, seed=1)


def median(values: Sequence[float], times: float = 1) -> float:
    return round(times * statistics.median(values), 1)


def divide(ours: Sequence[float], theirs: Sequence[float]) -> float:
    ratios = [own / other for own, other in zip(ours, theirs, strict=True)]
    return round(statistics.median(ratios), 2)


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
        for batch in batches([len(source) for source in sources], BATCH_TOKENS):
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
                max_new_tokens=Decoding().most_tokens(width),
                max_length=None,
                do_sample=False,
                num_beams=1,
                eos_token_id=self.end,
                pad_token_id=self.padding,
            )
        return [row[1:] for row in written.tolist()]


def compare_work(
    engine: Engine, student: HuggingFace, texts: Sequence[str]
) -> dict[str, Any]:
    """Return how similar the two runs of one model are; stop if one writes more."""
    same, tokens = 0, [0, 0]
    encode = student.prompter.tokenizer.encode
    for style in STYLES:
        asked = [Request(text, style) for text in texts]
        ours = [own[0].text for own in engine.candidates(asked, Decoding())]
        theirs = student.write(texts, style)
        same += sum(a == b for a, b in zip(ours, theirs, strict=True))
        for side, outputs in enumerate((ours, theirs)):
            tokens[side] += sum(len(encode(text)) for text in outputs)
    if abs(tokens[0] - tokens[1]) > 0.1 * tokens[1]:
        raise SystemExit(f"not the same work: {tokens} tokens.")
    number = len(STYLES) * len(texts)
    return {
        "same outputs in 8 bits and in 32": round(same / number, 3),
        "tokens per text": round(tokens[0] / number, 1),
    }


def time_first_rewrite(pack: Path) -> dict[str, Any]:
    """Time the command line from the start of its process; measure its memory, too."""
    times, peaks = [], []
    for _ in range(STARTS):
        start = time.perf_counter()
        peaks.append(measure_peak([*make_command(pack, STYLES[1]), LINE]))
        times.append(time.perf_counter() - start)
    return {
        "seconds from start to first rewrite": round(statistics.median(times), 2),
        "range of these": [round(value, 2) for value in sorted(times)],
        "peak memory of these in MB": round(statistics.median(peaks)),
    }


def make_command(pack: Path, style: str) -> list[str]:
    paraphrast = [sys.executable, "-m", "paraphrast", "rewrite"]
    return [*paraphrast, "--to", style, "--pack", str(pack)]


def measure_peak(command: Sequence[str]) -> float:
    """Run a command to its end; return its peak memory in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed.")
    return usage.ru_maxrss / 1000


def time_file(pack: Path, texts: Sequence[str]) -> dict[str, Any]:
    """Time the command line on a file from the start of its process to its end."""
    speeds, peaks = [], []
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "lines.txt"
        lines.write_text("".join(f"{text}\n" for text in texts), "utf-8")
        for style in STYLES:
            written = str(Path(folder) / f"{style}.txt")
            start = time.perf_counter()
            peaks.append(
                measure_peak([*make_command(pack, style), str(lines), "-o", written])
            )
            speeds.append(len(texts) / (time.perf_counter() - start))
    return {
        "lines per second by the command, its start included": round(
            statistics.mean(speeds), 1
        ),
        "lines of its file": len(texts),
        "peak memory of a batch in MB": round(max(peaks)),
    }


def measure_size(pack: Path) -> float:
    files = [path for path in pack.rglob("*") if path.is_file()]
    return round(sum(path.stat().st_size for path in files) / 1e6, 1)


if __name__ == "__main__":
    main()
