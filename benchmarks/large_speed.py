r"""How fast does `large` rewrite, how soon, and in how much memory?

Run    python -m benchmarks.large_speed --packs PACKS
       > benchmarks/results/large_speed.json
       (ten minutes on two cores that do nothing else; `paraphrast packs fetch large
       --packs PACKS` first; the extra `large`; --texts 2 --lines 2 rehearses it)
Backs  docs/packs.md.

Plain texts of everyday's development part are rewritten in two styles on two cores: as
users have it, with guards and further tries, and by the model alone, once per text. A
text has 1.4 sentences, so both are counted. The command line rewrites a file, and its
lines appear as they are written: timed is the first one, from the start of the process,
and all; its peak memory counts the base's file, which is mapped.
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
from paraphrast.instruct import large
from paraphrast.instruct.rewriter import InstructRewriter
from paraphrast.rewriter import Sentence
from paraphrast.storage import packs
from paraphrast.text.protection import protected_spans
from paraphrast.text.sentences import split_sentences

Write: TypeAlias = Callable[[Sequence[str]], object]
EVERYDAY = Path(__file__).parents[1] / "corpora/everyday"
STYLES = ("formal", "bible")
TEXTS, LINES, CORES = 40, 12, 2
PACK, MODEL = "pack", "model alone, greedily"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", type=Path, default=packs.HOME.expanduser())
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument("--lines", type=int, default=LINES)
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    every = [
        t.versions["plain"] for t in everyday.read_texts(EVERYDAY) if t.split == "dev"
    ]
    texts, lines = every[: options.texts], every[: options.lines]
    # A child counts its parent's memory as its own, so run it before loading the model.
    command = time_command(options.packs, lines)
    speeds = {PACK: list[float](), MODEL: list[float]()}
    spared = {PACK: list[float](), MODEL: list[float]()}
    for style in STYLES:
        rewriter = large.family.at(options.packs).load(style)
        assert isinstance(rewriter, InstructRewriter)
        assert isinstance(rewriter.writer, large.Writer)
        for name, write in make_writers(rewriter).items():
            rewriter.writer.model.write.cache_clear()  # answers are remembered
            start, used = time.perf_counter(), time.process_time()
            write(texts)
            speeds[name].append(len(texts) / (time.perf_counter() - start))
            spared[name].append(len(texts) / (time.process_time() - used))
    sentences = sum(len(list(split_sentences(text))) for text in texts) / len(texts)
    report(
        claim="sentences rewritten per second by `large` on two cores",
        median={n: round(sentences * statistics.mean(v), 2) for n, v in speeds.items()},
        texts={n: round(statistics.mean(v), 2) for n, v in speeds.items()},
        **{f"per CPU second, {n}": round(sentences * statistics.mean(v), 2)
           for n, v in spared.items()},
        **command,
        setting={"texts": len(texts), "sentences per text": round(sentences, 2),
                 "lines of the file": len(lines), "cores": CORES, "styles": STYLES,
                 "corpus": "everyday, dev, plain"},
        versions=("xllamacpp",),
    )  # fmt: skip


def make_writers(rewriter: InstructRewriter) -> dict[str, Write]:
    """Return the ways in which texts are rewritten."""
    return {
        MODEL: lambda texts: [
            rewriter.writer.write([text], strength=0.5, draw=None) for text in texts
        ],
        PACK: lambda texts: [
            rewriter(
                [Sentence(text, tuple(protected_spans(text)))], alternatives=1, seed=1
            )
            for text in texts
        ],
    }


def time_command(home: Path, lines: Sequence[str]) -> dict[str, Any]:
    """Time the command line on a file: its first line and all; measure its memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        arguments = ["rewrite", str(path), "--to", STYLES[0], "--using", "large"]
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "paraphrast", *arguments, "--packs", str(home)],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        first = time.perf_counter() - start
        process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        whole = time.perf_counter() - start
    if status:
        raise SystemExit("the command failed.")
    return {
        "seconds from start to first line": round(first, 1),
        "seconds per line after it": round((whole - first) / (len(lines) - 1), 2),
        "peak memory in MB": round(usage.ru_maxrss / 1000),
    }


if __name__ == "__main__":
    main()
