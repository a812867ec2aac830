"""Put the default pack together: the student, the checker, and what must be known.

The student and the checker are folders for CTranslate2 (`student.export`,
`checker.export`). The checker's vocabulary is cut to the tokens that the given texts
use, since its embeddings are half of it; texts whose tokens are all kept score as
before, which is checked on pairs and printed.

The manifest names every collection of texts with its licence (`card.toml`) and a hash
of the lines that the student learnt from.

Run    python -m training.everyday.pack --student FOLDER --checker FOLDER
              --text FILE... -o src/paraphrast/neural/packs/small [--replace]
       FILE is JSON lines: everyday's texts and documents, and the student's pairs,
       whose rows say what collection they are ``from``
"""

import argparse
import hashlib
import json
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.neural.candidates.checker import (
    FOLDER,
    HEAD,
    VOCABULARY,
    MeaningChecker,
)
from paraphrast.neural.models.pack import Settings
from paraphrast.neural.styles import KIND
from paraphrast.storage import ctranslate2_weights, packs
from paraphrast.storage.ctranslate2_weights import Weights
from paraphrast.storage.packs import About, Data
from paraphrast.text.wordpiece import WordPiece
from training.everyday import corpus

CARD = Path(__file__).parent / "card.toml"
STUDENT = ("config.json", "model.bin", "shared_vocabulary.json", "tokenizer.json")
FEWEST = 2  # times that a token must be used to be kept
CHECKED = 500  # pairs
OURS = "everyday"  # rows that name no other collection


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--student", type=Path, required=True)
    parser.add_argument("--checker", type=Path, required=True)
    parser.add_argument("--text", type=Path, nargs="+", required=True)
    parser.add_argument("--replace", action="store_true")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    card = tomllib.loads(CARD.read_text("utf-8"))
    with packs.new(options.output, replacing=options.replace) as filling:
        for name in STUDENT:
            shutil.copyfile(options.student / name, filling / name)
        (filling / FOLDER).mkdir()
        prune_checker(options.checker, options.text, filling / FOLDER)
        about = describe(card, options.output.name, options.text)
        settings = Settings("encoder-decoder", "</s>", tagged=True, **card["settings"])
        packs.seal(filling, about, asdict(settings))
    compare(options.checker, options.output / FOLDER)
    size = sum(
        path.stat().st_size for path in options.output.rglob("*") if path.is_file()
    )
    print(f"{size / 1e6:.1f} MB")


def describe(card: Mapping[str, Any], name: str, texts: Sequence[Path]) -> About:
    """Return what the pack says of itself."""
    digests = {collection: hashlib.sha256() for collection in card["collections"]}
    for path in texts:
        for row in corpus.read_rows(path):
            line = json.dumps(row, sort_keys=True, ensure_ascii=False)
            digests[row.get("from") or OURS].update(f"{line}\n".encode())
    return About(
        name=name,
        kind=KIND,
        styles=card["styles"],
        licences=tuple(card["licences"]),
        data=tuple(
            Data(collection, digests[collection].hexdigest(), licence)
            for collection, licence in card["collections"].items()
        ),
    )


def prune_checker(folder: Path, texts: Sequence[Path], output: Path) -> None:
    """Write a checker with the tokens that the texts use, and every character."""
    tokens = json.loads((folder / VOCABULARY).read_text("utf-8"))
    words = WordPiece(tokens)
    counts: Counter[int] = Counter()
    for path in texts:
        for text in read_strings(path):
            counts.update(words.ids(text))
    kept = [
        number
        for number, token in enumerate(tokens)
        if counts[number] >= FEWEST
        or (token.startswith("[") and not token.startswith("[unused"))
        or (len(token.removeprefix("##")) == 1 and token.isascii())
    ]
    print(f"{len(kept)} of {len(tokens)} tokens of the checker are kept")
    weights = ctranslate2_weights.read(folder / "model.bin")
    pruned = keep_rows(weights, kept)
    ctranslate2_weights.write(pruned, output / "model.bin")
    text = json.dumps([tokens[number] for number in kept], ensure_ascii=False)
    (output / VOCABULARY).write_text(text, encoding="utf-8")
    for name in ("config.json", HEAD):
        shutil.copyfile(folder / name, output / name)


def keep_rows(weights: Weights, kept: Sequence[int]) -> Weights:
    """Return weights whose embeddings of words have these rows only."""
    arrays = {
        name: np.ascontiguousarray(value[list(kept)])
        if name.startswith("encoder/embeddings_0/")
        else value
        for name, value in weights.arrays.items()
    }
    return replace(weights, arrays=arrays)


def read_strings(path: Path) -> Iterator[str]:
    """Yield every string of the rows of a file."""
    for row in corpus.read_rows(path):
        waiting: list[Any] = [row]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, Mapping):
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value


def compare(whole: Path, pruned: Path) -> None:
    """Print how far the pruned checker's scores are from those of the whole one."""
    texts = [text for text in corpus.read_texts() if text.split == "dev"]
    pairs = [
        (text.plain, said)
        for text in texts
        for style, said in text.versions.items()
        if style != "plain"
    ][:CHECKED]
    sources, rewrites = [s for s, _ in pairs], [r for _, r in pairs]
    before, after = (
        np.array(MeaningChecker(folder).score(sources, rewrites))
        for folder in (whole, pruned)
    )
    same = float(np.mean(np.abs(before - after) < 1e-6))
    print(f"{same:.1%} of {len(pairs)} scores are the same; the others differ by up to "
          f"{float(np.abs(before - after).max()):.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
