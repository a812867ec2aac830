"""Formal to informal: always the same words, the rest at the rates of a corpus."""

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.rewriter import Sentence
from paraphrast.rules import family
from paraphrast.rules.informal import Informal
from paraphrast.rules.rates import Rates, default, load_measured
from rules_promises import CHAT, check_settled, sentences

NEVER = Informal(Rates())
OFTEN = Informal(Rates(0.1, 0.3, 0.6, 0.6, 0.6, 0.6, 0.6, 0.4))
ALWAYS = Rates(**{field.name: 1.0 for field in fields(Rates)})


def informal(text, rewriter=NEVER, seed=1):
    return rewriter([Sentence(text)], alternatives=1, seed=seed)[0][0].text


def only(name):
    """Return a rewriter that shows one trait wherever it can."""
    return Informal(replace(Rates(), **{name: 1.0}))


# The first two after Rao and Tetreault (2018), Table 15.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I am glad they did not show us.", "i'm glad they didn't show us."),
        ("Hopefully, you married your husband.", "hopefully, u married ur husband."),
        ("I am going to the shop.", "i'm going to the shop."),
        ("I am going to buy it.", "i'm gonna buy it."),
        ("I do not know.", "idk."),
        ("We do not want to go.", "we don't wanna go."),
        ("I have a dog and I have seen it.", "i have a dog and i've seen it."),
        ("Yes, I am.", "yeah, i am."),
        ("I know where he is.", "i know where he is."),
        ("By the way, she will come tonight", "btw, she'll come tonite"),
        ("A drink is an ounce.", "a drink is an ounce."),
        ("NASA is in Florida.", "NASA is in Florida."),
        ("Don't worry, O'Brien.", "don't worry, O'Brien."),
        ("Dr. Smith is late.", "Dr. Smith is late."),
    ],
)  # fmt: skip
def test_capitals_contractions_and_slang_are_always_written(text, expected):
    assert informal(text).replace("2nite", "tonite") == expected


@pytest.mark.parametrize(
    ("trait", "text", "expected"),
    [
        ("uppercase_sentences", "He was late.", "HE WAS LATE."),
        ("uppercase_words", "He saw a tree.", "he SAW a TREE."),
        ("missing_stop", "He was late.", "he was late"),
        ("missing_apostrophes", "He did not go.", "he didnt go."),
        ("lowercase_names", "He saw John in Paris.", "he saw john in paris."),
    ],
)
def test_a_trait_shows_wherever_it_can_at_rate_one(trait, text, expected):
    assert informal(text, only(trait)) == expected


def test_the_number_of_repeated_letters_and_marks_follows_the_seed():
    letters = {
        informal("It is so big.", only("repeated_letters"), s) for s in range(30)
    }
    assert letters == {"it's sooo big.", "it's soooo big.", "it's sooooo big."}
    marks = {informal("Is it big?", only("repeated_punctuation"), s) for s in range(30)}
    assert marks == {"is it big??", "is it big???", "is it big????"}


def test_a_filler_opens_a_sentence_that_has_none():
    assert informal("He was very late.", only("fillers")).split(",")[0] in (
        "well",
        "um",
    )
    assert informal("Well, he was late.", only("fillers")) == "well, he was late."


def test_rates_are_kept_over_many_sentences():
    rewriter = Informal(replace(Rates(), missing_stop=0.3))
    texts = [f"The {n}th house was sold today." for n in range(2000)]
    dropped = sum(not informal(text, rewriter).endswith(".") for text in texts)
    # Within four standard deviations of 600, which are 4 * (2000 * 0.3 * 0.7) ** 0.5.
    assert abs(dropped - 600) < 82


def test_a_seed_gives_the_same_text_in_any_batch():
    batch = [Sentence(f"I do not think that {n} is so good, John.") for n in range(50)]
    together = OFTEN(batch, alternatives=1, seed=7)
    alone = [OFTEN([sentence], alternatives=1, seed=7)[0] for sentence in batch]
    assert together == alone
    assert together != OFTEN(batch, alternatives=1, seed=8)


def test_a_seed_gives_the_same_text_on_every_machine():
    text = "I am so happy because you are going to be in Paris tomorrow!"
    expected = "um, im soooo happyyy b/c you're gonna be in paris 2moro!!"
    assert informal(text, OFTEN, 1) == expected


def test_alternatives_come_from_other_seeds():
    text = Sentence("Thank you, I am so happy because you will just win tomorrow!")
    found = OFTEN([text], alternatives=4, seed=1)[0]
    assert len({rewrite.text for rewrite in found}) == 4
    assert [rewrite.score for rewrite in found] == [0, -1, -2, -3]


@given(sentences(CHAT), st.integers(0, 3))
@settings(max_examples=300, deadline=None)
def test_rewriting_chat_twice_changes_nothing_more(sentence, seed):
    check_settled(OFTEN, sentence, seed=seed)
    check_settled(NEVER, sentence, seed=seed)


@given(sentences(st.text(max_size=60)))
@settings(max_examples=200, deadline=None)
def test_rewriting_any_unicode_twice_changes_nothing_more(sentence):
    check_settled(Informal(ALWAYS), sentence, seed=1)


def test_rates_are_measured_where_a_trait_could_show():
    rates = Rates.measure(
        [
            "i dont know",  # no stop, no apostrophe
            "It isn't big.",
            "SO WHAT??",  # all in capitals, mark repeated
            "why?",
            "I LOVE big paris",  # of "love" and "big" one is shouted; no stop
            "um John is soooo late.",
            "",
        ]
    )
    assert rates == Rates(
        uppercase_sentences=0.2,  # of five with two words or more
        uppercase_words=rates.uppercase_words,
        repeated_letters=rates.repeated_letters,
        repeated_punctuation=0.5,
        missing_stop=0.5,
        missing_apostrophes=0.5,
        lowercase_names=0.5,
        fillers=round(1 / 6, 6),
    )


def test_rates_survive_a_file(tmp_path):
    path = tmp_path / "rates.toml"
    load_measured().save(path)
    assert Rates.load(path) == load_measured()
    assert load_measured().missing_stop > 0


def test_by_default_nothing_is_shouted_stretched_or_left_without_a_stop():
    rates = default()
    assert rates.uppercase_sentences == rates.uppercase_words == 0
    assert rates.missing_stop == rates.repeated_letters == rates.lowercase_names == 0
    texts = [f"The {n}th house in Rome was sold today." for n in range(300)]
    rewriter = family.load("informal")
    for [best] in rewriter([Sentence(t) for t in texts], alternatives=1, seed=3):
        assert best.text.endswith("house in Rome was sold today.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What do you want to do tonight?", "what do you wanna do tonight?"),
        ("Thank you for the information.", "thanks for the info."),
        ("The children are here.", "the kids are here."),
        ("I do not know what you mean.", "i dunno what you mean."),
        ("I am late because you are late.", "i'm late because you're late."),
        ("I am going to call before I come.", "i'm gonna call before i come."),
    ],
)
def test_by_default_words_are_spelt_out_without_chat_spelling(text, expected):
    assert informal(text, Informal(Rates(), chat=False)) == expected
    assert informal(text, family.load("informal")).rstrip("?!.") == expected[:-1]


def test_a_wrong_rate_in_a_file_is_refused_with_the_place(tmp_path):
    path = tmp_path / "rates.toml"
    path.write_text("missing_stop = 1.5\n")
    with pytest.raises(ParaphrastError, match=r"rates.toml.*from 0 to 1, not 1.5"):
        Rates.load(path)
    path.write_text("missing_stops = 0.5\n")
    with pytest.raises(ParaphrastError, match="Did you mean 'missing_stop'"):
        Rates.load(path)


def test_the_family_writes_both_styles():
    assert set(family.styles()) == {"formal", "informal"}
    assert isinstance(family.load("informal"), Informal)
