"""Capitals come back from what was learned and from the source sentence."""

from operator import ne

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.text import Truecaser, tokenise, transfer_case
from text_strategies import ANY_TEXT

LETTERS = """\
My dear Anna, we reached London on Monday, and Uncle George met us at the station.
The train from Dover was late, so George had waited with Aunt Mary and her dog Rex.
On Tuesday we saw the Tower, and on Wednesday Mary took me to the British Museum.
I wish that you and Peter were in London too; even Rex misses Peter, says George.
"Tell Anna," says Mary, "that London in May is the place to be."
Do not tell Peter that Rex ate the hat which Anna bought in Dover.
""".splitlines()  # noqa: SIM905
LATER = """\
We met Peter and Anna in Dover, and they took the train to London on Wednesday.
Now George is at the station with Rex. He and I will see the Tower in May.
Will Uncle George tell Mary that the British Museum was late on Monday?
""".splitlines()  # noqa: SIM905


def trained():
    return Truecaser.train(tokenise(line) for line in LETTERS)


def test_unseen_sentences_get_their_capitals_back():
    truecaser = trained()
    tokens = [token for line in LATER for token in tokenise(line)]
    small = [token.lower() for token in tokens]
    restored = truecaser.restore(small)
    wrong_before = sum(map(ne, tokens, small))
    wrong_after = sum(map(ne, tokens, restored))
    assert (len(tokens), wrong_before, wrong_after) == (51, 20, 0)


def test_an_unseen_name_stays_in_lower_case():
    assert trained().restore(["for", "juliet"]) == ["For", "juliet"]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("i saw anna . she left .", "I saw Anna . She left ."),
        ('" go , " says mary', '" Go , " says Mary'),
        ("what ? london !", "What ? London !"),
        ("", ""),
    ],
)
def test_golden_restoring(tokens, expected):
    assert trained().restore(tokens.split()) == expected.split()


def test_first_words_and_shouting_teach_nothing():
    truecaser = Truecaser.train([["Maybe", "so"], ["WE", "SHOUT"], ["a", "Rome"]])
    assert dict(truecaser.forms) == {"rome": "Rome"}


def test_the_commoner_form_wins_and_a_tie_is_lower_case():
    forms = ["March", "march", "May", "May", "may"]
    sentences = [["a", form] for form in forms]
    assert dict(Truecaser.train(sentences).forms) == {"may": "May"}


def test_saving_writes_a_readable_file_that_loads_the_same(tmp_path):
    path = tmp_path / "forms.txt"
    truecaser = trained()
    truecaser.save(path)
    assert path.read_text("utf-8").startswith("Anna\nAunt\nBritish\nDover\n")
    assert Truecaser.load(path) == truecaser


def test_loading_a_missing_file_is_a_user_error(tmp_path):
    with pytest.raises(ParaphrastError, match="cannot read"):
        Truecaser.load(tmp_path / "none")


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("He likes Romeo .", "romeo is liked . yes", "Romeo is liked . Yes"),
        ("GO HOME NOW", "leave for home", "LEAVE FOR HOME"),
        ("go home", "leave now", "leave now"),
        ("i like it", "i love it", "i love it"),
        ("Do you ?", "i do", "I do"),
        ("A Merry Lady of Bath", "bath 's merry wife", "Bath 's Merry Wife"),
        ("So McDonald left", "mcdonald went", "McDonald went"),
        ("I", "i do", "I do"),
        ("", "as it is", "as it is"),
        ("small", "Rome stays", "Rome stays"),
    ],
)
def test_case_is_taken_from_the_source(source, target, expected):
    assert transfer_case(source.split(), target.split()) == expected.split()


@settings(deadline=None)
@given(ANY_TEXT, st.lists(st.text(max_size=4)))
def test_only_case_changes(source, target):
    for cased in (transfer_case(tokenise(source), target), trained().restore(target)):
        assert [t.casefold() for t in cased] == [t.casefold() for t in target]
