"""Habits of a model that are taken out, and those that are objected to."""

import pytest

from paraphrast.neural.candidates.mannerisms import objection, without
from paraphrast.neural.candidates.mending import mended


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("Then lead the way.", "Then lead 'tis the way.", "Then lead the way."),
        ("My name is Mary.", "My name 'tis Mary.", "My name is Mary."),
        ("We're part of it.", "We 'tis part of it.", "We are part of it."),
        ("So let her kill me.", "So let her kill me 'tis.", "So let her kill me."),
        ("I swear I am.", "I swear 'tis I am.", "I swear I am."),
        ("It's poetic.", "It 'tis poetic.", "It is poetic."),
        ("There's no sun.", "There 'tis no sun.", "There is no sun."),
        ("I'll do my best.", "I'll do 't my best.", "I'll do my best."),
        ("Where's my son?", "Where 'tis my son?", "Where is my son?"),
        ("You're late.", "Thou 'tis late.", "Thou are late."),
        ("It's late.", "'Tis late.", "'Tis late."),
        ("I say it's late.", "I say 'tis late.", "I say 'tis late."),
        ("Do it.", "Do 't.", "Do 't."),
    ],
)
def test_tis_without_ground_is_taken_out(source, written, wanted):
    assert without(source, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wrong"),
    [
        ("We call upon them to go on.", "We call upon 'tis vigour.", "without ground"),
        ("We hear of it.", "We hear 'tis so.", ""),
        ("We hear of them.", "We hear 'tis so.", "without ground"),
        ("What is it that he has?", "What hath 'tis?", "without ground"),
        ("A letter from him.", "'Tis a letter from him.", ""),
        ("I'm not a bit afraid.", "'Tis not a bit afraid.", "without ground"),
        ("I know it well.", "'Tis known to me well.", ""),
    ],
)
def test_what_is_left_is_objected_to(source, written, wrong):
    assert wrong in objection(source, written)
    assert bool(wrong) == bool(objection(source, written))


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        ("We must not.", "'We must not,' answered the noble man.", "We must not."),
        ("Will you go?", '"Will you go?" he said.', "Will you go?"),
        ("I feel it.", "'It is so,' said I; 'he is it.'", "It is so; he is it."),
        ("It is so.", "'I mean,' said she, 'It is so.'", "I mean, it is so."),
        ("He said it was.", "'It was,' said he.", "'It was,' said he."),
        ('"It is," I heard.', "'It was,' said he.", "'It was,' said he."),
        ("It is so.", "'It is,' said Romeo.", "'It is,' said Romeo."),
    ],
)
def test_speech_that_nobody_made_is_taken_out(source, written, wanted):
    assert without(source, written) == wanted


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        (
            "Things were said.",
            "And, you know, things were, you know, said.",
            "And, you know, things were said.",
        ),
        ("He is big.", "Uh, he is, um, big, you know.", "Uh, he is big."),
        ("You know it.", "And you know it, uh, well.", "And you know it, uh, well."),
        ("Go to them.", "Go to the, the, the men.", "Go to the, the men."),
        (
            "Go to them.",
            "Go to the, the, the, the men.",
            "Go to the, the, the, the men.",
        ),
        ("No, no, no, go.", "No, no, no, you go.", "No, no, no, you go."),
    ],
)
def test_fillers_are_few(source, written, wanted):
    assert without(source, written) == wanted


def test_ends_of_words_are_joined():
    assert mended("A bee.", "He 'll see there 's one.") == "He'll see there's one."
    assert mended("A bee.", "It tremble'd; he'd go.") == "It trembled; he'd go."
    assert mended("Are you it?", "Doth thou art it?") == "Art thou it?"


@pytest.mark.parametrize(
    ("source", "written", "wanted"),
    [
        (
            "We go home and rest and eat.",
            "We go home...we rest...we eat...",
            "We go home...we rest; we eat.",
        ),
        ("I came, I saw.", "I came--I saw--at last.", "I came--I saw, at last."),
        ("I came... I saw... yes...", "I came... I saw... ay...", None),
        ("A long, long way it is to go.", "A long...long way it is.", None),
    ],
)
def test_pauses_are_few(source, written, wanted):
    assert without(source, written) == (wanted or written)


@pytest.mark.parametrize(
    ("source", "written", "wrong"),
    [
        ("Where is Romeo?", "Where hath Romeo?", "without ground"),
        ("We bought tickets for all.", "We bought 't for all.", "without ground"),
        ("We bought it for all.", "We bought 't for all.", ""),
        ("Who's that man?", "Who hath that man?", "without ground"),
        ("Where did Romeo go?", "Where hath Romeo gone?", ""),
        ("Who is that man?", "Who hath this man?", "without ground"),
        ("My name is Mary.", "My name hath been Mary.", "without ground"),
        ("My name was Mary.", "My name hath been Mary.", ""),
        ("Who is that man?", "Who hath brought that man?", ""),
        ("Who has that man?", "Who hath that man?", ""),
        ("We must go.", "'We must,' answered I, that we go.", "somebody who says"),
        ("We must go.", "We must go, said the king.", "somebody who says"),
        ('"We must go."', '"We must go," said he.', ""),
        ("We must go.", "We must go, saith the Lord.", "in 'the Lord'"),
        ("We must go, by heaven!", "We must go, by God!", ""),
        ("Sir, we must go.", "My lord, we must go.", ""),
        ("The king said we must go.", "We must go, said the king.", ""),
    ],
)
def test_what_has_no_ground_is_objected_to(source, written, wrong):
    assert wrong in objection(source, written)
    assert bool(wrong) == bool(objection(source, written))


def test_a_filler_between_clauses_leaves_a_comma():
    written = "And, you know, he came, you know, she went."
    assert without("He came, she went.", written) == "And, you know, he came, she went."
