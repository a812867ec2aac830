"""Passages of several sentences: read as one text, checked, and taken apart again."""

import pytest

from neural_toy import FakeChecker, fake_rewriter, rewrite_best
from paraphrast.rewriter import Rewrite, Sentence
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.sections import cut_text
from paraphrast.text.spans import Span


def sentences(text, context, **reading):
    """Return what a rewriter would be given of a text."""
    sections = cut_text(text, Reading(**reading), context=context)
    assert "".join(section.text for section in sections) == text
    return [section.sentence for section in sections if section.sentence]


def test_neighbouring_sentences_are_one_passage():
    (passage,) = sentences("He came. She left.  It rained.", 60)
    assert passage.text == "He came. She left.  It rained."
    assert passage.cuts == (9, 20)
    assert passage.ends_paragraph


def test_without_context_every_sentence_stands_alone():
    assert [s.text for s in sentences("He came. She left.", 0)] == [
        "He came.",
        "She left.",
    ]


def test_a_long_paragraph_is_cut_into_passages_of_about_the_same_size():
    text = " ".join(["One two three four five."] * 5)
    sizes = [len(s.text.split()) for s in sentences(text, 15)]
    assert sizes == [15, 10]
    assert max(len(s.text.split()) for s in sentences(text, 12)) <= 12


@pytest.mark.parametrize(
    ("words", "most", "passages"),
    [
        ((3, 3, 3, 3), 9, [6, 6]),  # two of about the same size, not 9 and 3
        ((3, 6, 3), 9, [9, 3]),  # the second is half inside of the first six words
    ],
)
def test_a_passage_ends_at_the_sentence_nearest_its_target(words, most, passages):
    text = " ".join(" ".join(["Word"] * number) + "." for number in words)
    assert [len(s.text.split()) for s in sentences(text, most)] == passages


def test_a_sentence_that_is_longer_than_the_context_stands_alone():
    found = sentences("One two three four five six. Seven.", 4)
    assert [s.cuts for s in found] == [(), ()]


def test_a_quotation_is_not_cut_if_that_can_be_avoided():
    text = 'One two three. "Four five. Six seven." Eight nine ten eleven.'
    assert [s.text for s in sentences(text, 8)] == [
        'One two three. "Four five. Six seven."',
        "Eight nine ten eleven.",
    ]


def test_a_passage_may_end_after_a_quotation_that_is_closed():
    text = '"Go on now." One two three. Four five six. Seven eight nine.'
    assert [s.text for s in sentences(text, 10)] == [
        '"Go on now." One two three.',
        "Four five six. Seven eight nine.",
    ]


def test_a_quotation_with_more_words_than_the_context_is_cut():
    text = '"One two three. Four five six. Seven eight nine. Ten."'
    assert [s.text for s in sentences(text, 6)] == [
        '"One two three. Four five six.',
        'Seven eight nine. Ten."',
    ]


def test_the_size_of_a_passage_is_counted_from_its_own_start():
    text = " ".join(["One two.", '"Three."', "Four five."] * 4)
    assert [s.text for s in sentences(text, 5)] == ['One two. "Three." Four five.'] * 4


def test_only_the_last_passage_ends_the_paragraph():
    found = sentences("One two. Three four. Five six. Seven eight.", 4)
    assert [s.cuts for s in found] == [(9,), (10,)]
    assert [s.ends_paragraph for s in found] == [False, True]


def test_white_space_and_emoji_around_a_passage_are_left_out():
    found = sentences("😀 He came. She left. 😢 It rained. We ran.  \n", 60)
    assert [s.text for s in found] == ["He came. She left.", "It rained. We ran."]
    assert [s.ends_paragraph for s in found] == [False, True]


@pytest.mark.parametrize("text", ["He came.\n\nShe left.", "- He came.\n- She left."])
def test_paragraphs_and_list_items_are_not_joined(text):
    assert len(sentences(text, 60, markdown=True)) == 2


def test_protected_spans_are_found_in_the_passage():
    (passage,) = sentences("He came. Call @anna now. Pay 30 to Bo.", 60)
    kept = [passage.text[span.start : span.end] for span in passage.protected]
    assert kept == ["@anna", "30"]


def write_old(method, text):
    """Answer as an old book would, but lose the name of who is late."""
    return [text.replace("you", "thou").replace("Romeo", "he")]


def read_passages(answer=write_old, **options):
    made, engine = fake_rewriter(answer, settings={"context": 60}, **options)
    return DocumentRewriter(made, style="old", family="neural"), engine


def test_a_passage_is_put_to_the_model_as_one_text():
    document, engine = read_passages()
    found = document.rewrite("did I see you? is it you again?")
    assert found.text == "did I see thou? is it thou again?"
    assert [text for _, text in engine.asked] == ["did I see you? is it you again?"]


def test_a_passage_without_a_rewrite_is_taken_apart():
    document, _ = read_passages()
    found = document.rewrite("I see you here.  Then Romeo saw you. It is you again.")
    assert found.text == "I see thou here.  Then Romeo saw you. It is thou again."
    assert [kept.text for kept in found.kept] == ["Then Romeo saw you."]
    assert found.kept[0].why == "all candidates lost 'Romeo'"
    assert not found.why


def test_text_that_looks_like_code_does_not_keep_its_neighbours():
    document, engine = read_passages()
    code = "public static void main(args) { return x[0]; }"
    passage = Sentence(f"did I see you again? {code}", cuts=(21,))
    ((found,),) = document.rewriter([passage], alternatives=1, seed=1)
    assert found.text == f"did I see thou again? {code}"
    assert found.kept[0].why == "it looks like code"
    assert engine.asked[0][1] == "did I see you again?"


def test_the_rules_step_in_for_a_sentence_but_not_for_a_passage():
    asked = []

    def rules(parts, *, alternatives, seed):
        asked.extend(part.text for part in parts)
        return [[Rewrite(part.text.replace("saw", "beheld"))] for part in parts]

    document, _ = read_passages(fallback=rules)
    found = document.rewrite("I see you here. Then Romeo saw you.")
    assert found.text == "I see thou here. Then Romeo beheld you."
    assert asked == ["Then Romeo saw you."]
    assert not found.kept


def test_rules_that_change_nothing_leave_the_reason():
    made, _ = fake_rewriter(
        write_old, fallback=lambda parts, **_: [[Rewrite(p.text)] for p in parts]
    )
    found = rewrite_best(made, "Then Romeo saw you.")
    assert found.text == "Then Romeo saw you."
    assert found.why == "all candidates lost 'Romeo'"


def test_the_checker_rejects_a_changed_meaning():
    checker = FakeChecker(lambda source, text: 0.4 if "never" in text else 0.6)
    answers = {"greedy": ["thou art ever late"], "beam": ["thou art late"]}
    made, _ = fake_rewriter(
        lambda method, text: answers[method], checker=FakeChecker(lambda s, t: 0.4)
    )
    found = rewrite_best(made, "you are late")
    assert found.text == "you are late"
    assert found.why == "all candidates changed the meaning"
    assert found.guards == ("meaning",)
    assert rewrite_best(made.without_guards(["meaning"]), "you are late").text
    made, _ = fake_rewriter(lambda method, text: answers[method], checker=checker)
    assert rewrite_best(made, "you are late").text == "thou art ever late"
    assert checker.asked == [("you are late", "thou art ever late")]


@pytest.mark.parametrize(("same", "shown"), [(0.5, True), (0.49, False)])
def test_the_threshold_comes_from_the_pack(same, shown):
    made, _ = fake_rewriter(
        lambda *_: ["thou art late"],
        checker=FakeChecker(lambda *_: same),
        settings={"meaning": 0.5},
    )
    assert (rewrite_best(made, "you are late").text == "thou art late") is shown


@pytest.mark.parametrize(("style", "shown"), [("old", True), ("older", False)])
def test_a_style_may_have_a_threshold_of_its_own(style, shown):
    made, _ = fake_rewriter(
        lambda *_: ["thou art late"],
        checker=FakeChecker(lambda *_: 0.4),
        settings={"meaning": 0.5, "meaning_by_style": {style: 0.4}},
    )
    assert (rewrite_best(made, "you are late").text == "thou art late") is shown


@pytest.mark.parametrize(
    ("kind", "is_hidden"), [("url", True), ("term", True), ("number", False)]
)
def test_a_model_that_never_met_placeholders_reads_them_as_names(kind, is_hidden):
    def answer(method, text):
        return [text.replace("see", "behold")]

    made, engine = fake_rewriter(answer, settings={"masked": False})
    kept = Sentence("see 12 here now", (Span(4, 6, kind),))
    ((found,),) = made([kept], alternatives=1, seed=1)
    assert found.text == "behold 12 here now"
    assert engine.asked[0][1] == ("see Zqx0q here now" if is_hidden else kept.text)
