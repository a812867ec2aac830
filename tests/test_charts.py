"""Charts are well-formed, complete, to scale, and nothing lies on anything else."""

import xml.etree.ElementTree as ET

import pytest

from paraphrast.estimators.charts import Point
from recipes.charts import columns, scatter

SVG = "{http://www.w3.org/2000/svg}"
POINTS = [
    Point("16plays", 39.3, 30.5),
    Point("no <change>", 0.0, 24.7),
    Point("+0.2", 20.0, 29.0, "knob"),
    Point("+0.8", 10.0, 27.0, "knob"),
]


def drawn(panels):
    return ET.fromstring(scatter(panels, across="PINC", up="BLEU"))


def test_every_system_is_a_dot_with_its_figures_to_hover_over():
    root = drawn({"to Shakespeare": POINTS})
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles[0] == "16plays: PINC 39.30, BLEU 30.50"
    assert "no <change>: PINC 0.00, BLEU 24.70" in titles
    assert len(titles) == 4


def test_more_change_is_further_right_and_more_bleu_is_higher():
    dots = list(drawn({"": POINTS}).iter(f"{SVG}circle"))
    first, second = ((float(d.get("cx")), float(d.get("cy"))) for d in dots[:2])
    assert first[0] > second[0]
    assert first[1] < second[1]


def test_only_points_of_a_curve_are_joined():
    (line,) = drawn({"": POINTS}).iter(f"{SVG}polyline")
    assert len(line.get("points").split()) == 2


def test_panels_stand_side_by_side_and_hold_their_points():
    root = drawn({"one": POINTS, "two": POINTS})
    width = float(root.get("width"))
    positions = [float(dot.get("cx")) for dot in root.iter(f"{SVG}circle")]
    assert max(positions[:4]) < min(positions[4:])
    assert all(0 < position < width for position in positions)


def test_labels_do_not_lie_on_each_other():
    close = [Point(f"system {number}", 30.0, 30.0) for number in range(5)]
    root = drawn({"panel": close})
    texts = [text for text in root.iter(f"{SVG}text") if "system" in text.text]
    boxes = [(float(text.get("x")), float(text.get("y"))) for text in texts]
    assert len(boxes) == 5
    for number, (x, y) in enumerate(boxes):
        for other_x, other_y in boxes[number + 1 :]:
            assert abs(x - other_x) >= 40 or abs(y - other_y) >= 11.9


@pytest.mark.parametrize("value", [0.0, 42.0, 1e-9])
def test_a_single_point_can_be_drawn(value):
    assert len(list(drawn({"": [Point("a", value, value)]}).iter(f"{SVG}circle"))) == 1


def marks(svg, kind):
    root = ET.fromstring(svg)
    return [
        mark
        for mark in root.iter(f"{SVG}{kind}")
        if mark.find(f"{SVG}title") is not None
    ]


def test_columns_are_as_high_as_their_values():
    panels = {
        "A & B": {"one": [0.5, 1.0], "two": [0.0, 0.25]},
        "C": {"one": [0.1, 0.2], "two": [-0.5, 1.5]},
    }
    result = {
        mark.find(f"{SVG}title").text: float(mark.get("height"))
        for mark in marks(
            columns(panels, groups=["short", "<long>"], axis="length"), "rect"
        )
    }
    assert len(result) == 8
    whole = result["A & B, <long>, one: 1.000"]
    assert result["A & B, short, one: 0.500"] == pytest.approx(whole / 2)
    assert result["A & B, <long>, two: 0.250"] == pytest.approx(whole / 4)
    # What lies outside is drawn at the edge.
    assert result["C, short, two: -0.500"] == 0.0
    assert result["C, <long>, two: 1.500"] == whole


def test_intervals_are_whiskers_and_points_without_a_name_only_bend_their_curve():
    points = [
        Point("", 0.0, 0.0, "equal"),
        Point("", 1.0, 1.0, "equal"),
        Point("words", 0.5, 0.5, up_interval=(0.4, 0.6), label=False),
    ]
    root = drawn({"": points})
    (title,) = root.iter(f"{SVG}title")
    assert title.text == "words: PINC 0.50, BLEU 0.50 [0.40, 0.60]"
    (line,) = root.iter(f"{SVG}polyline")
    ends = [tuple(map(float, end.split(","))) for end in line.get("points").split()]
    (dot,) = root.iter(f"{SVG}circle")
    middle = tuple(sum(side) / 2 for side in zip(*ends, strict=True))
    spot = (float(dot.get("cx")), float(dot.get("cy")))
    assert spot == pytest.approx(middle, abs=0.1)
    assert "words" not in [text.text for text in root.iter(f"{SVG}text")]


def test_nine_series_of_columns_have_nine_colours_and_names_in_the_legend():
    series = {f"system {number}": [number / 10] for number in range(9)}
    root = ET.fromstring(columns({"": series}, groups=["+1"], axis="formality"))
    legend = [r for r in root.iter(f"{SVG}rect") if r.get("width") == "10"]
    assert len({rect.get("fill") for rect in legend}) == 9
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert set(series) <= set(texts)
