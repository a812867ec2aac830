"""The texts that the judges learn from, tokenised.

Judge and guide (training.guide.data) get disjoint texts; overlap_report.py counts what
they share. No sentence of a test or development set goes in (`blocked`). Blocks of two
hundred lines of a style's text belong to one side as a whole, so that no sentence's
neighbours are on the other.

Run    python -m training.judge.data --mirror FOLDER --vocabulary vocab.txt -o data
Needs  the corpora; five minutes of a CPU.
"""

import argparse
import csv
import json
import lzma
import random
import re
import string
from collections.abc import Iterable, Iterator
from pathlib import Path

from paraphrast.corpora import read_lines, read_texts
from paraphrast.judges.encoder.surface import features, strip_surface
from paraphrast.text.normalisation import keep_letters, straighten
from paraphrast.text.sentences import split_sentences
from paraphrast.text.wordpiece import WordPiece
from training.judge import mistakes
from training.judge.tables import Tables
from training.splits import BLOCK, drop_blocked, owner
from training.styles import STYLES

CDS = (
    "aae", "bible", "coha_1810-1830", "coha_1890-1910", "coha_1990-2000",
    "english_tweets", "joyce", "lyrics", "romantic_poetry", "shakespeare",
    "switchboard",
)  # fmt: skip
MOST, HELD_OUT = 24_000, 600
SEED = 1


class Corpora:
    """Reads the corpora of a mirror for one side, ``judge`` or ``guide``."""

    def __init__(self, mirror: Path, side: str) -> None:
        """Remember what must not be learnt from."""
        self.mirror, self.side = mirror, side
        self.blocked = find_test_sentences(mirror)
        self.draw = random.Random(f"{SEED} {side}")

    def fresh(self, texts: Iterable[str]) -> list[str]:
        """Return the texts that are neither blocked nor repeated."""
        return drop_blocked(texts, self.blocked)

    def style_file(self, name: str, *, verse: bool = False) -> dict[str, list[str]]:
        """Return a style file's sentences for this side, and those held out."""
        path = self.mirror / "styles" / f"{name}.txt.xz"
        with lzma.open(path, "rt", encoding="utf-8") as file:
            text = straighten(file.read())
        lines = text.split("\n")
        result: dict[str, list[str]] = {"judge": [], "guide": [], "held out": []}
        for start in range(0, len(lines), BLOCK):
            part = owner(f"{name} {start}")
            block = lines[start : start + BLOCK]
            result[part] += verses(block) if verse else prose(block)
        return {part: self.fresh(texts) for part, texts in result.items()}

    def mine(self, texts: Iterable[str]) -> list[str]:
        """Return the texts assigned to this side by their hash."""
        return [t for t in self.fresh(texts) if owner(keep_letters(t)) == self.side]

    def sample_texts(self, texts: list[str], most: int) -> list[str]:
        """Return at most a given number of the texts."""
        texts = list(texts)
        self.draw.shuffle(texts)
        return texts[:most]


def find_test_sentences(mirror: Path) -> set[str]:
    """Return the letters of every sentence used for evaluation."""
    texts: list[str] = []
    for name in ("test", "valid"):
        for style in ("modern", "original"):
            texts += read_texts(mirror / f"jhamtani17/{name}.{style}.nltktok")
    for folder in ("xu12/eval", "xu12/romeojuliet", "strap/shakespeare"):
        for path in sorted((mirror / folder).iterdir()):
            texts += read_texts(path)
    for path in sorted((mirror / "strap/baselines").glob("*/transfer_entire_test.txt")):
        texts += read_texts(path)
    for path in sorted((mirror / "xu12").glob("*/rom*")):
        texts += read_texts(path)
    texts += [text for text, _ in cola(mirror, "dev")]
    texts += [text for text, _ in gug(mirror, "dev")]
    texts += [text for text, _ in pt16(mirror, "tune")]
    texts += [text for a, b, _ in stsb(mirror, "dev") for text in (a, b)]
    # One or two words are not blocked: "Yes." may be learnt from.
    return {keep_letters(text) for text in texts if len(text.split()) > 2}


def prose(lines: list[str]) -> Iterator[str]:
    """Return the sentences of wrapped prose, or of one text per line."""
    for paragraph in re.split(r"\n\s*\n", "\n".join(line.strip() for line in lines)):
        text = " ".join(paragraph.split()).replace("_", "")
        for span in split_sentences(text):
            sentence = text[span.start : span.end]
            if is_sentence(sentence):
                yield sentence


def verses(lines: list[str]) -> Iterator[str]:
    """Return lines of verse, one or two at a time."""
    kept = [" ".join(line.split()).replace("_", "") for line in lines]
    for number, line in enumerate(kept):
        two = f"{line} {kept[number + 1]}" if number + 1 < len(kept) else line
        text = two if number % 3 == 0 and kept[min(number + 1, len(kept) - 1)] else line
        if is_sentence(text) and number % 3 != 1:
            yield text


def is_sentence(text: str) -> bool:
    """Return whether a text is a sentence of fair length, not a heading or a table."""
    words = text.split()
    small = sum(character.islower() for character in text)
    return (
        3 <= len(words) <= 60
        and small > 0.6 * len(text.replace(" ", ""))
        and "gutenberg" not in text.lower()
        and not text.startswith(("*", "[", "|"))
    )


def cola(mirror: Path, part: str) -> list[tuple[str, float]]:
    """Return CoLA's sentences, 1 where acceptable."""
    lines = read_lines(mirror / f"cola/in_domain_{part}.tsv")
    rows = [line.split("\t") for line in lines]
    return [(row[3], float(row[1])) for row in rows]


def gug(mirror: Path, part: str) -> list[tuple[str, float]]:
    """Return GUG's sentences and their mean score, 1 to 4, scaled to 0 to 1."""
    path = mirror / "gug/gug_annotations.train_dev.tsv"
    rows = list(
        csv.DictReader(read_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    )
    return [
        (row["Sentence"], (float(row["Average"]) - 1) / 3)
        for row in rows
        if row["Dataset"] == part
    ]


def pt16(mirror: Path, part: str) -> list[tuple[str, float]]:
    """Return the sentences of Pavlick & Tetreault and their formality, -3 to 3."""
    with (mirror / f"pt16/{part}.csv").open(encoding="utf-8", newline="") as file:
        return [(row["sentence"], float(row["label"])) for row in csv.DictReader(file)]


def stsb(mirror: Path, part: str) -> list[tuple[str, str, float]]:
    """Return pairs of STS-B and their similarity, 0 to 1."""
    with (mirror / f"stsb/stsb-en-{part}.csv").open(encoding="utf-8", newline="") as f:
        return [(a, b, float(score) / 5) for a, b, score in csv.reader(f)]


def plays(mirror: Path, part: str) -> list[tuple[str, str]]:
    """Return the two sides of the plays' pairs."""
    folder = mirror / "jhamtani17"
    sides = (folder / f"{part}.{side}.nltktok" for side in ("modern", "original"))
    return list(zip(*map(read_texts, sides), strict=True))


def bible(mirror: Path, version: str) -> dict[tuple[str, str, str], str]:
    """Return a Bible's verses by book, chapter and verse."""
    rows = (
        line.split("\t") for line in read_lines(mirror / f"bibles/{version}.tsv.xz")
    )
    return {(row[0], row[1], row[2]): straighten(row[3]) for row in rows}


def vary_surface(text: str, draw: random.Random) -> str:
    """Return the text as it is, or without punctuation, or with split clitics."""
    chance = draw.random()
    if chance < 0.3:
        return strip_surface(text)
    if chance < 0.45:
        return re.sub(r"(n't|'s|'re|'ll|'d|'ve|'m)\b", r" \1", text)
    if chance < 0.55:
        return text.rstrip(string.punctuation + " ")
    return text


def style_texts(corpora: Corpora) -> dict[str, dict[str, list[str]]]:
    """Return texts by style and part; modern English is split by formality later."""
    verse = corpora.style_file("poetry", verse=True)
    result = {
        "poetry": verse,
        "prose-1810": corpora.style_file("prose-1810-1830"),
        "prose-1890": corpora.style_file("prose-1890-1910"),
        "joyce": corpora.style_file("joyce"),
        "tweet": corpora.style_file("tweets"),
        "conversation": corpora.style_file("switchboard"),
    }
    verses_by_part: dict[str, list[str]] = {"judge": [], "guide": [], "held out": []}
    for version in ("KJV", "ASV", "DRA", "DARBY"):
        for (book, chapter, _), text in bible(corpora.mirror, version).items():
            if is_sentence(text):
                verses_by_part[owner(f"{book} {chapter}")].append(text)
    result["bible"] = {k: corpora.fresh(v) for k, v in verses_by_part.items()}
    result["shakespeare"] = shakespeare(corpora)
    return result


def shakespeare(corpora: Corpora) -> dict[str, list[str]]:
    """Return the training plays for the judge, and the other plays for the guide."""
    judge = corpora.fresh(original for _, original in plays(corpora.mirror, "train"))
    of_the_judge = {keep_letters(text) for text in judge}
    lines = read_texts(corpora.mirror / "xu12/lm/36plays.original")
    rest = [
        t
        for t in corpora.fresh(lines)
        if keep_letters(t) not in of_the_judge and is_sentence(t)
    ]
    valid = [original for _, original in plays(corpora.mirror, "valid")]
    return {"judge": judge, "guide": rest, "held out": valid}


def modern_pool(corpora: Corpora) -> dict[str, list[str]]:
    """Return modern English by source: of all topics, formal and informal."""
    mirror = corpora.mirror
    reviews = corpora.style_file("reviews-imdb")
    essays = corpora.style_file("formal-1900s-essays")
    result = {
        "reviews": reviews[corpora.side],
        "essays": corpora.sample_texts(essays[corpora.side], 4000),
        "europarl": corpora.mine(first_column(mirror, "bilingual/europarl.en-fr")),
        "tatoeba": corpora.mine(first_column(mirror, "bilingual/tatoeba.en-fra")),
        "quora": corpora.mine(quora_texts(mirror)),
        "captions": corpora.mine(first_column(mirror, "paraphrase/multi30k-captions")),
        "bible in modern English": [
            text
            for version in ("BBE", "WEB", "LEB")
            for (book, chapter, _), text in bible(mirror, version).items()
            if owner(f"{book} {chapter}") == corpora.side and is_sentence(text)
        ],
        "STS-B": [t for a, b, _ in stsb(mirror, "train") for t in (a, b)]
        if corpora.side == "judge"
        else [],
    }
    return {
        k: corpora.sample_texts(corpora.fresh(v), 12_000) for k, v in result.items()
    }


def first_column(mirror: Path, name: str) -> Iterator[str]:
    """Return the first column of a table, where it is a sentence of fair length."""
    for line in read_lines(mirror / f"{name}.tsv.xz"):
        text = straighten(line.split("\t")[0])
        if is_sentence(text):
            yield text


def quora_texts(mirror: Path) -> Iterator[str]:
    """Return both sides of Quora's pairs."""
    for line in read_lines(mirror / "paraphrase/quora.tsv.xz"):
        yield from line.split("\t")[:2]


def meaning_pairs(corpora: Corpora) -> list[tuple[str, str, str]]:
    """Return pairs that mean the same, with their source."""
    mirror, side = corpora.mirror, corpora.side
    result: list[tuple[str, str, str]] = []
    if side == "judge":
        result += [("plays", a, b) for a, b in plays(mirror, "train")]
    else:
        result += [("plays", a, b) for a, b in enotes(mirror)]
    versions = {
        name: bible(mirror, name) for name in ("KJV", "BBE", "WEB", "LEB", "YLT")
    }
    for one, other in (("KJV", "BBE"), ("KJV", "WEB"), ("YLT", "LEB"), ("BBE", "WEB")):
        shared = versions[one].keys() & versions[other].keys()
        keys = [k for k in sorted(shared) if owner(f"{k[0]} {k[1]}") == side]
        for key in corpora.sample_texts(keys, 6000):  # type: ignore[arg-type]
            result.append(("bible", versions[one][key], versions[other][key]))  # type: ignore[index]
    for line in read_lines(mirror / "paraphrase/quora.tsv.xz"):
        a, b = line.split("\t")[:2]
        if owner(a) == side:
            result.append(("quora", a, b))
    for line in read_lines(mirror / "paraphrase/multi30k-captions.tsv.xz"):
        captions = line.split("\t")
        if owner(captions[0]) == side:
            result.append(("captions", captions[0], captions[2]))
    return [
        (name, a, b)
        for name, a, b in result
        if keep_letters(a) not in corpora.blocked
        and keep_letters(b) not in corpora.blocked
    ]


def enotes(mirror: Path) -> Iterator[tuple[str, str]]:
    """Return pairs of the other translation, without the test play."""
    for path in sorted((mirror / "xu12/enotes").glob("*_modern.snt.aligned")):
        if not path.name.startswith("romeo"):
            other = path.with_name(path.name.replace("_modern", "_original"))
            yield from zip(read_texts(path), read_texts(other), strict=True)


def with_negatives(
    pairs: list[tuple[str, str, str]], draw: random.Random
) -> Iterator[tuple[str, str, str]]:
    """Add a text of another meaning to each pair, "" where none could be made."""
    names = sorted(
        {w for _, a, _ in pairs for w in mistakes.split(a)[1:] if w.istitle()}
    )
    draw.shuffle(names)
    names = names[:4000]
    for _, a, b in pairs:
        base = draw.choice((a, b))
        other = mistakes.change_meaning(mistakes.split(base), draw, names=names)
        yield a, b, " ".join(other) if other else ""


def mix_sides(pairs: list[tuple[str, str]], draw: random.Random) -> Iterator[str]:
    """Return sentences half of one side and half of the other, like machine output."""
    for a, b in pairs:
        first, second = a.split(), b.split()
        if min(len(first), len(second)) > 4:
            cut = draw.uniform(0.25, 0.75)
            one, other = (first, second) if draw.random() < 0.5 else (second, first)
            yield " ".join(one[: int(cut * len(one))] + other[int(cut * len(other)) :])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    tokens = list(read_lines(options.vocabulary))
    tables = Tables(WordPiece(tokens))
    corpora = Corpora(options.mirror, "judge")
    gather(tables, corpora)
    options.output.mkdir(parents=True, exist_ok=True)
    tables.save(options.output / "judge.npz")
    print(json.dumps(tables.sizes(), indent=1))


def gather(tables: Tables, corpora: Corpora) -> None:
    """Fill every table of the judge."""
    draw, mirror = corpora.draw, corpora.mirror
    styles = style_texts(corpora)
    pool: list[str] = []
    for style, parts in styles.items():
        texts = corpora.sample_texts(parts[corpora.side], MOST)
        pool += texts
        tables.add(
            "style",
            [vary_surface(t, draw) for t in texts],
            [STYLES.index(style)] * len(texts),
        )
        held = corpora.sample_texts(parts["held out"], 2 * HELD_OUT)
        for name, half in (("style_dev", held[::2]), ("style_test", held[1::2])):
            tables.add(name, half, [STYLES.index(style)] * len(half))
    modern = modern_pool(corpora)
    for number, texts in enumerate(modern.values()):
        pool += texts
        tables.add(
            "modern", [vary_surface(t, draw) for t in texts], [number] * len(texts)
        )
    pairs = [
        (a, b)
        for a, b in plays(mirror, "train")
        if not {keep_letters(a), keep_letters(b)} & corpora.blocked
    ]
    sides = [a for a, _ in pairs], [b for _, b in pairs]
    add_judged(tables, corpora)
    pool += sides[0]
    for label, texts in enumerate(sides):
        tables.add(
            "plays", [vary_surface(t, draw) for t in texts], [label] * len(texts)
        )
    for name in ("valid", "test"):
        for label, side in enumerate(zip(*plays(mirror, name), strict=True)):
            tables.add(f"plays_{name}", list(side), [label] * len(side))
    pairs3 = meaning_pairs(corpora)
    draw.shuffle(pairs3)
    rows3 = list(with_negatives(pairs3[:60_000], draw))
    tables.add("pairs", [t for row in rows3 for t in row], [0] * len(rows3), width=3)
    add_fluent(tables, pool, draw)
    add_unlabelled(tables, pool, rows3, sides, draw)


def add_judged(tables: Tables, corpora: Corpora) -> None:
    """Add human judgments; a tenth of each training part is kept for validation."""
    mirror, draw = corpora.mirror, corpora.draw
    for name, read, last in (
        ("cola", cola, "dev"),
        ("gug", gug, "dev"),
        ("pt16", pt16, "tune"),
    ):
        rows = [
            (t, v)
            for t, v in read(mirror, "train")
            if keep_letters(t) not in corpora.blocked
        ]
        draw.shuffle(rows)
        cut = len(rows) // 10
        parts = {
            f"{name}_own": rows[:cut],
            name: rows[cut:],
            f"{name}_test": read(mirror, last),
        }
        for table, result in parts.items():
            texts = [t for t, _ in result]
            tables.add(table, texts, [v for _, v in result])
            if name == "pt16":
                tables.attach(table, "features", features(texts))
                bare = [strip_surface(t) for t in texts]
                tables.add(f"{table}_bare", bare, [v for _, v in result])
    # The official parts of STS-B share sentences.
    judged_pairs = [
        (a, b, v)
        for a, b, v in stsb(mirror, "train")
        if not {keep_letters(a), keep_letters(b)} & corpora.blocked
    ]
    draw.shuffle(judged_pairs)
    for table, own in (
        ("sts_own", judged_pairs[:500]),
        ("sts", judged_pairs[500:]),
        ("sts_test", stsb(mirror, "dev")),
    ):
        tables.add(
            table,
            [t for a, b, _ in own for t in (a, b)],
            [v for *_, v in own],
            width=2,
        )
    for label, style in enumerate(CDS):
        texts = corpora.fresh(read_texts(mirror / f"cds-samples/{style}.txt"))
        tables.add(
            "cds",
            [vary_surface(t, draw) for t in texts[200:]],
            [label] * len(texts[200:]),
        )
        tables.add("cds_own", texts[:100], [label] * len(texts[:100]))
        tables.add("cds_test", texts[100:200], [label] * len(texts[100:200]))


def add_fluent(tables: Tables, pool: list[str], draw: random.Random) -> None:
    """Add natural sentences (1) and the same ones broken (0), of every style."""
    texts = list(pool)
    draw.shuffle(texts)
    sentences = [mistakes.split(t) for t in texts[:160_000]]
    babbler = mistakes.Babbler([w.lower() for w in words] for words in sentences)
    strangers = [w for words in sentences[:60_000] for w in words if w.isalpha()]
    kept = [
        vary_surface(t, draw) if draw.random() < 0.3 else t for t in texts[:110_000]
    ]
    tables.add("natural", kept, [1] * len(kept))
    break_sentence = [
        " ".join(
            mistakes.break_sentence(
                [w.lower() for w in words], draw, strangers=strangers, babbler=babbler
            )
        )
        for words in sentences[:110_000]
    ]
    tables.add("natural", break_sentence, [0] * len(break_sentence))
    more = [
        " ".join(
            mistakes.break_sentence(
                [w.lower() for w in words], draw, strangers=strangers, babbler=babbler
            )
        )
        for words in sentences[110_000:160_000]
    ]
    tables.add("unlabelled", more, [0] * len(more))


def add_unlabelled(
    tables: Tables,
    pool: list[str],
    rows: list[tuple[str, str, str]],
    sides: tuple[list[str], list[str]],
    draw: random.Random,
) -> None:
    """Add texts that only the large judge labels."""
    texts = [vary_surface(t, draw) for t in pool[::2]]
    texts += [t for row in rows[:30_000] for t in row if t]
    texts += mix_sides(list(zip(*sides, strict=True)), draw)
    tables.add("unlabelled", texts, [0] * len(texts))


if __name__ == "__main__":
    main()
