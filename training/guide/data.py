"""The texts that the guide learns from, tokenised for SmolLM2.

None of them is a text that the judge has read (`--judge` is the file that it learnt
from) nor a sentence of a test set, compared by letters and digits. Styles come as
training/rewriter/style_texts.py wrote them, so that guide and rewriter learn the same
styles. All text is in lower case, and often without punctuation: the guide must
recognise a style by its words.

Run    python -m training.guide.data --mirror FOLDER --styles FOLDER \\
           --judge judge.npz --vocabulary vocab.txt --tokenizer tokenizer.json \\
           [--pairs train.tsv] -o data
Needs  the corpora, tokenizers; five minutes of a CPU.
"""

import argparse
import json
import random
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from paraphrast.corpora import read_lines, read_texts
from paraphrast.judges.encoder.surface import strip_surface
from paraphrast.text.normalisation import keep_letters
from training.judge import data, mistakes
from training.judge.data import Corpora
from training.judge.nonsense import Weak
from training.judge.tables import Tables
from training.rewriter.style_texts import detokenise  # noqa: E402
from training.styles import STYLES

NATURAL, BROKEN, WEAK, HELD_OUT = 110_000, 70_000, 90_000, 3000
PLAYS, PAIRS = 14_000, 90_000
HELD = ("_own", "_dev", "_test", "_valid", "_bare")  # tables not used for training
SHORT = 5  # nonsense of fewer words often makes sense


class Smol:
    """Tokenises text as SmolLM2 does."""

    def __init__(self, path: Path) -> None:
        """Read the tokenizer."""
        import tokenizers

        self._cut = tokenizers.Tokenizer.from_file(str(path))

    def ids(self, text: str) -> list[int]:
        """Return a text's token ids."""
        return list(self._cut.encode(text).ids)

    def texts(self, tokens: list[list[int]]) -> list[str]:
        """Return the texts of token ids."""
        return list(self._cut.decode_batch(tokens))


def main() -> None:
    parser = arguments()
    parser.add_argument("--styles", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    corpora = Corpora(options.mirror, "guide")
    corpora.blocked |= read_by_judge(options.judge, options.vocabulary)
    # Keys of both kinds: with accents, as tests have them, and without, as the judge.
    tables = Tables(Smol(options.tokenizer))
    gather(tables, corpora, options)
    options.output.mkdir(parents=True, exist_ok=True)
    tables.save(options.output / "guide.npz")
    print(json.dumps(tables.sizes(), indent=1))


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line: the inputs and the output."""
    parser = argparse.ArgumentParser()
    for name in ("--mirror", "--judge", "--vocabulary", "--tokenizer"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser


def read_by_judge(path: Path, vocabulary: Path, *, learnt: bool = False) -> set[str]:
    """Return the letters of every text that the judge is trained or measured on."""
    tokens = list(read_lines(vocabulary))
    begins = np.array([not token.startswith("##") for token in tokens])
    kept = [
        "" if token == "[UNK]" else keep_letters(token.removeprefix("##"))
        for token in tokens
    ]
    result = set()
    with np.load(path) as archive:
        for name in archive.files:
            table, _, column = name.partition("/")
            if column == "ids" and not (learnt and table.endswith(HELD)):
                ends = np.cumsum(archive[f"{table}/lengths"].astype(np.int64))
                for ids in np.split(archive[name], ends[:-1]):
                    if begins[ids].sum() > 2:
                        result.add("".join([kept[i] for i in ids]))
    return result


def plain(text: str) -> str:
    """Return the letters of a text without accents, as the judge's tokens have them."""
    parts = unicodedata.normalize("NFD", text)
    return keep_letters("".join(c for c in parts if unicodedata.category(c) != "Mn"))


def free(texts: Iterable[str], corpora: Corpora) -> list[str]:
    """Return the texts that no other model has, each once."""
    return [t for t in corpora.fresh(texts) if plain(t) not in corpora.blocked]


def gather(tables: Tables, corpora: Corpora, options: argparse.Namespace) -> None:
    """Fill every table."""
    draw = corpora.draw
    pool = styles(tables, corpora, options.styles)
    pairs = meaning(corpora, options.pairs)
    plays = [(a, b) for name, a, b in pairs if name == "plays"]
    modern = [
        detokenise(text) for own in data.modern_pool(corpora).values() for text in own
    ]
    pool += free(modern, corpora)
    sides(tables, corpora, options.styles)
    fluent(tables, corpora, pool, plays)
    draw.shuffle(pairs)
    rows = list(with_negatives(pairs[:PAIRS], draw))
    tables.add(
        "pairs", [t.lower() for row in rows for t in row], [0] * len(rows), width=3
    )
    add_test_sets(tables, corpora)


def styles(tables: Tables, corpora: Corpora, folder: Path) -> list[str]:
    """Add the styles' texts; return those to learn from."""
    draw, pool = corpora.draw, []
    for number, style in enumerate(STYLES):
        for part, table in (("train", "style"), ("dev", "style_dev")):
            texts = free(lines(folder / f"{style}.{part}.txt"), corpora)
            if part == "train":
                pool += texts
                texts = [disguise_marks(text, draw) for text in texts]
            kept = [text.lower() for text in texts]
            tables.add(table, kept, [number] * len(kept))
    return pool


def sides(tables: Tables, corpora: Corpora, folder: Path) -> None:
    """Add Shakespeare's lines and those of his translators that are the guide's."""
    path = corpora.mirror / "xu12/enotes-unaligned"
    modern = [
        detokenise(text)
        for file in sorted(path.glob("*_modern.snt"))
        if not file.name.startswith("romeo")
        for text in read_texts(file)
    ]
    original = lines(folder / "shakespeare.train.txt")
    for label, texts in enumerate((modern, original)):
        kept = corpora.sample_texts(free(texts, corpora), PLAYS)
        kept = [
            disguise_marks(text, corpora.draw) for text in kept if len(text.split()) > 2
        ]
        tables.add("plays", kept, [label] * len(kept))
    for label, side in enumerate(
        zip(*data.plays(corpora.mirror, "valid"), strict=True)
    ):
        kept = [detokenise(text).lower() for text in side]
        tables.add("plays_valid", kept, [label] * len(kept))


def disguise_marks(text: str, draw: random.Random) -> str:
    """Return the text in lower case, often without its last mark or without any."""
    chance = draw.random()
    if chance < 0.25:
        return strip_surface(text)
    if chance < 0.4:
        return text.lower().rstrip(".!?;:,'\" ") or text.lower()
    return text.lower()


def meaning(corpora: Corpora, paths: Sequence[Path]) -> list[tuple[str, str, str]]:
    """Return pairs that mean the same and are the guide's, with their source."""
    result = data.meaning_pairs(corpora)
    for path in paths:
        rows = (line.split("\t") for line in lines(path))
        result += [("paraphrases", row[0], row[1]) for row in rows]
    return [
        (name, detokenise(a), detokenise(b))
        for name, a, b in result
        if not {keep_letters(a), keep_letters(b), plain(a), plain(b)} & corpora.blocked
    ]


def with_negatives(
    pairs: Sequence[tuple[str, str, str]], draw: random.Random
) -> Iterator[tuple[str, str, str]]:
    """Add to each pair a text that says something else, less, or half of it."""
    changed = list(data.with_negatives(list(pairs), draw))
    for index, (a, b, other) in enumerate(changed):
        words = draw.choice((a, b)).split()
        if (not other or draw.random() < 0.3) and len(words) > 5:
            cut = draw.randrange(2, len(words) - 2)
            stranger = pairs[index - 1][2].split()
            if draw.random() < 0.6:
                other = " ".join(words[:cut] + stranger[cut:])
            else:
                other = " ".join(words[:cut])
        yield a, b, detokenise(other)


def fluent(
    tables: Tables,
    corpora: Corpora,
    pool: list[str],
    plays: Sequence[tuple[str, str]],
) -> None:
    """Add natural sentences (1), the same ones broken, and fluent nonsense (0)."""
    draw = corpora.draw
    texts = [t for t in pool if len(t.split()) > SHORT]
    draw.shuffle(texts)
    sentences = [mistakes.split(t.lower()) for t in texts[: NATURAL + HELD_OUT]]
    learnt = sentences[HELD_OUT:]
    babbler = mistakes.Babbler(learnt)
    strangers = [w for words in learnt[:60_000] for w in words if w.isalpha()]
    weak = Weak(
        learnt,
        [(mistakes.split(a.lower()), mistakes.split(b.lower())) for a, b in plays],
    )

    def break_words(words: list[str]) -> list[str]:
        return mistakes.break_sentence(
            words, draw, strangers=strangers, babbler=babbler
        )

    parts = {
        "natural": (learnt, NATURAL, BROKEN, WEAK),
        "natural_own": (sentences[:HELD_OUT], HELD_OUT, HELD_OUT // 2, HELD_OUT // 2),
    }
    for name, (source, *counts) in parts.items():
        made = (
            source[: counts[0]],
            [break_words(words) for words in source[: counts[1]]],
            [weak.make(words, draw)[1] for words in source[-counts[2] :]],
        )
        for label, rows in zip((1, 0, 0), made, strict=True):
            kept = [disguise_marks(detokenise(" ".join(words)), draw) for words in rows]
            tables.add(name, kept, [label] * len(kept))


def add_test_sets(tables: Tables, corpora: Corpora) -> None:
    """Add the test sets of the guide, for information."""
    mirror = corpora.mirror
    for name, read in (("cola", data.cola), ("gug", data.gug)):
        rows = read(mirror, "dev")
        tables.add(f"{name}_test", [t.lower() for t, _ in rows], [v for _, v in rows])
    pairs = data.stsb(mirror, "dev")
    texts = [t.lower() for a, b, _ in pairs for t in (a, b)]
    tables.add("sts_test", texts, [v for *_, v in pairs], width=2)


def lines(path: Path) -> list[str]:
    """Return the lines of a file."""
    return list(read_lines(path))


if __name__ == "__main__":
    main()
