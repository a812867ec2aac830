"""A new style from plain text: weights that round-trip, and every stage."""

import json
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import neural_toy as toy
from paraphrast.cli.main import main
from paraphrast.errors import ParaphrastError
from paraphrast.neural.learn import back_paraphrase, style_guide, texts
from paraphrast.neural.learn.report import find_warnings
from paraphrast.storage import ctranslate2_weights, packs
from paraphrast.storage.ctranslate2_model import WEIGHTS

PACK = Path(__file__).parent / "packs" / "neural-1"


@pytest.fixture(autouse=True)
def one_thread(request):
    """Keep torch from waiting for a core that another test has."""
    if request.node.get_closest_marker("train"):
        import torch

        torch.set_num_threads(1)


def test_weights_are_read_and_written_byte_for_byte(tmp_path):
    weights = ctranslate2_weights.read(PACK / WEIGHTS)
    ctranslate2_weights.write(weights, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (PACK / WEIGHTS).read_bytes()


def test_changed_weights_are_quantised_to_eight_bits_and_others_stay():
    weights = ctranslate2_weights.read(PACK / WEIGHTS)
    name = "decoder/layer_0/ffn/linear_0/weight"
    wanted = weights.dense(name) + 0.5
    changed = weights.replace_values({name: wanted})
    assert np.abs(changed.dense(name) - wanted).max() < 0.01
    assert changed.arrays[name].dtype == np.int8
    others = set(weights.arrays) - {name, f"{name}_scale"}
    assert all(changed.arrays[n] is weights.arrays[n] for n in others)


def test_a_row_of_zeros_stays_zero_in_eight_bits():
    value, scale = ctranslate2_weights.in_8_bits(np.array([[0.0, 0.0], [2.0, -1.0]]))
    assert value.tolist() == [[0, 0], [127, -64]]
    assert np.isfinite(scale).all()


@pytest.mark.parametrize("content", [b"", b"\x07\0\0\0", b"\x06\0\0\0\x05\0Abc"])
def test_an_invalid_model_file_is_refused(tmp_path, content):
    (tmp_path / "model.bin").write_bytes(content)
    with pytest.raises(ParaphrastError, match="Re-download the pack"):
        ctranslate2_weights.read(tmp_path / "model.bin")


@pytest.mark.train
def test_torch_and_ctranslate2_agree_on_the_weights_of_a_pack():
    from paraphrast.neural.finetune import t5_weights
    from paraphrast.neural.finetune.torch_engine import TorchEngine
    from paraphrast.neural.models import pack as model
    from paraphrast.neural.models.ctranslate2_engine import Int8Engine
    from paraphrast.neural.models.generation import Request

    opened, _ = t5_weights.open_model(PACK)
    prompter = model.load_pack(PACK, "old").prompter
    requests = [Request(source, "old") for source, _ in toy.PAIRS]
    targets = [target for _, target in toy.PAIRS]
    ours = TorchEngine(opened, prompter, 0).score(requests, targets)
    exact = Int8Engine(PACK, prompter, compute="float32").score(requests, targets)
    assert np.allclose(ours, exact, atol=1e-3)


def plain_engine(answers, score=lambda request, text: -float(len(text))):
    """Return an engine that knows its answers by style and text."""
    return toy.FakeEngine(
        lambda _, request: [answers[request.style].get(request.text, request.text)],
        score=score,
    )


def sure_engine(answers, sure):
    """Return an engine that finds the source again from some versions."""
    return plain_engine(
        answers, lambda request, text: -1.0 if request.text in sure else -40.0
    )


def test_only_versions_that_can_be_reversed_are_kept():
    texts = [
        "Whither goest thou this day, good sir?",
        "Good Montague hath three ships upon the sea.",
        "The king is dead and gone.",
    ]
    engine = plain_engine(
        {
            "plain": {
                texts[0]: "Where are you going today, good sir?",
                texts[1]: "Good Boston has three ships on the sea.",
            },
            "old": {texts[0]: "Whither, whither, good sir, whither dost thou go?"},
        }
    )
    found = back_paraphrase.pairs(engine, texts, ["plain", "old"])
    assert {pair.target for pair in found} == {texts[0]}
    assert [pair.source for pair in found] == [
        "Where are you going today, good sir?",
        "Whither, whither, good sir, whither dost thou go?",
    ]


def test_versions_that_lead_back_to_the_original_are_kept(monkeypatch):
    text = "Whither goest thou this day, good sir?"
    found = {
        "neutral": "Where are you going today, good sir?",
        "modern": "Good sir, are you going away this year?",
        "formal": "Where do you go this day, good sir?",
    }
    engine = sure_engine(
        {style: {text: version} for style, version in found.items()},
        sure={found["neutral"], found["formal"]},
    )
    monkeypatch.setattr(back_paraphrase, "KEPT", 2)
    pairs = back_paraphrase.pairs(engine, [text], list(found))
    assert [pair.source for pair in pairs] == [found["neutral"], found["formal"]]


def test_of_two_sure_versions_the_more_different_one_is_kept(monkeypatch):
    text = "The old man looked at the grey sea all day."
    near = "The old man looked at the grey ocean today."
    far = "All day an elderly man stared at grey water."
    engine = sure_engine(
        {"neutral": {text: near}, "modern": {text: far}}, sure={near, far}
    )
    monkeypatch.setattr(back_paraphrase, "KEPT", 1)
    pairs = back_paraphrase.pairs(engine, [text], ["neutral", "modern"])
    assert [pair.source for pair in pairs] == [far]


def test_the_guide_tells_a_style_from_its_plain_versions(tmp_path):
    old = [target for _, target in toy.PAIRS]
    plain = [source for source, _ in toy.PAIRS]
    model = style_guide.learn(old, plain)
    assert min(model.probabilities(old)) > 0.5 > max(model.probabilities(plain))
    model.save(tmp_path / "guide")
    again = style_guide.load(tmp_path / "guide")
    assert again.signature == model.signature
    assert again.probabilities(old) == model.probabilities(old)
    assert model.probabilities(["…"]) == again.probabilities(["…"])


SENTENCE = "The old man looked at the grey sea and said nothing for {} hours."


def write_text(path, number):
    path.write_text("\n".join(SENTENCE.format(n) for n in range(number)) + "\n")
    return path


def test_a_text_that_is_too_short_says_what_is_missing(tmp_path):
    path = write_text(tmp_path / "mine.txt", 57)
    with path.open("a") as file:
        file.write("CHAPTER ONE.\n\nNo.\n\n" + SENTENCE.format(3) + "\n")
    with pytest.raises(ParaphrastError) as error:
        texts.read(path)
    message = str(error.value)
    assert "57 sentences" in message
    assert "add 143 more" in message
    assert "2 under 3 words" in message
    assert "1 repeated" in message


def test_counts_of_omitted_text_agree_in_number(tmp_path):
    path = tmp_path / "mine.txt"
    french = "Il est venu hier avec son chien et nous avons mangé ensemble. "
    code = "if (a[0] == b[1]) { return c(); } else { d(); };"
    path.write_text(f"{french}\n\n{code}\n\nThe old man said nothing.\n")
    with pytest.raises(ParaphrastError) as error:
        texts.read(path)
    message = str(error.value)
    assert "1 sentence to learn from" in message
    assert "1 not in English" in message
    assert "it " not in message


def test_an_empty_file_is_reported_as_empty(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("\n \n")
    with pytest.raises(ParaphrastError, match="mine.txt is empty. Give 200 sentences"):
        texts.read(path)


def test_wrapped_lines_are_joined_and_others_are_not(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text(
        "The old man looked at the sea,\nwhich was grey, and said\nnothing at all. He"
        "\nwent home.\n\nOne line is one sentence.\nSo is the other line.\n\n"
        "lines of messages\nmay have no stop at all but end somewhere\nlike this one\n"
    )
    assert texts.read(path, fewest=1).sentences == [
        "The old man looked at the sea, which was grey, and said nothing at all.",
        "He went home.",
        "One line is one sentence.",
        "So is the other line.",
        "lines of messages",
        "may have no stop at all but end somewhere",
        "like this one",
    ]


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ParaphrastError, match="mine.txt"):
        texts.read(tmp_path / "mine.txt")


@pytest.fixture
def run(monkeypatch, capfd):
    """Run a command and return its exit code, stdout and stderr."""

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["paraphrast", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capfd.readouterr()
        return stopped.value.code, out, err

    return command


@pytest.fixture
def old_text(tmp_path, monkeypatch):
    """Give a text from which the toy pack can learn, and let it be that short."""
    from paraphrast.neural.learn import teach as teaching

    monkeypatch.setattr(teaching, "FEWEST_PAIRS", 4)
    monkeypatch.setattr(teaching, "LEAST_HELD", 2)
    monkeypatch.setattr(texts, "FEWEST", 8)
    path = tmp_path / "old.txt"
    path.write_text("".join(f"{target}\n\n" for _, target in toy.PAIRS))
    return path


@pytest.mark.train
def test_learn_makes_a_style_that_rewrite_uses(run, old_text, tmp_path):
    from paraphrast.neural.models.pack import Settings

    home = tmp_path / "packs"
    learn = ("learn", "mine", old_text, "--from", PACK, "--packs", home)
    code, out, err = run(*learn, "--minutes", "0.2", "--threads", "1")
    assert code == 0, err
    assert "ACC by a newly trained classifier" in out
    assert "finding the nearest style" in err
    about = packs.verify(home / "mine").about
    assert about.styles["mine"].startswith("learned from old.txt")
    guide = style_guide.load(home / "mine" / style_guide.FILE)
    assert guide.signature in about.evaluators
    assert packs.read(home / "mine").settings(Settings).decoding.temperature < 1
    assert [score.name for score in about.scores][0] == "held-out ACC"
    report = json.loads((home / "mine" / "report.json").read_text())
    assert report["figures"].keys() == {"plain", "before", "after", "own"}
    assert 0 < report["lesson"]["steps"] <= report["lesson"]["planned_steps"]
    code, out, _ = run("rewrite", "--to", "mine", "--packs", home, "you are late again")
    assert code == 0
    assert out == "thou art late again\n"
    code, _, err = run(*learn)
    assert code == 2
    assert "--replace" in err


def make_report(**lesson):
    row = {"ACC": 0.0, "SIM": 0.0, "FL": 0.0, "J": 10.0}
    steps = {"steps": 100, "planned_steps": 100, "stopped_by_time": False}
    used = {"training_sentences": 200, "paraphrased_sentences": 150}
    figures = {name: row for name in ("plain", "before", "own")}
    return {
        "figures": figures | {"after": row | {"J": lesson.pop("J", 30.0)}},
        "lesson": steps | used | lesson,
    }


def test_a_lesson_that_went_well_has_no_warning():
    assert find_warnings(make_report()) == []


@pytest.mark.parametrize(
    ("lesson", "warning"),
    [
        ({"J": 12.1}, "gains only 2.1 points of J"),
        ({"steps": 16, "stopped_by_time": True}, "after 16 of 100 steps"),
        ({"paraphrased_sentences": 80}, "only 80 of 200 sentences"),
    ],
)
def test_a_lesson_that_went_badly_gives_a_warning(lesson, warning):
    (found,) = find_warnings(make_report(**lesson))
    assert warning in found


def test_a_lesson_that_stopped_early_by_itself_gives_no_warning():
    assert find_warnings(make_report(steps=60)) == []


@pytest.mark.train
def test_the_packs_guide_reads_all_and_the_measured_one_what_no_judge_has(
    old_text, tmp_path
):
    from paraphrast.neural.learn import teach as teaching

    found = texts.read(old_text)
    given = teaching.Texts(found.sentences, packs.Data("old.txt", "0" * 64))
    seen, stages = [], []

    def measure(before, after, held):
        seen.append((after.guide.model, held))
        return teaching.Measured((), {})

    taught = teaching.teach(
        packs.read(PACK), given, tmp_path / "mine", measure=measure,
        show=lambda progress: stages.append(progress.stage),
        options=teaching.Options(seconds=5, threads=1),
    )  # fmt: skip
    [(measured, held)] = seen
    own = style_guide.load(taught.pack.folder / style_guide.FILE)
    assert own.signature in taught.pack.about.evaluators
    assert own.signature != measured.signature
    read_by_both = own.weights != 0
    unread = style_guide.learn(held.learned, held.others).weights != 0
    assert (read_by_both >= unread).all()
    assert not (measured.weights != 0)[unread].all()
    assert stages[0] == "paraphrasing"
    assert stages[-1] == "measuring"


@pytest.mark.train
def test_a_resumed_run_ends_with_the_same_weights(old_text, tmp_path, monkeypatch):
    from paraphrast.neural.finetune import lora_training
    from paraphrast.neural.learn import teach as teaching

    found = texts.read(old_text)
    given = teaching.Texts(found.sentences, packs.Data("old.txt", "0" * 64))
    options = teaching.Options(seconds=1e9, threads=1)  # steps end it, not time
    measured = teaching.Measured((), {})

    def teach(name, show=lambda _: None, **more):
        teaching.teach(
            packs.read(PACK), given, tmp_path / name, measure=lambda *_: measured,
            show=show, options=options, **more
        )  # fmt: skip
        return (tmp_path / name / WEIGHTS).read_bytes()

    # Several batches an epoch, and nothing held out, so that the last weights are kept.
    plan = partial(lora_training.Plan, batch_tokens=64)
    monkeypatch.setattr(teaching, "LEAST_HELD", 0)
    monkeypatch.setattr(teaching, "HELD_OUT_SHARE", 0.0)
    monkeypatch.setattr(teaching._Learned, "held_out", lambda _: None)
    monkeypatch.setattr(lora_training, "Plan", plan)
    whole = teach("whole")
    limits = partial(lora_training.Limits, checkpoint_seconds=0.0)
    monkeypatch.setattr(lora_training, "Limits", limits)

    def stop(progress):
        if progress.stage == "learning" and progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teach("parted", stop)
    assert (tmp_path / "parted.partial" / lora_training.CHECKPOINT).exists()
    assert teach("parted", resume=True) == whole
    assert not (tmp_path / "parted.partial").exists()


def test_a_name_that_is_taken_is_refused(run, tmp_path):
    path = write_text(tmp_path / "mine.txt", 300)
    code, _, err = run("learn", "formal", path, "--packs", tmp_path / "packs")
    assert code == 2
    assert "a style 'formal' already exists" in err


def test_an_invalid_style_name_is_refused_with_a_remedy(run, tmp_path):
    path = write_text(tmp_path / "mine.txt", 300)
    code, _, err = run("learn", "../mine", path, "--packs", tmp_path / "packs")
    assert code == 2
    assert (
        "cannot be named '../mine'. Choose a name of plain letters and digits." in err
    )


def test_without_torch_one_line_says_what_to_install(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    path = write_text(tmp_path / "mine.txt", 300)
    code, _, err = run(
        "learn", "mine", path, "--from", PACK, "--packs", tmp_path / "packs"
    )
    assert code == 2
    assert err.count("\n") == 1
    assert "paraphrast[train]" in err


@pytest.mark.train
def test_a_pack_of_one_style_cannot_learn(old_text, tmp_path, run):
    from paraphrast.neural.models.pack import Settings

    pack = packs.read(PACK)
    settings = replace(pack.settings(Settings), tagged=False)
    packs.update(pack, tmp_path / "one", settings=asdict(settings))
    code, _, err = run(
        "learn", "mine", old_text, "--from", tmp_path / "one", "--packs", tmp_path
    )
    assert code == 2
    assert "it is not a T5 with several styles" in err
