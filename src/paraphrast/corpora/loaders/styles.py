"""Text in one style: cds-samples (one sentence per line) and styles (books, …)."""

from collections.abc import Iterator
from pathlib import Path

from paraphrast.corpora.lines import read_texts, unpacked_name
from paraphrast.errors import unknown

HEADING = "#### "  # opens a book in the files of `styles`


def texts_of(folder: Path, name: str, split: str) -> Iterator[str]:
    """Yield the texts of a style, without blank lines and headings of books.

    In books a text is a printed line, not a sentence.
    """
    files = {
        unpacked_name(path).removesuffix(".txt"): path for path in folder.iterdir()
    }
    if split not in files:
        raise unknown("style", split, files)
    return (t for t in read_texts(files[split]) if not t.startswith(HEADING))
