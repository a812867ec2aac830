"""One address, "thou" or "you", throughout a text."""

import pytest

from paraphrast.language.address import (
    addresses_many,
    change_address,
    find_address,
    keeps_address,
)
from paraphrast.rewriter import Kept, Rewrite, Sentence
from paraphrast.rewriting.address import readdress
from paraphrast.rewriting.document import DocumentRewriter
from paraphrast.text.spans import Span


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Thou art late.", "thou"),
        ("Bring me your hat.", "you"),
        ("Ye are late.", "you"),
        ("He is late.", None),
        ("I thank you, and I pray you, go.", None),  # formulas stand beside both
        ("Thou hast thy hat, and you know it.", "thou"),
    ],
)
def test_the_more_frequent_address_is_the_address_of_a_text(text, address):
    assert find_address(text) == address


def test_a_text_with_both_keeps_to_neither():
    both = "Thou hast thy hat, and you know it."
    assert not keeps_address(both, "thou")
    assert not keeps_address(both, "you")
    assert keeps_address("He thanked us.", "thou")


@pytest.mark.parametrize(
    "text",
    ["You all came.", "Hi everyone, come in.", "Both of you know.", "Dear parents,"],
)
def test_plural_address_is_recognised(text):
    assert addresses_many(text)


@pytest.mark.parametrize(
    "text", ["You came with all of it.", "Dear Tom, everyone left."]
)
def test_singular_address_is_not_taken_for_plural(text):
    assert not addresses_many(text)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Thou art kind; thou knowest it.", "You are kind; you know it."),
        ("Wherefore camest thou not?", "Wherefore came you not?"),
        ("I give thee thine own cup.", "I give you your own cup."),
        ("Thine is the cup, and all is thine.", "Yours is the cup, and all is yours."),
        ("I pray thee, canst thou go thyself?", "I pray you, can you go yourself?"),
        ("Thine art is great, and thou art kind.", ""),  # which "art" is a noun?
        ("Thou mumblest to thy beard.", ""),  # no verb that is known
    ],
)  # fmt: skip
def test_thou_becomes_you_where_the_verbs_are_known(text, changed):
    assert change_address(text, "you") == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("You are late, and I have your hat.", "Thou art late, and I have thy hat."),
        ("Will you come to me? It is yours.", "Wilt thou come to me? It is thine."),
        ("Why did you not call your aunt?", "Why didst thou not call thine aunt?"),
        ("I wait for you; you never know.", "I wait for thee; thou never knowest."),
        ("Ye shall go yourself.", "Thou shalt go thyself."),
        ("Within a day shall you have it.", "Within a day shalt thou have it."),
        ("I am not asking you to go.", "I am not asking thee to go."),
        ("Now have they you.", ""),
        ("What they did you know.", "What they did thou knowest."),
        ("You walked home.", "Thou walkedst home."),
        ("You said that you came late.", "Thou saidst that thou camest late."),
        ("He came and told you.", "He came and told thee."),
        ("I saw you when you went.", "I saw thee when thou wentest."),
        ("You came and told him.", ""),  # a second verb
        ("The man who saw you left.", ""),  # an object before a verb
        ("You sang at home.", ""),  # verbs beyond the list
        ("What I told you would happen.", ""),  # an object before a verb
        ("You are tired and have no bread.", ""),  # a second verb
        ("I sat with you worried.", ""),  # no verb of "you"
        ("You know yourselves.", ""),
        ("Go you now.", ""),  # no verb after the adverb
    ],
)
def test_you_becomes_thou_where_case_and_verb_are_plain(text, changed):
    assert change_address(text, "thou") == changed


def offering(**answers):
    """Return a rewriter of documents that answers by the first word of a sentence."""

    def rewrite(sentences, *, alternatives, seed):
        return [
            [Rewrite(t, score=-float(n)) for n, t in enumerate(answers[word])][
                :alternatives
            ]
            for word in (s.text.split()[0] for s in sentences)
        ]

    return DocumentRewriter(rewrite, style="old", family="test")


OLD = {
    "One": ["Thou art here.", "You are here."],
    "Two": ["You may walk on.", "You will walk on."],
    "Three": ["It rained."],
    "Four": ["Will you go?"],
    "Five": ["You sang."],
}


def test_the_first_address_holds_for_the_whole_text():
    assert offering(**OLD).rewrite("Three here. One here. Two here.").text == (
        "It rained. Thou art here. Thou mayst walk on."
    )


def test_forms_that_cannot_be_changed_safely_stay():
    assert offering(**OLD).rewrite("One here. Four here. Five here.").text == (
        "Thou art here. Wilt thou go? You sang."
    )


def test_each_text_has_its_own_address():
    texts = ["Two here. One here.", "One here. Two here."]
    assert [r.text for r in offering(**OLD).rewrite(texts)] == [
        "You may walk on. You are here.",
        "Thou art here. Thou mayst walk on.",
    ]


def test_several_listeners_are_you():
    made = offering(**OLD, Hi=["Hail, all."])
    assert made.rewrite("Hi everyone! One here.").text == "Hail, all. You are here."


def test_a_text_that_says_thou_itself_is_left_alone():
    made = offering(**OLD)
    said = made.rewrite("One thou here. Two here.").text
    assert said == "Thou art here. You may walk on."


def test_unchanged_sentences_neither_set_nor_change_the_address():
    made = offering(**OLD, You=["You know."])
    assert made.rewrite("You know. One here. You know.").text == (
        "You know. Thou art here. You know."
    )


def test_a_stream_has_the_same_address_as_the_whole():
    made = offering(**OLD)
    text = " ".join(["One here."] * 40 + ["Four here."] * 3)
    bits = []
    made.stream(text, bits.append)
    whole = made.rewrite(text).text
    assert "".join(bit.text for bit in bits) == whole
    assert whole.endswith("Wilt thou go?")


def test_the_first_alternative_equals_a_single_rewrite():
    made = offering(**OLD)
    text = "One here. Two here."
    assert [rewrite.text for rewrite in made.rewrite(text, n=2)] == [
        "Thou art here. Thou mayst walk on.",
        "Thou art here. Thou wilt walk on.",
    ]
    assert made.rewrite(text).text == "Thou art here. Thou mayst walk on."


def test_protected_words_are_not_readdressed():
    made = offering(**{**OLD, "Four": ["Will you see you.com?"]})
    said = made.rewrite("One here. Four you.com here.", protect="you.com").text
    assert said == "Thou art here. Will you see you.com?"


def test_reported_changes_match_the_text_shown():
    made = offering(**OLD)
    result = made.rewrite("One here. Four here.")
    text = "One here. Four here."
    for change in reversed(result.changes):
        text = text[: change.start] + change.after + text[change.end :]
    assert text == result.text


def test_words_beside_a_protected_word_are_readdressed():
    sentence = Sentence("Go to Rome with me.", protected=(Span(6, 10),))
    changed = readdress(sentence, Rewrite("You go to Rome."), "thou")
    assert changed.text == "Thou goest to Rome."


def test_sentences_of_an_unchanged_passage_are_not_readdressed():
    sentence = Sentence("You go. We saw you.", cuts=(8,))
    kept = (Kept("You go.", "the model wrote nothing"),)
    rewrite = Rewrite("You go. Thou sawest us, and you may go.", kept=kept)
    changed = readdress(sentence, rewrite, "thou")
    assert changed.text == "You go. Thou sawest us, and thou mayst go."


def test_sentences_are_changed_one_by_one():
    rewrite = Rewrite("You sang well. I have your hat.  Will you come?")
    changed = readdress(Sentence("You sang."), rewrite, "thou")
    assert changed.text == "You sang well. I have thy hat.  Wilt thou come?"
