"""Rejection sampling: keep the best of over-generated candidates as training pairs.

`neural generate --json -n 16` writes many candidates of every source; here each source
gets the best one by a guide, if one passes the checks and thresholds, and the rest is
counted by reason. So a model is trained on the best of its own outputs, or on the two
steps of other models.
"""

import importlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError
from paraphrast.neural.candidates.rerank import (
    EVEN,
    Chosen,
    Guide,
    Settings,
    choose,
)
from paraphrast.neural.models.generation import Candidate

BLOCK = 512  # sources at a time
METHODS = ("style", "meaning", "fluency")


@dataclass(frozen=True, slots=True)
class Generated:
    """A source and its candidates."""

    source: str
    style: str
    candidates: tuple[Candidate, ...]


@dataclass
class Harvest:
    """Yields lines of source, output and style; counts kept and dropped sources."""

    guide: Guide | None = None
    settings: Settings = field(default_factory=Settings)
    strength: float = EVEN
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    def lines(self, generated: Iterable[Generated]) -> Iterator[str]:
        """Yield a line for each source that has an acceptable output, in order."""
        for style, group in groupby(generated, key=lambda row: row.style):
            while block := list(islice(group, BLOCK)):
                yield from self._block(block, style)

    def _block(self, block: list[Generated], style: str) -> Iterator[str]:
        chosen = choose(
            [row.source for row in block],
            [row.candidates for row in block],
            style,
            guide=self.guide,
            settings=self.settings,
            strength=self.strength,
        )
        for row, answer in zip(block, chosen, strict=True):
            if not answer.choices:
                self.dropped[_name_guards(answer)] += 1
                continue
            self.kept += 1
            sides = [row.source, answer.choices[0].text, *([style] if style else [])]
            yield "\t".join(" ".join(side.split()) for side in sides) + "\n"


def read(path: Path) -> Iterator[Generated]:
    """Yield the records written by `neural generate --json`."""
    for number, line in enumerate(read_lines(path), start=1):
        try:
            table = json.loads(line)
            candidates = tuple(Candidate(**result) for result in table["candidates"])
            yield Generated(str(table["source"]), str(table["style"]), candidates)
        except (ValueError, KeyError, TypeError) as error:
            raise ParaphrastError(
                f"{path}:{number}: not a line of `neural generate --json` ({error})."
            ) from error


def guide_named(name: str) -> Guide:
    """Import the guide ``module:name``, an object or a function that makes one."""
    module, _, attribute = name.partition(":")
    try:
        result: Any = getattr(importlib.import_module(module), attribute)
        result = result if _is_guide(result) else result()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ParaphrastError(
            f"cannot import the guide {name!r}: {error}. Name it as module:name."
        ) from error
    if not _is_guide(result):
        raise ParaphrastError(
            f"{name!r} is not a guide: it needs the methods {', '.join(METHODS)}."
        )
    guide: Guide = result
    return guide


def _is_guide(rewriter: Any) -> bool:
    return not isinstance(rewriter, type) and all(hasattr(rewriter, m) for m in METHODS)


def _name_guards(chosen: Chosen) -> str:
    """Return the guards that rejected the candidates, or why there were none."""
    names = dict.fromkeys(rejection.guard for rejection in chosen.rejections)
    return ", ".join(names) or chosen.why
