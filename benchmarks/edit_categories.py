"""How often do edit categories agree with a reader's, and which do pairs show?

Run    python -m benchmarks.edit_categories > benchmarks/results/edit_categories.json
Backs  the tables and the chart of docs/edits.md and the row in docs/benchmarks.md.

One reader labelled the 100 pairs of ``data/edit_labels.tsv`` before the code was
written: fifty that we wrote in the manner of chats (``chat``) and fifty of everyday's
judges part, informal to formal (``everyday``). While the code was developed, only the
disagreements on ``chat`` were read, and three errors in its labels were corrected then.
A category counts once per pair. The shares are those of all pairs of everyday's judges
part, by its writers and by the formality rules.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.report import report
from paraphrast.align import choosing
from paraphrast.corpora.catalogue import locate
from paraphrast.corpora.loaders.everyday import pairs_of
from paraphrast.rewriter import Sentence
from paraphrast.rules import family
from paraphrast.study.edit_report import find_all_edits, make_report
from paraphrast.study.edits import CATEGORIES, list_categories

LABELS = Path(__file__).parent / "data" / "edit_labels.tsv"


def main() -> None:
    with LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    agreement = {
        name: compare([row for row in rows if row["set"] == name])
        for name in ("chat", "everyday")
    }
    people = read_everyday()
    formal = family.load("formal")(
        [Sentence(source) for source, _ in people], alternatives=1, seed=1
    )
    rules = [(s, r[0].text) for (s, _), r in zip(people, formal, strict=True)]
    shares = [
        count("everyday, people", people),
        count("everyday, rules", rules),
    ]
    totals = Counter[str]()
    for table in agreement.values():
        for row in table.values():
            totals.update(row)
    report(
        claim="F1 of categories per pair, 100 pairs labelled by a reader",
        f1=round(f1(totals), 3),
        agreement=agreement,
        shares=shares,
    )


def compare(rows: Sequence[dict[str, str]]) -> dict[str, dict[str, int]]:
    """Count where the code and the reader agree, category by category."""
    pairs = [(row["source"], row["target"]) for row in rows]
    table = {name: {"both": 0, "code": 0, "reader": 0} for name in CATEGORIES}
    all_edits = find_all_edits(pairs, choosing.load())
    for row, (_, edits) in zip(rows, all_edits, strict=True):
        gold = set(filter(None, row["categories"].split(", ")))
        ours = set(list_categories(edits))
        for name in gold | ours:
            who = (
                "both" if name in gold & ours else "code" if name in ours else "reader"
            )
            table[name][who] += 1
    return table


def f1(counts: Counter[str]) -> float:
    both = 2 * counts["both"]
    return both / (both + counts["code"] + counts["reader"])


def read_everyday() -> list[tuple[str, str]]:
    pairs = pairs_of(locate("everyday"), "everyday", "judges:informal:formal")
    return [(pair.source, pair.target) for pair in pairs]


def count(name: str, pairs: Sequence[tuple[str, str]]) -> dict[str, object]:
    all_edits = find_all_edits(pairs, choosing.load())
    return asdict(make_report(name, (edits for _, edits in all_edits)))


if __name__ == "__main__":
    main()
