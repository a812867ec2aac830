"""Digits that stand for a word in chat, and those that count."""

import pytest

from paraphrast.rewriter import Sentence
from paraphrast.rules.words import spell_out_chat
from paraphrast.text.chat_digits import find_chat_digits
from paraphrast.text.protection import protected_spans


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("wait 4 me at the gate", "wait for me at the gate"),
        ("thx 4 the lift", "thank you for the lift"),
        ("Thank you 4 the lift.", "Thank you for the lift."),
        ("Thanks 4 the lift.", "Thank you for the lift."),
        ("thx 4 coming out tonight", "thank you for coming out tonight"),
        ("Thank you 4 coming.", "Thank you for coming."),
        ("cheers 4 coming", "cheers for coming"),
        ("Thanks so much 4 helping.", "Thank you very much for helping."),
        ("good 2 know", "good to know"),
        ("r u going 2 the gym?", "are you going to the gym?"),
        ("wat happened 2 ur phone", "what happened to your phone?"),
        ("u forgot 2 lock it", "you forgot to lock it"),
        ("me 2", "me too"),
        ("gotta eat 1st", "have to eat first"),
        ("u free sat n sun?", "you free Saturday and Sunday?"),
        ("see u on sat, or fri if u can", "see you on Saturday, or Friday if you can"),
        ("b4 8, gr8, 2nite, m8", "before 8, great, tonight, friend"),
        ("cant come 2nite", "I cannot come tonight"),
        ("u 4got it", "you forgot it"),
    ],
)
def test_digits_and_days_are_spelt_out(text, spelt):
    sentence = Sentence(text, tuple(protected_spans(text)))
    assert spell_out_chat(sentence).text == spelt


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("wasnt raining at all lol", "was not raining at all."),
        ("tooth fairy forgot lol so i told Ben", "tooth fairy forgot, so I told Ben."),
        ("you're drowning it lol, water it", "you're drowning it, water it."),
        ("is it dead or just hungry haha", "is it dead or just hungry?"),
        ("umm so why did you go", "so why did you go?"),
        ("lmao no way!", "no way!"),
        ("haha", "haha"),
        ("see u there", "see you there"),
    ],
)
def test_dropped_fillers_leave_a_pause_or_an_end(text, spelt):
    assert spell_out_chat(Sentence(text), keep_fillers=False).text == spelt


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("ur car broke down", "your car broke down."),
        ("My car broke down", "My car broke down"),  # it may be a heading
        ("my car broke down, and ", "my car broke down, and "),  # the sentence goes on
        ("my car broke down ", "my car broke down "),
        ("can u come", "can you come?"),
    ],
)
def test_chat_gets_a_full_stop_for_styles_that_use_them(text, spelt):
    assert spell_out_chat(Sentence(text), end=True).text == spelt


@pytest.mark.parametrize(
    "text",
    [
        "In chapter 4 you will see it.",
        "u saw it in step 2 the other day",
        "We have 2 work days left.",
        "i have 2 cats n 4 dogs",
        "wait 4 minutes, plz",
        "ask 4 people, lol",
        "Of the 4 you sent, i like it",
        "come at 2 my dear, thx",
        "The score was 2 all, lol",
        "I told you 4 the other day.",
        "He said thank you 4 times.",
        "So much 4 years ago, so little now",
        "4 coming out tonight",
        "it costs 2.4 a day 4% less, u see",
        "on May 1st, thx",
        "the 1st, thx",
        "They sat and the sun was out.",
    ],
)
def test_digits_that_count_stay_numbers(text):
    assert find_chat_digits(text) == []
    numbers = [span for span in protected_spans(text) if span.kind == "number"]
    assert len(numbers) == sum(any(map(str.isdigit, word)) for word in text.split())


@pytest.mark.parametrize(
    "text",
    [
        "we sat and sun was out",
        "i stood or sat there",
        "when we last sat there",
        "this sat on my desk",
        "the sun n the sea",
    ],
)
def test_sat_and_sun_are_words_too(text):
    assert "day" not in spell_out_chat(Sentence(text)).text


def test_a_term_of_the_user_stays_though_it_is_chat():
    (span,) = protected_spans("wait 4 me", terms=["4"])
    assert span.kind == "term"


def test_only_the_line_of_a_digit_is_asked_whether_it_is_chat():
    text = "thx m8\nGive us page 7 and 4 you"
    assert find_chat_digits(text) == []
    assert find_chat_digits("thx m8, this is 4 you") != []
