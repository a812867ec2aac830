"""The filter of synthetic formal versions: every stage, on rows written for it."""

import json

import pytest

from paraphrast.corpora.formality.synthetic import (
    STAGES,
    Candidate,
    Settings,
    exchanges_words,
    filter_candidates,
    find_fault,
)
from paraphrast.corpora.loaders.judged import Judged
from paraphrast.errors import ParaphrastError
from training.formality import filter_pairs, guide

SETTINGS = Settings(least_meaning=0.5)
INFORMAL = "gonna be late again cos the bus never came"
FORMAL = "I shall be late again because the bus never arrived."


def same_meaning(sources, texts):
    return [0.0 if "dog" in text else 1.0 for text in texts]


def by_capital(texts):
    return [1.0 if text[0].isupper() else -1.0 for text in texts]


def run(*pairs, settings=SETTINGS):
    return filter_candidates(
        [Candidate("goemotions-synthetic", *pair) for pair in pairs],
        settings,
        meaning=same_meaning,
        formality=by_capital,
        spell=filter_pairs.spell_out,
    )


@pytest.mark.parametrize(
    ("stage", "informal", "formal"),
    [
        ("offensive", "this shit bus never came today ok", FORMAL),
        ("several lines", INFORMAL, f"{FORMAL}\nYours"),
        ("several lines", INFORMAL, ""),
        ("preamble or refusal", INFORMAL, f"Sure! {FORMAL}"),
        ("preamble or refusal", INFORMAL, "Here is the text: I shall be late again."),
        (
            "preamble or refusal",
            INFORMAL,
            "I'm sorry, but I cannot help with that bus.",
        ),
        ("greeting or signature", INFORMAL, f"Dear Sir, {FORMAL}"),
        ("greeting or signature", INFORMAL, f"{FORMAL} Yours sincerely"),
        ("length", INFORMAL, "The bus was late."),
        ("length", "no bus again", FORMAL),
        ("numbers", "gonna be there at 5 with all of them", "I shall be there at 6."),
        ("numbers", INFORMAL, "I shall be 20 minutes late because of the bus."),
        ("names", INFORMAL, "I shall be late again, Vanessa, because of the bus."),
        ("names", "hey [NAME] the bus never came", "Hello, the bus never came."),
        ("negation", INFORMAL, "I shall be late again because the bus came early."),
        ("question", INFORMAL, "Shall I be late again because the bus never came?"),
        ("question", "is the bus gonna be late again?", "The bus will be late again."),
        ("edit distance", FORMAL.lower(), FORMAL),
        ("meaning", INFORMAL, "I shall be late again because the dog never came."),
        ("formality", INFORMAL, "i shall be late again because the bus never came."),
    ],
)
def test_each_stage_drops_its_own_kind_of_fault(stage, informal, formal):
    result = run((informal, formal))
    assert result.kept == ()
    assert [reason for reason, _ in result.rejected] == [stage]


def test_good_pairs_pass():
    result = run(
        (INFORMAL, FORMAL),
        ("are u coming to the game w us", "Do you intend to come to the game?"),
        ("wonder if shes in? ask her", "I wonder whether she is in; please ask her."),
        ("dont think its fair at all tbh", "I do not believe that it is fair at all."),
    )
    assert len(result.kept) == 4
    assert sum(result.counts().values()) == 0


@pytest.mark.parametrize("word", ["Yeah,", "Wow.", "Lol", "Hahaha!", "Dude", "Nope"])
def test_a_lost_interjection_is_not_a_lost_name(word):
    assert not run((f"{word} the bus never came, im late", FORMAL)).counts()["names"]
    named = f"{word} the Zanzibar bus never came, im late"
    assert run((named, FORMAL)).counts()["names"] == 1


def test_the_most_formal_version_of_a_text_is_kept():
    def by_length(texts):
        return [len(text) / 50 - 1 for text in texts]

    long = "I shall be late once again because the bus never arrived."
    candidates = [Candidate("x", INFORMAL, formal) for formal in (FORMAL, long)]
    settings = Settings(0.5, least_gain=0.0)
    result = filter_candidates(
        candidates, settings, meaning=same_meaning, formality=by_length
    )
    assert [candidate.formal for candidate in result.kept] == [long]
    assert result.counts()["another version is better"] == 1


@pytest.mark.parametrize(
    ("exchanged", "informal", "formal"),
    [
        (True, "he's stupid drunk and is missing you", "He is drunk and absent."),
        (True, "my exams r not over yet", "My studies are not over yet."),
        (False, "my exams r not over yet", "My examinations are not over yet."),
        (False, "gonna be late cos u forgot", "I am going to be late; you forgot."),
        (False, "it was really rly late", "It was late."),
    ],
)
def test_a_word_is_exchanged_if_one_is_lost_and_another_added(
    exchanged, informal, formal
):
    (spelt,) = filter_pairs.spell_out([informal])
    assert exchanges_words(informal, spelt, formal) is exchanged


def test_pairs_with_exchanged_words_need_a_higher_meaning_score():
    settings = Settings(0.5, 2.0)
    kept = "I am going to be late again because the bus never came."
    result = run((INFORMAL, FORMAL), settings=settings)
    assert result.counts()["meaning"] == 1  # "arrived" for "came"
    assert len(run((INFORMAL, kept), settings=settings).kept) == 1


def test_an_opening_may_recur_only_up_to_its_limit():
    pairs = [
        (f"wanna go get a {thing} later on", f"I would like to obtain a {thing} later.")
        for thing in ("cake", "coat", "book", "lamp")
    ]
    result = run(*pairs, settings=Settings(0.5, most_openings=2))
    assert len(result.kept) == 2
    assert result.counts()["frequent opening"] == 2


def test_the_report_follows_the_stages():
    result = run((INFORMAL, FORMAL), (INFORMAL, f"Sure! {FORMAL}"))
    assert list(result.counts()) == list(STAGES)
    lines = list(result.lines())
    assert lines[-1].split()[:2] == ["kept", "1"]
    assert "goemotions-synthetic 1" in lines[-1]


def test_a_pair_has_no_fault_before_the_scores():
    assert find_fault(Candidate("x", INFORMAL, FORMAL), SETTINGS) == ""


def test_outputs_of_a_teacher_are_read_with_their_sources(tmp_path):
    path = tmp_path / "outputs.jsonl"
    rows = [
        {"from": "goemotions", "text": "a", "candidates": [{"text": "b", "logp": -1}]},
        {
            "from": "topical-chat",
            "text": "c",
            "candidates": [{"text": "d"}, {"text": "e"}],
        },
        {"from": "europarl", "text": "f", "candidates": [{"text": "g"}]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert list(filter_pairs.read_candidates([path])) == [
        Candidate("goemotions-synthetic", "a", "b"),
        Candidate("topical-chat-synthetic", "c", "d"),
        Candidate("topical-chat-synthetic", "c", "e"),
    ]
    path.write_text('{"from": "goemotions"}\n', "utf-8")
    with pytest.raises(ParaphrastError, match=r"outputs\.jsonl:1: expected from"):
        list(filter_pairs.read_candidates([path]))


def test_kept_and_rejected_pairs_are_both_written(tmp_path):
    result = run((INFORMAL, FORMAL), (INFORMAL, f"Sure! {FORMAL}"))
    kept, rejected = tmp_path / "kept.jsonl", tmp_path / "rejected.jsonl"
    filter_pairs.write_result(result, kept, rejected)
    (row,) = map(json.loads, kept.read_text("utf-8").splitlines())
    assert row == {
        **{"source": "goemotions-synthetic", "informal": INFORMAL},
        "formal": FORMAL,
    }
    assert json.loads(rejected.read_text("utf-8"))["stage"] == "preamble or refusal"


def test_the_guide_learns_which_words_are_formal():
    rated = [
        Judged(text, score)
        for number in range(40)
        for text, score in (
            (f"hey gonna see u at {number} lol", -2.0),
            (f"We shall meet you at {number}, as agreed.", 2.0),
        )
    ]
    learned = guide.train(rated)
    low, high = learned.values(["gonna see u", "We shall meet as agreed."])
    assert low < 0 < high
    with pytest.raises(ParaphrastError, match="no rated text"):
        guide.train([])
