"""Make the NMT pack of the present format that the tests will read for ever.

Run    (cd tests && python -m packs.make_nmt)
Writes tests/packs/nmt-FORMAT, from greetings that we wrote, and what it rewrites.

A pack that is there is never made again: when the format changes, the new one gets
its own folder and the old ones stay.
"""

import json
from pathlib import Path

import nmt_toy as toy
import paraphrast
from paraphrast.nmt import building
from paraphrast.nmt.building import Texts
from paraphrast.storage import packs
from test_nmt_training import PLAN

FOLDER = Path(__file__).parent


def main() -> None:
    """Write the pack and its answers."""
    place = FOLDER / f"nmt-{packs.KIND.formats[-1]}"
    origin = building.Origin(licences=("Apache-2.0",))
    texts = Texts(toy.pairs(), held_out=toy.pairs(12, seed=5), origin=origin)
    building.build_pack(texts, place, style="formal", plan=PLAN)
    sources = [source for source, _ in toy.pairs(8, seed=7)]
    found = paraphrast.load(pack=place).rewrite(sources)
    answers = {t: r.text for t, r in zip(sources, found, strict=True)}
    answer_file = place.with_suffix(".json")
    answer_file.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
