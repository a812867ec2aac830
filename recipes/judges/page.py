"""docs/encoder-judges.md and docs/trust.md: the judges' figures, and the guide's."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recipes.markdown import ROOT, Record, fill_marked, read_json, table

HERE = Path(__file__).parent
JUDGES = ("linear", "small", "large")
REFERENCES = ("BLEU", "TERp, negated", "PINC")
GUIDE = ROOT / "training/guide"
# The tables of `training.judge.left_out`, and the figure of each that is shown.
COMPARED = (
    ("pt16", "PT16", "Spearman"),
    ("squinky", "SQUINKY", "Spearman"),
    ("order", "everyday, pairs of registers", "order right"),
    ("surface", "everyday, changed case and punctuation", "mean difference"),
    ("cola", "CoLA", "Matthews of the sum"),
    ("gug", "GUG", "Spearman of the sum"),
    ("outputs", "made outputs", "Spearman of the sum"),
    ("sts", "STS-B", "Spearman"),
    ("alike", "everyday, graded changes", "Spearman"),
    ("versions", "everyday, fourteen styles", "accuracy"),
    ("versions", "everyday, eleven styles", "accuracy among eleven"),
    ("plays_valid", "Twelfth Night", "accuracy"),
    ("plays_test", "Romeo and Juliet", "accuracy"),
    ("style_dev", "eleven styles", "accuracy"),
)
SHARED = ("sentences", "in a test", "with the judge", "with the guide")


def pages(record: Record) -> dict[Path, str]:
    """Return the page."""
    page = ROOT / "docs/encoder-judges.md"
    parts = [
        _scores(record),
        _small_speed(_benchmark("judge_speed")),
        _large_speed(_benchmark("large_judge")),
        _candidate(read_json(ROOT / "training/judge/transfer_results.json")),
        _guide(),
        _overlap(),
    ]
    return {
        page: fill_marked(page, "\n\n".join(parts)),
        ROOT / "docs/trust.md": _trust(),
    }


def _trust() -> str:
    """Return how the judges agree with people and answer probes, side by side."""
    paths = [HERE / f"trust/{name}.json" for name in JUDGES]
    records = dict(zip(JUDGES, map(read_json, paths), strict=True))
    agreed: dict[tuple[str, str, str], dict[str, str]] = {}
    probed: dict[tuple[str, str, str], dict[str, str]] = {}
    unseen: dict[tuple[str, str, str], dict[str, str]] = {}
    for judge, record in records.items():
        for row in record.get("left_out", ()):  # format 1 has none
            key = row["evaluator"], row["corpus"], row["measure"]
            unseen.setdefault(key, {})[judge] = f"{row['value']:.3f}"
        for row in record["agreements"]:
            key = row["evaluator"], row["people"], row["measure"]
            if row["evaluator"] not in REFERENCES:
                agreed.setdefault(key, {})[judge] = f"{row['value']:.3f}"
        for row in record["answers"]:
            key = row["evaluator"], row["probe"], row["should"]
            probed.setdefault(key, {})[judge] = f"{100 * row['share']:.0f}%"
    return "\n\n".join(
        [
            "# How far to trust the judges",
            "Made by `docs/generate.py` from `recipes/judges/trust/*.json`, which have "
            "intervals, numbers of items and each judge's training data. "
            "`paraphrast metrics trust --judge FOLDER` makes such a report for any "
            "judge; [judges.md](judges.md) says how to read it.",
            "## On corpora that they were not trained on",
            "These are the figures to expect on other text. A corpus is listed if the "
            "judge was not trained on it, or if a judge trained in the same way "
            "without it was measured. A blank means that neither is the case, or that "
            "the judge was measured before this table existed.",
            _side_by_side(("evaluator", "corpus", "measure"), unseen),
            "## Agreement with people and with STRAP's models",
            _side_by_side(("evaluator", "people", "measure"), agreed),
            "## Probes",
            "Each probe changes one thing in lines of Romeo and Juliet. The table "
            "shows the share of pairs where the evaluator reacts as it should. A "
            "correct decision on style or fluency must *stay* or become a rejection "
            "(*refuse*); similarity to the line in the other style must *stay* within "
            "0.05 or *fall* by more; formality must *stay* within half a point of its "
            "six, or *fall* by more if case is removed, as people's ratings do (when "
            "the large judge was measured, it had to *stay*).",
            _side_by_side(("evaluator", "probe", "should"), probed),
        ]
    ) + "\n"  # fmt: skip


def _side_by_side(
    head: tuple[str, str, str], rows: dict[tuple[str, str, str], dict[str, str]]
) -> str:
    cells = [
        [*key, *(own.get(name, "") for name in JUDGES)] for key, own in rows.items()
    ]
    return table([*head, *JUDGES], cells, align="lll" + "r" * len(JUDGES))


def _benchmark(name: str) -> dict[str, Any]:
    return read_json(ROOT / f"benchmarks/results/{name}.json")


def _scores(record: Record) -> str:
    values: dict[str, dict[str, float]] = {}
    for figure in record["figures"]:
        judge, _, name = figure["name"].partition(": ")
        values.setdefault(name, {})[judge] = figure["ours"]["value"]
    judges = [
        name
        for name in ("small", "large")
        if any(name in own for own in values.values())
    ]
    rows = [
        [name, *(f"{own[judge]:.3g}" if judge in own else "" for judge in judges)]
        for name, own in values.items()
    ]
    return table(["", *judges], rows, align="l" + "r" * len(judges))


def _small_speed(speed: Mapping[str, Any]) -> str:
    lost, slower = speed["loss from 8 bits"], speed["HF fp32's time divided by ours"]
    return (
        f"The small judge, on one core: {speed['median']} rows per second for style, "
        f"similarity to the source and fluency ({speed['texts per second']} texts), "
        f"{speed['peak memory in MB']} MB of memory, {speed['megabytes on disk']} MB "
        f"on disk. The same network in Hugging Face's code in fp32 takes "
        f"{slower:g} times as long. int8 leaves "
        f"{100 * lost['same style']:.1f}% (style) and "
        f"{100 * lost['same fluency']:.1f}% (fluency) of its decisions unchanged; "
        f"cosines move by {lost['mean difference of cosines']:g}."
    )


def _large_speed(speed: Mapping[str, Any]) -> str:
    eight, whole = speed["in 8 bits"], speed["in single precision"]
    scores = ", ".join(f"{name} {eight[name]:g} ({whole[name]:g})" for name in eight)
    slower = speed["single precision's time divided by 8 bits', one encoder"]
    loads = " to ".join(f"{load:g}" for load in speed["setting"]["load"])
    return (
        f"The large judge, on one core: {speed['median']:g} rows per second for "
        "style, similarity to the source, fluency and formality, "
        f"{speed['peak memory in MB']} MB of memory, {speed['megabytes on disk']} MB "
        f"on disk; fp32 takes {slower:g} times as long. In int8 (in fp32), on parts "
        f"of these sets: {scores}. Other programs used the two cores meanwhile (load "
        f"{loads})."
    )


def _candidate(results: Mapping[str, Any]) -> str:
    """Compare the small judge with its predecessor and others trained for transfer."""
    kept, whole = results["rows kept back"], results["corpora left out"]
    second = results["second run"]["networks"]
    before = kept["shipped"]
    sides = [
        before,
        before | results["registers"],
        kept["candidate"],
        second["student-all-1"]["figures"],
        results["third run"]["networks"]["soup-all"]["figures"],
        whole["shipped"],
        whole["student without them"],
    ]
    rows = [
        [
            f"{corpus}, {figure}",
            *(
                f"{side[name][figure]:.3f}" if figure in side.get(name, {}) else ""
                for side in sides
            ),
        ]
        for name, corpus, figure in COMPARED
    ]
    head = ["the same rows", "before", "small", "first run", "second run", "third run"]
    head += ["before, whole", "first run without it"]
    left = second["student-a-1"]["figures"]
    return (
        "The next table compares the small judge with its predecessor (*before*), "
        "which has the same encoder but older heads for styles and formality "
        "(`training.judge.register_heads`), and with three judges whose encoders were "
        "trained for unseen text and which are **not shipped** "
        "(`training.judge.transfer`, training/LOG.md). The first run started from the "
        "pretrained encoder and is worse on most rows that neither was trained on. "
        "The second started from the predecessor and forgot part of its training on "
        "meaning and nonsense; the third was trained on these, too. All except the "
        "predecessor were trained on SQUINKY and everyday. The last two columns are "
        "for whole corpora: the predecessor, which never saw them, and the first "
        "run's student trained without them. The second run's student, trained from "
        "the pretrained encoder without PT16, CoLA and STS-B, has "
        f"{left['pt16']['Spearman']:.3f}, {left['cola']['Matthews of the sum']:.3f} "
        f"and {left['sts']['Spearman']:.3f} there. A change of case and punctuation "
        f"should cost {before['surface']['wanted']:.2f}. The rows of STS-B and of "
        "graded changes are by the cosine alone, without matched words.\n\n"
    ) + table(head, rows, align="l" + "r" * len(sides))


def _guide() -> str:
    scores = read_json(GUIDE / "guide.json")
    rows = [[name, f"{value:.3g}"] for name, value in scores.items() if "," in name]
    return table(["the guide", ""], rows, align="lr")


def _overlap() -> str:
    """Return a description of what judge, guide and rewriter have in common."""
    rows = [
        [name, *(f"{own[part]:,}" if part in own else "" for part in SHARED)]
        for name, own in read_json(GUIDE / "overlap.json").items()
    ]
    return table(["training text of", *SHARED], rows, align="l" + "r" * len(SHARED))
