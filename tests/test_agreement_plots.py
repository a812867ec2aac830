"""The plots are well-formed, complete, and to scale."""

from xml.etree import ElementTree

import pytest

from paraphrast.study.plots import columns, recovery

SVG = "{http://www.w3.org/2000/svg}"


def marks(svg, kind):
    root = ElementTree.fromstring(svg)
    return [
        one for one in root.iter(f"{SVG}{kind}") if one.find(f"{SVG}title") is not None
    ]


def test_columns_are_as_high_as_their_values():
    panels = {
        "A & B": {"one": [0.5, 1.0], "two": [0.0, 0.25]},
        "C": {"one": [0.1, 0.2], "two": [-0.5, 1.5]},
    }
    found = {
        mark.find(f"{SVG}title").text: float(mark.get("height"))
        for mark in marks(
            columns(panels, groups=["short", "<long>"], axis="length"), "rect"
        )
    }
    assert len(found) == 8
    whole = found["A & B, <long>, one: 1.000"]
    assert found["A & B, short, one: 0.500"] == pytest.approx(whole / 2)
    assert found["A & B, <long>, two: 0.250"] == pytest.approx(whole / 4)
    # What lies outside is drawn at the edge.
    assert found["C, short, two: -0.500"] == 0.0
    assert found["C, <long>, two: 1.500"] == whole


def test_dots_lie_on_the_line_where_truth_is_found():
    svg = recovery({"words": [(0.0, 0.0, 0.0, 0.1), (1.0, 1.0, 0.9, 1.0)]})
    root = ElementTree.fromstring(svg)
    line = next(one for one in root.iter(f"{SVG}line") if one.get("stroke-dasharray"))
    ends = [(line.get("x1"), line.get("y1")), (line.get("x2"), line.get("y2"))]
    dots = [(dot.get("cx"), dot.get("cy")) for dot in root.iter(f"{SVG}circle")]
    for dot, end in zip(dots, ends, strict=True):
        assert list(map(float, dot)) == pytest.approx(list(map(float, end)))
    assert "true 1.00, found 1.000 [0.900, 1.000]" in svg
