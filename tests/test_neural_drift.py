"""Words that turn a meaning round are noticed; other ways to say it are let be."""

import pytest

from paraphrast.neural.candidates.drift import objection


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("I'm sure that Tom doesn't like Mary.", "I am sure Tom loves Mary."),
        ("No, I am an ape.", "No, I am not an ape."),
        ("This is no reason to go.", "This is reason to go."),
        ("I think it will rain.", "I think it will never rain."),
        ("He went without his hat.", "He went with his hat."),
        ("I don't think he can't wait.", "I think he can't wait."),
    ],
)
def test_a_denial_neither_comes_in_nor_gets_lost(source, written):
    assert "a no for a yes" in objection(source, written)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("No, I am an ape.", "Nay, I am an ape."),
        ("He is not happy.", "He is unhappy."),
        ("I can hardly hold him.", "I cannot hold him."),
        ("No doubt he will come.", "He will surely come."),
        ("It's cold, isn't it?", "It is cold?"),
        ("I do not want to go.", "I refuse to go."),
        ("Put it upon the table.", "Put upon't the table."),
        ("Don't go.", "Go not."),
        ("No !", "It is not !"),
        ("No matter.", "It doesn't matter."),
        ("He is not old, nor is he young.", "He is not old or young."),
    ],
)
def test_a_denial_may_be_said_in_another_way(source, written):
    assert not objection(source, written)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("Do I not bate?", "Dost thou not bate?"),
        ("She went home.", "He went home."),
        ("I love him.", "You love him."),
    ],
)
def test_nobody_takes_the_place_of_another(source, written):
    assert "somebody else" in objection(source, written)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("Please be quiet, my friend.", "I pray you, friend, be quiet."),
        ("We went home.", "And we, you know, went home."),
        ("Archer thought about it.", "And Archer, he thought about it."),
        ("Your eyes are fair.", "Thine eyes are fair."),
        ("Come here, you.", "Come hither."),
    ],
)
def test_persons_may_be_left_out_or_named_again(source, written):
    assert not objection(source, written)


def test_units_stay_with_their_numbers():
    assert "'0 pm'" in objection("It began at 8:30 pm.", "It began at 8:30 p.")
    assert not objection("It began at 8:30 pm.", "At 8:30 p.m. it began.")
    assert "5%" in objection("It is 5% more.", "It is 5 more.")


def test_spelled_numbers_are_kept():
    assert "'3'" in objection("It took three years.", "It took four years.")
    assert not objection("It took three years.", "It took 3 years.")
    assert not objection("It is a thousand times so.", "It is a thousandfold so.")
    assert not objection("I love both of them.", "I love them all.")


@pytest.mark.parametrize(
    ("source", "written", "loose", "wrong"),
    [
        ("Will you go?", "You will go.", False, True),
        ("Will you go?", "I ask whether you will go.", False, False),
        ("Will you go?", "And you will go.", True, True),
        ("Will you go?", "And, uh, will you go.", True, False),
        ("Who was with him?", "Who was with him lol", True, False),
        ("Will you go?", "You will go?", False, False),
        ("You will go.", "You will go.", False, False),
        ("You will go.", "Will you go?", False, True),
        ("Do you go there often", "Dost thou go there often?", False, False),
    ],
)
def test_a_question_is_asked_and_not_answered(source, written, loose, wrong):
    assert bool(objection(source, written, loose=loose)) is wrong


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("I'm going to send the report.", True),
        ("And, uh, I would like to send the report.", True),
        ("I pray you, send me the report.", False),
        ("I would ask you to send me the report.", False),
        ("Send me the report, my friend.", False),
    ],
)
def test_a_request_stays_one(written, wrong):
    assert bool(objection("Please send me the report.", written)) is wrong
