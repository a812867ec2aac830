"""Each guard of the neural rewriter: what it rejects, and what it lets pass."""

import pytest

from paraphrast.neural.candidates.guards import (
    BASIC,
    GUARDS,
    LOOSE_QUESTION,
    OFFENSIVE,
    STRICT,
    Checks,
    Rejection,
    basic_guards,
    describe_rejections,
    find_rejection,
    is_repetitive,
    select_guards,
)

ALL = {guard.name: guard for guard in (*GUARDS, STRICT, OFFENSIVE)}
REJECTED = [
    ("empty", "come here", "...", "were empty"),
    ("names", "then Romeo came", "then he came", "lost 'Romeo'"),
    ("names", "Montague!", "Boston!", "lost 'Montague'"),
    ("numbers", "he has 12 horses", "he hath horses", "lost the number 12"),
    ("numbers", "he has horses", "he hath 12 horses", "added '12'"),
    ("script", "hi there", "привет there", "added 'п'"),
    ("repetition", "come here", "come hither " * 12, "repeated themselves"),
    ("repetition", "come here", "come hitherrrrrrr", "repeated themselves"),
    ("repetition", "He goes.", "And he, he, he, he goes.", "repeated themselves"),
    (
        "repetition",
        "What luck this man had that day.",
        "This man was a shrewd man, and this man was a shrewd man.",
        "repeated themselves",
    ),
    (
        "repetition",
        "It is late, and all of the good people go home at last.",
        "He is sad and he is sad and he is sad; late go all people.",
        "repeated themselves",
    ),
    ("length", "we have to go home now before it is late", "home", "left out most"),
    (
        "numbers",
        "Monday the 16th instead?",
        "Is Monday the 16th instead of the 16th?",
        "repeated '16'",
    ),
    (
        "length",
        "A man sat by the fire. The car stopped. She began to speak.",
        "A man sat by the fire, and she began to speak.",
        "left out a sentence",
    ),
    ("strict", "Two are late", "They are late", "a name or number"),
    ("strict", "He is late", "Peter is late", "a name or number"),
    ("negation", "Tom doesn't like Mary.", "Tom loves Mary.", "changed the negation"),
    ("negation", "No, I am an ape.", "No, I am not an ape.", "changed the negation"),
    ("negation", "This is no reason.", "This is reason.", "changed the negation"),
    ("negation", "It will rain.", "It will never rain.", "changed the negation"),
    ("negation", "He went without it.", "He went with it.", "changed the negation"),
    (
        "negation",
        "I don't think he can't.",
        "I think he can't.",
        "changed the negation",
    ),
    (
        "negation",
        "She found nothing but a horseshoe.",
        "She didn't find any horses.",
        "changed the negation",
    ),
    ("numbers", "It took three years.", "It took four years.", "lost the number 3"),
    ("numbers", "Two of them went.", "They went.", "lost the number 2"),
    ("limits", "The invoice (due 30 June).", "The bill (after 30 June).", "lost 'due'"),
    ("limits", "Not unless we hear it.", "Not until we hear it.", "lost 'unless'"),
    ("limits", "Tell us by 1 October.", "Tell us on 1 October.", "lost 'by'"),
    ("limits", "It ends on 31 May.", "It is on 31 May.", "lost 'ends'"),
    ("limits", "Take at least 3 pills.", "Take 3 pills.", "lost 'at least'"),
    ("limits", "Wash it before use.", "Wash it for use.", "lost 'before'"),
    ("limits", "Wash it after use.", "Wash it for use.", "lost 'after'"),
    ("limits", "Wait until noon.", "Wait at noon.", "lost 'until'"),
    ("limits", "Take at most 3 pills.", "Take 3 pills.", "lost 'at most'"),
    ("limits", "More than 3 came.", "There came 3.", "lost 'More than'"),
    ("limits", "Less than 3 came.", "There came 3.", "lost 'Less than'"),
    ("limits", "We leave tomorrow.", "We leave to-night.", "lost 'tomorrow'"),
    ("limits", "He left yesterday.", "He is gone.", "lost 'yesterday'"),
    ("limits", "Call me tonight.", "Call me.", "lost 'tonight'"),
    ("limits", "The only time he came.", "The first time he came.", "lost 'only'"),
    ("limits", "He always waits.", "He waits.", "lost 'always'"),
    ("limits", "The frost took all of it.", "Frost took a part.", "lost 'all of it'"),
    ("limits", "Tell everyone to go.", "Go.", "lost 'everyone'"),
    ("limits", "Most of it is soil.", "It is soil.", "lost 'Most of'"),
    ("limits", "You must be at least 16.", "At least 16 persons.", "'16 persons'"),
    ("acts", "I'm so sorry I am late.", "I am very late.", "lost the apology"),
    ("acts", "Late again, sorry guys", "I am late again, folks.", "lost the apology"),
    ("acts", "Traffic, sorry", "Traffic is heavy.", "lost the apology"),
    ("acts", "Late again. Sorry!", "Late again.", "lost the apology"),
    ("acts", "Thanks for the cake.", "I have the cake.", "lost the thanks"),
    ("acts", "send it today? thx", "Be so kind as to send it?", "lost the thanks"),
    (
        "acts",
        "I have to work late.",
        "I am unable to work late.",
        "turned an obligation into an inability",
    ),
    ("pronouns", "Laura said it was late.", "He said, Laura, it was late.", "'he'"),
    (
        "pronouns",
        "Sam lost the keys and left.",
        "Sam lost the keys; she left.",
        "'she'",
    ),
    ("pronouns", "Maria lands, so meet her.", "Maria lands, so meet him.", "'him'"),
    ("pronouns", "Give it to my aunt.", "Give it to my aunt; he waits.", "'he'"),
    (
        "pronouns",
        "Lend me a pen, I forgot mine.",
        "Lend me a pen; I lost my mind.",
        "mind",
    ),
    ("question", "Will you go?", "You will go.", "turned the question into"),
    ("question", "You will go.", "Will you go?", "turned the statement into"),
    (
        "question",
        "Are you coming? Bring a scarf.",
        "If you come, bring a scarf.",
        "lost the question",
    ),
    ("offensive", "you are late", "you bastard are late", "were offensive"),
]
PASSED = [
    ("acts", "I'm sorry, but I can't come.", "I cannot come."),
    ("empty", "no", "nay"),
    ("names", "we saw Juliet's house", "we saw Juliet's home"),
    ("names", "we met Mr Capulet", "we met Capulet"),
    ("names", "The rose is red", "A Rose is red"),
    ("numbers", "he has 12 horses", "12 horses hath he"),
    ("numbers", "he has twelve horses", "he hath 12 horses"),
    ("script", "мир, you", "мир, thou"),
    ("script", "a cafe", "a café"),
    ("script", "a", "ɏ"),  # the last letter that is Latin here
    ("repetition", "no, no, no, no!", "nay, nay, nay, nay!"),
    ("repetition", "sooooo late", "sooooo tardy"),
    ("numbers", "It is 5, yes, 5.", "It is 5; 5 it is."),
    ("length", "come here quickly", "hither"),
    ("length", "I am late. The car stopped.", "I am tardy."),  # of two, one may go
    ("length", "We sat. Return! It is late.", "We sat. Go back! It is late."),
    ("strict", "Two are late", "Both are late"),
    ("strict", "You are late", "Thou art late"),
    ("negation", "No, I am an ape.", "Nay, I am an ape."),
    ("negation", "He is not happy.", "He is unhappy."),
    ("negation", "I can hardly hold him.", "I cannot hold him."),
    ("negation", "No doubt he will come.", "He will surely come."),
    ("negation", "It's cold, isn't it?", "It is cold?"),
    ("negation", "I do not want to go.", "I refuse to go."),
    ("negation", "Put it upon the table.", "Put upon't the table."),
    ("negation", "Don't go.", "Go not."),
    ("negation", "No !", "It is not !"),
    ("negation", "No matter.", "It doesn't matter."),
    ("negation", "I won't go any more.", "I shall go no more."),
    ("negation", "It does not work.", "It doesn't, it doesn't work."),
    ("negation", "He is not old, nor is he young.", "He is not old or young."),
    ("negation", "It is not here.", "No, it isn't, not here."),
    ("negation", "Please don't sit there.", "Kindly refrain from sitting there."),
    ("numbers", "It took three years.", "It took 3 years."),
    ("numbers", "It is a thousand times so.", "It is a thousandfold so."),
    ("numbers", "I love both of them.", "I love them all."),
    ("limits", "Due to rain we stay.", "We stay for the rain."),
    ("limits", "Only six came.", "But six came."),
    ("limits", "I only asked.", "I did ask."),
    ("limits", "He always waits.", "He waiteth alway."),
    ("limits", "Tell everyone to go.", "Bid every man depart."),
    ("limits", "Most of it is soil.", "The greater part of it is soil."),
    ("limits", "Tell us by 1 October.", "Tell us before 1 October."),
    ("limits", "It ends on 31 May.", "It is over on 31 May."),
    ("limits", "Wash it before use.", "Wash it ere thou use it."),
    ("limits", "I saw it by the door.", "I saw it at the door."),
    ("limits", "I have seen it before.", "I have seen it."),
    ("limits", "Not unless we hear it.", "Only if we hear it."),
    ("limits", "We leave tomorrow.", "On the morrow we depart."),
    ("limits", "Rents rose by 7.5% in May.", "In May rents rose 7.5%."),
    ("limits", "At least 16 people came.", "There came 16 persons at the least."),
    ("limits", "It is for over 12s.", "It is for 12 and over."),
    ("acts", "I'm sorry I am late.", "I cry you mercy that I am late."),
    ("acts", "She felt sorry for him.", "She wept for him."),
    ("acts", "Thanks for the cake.", "It was good of you to bring the cake."),
    ("acts", "Thank God it is over.", "It is over at last."),
    ("acts", "I have to work late.", "I can't but work late."),
    ("acts", "I must go, I can't stay.", "I am unable to stay."),
    ("acts", "You must not be late.", "You shall not be late; you cannot be."),
    ("pronouns", "Laura said it was late.", "It was late, said she, Laura."),
    ("pronouns", "The doctor told me to rest.", "The doctor, he bade me rest."),
    ("pronouns", "Mr Lee left the keys.", "Mr Lee left his keys."),
    ("pronouns", "Anyone may ask Ms Lee.", "If any man ask Ms Lee, let him ask."),
    ("pronouns", "It ends on Monday.", "On Monday he shall end it."),
    ("pronouns", "Lend me a pen, I forgot mine.", "Lend me a pen; I forgot my pen."),
    ("pronouns", "Lend me a pen, I forgot mine.", "Lend me a pen; mine is lost."),
    ("pronouns", "Is this bag yours?", "Is this your own bag?"),
    ("question", "Will you go?", "I ask whether you will go."),
    ("question", "Will you go?", "You will go?"),
    ("question", "You will go.", "You will go."),
    ("question", "Do you go there often", "Dost thou go there often?"),
    ("question", "ok who has the key", "Who has the key?"),
    ("question", "hi do you have a key", "Good morrow, have you a key?"),
    ("question", "whos paying for it", "Who is he that payeth for it?"),
    ("question", "anyone got a charger", "I wonder whether anyone has a charger?"),
    ("question", "Please explain why planes fly.", "Why do planes fly?"),
    ("question", "Then she asked how I had done it.", "And how did I do it?"),
    ("question", "Return it.", "Would you be so kind as to return it?"),
    ("question", "Can anyone help?", "I should be grateful if anyone could help."),
    ("question", "Are you coming? Bring a scarf.", "Comest thou? Bring a scarf."),
    (
        "question",
        "Are you coming? Bring a scarf.",
        "Tell me whether you are coming, and bring a scarf.",
    ),
    ("offensive", "you bastard are late", "late art thou, bastard"),
]


@pytest.mark.parametrize(("name", "source", "text", "reason"), REJECTED)
def test_a_guard_rejects(name, source, text, reason):
    assert reason in ALL[name].check(source, text)


@pytest.mark.parametrize(("name", "source", "text"), PASSED)
def test_a_guard_lets_pass(name, source, text):
    assert ALL[name].check(source, text) == ""


def test_every_guard_is_shown_to_reject_and_to_pass():
    assert {row[0] for row in REJECTED} == {row[0] for row in PASSED} == ALL.keys()


@pytest.mark.parametrize(
    ("source", "text", "wrong"),
    [
        ("Will you go?", "And you will go.", True),
        ("Will you go?", "And, uh, will you go.", False),
        ("Who was with him?", "Who was with him lol", False),
        ("If it ends, what will it cost?", "if it ends what will it cost", False),
        ("You will go.", "Will you go?", True),
    ],
)
def test_in_loose_talk_a_question_needs_no_mark_but_is_asked(source, text, wrong):
    assert bool(LOOSE_QUESTION.check(source, text)) is wrong


def test_the_first_objection_counts():
    assert find_rejection("he has 12", "...", GUARDS) == Rejection(
        "empty", "were empty"
    )
    assert find_rejection("come here", "come hither", GUARDS) is None


def test_a_pack_can_leave_out_a_basic_guard():
    assert basic_guards(Checks()) == BASIC
    names = [guard.name for guard in basic_guards(Checks(names=False, strict=True))]
    assert "names" not in names
    assert names[-1] == "strict"
    assert "numbers" not in [g.name for g in basic_guards(Checks(numbers=False))]
    assert "repetition" not in [g.name for g in basic_guards(Checks(loops=False))]


def test_guards_are_selected_by_style_and_switched_off_by_name():
    plain = select_guards(Checks(), loose=False, decent=False)
    assert plain == list(GUARDS)
    loose = select_guards(
        Checks(), loose=True, decent=True, without=["names", "limits"]
    )
    assert LOOSE_QUESTION in loose
    assert loose[-1] is OFFENSIVE
    assert {"names", "limits"}.isdisjoint(guard.name for guard in loose)
    assert len(loose) == len(GUARDS) + 1 - 2


def test_reasons_are_one_sentence():
    lost, changed = Rejection("names", "lost 'Al'"), Rejection("negation", "changed it")
    assert describe_rejections([lost, lost]) == "all candidates lost 'Al'"
    wrong = [lost, changed, Rejection("empty", "were empty")]
    assert describe_rejections(wrong[:2]) == "all candidates lost 'Al' or changed it"
    assert (
        describe_rejections(wrong)
        == "all candidates lost 'Al', changed it or were empty"
    )


def say(number, *, start=0):
    """Return so many words that are all different."""
    return " ".join(
        f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(start, start + number)
    )


BORDERS = [
    ("repetition", say(2), say(7), True),
    ("repetition", say(2), say(8), False),
    ("repetition", say(3), say(15), True),
    ("repetition", say(3), say(16), False),
    ("repetition", say(9), f"{say(4)} {say(4)}", True),
    ("repetition", say(9), f"{say(5)} {say(5)}", False),
    ("repetition", "so it goes on", "so so so it goes", True),
    ("repetition", "so it goes on", "so so so so it goes", False),
    ("repetition", "ha " * 20, "ha, " * 8, True),
    ("repetition", "ha " * 20, "ha, " * 9, False),
    ("repetition", say(9), "xa xb, ya, xa xb, yb, xa xb, yc", True),
    ("repetition", say(9), "xa xb xc, ya, xa xb xc, yb", True),
    ("repetition", say(9), "xa xb xc, ya, xa xb xc, yb, xa xb xc", False),
    ("length", say(10), say(2), True),
    ("length", say(10), say(1), False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "source", "text", "passes"), BORDERS)
def test_a_guard_rejects_from_its_limit_on(name, source, text, passes):
    assert (not ALL[name].check(source, text)) is passes


def test_three_words_that_come_three_times_are_a_loop():
    text = "red green blue one red green blue two red green blue six"
    assert is_repetitive(text)
    assert not is_repetitive(text.removesuffix(" red green blue six"))
