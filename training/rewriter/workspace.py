"""The working folder of the rewriter's training: its files, its size, its models.

A smoke run (``share`` below a tenth) takes a little of everything and keeps the output
of barely trained models, so that the whole pipeline runs in minutes on a CPU.
"""

import gc
import json
import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paraphrast.corpora import read_lines
from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.finetune.settings import Settings
from training.styles import PLAYS, STYLES

if TYPE_CHECKING:
    from training.guide.model import Guide

Row = tuple[str, str]  # target style, text


@dataclass(frozen=True)
class Workspace:
    """The working folder and the share of the data that is used."""

    folder: Path
    share: float = 1.0
    device: str = "cpu"
    learning_rate: float = 3e-4  # of reinforcement learning

    @property
    def smoke(self) -> bool:
        """Return whether this is a smoke run."""
        return self.share < 0.1

    @property
    def longest(self) -> int:
        """Return the limit on generated tokens."""
        return 8 if self.smoke else 96

    def scale(self, number: int, least: int = 4) -> int:
        """Scale a number from the full run to this run."""
        return max(least, int(number * self.share))

    def texts(self, style: str, part: str, most: int) -> list[str]:
        """Return sentences of a style."""
        return read_rows(self.folder / f"styles/{style}.{part}.txt")[: self.scale(most)]

    def play(self, style: str) -> list[str]:
        """Return one side of the parallel plays, line by line with the other."""
        path = self.folder / f"styles/plays/{PLAYS[style]}.txt"
        return read_rows(path)[: self.scale(20_000)]

    def tests(self) -> list[Row]:
        """Return target style and input of STRAP's test."""
        rows = read_rows(self.folder / "additions/strap.tsv")[: self.scale(2924)]
        return [(style, text) for style, text in (row.split("\t") for row in rows)]

    def development(self) -> list[Row]:
        """Return held-out texts of every style, to be written in every other."""
        return [
            (style, text)
            for style in STYLES
            for other in STYLES
            if other != style
            for text in self.texts(other, "dev", 50)
        ]

    def find_selected(self, name: str) -> list[Path]:
        """Return the file of selected samples of that name, if it exists."""
        return sorted((self.folder / "chosen").glob(f"{name}.tsv"))

    def load_guide(self) -> "Guide":
        """Load the reranker that selects training data."""
        from training.guide.model import Guide

        return Guide.load(self.folder / "guide", device=self.device)

    def guide_signature(self) -> str:
        """Return the guide's signature, which every pack made with it must name."""
        path = self.folder / "guide/guide.json"
        if not path.exists():
            return ""
        return str(json.loads(path.read_text("utf-8"))["signature"])

    def free_memory(self) -> None:
        """Return unused GPU memory to the device."""
        if self.device == "cuda":
            import torch

            gc.collect()
            torch.cuda.empty_cache()

    def train(
        self,
        name: str,
        base: str,
        sources: Sequence[Source],
        *,
        seconds: float,
        **given: float,
    ) -> None:
        """Fine-tune a model of this folder into another, for ``seconds`` at most."""
        import torch

        from paraphrast.neural.finetune import trainer, training

        began = time.time()

        def show(report: trainer.Report) -> None:
            if report.held_out is not None or report.step % 50 == 0:
                print(f"{name} {report} {time.time() - began:.0f} s", flush=True)

        tokens = (
            int(given.get("batch_tokens", 32_768)) if self.device == "cuda" else 1024
        )
        while True:
            left = max(seconds / 2, seconds - (time.time() - began))
            settings = self._settings(base, sources, left, tokens, given)
            try:
                training.train(settings, self.folder / name, progress=show)
                return
            except torch.OutOfMemoryError:
                print(f"{name}: out of memory with {tokens} tokens", flush=True)
                torch.cuda.empty_cache()
                tokens //= 2

    def _settings(
        self,
        base: str,
        sources: Sequence[Source],
        seconds: float,
        tokens: int,
        given: Mapping[str, float],
    ) -> Settings:
        filled = [s for s in sources if s.path.exists() and s.path.stat().st_size]
        return Settings(
            base=self.folder / base,
            sources=tuple(filled),
            tagged=True,
            epochs=int(given.get("epochs", 6)),
            most_seconds=seconds,
            batch_tokens=tokens,
            learning_rate=given["learning_rate"],
            held_out=self.scale(1000),
            smoothing=given.get("label_smoothing", 0.0),
            masking=given.get("masking", 0.1),
            quantisation_aware=given.get("quantisation_aware", 0.0),
            evaluate_every=400,
            patience=int(given.get("patience", 4)),
            checkpoint_seconds=math.inf,
            longest=96,
            device="cuda" if self.device == "cuda" else "cpu",
            schedule="cosine",
        )


def read_rows(path: Path) -> list[str]:
    """Return the lines of a file."""
    return list(read_lines(path))


def write_rows(path: Path, rows: Iterable[str]) -> None:
    """Write lines; the file appears when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    partial.replace(path)
