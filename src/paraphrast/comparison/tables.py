"""A comparison as plain text, CSV, LaTeX or a JSON record.

The text is for a terminal of 100 columns, the LaTeX for a paper (booktabs), the CSV for
a spreadsheet (one line per row and metric, numbers unrounded), and the record has
everything needed to check the table: settings, signatures, files' hashes. Its
``format`` number changes whenever a key changes its meaning or is removed.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from textwrap import fill
from typing import Any

from paraphrast.comparison.gaming import Finding, Panel
from paraphrast.comparison.outcome import ALPHA, Cell, Comparison, Row, Setting
from paraphrast.estimators.charts import shorten

FORMAT = 1
EXAMPLES = 10
CELL = ("value", "low", "high", "p", "verdict", "rank")
FIRST = ("row", "control", "metric", "higher_is_better")
CSV_COLUMNS = (*FIRST, *CELL, "baseline", "signature")

_WIDTH = 100
_NAME = 28
_SHORT = {
    "copies": "copied",
    "near copies": "almost",
    "retrieved": "found",
    "near retrieved": "nearly",
    "length": "length",
    "repetition": "loops",
    "same output": "same",
    "lost names": "names",
    "lost numbers": "digits",
    "empty": "empty",
}
_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini–Hochberg", "none": "no correction"}
_TESTS = {
    "bootstrap": "paired bootstrap",
    "randomisation": "approximate randomisation",
}


def text(comparison: Comparison) -> str:
    """Lay the comparison out in plain columns."""
    parts = [
        _wrap_lines([write_heading(comparison)]),
        *_score_blocks(comparison),
        write_legend(comparison),
        _gaming_block(comparison),
        _wrap_lines(f"warning: {warning}" for warning in comparison.warnings),
        _wrap_lines(f"{row.name}: {row.note}" for row in comparison.rows if row.note),
        _wrap_lines(
            f"{name}: no row; {why}" for name, why in comparison.missing.items()
        ),
        "\n".join(column.signature for column in comparison.columns),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def write_heading(comparison: Comparison) -> str:
    """Say in one line what was compared and how."""
    setting = comparison.setting
    systems = sum(not row.control for row in comparison.rows)
    return " · ".join(
        [
            f"{systems} system{'' if systems == 1 else 's'}",
            f"{len(comparison.sources):,} sentences",
            f"baseline {setting.baseline}",
            test_name(setting),
            f"seed {setting.seed}",
        ]
    )


def test_name(setting: Setting) -> str:
    """Return the usual name of the test and its correction."""
    correction = _CORRECTIONS[setting.correction]
    return f"{_TESTS[setting.test]}, {setting.trials:,} trials, {correction}"


def write_legend(comparison: Comparison) -> str:
    """Explain the marks of the table."""
    baseline = comparison.setting.baseline
    return (
        f"± half the 95% interval; + better, - worse than {baseline} (p < {ALPHA});\n"
        "# rank, equals share one; * best system; v lower is better."
    )


def as_csv(comparison: Comparison) -> str:
    """Write one line per row and metric; a missing figure is an empty field."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in comparison.rows:
        for column, cell in zip(comparison.columns, row.cells, strict=True):
            writer.writerow(
                [
                    row.name,
                    "yes" if row.control else "no",
                    column.name,
                    "yes" if column.higher_is_better else "no",
                    *map(repr, (cell.value, cell.low, cell.high)),
                    "" if cell.p is None else repr(cell.p),
                    cell.verdict,
                    "" if cell.rank is None else cell.rank,
                    comparison.setting.baseline,
                    column.signature,
                ]
            )
    return file.getvalue()


def latex(comparison: Comparison) -> str:
    """Write a booktabs table; the signatures follow as comments."""
    columns = comparison.columns
    arrows = ["$\\uparrow$" if c.higher_is_better else "$\\downarrow$" for c in columns]
    names = [escape_latex(column.name) for column in columns]
    header = [f"{name} {arrow}" for name, arrow in zip(names, arrows, strict=True)]
    controls = [row for row in comparison.rows if row.control]
    systems = [row for row in comparison.rows if not row.control]
    lines = [
        "% needs \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{l{'r' * len(columns)}}}",
        "\\toprule",
        _latex_row(["", *header]),
        "\\midrule",
        *(_latex_row(_latex_cells(comparison, row)) for row in controls),
        *(
            _latex_row([escape_latex(name), *["--"] * len(columns)])
            for name in comparison.missing
        ),
        "\\midrule",
        *(_latex_row(_latex_cells(comparison, row)) for row in systems),
        "\\bottomrule",
        "\\end{tabular}",
        f"% {_comment(write_heading(comparison))}",
        "% $^{+}$ significantly better, $^{-}$ worse than "
        f"{_comment(comparison.setting.baseline)} (p < {ALPHA}); bold: best system.",
        *(f"% {_comment(warning)}" for warning in comparison.warnings),
        *(f"% {name}: {_comment(why)}" for name, why in comparison.missing.items()),
        *(f"% {_comment(column.signature)}" for column in columns),
    ]
    return "\n".join(lines) + "\n"


def record(comparison: Comparison) -> dict[str, Any]:
    """Return the whole comparison, without sentences, as a JSON value."""
    names = [column.name for column in comparison.columns]
    return {
        "format": FORMAT,
        "versions": {name: version(name) for name in ("paraphrast", "sacrebleu")},
        "setting": asdict(comparison.setting) | {"alpha": ALPHA},
        "sentences": len(comparison.sources),
        "metrics": [asdict(column) for column in comparison.columns],
        "rows": [
            {
                "name": row.name,
                "control": row.control,
                "note": row.note,
                "scores": dict(zip(names, map(_cell_record, row.cells), strict=True)),
                "gaming": _panel_record(row.panel),
            }
            for row in comparison.rows
        ],
        "pairs": [asdict(pair) for pair in comparison.pairs],
        "missing": dict(comparison.missing),
        "warnings": list(comparison.warnings),
        "files": [asdict(file) for file in comparison.files],
    }


def as_json(comparison: Comparison) -> str:
    """Write the record as JSON."""
    return json.dumps(record(comparison), indent=2) + "\n"


def escape_latex(plain: str) -> str:
    """Make any text safe within LaTeX."""
    return "".join(_LATEX.get(sign, sign) for sign in plain if sign.isprintable())


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def _wrap_lines(lines: Iterable[str]) -> str:
    return "\n".join(fill(line, _WIDTH, subsequent_indent="  ") for line in lines)


def _shorten_names(names: Iterable[str], limit: int) -> dict[str, str]:
    """Shorten names, keeping them distinct."""
    labels = {name: shorten(name, limit) for name in names}
    alike = len(set(labels.values())) < len(labels)
    return {name: name for name in labels} if alike else labels


def _score_blocks(comparison: Comparison) -> list[str]:
    cells = {row.name: _text_cells(comparison, row) for row in comparison.rows}
    headers = [
        column.name + ("" if column.higher_is_better else " v")
        for column in comparison.columns
    ]
    labels = _shorten_names((*cells, *comparison.missing), _NAME)
    first = max(map(len, labels.values()))
    widths = [
        max(len(header), *(len(row[index]) for row in cells.values()))
        for index, header in enumerate(headers)
    ]
    return [
        _align_columns(
            [
                ["", *(headers[index] for index in block)],
                *_body(comparison, labels, cells, block),
            ],
            [first, *(widths[index] for index in block)],
        )
        for block in _blocks(widths, _WIDTH - first)
    ]


def _body(
    comparison: Comparison,
    labels: dict[str, str],
    cells: dict[str, list[str]],
    block: Sequence[int],
) -> list[list[str]]:
    def line(row: Row) -> list[str]:
        return [labels[row.name], *(cells[row.name][index] for index in block)]

    return [
        *(line(row) for row in comparison.rows if row.control),
        *([name, *["none"] * len(block)] for name in comparison.missing),
        [],
        *(line(row) for row in comparison.rows if not row.control),
    ]


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    blocks: list[list[int]] = [[]]
    used = 0
    for index, width in enumerate(widths):
        if blocks[-1] and used + 2 + width > room:
            blocks.append([])
            used = 0
        blocks[-1].append(index)
        used += 2 + width
    return blocks


def _align_columns(
    lines: Iterable[Sequence[str]], widths: Sequence[int], *, gap: str = "  "
) -> str:
    shown = []
    for line in lines:
        if not line:
            shown.append("-" * (sum(widths) + len(gap) * (len(widths) - 1)))
            continue
        first = line[0].ljust(widths[0])
        rest = (cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))
        shown.append(gap.join([first, *rest]).rstrip())
    return "\n".join(shown)


def _text_cells(comparison: Comparison, row: Row) -> list[str]:
    width = 1 + len(str(sum(not other.control for other in comparison.rows)))
    return [
        f"{cell.value:.2f} ±{(cell.high - cell.low) / 2:.2f} "
        f"{'' if cell.rank is None else f'#{cell.rank}':>{width}}"
        f"{mark(cell) or ' '}"
        f"{'*' if row.name in comparison.best(index) else ' '}"
        for index, cell in enumerate(row.cells)
    ]


def mark(cell: Cell) -> str:
    """Return + or - where the row differs significantly from the baseline."""
    return {"better": "+", "worse": "-", "same": ""}[cell.verdict]


def list_unchecked(comparison: Comparison) -> list[str]:
    """Say which kinds of gaming were not checked, and why."""
    kinds: dict[str, list[str]] = {}
    for kind, why in comparison.rows[0].panel.unchecked.items():
        kinds.setdefault(why, []).append(kind)
    return [f"{', '.join(names)} ({why})" for why, names in kinds.items()]


def _gaming_block(comparison: Comparison) -> str:
    kinds = [finding.kind for finding in comparison.rows[0].panel.findings]
    lines = [[*(_SHORT[kind] for kind in kinds), "words"]]
    for row in comparison.rows:
        shares = [_share(finding, comparison) for finding in row.panel.findings]
        lines.append([*shares, f"×{row.panel.length_ratio:.2f}"])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    names = [row.name for row in comparison.rows]
    labels = _shorten_names(names, min(_NAME, _WIDTH - sum(widths) - len(widths)))
    firsts = ["gaming, %", *labels.values()]
    table = _align_columns(
        [[first, *line] for first, line in zip(firsts, lines, strict=True)],
        [max(map(len, firsts)), *widths],
        gap=" ",
    )
    notes = _wrap_lines(f"not looked for: {why}" for why in list_unchecked(comparison))
    return "\n".join(filter(None, [table, notes]))


def _share(finding: Finding, comparison: Comparison) -> str:
    # A share of few lines says little, so it is shown as what it is.
    if finding.total == 0:
        return "-"
    if finding.total != len(comparison.sources):
        return f"{finding.count}/{finding.total}"
    return f"{finding.share:.1f}"


def _latex_cells(comparison: Comparison, row: Row) -> list[str]:
    cells = [escape_latex(row.name)]
    for index, cell in enumerate(row.cells):
        value = f"{cell.value:.2f}"
        if row.name in comparison.best(index):
            value = f"\\textbf{{{value}}}"
        sign = f"$^{{{mark(cell)}}}$" if mark(cell) else ""
        half = (cell.high - cell.low) / 2
        cells.append(f"{value}{sign} {{\\scriptsize$\\pm${half:.2f}}}")
    return cells


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _comment(plain: str) -> str:
    # A line break within a comment would end it.
    return "".join(sign if sign.isprintable() else " " for sign in plain)


def _cell_record(cell: Cell) -> dict[str, Any]:
    return {name: getattr(cell, name) for name in CELL}


def _panel_record(panel: Panel) -> dict[str, Any]:
    return {
        "length_ratio": panel.length_ratio,
        "findings": {
            finding.kind: {
                "count": finding.count,
                "share": finding.share,
                "examples": list(finding.lines[:EXAMPLES]),
            }
            for finding in panel.findings
        },
        "unchecked": dict(panel.unchecked),
    }
