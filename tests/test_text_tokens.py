"""The tokeniser gives what sacremoses gives, and says where it does not."""

import random

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from growth import LINEAR, growth
from paraphrast.text.tokens import tokenise
from text_strategies import ANY_TEXT, HARD

MOSES = MosesTokenizer(lang="en")


def moses(text):
    return MOSES.tokenize(text, escape=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n", []),
        ("I don't know.", "I don 't know ."),
        ("Mr. Smith lives in the U.S. now.", "Mr. Smith lives in the U.S. now ."),
        ("It cost 1,000.50, or so", "It cost 1,000.50 , or so"),
        ("rock'n'roll", "rock 'n'roll"),  # the chain sees every other apostrophe
        ("Wait... what?!", "Wait ... what ? !"),
        ("the dogs' bones", "the dogs ' bones"),
        ("the 1980's", "the 1980 's"),
        ("see No. 5. No. Never.", "see No. 5 . No . Never ."),
        ("He said 'go.'", "He said ' go . '"),
        ("well-known (well, half-known)", "well-known ( well , half-known )"),
        ("a,b,c 1,2,3", "a , b , c 1,2,3"),
        ("ends here. and goes on", "ends here. and goes on"),  # lower case follows
    ],
)
def test_golden_tokens(text, expected):
    wanted = expected.split() if isinstance(expected, str) else expected
    assert tokenise(text) == wanted == moses(text)


SENTENCES = [
    "Dr. Jones, Ph.D., met Gov. Brown at 10:30 a.m. on Jan. 5, 1999.",
    "\"It's,\" she said, \"what I'd've called a 'mistake'.\"",
    "We'll see; they're late -- aren't they?",
    "Visit https://example.com/a_b?c=d&e=f#g or mail me@example.co.uk.",
    "C'est la vie, o'clock, ma'am, y'all, 'twas, 'em, an' all",
    "'Tis the season",
    "the Joneses'",
    "5'10\" tall, 5'o, 6's",
    "'50s music in the '90s'",
    "``Quoted,'' they said.",
    "''",
    "'",
    "' '",
    "1' '2 ''3",
    ",5 and ,,5 and 1,,2 and 1,,,2 and a,,,1,",
    ".5 of 1. of .. of .",
    "e.g. this, i.e. that, etc. and so on.",
    "pp. 5-10, Art. 7, No. x, Nos. 1",
    "A. B. Smith vs. C. D. Jones v. E.",
    "She left.' 'Why?'",
    "She left.'",
    "x.'",
    ".'",
    "a.b.c. Next",
    "$5.00, £3, 50% & 7°C; #1 @home *bold* _it_ ~x~ [y] {z} <b>|c|",
    "naïve café, Ⅷ's Ⅷ'a ½,5 5,½",
    "“Curly,” she said — it’s ‘fine’…",
    "non\xa0breaking\u2003spaces\u2028here",
    "tab\there\x00and\x07there\x1cand\x1fso",
    "end\x00.",
    "o'a'b'c fo'c's'le",
    "",
]


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_as_moses_has_them(text):
    assert tokenise(text) == moses(text)


def agreed(letter):
    """Return whether both sides put a character into the same classes.

    The tables of sacremoses come from an old Unicode and lack, among others, Han,
    Hangul and everything beyond the first plane; they add the viramas.
    """
    ours = [
        bool(regex.match(pattern, letter))
        for pattern in (r"[\p{Alphabetic}\p{Nd}]", r"\p{Alphabetic}", r"\p{N}")
    ]
    theirs = [letter in s for s in (MOSES.IsAlnum, MOSES.IsAlpha, MOSES.IsN)]
    return ours == theirs and letter.islower() == (letter in MOSES.IsLower)


AGREED = st.characters().filter(lambda c: c < "\u0250" or agreed(c))
SHARED = [piece for piece in HARD if all(map(agreed, piece.replace("\n", "")))]


@settings(deadline=None)
@given(st.text(AGREED) | st.lists(st.sampled_from([*SHARED, " ", "'"])).map("".join))
def test_any_text_of_agreed_characters_is_cut_alike(text):
    assert tokenise(text) == moses(text)


def test_we_keep_the_word_that_moses_uses_inside():
    assert tokenise("DOTMULTI") == ["DOTMULTI"] != moses("DOTMULTI")


def test_we_keep_han_words_whole():
    assert tokenise("漢字 x") == ["漢字", "x"] != moses("漢字 x")


@settings(deadline=None)
@given(ANY_TEXT)
def test_tokens_hold_every_visible_character_in_order(text):
    visible = [c for c in text if not c.isspace() and not c < " "]
    assert list("".join(tokenise(text))) == visible


@pytest.mark.parametrize("unit", ["word ", "a.", "'", ",", "a'", "1,", "..", "é'", "("])
def test_a_very_long_line_takes_linear_time(unit):
    assert growth(lambda size: tokenise(unit * size), 4_000) < LINEAR


@pytest.mark.slow
def test_fuzz_against_moses():
    draw = random.Random(7)
    for _ in range(300_000):
        text = "".join(draw.choices([*SHARED, *"ab 1.,''"], k=draw.randint(1, 12)))
        assert tokenise(text) == moses(text)
