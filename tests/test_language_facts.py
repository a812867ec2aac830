"""Facts about a sentence: denials, persons, mood, repetition, quotation marks."""

import pytest

from paraphrast.language.grammar import (
    asks_indirectly,
    asks_politely,
    count_denials,
    count_implied_denials,
    find_final_mark,
    find_negators,
    has_question_order,
    is_question,
    is_statement,
    strip_negative_affix,
)
from paraphrast.language.quotations import (
    count_double_quotes,
    find_outer_quotes,
    find_single_quotes,
)
from paraphrast.language.sentence import read
from paraphrast.language.stemming import root, stem
from paraphrast.language.words import (
    AUXILIARIES,
    BE,
    DETERMINERS,
    FIRST,
    FUNCTION,
    HE,
    NEGATORS,
    SECOND,
    SHE,
    SMALL_WORDS,
    count_longest_run,
    count_most_repeated,
    find_persons,
    find_words,
    has_stretched_letters,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("I do not know.", 1),
        ("I don't know.", 1),
        ("I dont know nothing", 2),
        ("Put it upon't.", 0),
        ("No, I know.", 0),
        ("No!", 1),
        ("No doubt he knows.", 0),
        ("He found nothing but a horseshoe.", 0),
        ("He is not old, nor is he young.", 1),
        ("Neither he nor she.", 1),
        ("He went without it, and never came back.", 2),
        ("No, nay.", 1),
        ("No, nay, yes.", 0),
        ("Is the pool open or not, the kids want to know", 0),
        ("Is it open or not?", 0),
        ("Come or do not come.", 1),
        ("", 0),
    ],
)
def test_denials_are_counted(text, count):
    assert count_denials(text) == count


def test_positions_of_negators_are_those_of_words():
    sentence = read("I can't, no, never.")
    words = [sentence.words[at].text for at in find_negators(sentence)]
    assert words == ["not", "never"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("He is unhappy.", 1),
        ("He is under the table, uncle.", 0),
        ("He refused to go until he was too tired.", 3),
        ("It is cold, isn't it?", 1),
        ("Why not go?", 1),
        ("A dish of helpless fish.", 1),
    ],
)
def test_implied_denials_are_counted(text, count):
    assert count_implied_denials(text) == count


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        *(("unkind", "kind"), ("helpless", "help"), ("under", ""), ("less", "")),
        *(("is", ""), ("nameless", "name"), ("artless", ""), ("unfit", "")),
        *(
            ("disobey", "obey"),
            ("disarm", ""),
            ("illegal", "legal"),
            ("nonstop", "stop"),
        ),
    ],
)
def test_a_negative_affix_is_stripped(word, bare):
    assert strip_negative_affix(word) == bare


def test_function_words_are_of_every_kind_and_exclude_content_words():
    assert {"the", "is", "not", "she", "of"} <= FUNCTION
    names = {"art", "may", "will"}
    for kind in (AUXILIARIES, BE, DETERMINERS, NEGATORS, {"of"}):
        assert kind - names <= SMALL_WORDS
    assert SMALL_WORDS.isdisjoint(["art", "may", "will", "she", "house"])
    assert "house" not in FUNCTION


@pytest.mark.parametrize(
    ("text", "persons"),
    [
        ("I gave it to our mother.", {FIRST}),
        ("Thou hast thy book, she hers.", {SECOND, SHE}),
        ("He, you know, went.", {HE}),
        ("I pray you, go.", set()),
        ("The hero went.", set()),
    ],
)
def test_persons_are_found_by_their_pronouns(text, persons):
    assert find_persons(text) == persons


def test_the_mood_of_a_text():
    assert is_question('"Will you go?"')
    assert not is_question("Will you? Go.")
    assert is_statement("You will go.'")
    assert not is_statement("Go!")
    assert asks_indirectly("I ask whether you go.")
    assert not asks_indirectly("You will go.")
    assert has_question_order("And, uh, will you go")
    assert not has_question_order("You will go")
    assert asks_politely("Would you be so kind as to go?")
    assert not asks_politely("Would you go.")
    assert not asks_politely("Will you go?")


@pytest.mark.parametrize(
    ("text", "mark"), [("Go!)", "!"), ("Go", ""), ("", ""), ('Go?"', "?")]
)
def test_the_final_mark(text, mark):
    assert find_final_mark(read(text)) == mark


def test_repetition_is_counted():
    words = find_words("so it is so it is so, so, so")
    assert words == ["so", "it", "is", "so", "it", "is", "so", "so", "so"]
    assert count_most_repeated(words, 3) == 2
    assert count_most_repeated(words, 8) == 1
    assert count_most_repeated([], 3) == 0
    assert count_longest_run(words) == 3
    assert count_longest_run([]) == 0
    assert has_stretched_letters("sooooo")
    assert not has_stretched_letters("soooo")


def test_quotation_marks():
    assert find_single_quotes("'Tis so,' he said, 'go.'") == ([19], [8, 23])
    assert find_single_quotes("'Go' and 'stay' now.") == ([0, 9], [3, 14])
    assert count_double_quotes('“Go,” «he» said "so') == 5


def test_stems_are_porters_and_roots_join_old_and_irregular_forms():
    assert [stem(word) for word in ("us", "relational", "hopping", "Was")] == [
        "us",
        "relat",
        "hop",
        "wa",
    ]
    assert {root(word) for word in ("loveth", "loved", "lov'st", "love")} == {"love"}
    assert {root(word) for word in ("went", "goeth", "gone")} == {"go"}
    assert root("teeth") == "tooth"


@pytest.mark.parametrize(
    ("text", "opens", "closes"),
    [
        ('"It is late.', True, False),
        ('It is late."', False, True),
        ("“It is late.”", True, True),
        ("‘It is late.’", True, True),
        ("It is late.'", False, True),
        ('"Go," he said.', False, False),
        ("'Go,' he said.", False, False),
        ("'It is \"so\".'", False, False),
        ("'Tis late.", False, False),
        ("It is late.", False, False),
        ("", False, False),
    ],
)
def test_outer_quotation_marks_are_the_only_ones_in_the_text(text, opens, closes):
    assert find_outer_quotes(text) == (opens, closes)


def test_the_first_word_of_a_sentence_or_quotation_is_not_inside_it():
    words = read('Rome fell. Ann said: "Go now."').words
    assert [word.text for word in words if not word.inside and word.text.isalpha()] == [
        "rome",
        "ann",
        "go",
    ]
