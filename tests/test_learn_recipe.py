"""The recipe `learn`: whose sentences go where, and figures before and after."""

import importlib
import json

import pytest

from paraphrast.judges.judge import train_judge
from paraphrast.reproduce import Workspace
from paraphrast.storage import packs

PLAIN = ["you have a big house", "where are you going now", "I do not know you"]
OLD = ["thou hast a great house", "whither goest thou now", "I know thee not"]
PAGE = """<nav><p>Not of the book.</p></nav><main>
<h1>Lifetimes are long.</h1>
<p>Let\u2019s look at what happens <em>here</em>. We call <code>drop</code> at the end.
That is all!</p><pre>fn main() { println!("A line of code."); }</pre>
<ul><li>You own the value, and you keep it.</li></ul></main><p>Nor this.</p>"""


@pytest.fixture(scope="module")
def recipe():
    return importlib.import_module("recipes.learn.run")


def part(name: str):
    return importlib.import_module(f"recipes.learn.{name}")


def test_only_sentences_without_code_are_read_from_a_page(recipe, tmp_path):
    assert list(part("texts")._sentences(PAGE)) == [
        "Let's look at what happens here.",
        "That is all!",
        "You own the value, and you keep it.",
    ]


def test_the_rows_of_a_missing_book_are_left_out(recipe, tmp_path):
    assert part("texts").book(tmp_path) is None
    workspace = Workspace({"styles": tmp_path / "styles"}, tmp_path, tmp_path)
    assert recipe.book_few(workspace) == recipe.book_many(workspace) == {}


@pytest.mark.train
def test_a_missing_book_is_reported_before_the_first_lesson(recipe, tmp_path):
    workspace = Workspace({"styles": tmp_path / "styles"}, tmp_path, tmp_path)
    (line,) = recipe.find_missing(workspace)
    assert line.startswith("left out, the book's figures")
    assert str(tmp_path / "rust-book") in line


def test_no_sentence_is_used_for_both_learning_and_measuring(recipe):
    texts = part("texts")
    found = [f"Sentence {n} of many." for n in range(1500)] * 2
    writer = texts._split_writer("mine", found)
    learned, tested, unread = map(set, (writer.learned, writer.tested, writer.unread))
    assert (len(learned), len(tested), len(unread)) == (740, 160, 600)
    assert not learned & (tested | unread)
    assert not tested & unread


def test_our_own_training_and_test_texts_share_no_sentence(recipe):
    writer = part("texts").keeper()
    assert len(writer.learned) >= recipe.FEW
    assert not set(writer.learned) & {*writer.tested, *writer.unread}


def test_rows_are_scored_for_the_writer_and_compared_by_sentence(recipe):
    measuring, texts = part("measuring"), part("texts")
    styles = {"mine": OLD * 12, "not": PLAIN * 12}
    judge = train_judge(styles, valid=styles, seed=1)
    writer = texts.Writer("mine", OLD, OLD, OLD)
    bench = measuring.Bench(writer, judge, {"plain versions": PLAIN}, OLD)
    copy = measuring.measure(bench, PLAIN, PLAIN)
    learned = measuring.measure(bench, PLAIN, OLD)
    assert copy.figures["ACC"].value == 0
    assert copy.figures["SIM"].value == 100
    assert learned.figures["ACC"].value == 100
    lead = measuring.lead(bench, copy, learned)
    assert lead.value == pytest.approx(learned.figures["J"].value)
    assert lead.signature.startswith("p:")


def test_examples_show_our_own_text_before_and_after(recipe, tmp_path):
    rows = {"given": PLAIN, "nearest": PLAIN, "learned": OLD, "OWN": ["a | b"] * 3}
    (tmp_path / "packs").mkdir()
    path = tmp_path / "packs" / f"keeper-{recipe.FEW} plain versions.json"
    path.write_text(json.dumps(rows))
    recipe._write_examples(Workspace({}, tmp_path, tmp_path))
    lines = (tmp_path / "examples.md").read_text().splitlines()
    assert len(lines) == 2 + len(PLAIN)
    assert lines[2] == (
        "| you have a big house | you have a big house | thou hast a great house "
        "| a / b |"
    )


@pytest.mark.bundled
def test_it_starts_from_the_pack_that_comes_with_paraphrast(recipe, tmp_path):
    pack = packs.read(recipe.measuring.shipped_pack())
    assert recipe.WEIGHTS in pack.about.files
    assert "plain" in pack.about.styles
    assert recipe.left_out(Workspace({}, tmp_path, tmp_path)) == {}  # has no digests
