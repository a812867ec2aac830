import pytest

from paraphrast.language.kept import keeps, lost, names, numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Montague!", ["Montague"]),
        ("Yes!", []),
        ("Love is blind, and so am I.", []),
        ("Tom's dog bit Mary.", ["Tom", "Mary"]),
        ("O Romeo, Romeo! wherefore art thou Romeo?", ["Romeo"]),
        ("Can't you see? They'll come.", []),
        ("Good Sir, the King!", []),
        ("", []),
        ("42 %&", []),
    ],
)
def test_names_are_capitals_that_are_no_common_words(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have two dogs and 15 cats.", ["2", "15"]),
        ("one of 1,500 people", ["1500"]),
        ("thrice", ["3"]),
        ("", []),
    ],
)
def test_numbers_are_values_from_two_on(text, expected):
    assert numbers(text) == expected


def test_the_bibles_names_of_god_are_one_name():
    assert lost("Jehovah spoke to Moses", "The Lord spoke to him") == ["Moses"]


def test_an_inflected_or_small_name_is_kept():
    assert not lost("a Capulet in Italy", "one of the capulets, an Italian")


def test_a_number_may_be_spelled_out():
    assert keeps("He came 3 times.", "Three times he came.")


def test_a_name_that_only_the_target_has_is_found_too():
    assert not lost("He came.", "Peter came.")
    assert not keeps("He came.", "Peter came.")
