"""The pages that are made from the benchmarks' results."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from paraphrast.estimators.charts import Point
from paraphrast.study.edit_report import Report, Share, draw_chart, list_rows
from paraphrast.study.edits import CATEGORIES
from recipes.charts import scatter
from recipes.markdown import ROOT, fill_marked, read_json, table


def benchmark_pages() -> dict[Path, str]:
    """Return the pages and pictures of the benchmarks."""
    neural = ROOT / "docs/neural.md"
    service = ROOT / "docs/service.md"
    edits = ROOT / "docs/edits.md"
    return {
        ROOT / "docs/benchmarks.md": benchmarks(),
        ROOT / "docs/agreement_recovery.svg": agreement_recovery(),
        ROOT / "docs/edits.svg": draw_chart(edit_shares()),
        edits: fill_marked(edits, edit_categories()),
        neural: fill_marked(neural, guards()),
        service: fill_marked(service, service_load()),
    }


def benchmarks() -> str:
    """Return one row per benchmark."""
    rows = [
        [*row, f"[{name}](../benchmarks/{name}.py)"] for name, *row in list_claims()
    ]
    return "\n\n".join(
        [
            "# Benchmarks",
            "Made by `docs/generate.py`. Each script's docstring says what it asks and "
            "how to run it; `benchmarks/results/NAME.json` has all that it measured, "
            "with ranges, settings, versions and the machine.",
            table(("what", "reference", "ours", "script"), rows, align="llll"),
        ]
    ) + "\n"  # fmt: skip


def list_claims(*, readme: bool = False) -> Iterable[tuple[str, str, str, str]]:
    """Yield each benchmark's name, question, reference and result."""
    text = (ROOT / "benchmarks/claims.toml").read_text("utf-8")
    for name, claim in tomllib.loads(text).items():
        record = read_json(ROOT / f"benchmarks/results/{name}.json")
        if not readme or claim.get("readme"):
            columns = ("what", "reference", "ours")
            what, reference, ours = (claim[k].format(**record) for k in columns)
            yield name, what, reference, ours


def edit_categories() -> str:
    """Return how far categories of edits agree with a reader, and what pairs show."""
    record = read_json(ROOT / "benchmarks/results/edit_categories.json")
    rows = [
        [name, *(cell for table in record["agreement"].values()
                 for cell in _precision_and_recall(table[name]))]
        for name in CATEGORIES
    ]  # fmt: skip
    head = ["category"]
    for name in record["agreement"]:
        head += [f"{name}: precision", "recall"]
    reports = edit_shares()
    names = [f"{report.name} ({report.pairs:,} pairs)" for report in reports]
    shares = table(["category", "paper", "counted", *names], list_rows(reports),
                   align="lrr" + "r" * len(reports))  # fmt: skip
    return "\n\n".join(
        [
            table(head, rows, align="lrrrr"),
            f"Over all labels F1 is {record['f1']:.3f}.",
            "## Everyday's pairs beside the paper's",
            "In percent of pairs. The writers of everyday rephrase nearly every text; "
            "the rules only do what they have a rule for.",
            shares,
            "![Edits by category](edits.svg)",
        ]
    )


def edit_shares() -> list[Report]:
    """Return the counted categories of everyday's pairs."""
    record = read_json(ROOT / "benchmarks/results/edit_categories.json")
    return [
        Report(**{**report, "shares": tuple(Share(**s) for s in report["shares"])})
        for report in record["shares"]
    ]


def _precision_and_recall(counts: Mapping[str, int]) -> Iterable[str]:
    both = counts["both"]
    given = both + counts["code"]
    labelled = both + counts["reader"]
    yield f"{both / given:.2f}" if given else ""
    yield f"{both / labelled:.2f} ({labelled})" if labelled else ""


def guards() -> str:
    """Return what the neural rewriter's guards and attempts did."""
    record = read_json(ROOT / "benchmarks/results/guards.json")
    rejected = [
        [f"`{name}`", *(str(row[key]) for key in ("acted", "shown", "kept")),
         *(f"{row[key]:+.1f}" for key in ("meaning", "fluency"))]
        for name, row in record["guards"].items()
    ]  # fmt: skip
    attempts = (f"{name} {count:,}" for name, count in record["attempts"].items())
    number = f"{record['sentences']} texts in {len(record['styles'])} styles"
    answers = "texts with a rejected candidate", "answers changed", "source kept"
    return "\n\n".join(
        [
            f"{number}, commit {record['commit']}. Rewrites found by each search "
            f"attempt: {', '.join(attempts)}.",
            table(["guard", *answers, "meaning", "fluency"], rejected, align="lrrrrr"),
            guard_precision(),
        ]
    )  # fmt: skip


def guard_precision() -> str:
    """Return how many correct versions and rated rewrites the guards reject."""
    record = read_json(ROOT / "benchmarks/results/guard_precision.json")
    marks = [f"meaning {mark}" for mark in record["rated"]]
    rows = [
        [f"`{name}`", f"{100 * row['authored'] / record['authored']:.1f}%",
         *(str(row[mark]) for mark in marks)]
        for name, row in record["guards"].items()
        if sum(row.values())
    ]  # fmt: skip
    counts = ", ".join(f"{n:,} with meaning {m}" for m, n in record["rated"].items())
    return "\n\n".join(
        [
            "The second table counts rejections: of "
            f"{record['authored']:,} authored versions of development texts, all of "
            "them correct, and of rewrites by the fine-tuned 1.5B model and by the "
            f"default pack that a reader rated ({counts}), commit {record['commit']}:",
            table(["guard", "authored", *marks], rows, align="lrrrr"),
            *mended_verbs(record["mended"], marks),
        ]
    )


def mended_verbs(mended: Mapping[str, int], marks: Iterable[str]) -> Iterable[str]:
    """Yield what the repair of old verbs changes of the same texts."""
    rated = ", ".join(f"{mended[mark]} with {mark}" for mark in marks)
    yield (
        f"Old verbs are corrected in {mended['authored']:,} of the authored versions, "
        f"and in these numbers of the rated rewrites: {rated}."
    )


def service_load() -> str:
    """Return the load figures of the service and of the studio's annotators."""
    record = read_json(ROOT / "benchmarks/results/service_load.json")
    command, setting = record["command"]["sentences per second"], record["setting"]
    start = "without" if record["command"]["without its start"] else "with"
    rows = [["the command, one file", f"{command:g}", "", "", "", ""]]
    for name, key in (
        ("the server", "batched"),
        ("the server without batches", "unbatched"),
    ):
        own = record[key]
        answers = ", ".join(f"{n:,} × {status}" for status, n in own["answers"].items())
        rows.append(
            [name, f"{own['sentences per second']:g}", *_percentiles(own), answers]
        )
    head = ("", "sentences/s", "median s", "p95 s", "p99 s", "answers")
    annotators = record["annotators"]
    kinds = [
        [kind, f"{times['number']:,}", *(f"{times[p]:g}" for p in PERCENTILES)]
        for kind, times in annotators["milliseconds"].items()
    ]
    return "\n\n".join(
        [
            f"{record['clients']} clients at once, {record['seconds']:g} s each, one "
            f"sentence per request, {setting['style']} by {setting['rewriter']}, "
            f"{setting['cores']} cores that the clients share ({_quietness(setting)}), "
            f"commit {record['commit']}. The server's throughput is "
            f"{record['ratio']['to the command']:g} times that of the command "
            f"({start} start-up time), and "
            f"{record['ratio']['to the server without batches']:g} times that of "
            "one request after the other. Requests still unanswered at the end: "
            f"{record['batched']['still waiting at the end']} with batches, "
            f"{record['unbatched']['still waiting at the end']} without.",
            table(head, rows, align="lrrrrl"),
            f"{annotators['annotators']} annotators with SQLite, each pausing for "
            f"{annotators['seconds of thinking']:g} s on average between actions; "
            "response times in milliseconds:",
            table(("request", "number", "median", "p95", "p99"), kinds, align="lrrrr"),
        ]
    )


def _quietness(setting: Mapping[str, Any]) -> str:
    """Say what else the cores had to do, as far as the record knows."""
    if "load of the machine" in setting:
        return f"load of the machine {setting['load of the machine'][-1]:g}"
    share = setting["share of the cores that other programs took"]
    first = ", after this run" if setting["ran before other programs"] else ""
    return f"other programs took {100 * share:.0f}% of them{first}"


PERCENTILES = ("p50", "p95", "p99")


def _percentiles(record: Mapping[str, Any]) -> list[str]:
    return [f"{record['seconds to answer'][p]:g}" for p in PERCENTILES]


def agreement_recovery() -> str:
    """Draw what Ĉ finds of simulated annotators; bars are two standard deviations."""
    record = read_json(ROOT / "benchmarks/results/agreement_recovery.json")
    points = [Point("", 0.0, 0.0, "equal"), Point("", 1.0, 1.0, "equal")]
    for kind, rows in record["series"].items():
        for number, row in enumerate(rows):
            mean, reach = row["mean"], 2 * row["deviation"]
            ends = (mean - reach, mean + reach)
            is_last = number == len(rows) - 1
            points.append(
                Point(kind, row["true"], mean, kind, up_interval=ends, label=is_last)
            )
    return scatter({"Ĉ": points}, across="true agreement", up="found agreement")
