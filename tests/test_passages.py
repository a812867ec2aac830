"""Rewritten passages are cut into sentences where that loses nothing."""

from paraphrast.rewriter import Kept, Rewrite, Sentence
from paraphrast.rewriting.passages import split_passage
from paraphrast.rewriting.sections import Section

PASSAGE = Section(7, "go on. stay.", Sentence("go on. stay.", cuts=(7,)))


def split(*options):
    return split_passage(PASSAGE, [Rewrite(text) for text in options], rule="test")


def test_each_sentence_gets_its_distinct_alternatives():
    parts = split("Proceed. Stay.", "Go ahead. Stay.", "Proceed. Remain.")
    assert [(section.start, section.text) for section, _ in parts] == [
        (7, "go on."),
        (13, " "),
        (14, "stay."),
    ]
    assert [[option.text for option in options] for _, options in parts] == [
        ["Proceed.", "Go ahead."],
        [" "],
        ["Stay.", "Remain."],
    ]


def test_changes_count_from_the_sentence():
    change = split("go on. Remain.")[2][1][0].changes[0]
    assert (change.start, change.end, change.before) == (0, 4, "stay")
    assert (change.after, change.rule) == ("Remain", "test")


def test_a_best_answer_with_other_sentences_keeps_the_passage_whole():
    parts = split("Go on and stay.", "Proceed. Stay.")
    assert [section for section, _ in parts] == [PASSAGE]
    assert [option.text for option in parts[0][1]] == [
        "Go on and stay.",
        "Proceed. Stay.",
    ]


def test_an_alternative_with_other_sentences_is_left_out():
    parts = split("Proceed. Stay.", "Go on and stay.")
    assert [len(options) for _, options in parts] == [1, 1, 1]


def test_other_white_space_keeps_the_passage_whole():
    assert len(split("Proceed.\nStay.")) == 1


def test_a_sentence_that_stayed_says_why():
    kept = Rewrite("go on. Remain.", kept=(Kept("go on.", "it is short"),))
    parts = split_passage(PASSAGE, [kept], rule="test")
    assert parts[0][1][0].why == "it is short"
    assert parts[0][1][0].kept == kept.kept
    assert parts[2][1][0].why == ""


def test_the_first_of_several_reasons_is_why_a_sentence_stayed():
    reasons = (Kept("go on.", "it is short"), Kept("go on. ", "it is a command"))
    stayed = split_passage(PASSAGE, [Rewrite("go on. Remain.", kept=reasons)], rule="")
    assert stayed[0][1][0].why == "it is short"
    changed = split_passage(PASSAGE, [Rewrite("Proceed. stay.", kept=reasons)], rule="")
    assert changed[0][1][0].why == ""
    assert changed[0][1][0].kept == ()


def test_a_section_without_cuts_is_unchanged():
    section = Section(0, "Go.", Sentence("Go."))
    options = [Rewrite("Proceed.")]
    assert split_passage(section, options, rule="test") == [(section, options)]
