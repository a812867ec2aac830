"""A text is cut into sentences and the rest, which join to the text again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.rewriter import Change, Rewrite
from paraphrast.rewriting.interface import Reading
from paraphrast.rewriting.sections import cut_text, find_changes, is_unicode
from paraphrast.text.spans import Span
from text_strategies import ANY_TEXT


def sentences(text, **reading):
    return [s.text for s in cut_text(text, Reading(**reading)) if s.sentence]


@given(ANY_TEXT, st.booleans(), st.sampled_from([0, 3, 60]))
def test_sections_join_to_the_text(text, markdown, context):
    sections = cut_text(text, Reading(markdown=markdown), context=context)
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
def test_emoji_around_a_sentence_are_left_out(text, expected):
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


def test_a_term_over_three_sentences_joins_them_and_leaves_their_neighbours():
    text = "Go. See A. B. C now. Stay."
    assert sentences(text, protect=("A. B. C",)) == ["Go.", "See A. B. C now.", "Stay."]


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


def layout(text, **reading):
    """Return each section with a mark of whether it is a sentence."""
    return [
        (section.text, section.sentence is not None)
        for section in cut_text(text, Reading(**reading))
    ]


def test_texts_are_plain_and_keep_headings_unless_said_otherwise():
    assert Reading() == Reading(protect=(), markdown=False, headings=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  Go on.  ", [("  ", False), ("Go on.", True), ("  ", False)]),
        (
            "One. Two.\n\nSix.",
            [("One.", True), (" ", False), ("Two.", True), ("\n\n", False),
             ("Six.", True)],
        ),
        ("caf\udce9. Go on.", [("caf\udce9. Go on.", False)]),
        ("Stay here. 😀", [("Stay here.", True), (" 😀", False)]),
        ("😀 😢 Go. 😀 😢", [("😀 😢 ", False), ("Go.", True), (" 😀 😢", False)]),
        (
            "See you there. Best regards, Anna",
            [("See you there.", True), (" Best regards, Anna", False)],
        ),
    ],
)  # fmt: skip
def test_a_text_is_cut_at_the_edges_of_its_sentences(text, expected):
    joined = []
    for part, is_sentence in layout(text):
        if joined and not is_sentence and not joined[-1][1]:
            joined[-1] = (joined[-1][0] + part, False)
        else:
            joined.append((part, is_sentence))
    assert joined == expected


def test_a_sign_off_counts_only_at_the_end():
    text = "Best regards, Anna. That is what I wrote."
    assert "That is what I wrote." in sentences(text)
    assert any("Anna" in sentence for sentence in sentences(text))


def spans_of(text, **reading):
    """Return the protected words of each sentence, and their kinds."""
    return [
        [
            (section.text[span.start : span.end], span.kind)
            for span in section.sentence.protected
        ]
        for section in cut_text(text, Reading(**reading))
        if section.sentence
    ]


def test_each_sentence_has_the_protected_spans_that_lie_in_it():
    text = "Ask Bo Li. It is 5 km to Bo Li. Go. See a@b.org or 😀 him."
    marked = spans_of(text, protect=("Bo Li",))
    assert [[word for word, _ in spans] for spans in marked] == [
        ["Bo Li"],
        ["5", "Bo Li"],
        [],
        ["a@b.org", "😀"],
    ]


def test_a_sentence_that_a_document_keeps_whole_is_not_rewritten():
    (section,) = cut_text("We met Ann.", Reading(kept=(Span(0, 11, "code"),)))
    assert section.sentence is None


def test_all_that_a_document_keeps_in_a_line_is_protected_there():
    kept = (Span(0, 5, "code"), Span(13, 16, "code"), Span(21, 24, "code"))
    text = "Begin\nWe met Ann and Bob."
    *_, section = cut_text(text, Reading(kept=kept))
    assert section.text == "We met Ann and Bob."
    assert [(s.start, s.end) for s in section.sentence.protected] == [(7, 10), (15, 18)]
    only = cut_text(
        "We met Ann.", Reading(kept=(Span(3, 6, "code"), Span(7, 10, "code")))
    )
    assert [(s.start, s.end) for s in only[0].sentence.protected] == [(3, 6), (7, 10)]


def test_an_emoji_outside_a_sentence_is_not_among_its_spans():
    assert spans_of("😀 Call 5 now 😢") == [[("5", "number")]]


def test_a_term_that_reaches_over_two_ends_joins_all_that_it_touches():
    text = "Oh. Ask Dr. No. Smith. Go. Stay."
    assert sentences(text, protect=("Oh. Ask Dr. No. Smith. Go",))[-1] == "Stay."
    assert sentences(text, protect=("Go. Stay",))[-1] == "Go. Stay."


PARTS = ["Go on.", "It rained.", "We all stay here.", "Who knows?", "You left."]


@given(
    st.permutations(PARTS),
    st.lists(st.integers(0, 4), min_size=4, max_size=4, unique=True).map(sorted),
    st.integers(0, 2),
)
def test_terms_join_the_sentences_that_they_reach_over_and_no_others(
    parts, edges, number
):
    reaches = list(zip(edges[::2], edges[1::2], strict=True))[:number]
    # From the second word of the first sentence to the last word of the last one.
    wholes = [" ".join(parts[first : last + 1]) for first, last in reaches]
    terms = tuple(whole.partition(" ")[2][:-1] for whole in wholes)
    groups = []
    for index, part in enumerate(parts):
        if any(first < index <= last for first, last in reaches):
            groups[-1].append(part)
        else:
            groups.append([part])
    expected = [" ".join(group) for group in groups]
    assert sentences(" ".join(parts), protect=terms) == expected


def test_sentences_after_a_long_term_are_cut_as_ever():
    text = "Go to A. B. now. Then rest. Then sleep."
    assert sentences(text, protect=("A. B.",))[-2:] == ["Then rest.", "Then sleep."]


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("a b", "a b", []),
        ("a b c", "a c", [(2, 4, "b ", "")]),
        ("a c", "a b c", [(2, 2, "", "b ")]),
        ("don't go", "do not go", [(0, 5, "don't", "do not")]),
        ("a, b", "a; b", [(1, 2, ",", ";")]),
        ("x b y", "u b w", [(0, 1, "x", "u"), (4, 5, "y", "w")]),
        ("x  y", "u  w", [(0, 4, "x  y", "u  w")]),
        ("x b c d", "u b v w", [(0, 1, "x", "u"), (4, 7, "c d", "v w")]),
        ("a", "", [(0, 1, "a", "")]),
        ("", "a", [(0, 0, "", "a")]),
    ],
)
def test_changes_are_whole_words(source, text, expected):
    changes = find_changes(source, text, "x")
    assert [(c.start, c.end, c.before, c.after) for c in changes] == expected
    assert all(change.rule == "x" for change in changes)


def test_sections_start_where_they_stand_in_the_text():
    text = "- Go on. 😀\n\n- Stay. 😢 \n"
    for section in cut_text(text, Reading(headings=True)):
        assert text[section.start :].startswith(section.text)
        assert section.start >= 0


def test_changes_of_a_long_text_that_repeats_itself_give_the_rewrite():
    source = "we was late and u know it " * 3000
    text = source.replace("was", "were").replace(" u ", " you ")
    result = source
    for change in reversed(find_changes(source, text, "model")):
        assert result[change.start : change.end] == change.before
        result = result[: change.start] + change.after + result[change.end :]
    assert result == text
