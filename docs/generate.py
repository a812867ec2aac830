"""Make the pages that carry figures from the committed results.

Run    python docs/generate.py           write README's table and the two pages
       python docs/generate.py --check   say which would change, and exit 1

`docs/trust.md` is made from ``docs/trust/*.json``, which `paraphrast metrics trust
--json` writes for each judge, `docs/reproduction.md` from ``recipes/*/results.json``,
`docs/benchmarks.md` from ``benchmarks/results/*.json``, and the table between the marks
in README.md from both; README's sentence in every style is from
``examples/every_style.json``. No figure in them is typed.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paraphrast.study import trust
from paraphrast.study.plots import columns, recovery

ROOT = Path(__file__).resolve().parents[1]
START, END = "<!-- results: made by docs/generate.py -->", "<!-- end of results -->"
STYLES_START = "<!-- styles: made by docs/generate.py -->"
STYLES_END = "<!-- end of styles -->"

# README's rows from the benchmarks: what, against what, and the figures by name.
CLAIMS = (
    (
        "language_model",
        "n-gram models of 36 plays: perplexity of Romeo and Juliet, order 3 / 5",
        "KenLM: {lmplz[order 3]} / {lmplz[order 5]}",
        "{perplexity[order 3][all words]} / {perplexity[order 5][all words]}",
    ),
    (
        "language_model",
        "the same: asking the model of order 5, sentence by sentence",
        "KenLM, same scores",
        "{median:g} times faster",
    ),
    (
        "rules_speed",
        "formality rules, one core",
        "at least 5,000 sentences/s",
        "{median:,} sentences/s",
    ),
    (
        "significance_speed",
        "paired tests, 10 systems × 2,924 lines × 1,000 resamples",
        "sacreBLEU, same p-values",
        "{median:g} times faster",
    ),
    (
        "sentence_alignment",
        "sentence alignment: precision / recall of XU12's Enotes pairs",
        "at least 0.95 / 0.93",
        "{precision:.3f} / {recall:.3f}",
    ),
    (
        "filter_speed",
        "STRAP's filter, a million pairs: one process / two",
        "memory does not grow",
        "{median:,} / {two_processes[median]:,} pairs/s",
    ),
    (
        "agreement_speed",
        "chance-corrected agreement, 800 pairs, 1,000 samples, one core",
        "a minute",
        "{median:g} s",
    ),
    (
        "aligners",
        "word alignment, Edinburgh++ test: macro F1 of sure links / F1 of other words",
        "eflomal {aligners[eflomal][f1]} / {aligners[eflomal][different_words_f1]}",
        "{aligners[monolingual][f1]} / {aligners[monolingual][different_words_f1]}",
    ),
    (
        "meaning_checks",
        "checks of meaning on top of a lexical similarity, STS-B dev: Spearman",
        "{without_checks:.3f} without",
        "{median:.3f}",
    ),
    (
        "phrase_pairs_speed",
        "all phrase pairs of 1,020 aligned sentence pairs, one core",
        "a second",
        "{median:g} s",
    ),
    (
        "phrase_table",
        "phrase pairs extracted and counted, one core",
        "NLTK, same phrase pairs",
        "{median:g} times faster",
    ),
    (
        "phrase_decoder",
        "phrase-based rewriting, one core: full search / fast search",
        "Moses: {moses_measured_once[sentences_a_second_full]} / "
        "{moses_measured_once[sentences_a_second_fast]} sentences/s",
        "{ours[sentences_a_second_full]:,} / {ours[sentences_a_second_fast]:,} "
        "sentences/s",
    ),
    (
        "phrase_decoder",
        "the same: training / tuning / memory",
        "Moses: {moses_measured_once[training_seconds]} s / "
        "{moses_measured_once[tuning_seconds]} s / {moses_measured_once[megabytes]} MB",
        "{ours[training_seconds]:.0f} s / {ours[tuning_seconds]:.0f} s / "
        "{ours[megabytes]} MB",
    ),
    (
        "neural_speed",
        "neural rewriting, two cores, in batches: beside HF fp32 / STRAP's two steps",
        "at least 60 sentences/s",
        "{median[pack]} sentences/s: {times as fast as HF fp32} / "
        "{times as fast as HF fp32, STRAP's two steps} times as fast",
    ),
    (
        "neural_speed",
        "the same: first rewrite from the start of the process / memory / disk",
        "2 s / 400 MB / 70 MB",
        "{seconds from start to first rewrite} s / {peak memory of a batch in MB} MB / "
        "{megabytes on disk} MB",
    ),
    (
        "tokeniser_speed",
        "Moses-compatible tokenising",
        "sacremoses, same tokens",
        "{median:g} times faster",
    ),
)

# The rows of STRAP's Table 3, each whole system with what it can do without.
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
    "large teacher, not reranked",
)

LEARNED_BY = ("ACC", "SIM", "FL")


def pages() -> dict[Path, str]:
    """Return every generated page with its contents."""
    recipes = {record["recipe"]: record for record in map(_read, _recipes())}
    benchmarks = {path.stem: _read(path) for path in _benchmarks()}
    card = ROOT / "docs/monolingual-aligner.md"
    judges = ROOT / "docs/encoder-judges.md"
    plays = ROOT / "docs/xu12.md"
    return {
        **(_strap_pages(recipes["strap"]) if "strap" in recipes else {}),
        **(_learn_page(recipes["learn"]) if "learn" in recipes else {}),
        plays: _between(plays, _plays(recipes["xu12"])),
        **{
            ROOT / f"docs/xu12-{name}.svg": (
                ROOT / f"recipes/xu12/{name}.svg"
            ).read_text("utf-8")
            for name in ("figure1", "figure4", "closeness")
        },
        card: _between(card, _aligner(benchmarks["monolingual_aligner"])),
        judges: _between(judges, _judges(recipes["judges"], benchmarks)),
        ROOT / "docs/agreement_recovery.svg": _recovery(benchmarks),
        ROOT / "docs/agreement_length.svg": _by_length(recipes),
        ROOT / "README.md": _readme(_summary(recipes, benchmarks)),
        ROOT / "docs/reproduction.md": _reproduction(recipes),
        ROOT / "docs/benchmarks.md": _all_benchmarks(benchmarks),
        ROOT / "docs/trust.md": _trust(
            _read(path) for path in sorted(ROOT.glob("docs/trust/*.json"))
        ),
    }


def _between(path: Path, made: str) -> str:
    """Return a page with what is made in place of what stands between the marks."""
    return _put(path.read_text("utf-8"), made, START, END)


def _put(page: str, made: str, start: str, end: str) -> str:
    before, _, rest = page.partition(start)
    return f"{before}{start}\n{made}\n{end}{rest.partition(end)[2]}"


def _readme(summary: str) -> str:
    """Return README with its results, and with one sentence in every style."""
    shown = _read(ROOT / "examples/every_style.json")
    rows = [f"| *the sentence* | {shown['source']} |", "|---|---|"]
    rows += [f"| {s['style']} | {s['text']} |" for s in shown["styles"] if s["text"]]
    page = _between(ROOT / "README.md", summary)
    return _put(page, "\n".join(rows), STYLES_START, STYLES_END)


def _aligner(record: dict[str, Any]) -> str:
    """Return the monolingual aligner's scores, learning curve and ablation."""
    scores = [
        "| gold set | pairs | sure | different words | all |",
        "|---|--:|---|---|---|",
    ]
    for name, found in record["figures"].items():
        sure, every = found["sure"], found["sure_or_possible"]
        cells = (
            _with_interval(sure["f1"], sure["f1_interval"]),
            _with_interval(
                sure["different_words_f1"], sure["different_words_interval"]
            ),
            _with_interval(every["f1"], every["f1_interval"]),
        )
        scores.append(f"| {name} | {found['pairs']} | {' | '.join(cells)} |")
    speed = f"{record['median']} pairs a second on one core, {record['cold']} cold."
    points = record["learning_curve"]
    sets = [name for name in points[0] if name not in ("start", "pairs")]
    head = " | ".join(f"{name}: sure / different words" for name in sets)
    curve = [f"| start | gold pairs | {head} |", "|---|--:|" + "---|" * len(sets)]
    for point in points:
        ours = _sure_and_different(point, sets)
        curve.append(f"| {point['start']} | {point['pairs']} | {ours} |")
    ablation = [f"| | {head} |", "|---|" + "---|" * len(sets)]
    for name, point in record["ablation"].items():
        ablation.append(f"| {name} | {_sure_and_different(point, sets)} |")
    few = record["setting"]["ablation_pairs"]
    return "\n".join(
        [
            *scores,
            f"\n{speed}\n\nTrained on fewer gold pairs, from random weights and from "
            "those that the teacher taught:\n",
            *curve,
            f"\nOne kind of knowledge less, from random weights with {few} pairs:\n",
            *ablation,
        ]
    )


def _judges(record: dict[str, Any], benchmarks: dict[str, Any]) -> str:
    """Return the encoder judges' figures side by side, and how fast they are."""
    values: dict[str, dict[str, float]] = {}
    for figure in record["figures"]:
        judge, _, name = figure["name"].partition(": ")
        values.setdefault(name, {})[judge] = figure["ours"]["value"]
    names = [
        n for n in ("small", "large") if any(n in found for found in values.values())
    ]
    lines = [f"| | {' | '.join(names)} |", "|---|" + "--:|" * len(names)]
    for name, found in values.items():
        cells = [f"{found[n]:.3g}" if n in found else "" for n in names]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [_small_speed(benchmarks["judge_speed"])]
    lines += [_large_speed(benchmarks["large_judge"])]
    return "\n".join([*lines, "", *_guide()])


def _small_speed(speed: dict[str, Any]) -> str:
    lost, slower = speed["loss from 8 bits"], speed["HF fp32's time divided by ours"]
    return (
        f"\nThe small judge, on one core: {speed['median']} rows a second for style, "
        f"similarity to the source and fluency ({speed['texts a second']} texts), "
        f"{speed['peak memory in MB']} MB of memory, {speed['megabytes on disk']} MB "
        f"on disk. The same network in Hugging Face's code in single precision takes "
        f"{slower:g} times as long. Of its decisions, "
        f"8 bits leave {100 * lost['same style']:.1f}% (style) and "
        f"{100 * lost['same fluency']:.1f}% (fluency) as they were; cosines move by "
        f"{lost['mean difference of cosines']:g}."
    )


def _large_speed(speed: dict[str, Any]) -> str:
    eight, whole = speed["in 8 bits"], speed["in single precision"]
    figures = ", ".join(f"{name} {eight[name]:g} ({whole[name]:g})" for name in eight)
    slower = speed["single precision's time divided by 8 bits', one encoder"]
    loads = " to ".join(f"{load:g}" for load in speed["setting"]["load"])
    return (
        f"\nThe large judge, on one core: {speed['median']:g} rows a second for style, "
        f"similarity to the source, fluency and formality, "
        f"{speed['peak memory in MB']} MB of memory, {speed['megabytes on disk']} MB "
        f"on disk; single precision takes {slower:g} times as long. In 8 bits (in "
        f"single precision), on parts of these sets: {figures}. Two cores did other "
        f"work meanwhile (load {loads})."
    )


def _guide() -> list[str]:
    """Return the guide's figures, and what judge, guide and rewriter share."""
    folder = ROOT / "training/guide"
    figures = {k: v for k, v in _read(folder / "guide.json").items() if "," in k}
    lines = ["| the guide | |", "|---|--:|"]
    lines += [f"| {name} | {value:.3g} |" for name, value in figures.items()]
    columns = ("sentences", "in a test", "with the judge", "with the guide")
    head = " | ".join(columns)
    lines += ["", f"| who learns from | {head} |", "|---|" + "--:|" * len(columns)]
    for name, found in _read(folder / "overlap.json").items():
        cells = [f"{found[c]:,}" if c in found else "" for c in columns]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _plays(record: dict[str, Any]) -> str:
    """Return XU12's systems, ours beside Moses, and the examples."""
    found = {figure["name"]: figure for figure in record["figures"]}
    systems = [
        "| system | Sparknotes side, BLEU / PINC | paper | Enotes side | paper |",
        "|---|---|---|---|---|",
    ]
    for name in [n[5:-11] for n in found if n.startswith("bleu") and "sparknotes" in n]:
        if f"pinc {name} enotes" in found and "closeness" not in name:
            cells = [
                cell
                for side in ("sparknotes", "enotes")
                for cell in (
                    _two(found, name, side, "ours"),
                    _two(found, name, side, "paper"),
                )
            ]
            systems.append(f"| {name} | {' | '.join(cells)} |")
    leads = [
        "| system and test | ours, BLEU | Moses | lead | |",
        "|---|--:|--:|---|---|",
    ]
    for name in [n[16:] for n in found if n.startswith("lead over Moses ")]:
        ours, moses, lead = (
            found[f"{kind} {name}"]["ours"]
            for kind in ("bleu", "bleu Moses", "lead over Moses")
        )
        interval = f"{lead['value']:+.2f} [{lead['low']:+.2f}, {lead['high']:+.2f}]"
        p = lead["signature"].partition("p:")[2].partition("|")[0]
        leads.append(
            f"| {name} | {ours['value']:.2f} | {moses['value']:.2f} | {interval} "
            f"| p = {p} |"
        )
    examples = (ROOT / "recipes/xu12/examples.md").read_text("utf-8").strip()
    return "\n".join([*systems, "", *leads, "", examples])


def _two(found: dict[str, Any], name: str, side: str, whose: str) -> str:
    values = [
        found[f"{metric} {name} {side}"].get(whose) for metric in ("bleu", "pinc")
    ]
    if any(value is None for value in values):
        return ""
    if whose == "ours":
        values = [value["value"] for value in values]
    return " / ".join(f"{value:.2f}" for value in values)


def _strap_pages(record: dict[str, Any]) -> dict[Path, str]:
    """Return STRAP's page and its pictures."""
    page, recipe = ROOT / "docs/strap.md", ROOT / "recipes/strap"
    pictures = {
        ROOT / f"docs/strap-{name}.svg": (recipe / f"{name}.svg").read_text("utf-8")
        for name in ("sweep", "styles")
    }
    values = _figures(record)
    parts = [
        _strap_systems(values),
        _strap_judges(values),
        _strap_ablations(values),
        _strap_styles(values),
        _strap_paraphraser(values),
        _strap_left(values),
        "## Examples\n\n" + (recipe / "examples.md").read_text("utf-8").strip(),
    ]
    made = "\n\n".join(part for part in parts if part)
    return {page: _between(page, made), **pictures}


def _figures(record: dict[str, Any]) -> dict[str, Any]:
    """Return all figures of a recipe by name, promised or not."""
    promised = {figure["name"]: figure["ours"] for figure in record["figures"]}
    found: dict[str, Any] = promised | record["more"]
    return found


def _strap_claims(record: dict[str, Any]) -> list[str]:
    """Return README's rows on the rewriters."""
    values = {name: value["value"] for name, value in _figures(record).items()}
    ours = f"{values['shipped: J']:.1f}"
    if "unsupervised: J" in values:
        ours += f"; without parallel text {values['unsupervised: J']:.1f}"
    all_styles = {
        name: values[f"11 styles, {name}, overall: J"]
        for name in ("COPY", "NAIVE", "shipped")
    }
    return [
        "| modern English as Shakespeare's and back, STRAP's 2,924 sentences: J by a "
        "judge that took no part | "
        f"STRAP's published outputs {values['STRAP p=0.0: J']:.1f}, "
        f"COPY {values['COPY: J']:.1f} | {ours} | `paraphrast reproduce strap` |",
        "| eleven styles, each from the ten others: J | "
        f"COPY {all_styles['COPY']:.1f}, NAIVE {all_styles['NAIVE']:.1f} | "
        f"{all_styles['shipped']:.1f} | `paraphrast reproduce strap` |",
    ]


def _strap_systems(values: dict[str, Any]) -> str:
    judge = next(n[13:] for n in values if n.startswith("the judge is "))
    lines = [
        f"## Table 1: Shakespeare\n\nBy the {judge} judge; J with its 95% interval.\n",
        "| system | J | ACC | SIM | SIM to source | FL | BLEU to Shakespeare / modern "
        "| kept | copies | J ahead of STRAP, to Shakespeare | to modern |",
        "|---|---|--:|--:|--:|--:|---|--:|--:|---|---|",
    ]
    for name in _systems_of(values, "J over STRAP's"):
        j = values[f"{name}: J"]
        parts = ("ACC", "SIM", "SIM to source", "FL")
        ways = [f"{name}, to {style}" for style in ("shakespeare", "modern")]
        cells = [
            _with_interval(j["value"], [j["low"], j["high"]]),
            *(f"{values[f'{name}: {part}']['value']:.1f}" for part in parts),
            " / ".join(f"{values[f'{way}: BLEU']['value']:.1f}" for way in ways),
            f"{values[f'{name}: names and numbers kept']['value']:.1f}",
            f"{values[f'{name}: copies']['value']:.1f}",
            *(_lead(values.get(f"{way}: lead over STRAP p=0.0")) for way in ways),
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _systems_of(values: dict[str, Any], figure: str) -> list[str]:
    """Return the systems that the judge of the day gave a figure, best J first."""
    ending = f": {figure}"
    found = [name.removesuffix(ending) for name in values if name.endswith(ending)]
    ours = [name for name in found if not name.startswith("by ")]
    return sorted(ours, key=lambda name: -values[f"{name}: J"]["value"])


def _lead(value: dict[str, Any] | None) -> str:
    if value is None:
        return ""
    p = value["signature"].partition("p:")[2].partition("|")[0]
    return f"{value['value']:+.1f} [{value['low']:+.1f}, {value['high']:+.1f}], p = {p}"


def _strap_judges(values: dict[str, Any]) -> str:
    """Return J of every system by the judges that stand beside the first."""
    beside = list(
        dict.fromkeys(
            name[3:].partition(",")[0] for name in values if name.startswith("by ")
        )
    )
    head = " | ".join(f"{name}: J | of STRAP's" for name in beside)
    lines = [
        "The same outputs by unlike judges, J and as a multiple of STRAP's:\n",
        f"| system | {head} |",
        "|---|" + "--:|--:|" * len(beside),
    ]
    for name in _systems_of(values, "J over STRAP's"):
        cells = [
            f"{values[f'by {judge}, {name}: {part}']['value']:.{digits}f}"
            for judge in beside
            for part, digits in (("J", 1), ("J over STRAP's", 2))
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _strap_ablations(values: dict[str, Any]) -> str:
    lines = [
        "## Table 3: what training and inference can leave out\n",
        "| | J | ACC | SIM | FL | BLEU | J beside the whole method's |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    for name in (row for row in ABLATIONS if f"{row}: J" in values):
        j = values[f"{name}: J"]
        cells = [_with_interval(j["value"], [j["low"], j["high"]])]
        cells += [
            f"{values[f'{name}: {part}']['value']:.1f}"
            for part in ("ACC", "SIM", "FL", "BLEU")
        ]
        cells.append(_lead(values.get(f"{name}: J beside the whole")))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _strap_styles(values: dict[str, Any]) -> str:
    """Return Table 15: J of every system by target style, and ours in full."""
    ending, start = ": ACC", "11 styles, original, "
    styles = [n[len(start) : -len(ending)] for n in values if n.startswith(start)]
    styles = list(dict.fromkeys(s for s in styles if f"{start}{s}{ending}" in values))
    lines = [
        "## Table 15: each style from the ten others\n",
        "| target style | original ACC / FL | COPY: J | NAIVE: J | phrase engine: J "
        "| shipped: J | ACC | SIM | FL |",
        "|---|---|--:|--:|--:|---|--:|--:|--:|",
    ]
    for style in [*styles, "overall"]:
        known = [values.get(f"{start}{style}: {part}") for part in ("ACC", "FL")]
        first = " / ".join(f"{one['value']:.1f}" for one in known if one)
        cells = [first]
        for system in ("COPY", "NAIVE", "phrase engine"):
            own = values.get(f"11 styles, {system}, {style}: J")
            hidden = own is None or (style == "overall" and system == "phrase engine")
            cells.append("" if hidden else f"{own['value']:.1f}")
        ours = f"11 styles, shipped, {style}"
        if f"{ours}: J" in values:
            j = values[f"{ours}: J"]
            cells.append(_with_interval(j["value"], [j["low"], j["high"]]))
            cells += [
                f"{values[f'{ours}: {part}']['value']:.1f}"
                for part in ("ACC", "SIM", "FL")
            ]
        lines.append(f"| {style} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", "![J by target style](strap-styles.svg)"])


def _strap_paraphraser(values: dict[str, Any]) -> str:
    """Return Table 16 and the classifier's drop."""
    start, parts = "paraphraser, ", ("similarity", "lexical", "word order")
    parts += ("ACC before", "ACC after")
    rows = [n[len(start) : -12] for n in values if n.startswith(start)]
    rows = [name for name in rows if f"{start}{name}: similarity" in values]
    if not rows:
        return ""
    lines = [
        "## Table 16: the paraphraser, and the classifier before and after it\n",
        f"| style | {' | '.join(parts)} |",
        "|---|" + "--:|" * len(parts),
    ]
    labels = {
        name: f"{start}{name}" for name in sorted(rows, key=lambda n: n == "overall")
    }
    others = (
        "the two steps' paraphraser",
        "the two steps' paraphraser, without diversity",
    )
    labels |= {name: name for name in others if f"{name}: similarity" in values}
    for name, label in labels.items():
        found = (values[f"{label}: {part}"]["value"] for part in parts)
        cells = [f"{v:.2f}" if abs(v) <= 1 else f"{v:.1f}" for v in found]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _strap_left(values: dict[str, Any]) -> str:
    """Return what came back unchanged and why, and what was recited."""
    lines = [
        "## What came back unchanged, and what was recited\n",
        "| outputs | percent |",
        "|---|--:|",
    ]
    for name, value in values.items():
        if ": left as it was" in name or "recited from training" in name:
            lines.append(f"| {name} | {value['value']:.2f} |")
    return "\n".join(lines)


def _learn_page(record: dict[str, Any]) -> dict[Path, str]:
    """Return the page on learning a style, with what the recipe measured."""
    page = ROOT / "docs/learn.md"
    values = _figures(record)
    ending = ": minutes of one core"
    lessons = [name.removesuffix(ending) for name in values if name.endswith(ending)]
    took = [
        "| lesson | minutes of one core | MB of memory | nearest style |",
        "|---|--:|--:|---|",
    ]
    for lesson in lessons:
        start = f"{lesson}: nearest is "
        nearest = next(name for name in values if name.startswith(start))
        took.append(
            f"| {lesson} | {values[lesson + ending]['value']:.1f} "
            f"| {values[f'{lesson}: megabytes of memory']['value']:,.0f} "
            f"| {nearest.removeprefix(start)} |"
        )
    ending = ": sentences that the pack was trained on"
    known = [
        f"{name.removesuffix(ending)} {value['value']:.0f} ({value['signature']})"
        for name, value in values.items()
        if name.endswith(ending)
    ]
    what = "Sentences of eight words or more that the pack was trained on"
    trained = f"{what}: {'; '.join(known)}."
    examples = (ROOT / "recipes/learn/examples.md").read_text("utf-8").strip()
    parts = ["\n".join(took), trained, _lessons(values, lessons), examples]
    return {page: _between(page, "\n\n".join(parts))}


def _lessons(values: dict[str, Any], lessons: Iterable[str]) -> str:
    lines = [
        "| lesson and input | row | ACC | SIM | FL | J | learned ahead of it in J |",
        "|---|---|--:|--:|--:|---|---|",
    ]
    for lesson in lessons:
        for kind in ("plain versions", "others' sentences"):
            for row in ("COPY", "nearest", "learned", "OWN"):
                label = f"{lesson}, {kind}, {row}"
                if f"{label}: J" not in values:
                    continue
                j = values[f"{label}: J"]
                cells = [
                    *(f"{values[f'{label}: {m}']['value']:.1f}" for m in LEARNED_BY),
                    _with_interval(j["value"], [j["low"], j["high"]]),
                    _lead(values.get(f"{lesson}, {kind}: lead in J over {row}")),
                ]
                lines.append(f"| {lesson}, {kind} | {row} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _with_interval(value: float, interval: list[float]) -> str:
    low, high = interval
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"


def _sure_and_different(point: dict[str, Any], sets: list[str]) -> str:
    both = (point[name] for name in sets)
    return " | ".join(f"{o['f1']:.1f} / {o['different_words_f1']:.1f}" for o in both)


def _trust(records: Iterable[dict[str, Any]]) -> str:
    """Return what is known of every judge, one after the other."""
    parts = [
        "# How far to trust the judges",
        "Made by `docs/generate.py` from `docs/trust/*.json`; "
        "`paraphrast metrics trust --judge FOLDER` makes such a page for any judge, "
        "and [judges.md](judges.md) says how to read it.",
    ]
    for record in records:
        lines = trust.lines(record)
        page = (f"#{line}" if line.startswith("#") else line for line in lines)
        parts.append("\n".join(page))
    return "\n\n".join(parts) + "\n"


def _recipes() -> list[Path]:
    return sorted(ROOT.glob("recipes/*/results.json"))


def _benchmarks() -> list[Path]:
    return sorted(ROOT.glob("benchmarks/results/*.json"))


def _read(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return record


def _summary(recipes: dict[str, Any], benchmarks: dict[str, Any]) -> str:
    lines = ["| what | against | ours | made by |", "|---|---|---|---|"]
    for name, record in recipes.items():
        ours = _held(record["figures"])
        command = f"`paraphrast reproduce {name}`"
        lines.append(f"| {record['title']} | {record['paper']} | {ours} | {command} |")
    lines += _strap_claims(recipes["strap"]) if "strap" in recipes else []
    for name, what, against, ours in CLAIMS:
        if name in benchmarks:
            known = benchmarks[name]
            figures = f"{against.format(**known)} | {ours.format(**known)}"
            lines.append(f"| {what} | {figures} | `benchmarks/{name}.py` |")
    return "\n".join(lines)


def _held(figures: list[dict[str, Any]]) -> str:
    """Say how many demands hold; figures that are only shown demand nothing.

    A demand that is missed for a reason which the recipe gives is missed all the same.
    """
    demands = [f for f in figures if f.keys() & {"tolerance", "at_least", "below"}]
    missed = [f for f in demands if not (f["holds"] and _within(f))]
    shown = f"{len(demands) - len(missed)} of {len(demands)} demands hold"
    if missed:
        shown += f", {len(missed)} missed for a stated reason"
    bounded = [abs(f["difference"]) for f in demands if "tolerance" in f]
    return f"{shown}; largest difference {max(bounded):.2f}" if bounded else shown


def _within(figure: dict[str, Any]) -> bool:
    """Say whether a figure meets its own bounds, explained or not."""
    noise = 1e-9  # rounding must not decide, as in paraphrast.reproduce.comparison
    away = abs(figure["difference"]) if "tolerance" in figure else 0.0
    least = figure.get("at_least", float("-inf"))
    return (
        away <= figure.get("tolerance", 0.0) + noise
        and figure["ours"]["value"] >= least - noise
    )


def _reproduction(recipes: dict[str, Any]) -> str:
    parts = [
        "# The papers' figures beside ours",
        "Made by `docs/generate.py` from `recipes/*/results.json`. Run any of them "
        "again with `paraphrast reproduce NAME`; it exits 1 when a figure leaves its "
        "tolerance.",
    ]
    for name, record in recipes.items():
        parts.append(f"## {name}\n\n{record['title']} ({record['paper']}).")
        rows = [
            "| figure | paper | ours | 95% interval | must |",
            "|---|--:|--:|---|---|",
        ]
        rows += [_figure(figure) for figure in record["figures"]]
        parts.append("\n".join(rows))
        parts += [
            f"*{figure['name']}*: {figure['explained']}"
            for figure in record["figures"]
            if "explained" in figure
        ]
    return "\n\n".join(parts) + "\n"


def _figure(figure: dict[str, Any]) -> str:
    ours = figure["ours"]
    paper = f"{figure['paper']:.2f}" if "paper" in figure else ""
    interval = ""
    if ours["low"] is not None:
        interval = f"{ours['low']:.2f} to {ours['high']:.2f}"
    must = [f"±{figure['tolerance']:g}"] if "tolerance" in figure else []
    must += [f"≥ {figure['at_least']:g}"] if "at_least" in figure else []
    must += [f"< {figure['below']}"] if "below" in figure else []
    must += ["explained"] if "explained" in figure else []
    shown = ", ".join(must) + ("" if figure["holds"] else " **missed**")
    return (
        f"| {figure['name']} | {paper} | {ours['value']:.2f} | {interval} | {shown} |"
    )


def _recovery(benchmarks: dict[str, Any]) -> str:
    """Draw what Ĉ finds of simulated annotators; bars are two standard deviations."""
    return recovery(
        {
            kind: [
                (
                    row["true"],
                    row["mean"],
                    row["mean"] - 2 * row["deviation"],
                    row["mean"] + 2 * row["deviation"],
                )
                for row in rows
            ]
            for kind, rows in benchmarks["agreement_recovery"]["series"].items()
        }
    )


def _by_length(recipes: dict[str, Any]) -> str:
    """Draw COHN08's Figure 4 for all annotators together."""
    values = {
        figure["name"].removeprefix("length ").rpartition(", "): figure["ours"]["value"]
        for figure in recipes["cohn08"]["figures"]
        if figure["name"].startswith("length ")
    }
    groups = list(dict.fromkeys(group for group, _, _ in values))
    series = {
        name: [values[group, ", ", name] for group in groups]
        for name in ("π", "π₀", "Ĉ")
    }
    axis = "words of the shorter sentence"
    return columns({"all annotators": series}, groups=groups, axis=axis)


def _all_benchmarks(benchmarks: dict[str, Any]) -> str:
    parts = [
        "# Benchmarks",
        "Made by `docs/generate.py` from `benchmarks/results/*.json`. Each script says "
        "in its docstring what it asks and how to run it.",
    ]
    for name, record in benchmarks.items():
        rows = [
            f"| {key} | {value} |" for key, value in _flat(record) if key != "claim"
        ]
        table = "\n".join(["| | |", "|---|---|", *rows])
        parts.append(f"## {name}\n\n{record['claim']}\n\n{table}")
    return "\n\n".join(parts) + "\n"


def _flat(value: Any, path: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [
            pair
            for key, item in value.items()
            for pair in _flat(item, f"{path}, {key}" if path else str(key))
        ]
    if isinstance(value, list) and any(isinstance(v, dict | list) for v in value):
        items = enumerate(value, start=1)
        return [pair for n, item in items for pair in _flat(item, f"{path} {n}")]
    if isinstance(value, list):
        return [(path, ", ".join(map(str, value)))]
    return [(path, str(value).replace("|", "\\|"))]


def main() -> None:
    """Write the pages, or with ``--check`` only compare."""
    stale = [path for path, text in pages().items() if _current(path) != text]
    for path in stale:
        sys.stderr.write(f"{path.relative_to(ROOT)} differs from the results\n")
    if "--check" in sys.argv[1:]:
        sys.exit(1 if stale else 0)
    for path, text in pages().items():
        path.write_text(text, "utf-8")


def _current(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    main()
