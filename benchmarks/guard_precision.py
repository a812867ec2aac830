"""Do the guards reject what readers call wrong, and let authored versions pass?

Run    python -m benchmarks.guard_precision > benchmarks/results/guard_precision.json
       (half a minute on one core, no model)
Backs  docs/neural.md.

Two kinds of pairs. Authored versions of everyday's development texts are right, so each
rejected one is a false alarm. Rewrites of everyday's rated inputs (the tuned 1.5B
model's and the default pack's, of sources that are held out from training) have a
reader's mark for meaning: 0 changed, 1 in part, 2 kept. A guard counts what it rejects
by itself, whatever other guards say. Corrections by readers are not rewrites and are
left out. The pairs of both kinds that the repair of old verbs would change are counted,
too.
"""

from collections import Counter
from pathlib import Path

from benchmarks.report import report
from paraphrast.corpora.loaders import everyday
from paraphrast.language.old_verbs import mend_old_verbs
from paraphrast.neural.candidates.guards import GUARDS, Checks, Guard, select_guards
from paraphrast.neural.styles import LOOSE
from training.everyday.ratings import CORRECTED, is_held_out, read_ratings

EVERYDAY = Path(__file__).parents[1] / "corpora/everyday"
PLAIN = "plain"


def main() -> None:
    authored = [
        (style, text.versions[PLAIN], version)
        for text in everyday.read_texts(EVERYDAY)
        if text.split == "dev"
        for style, version in text.versions.items()
        if style != PLAIN
    ]
    rated = [
        row
        for row in read_ratings(EVERYDAY / "rewrites.jsonl")
        if row["kind"] != CORRECTED and is_held_out(row["source"])
    ]
    alarms: Counter[str] = Counter()
    for style, source, version in authored:
        alarms.update(find_objections(style, source, version))
    rejected: dict[str, Counter[int]] = {guard.name: Counter() for guard in GUARDS}
    for row in rated:
        for name in find_objections(row["style"], row["source"], row["output"]):
            rejected[name][row["meaning"]] += 1
    mended = Counter(
        row["meaning"]
        for row in rated
        if mend_old_verbs(row["output"]) != row["output"]
    )
    report(
        claim="authored versions and rated rewrites that a guard rejects",
        authored=len(authored),
        rated={
            mark: sum(row["meaning"] == mark for row in rated) for mark in (0, 1, 2)
        },
        guards={
            guard.name: {
                "authored": alarms[guard.name],
                **{f"meaning {mark}": rejected[guard.name][mark] for mark in (0, 1, 2)},
            }
            for guard in GUARDS
        },
        mended={
            "authored": sum(mend_old_verbs(text) != text for *_, text in authored),
            **{f"meaning {mark}": mended[mark] for mark in (0, 1, 2)},
        },
        setting={
            "texts": "everyday, dev, from plain; rated rewrites, held-out sources"
        },
    )


def find_objections(style: str, source: str, text: str) -> list[str]:
    """Return the names of all guards that would reject a text."""
    return [guard.name for guard in guards_of(style) if guard.check(source, text)]


def guards_of(style: str) -> list[Guard]:
    """Return the guards that need nothing but two texts, as the style has them."""
    return select_guards(Checks(), loose=style in LOOSE, decent=False)


if __name__ == "__main__":
    main()
