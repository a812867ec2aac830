"""Openly licensed texts for the teacher to rewrite: clean, varied, with origins.

| name | text | licence |
|---|---|---|
| tatoeba | single sentences | CC BY 2.0 FR |
| goemotions | Reddit comments | CC BY 4.0 |
| topical-chat | conversation about films, sport, books | CDLA-Sharing-1.0 |
| gutenberg-1890, gutenberg-1810, essays | sentences of prose | public domain |
| europarl | speeches of the European Parliament | free to use |
| openrewriteeval | paragraphs' sentences | CC BY 4.0 |

Run    python -m training.everyday.sources --data FOLDER -o texts.jsonl [--scale 1.0]
"""

import argparse
import lzma
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from training.everyday import corpus

_NAME_WORDS = """
    Anna Ben Priya Omar Lucy Diego Mei Jonas Fatima Kofi Nina Carlos Ruth Ahmed Sofia
    Liam Yuki Grace Ivan Leila Marta Sam Elena Hassan Joan Victor Aisha Peter Chloe Raj
    Oscar Hannah Tariq Julia Felix Naomi George Zara Paul Emma
"""
NAMES = tuple(_NAME_WORDS.split())
# Texts with these are left out: the teacher should neither repeat nor preach.
_ROUGH = re.compile(
    r"\b(?:fuck\w*|shit\w*|bitch\w*|cunt\w*|nigg\w*|fag\w*|retard\w*|rap(?:e|ed|ist)|"
    r"porn\w*|dick\w*|cock\w*|pussy|slut\w*|whore\w*|ass|asshole\w*|arse\w*|bastard\w*|"
    r"damn\w*|suicid\w*|kill yourself|nazi\w*|jews?|muslims?|pedo\w*|incest|cum|tits|"
    r"wank\w*|negro\w*|savages?|darky|coon)\b",
    re.IGNORECASE,
)
_ODD = re.compile(r"https?:|www\.|\br/|\bu/|[<>{}\[\]|\\*_^~=@]|\(\)|&\w+;|�")
_END = re.compile(r"(?<=[.!?])[\"'\u201d\u2019)]*\s+(?=[\"'\u201c\u2018(]?[A-Z])")
_SHORTENED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|St|Esq|Capt|Col|Gen|Rev|No|vol|p|pp|[A-Z])\.$"
)
Clean = Callable[[str, random.Random], str | None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    seen: set[str] = set()
    rows: list[dict[str, str]] = []
    for name, most, texts in read_collections(options.data, draw):
        own = []
        for text in texts:
            key = re.sub(r"\W+", " ", text.lower()).strip()
            if key not in seen:
                seen.add(key)
                own.append(text)
        draw.shuffle(own)
        own = own[: int(most * options.scale)]
        rows += [{"from": name, "text": text} for text in own]
        print(name, len(own), flush=True)
    draw.shuffle(rows)
    corpus.write_rows(options.output, rows)


def read_collections(
    data: Path, draw: random.Random
) -> Iterator[tuple[str, int, Iterable[str]]]:
    """Yield each collection's name, the number of texts wanted, and its texts."""
    pairs = [
        data / f"bilingual/tatoeba.en-{code}.tsv.xz" for code in ("fra", "deu", "spa")
    ]
    lines = (line.split("\t")[0] for path in pairs for line in read_lines(path))
    yield "tatoeba", 65_000, clean_texts(lines, clean_tatoeba, draw)
    talk = data / "formality/unlabelled"
    yield (
        "goemotions",
        40_000,
        clean_texts(read_lines(talk / "goemotions.txt.xz"), clean_comment, draw),
    )
    yield (
        "topical-chat",
        35_000,
        clean_texts(read_lines(talk / "topical-chat.txt.xz"), clean_turn, draw),
    )
    for name, file, most in (
        ("gutenberg-1890", "prose-1890-1910", 30_000),
        ("gutenberg-1810", "prose-1810-1830", 12_000),
        ("essays", "formal-1900s-essays", 10_000),
    ):
        result = draw_sentences(
            join_paragraphs(read_lines(data / f"styles/{file}.txt.xz")), draw, most
        )
        yield name, most, clean_texts(result, clean_prose, draw)
    lines = (
        line.split("\t")[0]
        for line in read_lines(data / "bilingual/europarl.en-fr.tsv.xz")
    )
    yield "europarl", 15_000, clean_texts(lines, clean_speech, draw)
    table = (data / "formality/openrewriteeval/train.tsv").read_text("utf-8")
    lines = (side for line in table.splitlines() for side in line.split("\t")[:2])
    yield "openrewriteeval", 600, clean_texts(lines, clean_prose, draw)


def read_lines(path: Path) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\n")


def clean_texts(
    texts: Iterable[str], clean: Clean, draw: random.Random
) -> Iterator[str]:
    for text in texts:
        result = clean(straighten(text), draw)
        if result and not _ROUGH.search(result) and not _ODD.search(result):
            yield result


def straighten(text: str) -> str:
    """Return the text with straight quotes, plain dashes and single spaces."""
    table = str.maketrans("\u2018\u2019\u201c\u201d\u00a0", "''\"\" ")
    text = text.translate(table).replace("\u2026", "...").replace("--", " - ")
    return " ".join(text.split())


def fits(text: str, least: int, most: int) -> bool:
    return least <= len(text.split()) <= most and text.isprintable()


def replace_names(text: str, draw: random.Random) -> str:
    """Substitute other names for Tom and Mary, which are everywhere in Tatoeba."""
    first, second = draw.sample(NAMES, 2)
    if draw.random() < 0.85:
        text = re.sub(r"\bTom\b", first, text)
        text = re.sub(r"\bMary\b", second, text)
    return text


def clean_tatoeba(text: str, draw: random.Random) -> str | None:
    size = len(text.split())
    if (
        not fits(text, 1, 30)
        or draw.random() > (0.05, 0.3, 1.0)[(size > 3) + (size > 5)]
    ):
        return None
    if not text.isascii() or (re.search(r"\bTom\b", text) and draw.random() < 0.5):
        return None
    return replace_names(text, draw)


def clean_comment(text: str, draw: random.Random) -> str | None:
    for mark in ("[NAME]", "[NAME]"):
        text = text.replace(mark, draw.choice(NAMES), 1)
    text = re.sub(r"\s*/s$|^>\s*", "", text)
    return text if fits(text, 3, 40) and text.count('"') % 2 == 0 else None


def clean_turn(text: str, draw: random.Random) -> str | None:
    if len(text.split()) > 30:
        parts = _END.split(text)
        start = draw.randrange(len(parts))
        text = " ".join(parts[start : start + draw.choice((1, 2))])
    return text if fits(text, 3, 40) else None


def clean_speech(text: str, _: random.Random) -> str | None:
    return (
        text if fits(text, 6, 32) and text[0].isupper() and text[-1] in ".!?" else None
    )


def clean_prose(text: str, _: random.Random) -> str | None:
    if not fits(text, 5, 36) or not text.isascii() or text.count('"') % 2:
        return None
    if not re.match(r"[\"']?[A-Z]", text) or text[-1] not in ".!?\"'":
        return None
    return None if re.search(r"[A-Z]{4,}|\d{4,}|;.*;|:$", text) else text


def join_paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Join lines up to an empty one."""
    own: list[str] = []
    for line in lines:
        if line.strip():
            own.append(line.strip())
        elif own:
            yield straighten(" ".join(own))
            own = []
    if own:
        yield straighten(" ".join(own))


def draw_sentences(
    texts: Iterable[str], draw: random.Random, most: int
) -> Iterator[str]:
    """Yield sentences, occasionally two together, from a share of the paragraphs."""
    chosen = [text for text in texts if 40 < len(text) < 3000]
    draw.shuffle(chosen)
    for text in chosen[: 2 * most]:
        parts = _END.split(text)
        joined: list[str] = []
        for part in parts:
            if joined and _SHORTENED.search(joined[-1]):
                joined[-1] += f" {part}"
            else:
                joined.append(part)
        if '"' in text and any(p.count('"') % 2 for p in joined):
            joined = [p for p in joined if p.count('"') % 2 == 0]
        if joined:
            start = draw.randrange(len(joined))
            yield " ".join(joined[start : start + (2 if draw.random() < 0.15 else 1)])
            if len(joined) > 4:
                yield joined[(start + 3) % len(joined)]


if __name__ == "__main__":
    main()
