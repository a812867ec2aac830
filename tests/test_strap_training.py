"""The scripts in recipes/strap/training: what they keep, repair and pack."""

import importlib
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "recipes" / "strap" / "training"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


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
def test_a_pair_that_changes_the_meaning_is_dropped(script, source, target, reason):
    assert script("paraphrases").wrong(source, target) == reason


def test_names_are_exchanged_on_both_sides(script):
    paraphrases = script("paraphrases")
    pair = paraphrases.Candidate("made", "Tom left Mary.", "Mary was left by Tom.")
    made = paraphrases.renamed([pair], ["Ada", "Ben"], random.Random(1))
    source, target = made[0].split("\t")
    assert {source, target} in (
        {"Ada left Ben.", "Ben was left by Ada."},
        {"Ben left Ada.", "Ada was left by Ben."},
    )


def test_half_a_quotation_and_an_unended_verse_are_repaired(script):
    assert script("paraphrases").tidy('"go, he said;') == "Go, he said."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I do n't know , sir .", "I don't know, sir."),
        ("Say 'tis not so , a province", "Say 'tis not so, a province"),
        ("it 's `` but yet '' .", 'it\'s "but yet".'),
        ("Nothing to mend.", "Nothing to mend."),
    ],
)
def test_tokenised_text_is_spaced_as_people_do(script, text, expected):
    assert script("styles").spaced(text) == expected


def test_headings_and_fragments_are_not_fit(script):
    fit = script("styles").fit
    assert fit("He went home that night.")
    assert not fit("CHAPTER IV. The Storm")
    assert not fit("Too short")
    assert not fit("[Illustration of a man]")


def test_an_apostrophe_written_as_a_quotation_mark_is_repaired(script):
    repaired = script("backtranslate").repaired
    assert repaired('Parliament"s "Rules"') == 'Parliament\'s "Rules"'


def test_judge_guide_and_held_out_text_are_parted_by_hash(script):
    owner = script("splits").owner
    shares = [owner(f"text {number}") for number in range(2000)]
    assert 0.5 < shares.count("judge") / 2000 < 0.6
    assert 0.02 < shares.count("held out") / 2000 < 0.08


@pytest.mark.train
def test_a_model_travels_in_parts(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    model, parts, back = (tmp_path / name for name in ("model", "parts", "back"))
    model.mkdir()
    draw = np.random.default_rng(1)
    weights = {
        "rounded": (draw.integers(-99, 100, (200, 80)) * 0.5).astype(np.float32),
        "trained": draw.normal(size=(200, 80)).astype(np.float32),
        "norm": np.ones(8, np.float32),
    }
    safetensors.save_file(weights, model / "model.safetensors")
    (model / "config.json").write_text("{}")
    run = [sys.executable, FOLDER / "transport.py"]
    size = ["--part", "9000"]
    subprocess.run([*run, "pack", model, "m", *size, "-o", parts], check=True)
    subprocess.run([*run, "unpack", parts, "m", "-o", back], check=True)
    found = safetensors.load_file(back / "model.safetensors")
    assert len(list(parts.iterdir())) > 1
    assert (back / "config.json").read_text() == "{}"
    assert np.array_equal(found["rounded"], weights["rounded"])
    assert np.array_equal(found["norm"], weights["norm"])
    assert np.abs(found["trained"] - weights["trained"]).max() < 0.02


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
def test_a_rewrite_is_learnt_from_only_if_it_keeps_what_it_must(
    script, source, text, good
):
    assert script("choosing").acceptable(source, text) is good


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


def test_the_guide_chooses_by_style_meaning_and_fluency(script):
    choosing = script("choosing")
    texts = ["thou may go now", "you may go now", "thou go go now", "thou art a fool"]
    task = choosing.Task("you may go now", "shakespeare", texts)
    chosen = choosing.choose([task], WordGuide(), choosing.Wanted())
    assert [one[0] for one in chosen[0]] == ["thou may go now"]


def test_nearness_to_a_reference_counts_half(script):
    choosing = script("choosing")
    task = choosing.Task("a b", "shakespeare", ["a c"], reference="a c")
    assert choosing.rate([task], WordGuide())[0][0][2] == pytest.approx(0.75)


def test_the_worst_of_each_style_are_dropped(script):
    choosing = script("choosing")
    rows = [
        choosing.row(choosing.Task("a", style), (f"{style} {value}", value, 0.9, 0.9))
        for style in ("bible", "tweet")
        for value in (0.5, 0.9, 0.7, 0.6)
    ]
    best = choosing.best_of(rows, 0.5, choosing.Wanted())
    assert best == [
        "a\tbible 0.9\tbible",
        "a\tbible 0.7\tbible",
        "a\ttweet 0.9\ttweet",
        "a\ttweet 0.7\ttweet",
    ]


def test_names_alone_stay_and_greetings_take_the_style(script, tmp_path):
    for style in ("shakespeare", "modern", "prose-1890"):
        (tmp_path / f"{style}.train.txt").write_text("I saw Montague.\n", "utf-8")
    rows = script("additions").short(tmp_path, random.Random(1))
    calls = [row.split("\t") for row in rows if "Montague" in row]
    assert calls
    assert all(source == target for source, target, _ in calls)
    assert "Yes.\tAy.\tshakespeare" in rows
    assert "Ay.\tYes.\tmodern" in rows


def test_a_quoted_field_and_a_whole_in_brackets_are_repaired(script):
    tidy = script("paraphrases").tidy
    assert tidy('"What of ""moist""?"') == 'What of "moist"?'
    assert tidy("(He was still king.)") == "He was still king."


def test_candidates_of_one_text_are_joined(script, tmp_path):
    path = tmp_path / "candidates.tsv"
    path.write_text(
        "0\tbible\tneutral text\tsource\tone\t-1.0\t3\n"
        "1\tbible\tsource\tsource\ttwo\t-2.0\t3\n"
        "broken off\n",
        "utf-8",
    )
    tasks = script("stages").candidates(path)
    assert [(t.source, t.style, t.texts) for t in tasks] == [
        ("source", "bible", ["one", "two"])
    ]


@pytest.mark.train
def test_a_model_goes_further_the_way_it_went(script, tmp_path):
    from safetensors.numpy import load_file, save_file

    for name, value in (("start", 1.0), ("end", 3.0)):
        folder = tmp_path / name
        folder.mkdir()
        save_file({"w": np.full(2, value, np.float32)}, folder / "model.safetensors")
        (folder / "training.json").write_text('{"tagged": true}', "utf-8")
        (folder / "config.json").write_text(name, "utf-8")
    start, end, made = tmp_path / "start", tmp_path / "end", tmp_path / "made"
    script("extrapolate").further(end, [(start, end, 0.5)], made)
    assert load_file(made / "model.safetensors")["w"].tolist() == [4.0, 4.0]
    assert (made / "config.json").read_text("utf-8") == "end"
    record = json.loads((made / "training.json").read_text("utf-8"))
    assert record["further"] == [{"from": "start", "to": "end", "times": 0.5}]
    assert record["tagged"]


def test_polishing_takes_pairs_whose_sides_share_few_words(script):
    shared = script("stages").shared
    assert shared("You are late.", "you are late.") == 1
    assert shared("Where do you go?", "Whither goest thou?") == 0


def test_near_copies_pass_only_where_any_distance_will_do(script):
    paraphrases = script("paraphrases")
    rows = [
        ("It's too hot in the old house.", "It is too hot in the old house."),
        (
            "We all went home before it was dark.",
            "We all went home before it got dark.",
        ),
        ("We went home.", "We went home."),
    ]
    counts = paraphrases.Counter()
    near = paraphrases.cleaned("made", iter(rows), set(), counts, near=True)
    assert [(c.source, c.target) for c in near] == rows[:2]
    assert not paraphrases.cleaned("made", iter(rows), set(), counts)


def test_as_many_pairs_are_drawn_as_a_report_kept(script, tmp_path):
    paraphrases = script("paraphrases")
    report = tmp_path / "report.json"
    kept = {"sources": {kind: {"kept": 10} for kind in paraphrases.QUOTAS}}
    report.write_text(json.dumps(kept))
    assert paraphrases.quotas(report)["quora"] == (15, 10, 0.92)
    assert paraphrases.quotas(None) == paraphrases.QUOTAS


def test_paraphrasers_differ_in_the_diversity_of_their_pairs_alone(script, tmp_path):
    work = script("work")
    far, near = (
        "She came late.\tAt last they arrived",
        "She came late.\tShe came too late",
    )
    rows = [
        *(f"At last they arrived {n}\tShe came late {n}.\tmodern" for n in range(5)),
        *(f"She came too late {n}\tShe came late {n}.\tmodern" for n in range(5)),
    ]
    work.write(tmp_path / "teacher-rows.tsv", rows)
    work.write(tmp_path / "paraphrases/train.tsv", [f"{far} {n}" for n in range(4)])
    work.write(tmp_path / "paraphrases/near.tsv", [f"{near} {n}" for n in range(9)])
    folder = work.Work(tmp_path, 1.0, "cpu", tmp_path / "guide")
    found = script("ablations").learnt_from(folder)
    diverse, other = found.values()
    assert diverse["pairs"] == other["pairs"] == 9
    assert diverse["words shared"] < 0.5 < other["words shared"]


def test_each_row_is_written_by_the_model_of_its_style(script, tmp_path):
    class Writer:
        def __init__(self, mark):
            self.mark = mark

        def write(self, asked, **_):
            return [[f"{self.mark} {style} {text}"] for text, style in asked]

    work = script("work").Work(tmp_path, 1.0, "cpu", tmp_path)
    models = {"modern": Writer("A"), "shakespeare": Writer("B")}
    rows = [("modern", "x"), ("shakespeare", "y"), ("modern", "z")]
    found = script("ablations").styled(work, models, rows, ["1", "2", "3"])
    assert found == ["A modern 1", "B shakespeare 2", "A modern 3"]


def test_a_near_paraphrase_is_turned_round_but_not_one_that_loses_a_name(script):
    says = script("ablations").says_the_same
    assert says("I saw Romeo here.", "I saw Romeo here.")
    assert not says("I saw Romeo here.", "I saw him here.")
    assert not says("I saw Romeo here.", "Romeo, I say that I saw Romeo here, I did.")
