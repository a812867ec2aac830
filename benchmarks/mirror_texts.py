"""Two million distinct lines of real English, for benchmarks that need many.

They are those of the style corpora, and the English sides of Europarl and Tatoeba, from
the catalogue's mirror (``PARAPHRAST_MIRROR``). They are shuffled with a seed, so that
every part of a file has the same kinds of text.
"""

import lzma
import random
from collections.abc import Iterator
from pathlib import Path

SEED = 1
FILES = ("styles/*.txt.xz", "bilingual/europarl.*.tsv.xz", "bilingual/tatoeba.*.tsv.xz")


def read_texts(mirror: Path) -> list[str]:
    """Return the distinct lines of the corpora below a folder, in random order."""
    texts = list(dict.fromkeys(_read_lines(mirror)))
    random.Random(SEED).shuffle(texts)
    return texts


def _read_lines(mirror: Path) -> Iterator[str]:
    for pattern in FILES:
        for path in sorted(mirror.glob(pattern)):
            with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
                for line in file:
                    if text := line.partition("\t")[0].strip():
                        yield text
