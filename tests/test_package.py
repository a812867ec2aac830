"""The public names, and what the package says of itself."""

import doctest
from importlib.metadata import version

import paraphrast


def test_the_example_of_the_package_is_true():
    assert doctest.testmod(paraphrast).failed == 0


def test_the_public_names_are_few():
    assert len(paraphrast.__all__) <= 12
    assert paraphrast.__version__ == version("paraphrast")
    assert "formal" in [style.name for style in paraphrast.styles()]


def test_the_functions_share_their_words():
    (text,) = paraphrast.rewrite(["u go"], to="formal", using="rules", n=1)
    assert text[0].text == paraphrast.load("formal", using="rules").rewrite("u go").text
