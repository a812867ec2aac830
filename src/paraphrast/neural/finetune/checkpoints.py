"""Training checkpoints: written atomically, and read safely."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic


def save(table: dict[str, Any], path: Path) -> None:
    """Write a table of tensors and plain values."""
    with atomic.bytes_writer(path) as file:
        torch.save(table, file)


def restore(path: Path, take: Callable[[dict[str, Any]], None]) -> None:
    """Read a table and pass it to ``take``; refuse a damaged one."""
    try:
        take(torch.load(path, map_location="cpu", weights_only=True))
    except (RuntimeError, KeyError, ValueError, EOFError, TypeError) as error:
        raise ParaphrastError(
            f"cannot resume: {path} is damaged. Leave out --resume to start over."
        ) from error
