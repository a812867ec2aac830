"""The built-in linear judge of Shakespeare and modern English, trained when needed."""

from functools import lru_cache
from pathlib import Path

from paraphrast.corpora.loaders import plays
from paraphrast.judges.judge import Judge, train_judge

SEED = 1


@lru_cache(maxsize=1)
def linear_judge(folder: Path) -> Judge:
    """Train it on the plays of jhamtani17; Twelfth Night calibrates."""
    return train_judge(
        _sides(folder, "train"), valid=_sides(folder, "valid"), seed=SEED
    )


def _sides(folder: Path, split: str) -> dict[str, list[str]]:
    pairs = list(plays.pairs_of(folder, "jhamtani17", split))
    return {
        "modern": [pair.source for pair in pairs],
        "shakespeare": [pair.target for pair in pairs],
    }
