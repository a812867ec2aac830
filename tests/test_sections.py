"""A text is cut into sentences and the rest, which join to the text again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.rewriter import Change, Rewrite
from paraphrast.rewriting.sections import Reading, cut_text, find_changes, is_unicode
from text_strategies import ANY_TEXT


def sentences(text, **reading):
    return [s.text for s in cut_text(text, Reading(**reading)) if s.sentence]


@given(ANY_TEXT, st.booleans())
def test_sections_join_to_the_text(text, markdown):
    sections = cut_text(text, Reading(markdown=markdown))
    assert "".join(section.text for section in sections) == text
    position = 0
    for section in sections:
        assert section.start == position
        assert section.sentence is None or section.sentence.text == section.text
        position += len(section.text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("before we sign anything 😀", ["before we sign anything"]),
        ("😀 Sign it. 😢😢", ["Sign it."]),
        ("We 😀 sign.", ["We 😀 sign."]),
        ("😀 😢", []),
        ("Sign it :)", ["Sign it :)"]),
        ("😀 Sign 😢", ["Sign"]),
    ],
)
def test_pictures_around_a_sentence_are_no_part_of_it(text, expected):
    assert sentences(text) == expected


def test_a_term_is_not_cut_at_a_full_stop():
    text = "I saw it. The end. Really. Now go. And stay."
    assert sentences(text) == [
        "I saw it.",
        "The end.",
        "Really.",
        "Now go.",
        "And stay.",
    ]
    assert sentences(text, protect=("end. Really",)) == [
        "I saw it.",
        "The end. Really.",
        "Now go.",
        "And stay.",
    ]
    assert sentences(text, protect=("it. The end. Really. Now",)) == [
        "I saw it. The end. Really. Now go.",
        "And stay.",
    ]


def test_protected_spans_are_counted_from_the_start_of_their_sentence():
    text = "Go. Call 555 or 556. See 7."
    spans = [
        [section.text[span.start : span.end] for span in section.sentence.protected]
        for section in cut_text(text, Reading())
        if section.sentence
    ]
    assert spans == [[], ["555", "556"], ["7"]]


def test_the_last_sentence_of_a_paragraph_is_known():
    text = "One. Two.\n\nThree."
    for markdown in (True, False):
        ends = [
            section.sentence.ends_paragraph
            for section in cut_text(text, Reading(markdown=markdown))
            if section.sentence
        ]
        assert ends == [False, True, True]


def test_lone_surrogates_are_not_unicode():
    assert not is_unicode("a\ud800")
    assert not is_unicode("a\udfff")
    assert is_unicode("a\ud7ff\ue000")


@given(st.text("ab ,.'", max_size=20), st.text("ab ,.'", max_size=20))
def test_changes_lead_from_the_source_to_the_text(source, text):
    changes = find_changes(source, text, "x")
    result = source
    for change in reversed(changes):
        assert source[change.start : change.end] == change.before
        result = result[: change.start] + change.after + result[change.end :]
    assert result == text
    assert bool(changes) == (source != text)


def test_changes_that_only_a_space_parts_are_one():
    assert find_changes("do you go", "dost thou go", "x") == (
        Change(0, 6, "do you", "dost thou", "x"),
    )
    assert find_changes("you are late, you", "thou are late, thou", "x") == (
        Change(0, 3, "you", "thou", "x"),
        Change(14, 17, "you", "thou", "x"),
    )


def test_a_rewriter_that_damages_a_protected_span_is_named():
    from paraphrast.rewriting.document import DocumentRewriter

    def yell(given, *, alternatives, seed):
        return [[Rewrite(sentence.text.upper())] for sentence in given]

    loud = DocumentRewriter(yell, style="loud", family="yell")
    found = loud.rewrite("See https://a.b/c now. Bye.")
    assert found.text == "See https://a.b/c now. BYE."
    assert [(kept.text, kept.why) for kept in found.kept] == [
        ("See https://a.b/c now.", "all candidates lost 'https://a.b/c'")
    ]


def test_informal_keeps_the_stops_within_a_paragraph():
    import paraphrast

    text = "It was raining a little. The leaves were yellow. He said it was so. " * 20
    for seed in range(1, 4):
        found = paraphrast.rewrite(text.strip(), to="informal", seed=seed).text
        assert found.count(".") >= 59
        assert not any(word.isupper() and len(word) > 1 for word in found.split())
