"""Tokens: by hand, and the same as the reference library's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.text.wordpiece import WordPiece, words

PIECES = (  # noqa: SIM905
    "[PAD] [UNK] [CLS] [SEP] the un ##fit ##ting un ##f king ' s ! , . love ##s ##d a "
    "##b ##c cafe thou 1 ##0 ? 中 ##e e"
).split()
VOCABULARY = list(dict.fromkeys(PIECES))


@pytest.fixture(scope="module")
def pieces():
    return WordPiece(VOCABULARY)


def named(pieces, text):
    return [pieces.tokens[number] for number in pieces.ids(text)]


def test_longest_token_first(pieces):
    assert named(pieces, "Unfitting") == ["un", "##fit", "##ting"]
    assert named(pieces, "The king's love!") == ["the", "king", "'", "s", "love", "!"]


def test_accents_and_case_are_dropped(pieces):
    assert named(pieces, "CAFÉ") == ["cafe"]


def test_a_word_that_cannot_be_cut_is_unknown_as_a_whole(pieces):
    assert named(pieces, "kingly a") == ["[UNK]", "a"]
    assert named(pieces, "a" * 101) == ["[UNK]"]


def test_ideographs_stand_alone(pieces):
    assert named(pieces, "a中a") == ["a", "中", "a"]


def test_nothing_has_no_tokens(pieces):
    assert pieces.ids("") == pieces.ids(" \n\t\x00") == []


def test_control_characters_vanish_and_punctuation_splits():
    assert words("a\u200bb c\x07d") == ["ab", "cd"]
    assert words("“Well—no…”") == ["“", "well", "—", "no", "…", "”"]


def test_vocabulary_without_unknown_is_refused():
    with pytest.raises(ParaphrastError, match="no token"):
        WordPiece(["a"])


@given(st.text(alphabet=st.characters(max_codepoint=0x2FFF), max_size=30))
def test_same_tokens_as_the_reference(pieces, text):
    import tokenizers

    reference = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {piece: number for number, piece in enumerate(VOCABULARY)},
            unk_token="[UNK]",
            max_input_chars_per_word=100,
        )
    )
    reference.normalizer = tokenizers.normalizers.BertNormalizer()
    reference.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    assume_settled(text)
    assert pieces.ids(text) == reference.encode(text, add_special_tokens=False).ids


def assume_settled(text):
    # What a character is changes with the version of Unicode; the two libraries know
    # different ones. Old characters are settled.
    import unicodedata

    from hypothesis import assume

    old = unicodedata.ucd_3_2_0
    assume(all(old.category(c) == unicodedata.category(c) != "Cn" for c in text))
