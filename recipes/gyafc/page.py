"""docs/formality.md: the open formality corpus and the systems of GYAFC on it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from paraphrast.corpora.formality import STYLES
from paraphrast.study.criteria import CRITERIA
from recipes.markdown import (
    ROOT,
    Record,
    Values,
    copy_pictures,
    figures,
    fill_marked,
    lead,
    table,
)

from . import paper
from .scoring import BY_CRITERIA, MEASURES
from .systems import COPY, REFERENCE, SYSTEMS

HERE = Path(__file__).parent
EARLIER = HERE / "earlier.json"
MAIN = "everyday to formal"
ORDER = (COPY, *SYSTEMS, REFERENCE)
READERS = "readers, to "  # what begins the names of their figures
DOMAINS = {paper.MUSIC: "E&M", paper.FAMILY: "F&R"}
AGREEMENT = "krippendorff alpha interval"
PRINTED = {
    (domain, to, system, measure): value
    for domain, to, system, measure, value in paper.figures()
}


def pages(record: Record) -> dict[Path, str]:
    """Return the page and its picture."""
    page = ROOT / "docs/formality.md"
    picture = copy_pictures(HERE, ("figure1",), "formality")
    return {page: fill_marked(page, lay_out(read_values(record))), **picture}


def claims(record: Record) -> list[tuple[str, str, str]]:
    """Return README's row: what was measured, the reference, ours."""
    values = read_values(record)
    shown = {
        system: f"{values[name]['value']:.1f}"
        for system in SYSTEMS
        if (name := f"{MAIN}: {system}, BLEU") in values
    }
    copied = values[f"{MAIN}: {COPY}, BLEU"]["value"]
    return [
        (
            f"Informal to formal, {values[f'{MAIN}: texts']['value']:.0f} texts: BLEU "
            "with four references",
            f"{COPY} {copied:.1f}",
            ", ".join(f"{system} {value}" for system, value in shown.items()),
        )
    ]


def read_values(record: Record) -> Values:
    """Return a run's figures, and earlier ones for systems that it could not measure.

    These are of tests for which the outputs are not kept, and of pairs that are not
    here, by measures that have not changed since; the run's own stand before them.
    """
    printed = figures(record)
    earlier = json.loads(EARLIER.read_text("utf-8"))["figures"]
    tests = {name.partition(":")[0] for name in printed}
    added = {
        name: value
        for name, value in earlier.items()
        if name.partition(":")[0] in tests or name.startswith("corpus ")
    }
    return {**printed, **{n: v for n, v in added.items() if n not in printed}}


def lay_out(values: Values) -> str:
    """Return every table: the corpus, each test beside the paper's, the order."""
    tests = list(
        dict.fromkeys(
            name.partition(":")[0]
            for name in values
            if f": {COPY}, " in name and not name.startswith(READERS)
        )
    )
    parts = [*_corpus(values), *_left_out(values)]
    for test in tests:
        parts += [f"### {_headline(values, test)}", _systems(values, test)]
        parts += _not_here(values, test)
        neighbours = _neighbours(values, test)
        if neighbours:
            parts.append(neighbours)
    parts += _readers(values)
    for to in STYLES:
        parts += _people_of_the_paper(values, to)
    return "\n\n".join(parts)


def lay_out_samples(
    title: str, texts: Sequence[str], outputs: Mapping[str, Sequence[str]]
) -> str:
    """Return every system's output for a few texts, as Tables 7 and 15 do."""
    rows = []
    for at, text in enumerate(texts):
        rows.append([f"**{COPY}**", text])
        rows += [[name, own[at]] for name, own in outputs.items() if name != COPY]
    escaped = [[name, text.replace("|", "\\|")] for name, text in rows]
    shown = table(("system", "output"), escaped, align="ll")
    return f"### Sample outputs, {title}\n\n{shown}"


def _people_of_the_paper(values: Values, to: str) -> Iterator[str]:
    """Yield what the paper's readers marked, and what correlates with their marks."""
    yield f"### The paper's readers, to {to}"
    rows = []
    for domain, short in DOMAINS.items():
        ranks = paper.RANKS[domain, to]
        for system, marks in paper.MARKS[domain, to].items():
            shown = ["" if mark is None else f"{mark:.2f}" for mark in marks]
            rank = f"{ranks[system]:.2f}" if system in ranks else ""
            rows.append([f"{short}: {system}", *shown, rank])
    yield table(("system", *BY_CRITERIA), rows, align="lrrrrr")
    rows = []
    for (measure, mark), printed in paper.CORRELATIONS[to].items():
        own = measure if mark == "rank" else f"auto_{measure}"
        ours = values.get(f"{READERS}{to}: {own} and {mark}, Spearman")
        signed = [f"{value:.2f}".replace("-", "−") for value in printed]
        interval = "" if ours is None else _format_interval(ours)
        rows.append([measure, mark, *signed, interval])
    head = ("automatic", "readers'", *DOMAINS.values(), "ours")
    yield table(head, rows, align="llrrl")


def _readers(values: Values) -> Iterator[str]:
    """Yield the readers' judgments per direction: marks, agreement, correlations."""
    for to in STYLES:
        own = {
            name.removeprefix(f"{READERS}{to}: "): value
            for name, value in values.items()
            if name.startswith(f"{READERS}{to}: ")
        }
        if not own:
            continue
        yield f"### Blind reading, to {to}"
        rows = [
            [system, *(_cell(own.get(f"{system}, {name}")) for name in BY_CRITERIA)]
            for system in sorted(
                (n.removesuffix(", rank") for n in own if n.endswith(", rank")),
                key=lambda system: own[f"{system}, rank"]["value"],
            )
        ]
        yield table(("system", *BY_CRITERIA), rows, align="lrrrrr")
        agreed = [
            [name, _format_interval(own[key])]
            for name in CRITERIA
            if (key := f"agreement on {name}, {AGREEMENT}") in own
        ]
        if agreed:
            columns = "agreement of readers on", "Krippendorff's alpha (interval)"
            yield table(columns, agreed, align="ll")
        measures = dict.fromkeys(n.partition(" and ")[0] for n in own if " and " in n)
        rows = [
            [
                measure.replace("auto_", "the judge's "),
                *(
                    _format_interval(own[f"{measure} and {n}, Spearman"])
                    for n in CRITERIA
                ),
            ]
            for measure in measures
        ]
        head = ("Spearman", *(f"with {name}" for name in CRITERIA))
        yield table(head, rows, align="lllll")


def _left_out(values: Values) -> Iterator[str]:
    missing = [
        system
        for system in SYSTEMS
        if not any(f": {system}, " in name for name in values)
    ]
    if missing:
        yield f"Not in this run, because the pack is missing: {', '.join(missing)}."


def _not_here(values: Values, test: str) -> Iterator[str]:
    seen = [
        system
        for system in SYSTEMS
        if any(f": {system}, " in name for name in values)
        and not any(name.startswith(f"{test}: {system}, ") for name in values)
    ]
    if seen:
        yield (
            "Left out because these texts were in their training data, or because "
            f"their outputs for them have not been kept: {', '.join(seen)}."
        )


def _headline(values: Values, test: str) -> str:
    texts = values.get(f"{test}: texts")
    return test if texts is None else f"{test} ({texts['value']:.0f} texts)"


def _corpus(values: Values) -> Iterator[str]:
    sources = dict.fromkeys(
        name.removeprefix("corpus ").partition(":")[0]
        for name in values
        if name.startswith("corpus ")
    )
    if not sources:
        return
    yield "### The corpus"
    head = ("source", "train", "tune", "test", "words", "edit distance", "formality")
    rows = [
        [
            source,
            *(_sizes(values, f"corpus {source}: {split}") for split in head[1:4]),
            _change(values, f"corpus {source}: words", digits=1),
            _edits(values, source),
            _change(values, f"corpus {source}: formality", digits=2),
        ]
        for source in sources
    ]
    analysed = {paper.MUSIC: ("11.9 → 12.6", "28.9 (σ 19.4)", "−1.06 → 0.12")}
    for domain, (train, *held_out) in paper.SIZES.items():
        sizes = [f"{formal:,} / {informal:,}" for formal, informal in held_out]
        name = f"*GYAFC, {DOMAINS[domain]} (the paper)*"
        rows.append([name, f"{train:,}", *sizes, *analysed.get(domain, [""] * 3)])
    yield table(head, rows, align="lrrrrrr")
    yield "Two sizes are those to formal and to informal."
    unlabelled = [
        name.removeprefix("unlabelled ").partition(":")[0]
        for name in values
        if name.startswith("unlabelled ") and name.endswith(": texts")
    ]
    if unlabelled:
        rows = [
            [
                name,
                _number(values, f"unlabelled {name}: texts"),
                _number(values, f"unlabelled {name}: informal, per cent"),
            ]
            for name in unlabelled
        ]
        yield table(("unlabelled text", "texts", "informal, %"), rows, align="lrr")


def _systems(values: Values, test: str) -> str:
    domain, _, to = test.rpartition(" to ")
    rows = []
    for system in ORDER:
        own = [values.get(f"{test}: {system}, {measure}") for measure in MEASURES]
        if not any(own):
            continue
        rows.append([system, *(_cell(value) for value in own)])
        printed = [PRINTED.get((domain, to, system, measure)) for measure in MEASURES]
        if any(value is not None for value in printed):
            shown = ["" if value is None else f"*{value:.2f}*" for value in printed]
            rows.append([f"*{system}, the paper*", *shown])
    return table(("system", *MEASURES), rows, align="l" + "r" * len(MEASURES))


def _neighbours(values: Values, test: str) -> str:
    """Return the lead of each system over the next one, for each measure tested."""
    rows = []
    for name, value in values.items():
        if name.startswith(f"{test}: ") and " over " in name:
            pair, _, measure = name.removeprefix(f"{test}: ").rpartition(", ")
            better, _, worse = pair.partition(" over ")
            rows.append([measure, better, worse, lead(value, digits=2)])
    if not rows:
        return ""
    return table(("by", "better", "than", "lead"), rows, align="llll")


def _cell(value: Mapping[str, Any] | None) -> str:
    """Return a figure; a star says that it differs from the rules' with p < 0.001."""
    if value is None:
        return ""
    p = value["signature"].partition("p:")[2].partition("|")[0]
    star = "*" if p and float(p) < 0.001 else ""
    return f"{value['value']:.2f}{star}".replace("*", "\\*")


def _format_interval(value: Mapping[str, Any]) -> str:
    return "{value:.2f} [{low:.2f}, {high:.2f}]".format(**value).replace("-", "−")


def _sizes(values: Values, name: str) -> str:
    """Return a part's size, in both directions where they differ."""
    both = _number(values, name), _number(values, f"{name}, to informal")
    return " / ".join(size for size in both if size)


def _number(values: Values, name: str) -> str:
    return f"{values[name]['value']:,.0f}" if name in values else ""


def _change(values: Values, name: str, *, digits: int) -> str:
    sides = [values.get(f"{name}, {side}") for side in ("informal", "formal")]
    return " → ".join(
        f"{side['value']:.{digits}f}".replace("-", "−") for side in sides if side
    )


def _edits(values: Values, source: str) -> str:
    name = f"corpus {source}: edit distance"
    if name not in values:
        return ""
    return f"{values[name]['value']:.1f} (σ {values[f'{name}, σ']['value']:.1f})"
