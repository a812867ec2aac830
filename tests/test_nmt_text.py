"""Text around the NMT models: words and back, the rules first, vectors, more pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.nmt import surface
from paraphrast.nmt.augmentation import Augmentation, Selection, count_edits
from paraphrast.nmt.clean_up import load_rules
from paraphrast.nmt.embeddings import read_vectors
from paraphrast.nmt.preparing import Preparation, prepare
from paraphrast.nmt.rewriter import count_repeats
from paraphrast.nmt.vocabulary import SPECIAL, Vocabulary
from paraphrast.rewriter import Sentence
from paraphrast.text.protection import protected_spans
from paraphrast.text.spans import Span

URL = "http://example.org/a?b=c"


def sentence(text, *terms):
    return Sentence(text, tuple(protected_spans(text, terms=terms)))


@given(st.text(max_size=60))
def test_unchanged_words_give_the_text_back(text):
    tokens = surface.prepare_sentence(sentence(text))
    assert surface.write_text(tokens, tokens.words) == text
    assert all(text[a:b].strip() for a, b in tokens.spans)


def test_a_protected_span_is_one_word():
    given_text = sentence(f"Ann Lee saw {URL}, “you” know", "Ann Lee")
    words = surface.prepare_sentence(given_text).words
    assert words == ("Ann Lee", "saw", URL, ",", '"', "you", '"', "know")
    assert surface.prepare_text(f"see {URL}!") == ["see", URL, "!"]


def test_outputs_keep_the_typography_and_change_the_case():
    tokens = surface.prepare_sentence(sentence("He said, “I’m  here”"))
    words = ["he", "said", ",", '"', "i", "am", "here", '"']
    assert surface.write_text(tokens, words) == "he said, “i am  here”"


def test_lost_and_doubled_spans_are_found():
    given_text = sentence(f"see {URL} now")
    tokens = surface.prepare_sentence(given_text)
    assert surface.find_lost(tokens, given_text, ["look", URL]) == []
    assert surface.find_lost(tokens, given_text, ["look"]) == [URL]
    assert surface.find_lost(tokens, given_text, [URL, URL]) == [URL]


def test_changes_lead_from_the_text_to_the_output():
    text = "hi bob , u r late"
    tokens = surface.prepare_sentence(Sentence(text))
    words = ["Hello", "bob", ",", "you", "are", "late", "."]
    reasons = [f"reason {i}" for i in range(7)]
    changes = list(surface.find_changes(tokens, words, reasons))
    assert [(c.before, c.after, c.rule) for c in changes] == [
        ("hi", "Hello", "reason 0"),
        ("u r", "you are", "reason 3"),
        ("", ".", "reason 6"),
    ]
    assert all(text[c.start : c.end] == c.before for c in changes)
    (change,) = surface.find_changes(tokens, ["hi", "bob"], ["a", "b"])
    assert (change.before, change.after) == (", u r late", "")


def test_repeated_words_are_counted():
    assert count_repeats(["I", "saw", "him"]) == 0
    assert count_repeats(["so", "so", "good"]) == 1
    assert count_repeats(["he", "is", "a", "man", ",", "he", "is", "a", "man"]) == 2


def test_the_rules_clean_up_and_keep_track_of_protected_spans():
    given_text = sentence(f"u should see {URL} , its gr8")
    (cleaned,) = load_rules("formal").clean([given_text])
    assert cleaned.text.startswith("You should see")
    (span,) = [s for s in cleaned.protected if s.kind == "url"]
    assert cleaned.text[span.start : span.end] == URL


def test_a_sentence_stays_if_the_rules_lose_a_span():
    def drop(sentences, *, alternatives, seed):
        from paraphrast.rewriter import Rewrite

        return [[Rewrite("gone")] for _ in sentences]

    from paraphrast.nmt.clean_up import Rules

    text = Sentence("keep me", (Span(0, 4),))
    assert Rules(drop).clean([text]) == [text]


def test_only_styles_that_rules_write_can_be_cleaned_up():
    with pytest.raises(ParaphrastError, match="unknown style 'pirate'"):
        load_rules("pirate")


def test_sources_are_cleaned_up_before_training():
    how = Preparation(clean_up=load_rules("formal").clean_texts)
    data = prepare([("u r late", "You are late.")] * 2, [], how).data
    assert data.train[0][0][0] == data.train[0][1][0]


def vectors(tmp_path, *lines):
    path = tmp_path / "vectors.txt"
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


VOCABULARY = Vocabulary((*SPECIAL, "cat", "Dog", "dog", "Emu"))


def test_vectors_are_read_for_words_and_their_lower_case_forms(tmp_path):
    path = vectors(tmp_path, "4 2", "Dog 1 2", "dog 3 4", "cat 5 6", "zebra 7 8")
    found = read_vectors(path, VOCABULARY, 2)
    expected = np.zeros((8, 2))
    expected[4:7] = [5, 6], [1, 2], [3, 4]
    assert (found == expected).all()
    again = read_vectors(vectors(tmp_path, "emu 1 1"), VOCABULARY, 2)
    assert (again[7] == 1).all()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cat 1 2 3", r"vectors.txt:1: 3 numbers, but embeddings have 2"),
        ("cat 1 x", r"vectors.txt:1: not a number"),
        ("cat 1 nan", r"vectors.txt:1: a number is not finite"),
        ("zebra 1 2", r"no vector for any word"),
    ],
)
def test_a_wrong_vector_file_is_refused(tmp_path, line, message):
    with pytest.raises(ParaphrastError, match=message):
        read_vectors(vectors(tmp_path, line), VOCABULARY, 2)


def test_augmentation_makes_pairs_and_counts_what_it_drops():
    def upper(texts):
        return [text.upper() if "shout" in text else text for text in texts]

    texts = ["please shout at me now", "this one stays as it is", "too short"]
    texts += ["please shout at me now", "1 2 3 4 shout"]
    job = Augmentation(upper, Selection(least_change=15))
    ((number, pairs),) = job.run(texts)
    assert number == 5
    assert [(p.source, p.target) for p in pairs] == [(texts[0], texts[0].upper())]
    assert job.dropped == {
        "unchanged": 1,
        "too short or too long": 1,
        "repeated in the file": 1,
        "too little changed": 1,
    }
    ((_, back),) = Augmentation(upper, back=True).run(texts[:1])
    assert (back[0].source, back[0].target) == (texts[0].upper(), texts[0])


def test_edits_count_characters_removed_and_inserted():
    assert count_edits("abc", "abc") == 0
    assert count_edits("abc", "axc!") == 3
    with pytest.raises(ValueError, match="must be at least 1"):
        Selection(least_words=9, most_words=3)
