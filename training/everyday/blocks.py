"""Add texts to the everyday corpus from files of blocks, as its guide has them written.

A block begins with ``# kind`` and has one line ``style: text`` per style; a blank line
ends it. A block is left out, with the reason, when a style is missing, when its figures
differ between versions, or when its plain text is in the corpus already. The split
follows from the plain text; ``--split train`` leaves out what is not for training,
for blocks whose sources a model has been taught with.

Run    python -m training.everyday.blocks FILE... [--split train]
              [--texts corpora/everyday/texts.jsonl]
"""

import argparse
import hashlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from paraphrast.corpora.checking import find_text_faults
from paraphrast.corpora.loaders.everyday import STYLES, Text, split_of
from training.everyday import corpus


def read_blocks(lines: Iterable[str], file: str) -> Iterator[Text]:
    """Yield the texts of the blocks of a file, whole or not."""
    kind, versions = "", {}
    for line in (*lines, ""):
        if line.startswith("#"):
            kind = line[1:].strip()
        elif line.strip():
            style, _, said = line.partition(":")
            versions[style.strip()] = said.strip()
        elif versions:
            plain = versions.get("plain", "")
            digest = hashlib.sha256(plain.encode()).hexdigest()
            yield Text(digest[:12], file, kind, split_of(plain), versions)
            kind, versions = "", {}


def select_new(
    texts: Iterable[Text], given: Collection[str], split: str
) -> tuple[list[Text], list[str]]:
    """Return the texts to be added, and why each of the others is rejected."""
    seen, kept, dropped = {one.casefold() for one in given}, [], []
    for text in texts:
        plain = text.versions.get("plain", "").casefold()
        faults = list(find_text_faults(text, STYLES))
        if faults:
            dropped.extend(faults)
        elif plain in seen:
            dropped.append(f"{text.id}: the corpus has this text")
        elif split and text.split != split:
            dropped.append(f"{text.id}: its split would be {text.split}")
        else:
            seen.add(plain)
            versions = {style: text.versions[style] for style in STYLES}
            kept.append(Text(text.id, text.file, text.kind, text.split, versions))
    return kept, dropped


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--texts", type=Path, default=corpus.TEXTS)
    parser.add_argument("--split", default="")
    options = parser.parse_args()
    rows = corpus.read_rows(options.texts)
    given = [row["versions"]["plain"] for row in rows]
    written = [
        text
        for path in options.files
        for text in read_blocks(path.read_text("utf-8").splitlines(), path.stem)
    ]
    kept, dropped = select_new(written, given, options.split)
    added = [
        {"id": text.id, "file": text.file, "kind": text.kind, "split": text.split,
         "versions": text.versions}
        for text in kept
    ]  # fmt: skip
    corpus.write_rows(options.texts, rows + added)
    print("\n".join(dropped))
    print(f"{len(kept)} texts added, {len(dropped)} faults, {len(rows)} before")


if __name__ == "__main__":
    main()
