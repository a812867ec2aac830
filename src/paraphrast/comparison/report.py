"""A comparison as one self-contained HTML file, without network or libraries.

The tables and plots are plain HTML and SVG; only the browser of sentences needs its
script. The sentences are embedded once, as JSON that no text can break out of, and the
script inserts them as text. A content security policy in the page forbids loading
anything.
"""

import json
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from paraphrast.comparison import plots
from paraphrast.comparison.gaming import KINDS, MEANINGS, Finding
from paraphrast.comparison.outcome import ALPHA, Cell, Comparison
from paraphrast.comparison.tables import list_unchecked, test_name, write_heading
from paraphrast.estimators import charts

_MARKS = {"better": "▲", "worse": "▼", "same": ""}
_EXAMPLES = 5
_ENOUGH = 20  # lines, for a share to deserve a colour


def html(comparison: Comparison, *, title: str = "Comparison of rewriters") -> str:
    """Return the report as one self-contained page."""
    environment = Environment(
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.from_string(_resource("report.html.j2"))
    return template.render(
        title=title,
        version=version("paraphrast"),
        heading=write_heading(comparison),
        comparison=comparison,
        main=comparison.setting.main,
        baseline=comparison.setting.baseline,
        alpha=ALPHA,
        test=test_name(comparison.setting),
        marks=_MARKS,
        colour=partial(plots.colour, comparison),
        track=partial(_track, comparison),
        plots=_plots(comparison),
        matrix=_matrix(comparison),
        kinds={kind: MEANINGS[kind] for kind in _kinds(comparison)},
        share=partial(_share, lines=len(comparison.sources)),
        heat=_heat,
        examples=_EXAMPLES,
        unchecked=list_unchecked(comparison),
        style=Markup(_resource("report.css")),
        script=Markup(_resource("report.js")),
        data=Markup(embed_json(_data(comparison))),
    )


def embed_json(value: object) -> str:
    """Write JSON that is safe within a script element, for any text.

    Everything outside ASCII, U+2028 included, is escaped by the encoder; ``<``, ``>``
    and ``&`` are escaped here, so no text can close the element or open a comment.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _printable(value: object) -> object:
    is_plain = isinstance(value, str) and not isinstance(value, Markup)
    return charts.printable(str(value)) if is_plain else value


def _resource(name: str) -> str:
    return (files("paraphrast.comparison") / "templates" / name).read_text("utf-8")


def _track(comparison: Comparison, cell: Cell, index: int) -> dict[str, float]:
    """Return where a score and its interval stand on the line below it, in percent."""
    axis = plots.axis(comparison, index, 0.0, 98.0)
    value, low, high = (
        round(axis.at(value), 1) for value in (cell.value, cell.low, cell.high)
    )
    return {"at": value, "left": low, "width": max(0.6, round(high - low, 1))}


def _plots(comparison: Comparison) -> list[dict[str, Any]]:
    names = [column.name for column in comparison.columns]
    main = names.index(comparison.setting.main)
    drawn = [
        {
            "svg": Markup(plots.bars(comparison, main)),
            "caption": f"{names[main]}, the main metric, with 95% intervals.",
        }
    ]
    for x, y in plots.trade_offs(comparison):
        drawn.append(
            {
                "svg": Markup(plots.scatter(comparison, x, y)),
                "caption": f"{names[y]} against {names[x]}; crosses are 95% intervals, "
                "diamonds the yardsticks. A row far off stands at the edge.",
            }
        )
    return drawn


def _matrix(comparison: Comparison) -> list[dict[str, Any]]:
    main = comparison.setting.main
    higher = next(c.higher_is_better for c in comparison.columns if c.name == main)
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for pair in comparison.pairs:
        if pair.metric != main:
            continue
        for first, second, sign in (
            (pair.first, pair.second, 1),
            (pair.second, pair.first, -1),
        ):
            difference = sign * pair.difference
            won = "better" if (difference > 0) == higher else "worse"
            cells[first, second] = {
                "shown": f"{difference:+.2f}",
                "p": f"{pair.p:.3f}",
                "verdict": won if pair.p < ALPHA and difference else "same",
            }
    names = [row.name for row in comparison.rows if not row.control] if cells else []
    return [
        {"name": first, "cells": [cells.get((first, second)) for second in names]}
        for first in names
    ]


def _kinds(comparison: Comparison) -> list[str]:
    seen = {f.kind for row in comparison.rows for f in row.panel.findings}
    return [kind for kind in KINDS if kind in seen]


def _share(finding: Finding, lines: int) -> str:
    of = "" if finding.total == lines else f" of {finding.total}"
    return f"{finding.share:.0f}%{of}" if of else f"{finding.share:.1f}%"


def _heat(finding: Finding) -> float:
    return round(0.4 * finding.share, 1) if finding.total >= _ENOUGH else 0.0


def _data(comparison: Comparison) -> dict[str, Any]:
    names = [column.name for column in comparison.columns]
    return {
        "metrics": [
            {"name": column.name, "higher": column.higher_is_better}
            for column in comparison.columns
        ],
        "main": names.index(comparison.setting.main),
        "kinds": _kinds(comparison),
        "sources": comparison.sources,
        "references": comparison.references,
        "targets": comparison.targets,
        "rows": [
            {
                "name": row.name,
                "control": row.control,
                "colour": plots.colour(comparison, row),
                "outputs": row.outputs,
                "values": [cell.each.round(2).tolist() for cell in row.cells],
                "gaming": {f.kind: f.lines for f in row.panel.findings},
            }
            for row in comparison.rows
        ],
    }
