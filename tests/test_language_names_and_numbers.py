import pytest

from paraphrast.corpora.filtering.preservation import find_lost, keeps
from paraphrast.language.names import (
    find_names,
    find_names_inside,
    find_uncommon_names,
    vote_names,
)
from paraphrast.language.numbers import (
    find_figures,
    find_lost_numbers,
    find_values,
    is_number_word,
    says_figure,
)
from paraphrast.language.sentence import read


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
        ("the zorbish bundgle", []),
        ("the Zorbish bundgle", ["Zorbish"]),
        ("NASA, Al and a Zo", []),
        ("", []),
        ("42 %&", []),
    ],
)
def test_names_are_capitalised_words_that_are_not_common(text, expected):
    assert find_uncommon_names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have two dogs and 15 cats.", {2, 15}),
        ("one of 1,500 people", {1500}),
        ("thrice", {3}),
        ("fourscore and seven years", {87}),
        ("five and twenty men", {25}),
        ("a thousand five hundred", {1500}),
        ("the 3rd of May", {3}),
        ("one and twenty men", {21}),
        ("ten and twenty men", {10, 20}),
        ("zero and twenty", {0, 20}),
        ("nine and ninety", {99}),
        ("twenty and thirty men", {20, 30}),
        ("two hundred and thirty", {230}),
        ("3 hundred six", {306}),
        ("one hundred and one men", {101}),
        ("score of men", set()),
        ("twenty five six", {6, 25}),
        ("three four men", {3, 4}),
        ("5 6 men", {5, 6}),
        ("six and seven", {6, 7}),
        ("sixty and six", {66}),
        ("twenty and men", {20}),
        ("a hundred and men", {100}),
        ("nineteen ninety-five", {19, 95}),
        ("two million three hundred thousand", {2_300_000}),
        ("five thousand two hundred and twelve", {5212}),
        ("a hundred thousand and one nights", {100_001}),
        ("", set()),
    ],
)
def test_numbers_are_values_of_two_or_more(text, expected):
    assert set(find_values(read(text))) == expected


@pytest.mark.parametrize(
    ("source", "text", "lost"),
    [
        ("He is twenty-five.", "He is five and twenty.", []),
        ("It took three years.", "It took 3 years.", []),
        ("It took three years.", "It took four years.", ["3"]),
        ("Two are late.", "Both are late.", []),
        ("Three are late.", "Both are late.", ["3"]),
        ("It is ten times as much.", "It is tenfold.", []),
        ("At 8:30 we go.", "We go at 8:45.", ["8:30"]),
        ("I love both of them.", "I love them all.", []),
    ],
)
def test_a_number_may_be_written_in_another_way_but_not_lost(source, text, lost):
    assert find_lost_numbers(source, text) == lost


def test_figures_are_found_as_they_are_written():
    assert find_figures("3 men, 4.5% at 10:30") == ["3", "4.5", "10:30"]


@pytest.mark.parametrize(
    ("text", "figure", "said"),
    [
        ("He has twelve.", "12", True),
        ("He has one.", "1", True),
        ("He has none.", "1", False),
        ("He has 1,200.", "1200", True),
        ("At half past eight.", "8:30", False),
    ],
)
def test_a_figure_may_be_spelled_in_words(text, figure, said):
    assert says_figure(read(text), figure) is said


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("And here am I, and wode within this wood, Because I am", []),
        ("so be well advised How you leave me", []),
        ("A blade to watch; Blue sky, and all", []),
        ("the only thing Mrs. Knightley will not forgive", ["Knightley"]),
        ("we met Mr Capulet", ["Capulet"]),
        ("we met Mr. Grace there", ["Grace"]),
        ("we met Sir John, O Lord", ["John"]),
        ("I saw Will and Romeo, Juliet.", ["Will", "Romeo", "Juliet"]),
        ("Montague, come to Verona", ["Montague", "Verona"]),
        ("Well-known as it is", []),
        ("Gonna be late", []),
        ("Yeah, sure", []),
        ("Love is blind", []),
        ("we saw Juliet's house", ["Juliet"]),
    ],
)
def test_a_capital_inside_a_sentence_makes_a_name_of_any_word(text, names):
    assert find_names(text) == names


def test_the_judges_names_are_uncommon_and_never_in_lower_case():
    assert find_names_inside(read("Then Romeo met Sir Tybalt in Verona.")) == [
        "romeo",
        "tybalt",
        "verona",
    ]
    assert find_names_inside(read("A Bundgle is a bundgle, I Say.")) == []


def test_a_corpus_votes_on_what_is_a_name():
    verses = ["and set On the fair one", "then met Romeo"]
    assert vote_names(verses, ["walk on and on"]) == [frozenset(), frozenset({"romeo"})]
    assert vote_names(["WE MET ROMEO"], []) == [frozenset()]


def test_the_bibles_names_of_god_are_one_name():
    assert find_lost("Jehovah spoke to Moses", "The Lord spoke to him") == ["Moses"]


def test_an_inflected_or_lower_case_name_is_kept():
    assert not find_lost("a Capulet in Italy", "one of the capulets, an Italian")


def test_units_tens_scales_and_pairs_are_numbers_and_names_are_not():
    assert all(map(is_number_word, ["seven", "thirty", "hundred", "both"]))
    assert not is_number_word("rome")


def test_a_form_of_a_name_begins_with_its_first_four_letters():
    assert not find_lost("They left Cuba.", "a Cuban ship")
    assert find_lost("They left with Ann.", "They left with Annie.") == ["Ann"]
    assert find_lost("They left Cuba.", "a cube") == ["Cuba"]


def test_a_number_may_be_spelled_out():
    assert keeps("He came 3 times.", "Three times he came.")


def test_a_name_only_in_the_target_is_found_too():
    assert not find_lost("He came.", "Peter came.")
    assert not keeps("He came.", "Peter came.")


CARDINALS = """zero one two three four five six seven eight nine ten eleven twelve
thirteen fourteen fifteen sixteen seventeen eighteen nineteen"""
ORDINALS = """third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"""
ROUND = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = ROUND.split()
WORTH = {
    **{word: value for value, word in enumerate(CARDINALS.split())},
    **{word: value for value, word in enumerate(ORDINALS.split(), start=3)},
    **{word: 10 * value for value, word in enumerate(TENS, start=2)},
    **{word[:-1] + "ieth": 10 * value for value, word in enumerate(TENS, start=2)},
    **{f"{ten}-nine": 10 * value + 9 for value, ten in enumerate(TENS, start=2)},
    **{"twain": 2, "twice": 2, "thrice": 3, "fortnight": 14, "threescore": 60},
    **{"fourscore": 80, "threescore and ten": 70, "a dozen": 12, "two score": 40},
    **{"two dozen": 24, "a hundred": 100, "two hundred and six": 206},
    **{"two hundredth": 200, "three thousand": 3000, "two thousandth": 2000},
    **{"four million": 4 * 10**6, "two millionth": 2 * 10**6, "2 billion": 2 * 10**9},
    **{
        "5 trillion": 5 * 10**12,
        "12k": 12_000,
        "two hundreds": 200,
        "two thousands": 2000,
    },
    **{"two millions": 2 * 10**6, "7th": 7, "1.5 million": 1_500_000},
}


@pytest.mark.parametrize(("words", "value"), WORTH.items(), ids=str)
def test_every_number_word_has_its_value(words, value):
    counted = find_values(read(f"There {words} lay."))
    assert counted == ({value: 1} if value != 1 else {})


def test_a_name_inside_a_text_has_three_letters_or_more():
    assert find_names_inside(read("Then Ivo met Jo there")) == ["ivo"]


def test_a_name_is_capitalised_more_often_than_not():
    texts = ["we saw Rose there", "a rose is red"]
    assert vote_names(texts, []) == [frozenset(), frozenset()]
    assert vote_names(texts, [])[0] == vote_names(texts[:1], texts[1:])[0]
    assert vote_names([*texts, "and Rose came"], [])[0] == {"rose"}


def test_a_single_letter_is_not_voted_a_name():
    assert vote_names(["so then X came to Al"], []) == [{"al"}]
