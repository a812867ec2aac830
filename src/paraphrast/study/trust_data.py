"""The built-in linear judge of Shakespeare and modern English, trained when needed."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from paraphrast.corpora.loaders import plays
from paraphrast.errors import ParaphrastError
from paraphrast.judges.judge import Judge, train_judge

SEED = 1


def default_judge(folders: Mapping[str, Path]) -> Judge:
    """Train the linear judge, if its corpus is among the folders."""
    if "jhamtani17" not in folders:
        raise ParaphrastError(
            "the linear judge is trained on jhamtani17, which was not found. Run "
            "`paraphrast corpora fetch jhamtani17`, or give a --judge."
        )
    return linear_judge(folders["jhamtani17"])


@lru_cache(maxsize=1)
def linear_judge(folder: Path) -> Judge:
    """Train the linear judge on the plays of jhamtani17; Twelfth Night calibrates."""
    return train_judge(
        _sides(folder, "train"), valid=_sides(folder, "valid"), seed=SEED
    )


def _sides(folder: Path, split: str) -> dict[str, list[str]]:
    pairs = list(plays.pairs_of(folder, "jhamtani17", split))
    return {
        "modern": [pair.source for pair in pairs],
        "shakespeare": [pair.target for pair in pairs],
    }
