"""The lists behind the formality rules: enough, without contradiction, and safe."""

from collections import Counter

import pytest

from paraphrast.rules import lexicon
from paraphrast.rules.informal import stretch_letters
from paraphrast.rules.letters import shorten_word
from paraphrast.rules.lexicon import parse

LISTS = lexicon.load()
ENTRIES = LISTS.entries
NAMES = [
    name
    for word in LISTS.words.values()
    for names in word.names.values()
    for name in names
]


def single_words(text):
    return text.lower().split(" ")


def test_there_are_at_least_600_contractions_and_slang_entries():
    kinds = Counter(entry.kind for entry in ENTRIES)
    assert kinds["contraction"] + kinds["slang"] >= 600
    assert len({entry.informal for entry in ENTRIES}) >= 900


def test_there_are_at_least_1500_names():
    assert len({name.words for name in NAMES}) >= 1500


def test_no_form_has_two_rows_with_the_same_condition():
    rows = Counter((entry.informal, entry.when) for entry in ENTRIES)
    assert [row for row, count in rows.items() if count > 1] == []


def test_a_row_without_a_condition_is_the_last_of_its_form():
    # Rows after it could never be reached: they would contradict it.
    closed = set()
    for entry in ENTRIES:
        assert entry.informal not in closed, entry.informal
        if not entry.when:
            closed.add(entry.informal)


def test_informal_forms_are_looked_up_in_lower_case():
    for entry in ENTRIES:
        assert entry.informal == entry.informal.lower().strip()
        assert all(form == form.strip() and form for form in entry.formal)


def test_no_formal_form_holds_an_informal_one():
    # Else the result of a rewrite would be rewritten again.
    informal = {entry.informal: entry for entry in ENTRIES}
    for entry in ENTRIES:
        for form in entry.formal:
            found = [w for w in single_words(form) if w in informal]
            assert found == [], f"{entry.informal} -> {form}"
            assert form not in informal


def test_no_formal_form_holds_a_swear_word_or_a_filler():
    for entry in ENTRIES:
        for form in entry.formal:
            for word in single_words(form):
                record = LISTS.words.get(word)
                assert record is None or not record.swearing
                assert record is None or record.fillers.get(()) != "anywhere", entry


def test_informal_output_can_be_made_formal_again():
    # Each form that may be written is also read, and means the same then.
    for entry in ENTRIES:
        if entry.reverse is not None:
            meanings = {e.formal[0] for e in ENTRIES if e.informal == entry.informal}
            assert entry.formal[0] in meanings


def test_plain_words_are_neither_slang_nor_swear_words():
    for entry in ENTRIES:
        assert entry.when or entry.informal not in LISTS.plain, entry.informal
    swearing = {word for word, record in LISTS.words.items() if record.swearing}
    assert LISTS.plain & swearing == set()


def test_a_name_that_is_also_a_plain_word_needs_a_condition():
    for name in NAMES:
        if len(name.words) == 1 and name.words[0].lower() in LISTS.plain:
            assert name.when, name.words


def test_every_stretched_word_shrinks_to_itself():
    for word in LISTS.classes["stretch"]:
        for times in (2, 3, 4):
            assert shorten_word(stretch_letters(word, times), LISTS) == (word, False)


@pytest.mark.parametrize("condition", ["next=@nothing", "beside=a", "next"])
def test_a_condition_that_cannot_be_read_is_refused(condition):
    with pytest.raises(ValueError, match="unknown"):
        parse(condition, LISTS.classes)
