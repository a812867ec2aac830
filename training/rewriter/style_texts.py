"""Text in each of the eleven styles: train, dev and test.

``train`` is text that the judge has not seen (splits.py), ``dev`` and ``test`` are held
out from judge and rewriter alike; none of it is a sentence of a test set. Only
``plays`` is not so: the two sides of the parallel plays, which the judge has read too,
for runs that are compared with the paper's (``original`` and ``modern`` alone) or learn
from pairs (``pairs.tsv``).

Run    python -m training.rewriter.style_texts --mirror FOLDER -o FOLDER
Writes STYLE.train.txt, STYLE.dev.txt, STYLE.test.txt, one sentence per line; plays/;
       report.json with counts, sources and licences
"""

import argparse
import csv
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from paraphrast.corpora import read_lines, read_texts
from paraphrast.language.words import find_offensive_words
from paraphrast.text import split_sentences
from paraphrast.text.normalisation import (
    join_apostrophes,
    keep_letters,
    normalise,
    straighten,
)
from training.splits import BLOCK, drop_blocked, find_test_sentences, owner

SEED, MOST, HELD_OUT = 1, 24_000, 500
PARTS = ("train", "dev", "test")
GUTENBERG = "Project Gutenberg: public domain in the USA"
SOURCES = {
    "modern": "Enotes' modern plays without Romeo and Juliet (research use), Tatoeba "
    "(CC BY 2.0 FR), IMDB reviews (research use), WEB and BBE Bibles (public domain)",
    "shakespeare": "lines of the plays that the parallel plays lack: public domain",
    "bible": "KJV, ASV, DRA, DARBY: public domain",
    "poetry": GUTENBERG,
    "formal": f"essays ({GUTENBERG}), Europarl (free), PT16 of 1 and more (research)",
    "informal": "PT16 of -1 and less, Tatoeba and reviews with informal marks",
    "prose-1810": GUTENBERG,
    "prose-1890": GUTENBERG,
    "joyce": GUTENBERG,
    "tweet": "TweetEval: research use, Twitter's terms",
    "conversation": "Switchboard dialogue acts: research use (LDC97S62)",
}
_INFORMAL = re.compile(
    r"\b(?:gonna|wanna|gotta|kinda|sorta|yeah|yep|nope|ain't|dunno|stuff|guys?|dude|cool|"
    r"awesome|crap|suck(?:s|ed)?|lol|omg|ok|okay|btw|hey|hi|kids|"
    r"pretty (?:good|bad|much)|"
    r"lots|totally|super|crazy|dumb|damn|wow|sooo*|cuz|cos|u|ya|thx|anyways?|folks)\b"
    r"|!!|\?!|:\)|;\)|\.\.\.",
    re.IGNORECASE,
)
_EASY = re.compile(
    r"\b(?:really|a lot|just|pretty|things?|whatever|anyway|actually|basically|"
    r"honestly|sure|no way|come on|kind of|sort of|get|gets|got|big|fun|bad|guess|"
    r"thanks|bit|you know)\b",
    re.IGNORECASE,
)
_SHORTENED = re.compile(r"\b\w+(?:n't|'ll|'re|'ve|'d|'m)\b", re.IGNORECASE)
_CLITIC = re.compile(r"\s+(n't|'(?:s|d|ll|re|ve|m|st))\b", re.IGNORECASE)
# Joined lines of verse: a capitalised function word inside a sentence.
_JOINED = re.compile(
    r"[a-z,;] (?:To|And|The|Of|In|With|That|But|For|As|Or|A|By|From|My|Your|"
    r"His|Her|It|You|We|He|She|They|If|When|Which|Who|Than|Not|On|At)\b"
)
_TWEET = re.compile(r"@user|https?:\S*|&\w+;|\u2026$|^\s*[\"']?RT\b")
_TAGS = re.compile(r"(?:#\w+|@ \w[\w ,]*)")
_FILLED = re.compile(r"\b(?:uh|um)\b,?\s*", re.IGNORECASE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    write_style_texts(options.mirror, options.output)


def write_style_texts(mirror: Path, output: Path) -> None:
    """Write the text of every style, the parallel plays and a report."""
    output.mkdir(parents=True, exist_ok=True)
    never = find_test_sentences(mirror)
    report = {}
    for style, gather in STYLES.items():
        result = gather(mirror)
        kept = clean(result, never, decent=style in ("tweet", "conversation"))
        for part, texts in kept.items():
            path = output / f"{style}.{part}.txt"
            path.write_text("\n".join([*texts, ""]), "utf-8")
        report[style] = {
            "source": SOURCES[style],
            **{part: len(texts) for part, texts in kept.items()},
            "words": round(mean(len(text.split()) for text in kept["train"]), 1),
        }
        print(style, json.dumps(report[style]), flush=True)
    plays(mirror, output / "plays", never)
    (output / "report.json").write_text(json.dumps(report, indent=1) + "\n")


def clean(
    result: dict[str, list[str]], never: set[str], *, decent: bool
) -> dict[str, list[str]]:
    """Return the parts without test, repeated or unfit sentences or, if they are to
    be decent, offensive."""
    draw = random.Random(SEED)
    kept: dict[str, list[str]] = {}
    seen = set(never)
    held = result["held out"]
    draw.shuffle(held)
    parts = {"dev": held[::2], "test": held[1::2], "train": result["guide"]}
    for part, texts in parts.items():
        texts = drop_blocked((t for t in texts if is_sentence(t)), seen)
        if decent:
            texts = [text for text in texts if not find_offensive_words(text)]
        draw.shuffle(texts)
        kept[part] = texts[: MOST if part == "train" else HELD_OUT]
        seen |= {keep_letters(text) for text in kept[part]}
    return {part: kept[part] for part in PARTS}


def is_sentence(text: str) -> bool:
    """Return whether a text is a sentence of fair length, not a heading or a table."""
    words = text.split()
    solid = text.replace(" ", "")
    small = sum(character.islower() for character in text)
    return (
        3 <= len(words) <= 40
        and len(text) <= 240
        and small > 0.6 * len(solid)
        and not re.search(
            r"gutenberg|chapter [IVXL\d]|\bfootnote|\bproofread", text, re.IGNORECASE
        )
        and not re.match(r"[*|\[(\d]|[IVXL]+\.|[A-Z]{3,}", text)
        and not re.search(r"[\[\]{}|_*~^=\\<>]|\s{2}|\.{5}|-{3}", text)
        and text.count('"') % 2 == 0
        and sum(ord(character) > 0x24F for character in text) == 0
    )


def style_file(
    mirror: Path, name: str, cut: Callable[[list[str]], Iterable[str]]
) -> dict[str, list[str]]:
    """Return a style file's sentences by owner, block by block."""
    lines = list(read_lines(mirror / "styles" / f"{name}.txt.xz"))
    result: dict[str, list[str]] = {"judge": [], "guide": [], "held out": []}
    for start in range(0, len(lines), BLOCK):
        result[owner(f"{name} {start}")] += cut(lines[start : start + BLOCK])
    return result


def prose(lines: list[str]) -> Iterator[str]:
    """Return the whole sentences of wrapped prose."""
    whole = "\n".join(straighten(line, em_dash=" - ").strip() for line in lines)
    paragraphs = re.split(r"\n\s*\n", whole)
    # The first and last of a block may be cut.
    for paragraph in paragraphs[1:-1]:
        text = " ".join(paragraph.split()).replace("_", "")
        for span in split_sentences(text):
            sentence = text[span.start : span.end].strip()
            if re.match(r"[\"'A-Z]", sentence) and re.search(r"[.!?]['\"]?$", sentence):
                yield _CLITIC.sub(r"\1", balance_quotes(sentence))


def balance_quotes(text: str) -> str:
    """Return a text without a quotation mark whose other half lies elsewhere."""
    return " ".join(text.replace('"', "").split()) if text.count('"') % 2 else text


def each_line(lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield from prose(["", "", straighten(line, em_dash=" - "), "", ""])


def verses(lines: list[str]) -> Iterator[str]:
    """Return lines of verse, one, two, or to the end of a sentence, in turn."""
    kept = [
        re.sub(
            r"\s+\d+$",
            "",
            " ".join(straighten(line, em_dash=" - ").split()).replace("_", ""),
        )
        for line in lines
    ]
    at = 0
    while at < len(kept) - 1:
        line, following = kept[at], kept[at + 1]
        if not re.match(r"[\"'A-Z]", line) or len(line) > 90:
            at += 1
        elif at % 3 and following and len(following) <= 90:
            yield balance_quotes(f"{line} {following}")
            at += 2
        else:
            yield balance_quotes(line)
            at += 1


def dialogue(lines: list[str]) -> Iterator[str]:
    """Return the spoken text, with some of the hesitations."""
    draw = random.Random(SEED)
    for line in lines:
        text = straighten(line).strip()
        if draw.random() < 0.5:
            text = _FILLED.sub("", text)
        text = text.strip(" ,-/")
        if text and re.match(r"[A-Za-z]", text):
            yield text[0].upper() + text[1:] + ("" if text[-1] in ".?!" else ".")


def tweets(lines: list[str]) -> Iterator[str]:
    """Return tweets without names, addresses and places, and with few tags."""
    for line in lines:
        text = normalise(straighten(line))
        if text.count("#") > 3 or "\u2026" in text or text.endswith("..."):
            continue
        text = " ".join(_TWEET.sub(" ", re.sub(r"@ \w[\w ,&'.-]*$", " ", text)).split())
        text = balance_quotes(text)
        if len(_TAGS.sub(" ", text).split()) >= 4:
            yield text


def by_hash(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return single sentences by owner."""
    result: dict[str, list[str]] = {"judge": [], "guide": [], "held out": []}
    for text in texts:
        result[owner(keep_letters(text))].append(text)
    return result


def together(*several: tuple[dict[str, list[str]], int]) -> dict[str, list[str]]:
    """Return parts with a limited number of sentences per source."""
    draw = random.Random(SEED)
    result: dict[str, list[str]] = {"judge": [], "guide": [], "held out": []}
    for texts, most in several:
        for part, own in texts.items():
            limit = most if part == "guide" else max(200, most // 20)
            result[part] += draw.sample(own, min(limit, len(own)))
    return result


def first_column(mirror: Path, name: str) -> Iterator[str]:
    for line in read_lines(mirror / f"bilingual/{name}.tsv.xz"):
        yield straighten(line.split("\t")[0], em_dash=" - ")


def bible(mirror: Path, versions: Iterable[str]) -> dict[str, list[str]]:
    """Return verses by the owner of their chapter."""
    result: dict[str, list[str]] = {"judge": [], "guide": [], "held out": []}
    for version in versions:
        for line in read_lines(mirror / f"bibles/{version}.tsv.xz"):
            book, chapter, _, text = line.split("\t")
            text = " ".join(straighten(text, em_dash=" - ").replace("`", "'").split())
            text = re.sub(r"\s*[,;:-]+$", ".", balance_quotes(text))
            result[owner(f"{book} {chapter}")].append(text)
    return result


def pt16(mirror: Path, *, least: float, most: float) -> list[str]:
    with (mirror / "pt16/train.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["sentence"], float(row["label"])) for row in csv.DictReader(file)]
    texts = [detokenise(text) for text, score in rows if least <= score <= most]
    return [text for text in texts if re.match(r"[\"'A-Za-z]", text)]


def enotes(mirror: Path) -> list[str]:
    """Return the modern sentences of the other translation, without the tested play."""
    result: list[str] = []
    for path in sorted((mirror / "xu12/enotes-unaligned").glob("*_modern.snt")):
        if not path.name.startswith("romeo"):
            result += (detokenise(text) for text in read_texts(path))
    return [text for text in result if not _JOINED.search(text)]


def detokenise(text: str) -> str:
    """Return tokenised text as people write it; other text is unchanged."""
    text = join_apostrophes(straighten(text, em_dash=" - "))
    text = text.replace("``", '"').replace("''", '"')
    text = _CLITIC.sub(r"\1", " ".join(text.split()))
    text = re.sub(r"\s+([,.;:!?%)])", r"\1", text)
    text = re.sub(r"([($])\s+", r"\1", text)
    return re.sub(r'"\s*([^"]*?)\s*"', r'"\1"', text)


def modern(mirror: Path) -> dict[str, list[str]]:
    reviews = style_file(mirror, "reviews-imdb", each_line)
    plain = {k: [t for t in v if not _INFORMAL.search(t)] for k, v in reviews.items()}
    tatoeba = by_hash(
        t for t in first_column(mirror, "tatoeba.en-fra") if len(t.split()) > 4
    )
    return together(
        (_all_for_training(enotes(mirror)), 11_000),
        (plain, 7000),
        (tatoeba, 4000),
        (bible(mirror, ("WEB", "BBE")), 2000),
    )


def _all_for_training(texts: list[str]) -> dict[str, list[str]]:
    """Return text that the judge never reads; one sentence in twenty is held out."""
    result: dict[str, list[str]] = {"judge": [], "guide": [], "held out": []}
    for text in texts:
        result[
            "held out" if owner(keep_letters(text)) == "held out" else "guide"
        ].append(text)
    return result


def shakespeare(mirror: Path) -> dict[str, list[str]]:
    """Return the plays' lines that are not in the pairs, which the judge reads."""
    texts = {
        keep_letters(t)
        for t in read_texts(mirror / "jhamtani17/train.original.nltktok")
    }
    lines = (detokenise(t) for t in read_texts(mirror / "xu12/lm/36plays.original"))
    return _all_for_training(
        [line for line in lines if keep_letters(line) not in texts]
    )


def formal(mirror: Path) -> dict[str, list[str]]:
    essays = style_file(mirror, "formal-1900s-essays", prose)
    europarl = by_hash(first_column(mirror, "europarl.en-fr"))
    judged = _all_for_training([])
    judged["guide"] = pt16(mirror, least=1.0, most=3.0)
    plain = {k: [t for t in v if not _SHORTENED.search(t)] for k, v in essays.items()}
    return together((plain, 7000), (europarl, 12_000), (judged, 4000))


def informal(mirror: Path) -> dict[str, list[str]]:
    reviews = style_file(mirror, "reviews-imdb", each_line)
    tatoeba = by_hash(
        t for t in first_column(mirror, "tatoeba.en-fra") if len(t.split()) > 3
    )
    judged = _all_for_training([])
    judged["guide"] = pt16(mirror, least=-3.0, most=-1.0)
    marked = [
        {part: [t for t in own if easy(t)] for part, own in texts.items()}
        for texts in (reviews, tatoeba)
    ]
    return together((marked[0], 14_000), (marked[1], 6000), (judged, 4000))


def easy(text: str) -> bool:
    """Return whether a text has one strong or several weak signs of informality."""
    weak = len(_EASY.findall(text)) + len(_SHORTENED.findall(text))
    return len(text.split()) <= 25 and 2 * len(_INFORMAL.findall(text)) + weak > 2


STYLES: dict[str, Callable[[Path], dict[str, list[str]]]] = {
    "modern": modern,
    "shakespeare": shakespeare,
    "bible": lambda mirror: bible(mirror, ("KJV", "ASV", "DRA", "DARBY")),
    "poetry": lambda mirror: style_file(mirror, "poetry", verses),
    "formal": formal,
    "informal": informal,
    "prose-1810": lambda mirror: style_file(mirror, "prose-1810-1830", prose),
    "prose-1890": lambda mirror: style_file(mirror, "prose-1890-1910", prose),
    "joyce": lambda mirror: style_file(mirror, "joyce", prose),
    "tweet": lambda mirror: style_file(mirror, "tweets", tweets),
    "conversation": lambda mirror: style_file(mirror, "switchboard", dialogue),
}


def plays(mirror: Path, folder: Path, never: set[str]) -> None:
    """Write the parallel plays' training part, spaced as people write."""
    folder.mkdir(exist_ok=True)
    sides = [
        [detokenise(t) for t in read_texts(mirror / f"jhamtani17/train.{side}.nltktok")]
        for side in ("modern", "original")
    ]
    pairs = [
        pair
        for pair in zip(*sides, strict=True)
        if not {keep_letters(text) for text in pair} & never
    ]
    rows = [f"{modern}\t{original}" for modern, original in pairs]
    (folder / "pairs.tsv").write_text("\n".join([*rows, ""]), "utf-8")
    for name, texts in zip(
        ("modern", "original"), zip(*pairs, strict=True), strict=True
    ):
        (folder / f"{name}.txt").write_text("\n".join([*texts, ""]), "utf-8")
    print(f"plays: {len(pairs)} pairs")


def mean(values: Iterable[int]) -> float:
    result = list(values)
    return sum(result) / len(result) if result else 0.0


if __name__ == "__main__":
    main()
