"""Make the neural pack of the present format that the tests will read for ever.

Run    (cd tests && python -m packs.make_neural)      needs the extra `train`
Writes tests/packs/neural-FORMAT, from text that we wrote, and what it rewrites.

A pack that is there is never made again: when the format changes, the new one gets
its own folder and the old ones stay.
"""

import json
import tempfile
from pathlib import Path

import neural_toy as toy
import paraphrast
from paraphrast.neural.finetune import converting, training
from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.finetune.settings import Settings
from paraphrast.storage import packs

FOLDER = Path(__file__).parent
STYLES = {"old": "as of old", "neutral": "plain"}


def main() -> None:
    """Write the pack and its answers."""
    place = FOLDER / f"neural-{packs.KIND.formats[-1]}"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        pairs = toy.pairs_file(folder / "pairs.tsv")
        settings = Settings(
            base=toy.base(folder / "tiny", "t5"),
            sources=(
                Source(pairs, style="old"),
                Source(pairs, style="neutral", swap=True),
            ),
            tagged=True,
            masking=0.5,
            epochs=150,
            held_out=0,
            learning_rate=1e-2,
            device="cpu",
        )
        training.train(settings, folder / "model")
        converting.convert(
            folder / "model", place, styles=STYLES, licences=["Apache-2.0"]
        )
    texts = [source for source, _ in toy.PAIRS]
    found = paraphrast.load("old", pack=place).rewrite(texts)
    answers = {t: r.text for t, r in zip(texts, found, strict=True)}
    answer_file = place.with_suffix(".json")
    answer_file.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
