"""The command that turns part of a pack into a folder that training can read."""

import argparse
from collections.abc import Callable
from pathlib import Path


def run(restore: Callable[[Path, Path], None], description: str | None) -> None:
    """Parse ``--pack FOLDER -o FOLDER``, and restore the one into the other."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    restore(options.pack, options.output)
