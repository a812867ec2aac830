"""The recipe `strap`: the form of texts, what is kept, rows and figures."""

import importlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.judges.judge import train_judge
from paraphrast.metrics import Segment
from paraphrast.reproduce import Value, Workspace
from paraphrast.storage import packs

MODERN = ["you have a big house", "where are you going now", "I do not know you"]
OLD = ["thou hast a great house", "whither goest thou now", "I know thee not"]


@pytest.fixture(scope="module")
def recipe():
    return importlib.import_module("recipes.strap.run")


@pytest.fixture(scope="module")
def judge():
    styles = {"modern": MODERN * 12, "shakespeare": OLD * 12}
    return train_judge(styles, valid=styles, seed=1)


def part(name: str):
    return importlib.import_module(f"recipes.strap.{name}")


@pytest.mark.parametrize(
    ("published", "people"),
    [
        ("Ay , a thousand times .", "Ay, a thousand times."),
        ('Say thou but "ay , " And weep !', 'Say thou but "ay," And weep!'),
        ("I'll go , 'tis late ; come .", "I'll go, 'tis late; come."),
    ],
)
def test_texts_are_read_as_people_write_and_scored_as_published(
    recipe, published, people
):
    assert part("texts").detokenise(published) == people
    assert part("texts").tokenise_marks(people).replace('"', "").split() == (
        published.replace('"', "").split()
    )


def test_numbers_and_dots_are_not_pulled_apart(recipe):
    assert part("texts").tokenise_marks("He paid 1,000.50, then... left.") == (
        "He paid 1,000.50 , then ... left ."
    )


def test_every_style_is_rewritten_into_each_other_one(recipe):
    found = part("texts").cross_styles({"a": ["1", "2", "3"], "b": ["4"]}, most=2)
    assert [(s.source, s.target) for s in found] == [("4", "a"), ("1", "b"), ("2", "b")]


def test_a_judge_reads_a_row_once(recipe, judge, tmp_path, monkeypatch):
    scorer = part("scoring").Scorer("made", judge, tmp_path)
    rows = [Segment(OLD[0], MODERN[0], (OLD[0],), "shakespeare")] * 3
    first = scorer.ask_judge(rows)
    assert first.reference.tolist() == [1.0] * 3
    assert (first.source < 1).all()
    monkeypatch.setattr(part("scoring"), "Accuracy", None)  # asked again it would fail
    again = scorer.ask_judge(rows)
    assert np.array_equal(first.rows(), again.rows())
    with pytest.raises(TypeError):
        scorer.ask_judge(rows[:2])


def test_rows_are_compared_with_strap_in_each_direction(recipe, judge, tmp_path):
    lines = [
        Segment("", source, (gold,), style)
        for one, two in zip(MODERN * 8, OLD * 8, strict=True)
        for source, gold, style in ((one, two, "shakespeare"), (two, one, "modern"))
    ]
    good = [Segment(s.references[0], s.source, s.references, s.target) for s in lines]
    copy = [Segment(s.source, s.source, s.references, s.target) for s in lines]
    rows = {
        "better": recipe.Row(good),
        recipe.BASELINE: recipe.Row(copy),
        "COPY": recipe.Row(copy),
    }
    scorer = part("scoring").Scorer("large", judge, tmp_path)
    values = recipe.judged_rows(scorer, rows)
    ahead = "directions ahead of STRAP, p < 0.01"
    assert values[f"better: {ahead}"].value == 2
    assert values[f"COPY: {ahead}"].value == 0
    assert values["better, to modern: lead over STRAP p=0.0"].low > 0
    assert values["better: SIM"].value == 100
    beside = recipe.judged_rows(replace(scorer, name="small"), rows)
    assert beside["by small, better: J"] == values["better: J"]
    assert "better: J" not in beside
    used = recipe.Row(good, (judge.hashes()["fluency"],))
    with pytest.raises(ParaphrastError, match="cannot score it"):
        recipe.judged_rows(scorer, rows | {"better": used})


def test_the_gain_of_each_part_is_paired_by_sentence(recipe, judge, tmp_path):
    golds = list(zip(MODERN * 8, OLD * 8, strict=True))
    whole = [Segment(old, new, (old,), "shakespeare") for new, old in golds]
    copied = [Segment(new, new, (old,), "shakespeare") for new, old in golds]
    scorer = part("scoring").Scorer("made", judge, tmp_path)
    values = scorer.changes("less", scorer.ask_judge(whole), scorer.ask_judge(copied))
    lost = values["less: J beside the whole"]
    assert lost.value <= lost.high < 0
    assert lost.signature.startswith("p:0.0")
    assert values["less: SIM beside the whole"].value < 0
    same = scorer.changes("all", scorer.ask_judge(whole), scorer.ask_judge(whole))
    assert same["all: J beside the whole"].value == 0


def test_the_two_steps_paraphrasers_are_described_where_they_are(
    recipe, judge, tmp_path, monkeypatch
):
    texts = {"modern": MODERN, "shakespeare": OLD}
    wanted = [(style, text) for style, own in texts.items() for text in own]

    def made_for(_, file, asked):
        assert asked == wanted
        if file == "paraphraser-undiverse":
            return None
        return recipe.systems.Elsewhere([*MODERN, *MODERN], {})

    monkeypatch.setattr(recipe.systems, "made_for", made_for)
    scorer = part("scoring").Scorer("large", judge, tmp_path)
    values = recipe.other_paraphrasers(None, scorer, texts)
    label = "the two steps' paraphraser"
    assert values[f"{label}: ACC before"].value == 100
    assert values[f"{label}: ACC after"].value == 50
    assert 50 < values[f"{label}: lexical"].value < 100
    assert not any("without diversity" in name for name in values)


def test_plain_figures_need_no_judge(recipe):
    rows = [
        Segment("Tom , whither goest thou ?", "Tom , where are you going ?", ("x",)),
        Segment("hello there", "Hello , Tom !", ("hello there",)),
    ]
    values = part("scoring").plain("made", rows)
    assert values["made: names and numbers kept"].value == 50
    assert values["made: copies"].value == 0


def test_reasons_are_counted_without_the_words_they_name(recipe):
    answers = [
        recipe.Answer("a", "every rewrite would have lost 'Tom'"),
        recipe.Answer("b", "every rewrite would have lost 'Ann'"),
        recipe.Answer("c"),
        recipe.Answer("d", "empty"),
    ]
    values = recipe.count_unchanged("made", answers)
    assert values["made: left as it was"].value == 75
    assert values["made: left as it was, every rewrite would have lost"].value == 50


def test_recited_text_is_training_text_that_was_not_asked_for(recipe):
    known = {"tobeornottobethatis"}
    line = "To be , or not to be , that is"
    segments = [
        Segment(line, "Shall I live on?"),
        Segment(line, "to be or not to be that is"),
        Segment("Something else was said here .", "Shall I live on?"),
        Segment("To be", "Shall I live on?"),
    ]
    assert recipe.recital(segments, known | {"tobe"}) == 0.25


def test_styles_in_which_ours_leads_are_counted(recipe):
    label = "11 styles"
    values = {
        f"{label}, {name}, {style}: J": Value(j)
        for style in recipe.STYLES
        for name, j in (("COPY", 3.0), ("NAIVE", 1.0), ("shipped", 9.0))
    }
    values[f"{label}, phrase engine, modern: J"] = Value(12.0)
    names = dict.fromkeys(("COPY", "NAIVE", "phrase engine", "shipped"))
    (count,) = recipe.ahead_everywhere(values, "", names).values()
    assert count.value == 10


def test_a_paraphraser_is_measured_by_what_it_changed(recipe, judge, tmp_path):
    scorer = part("scoring").Scorer("made", judge, tmp_path)
    copies = [Segment(text, text, (), "shakespeare") for text in OLD]
    found = recipe.measure_paraphrases(scorer, copies)
    assert (found["similarity"], found["lexical"], found["word order"]) == (100, 100, 1)
    assert found["ACC before"] == found["ACC after"] == 100
    pairs = zip(MODERN, OLD, strict=True)
    plain = [Segment(new, old, (), "shakespeare") for new, old in pairs]
    changed = recipe.measure_paraphrases(scorer, plain)
    assert changed["ACC before"] == 100
    assert changed["ACC after"] == 0
    assert changed["lexical"] < 60


def place(folder: Path, rows: list[str], about: str) -> Workspace:
    outputs = folder / "packs" / "strap-outputs"
    outputs.mkdir(parents=True)
    (outputs / "made.tsv").write_text("".join(f"{row}\n" for row in rows))
    (outputs / "made.json").write_text(about)
    return Workspace({"strap": folder}, folder, folder / "packs")


def test_outputs_made_elsewhere_must_answer_the_test(recipe, tmp_path, monkeypatch):
    systems = part("systems")
    lines = (Segment("", "I go , sir .", ("x",), "modern"),)
    monkeypatch.setattr(systems, "test", lambda folder: lines)
    about = json.dumps({"evaluators": ["abc"], "made": "by hand"})
    good = place(tmp_path / "a", ["modern\tI go, sir.\tI am going, sir."], about)
    found = systems.elsewhere(good, "made")
    assert found.outputs == ["I am going, sir."]
    assert found.about["evaluators"] == ["abc"]
    assert systems.elsewhere(good, "other") is None
    bad = place(tmp_path / "b", ["modern\tYou go, sir.\tYou went."], about)
    with pytest.raises(ParaphrastError, match="in their order"):
        systems.elsewhere(bad, "made")
    unsaid = place(tmp_path / "c", ["modern\tI go, sir.\tI went."], "")
    with pytest.raises(ParaphrastError, match="must say what made"):
        systems.elsewhere(unsaid, "made")


def test_a_pack_gives_one_answer_per_text_in_order(recipe, tmp_path, monkeypatch):
    systems = part("systems")
    pack = Path(__file__).parent / "packs" / "phrase-1"
    workspace = Workspace({}, tmp_path, tmp_path)
    style = next(iter(systems.packs.read(pack).about.styles))
    lines = [Segment("", text, (), style) for text in ("you are here .", "I go .")]
    asked = systems.Asked(pack)
    first = systems.answers(workspace, asked, lines)
    assert [type(answer.text) for answer in first] == [str, str]
    monkeypatch.setattr(systems.Asked, "rewriter", None)
    assert systems.answers(workspace, asked, lines) == first


def test_a_neural_pack_can_be_asked_in_other_ways(recipe, tmp_path):
    systems = part("systems")
    pack = Path(__file__).parent / "packs" / "neural-1"
    style = next(iter(systems.packs.read(pack).about.styles))
    greedy, sampled = recipe.nucleus(0.0), recipe.nucleus(0.9)
    assert (greedy.method, sampled.method) == ("greedy", "nucleus")
    ways = [systems.Asked(pack), systems.Asked(pack, sampled)]
    ways.append(systems.Asked(pack, through=False))
    assert len({way.key() for way in ways}) == 3
    workspace = Workspace({}, tmp_path, tmp_path)
    lines = [Segment("", "where are you ?", (), style)]
    for way in ways:
        assert len(systems.answers(workspace, way, lines)) == 1


def test_without_the_pack_of_its_figures_the_recipe_does_not_begin(recipe, tmp_path):
    systems = part("systems")
    workspace = Workspace({}, tmp_path, tmp_path)
    with pytest.raises(ParaphrastError, match=r"version 0\.1.*docs/strap\.md"):
        list(recipe.find_missing(workspace))
    with packs.new(tmp_path / systems.SHIPPED) as folder:
        packs.seal(folder, packs.About("old", "neural", {"modern": ""}), {})
    assert systems.load_shipped(workspace).folder == tmp_path / systems.SHIPPED
    told = list(recipe.find_missing(workspace))[-1]
    assert "strap-unsupervised, strap-inverse" in told
    assert "training/README.md" in told
