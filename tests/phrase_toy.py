"""Sixty-odd pairs of sentences that we wrote: plain English, and as of old."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def lines(name: str) -> list[str]:
    return (EXAMPLES / name).read_text("utf-8").splitlines()


PAIRS = list(zip(lines("plain.txt"), lines("old.txt"), strict=True))
STYLE = lines("old-more.txt")
NEW = list(zip(lines("new-plain.txt"), lines("new-old.txt"), strict=True))
