"""Verse is laid out in even lines that end where a reader pauses."""

import pytest

from paraphrast.language.verse import count_syllables, lay_out


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("gate", 1), ("table", 2), ("village", 2), ("remembered", 3), ("planted", 2),
        ("o'er", 1), ("lov'd", 1), ("wishes", 2), ("makes", 1), ("the", 1), ("be", 1),
        ("8", 1), ("£100", 3), ("--", 0), ("\"Marta,\"", 2),
    ],
)  # fmt: skip
def test_syllables_are_counted(word: str, count: int) -> None:
    assert count_syllables(word) == count


@pytest.mark.parametrize(
    ("written", "laid"),
    [
        (
            "Who arrives after nine must sign the book\nAt the gate.",
            "Who arrives after nine\nMust sign the book at the gate.",
        ),
        (
            "No one in the village remembered who planted the oak,\n"
            "Or why it was never cut down.",
            "No one in the village remembered\nWho planted the oak,\n"
            "Or why it was never cut down.",
        ),
        (
            "Why did none warn the neighbours, ere the road was closed?",
            "Why did none warn the neighbours,\nEre the road was closed?",
        ),
        ("Your shoes, I pray.", "Your shoes, I pray."),
        ("", ""),
    ],
)
def test_lines_end_where_a_reader_pauses(written: str, laid: str) -> None:
    assert lay_out(written, "") == laid


def test_a_name_keeps_its_capital_within_a_line_and_other_words_lose_theirs() -> None:
    source = "Marta wanted to sell the piano, but her father wouldn't hear of it."
    written = (
        "The piano, would\nMarta sell it; but her father would not\nHear of it, and I\n"
        "I'm sure was silent."
    )
    laid = lay_out(written, source)
    assert "Marta" in laid
    assert "I'm" in laid
    assert "hear of it" in laid


def test_words_and_their_order_stay_and_every_line_has_a_capital() -> None:
    written = (
        '"Is he coming or not?" asked Meg.\n'
        "Her brother said he'd promised; but he'd\n"
        "Promised last year too, and in the end\n"
        "They'd eaten without him."
    )
    laid = lay_out(written, written.replace("\n", " "))
    assert laid.lower().split() == written.lower().split()
    assert all(line.lstrip("\"'")[0].isupper() for line in laid.split("\n"))
    assert lay_out(laid, written.replace("\n", " ")) == laid


def test_a_name_that_is_a_common_word_keeps_its_capital() -> None:
    source = "We meet in Bath, and Will says that May knows God, but Rose is away."
    written = (
        "We meet, and\nWill has said it, in\nBath; and\nMay knows\nGod; but\n"
        "Rose is away."
    )
    laid = {word.strip(",;.") for word in lay_out(written, source).split()}
    assert {"Will", "Bath", "May", "God", "Rose"} <= laid
    assert "the old rose" in lay_out(
        "Away is\nThe old\nRose that we all knew so very well.", "The rose is away."
    )
