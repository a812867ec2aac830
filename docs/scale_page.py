"""The tables of docs/scale.md: measured rates, a billion sentences, simulated deaths.

Only the plan's assumptions are typed here: its size, the machines and their price.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.batch_speed import LINES, PACK_LINES
from recipes.markdown import ROOT, fill_marked, read_json, table

SENTENCES, WORKERS, CORES, PRICE = 1_000_000_000, 500, 16, 0.04
SHARDS = (100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000)  # lines
LONGEST = 3600.0  # seconds of a shard, as in the simulation
NAMES = {
    "rules": "rewrite by rules",
    "filter": "filter pairs",
    "pack": "rewrite with the default pack",
}
KINDS = {"real": "lines of real corpora", "generated": "generated lines"}
OVER_TIME = "megabytes together in each tenth of the run"
WORST = "all of these"


def scale_page() -> dict[Path, str]:
    """Return the page with its tables regenerated."""
    page = ROOT / "docs/scale.md"
    speed = read_json(ROOT / "benchmarks/results/batch_speed.json")
    simulated = read_json(ROOT / "benchmarks/results/batch_simulation.json")
    parts = [
        "## Measured",
        _introduce(speed),
        _lay_out_rates(speed),
        "## A billion sentences",
        _explain_plan(simulated),
        _plan(speed, simulated),
        "## What failures cost",
        _introduce_simulation(simulated),
        _lay_out_deaths(simulated),
    ]
    return {page: fill_marked(page, "\n\n".join(parts))}


def _introduce(speed: Mapping[str, Any]) -> str:
    tasks = speed["tasks"]
    sizes = ", ".join(
        f"{NAMES[k]}: {tasks[k]['lines']:,} {KINDS[tasks[k]['text']]}" for k in tasks
    )
    rows = [row for task in tasks.values() for row in task["ways"].values()]
    commits = ", ".join(sorted({row["commit"] for row in rows}))
    loads = [row["load"][0] for row in rows]
    cores = speed["setting"]["cores"]
    return (
        f"By `benchmarks/batch_speed.py` ({sizes}; {cores} cores, {speed['machine']}, "
        f"commit {commits}). Every row produced the same bytes as the command for one "
        "file. The times cover the whole job: planning, starting workers (and Ray), "
        "running and joining; in short runs, starting dominates. The machine was "
        f"shared: its load was {min(loads):g} to {max(loads):g} on {cores} cores, so "
        "lines per CPU second are more reliable than lines per second. The command "
        "for one file, and a process that is the only worker, run the pack with a "
        "thread per core, other workers with one." + _name_smaller(tasks)
    )


def _name_smaller(tasks: Mapping[str, Any]) -> str:
    """Return a note on the tasks that had fewer lines than the script's default."""
    planned = {"rules": LINES, "filter": LINES, "pack": PACK_LINES}
    smaller = [
        f"{planned[name]:,} ({NAMES[name]})"
        for name, task in tasks.items()
        if task["lines"] < planned[name]
    ]
    if not smaller:
        return ""
    return (
        f" By default the script runs {' and '.join(smaller)} lines; the sizes here "
        "are what this machine could manage."
    )


def _lay_out_rates(speed: Mapping[str, Any]) -> str:
    rows = []
    for name, task in speed["tasks"].items():
        single = task["ways"]["one file"]
        for way, row in task["ways"].items():
            rows.append(
                [
                    NAMES[name],
                    way,
                    f"{row['lines per second']:,.1f}",
                    f"{row['lines per processor second']:,.1f}",
                    f"{_ratio(row, single):.2f}",
                    f"{row['megabytes of the largest process']:,}",
                    f"{row['megabytes together']:,}",
                ]
            )
    head = (
        "task",
        "engine, workers",
        "lines/s",
        "lines per CPU s",
        "relative to one file",
    )
    memory = ("MB, largest process", "MB, all processes")
    flat = ", ".join(
        f"{NAMES[name]} {_largest(task['a tenth of the lines, processes, 2'])} and "
        f"{_largest(task['ways']['processes, 2'])} MB"
        for name, task in speed["tasks"].items()
    )
    return (
        table([*head, *memory], rows, align="llrrrrr")
        + "\n\nMemory of the largest process on a tenth of the lines, and on all of "
        + f"them: {flat}. A worker holds one shard at a time."
        + _ray_overhead(speed)
        + "\n\nMemory over time: MB of all processes, the most in each tenth of "
        "the run. A page that several processes share counts for each of them.\n\n"
        + _lay_out_memory(speed)
    )


def _lay_out_memory(speed: Mapping[str, Any]) -> str:
    rows = [
        [NAMES[name], way, *(f"{size:,}" for size in row[OVER_TIME])]
        for name, task in speed["tasks"].items()
        for way, row in task["ways"].items()
    ]
    head = ["task", "engine, workers", *map(str, range(1, 11))]
    return table(head, rows, align="ll" + "r" * 10)


def _ratio(row: Mapping[str, Any], single: Mapping[str, Any]) -> float:
    """Return the rate relative to that of the command beside it, or in its own row."""
    rate = "lines per processor second"
    return float(row.get(f"{rate} against one file", row[rate] / single[rate]))


def _ray_overhead(speed: Mapping[str, Any]) -> str:
    costs = [
        task["ways"]["ray, 1"]["steps"]["run"]["processor seconds"]
        - task["ways"]["processes, 1"]["steps"]["run"]["processor seconds"]
        for task in speed["tasks"].values()
        if "ray, 1" in task["ways"]
    ]
    if not costs:
        return ""
    return (
        " A run on Ray with one worker, which starts a cluster, took "
        f"{', '.join(f'{cost:.1f}' for cost in costs)} CPU seconds more than one with "
        "a process; an existing cluster is already running."
    )


def _largest(row: Mapping[str, Any]) -> int:
    return int(row["megabytes of the largest process"])


def _explain_plan(simulated: Mapping[str, Any]) -> str:
    worst = simulated["settings"][WORST]["median"]
    machines = -(-WORKERS // CORES)
    return (
        f"{SENTENCES:,} sentences in shards of at most an hour (`--shard-lines`; "
        f"{SHARDS[0]:,} lines are {SENTENCES // SHARDS[0]:,} shards), on {WORKERS} "
        f"workers: {machines} machines of {CORES} cores. The time per line is the "
        "marginal cost of a line (all lines less a tenth of them, two processes), so "
        "start-up is not counted twice. The hours include failures of every kind, "
        f"{worst:g} times the ideal for shards of an hour (below). A core hour is "
        f"assumed to cost ${PRICE:g}; put in your own price. Planning and joining "
        "each run on one core and read the corpus once; storage is input and result, "
        "and the result twice until `finish --remove-shards`. The rates were measured "
        "on one core of this machine under load."
    )


def _plan(speed: Mapping[str, Any], simulated: Mapping[str, Any]) -> str:
    worst = simulated["settings"][WORST]["median"]
    ends, millions = speed["ends"], SENTENCES / 1e6
    rows = []
    for name, task in speed["tasks"].items():
        run = _marginal(task, "run")
        shard = next((n for n in SHARDS if n * run <= LONGEST), SHARDS[-1])
        core_hours = SENTENCES * run / 3600
        size = SENTENCES / task["lines"] / 1e9
        rows.append(
            [
                NAMES[name],
                f"{1 / run:,.1f}",
                f"{core_hours:,.0f}",
                f"{core_hours / WORKERS * worst:,.2f}",
                f"{core_hours * worst * PRICE:,.0f}",
                f"{ends['plan'] * millions / 3600:.1f} + "
                f"{ends['finish'] * millions / 3600:.1f}",
                f"{task['bytes in'] * size:,.0f} + {task['bytes out'] * size:,.0f}",
                f"{shard:,}",
                f"{shard * run / 60:,.1f}",
            ]
        )
    head = ["task", "lines per CPU s", "core hours", "hours", "$"]
    head += ["plan + join, h", "GB in + out", "lines per shard", "min"]
    return table(head, rows, align="lrrrrrrrr")


def _marginal(task: Mapping[str, Any], step: str) -> float:
    """Return the processor seconds that one more line costs in a step."""
    all_lines = task["ways"]["processes, 2"]["steps"][step]["processor seconds"]
    tenth = task["a tenth of the lines, processes, 2"]["steps"][step]
    more = all_lines - tenth["processor seconds"]
    return max(float(more), 0.05) / (0.9 * int(task["lines"]))


def _introduce_simulation(simulated: Mapping[str, Any]) -> str:
    setting = simulated["setting"]
    return (
        f"By `benchmarks/batch_simulation.py`: {setting['shards']:,} shards of "
        f"{setting['hours per shard']:g} h on {setting['workers']} workers, "
        f"{setting['workers per machine']} per machine, scheduled by the same code as "
        "real jobs, on a simulated clock. The time is divided by that of "
        "workers that never die or wait; median and range of "
        f"{setting['repeats']} runs. With shards of an hour, a death costs half an "
        "hour on average, and workers are idle during the last shards; with shards of "
        "a few minutes both cost a tenth of that. A killed driver stops all its "
        "workers: with several drivers, each with its `--shards`, one stops only its "
        "own."
    )


def _lay_out_deaths(simulated: Mapping[str, Any]) -> str:
    rows = [
        [
            name,
            f"{row['median']:.3f} ({row['range'][0]:.3f} to {row['range'][1]:.3f})",
            f"{row['work lost']:.1%}",
            _span(row["deaths"]),
            _span(row["halved"]),
            _span(row["given up"]),
        ]
        for name, row in simulated["settings"].items()
    ]
    head = ("failures", "time / ideal", "work lost", "workers died", "halvings")
    return table([*head, "records given up"], rows, align="lrrrrr")


def _span(values: list[int]) -> str:
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
