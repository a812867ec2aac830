"""Write an engine's outputs for many lines, block by block and in order."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias

from paraphrast.errors import unknown
from paraphrast.neural.models import folders, pack
from paraphrast.neural.models.generation import (
    NEUTRAL,
    Candidate,
    Decoding,
    Engine,
    Request,
)
from paraphrast.storage import packs

BLOCK = 4096  # lines; each block has a seed of its own, so that a job can go on

Form: TypeAlias = Literal["text", "pairs", "json"]


def load_engine(
    model: str, style: str, *, device: str, threads: int, home: Path | None
) -> Engine:
    """Return the engine of a trained model's folder, or else of a pack."""
    folder = Path(model)
    if (folder / folders.WEIGHTS).is_file():
        from paraphrast.neural.finetune import torch_engine

        tagged = bool(folders.read_record(folder).get("tagged", bool(style)))
        return torch_engine.load(folder, tagged=tagged, device=device)
    opened = pack.read(packs.find(model, home or packs.HOME).folder)
    styles = opened.about.styles
    if opened.settings(pack.Settings).tagged and style not in styles:
        raise unknown("style of the pack", style, styles)
    chosen = style if style in styles else next(iter(styles))
    return pack.load_pack(opened.folder, chosen, threads=threads).steps[-1].engine


@dataclass(frozen=True)
class Job:
    """What to generate for each line, and how to write it.

    ``before`` paraphrases a line first, as STRAP does; the outputs count as the line's.
    """

    engine: Engine
    style: str
    decoding: Decoding
    seed: int = 1
    form: Form = "text"
    before: Engine | None = None

    def run(self, lines: Iterable[str], *, start: int = 0) -> Iterator[tuple[int, str]]:
        """Yield the number of lines done and the text for the latest of them.

        ``start`` is a number that was yielded before; these lines are skipped.
        """
        waiting = islice(lines, start, None)
        done = start
        while block := list(islice(waiting, BLOCK)):
            # A line without words has no answer but itself.
            asked = [line for line in block if line.strip()]
            requests = [Request(text, self.style) for text in self._read(asked)]
            result = iter(
                self.engine.candidates(
                    requests, self.decoding, seed=self.seed + done // BLOCK
                )
            )
            done += len(block)
            answers = (next(result) if line.strip() else [] for line in block)
            yield (
                done,
                "".join(map(self._format_line, block, answers)),
            )

    def _read(self, lines: Sequence[str]) -> list[str]:
        """Return the engine's requests for lines."""
        if self.before is None or not lines:
            return list(lines)
        requests = [Request(line, NEUTRAL) for line in lines]
        return [
            result[0].text for result in self.before.candidates(requests, Decoding())
        ]

    def _format_line(self, line: str, answers: list[Candidate]) -> str:
        if self.form == "json":
            table = {"source": line, "style": self.style}
            listed = {"candidates": [asdict(answer) for answer in answers]}
            return json.dumps(table | listed, ensure_ascii=False) + "\n"
        if self.form == "text":
            return f"{answers[0].text if answers else line}\n"
        tag = [self.style] if self.style else []
        source = " ".join(line.split())
        rows = ("\t".join([source, answer.text, *tag]) for answer in answers)
        return "".join(f"{row}\n" for row in rows)
