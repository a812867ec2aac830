"""A document's formality, what makes it informal, and how formal a rewrite is to be."""

import json
from math import nan

import pytest
from typer.testing import CliRunner

from paraphrast.cli.main import app
from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.rules import lexicon
from paraphrast.rules.formal import LEVELS, Formal
from paraphrast.rules.polishing import Polished
from paraphrast.study.formality_map import (
    draw_page,
    draw_sparkline,
    find_phrases,
    format_lines,
    map_formality,
)
from paraphrast.text.spans import Span

RUNNER = CliRunner()
DOCUMENT = "We accept your offer.\n\nhey u, thats lol ok!! Zzz <b>."


def score(texts):
    """Three for good sentences, less one for each chat word; "Zzz" is unreadable."""
    chat = ("hey", "u,", "lol", "thats")
    return [
        nan if text.startswith("Zzz") else 3.0 - sum(w in text.split() for w in chat)
        for text in texts
    ]


def at_level(text, level):
    return Formal(level)([Sentence(text)], alternatives=1, seed=1)[0][0].text


def test_every_sentence_has_its_position_and_score():
    first, second, third = map_formality(DOCUMENT, score)
    assert DOCUMENT[second.start : second.end] == second.text == "hey u, thats lol ok!!"
    assert [s.formality for s in (first, second, third)] == [3.0, -1.0, None]


def test_phrases_are_where_they_are_in_the_document_and_say_what_to_write():
    phrases = map_formality(DOCUMENT, score)[1].phrases
    assert all(DOCUMENT[p.start : p.end] == p.text for p in phrases)
    found = {p.text.strip(): p.instead.strip() for p in phrases}
    assert found["u"] == "you"
    assert found["thats"] == "that is"
    assert found["lol"] == ""
    assert found["!!"] == "!"


def test_the_effect_of_a_word_is_measured_by_leaving_it_out():
    first, second, _ = map_formality(DOCUMENT, score)
    assert first.words == ()
    assert {w.text for w in second.words} <= {"hey", "u", "lol", "thats"}
    assert len(second.words) == 3
    assert all(w.effect >= 1.0 for w in second.words)
    assert all(DOCUMENT[w.start : w.end] == w.text for w in second.words)


def test_everyday_words_are_named_beside_faults():
    reasons = {p.text: p.why for p in find_phrases("I've bought lots of pens.")}
    assert reasons["bought"] == "everyday word"
    assert reasons["I've"] == "contraction"


def test_a_good_sentence_has_no_informal_phrase():
    assert find_phrases("We accept your offer.") == []


def test_the_sparkline_has_a_sign_per_sentence():
    assert draw_sparkline(map_formality(DOCUMENT, score)) == "█▃·"
    assert "mean of 3 sentences" in format_lines(map_formality(DOCUMENT, score))[0]


def test_the_page_holds_the_document_and_no_markup_of_its_own():
    page = draw_page(DOCUMENT, map_formality(DOCUMENT, score), title="<letter>")
    assert "<title>&lt;letter&gt;</title>" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert page.count('class="s"') == 3
    assert "leave it out" in page


def test_a_document_without_words_is_refused():
    with pytest.raises(ParaphrastError, match="no sentence"):
        map_formality("\n...\n", score)


def test_the_command_shows_a_document_and_writes_its_page(tmp_path):
    path, page = tmp_path / "letter.txt", tmp_path / "letter.html"
    path.write_text("We accept your offer.\nhey, gonna be late lol!!\n", "utf-8")
    arguments = ["metrics", "judge", "--formality", str(path)]
    result = RUNNER.invoke(app, [*arguments, "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "'gonna' -> 'going to'" in result.output
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    shown = RUNNER.invoke(app, [*arguments, "--json"]).output
    good, bad = map(json.loads, shown.splitlines())
    assert good["formality"] > bad["formality"]
    assert [p["text"] for p in bad["phrases"]][:2] == ["hey", "gonna"]


def test_offensive_text_is_measured_as_it_is():
    text = "This shit is fucking late, you bastard."
    asked = []

    def record(texts):
        asked.extend(texts)
        return [0.0] * len(texts)

    (sentence,) = map_formality(text, record)
    assert sentence.text == text
    assert text in asked
    page = draw_page(text, [sentence], title="letter")
    assert all(word in page for word in ("shit", "fucking", "bastard"))


def test_a_page_needs_the_formality_of_a_document(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text("source\toutput\na\tb\n", "utf-8")
    arguments = ["metrics", "judge", str(path), "--html", str(tmp_path / "a.html")]
    result = RUNNER.invoke(app, arguments)
    assert "--formality" in str(result.exception) or result.exit_code == 2


@pytest.mark.parametrize(
    ("text", "neutral", "formal", "very_formal"),
    [
        (
            "we've got lots of pens, thx",
            "We've got lots of pens, thank you.",
            "We have lots of pens, thank you.",
            "We have many pens, thank you.",
        ),
        (
            "Well, I think it's awesome.",
            "Well, I think it's awesome.",
            "I think it is awesome.",
            "I believe it is excellent.",
        ),
        (
            "My boss wants to buy an old fridge.",
            "My boss wants to buy an old fridge.",
            "My boss wants to buy an old fridge.",
            "My manager wishes to purchase an old refrigerator.",
        ),
        (
            "But we can't fix the problem right away.",
            "But we can't fix the problem right away.",
            "But we cannot fix the problem right away.",
            "However, we cannot resolve the problem immediately.",
        ),
    ],
)
def test_levels_of_the_rules(text, neutral, formal, very_formal):
    assert at_level(text, "neutral") == neutral
    assert at_level(text, "formal") == formal
    assert at_level(text, "very-formal") == very_formal


def test_applying_a_level_twice_changes_nothing_more():
    forms = {e.informal for e in lexicon.load(register=True).entries}
    for informal in sorted(forms):
        for level in LEVELS:
            once = at_level(f"They said {informal} to us.", level)
            assert at_level(once, level) == once


def test_an_unknown_level_is_refused():
    with pytest.raises(ParaphrastError, match="unknown level 'high'"):
        Formal("high")


class Fixed:
    """A rewriter with fixed outputs and, like some models, a context."""

    context = 7

    def __init__(self, *texts):
        self.texts = texts

    def __call__(self, sentences, *, alternatives, seed):
        return [[Rewrite(text) for text in self.texts] for _ in sentences]


def test_rules_edit_the_output_of_a_model_and_leave_protected_text():
    source = Sentence("we bought Lots of pens", (Span(10, 17, "term"),))
    rewriter = Polished(Fixed("We bought Lots of pens."), Formal("very-formal"))
    [[best]] = rewriter([source], alternatives=1, seed=1)
    assert best.text == "We purchased Lots of pens."
    assert rewriter.context == 7


def test_rewrites_that_become_equal_are_merged():
    rewriter = Polished(Fixed("I buy it.", "I purchase it."), Formal("very-formal"))
    [rewrites] = rewriter([Sentence("i buy it")], alternatives=2, seed=1)
    assert [rewrite.text for rewrite in rewrites] == ["I purchase it."]


def test_the_option_level():
    arguments = ["rewrite", "--using", "rules", "--to", "formal", "I can't buy it."]
    shown = {
        level: RUNNER.invoke(app, [*arguments, "--level", level]).stdout.strip()
        for level in LEVELS
    }
    assert shown == {
        "neutral": "I can't buy it.",
        "formal": "I cannot buy it.",
        "very-formal": "I cannot purchase it.",
    }
    wrong = ["rewrite", "--to", "informal", "--level", "neutral", "Hello."]
    assert "--level is for --to formal" in str(RUNNER.invoke(app, wrong).exception)
