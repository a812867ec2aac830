"""Verbs of Early Modern English agree with their subjects, or are mended."""

import pytest

from paraphrast.language.old_verbs import mend_old_verbs


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("Where werest thou last night?", "Where wast thou last night?"),
        ("She asked, Who is thou?", "She asked, Who art thou?"),
        ("Arest thou yet coming?", "Art thou yet coming?"),
        ("What mustest thou do?", "What must thou do?"),
        ("She asked, Have thou read it?", "She asked, Hast thou read it?"),
        ("Have thou read the letter?", "Hast thou read the letter?"),
        ("Doth thou pay for it?", "Dost thou pay for it?"),
        ("Thou is late, and thou hath slept.", "Thou art late, and thou hast slept."),
        ("Thou desireth not to go.", "Thou desirest not to go."),
        ("And thou told Mrs Ames so.", "And thou toldest Mrs Ames so."),
        ("Forty years have she laboured here.", "Forty years has she laboured here."),
        ("Twice have he told thee.", "Twice hath he told thee."),
        ("They doth seem old, and I hath none.", "They do seem old, and I have none."),
        ("Thou forgettst where.", "Thou forgettest where."),
    ],
)
def test_a_verb_that_cannot_stand_with_its_subject_is_mended(text, mended):
    assert mend_old_verbs(text) == mended


@pytest.mark.parametrize(
    "text",
    [
        "Where wert thou? Wast thou not there?",
        "If thou have a cough, call ere thou go.",  # subjunctive
        "If I were thou, I would say so.",
        "It was thou. Is it thou?",
        "Have thou patience, and wait!",  # a command
        "Have thou and I not met?",
        "Hast thou told me? Hadst thou said it, I had come.",
        "Didst thou not told me",  # not ours to guess
        "I have forgot; he hath spoke, and thou knew'st it.",
        "My brother and thou are welcome; so are others than thou are.",
        "All that I have she gave me.",
        "What size he will, and have he done, let him go.",
        "Which of you hath told them? Them that hath shall have.",
        "Thou wouldest, couldest, shouldest and mayest; thou putst it there.",
        "He asked if they have it.",
    ],
)
def test_early_modern_usage_is_left_alone(text):
    assert mend_old_verbs(text) == text
