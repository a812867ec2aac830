"""Assemble the default pack: the student, the checker and the manifest.

The student and the checker are folders for CTranslate2 (`student.export`,
`checker.export`). The checker's vocabulary is cut to the tokens that the given texts
use, since its embeddings are half of it; texts whose tokens are all kept score as
before, and how many of everyday's development part these are is printed.

Weights in 8 bits are rounded to 7: a wheel, being compressed, becomes 10 MB smaller.
training/LOG.md says what that does to the rewrites.

The manifest names every collection of texts with its licence (`card.toml`) and a hash
of the lines that the student learnt from. A student that went on from a pack's
(``--before``) takes that pack's hashes into the new ones, and its checker if no other
is given. What the checker says is weighed, and judged in each style, as
``--combination`` tells (`checker.combine`).

Run    python -m training.everyday.pack --student FOLDER --checker FOLDER
              --text FILE... -o src/paraphrast/neural/packs/small [--replace]
       python -m training.everyday.pack --student FOLDER --before PACK --text FILE...
              -o FOLDER [--checker FOLDER]
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
)
from paraphrast.neural.models.pack import Settings
from paraphrast.neural.styles import KIND
from paraphrast.storage import ctranslate2_weights, packs
from paraphrast.storage.ctranslate2_weights import Weights
from paraphrast.storage.packs import About, Data
from paraphrast.text.wordpiece import WordPiece
from training.everyday import corpus

CARD = Path(__file__).parent / "card.toml"
COMBINATION = Path(__file__).parent / "combination.json"  # of `checker.combine`
MODEL = "model.bin"
STUDENT = ("config.json", "shared_vocabulary.json", "tokenizer.json")
FEWEST = 2  # minimum number of uses for a token to be kept
OURS = "everyday"  # rows that name no other collection


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--student", type=Path, required=True)
    parser.add_argument("--checker", type=Path)
    parser.add_argument("--before", type=Path, help="the pack the student began from")
    parser.add_argument("--combination", type=Path, default=COMBINATION)
    parser.add_argument("--text", type=Path, nargs="+", required=True)
    parser.add_argument("--replace", action="store_true")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if not (options.checker or options.before):
        parser.error("give --checker, or --before for the checker of a pack")
    card = tomllib.loads(CARD.read_text("utf-8"))
    combination = json.loads(options.combination.read_text("utf-8"))
    with packs.new(options.output, replacing=options.replace) as filling:
        for name in STUDENT:
            shutil.copyfile(options.student / name, filling / name)
        model = ctranslate2_weights.read(options.student / MODEL)
        ctranslate2_weights.write(round_to_7_bits(model), filling / MODEL)
        before: tuple[Data, ...] = ()
        if options.before:
            before = packs.read(options.before).about.data
        if options.checker:
            (filling / FOLDER).mkdir()
            prune_checker(options.checker, options.text, filling / FOLDER)
        else:
            shutil.copytree(options.before / FOLDER, filling / FOLDER)
        weigh_checker(filling / FOLDER, combination["weights"])
        about = describe(card, options.output.name, options.text, before)
        settings = Settings(
            "encoder-decoder", "</s>", tagged=True, **card["settings"],
            meaning_by_style=combination["by style"]["thresholds"],
        )  # fmt: skip
        packs.seal(filling, about, asdict(settings))
    if options.checker:
        compare(options.checker, options.output / FOLDER)
    size = sum(
        path.stat().st_size for path in options.output.rglob("*") if path.is_file()
    )
    print(f"{size / 1e6:.1f} MB")


def describe(
    card: Mapping[str, Any],
    name: str,
    texts: Sequence[Path],
    before: Sequence[Data] = (),
) -> About:
    """Return the pack's manifest; hashes continue from those ``before``."""
    digests = {collection: hashlib.sha256() for collection in card["collections"]}
    for data in before:
        digests[data.name].update(f"{data.sha256}\n".encode())
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
    """Write a checker with only the tokens that the texts use, and every character."""
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
    model = keep_rows(ctranslate2_weights.read(folder / MODEL), kept)
    ctranslate2_weights.write(round_to_7_bits(model), output / MODEL)
    text = json.dumps([tokens[number] for number in kept], ensure_ascii=False)
    (output / VOCABULARY).write_text(text, encoding="utf-8")
    for name in ("config.json", HEAD):
        shutil.copyfile(folder / name, output / name)


def weigh_checker(folder: Path, weights: Sequence[float]) -> None:
    """Set how a checker is combined with other signals of meaning."""
    with np.load(folder / HEAD) as arrays:
        trained = dict(arrays)
    np.savez(folder / HEAD, **trained | {"combined": np.array(weights)})


def keep_rows(weights: Weights, kept: Sequence[int]) -> Weights:
    """Return weights whose word embeddings have only these rows."""
    arrays = {
        name: np.ascontiguousarray(value[list(kept)])
        if name.startswith("encoder/embeddings_0/")
        else value
        for name, value in weights.arrays.items()
    }
    return replace(weights, arrays=arrays)


def round_to_7_bits(weights: Weights) -> Weights:
    """Return weights whose 8-bit numbers are even, within ±126."""
    arrays = {
        name: np.clip(2 * np.rint(value / 2), -126, 126).astype(np.int8)
        if value.dtype == np.int8 and value.ndim == 2  # the others are settings
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
    """Print how many texts the pruned checker reads in the same tokens."""
    before, after = (
        WordPiece(json.loads((folder / VOCABULARY).read_text("utf-8")))
        for folder in (whole, pruned)
    )
    texts = [
        said
        for text in corpus.read_texts()
        if text.split == "dev"
        for said in text.versions.values()
    ]
    same = sum(
        [before.tokens[i] for i in before.ids(text)]
        == [after.tokens[i] for i in after.ids(text)]
        for text in texts
    )
    print(f"{same / len(texts):.2%} of {len(texts)} dev texts have the same tokens")


if __name__ == "__main__":
    main()
