"""Around the decoder: preparing sentences and corpora, and writing words back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.phrase import examples, parallel_text, surface
from paraphrast.phrase.parallel_text import EMPTY, TOO_LONG, UNEVEN, Cleaning
from paraphrast.rewriter import Sentence
from paraphrast.text.casing import Truecaser
from paraphrast.text.spans import Span

NO_NAMES = Truecaser({})


def written(text, words, origins, *, copied=(), names=NO_NAMES, protected=()):
    prepared = surface.prepare(Sentence(text, protected))
    pieces = surface.pieces(prepared, words, origins, copied=copied, truecaser=names)
    before, after = prepared.tokens.edges()
    return before + "".join(gap + word for gap, word in pieces) + after


def test_a_sentence_is_read_with_straight_quotes_and_in_lower_case():
    prepared = surface.prepare(Sentence("“Don’t go — wait…”"))
    assert prepared.words == ['"', "don", "'t", "go", "--", "wait", "...", '"']


def test_training_text_is_repaired_like_the_corpora_of_2012():
    assert surface.tokens_of("He ’ s here—“now”.") == [
        *("He", "'s", "here", "--", '"', "now", '"', ".")
    ]


@given(st.text())
def test_unchanged_text_comes_back_letter_for_letter(text):
    prepared = surface.prepare(Sentence(text))
    positions = range(len(prepared.words))
    assert written(text, prepared.words, list(positions), copied=positions) == text


@pytest.mark.parametrize(
    ("words", "origins", "expected"),
    [
        ("thou art late .", [-1, -1, 2, 3], "Thou art late."),
        ("late thou art .", [2, -1, -1, 3], "Late thou art."),
        ("alas , thou art late !", [-1, -1, -1, -1, 2, -1], "Alas, thou art late!"),
        ("i am late .", [-1, -1, 2, 3], "I am late."),
    ],
)
def test_new_words_get_capitals_and_spaces(words, origins, expected):
    assert written("You are late.", words.split(), origins) == expected


def test_names_keep_their_capitals_wherever_they_go():
    names = Truecaser({"verona": "Verona"})
    result = written(
        "I love Juliet.",
        ["juliet", "of", "verona", "i", "love", "."],
        [2, -1, -1, 0, 1, 3],
        names=names,
    )
    assert result == "Juliet of Verona I love."


def test_the_first_word_loses_its_capital_in_the_middle():
    result = written(
        "The man came.", ["came", "the", "man", "."], [2, 0, 1, 3], copied=[2, 3]
    )
    assert result == "Came the man."


def test_protected_spans_force_whole_tokens_and_join_when_they_touch():
    text = "see http://a.b now"
    protected = (Span(4, 8), Span(6, 14))
    prepared = surface.prepare(Sentence(text, protected))
    assert prepared.forced == [(1, 6, ["http", ":", "/", "/", "a.b"])]
    result = written(
        text,
        ["behold", *prepared.words[1:]],
        [-1, 1, 2, 3, 4, 5, 6],
        copied=range(1, 6),
    )
    assert result == "Behold http://a.b now"


def test_quotes_and_brackets_stay():
    prepared = surface.prepare(Sentence("He said “(yes)” to Ann (9)", (Span(23, 26),)))
    forced = [(start, end) for start, end, _ in prepared.forced]
    assert forced == [(2, 3), (3, 4), (5, 6), (6, 7), (9, 12)]


def test_a_span_of_white_space_forces_nothing():
    assert surface.prepare(Sentence("a  b", (Span(1, 3),))).forced == []


def test_pairs_that_teach_nothing_are_dropped_and_counted():
    text = parallel_text.prepare_pairs(
        [
            ("you are", "thou art"),
            ("", "thou"),
            ("a b", "a " * 8),
            ("a", "a b c d"),
            ("see you", "see thee"),
        ],
        Cleaning(max_words=5, max_ratio=3),
    )
    assert text.sources == [["you", "are"], ["see", "you"]]
    assert text.dropped == {EMPTY: 1, TOO_LONG: 1, UNEVEN: 1}
    assert text.lowercase_pairs()[1] == (("see", "you"), ("see", "thee"))


@pytest.mark.parametrize(
    ("pairs", "complaint"),
    [
        ([], "no line at all"),
        ([("", "x"), ("y", " ")], "a side is empty: 2"),
        ([("good day", "guten tag"), ("the dog", "der hund")], "no word in common"),
    ],
)
def test_text_that_cannot_teach_is_refused_in_one_line(pairs, complaint):
    with pytest.raises(ParaphrastError, match=complaint) as caught:
        parallel_text.prepare_pairs(pairs)
    assert "\n" not in str(caught.value)


def test_held_out_pairs_are_not_trained_on_and_a_seed_repeats_them():
    text = parallel_text.prepare_pairs([(f"w{n} x", f"v{n} x") for n in range(20)])
    rest, held = text.split_off(5, seed=3)
    assert len(rest) == 15
    assert len(held) == 5
    assert sorted(rest.sources + held.sources) == sorted(text.sources)
    assert text.split_off(5, seed=3)[1] == held


def test_links_of_a_small_text_join_the_words_that_are_the_same():
    pairs = [(("you", "sing"), ("thou", "sing")), (("you", "run"), ("thou", "run"))] * 4
    links = parallel_text.align_pairs(
        pairs, using="fast-align", symmetrisation="grow-diag-final-and", seed=1
    )
    assert {(link.source, link.target) for link in links[0]} == {(0, 0), (1, 1)}


@given(
    st.lists(
        st.tuples(
            st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)),
            st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)),
        ),
        max_size=5,
    )
)
def test_examples_are_found_by_number(pairs):
    packed = examples.pack_examples(pairs)
    assert len(packed) == len(pairs)
    for number, (source, target) in enumerate(pairs):
        assert packed.pair(number) == (" ".join(source), " ".join(target))


def test_examples_are_saved_and_opened_and_a_cut_file_is_refused(tmp_path):
    path = tmp_path / "pairs"
    examples.pack_examples([(["you", "sing"], ["thou", "singest"])]).save(path)
    result = examples.Examples.open(path)
    assert result.pair(0) == ("you sing", "thou singest")
    with pytest.raises(IndexError):
        result.pair(1)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ParaphrastError, match="damaged or truncated"):
        examples.Examples.open(path)


def test_a_long_example_is_cut_around_its_phrase():
    text = " ".join(["word"] * 30 + ["thou", "art"] + ["word"] * 30)
    shown = examples.excerpt(text, "thou art")
    assert "thou art" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert examples.excerpt("short", "x") == "short"
