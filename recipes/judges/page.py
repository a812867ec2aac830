"""docs/encoder-judges.md and docs/trust.md: the judges' figures, and the guide's."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recipes.markdown import ROOT, Record, between, read_json, table

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
    return {page: between(page, "\n\n".join(parts)), ROOT / "docs/trust.md": _trust()}


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
            "intervals, numbers of items and what each judge was trained on. "
            "`paraphrast metrics trust --judge FOLDER` makes such a report for any "
            "judge; [judges.md](judges.md) says how to read it.",
            "## On corpora that they did not learn from",
            "The figures to expect on other text. A corpus is here if the judge was "
            "never trained on it, or if the same training was run without it and "
            "measured; blank where neither is so, or where a judge was measured before "
            "this table was made.",
            _side_by_side(("evaluator", "corpus", "measure"), unseen),
            "## Agreement with people and with STRAP's models",
            _side_by_side(("evaluator", "people", "measure"), agreed),
            "## Answers to probes",
            "Each probe changes one thing in lines of Romeo and Juliet. The share of "
            "pairs where the evaluator does what it should: for style and fluency the "
            "decision must *stay* or turn (*refuse*) where it was right before; "
            "similarity to the line in the other style must *stay* within 0.05 or "
            "*fall* by more, formality must *stay* within half a point of its six, or "
            "*fall* by more where case is removed, as people's does (it had to *stay* "
            "when the large judge was measured).",
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
        f"The large judge, on one core: {speed['median']:g} rows per second for style, "
        f"similarity to the source, fluency and formality, "
        f"{speed['peak memory in MB']} MB of memory, {speed['megabytes on disk']} MB "
        f"on disk; fp32 takes {slower:g} times as long. In int8 (in fp32), on parts of "
        f"these sets: {scores}. Two cores did other work meanwhile (load {loads})."
    )


def _candidate(results: Mapping[str, Any]) -> str:
    """Return the small judge beside the one before and those trained for transfer."""
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
        "The small judge beside the one before it, whose encoder it has with new heads "
        "of styles and formality (`training.judge.register_heads`), and beside three "
        "whose encoders were trained for text that they never saw and **are not "
        "shipped** (`training.judge.transfer`, training/LOG.md). The first of these "
        "began as the bare encoder and is worse on most rows that neither learnt from; "
        "the second began as the judge before and forgot some of what that one knew of "
        "meaning and nonsense; the third was taught these beside. All but the judge "
        "before learnt from SQUINKY and everyday. The last two columns are whole "
        "corpora: what the judge before, which never saw them, and the first run's "
        "student without them make of them. The second run's student without PT16, "
        f"CoLA and STS-B has {left['pt16']['Spearman']:.3f}, "
        f"{left['cola']['Matthews of the sum']:.3f} and {left['sts']['Spearman']:.3f} "
        "there, from the bare encoder. A changed surface should cost "
        f"{before['surface']['wanted']:.2f}.\n\n"
    ) + table(head, rows, align="l" + "r" * len(sides))


def _guide() -> str:
    scores = read_json(GUIDE / "guide.json")
    rows = [[name, f"{value:.3g}"] for name, value in scores.items() if "," in name]
    return table(["the guide", ""], rows, align="lr")


def _overlap() -> str:
    """Return what judge, guide and rewriter have in common."""
    rows = [
        [name, *(f"{own[part]:,}" if part in own else "" for part in SHARED)]
        for name, own in read_json(GUIDE / "overlap.json").items()
    ]
    return table(["training text of", *SHARED], rows, align="l" + "r" * len(SHARED))
