"""Texts beside the styles' own: short lines, Bible pairs, test inputs.

short.tsv    names alone, yes and no, greetings: a model that has only seen sentences
             makes "Boston!" of "Montague!", so it is shown that such lines stay
bible.tsv    verses of a modern version with the same of an old one, from chapters that
             the judge has not read
strap.tsv    style and text of STRAP's test inputs, detokenised; no outputs
twelfth.tsv  style, text and reference of Twelfth Night, for development

Run    python -m training.rewriter.extra_texts --mirror FOLDER --styles FOLDER -o FOLDER
"""

import argparse
import random
import re
from pathlib import Path

from paraphrast.corpora import read_lines, read_texts
from paraphrast.corpora.filtering.preservation import keeps
from paraphrast.language.names import find_uncommon_names
from paraphrast.text.normalisation import keep_letters, straighten
from paraphrast.text.overlap import unigram_overlap, words
from training.rewriter.style_texts import balance_quotes, detokenise, is_sentence
from training.rewriter.workspace import read_rows, write_rows
from training.splits import find_test_sentences, owner
from training.styles import STYLES

SEED, NAMES, VERSES = 1, 1500, 14_000
OLD, NEW = ("KJV", "ASV", "DRA"), ("WEB", "BBE", "LEB")
CALLS = ("{}!", "{}.", "{}?", "O {}!", "{}, {}!", "Good {}.", "Ah, {}!", "What, {}!")
SAME = (  # lines that are the same in every style
    "No.", "No!", "Yes.", "Yes!", "Amen.", "Alas!", "Farewell.", "Good night.",
    "Good morning.", "What?", "Why?", "Who?", "When?", "Where?", "How?", "Come.",
    "Go.", "Peace!", "Help!", "Stop!", "Never!", "Never.", "So.", "Well.", "Indeed.",
)  # fmt: skip
# One column for old styles and verse, one for plain ones, one for easy ones.
OTHERS = (
    ("Ay.", "Yes.", "Yeah."), ("Nay.", "No.", "Nope."), ("Adieu.", "Goodbye.", "Bye."),
    ("Good morrow.", "Good morning.", "Morning!"), ("Prithee.", "Please.", "Please!"),
    ("I thank thee.", "Thank you.", "Thanks!"), ("Hail!", "Hello.", "Hey!"),
    ("Wherefore?", "Why?", "How come?"),
    ("Ay, sir.", "Yes, sir.", "Yeah, sir."), ("Hark!", "Listen!", "Hey, listen!"),
    ("Ay, my lord.", "Yes, my lord.", "Yeah, my lord."),
    ("Nay, madam.", "No, madam.", "Nope, madam."),
    ("Fare thee well.", "Goodbye.", "See you."),
    ("I know not.", "I don't know.", "Dunno."),
    ("Who art thou?", "Who are you?", "Who are you?"),
    ("Whither goest thou?", "Where are you going?", "Where you going?"),
    ("I love thee.", "I love you.", "Love you!"), ("Begone!", "Go away!", "Get lost!"),
    ("Come hither.", "Come here.", "Come here!"),
    ("Thou liest.", "You're lying.", "You're lying!"),
)  # fmt: skip
COLUMN = {
    "shakespeare": 0,
    "bible": 0,
    "poetry": 0,
    "informal": 2,
    "tweet": 2,
    "conversation": 2,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--styles", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(SEED)
    rows = short(options.styles, draw)
    write_rows(options.output / "short.tsv", rows)
    verses = bible(options.mirror, find_test_sentences(options.mirror), draw)
    write_rows(options.output / "bible.tsv", verses)
    tests = list(strap(options.mirror))
    write_rows(options.output / "strap.tsv", tests)
    write_rows(options.output / "twelfth.tsv", twelfth(options.mirror))
    print(f"{len(rows)} short lines, {len(verses)} verses, {len(tests)} inputs")


def short(styles: Path, draw: random.Random) -> list[str]:
    """Return rows source, target, style of lines of few words."""
    texts = [
        t
        for s in ("shakespeare", "modern", "prose-1890")
        for t in read_rows(styles / f"{s}.train.txt")
    ]
    names = sorted(
        {name for text in texts for name in find_uncommon_names(text) if name.isalpha()}
    )
    draw.shuffle(names)
    rows = []
    for name in names[:NAMES]:
        call = draw.choice(CALLS).format(name, draw.choice(names))
        rows += [f"{call}\t{call}\t{style}" for style in draw.sample(STYLES, 3)]
        rows.append(f"{call}\t{call}\tneutral")
    for style in (*STYLES, "neutral"):
        rows += [f"{text}\t{text}\t{style}" for text in SAME]
        at = COLUMN.get(style, 1)
        for said in OTHERS:
            rows += [f"{verse}\t{said[at]}\t{style}" for verse in dict.fromkeys(said)]
    draw.shuffle(rows)
    return rows


def bible(mirror: Path, never: set[str], draw: random.Random) -> list[str]:
    """Return rows modern verse, old verse."""
    versions = {version: version_of(mirror, version) for version in (*OLD, *NEW)}
    rows = []
    for index in sorted(versions["KJV"]):
        old, new = (versions[draw.choice(group)].get(index, "") for group in (OLD, NEW))
        alike = unigram_overlap(words(new), words(old)).f1
        if (
            is_sentence(old)
            and is_sentence(new)
            and 0.3 <= alike < 0.9
            and keeps(new, old)
            and not {keep_letters(old), keep_letters(new)} & never
        ):
            rows.append(f"{new}\t{old}")
    draw.shuffle(rows)
    return rows[:VERSES]


def version_of(mirror: Path, version: str) -> dict[tuple[str, str, str], str]:
    """Return the verses of a Bible whose chapters are not the judge's."""
    result = {}
    for line in read_lines(mirror / f"bibles/{version}.tsv.xz"):
        book, chapter, verse, text = line.split("\t")
        if owner(f"{book} {chapter}") == "guide":
            text = " ".join(straighten(text, em_dash=" - ").replace("`", "'").split())
            text = re.sub(r"\s*[,;:-]+$", ".", balance_quotes(text))
            result[book, chapter, verse] = text
    return result


def strap(mirror: Path) -> list[str]:
    """Return rows target style, input."""
    folder = mirror / "strap/shakespeare"
    texts, labels = (
        list(read_texts(folder / f"{n}.txt")) for n in ("inputs", "labels")
    )
    style = {"original": "modern", "modern": "shakespeare"}
    return [
        f"{style[label]}\t{detokenise(text)}"
        for text, label in zip(texts, labels, strict=True)
    ]


def twelfth(mirror: Path) -> list[str]:
    """Return rows target style, input, reference of Twelfth Night."""
    modern, original = (
        [
            detokenise(text)
            for text in read_texts(mirror / f"jhamtani17/valid.{side}.nltktok")
        ]
        for side in ("modern", "original")
    )
    pairs = list(zip(modern, original, strict=True))
    return [
        *(f"shakespeare\t{new}\t{old}" for new, old in pairs),
        *(f"modern\t{old}\t{new}" for new, old in pairs),
    ]


if __name__ == "__main__":
    main()
