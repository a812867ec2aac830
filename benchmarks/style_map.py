r"""How well are STRAP's eleven styles told apart, and which are near each other?

Run    python -m benchmarks.style_map FOLDER > benchmarks/results/style_map.json
       (FOLDER is the mirror of the corpora; the picture goes to docs/style_map.svg)
Backs  docs/encoder-judges.md, with docs/style_map.svg.

A logistic regression over the small judge's states learns the eleven styles of
`cds-samples` from 700 sentences each and reads a hundred others of each: their share
put into their own style, the confusions (STRAP's Figure 3), the cosine of the styles'
mean states (Figure 4), and the sentences' states laid out in the plane by t-SNE (Figure
2). The sample of Shakespeare is of Romeo and Juliet, so it is only tested on; the other
plays are learnt from.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import TSNE

from benchmarks.report import report
from paraphrast.corpora import read_texts
from paraphrast.judges.judge import SMALL, load
from training.judge.data import CDS, Corpora, plays

PICTURE = Path(__file__).parents[1] / "docs/style_map.svg"
SEED, SHOWN, LEARNT = 1, 60, 700
COLOURS = (
    "#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#edc948", "#b07aa1",
    "#ff9da7", "#9c755f", "#333333", "#86bcb6",
)  # fmt: skip


def main() -> None:
    mirror = Path(sys.argv[1])
    corpora = Corpora(mirror, "judge")
    parts: dict[str, tuple[list[str], list[int]]] = {
        "train": ([], []),
        "test": ([], []),
    }
    for label, style in enumerate(CDS):
        result = list(read_texts(mirror / f"cds-samples/{style}.txt"))
        if style != "shakespeare":
            result = corpora.fresh(result)  # cut as the judge's training data was
        learnt = result[200:][:LEARNT]
        if style == "shakespeare":
            learnt = [original for _, original in plays(mirror, "train")][::25][:LEARNT]
        for part, texts in (("train", learnt), ("test", result[100:200])):
            parts[part][0].extend(texts)
            parts[part][1].extend([label] * len(texts))
    reader: Any = load(SMALL).similarity.reader  # type: ignore[attr-defined]
    model = LogisticRegression(C=0.3, max_iter=300)
    model.fit(reader.pool(parts["train"][0]), parts["train"][1])
    texts, labels = parts["test"]
    states = reader.pool(texts)
    guesses = model.predict(states)
    right = np.array(labels)
    means = np.stack([states[right == label].mean(axis=0) for label in range(len(CDS))])
    means -= means.mean(axis=0)  # remove what all styles share
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    PICTURE.write_text(picture(states, right), "utf-8")
    report(
        claim="share of held-out sentences put into their own of eleven styles",
        median=round(float((guesses == right).mean()), 4),
        sentences=len(texts),
        confusion={
            style: {
                CDS[other]: int(((right == label) & (guesses == other)).sum())
                for other in np.unique(guesses[right == label])
            }
            for label, style in enumerate(CDS)
        },
        nearest={
            style: CDS[int(np.argsort(means @ means[label])[-2])]
            for label, style in enumerate(CDS)
        },
        likeness=np.round(means @ means.T, 2).tolist(),
        styles=list(CDS),
        setting={"seed": SEED},
        versions=("ctranslate2", "numpy", "scikit-learn"),
    )


def picture(states: Any, labels: Any) -> str:
    chosen = np.concatenate(
        [np.flatnonzero(labels == label)[:SHOWN] for label in range(len(CDS))]
    )
    places = TSNE(random_state=SEED, init="pca", perplexity=30).fit_transform(
        states[chosen]
    )
    places = (places - places.min(axis=0)) / np.ptp(places, axis=0)
    dots = [
        f'<circle cx="{20 + 560 * x:.1f}" cy="{20 + 560 * y:.1f}" r="3.2" '
        f'fill="{COLOURS[label]}" fill-opacity="0.75"/>'
        for (x, y), label in zip(places, labels[chosen], strict=True)
    ]
    keys = [
        f'<circle cx="612" cy="{40 + 24 * i}" r="5" fill="{COLOURS[i]}"/>'
        f'<text x="624" y="{45 + 24 * i}">{style}</text>'
        for i, style in enumerate(CDS)
    ]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 600" '
            'font-family="sans-serif" font-size="14">',
            "<title>Sentences of eleven styles, by the small judge's states</title>",
            '<rect width="780" height="600" fill="white"/>',
            *dots,
            *keys,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    main()
