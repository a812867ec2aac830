"""The training of the rewriter: what is kept, repaired and selected."""

import json
import random

import numpy as np
import pytest

from training import splits
from training.rewriter import (
    ablations,
    back_translation,
    extra_texts,
    paraphrase_pairs,
    rejection_sampling,
    stages,
    style_texts,
    workspace,
)


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("You are late.", "You came too late.", ""),
        ("Montague!", "Boston!", "names and numbers"),
        ("I saw two men.", "I saw three men.", "names and numbers"),
        ("He left.", "She went away.", "persons"),
        ("You may go.", "You may not leave.", "negation"),
        ("Is it late?", "It is late.", "question"),
        ("Go on!", "go on", "same"),
        ("It's too hot.", "It is too hot.", "same"),
        ("", "Go on.", "marks"),
    ],
)
def test_a_pair_that_changes_the_meaning_is_dropped(source, target, reason):
    assert paraphrase_pairs.find_change(source, target) == reason


def test_names_are_exchanged_on_both_sides():
    pair = paraphrase_pairs.Candidate("made", "Tom left Mary.", "Mary was left by Tom.")
    made = paraphrase_pairs.exchange_names([pair], ["Ada", "Ben"], random.Random(1))
    source, target = made[0].split("\t")
    assert {source, target} in (
        {"Ada left Ben.", "Ben was left by Ada."},
        {"Ben left Ada.", "Ada was left by Ben."},
    )


def test_half_a_quotation_and_an_unended_verse_are_repaired():
    assert paraphrase_pairs.tidy('"go, he said;') == "Go, he said."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I do n't know , sir .", "I don't know, sir."),
        ("Say 'tis not so , a province", "Say 'tis not so, a province"),
        ("it 's `` but yet '' .", 'it\'s "but yet".'),
        ("Nothing to mend.", "Nothing to mend."),
    ],
)
def test_tokenised_text_is_spaced_as_people_do(text, expected):
    assert style_texts.detokenise(text) == expected


def test_headings_and_fragments_are_not_fit():
    fit = style_texts.is_sentence
    assert fit("He went home that night.")
    assert not fit("CHAPTER IV. The Storm")
    assert not fit("Too short")
    assert not fit("[Illustration of a man]")


def test_an_apostrophe_written_as_a_quotation_mark_is_repaired():
    repaired = back_translation.repair_apostrophes
    assert repaired('Parliament"s "Rules"') == 'Parliament\'s "Rules"'


def test_judge_guide_and_held_out_text_are_separated_by_hash():
    owner = splits.owner
    shares = [owner(f"text {number}") for number in range(2000)]
    assert 0.5 < shares.count("judge") / 2000 < 0.6
    assert 0.02 < shares.count("held out") / 2000 < 0.08


@pytest.mark.parametrize(
    ("source", "text", "good"),
    [
        ("Where is Romeo today?", "Where art thou, Romeo, this day?", True),
        ("Where is Romeo today?", "Where is Paris this day?", False),
        ("Where is Romeo today?", "Where is Romeo with Paris today, sir?", False),
        ("Where is Romeo today?", "where is Romeo today", False),
        ("I have 12 horses and no cart.", "I have 13 horses, but no cart.", False),
        ("I have seen the king and he is well.", "The king lives.", False),
        ("Well, I am off.", "Marry, I am gone.", True),
    ],
)
def test_a_rewrite_is_learnt_from_only_if_it_keeps_what_it_must(source, text, good):
    assert rejection_sampling.is_acceptable(source, text) is good


class WordGuide:
    """Likes "thou" for style, and words of the source for meaning."""

    signature = "words"

    def style(self, texts, style):
        return [0.9 if "thou" in text else 0.1 for text in texts]

    def meaning(self, sources, texts):
        return [
            len({*a.split()} & {*b.split()}) / len(b.split())
            for a, b in zip(sources, texts, strict=True)
        ]

    def fluency(self, texts):
        return [0.0 if "go go" in text else 0.8 for text in texts]

    def forget(self):
        pass


def test_the_guide_chooses_by_style_meaning_and_fluency():
    texts = ["thou may go now", "you may go now", "thou go go now", "thou art a fool"]
    task = rejection_sampling.Task("you may go now", "shakespeare", texts)
    chosen = rejection_sampling.select(
        [task], WordGuide(), rejection_sampling.Thresholds()
    )
    assert [one[0] for one in chosen[0]] == ["thou may go now"]


def test_nearness_to_a_reference_counts_half():
    task = rejection_sampling.Task("a b", "shakespeare", ["a c"], reference="a c")
    assert rejection_sampling.rate([task], WordGuide())[0][0][2] == pytest.approx(0.75)


def test_the_worst_of_each_style_are_dropped():
    rows = [
        rejection_sampling.format_row(
            rejection_sampling.Task("a", style),
            rejection_sampling.Rated(f"{style} {value}", value, 0.9, 0.9),
        )
        for style in ("bible", "tweet")
        for value in (0.5, 0.9, 0.7, 0.6)
    ]
    best = rejection_sampling.best_share(rows, 0.5, rejection_sampling.Thresholds())
    assert best == [
        "a\tbible 0.9\tbible",
        "a\tbible 0.7\tbible",
        "a\ttweet 0.9\ttweet",
        "a\ttweet 0.7\ttweet",
    ]


def test_names_alone_stay_and_greetings_take_the_style(tmp_path):
    for style in ("shakespeare", "modern", "prose-1890"):
        (tmp_path / f"{style}.train.txt").write_text("I saw Montague.\n", "utf-8")
    rows = extra_texts.short(tmp_path, random.Random(1))
    calls = [row.split("\t") for row in rows if "Montague" in row]
    assert calls
    assert all(source == target for source, target, _ in calls)
    assert "Yes.\tAy.\tshakespeare" in rows
    assert "Ay.\tYes.\tmodern" in rows


def test_quoted_fields_and_fully_bracketed_texts_are_repaired():
    tidy = paraphrase_pairs.tidy
    assert tidy('"What of ""moist""?"') == 'What of "moist"?'
    assert tidy("(He was still king.)") == "He was still king."


def test_candidates_of_one_text_are_joined(tmp_path):
    path = tmp_path / "candidates.tsv"
    path.write_text(
        "bible\tneutral text\tsource\tone\nbible\tsource\tsource\ttwo\n", "utf-8"
    )
    tasks = rejection_sampling.read_candidates(path)
    assert [(t.source, t.style, t.texts) for t in tasks] == [
        ("source", "bible", ["one", "two"])
    ]


@pytest.mark.train
def test_weights_are_extrapolated_in_the_direction_of_training(tmp_path):
    from safetensors.numpy import load_file, save_file

    from training.rewriter import task_vectors

    for name, value in (("start", 1.0), ("end", 3.0)):
        folder = tmp_path / name
        folder.mkdir()
        save_file({"w": np.full(2, value, np.float32)}, folder / "model.safetensors")
        (folder / "training.json").write_text('{"tagged": true}', "utf-8")
        (folder / "config.json").write_text(name, "utf-8")
    start, end, made = tmp_path / "start", tmp_path / "end", tmp_path / "made"
    task_vectors.extrapolate(end, [(start, end, 0.5)], made)
    assert load_file(made / "model.safetensors")["w"].tolist() == [4.0, 4.0]
    assert (made / "config.json").read_text("utf-8") == "end"
    record = json.loads((made / "training.json").read_text("utf-8"))
    assert record["further"] == [{"from": "start", "to": "end", "times": 0.5}]
    assert record["tagged"]


def test_polishing_takes_pairs_whose_sides_share_few_words():
    shared = stages.word_overlap
    assert shared("You are late.", "you are late.") == 1
    assert shared("Where do you go?", "Whither goest thou?") == 0


def test_near_copies_pass_only_without_a_minimum_distance():
    rows = [
        ("It's too hot in the old house.", "It is too hot in the old house."),
        (
            "We all went home before it was dark.",
            "We all went home before it got dark.",
        ),
        ("We went home.", "We went home."),
    ]
    counts = paraphrase_pairs.Counter()
    near = paraphrase_pairs.clean_pairs("made", iter(rows), set(), counts, near=True)
    assert [(c.source, c.target) for c in near] == rows[:2]
    assert not paraphrase_pairs.clean_pairs("made", iter(rows), set(), counts)


def test_as_many_pairs_are_drawn_as_a_report_kept(tmp_path):
    report = tmp_path / "report.json"
    kept = {"sources": {kind: {"kept": 10} for kind in paraphrase_pairs.QUOTAS}}
    report.write_text(json.dumps(kept))
    assert paraphrase_pairs.quotas(report)["quora"] == (15, 10, 0.92)
    assert paraphrase_pairs.quotas(None) == paraphrase_pairs.QUOTAS


def test_paraphrasers_differ_in_the_diversity_of_their_pairs_alone(tmp_path):
    far, near = (
        "She came late.\tAt last they arrived",
        "She came late.\tShe came too late",
    )
    rows = [
        *(f"At last they arrived {n}\tShe came late {n}.\tmodern" for n in range(5)),
        *(f"She came too late {n}\tShe came late {n}.\tmodern" for n in range(5)),
    ]
    workspace.write_rows(tmp_path / "teacher-rows.tsv", rows)
    workspace.write_rows(
        tmp_path / "paraphrases/train.tsv", [f"{far} {n}" for n in range(4)]
    )
    workspace.write_rows(
        tmp_path / "paraphrases/near.tsv", [f"{near} {n}" for n in range(9)]
    )
    folder = workspace.Workspace(tmp_path)
    found = ablations.write_paraphraser_pairs(folder)
    diverse, other = found.values()
    assert diverse["pairs"] == other["pairs"] == 9
    assert diverse["words shared"] < 0.5 < other["words shared"]


def test_each_row_is_written_by_the_model_of_its_style(tmp_path):
    class Writer:
        def __init__(self, mark):
            self.mark = mark

        def write(self, asked, **_):
            return [[f"{self.mark} {style} {text}"] for text, style in asked]

    work = workspace.Workspace(tmp_path)
    models = {"modern": Writer("A"), "shakespeare": Writer("B")}
    rows = [("modern", "x"), ("shakespeare", "y"), ("modern", "z")]
    found = ablations.write_in_style(work, models, rows, ["1", "2", "3"])
    assert found == ["A modern 1", "B shakespeare 2", "A modern 3"]


def test_a_paraphrase_is_reversed_only_if_it_keeps_the_names():
    says = ablations.keeps_meaning
    assert says("I saw Romeo here.", "I saw Romeo here.")
    assert not says("I saw Romeo here.", "I saw him here.")
    assert not says("I saw Romeo here.", "Romeo, I say that I saw Romeo here, I did.")
