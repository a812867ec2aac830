"""The HTML report: well formed, self-contained, and no text can break out of it."""

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.comparison import plots, report
from paraphrast.comparison.compare import Plan, compare
from paraphrast.estimators import charts
from paraphrast.metrics.bleu import Bleu
from paraphrast.metrics.pinc import Pinc

EVIL = "</script><script>alert(1)</script><!-- \u2028 \x00 & \"'"
SOURCES = ["how are you today", "it is late", "see you", EVIL]
REFERENCES = [("how do you do",), ("the hour is late",), ("farewell",), (EVIL,)]
SYSTEMS = {
    "ours": ["how do you do today", "the hour is late", "farewell", EVIL],
    "<b>theirs</b>": ["how are you today", "it is late", "see ye", "</SCRIPT >"],
}
VOID = {"meta", "input", "br", "link", "img"}


class Page(HTMLParser):
    """Checks that elements close in order, and collects what a test may ask."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes = [], [], []
        self.inside = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]
        if tag not in VOID:
            self.open.append((tag, dict(attributes).get("id")))

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop()[0] == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        for _, name in self.open:
            if name:
                self.inside[name] = self.inside.get(name, "") + data


@pytest.fixture(scope="module")
def comparison():
    return compare(
        SYSTEMS,
        SOURCES,
        REFERENCES,
        metrics={"bleu": Bleu(), "pinc": Pinc()},
        targets="</title>",
        plan=Plan(resamples=50),
    )


@pytest.fixture(scope="module")
def html(comparison):
    return report.html(comparison)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_every_element_closes(page):
    assert page.open == []


def test_nothing_is_loaded_from_outside(html, page):
    loading = {"src", "srcset", "action", "formaction", "poster", "data", "background"}
    assert not [a for a in page.attributes if a[1] in loading]
    links = [value for _, name, value in page.attributes if name == "href"]
    assert all(value.startswith("#") for value in links)
    assert "link" not in page.tags
    assert "iframe" not in page.tags
    assert not re.search(r"url\(|@import|https?://|fetch\(|XMLHttpRequest", html)
    assert "default-src 'none'" in html


def test_texts_come_back_letter_for_letter(page):
    data = json.loads(page.inside["data"])
    assert data["sources"] == SOURCES
    assert data["references"] == [list(texts) for texts in REFERENCES]
    outputs = {row["name"]: row["outputs"] for row in data["rows"]}
    assert outputs["ours"] == SYSTEMS["ours"]
    assert outputs["<b>theirs</b>"] == SYSTEMS["<b>theirs</b>"]


def test_only_our_two_scripts_are_there_and_no_markup_of_a_name(html, page):
    assert page.tags.count("script") == 2
    assert "<b>theirs</b>" not in html
    assert "\x00" not in html
    assert "\u2028" not in html


@given(st.text())
def test_embedded_json_holds_nothing_that_html_reads(text):
    shown = report.embed_json({"text": text})
    assert not set(shown) & set("<>&\u2028\u2029\x00")
    assert shown.isascii()
    assert json.loads(shown)["text"] == text


def test_lone_surrogates_and_control_signs_of_names_can_be_written():
    result = compare(
        {"bad\udc80\x00name": ["a"]}, ["a"], [("a",)], metrics={"pinc": Pinc()}
    )
    html = report.html(result)
    html.encode("utf-8")
    assert "bad\ufffd\ufffdname" in html


def test_the_page_shows_scores_warnings_signatures_and_gaming(html, page, comparison):
    assert f"{comparison.cell('ours', 'bleu').value:.2f}" in page.inside["scores"]
    assert "COPY" in page.inside["scores"]
    assert "near copies" in page.inside["gaming"]
    assert comparison.columns[0].signature in page.inside["provenance"]
    assert "NAIVE" in page.inside["scores"]


def test_elements_that_the_script_needs_are_on_the_page(html, page):
    wanted = set(re.findall(r'\$\("([a-z-]+)"\)', html))
    ids = {value for _, name, value in page.attributes if name == "id"}
    assert wanted <= ids
    assert len(wanted) > 10


def test_every_control_has_a_name(page):
    assert page.tags.count("button") > 3
    assert ("html", "lang", "en") in page.attributes
    labelled = [
        value for _, name, value in page.attributes if name == "aria-labelledby"
    ]
    ids = {value for _, name, value in page.attributes if name == "id"}
    assert set(labelled) <= ids


def test_plots_are_xml_with_a_title_for_every_row(comparison):
    for svg in (plots.bars(comparison, 0), plots.scatter(comparison, 1, 0)):
        root = ElementTree.fromstring(svg)
        titles = [title.text for title in root.iter("title")]
        assert len(titles) == len(comparison.rows)
        assert any(title.startswith("<b>theirs</b>: ") for title in titles)


def test_axes_have_round_ticks_and_clip_what_lies_outside():
    scale = charts.Axis(0.0, 23.0, 0.0, 230.0)
    assert scale.ticks() == [0, 5, 10, 15, 20]
    assert scale.at(10) == 100
    assert scale.at(100) == 230


def test_one_system_alone_has_no_table_of_pairs():
    result = compare({"a": ["x"]}, ["y"], [("x",)], metrics={"pinc": Pinc()})
    html = report.html(result)
    assert Page(html).open == []
    assert 'id="pairs"' not in html
