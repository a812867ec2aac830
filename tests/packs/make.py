"""Make the pack of the present format that the tests will read for ever.

Run    (cd tests && python -m packs.make)
Writes tests/packs/phrase-FORMAT, from text that we wrote, and what it rewrites.

A pack that is there is never made again: when the format changes, the new one gets
its own folder and the old ones stay.
"""

import json
from dataclasses import replace
from pathlib import Path

import paraphrast
import phrase_toy as toy
from paraphrast.estimators import language_model
from paraphrast.phrase import extraction, training
from paraphrast.storage import packs

FOLDER = Path(__file__).parent
SETTINGS = training.Settings(
    held_out=0,
    phrases=extraction.Settings(longest=2),
    ngrams=language_model.Settings(order=2),
)
TEXTS = ["You are late.", "Why do you weep, Viola?", "Perhaps he has your sword."]


def main() -> None:
    """Write the pack and its answers."""
    place = FOLDER / f"phrase-{packs.KIND.formats[-1]}"
    texts = training.Texts(toy.PAIRS[::2], licences=["Apache-2.0"])
    made = training.train(texts, place, style="old", settings=SETTINGS)
    about = replace(made.pack.about, name="old")
    packs.update(made.pack, place, about=about)
    found = paraphrast.load(pack=place).rewrite(TEXTS)
    answers = {t: r.text for t, r in zip(TEXTS, found, strict=True)}
    answer_file = place.with_suffix(".json")
    answer_file.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
