"""The tables of the everyday corpus's card, from its files and committed results."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from paraphrast.corpora import checking
from paraphrast.corpora.loaders import everyday
from recipes.markdown import ROOT, Values, figures, fill_marked, read_json, table

FOLDER = ROOT / "corpora/everyday"
MARKS = "<!-- tables: made by docs/generate.py -->", "<!-- end of tables -->"


def everyday_page() -> dict[Path, str]:
    """Return the card of the corpus with its tables regenerated."""
    report = checking.check(FOLDER)
    ratings = everyday.read_ratings(FOLDER)
    parts = [
        "**Sizes.**",
        _sizes(report),
        "**Styles.** Words per version, word F1 to the plain version, and per cent of "
        "the versions that copy it or lose one of its names.",
        _styles(report),
        "**Edits** of the development part (`benchmarks/everyday_edits.py`): words of "
        "the plain version that are kept, replaced and dropped, new words, and linked "
        "words that moved, by our word aligner; versions with more and with fewer "
        "sentences, and those where a question became a statement or the other way "
        "round. In per cent.",
        _edits(),
        f"**The second reader** rated {sum(not r.planted for r in ratings)} random "
        "versions blind, 0 to 2, with planted wrong versions among them: per cent of "
        "the versions that got a 2.",
        _ratings(ratings),
        "**The contrast set** by kind.",
        _contrast(),
        "**Baselines** (`paraphrast reproduce everyday`): plain development texts of "
        "four words and more, rewritten by nothing, by rules, by a phrase-based pack "
        "that was trained on the training part, and by the default pack with its "
        "guards. Nearest of fourteen in per cent / content (chrF++) / BLEU.",
        _baselines(),
    ]
    page = FOLDER / "README.md"
    return {page: fill_marked(page, "\n\n".join(parts), *MARKS)}


def _sizes(report: checking.Report) -> str:
    texts = Counter(text.split for text in everyday.read_texts(FOLDER))
    documents = everyday.read_texts(FOLDER, "documents.jsonl")
    splits = Counter(document.split for document in documents)
    rows = [
        ["texts", f"{report.texts:,}", *(f"{texts[s]:,}" for s in everyday.SPLITS)],
        [
            "documents",
            str(report.documents),
            *(str(splits[s]) for s in everyday.SPLITS),
        ],
    ]
    return table(["", "all", *everyday.SPLITS], rows, align="lrrrr")


def _styles(report: checking.Report) -> str:
    rows = [
        [
            *(style.style, f"{style.words:.1f}", f"{style.overlap:.0f}"),
            *(f"{style.copies:.1f}", f"{style.names_lost:.1f}"),
        ]
        for style in report.styles
        if style.style != "plain"
    ]
    return table(["style", "words", "F1", "copies", "names lost"], rows, align="lrrrr")


def _edits() -> str:
    record = read_json(ROOT / "benchmarks/results/everyday_edits.json")["styles"]
    names = list(record["formal"])
    rows = [
        [style, *(f"{own[name]:.1f}" for name in names)]
        for style, own in record.items()
    ]
    return table(["style", *names], rows, align="l" + "r" * len(names))


def _ratings(ratings: Sequence[everyday.Rating]) -> str:
    groups = {"all": [rating for rating in ratings if not rating.planted]}
    for style in everyday.STYLES[1:]:
        groups[style] = [rating for rating in groups["all"] if rating.style == style]
    groups["planted wrong versions"] = [r for r in ratings if r.planted]
    marks = ("meaning", "manner", "fluency")
    rows = [
        [
            *(name, str(len(group))),
            *(f"{_share(group, [mark]):.0f}" for mark in marks),
            f"{_share(group, marks):.0f}",
        ]
        for name, group in groups.items()
    ]
    return table(
        ["", "rated", "meaning", "style", "fluency", "all three"], rows, align="lrrrrr"
    )


def _share(ratings: Sequence[everyday.Rating], marks: Sequence[str]) -> float:
    best = sum(all(getattr(rating, mark) == 2 for mark in marks) for rating in ratings)
    return 100 * best / max(1, len(ratings))


def _contrast() -> str:
    lines = everyday.read_contrast(FOLDER)
    counts = Counter((line.kind, line.half) for line in lines)
    rows = [
        [kind, *(str(counts[kind, half]) for half in ("guards", "judges"))]
        for kind in (*everyday.ERRORS, "same")
    ]
    return table(["kind", "for guards", "for judges"], rows, align="lrr")


BASELINES = ("COPY", "rules", "phrase", "small")
SCORES = ("nearest of fourteen", "content", "BLEU")


def _baselines() -> str:
    values = figures(read_json(ROOT / "recipes/everyday/results.json"))
    styles = everyday.STYLES[1:]
    rows = [
        [style, *(_figures(values, system, [style]) for system in BASELINES)]
        for style in styles
    ]
    means = [_figures(values, system, styles) for system in BASELINES]
    return table(["style", *BASELINES], [*rows, ["mean", *means]], align="lrrrr")


def _figures(values: Values, system: str, styles: Sequence[str]) -> str:
    """Return the means of a system's scores over styles; nothing if one is missing."""
    names = [[f"{system}, {style}: {score}" for style in styles] for score in SCORES]
    if not all(name in values for own in names for name in own):
        return ""
    means = (sum(values[name]["value"] for name in own) / len(own) for own in names)
    return " / ".join(f"{mean:.1f}" for mean in means)
