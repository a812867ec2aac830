"""Similarity by matched words beside the cosine, on the shipped encoder as it is.

Cosine, overlap and missing words (`judges.encoder.matching`) have a third of the score
each, and crossed words take off an eighth at most: nothing is fitted to judgments. The
knots put the new score where the cosine was: equal shares of STS-B's training pairs get
the similarity that the cosine gave them.

Run    python -m training.judge.match_words --mirror FOLDER -o FOLDER
           [--change words.arrays]    what `training.judge.learn_matching` learnt
Makes  the judge with another similarity in its judge.json; all other parts stay
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paraphrast.corpora.loaders import judged
from paraphrast.judges import judge as judges
from paraphrast.judges.encoder.folder import parts
from paraphrast.judges.encoder.models import EncoderSimilarity
from paraphrast.storage.sealed_folder import sha256
from training.judge.assemble import knots, write_manifest

SHARE = round(1 / 3, 4)
MATCHING = {
    "cosine": SHARE,
    "overlap": SHARE,
    "missing": SHARE,
    "crossed": 0.125,
    "most_frequent": "the",
}
CHANGE = "words.arrays"
LEARNT = (
    "; how words are matched: 7,200 pairs of `jhamtani17` train and of `everyday`, \
part for judges, each with roles exchanged, a negation taken out or a fact changed"
)
# The cosine's, fitted to 500 pairs of STS-B's training part that were kept back.
COSINE_KNOTS = (
    (0.1104, 0.0845),
    (0.4125, 0.286),
    (0.5823, 0.4883),
    (0.6857, 0.6048),
    (0.7827, 0.6623),
    (0.8546, 0.7346),
    (0.9346, 0.8661),
)
_OWN = ("format", "styles", "encoders", "parts", "versions", "hashes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--judge", type=Path, default=judges.SMALL)
    parser.add_argument("--change", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    before: Any = judges.load(options.judge, threads=1).similarity
    before = EncoderSimilarity(before.reader, COSINE_KNOTS)
    shutil.copytree(options.judge, options.output, dirs_exist_ok=True)
    manifest = json.loads((options.judge / "judge.json").read_text("utf-8"))
    wanted = manifest["parts"]
    matching: dict[str, Any] = dict(MATCHING)
    if options.change:
        shutil.copyfile(options.change, options.output / CHANGE)
        matching |= {"file": CHANGE, "sha256": sha256(options.output / CHANGE)}
        learnt = manifest["training"]["similarity"].partition(LEARNT)[0]
        manifest["training"]["similarity"] = learnt + LEARNT
    about = {"encoder": wanted["similarity"]["encoder"], "matching": matching}
    wanted["similarity"] = about | {"knots": []}
    after = parts(options.output, manifest)["similarity"]
    pairs = judged.stsb(options.mirror / "stsb", "train")
    texts = [pair.first for pair in pairs], [pair.second for pair in pairs]
    wanted["similarity"]["knots"] = place_knots(before, after, *texts)
    rest = {name: value for name, value in manifest.items() if name not in _OWN}
    write_manifest(options.output, manifest["encoders"], wanted, rest)


def place_knots(
    before: EncoderSimilarity,
    after: EncoderSimilarity,
    first: Sequence[str],
    second: Sequence[str],
) -> list[tuple[float, float]]:
    """Return the knots that give similarities their earlier distribution."""
    was = np.sort(before(first, second))
    return knots(np.sort(after.scores(first, second)), was)


if __name__ == "__main__":
    main()
