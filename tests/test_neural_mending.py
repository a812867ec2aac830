"""Slips of spelling and marks that are mended after a model has written."""

import pytest

from paraphrast.neural.candidates.mending import mended

PLAIN = "You are not a good man."


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("I say thou ist not a good man.", "I say thou art not a good man."),
        ("Thou hath erred.", "Thou hast erred."),
        ("THOU HATH erred.", "THOU HAST erred."),
        ("Hath thou seen it?", "Hast thou seen it?"),
        ("Have thou ever gone back?", "Hast thou ever gone back?"),
        ("Have thou a care.", "Have thou a care."),
        ("Do thou go.", "Do thou go."),
        ("See thou do it not.", "See thou do it not."),
        ("If thou have it, go.", "If thou have it, go."),
        ("Why didst thou do it? Wilt thou have it?",) * 2,
        ("I would thou hadst my bones.",) * 2,
        ("Where will thou go?", "Where wilt thou go?"),
        ("We hath seen it.", "We have seen it."),
        ("He hast seen it.", "He hath seen it."),
        ("You art late.", "You are late."),
        ("He that loveth you hath seen it.", "He that loveth you hath seen it."),
        ("Thou canst go.", "Thou canst go."),
        ("The art of war.", "The art of war."),
    ],
)
def test_old_verbs_agree(written, wanted):
    assert mended(PLAIN, written) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("A isle is such a old army.", "An isle is such an old army."),
        ("It is a usual one, a unit, a European.",) * 2,
        ("A one, a once.",) * 2,
        ("Plan A is a urgent uncle.", "Plan A is an urgent uncle."),
        ("Was it thys?", "Was it thine?"),
        ("Tis he, and twas I.", "'Tis he, and 'twas I."),
        ("Armado o th ' one side , he said .", "Armado o th' one side, he said."),
    ],
)  # fmt: skip
def test_small_words_and_marks(written, wanted):
    assert mended(PLAIN, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("Are you there?", "Art thou there,", "Art thou there?"),
        ("Are you there?", "Are you there...", "Are you there?"),
        ("Are you there?", "I ask if you are there.", "I ask if you are there."),
        ("He left.", "So he departed;", "So he departed;"),
        ("He left!", "So he departed:", "So he departed!"),
        ("He left.", "He left...", "He left..."),
        ("And when he left,", "When he departed;", "When he departed;"),
        ("He said, 'Go!'", "He said, 'Leave,'", "He said, 'Leave!'"),
    ],
)
def test_questions_and_cries_end_as_such(source, written, wanted):
    assert mended(source, written) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ('"It is so."', "It is so."),
        ('"And when you go there.', "And when you go there."),
        ("'It is in the schools.'", "It is in the schools."),
        ("'It is not so, gentle beast.", "It is not so, gentle beast."),
        ("'Tis so.", "'Tis so."),
        ("'Go,' said Romeo, 'or stay.'", "'Go,' said Romeo, 'or stay.'"),
        ('He said, "go" and "come".', 'He said, "go" and "come".'),
        ("'The lords' house is far.'", "'The lords' house is far.'"),
    ],
)
def test_quotes_that_nobody_had_are_taken_out(written, wanted):
    assert mended(PLAIN, written) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("My brother is away.", "My brother is away #brother"),
        ("He is up.", "My brother is away"),
        ("Is #tbc away?", "My brother is away #tbc"),
    ],
)
def test_a_tag_is_of_the_words_of_its_source(source, wanted):
    assert mended(source, "My brother is away #tbc") == wanted


def test_a_word_in_quotes_is_no_reason_to_quote_the_sentence():
    source = "They export the 'problem' to him."
    assert mended(source, '"He exports the problem."') == "He exports the problem."
    assert mended(source, "He exports 'the problem'.") == "He exports 'the problem'."


def test_what_the_source_has_stays():
    for text in (
        "'It is so.'",
        'He said "yes',
        "thou is a apple",
        "o ' clock",
        "tis so",
    ):
        assert mended(text, text) == text
    assert mended("It is #so", "It was #So") == "It was #So"


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("We can't go.", "We can not go.", "We cannot go."),
        (
            "He can both sing and dance.",
            "He can not only sing.",
            "He can not only sing.",
        ),
        ("It was in the box.", "It was in the the box.", "It was in the box."),
        (
            "I know that that is so.",
            "I know that that is so.",
            "I know that that is so.",
        ),
    ],
)
def test_small_slips_are_mended(source, written, wanted):
    assert mended(source, written) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("They went everywhere in the old carriage.", " #carriage"),
        ("The pale light was on the snow, lying all around.", " #light"),
        ("He is going to tell me his name.", " #name"),
        ("The sun goes down on her bright garden.", " #garden"),
        ("If our old uniforms fit, we go.", " #uniforms"),
        ("I cannot come to the party tonight.", " #party"),
        ("They are going somewhere.", ""),
        ("Please thank everybody for attention.", " #attention"),
        ("Quickly we answered everybody.", ""),
        ("We have just bought Mercedes.", " #mercedes"),
    ],
)
def test_a_made_up_tag_gives_way_to_a_noun_or_to_none(source, wanted):
    assert mended(source, "Yes indeed #tbt") == f"Yes indeed{wanted}"


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("It is very clear.", "'Tis very clear.'", "'Tis very clear."),
        ('"Do," said she.', "'Tis so,' said she.", "'Tis so, said she."),
        ("He laughed.", "He laughed; 'It is so.", "He laughed; It is so."),
        ("'Go,' he said.", "'Go hence,' he said.", "'Go hence,' he said."),
        ("Plays of 'weight'.", "Plays of 'weight.'", "Plays of 'weight.'"),
        ("The lords' men.", "The lords' men.", "The lords' men."),
        ("Can he deny it?", "Can he deny 't?", "Can he deny 't?"),
        ("We go beyond it.", "We go 'yond it.", "We go 'yond it."),
        ('"Go," he said, "now."', '"Go," he said, now."', '"Go," he said, now.'),
        ('"Go on.', '"Go hence.', '"Go hence.'),
    ],
)
def test_quotation_marks_come_in_pairs(source, written, wanted):
    assert mended(source, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("My weekend in Boston", "My weekend at Boston.", "My weekend at Boston"),
        ("My weekend in Boston", "My weekend at Boston!", "My weekend at Boston!"),
        ("my weekend in boston", "My weekend at Boston.", "My weekend at Boston."),
        ("I went.", "I did go.", "I did go."),
    ],
)
def test_a_title_gets_no_stop(source, written, wanted):
    assert mended(source, written) == wanted
