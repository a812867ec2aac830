"""The work folder of the pipeline: its files, its size, and how models are trained.

A rehearsal (a share below a tenth) takes a little of everything and keeps what hardly
trained models write, so that the whole way is gone in minutes on a CPU.
"""

# ruff: noqa: T201
import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.finetune.settings import Settings

STYLES = (
    "modern", "shakespeare", "bible", "poetry", "formal", "informal", "prose-1810",
    "prose-1890", "joyce", "tweet", "conversation",
)  # fmt: skip
PLAYS = {"modern": "modern", "shakespeare": "original"}  # file of each side


@dataclass(frozen=True)
class Work:
    """The work folder and the size of what is done in it."""

    folder: Path
    share: float
    device: str
    guide: Path
    rate: float = 3e-4  # of learning by reward

    @property
    def rehearsal(self) -> bool:
        """Say whether this only tries whether everything runs."""
        return self.share < 0.1

    def few(self, number: int, least: int = 4) -> int:
        """Return a number of the full size for this size."""
        return max(least, int(number * self.share))

    def texts(self, style: str, part: str, most: int) -> list[str]:
        """Return sentences of a style; a share of them in a small run."""
        return lines(self.folder / f"styles/{style}.{part}.txt")[: self.few(most)]

    def play(self, style: str) -> list[str]:
        """Return one side of the parallel plays, line by line with the other."""
        return lines(self.folder / f"styles/plays/{PLAYS[style]}.txt")[
            : self.few(20_000)
        ]

    @property
    def longest(self) -> int:
        """Return how many pieces are written at most."""
        return 8 if self.rehearsal else 96

    def tests(self) -> list[tuple[str, str]]:
        """Return style to write and input of STRAP's test."""
        rows = lines(self.folder / "additions/strap.tsv")[: self.few(2924)]
        return [(style, text) for style, text in (row.split("\t") for row in rows)]

    def development(self) -> list[tuple[str, str]]:
        """Return held-out texts of every style, to be written in every other."""
        return [
            (style, text)
            for style in STYLES
            for other in STYLES
            if other != style
            for text in self.texts(other, "dev", 50)
        ]

    def chosen(self, name: str) -> list[Path]:
        """Return the files of chosen rewrites of that name that are there."""
        return sorted((self.folder / "chosen").glob(f"{name}.tsv"))

    def train(
        self,
        name: str,
        base: str,
        sources: Sequence[Source],
        *,
        seconds: float,
        **given: float,
    ) -> None:
        """Train a model into a folder of the work folder, for so long at most."""
        import torch

        from paraphrast.neural.finetune import training

        began = time.time()

        def show(report: training.Report) -> None:
            if report.held_out is not None or report.step % 50 == 0:
                print(f"{name} {report} {time.time() - began:.0f} s", flush=True)

        pieces = int(given.get("pieces", 32_768)) if self.device == "cuda" else 1024
        while True:
            left = max(seconds / 2, seconds - (time.time() - began))
            settings = self._settings(base, sources, left, pieces, given)
            try:
                training.train(settings, self.folder / name, progress=show)
                return
            except torch.OutOfMemoryError:  # others share the GPU
                print(f"{name}: no memory for {pieces} pieces", flush=True)
                torch.cuda.empty_cache()
                pieces //= 2

    def _settings(
        self,
        base: str,
        sources: Sequence[Source],
        seconds: float,
        pieces: int,
        given: Mapping[str, float],
    ) -> Settings:
        return Settings(
            base=self.folder / base,
            sources=tuple(s for s in sources if s.path.stat().st_size),
            tagged=True,
            epochs=int(given.get("epochs", 6)),
            most_seconds=seconds,
            batch_pieces=pieces,
            learning_rate=given["rate"],
            held_out=self.few(1000),
            smoothing=given.get("smoothing", 0.0),
            masking=given.get("masking", 0.1),
            rounding=given.get("rounding", 0.0),
            evaluate_every=400,
            patience=int(given.get("patience", 4)),
            checkpoint_seconds=math.inf,
            longest=96,
            device=self.device,  # type: ignore[arg-type]
            schedule="cosine",
        )


def lines(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text("utf-8").split("\n")[:-1]


def write(path: Path, rows: Iterable[str]) -> None:
    """Write lines; the file appears when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partly = path.with_name(f"{path.name}.{os.getpid()}.partly")
    partly.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    partly.replace(path)
