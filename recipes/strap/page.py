"""docs/strap.md: the tables of Krishna et al. (2020), our rewriters among theirs."""

import json
from pathlib import Path

from recipes.markdown import (
    ROOT,
    Record,
    Values,
    copy_pictures,
    figures,
    fill_marked,
    interval,
    lead,
    read_json,
    table,
)

HERE = Path(__file__).parent
# The rows of Table 3: each whole system, and the same with one part left out.
ABLATIONS = (
    "shipped",
    "shipped, greedy",
    "shipped, beam",
    "shipped, 32 bits",
    "unsupervised",
    "unsupervised, 32 bits",
    "two steps p=0.0",
    "two steps p=0.0, no paraphrase first",
    "two steps p=0.0, one inverse for all styles",
    "two steps p=0.0, paraphraser without diversity",
    "two steps, reranked",
    "large teacher, reranked",
)
PARAPHRASERS = (
    "the two steps' paraphraser",
    "the two steps' paraphraser, without diversity",
)
# The figures of each system that a run with only the small judge has, too.
JUDGED = ("J", "ACC", "SIM", "SIM to source", "FL")
# The reasons in the recorded run, and how the guards word them today.
REASONS = {
    f"every rewrite would have {old}": f"all candidates {new}"
    for old, new in (
        ("changed the meaning", "changed the meaning"),
        ("put a no for a yes, or a yes for a no", "changed the negation"),
        ("lost", "lost a name or a word"),
        ("put in a word without ground", "added an unsupported word"),
        ("repeated itself", "repeated themselves"),
        ("spoken of somebody else", "changed the person"),
        ("told what somebody is asked to do", "turned the request into a statement"),
        (
            "answered a question in place of asking it",
            "turned the question into a statement",
        ),
        ("asked what is not asked", "turned the statement into a question"),
        ("brought in", "added a name or a word"),
        ("put in somebody who says it", "added a speaker"),
    )
} | {"the model would not change it": "the model found nothing to change"}


def pages(record: Record) -> dict[Path, str]:
    """Return the page and its pictures."""
    page = ROOT / "docs/strap.md"
    values = figures(record)
    rerun = json.loads((HERE / "rerun.json").read_text("utf-8"))
    examples = (HERE / "examples.md").read_text("utf-8").strip()
    parts = [
        _systems(values),
        _judges(values),
        _ablations(values),
        _styles(values),
        _paraphraser(values),
        _describe_unchanged(values),
        _rerun(values, figures(rerun)),
        _default_pack(),
        f"## Examples\n\n{examples}",
    ]
    pictures = copy_pictures(HERE, ("sweep", "styles"), "strap")
    return {page: fill_marked(page, "\n\n".join(parts)), **pictures}


def claims(record: Record) -> list[tuple[str, str, str]]:
    """Return README's rows: what was measured, the reference, ours."""
    values = {name: value["value"] for name, value in figures(record).items()}
    copy, naive, shipped = (
        values[f"11 styles, {name}, overall: J"]
        for name in ("COPY", "NAIVE", "shipped")
    )
    return [
        (
            "Modern English to Shakespeare and back, STRAP's 2,924 sentences: J, "
            "scored by a judge not used in training",
            f"STRAP {values['STRAP p=0.0: J']:.1f}, COPY {values['COPY: J']:.1f}",
            f"pack of version 0.1: {values['shipped: J']:.1f}; without parallel text "
            f"{values['unsupervised: J']:.1f}",
        ),
        (
            "Eleven styles, each from the ten others: J, scored by the same judge",
            f"COPY {copy:.1f}, NAIVE {naive:.1f}",
            f"pack of version 0.1: {shipped:.1f}",
        ),
    ]


def _cells(values: Values, name: str, *parts: str) -> list[str]:
    return [f"{values[f'{name}: {part}']['value']:.1f}" for part in parts]


def _systems(values: Values) -> str:
    head = (
        "system", "J", "ACC", "SIM", "SIM to source", "FL",
        "BLEU to Shakespeare / modern", "kept", "copies",
        "J ahead of STRAP, to Shakespeare", "to modern",
    )  # fmt: skip
    rows = []
    for name in _scored_systems(values):
        ways = [f"{name}, to {style}" for style in ("shakespeare", "modern")]
        cells = [
            interval(values[f"{name}: J"]),
            *_cells(values, name, "ACC", "SIM", "SIM to source", "FL"),
            " / ".join(_cells(values, way, "BLEU")[0] for way in ways),
            *_cells(values, name, "names and numbers kept", "copies"),
            *(lead(values.get(f"{way}: lead over STRAP p=0.0")) for way in ways),
        ]
        rows.append([name, *cells])
    title = "## Table 1: Shakespeare\n\nBy the large judge; J with its 95% interval."
    return f"{title}\n\n{table(head, rows, align='llrrrrlrrll')}"


def _scored_systems(values: Values) -> list[str]:
    """Return the systems that the first judge scored, best J first."""
    ending = ": J over STRAP's"
    names = [name.removesuffix(ending) for name in values if name.endswith(ending)]
    ours = [name for name in names if not name.startswith("by ")]
    return sorted(ours, key=lambda name: -values[f"{name}: J"]["value"])


def _judges(values: Values) -> str:
    """Return J of every system by the other judges."""
    starts = (name[3:].partition(",")[0] for name in values if name.startswith("by "))
    judges = list(dict.fromkeys(starts))
    head = [
        "system",
        *(part for name in judges for part in (f"{name}: J", "of STRAP's")),
    ]
    rows = [
        [
            name,
            *(
                f"{values[f'by {judge}, {name}: {part}']['value']:.{digits}f}"
                for judge in judges
                for part, digits in (("J", 1), ("J over STRAP's", 2))
            ),
        ]
        for name in _scored_systems(values)
    ]
    title = "The same outputs by other judges, J and as a multiple of STRAP's:"
    return f"{title}\n\n{table(head, rows, align='l' + 'rr' * len(judges))}"


def _ablations(values: Values) -> str:
    rows = [
        [
            name,
            interval(values[f"{name}: J"]),
            *_cells(values, name, "ACC", "SIM", "FL", "BLEU"),
            lead(values.get(f"{name}: J beside the whole")),
        ]
        for name in ABLATIONS
        if f"{name}: J" in values
    ]
    head = "", "J", "ACC", "SIM", "FL", "BLEU", "J relative to the whole method"
    title = "## Table 3: ablations of training and inference"
    return f"{title}\n\n{table(head, rows, align='llrrrrl')}"


def _styles(values: Values) -> str:
    """Return J of every system by target style, and all figures of ours."""
    ending, start = ": ACC", "11 styles, original, "
    names = [n[len(start) :] for n in values if n.startswith(start)]
    styles = [name.removesuffix(ending) for name in names if name.endswith(ending)]
    rows = []
    for style in [*dict.fromkeys(styles), "overall"]:
        original = [values.get(f"{start}{style}: {part}") for part in ("ACC", "FL")]
        cells = [" / ".join(f"{value['value']:.1f}" for value in original if value)]
        for system in ("COPY", "NAIVE", "phrase engine"):
            own = values.get(f"11 styles, {system}, {style}: J")
            hidden = own is None or (style == "overall" and system == "phrase engine")
            cells.append("" if own is None or hidden else f"{own['value']:.1f}")
        ours = f"11 styles, shipped, {style}"
        cells.append(interval(values[f"{ours}: J"]))
        rows.append([style, *cells, *_cells(values, ours, "ACC", "SIM", "FL")])
    head = (
        "target style", "original ACC / FL", "COPY: J", "NAIVE: J", "phrase engine: J",
        "shipped: J", "ACC", "SIM", "FL",
    )  # fmt: skip
    title = "## Table 15: each style from the ten others"
    picture = "![J by target style](strap-styles.svg)"
    return f"{title}\n\n{table(head, rows, align='llrrrlrrr')}\n\n{picture}"


def _paraphraser(values: Values) -> str:
    """Return Table 16 and the classifier's drop."""
    start, parts = "paraphraser, ", ("similarity", "lexical", "word order")
    columns = (*parts, "ACC before", "ACC after")
    ending = ": similarity"
    names = [
        name[len(start) : -len(ending)]
        for name in values
        if name.startswith(start) and name.endswith(ending)
    ]
    labels = {n: f"{start}{n}" for n in sorted(names, key=lambda n: n == "overall")}
    labels |= {name: name for name in PARAPHRASERS if f"{name}{ending}" in values}
    rows = []
    for name, label in labels.items():
        numbers = (values[f"{label}: {part}"]["value"] for part in columns)
        rows.append(
            [name, *(f"{v:.2f}" if abs(v) <= 1 else f"{v:.1f}" for v in numbers)]
        )
    title = "## Table 16: the paraphraser, and the classifier before and after it"
    return f"{title}\n\n{table(['style', *columns], rows, align='lrrrrr')}"


def _describe_unchanged(values: Values) -> str:
    """Return the shares of unchanged outputs, by reason, and of recited ones."""
    rows = [
        [_reword(name), f"{value['value']:.2f}"]
        for name, value in values.items()
        if ": left as it was" in name or "recited from training" in name
    ]
    title = "## Unchanged and recited outputs"
    return f"{title}\n\n{table(['outputs', 'percent'], rows, align='lr')}"


def _reword(name: str) -> str:
    """Return the name of a recorded share with its reason as guards word it today."""
    system, _, reason = name.partition(": left as it was")
    if system == name:
        return name
    reason = reason.removeprefix(", ")
    return f"{system}: unchanged{': ' if reason else ''}{REASONS.get(reason, reason)}"


def _rerun(before: Values, after: Values) -> str:
    """Return the small judge's figures of Table 1 beside those of a later run."""
    rows = []
    for name in _scored_systems(before):
        keys = [
            *(f"by small, {name}: {part}" for part in JUDGED),
            *(f"{name}, to {style}: BLEU" for style in ("shakespeare", "modern")),
            *(f"{name}: {part}" for part in ("names and numbers kept", "copies")),
        ]
        cells = (f"{before[k]['value']:.1f} / {after[k]['value']:.1f}" for k in keys)
        if keys[0] in after:
            rows.append([name, *cells])
    head = ("system", *JUDGED, "BLEU to Shakespeare", "to modern", "kept", "copies")
    title = (
        "## Table 1 again, with later code\n\n"
        "By the small judge when its similarity was the cosine alone; before / after."
    )
    return f"{title}\n\n{table(head, rows, align='l' + 'r' * (len(head) - 1))}"


def _default_pack() -> str:
    """Return the rows of the pack that ships, which chose nothing by them."""
    record = read_json(ROOT / "benchmarks/results/strap_default_pack.json")
    names = list(record["systems"]["small"])
    rows = [
        [name, *("{:.1f} [{:.1f}, {:.1f}]".format(*own[part]) for part in names)]
        for name, own in record["systems"].items()
    ]
    title = (
        "## The default pack of today\n\n`small`, with its guards, by the small judge "
        "(`benchmarks/strap_default_pack.py`). It was not trained on the parallel "
        "plays, and J chose nothing of it: readers accept far more of its rewrites "
        "than of those of `shipped` ([reading.md](reading.md)), whose J is higher. Its "
        "`plain` writes everyday English in neutral words, reads hardly any English of "
        "1600, and leaves much as it is. Its meaning checker and this judge both began "
        "as MiniLM."
    )
    return f"{title}\n\n{table(['system', *names], rows, align='l' + 'r' * len(names))}"
