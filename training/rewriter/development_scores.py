"""Style and meaning of rewrites of Twelfth Night, without the judge.

Style is scored by a linear classifier of the training part of the plays, meaning by
MiniLM's cosine with the reference. Both took part in making the pack, so both must be
named in it (the classifier by the sha256 that is printed).

Run    python -m training.rewriter.development_scores --plays styles/plays \\
           --mirror FOLDER --minilm MODEL PACK...
       PACK may be a file of outputs for lines of it: style, line, output (ablations.py)
Needs  scikit-learn, torch, transformers
"""

import argparse
import hashlib
import pickle
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora import read_texts
from paraphrast.neural.models.generation import Decoding
from paraphrast.neural.models.pack import load_pack
from paraphrast.text.overlap import words
from training.rewriter.style_texts import detokenise
from training.rewriter.workspace import read_rows
from training.styles import PLAYS

SEED, LINES = 1, 150


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packs", nargs="+", type=Path)
    parser.add_argument("--plays", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--minilm", type=Path, required=True)
    options = parser.parse_args()
    tell = classifier(options.plays)
    print("classifier", hashlib.sha256(pickle.dumps(tell)).hexdigest())
    for style, other in (("shakespeare", "modern"), ("modern", "shakespeare")):
        held = held_out(options.mirror, PLAYS[other], PLAYS[style])
        for pack in options.packs:
            if pack.suffix == ".tsv":
                pairs, made = read_outputs(pack, style, dict(held))
            else:
                fair = [pair for pair in held if 3 <= len(pair[0].split()) <= 30]
                pairs = random.Random(SEED).sample(fair, LINES)
                made = answers(pack, style, [source for source, _ in pairs])
            right = tell.predict(made) == style
            wanted = vectors([target for _, target in pairs], options.minilm)
            near = (vectors(made, options.minilm) * wanted).sum(1).clip(0, 1)
            same = [words(a) == words(b) for (a, _), b in zip(pairs, made, strict=True)]
            figures = right.mean(), near.mean(), (right * near).mean(), np.mean(same)
            print(pack.stem, style, *(f"{100 * float(value):.1f}" for value in figures))


def answers(pack: Path, style: str, sources: Sequence[str]) -> list[str]:
    """Return a pack's outputs for lines, in one step."""
    step = load_pack(pack, style).steps[-1]
    asked = [step.request(source) for source in sources]
    return [own[0].text for own in step.engine.candidates(asked, Decoding())]


def read_outputs(
    path: Path, style: str, plain_of: Mapping[str, str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return lines with their references, and a file's outputs for them."""
    rows = [row.split("\t") for row in read_rows(path)]
    own = [row for row in rows if row[0] == style and row[1] in plain_of]
    return [(row[1], plain_of[row[1]]) for row in own], [row[2] for row in own]


def classifier(plays: Path) -> Any:
    """Return a classifier of the two sides of the training lines."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline, make_union

    features = make_union(
        TfidfVectorizer(
            ngram_range=(1, 2), min_df=2, token_pattern=r"[\w']+", sublinear_tf=True
        ),
        TfidfVectorizer(
            analyzer="char_wb", ngram_range=(2, 5), min_df=3, sublinear_tf=True
        ),
    )
    made = make_pipeline(
        features, LogisticRegression(C=6, max_iter=300, solver="liblinear")
    )
    texts = {style: read_rows(plays / f"{name}.txt") for style, name in PLAYS.items()}
    labels = [style for style, own in texts.items() for _ in own]
    return made.fit([text for own in texts.values() for text in own], labels)


def held_out(mirror: Path, source: str, target: str) -> list[tuple[str, str]]:
    """Return the lines of Twelfth Night in both forms."""
    folder = mirror / "jhamtani17"
    sides = [
        [detokenise(text) for text in read_texts(folder / f"valid.{side}.nltktok")]
        for side in (source, target)
    ]
    return list(zip(*sides, strict=True))


def vectors(texts: Sequence[str], folder: Path) -> Any:
    """Return MiniLM's vectors of length 1: (texts, size)."""
    import tokenizers
    import torch
    import transformers

    model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False)
    cut = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    cut.enable_truncation(64)
    cut.enable_padding()
    encoded = cut.encode_batch(list(texts))
    ids = torch.tensor([encoding.ids for encoding in encoded])
    mask = torch.tensor([encoding.attention_mask for encoding in encoded])
    with torch.inference_mode():
        states = model.eval()(input_ids=ids, attention_mask=mask)[0]
    mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return torch.nn.functional.normalize(mean, dim=1).numpy()


if __name__ == "__main__":
    main()
