"""Repairs of what a model writes."""

import pytest

from paraphrast.neural.candidates.repairs import repair


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        (
            "I'm afraid she isn't angry, I'm afraid, but she's tired.",
            "I'm afraid she isn't angry, but she's tired.",
        ),
        (
            "I'm sorry to say the rent is higher, and the boiler, I'm afraid, is cold.",
            "I'm sorry to say the rent is higher, and the boiler is cold.",
        ),
        ("I am afraid it is late, I am so afraid.", "I am afraid it is late."),
        (
            "It's shut, I'm afraid, and we're late, I'm afraid.",
            "It's shut, I'm afraid, and we're late.",
        ),
        ("Where werest thou?", "Where wast thou?"),
        ("u're late again", "ur late again"),
    ],
)
def test_a_fault_with_only_one_repair_is_repaired(written, mended):
    assert repair(written) == mended


@pytest.mark.parametrize(
    "text",
    [
        "He promised, and, I'm afraid, he forgot.",
        "I'm afraid I can't come.",
        "I'm afraid of dogs, I'm afraid of cats, and I say so.",
        "I'm afraid she said it: I'm afraid, too.",
    ],
)
def test_an_apology_said_once_or_not_meant_as_one_stays(text):
    assert repair(text) == text
