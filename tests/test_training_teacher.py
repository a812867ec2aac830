"""The teacher: fine-tuning, sampling, few-shot prompts and its rating of texts."""

import json
from pathlib import Path
from typing import Any

import pytest

import neural_toy
from paraphrast.neural.finetune.examples import Source
from paraphrast.neural.finetune.settings import Settings
from training.rewriter.workspace import Workspace, read_rows, write_rows

pytestmark = pytest.mark.train
# Answers of which each is one token of the tiny vocabulary.
OLD, MODERN, YES, NO = "thou", "you", "thy", "he"
RATED = [("thou art late", OLD), ("you are late", MODERN), ("late late", NO)]


def fine_tune(folder: Path, rows: list[str]) -> Path:
    """Fine-tune a tiny Qwen2 on rows source, target, style."""
    from paraphrast.neural.finetune import training

    write_rows(folder / "rows.tsv", rows)
    settings = Settings(
        base=neural_toy.base(folder / "base", "qwen2"),
        sources=(Source(folder / "rows.tsv"),), tagged=True, epochs=60,
        learning_rate=1e-2, batch_tokens=400, held_out=0, masking=0.0,
    )  # fmt: skip
    training.train(settings, folder / "tuned")
    return folder / "tuned"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a working folder whose teacher knows our ten pairs by heart."""
    path = tmp_path_factory.mktemp("teacher")
    rows = [f"{plain}\t{old}\tshakespeare" for plain, old in neural_toy.PAIRS]
    fine_tune(path, rows)
    return path


@pytest.fixture(scope="module")
def sampler(folder: Path) -> Any:
    from training.sampler import Sampler

    return Sampler(folder / "tuned", "cpu")


def test_prompts_are_those_that_the_model_was_trained_on(
    folder: Path, sampler: Any
) -> None:
    from paraphrast.neural.models import folders
    from paraphrast.neural.models.generation import Request

    prompter = folders.read(folder / "tuned").prompter(tagged=True)
    texts = ["you  are late", "where is Romeo?"]
    expected = [
        prompter.tokenizer.ids(prompter.source(Request(text, "modern")))
        for text in texts
    ]
    assert sampler.encode([(text, "modern") for text in texts]) == expected


def test_texts_of_all_lengths_get_the_answers_learnt(sampler: Any) -> None:
    requests = [(plain, "shakespeare") for plain, _ in neural_toy.PAIRS]
    answers = sampler.write(requests)
    right = [
        own[0] == old for own, (_, old) in zip(answers, neural_toy.PAIRS, strict=True)
    ]
    assert sum(right) >= 9
    many = sampler.write(requests[:2], each=4, top_p=0.9)
    assert [len(own) for own in many] == [4, 4]


def test_sampling_stops_in_time_and_says_which_texts_were_answered(
    sampler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampler, "rows", 4)
    requests = [(plain, "shakespeare") for plain, _ in neural_toy.PAIRS]
    answered = dict(sampler.write_in_time(requests, seconds=0, each=2, top_p=0.5))
    assert len(answered) == 2
    whole = dict(sampler.write_in_time(requests, seconds=600, each=2, top_p=0.5))
    assert sorted(whole) == list(range(len(requests)))


def test_a_model_that_is_not_fine_tuned_is_shown_examples(
    folder: Path, tmp_path: Path
) -> None:
    from training.sampler import Sampler

    shots = {"system": "Rewrite.", "shots": [["thou", "you"]]}
    (tmp_path / "shots.json").write_text(json.dumps(shots))
    prompted = Sampler(folder / "tuned", "cpu", few_shot=tmp_path / "shots.json")
    (ids,) = prompted.encode([("thou art late", "neutral")])
    assert prompted.tokenizer.decode(ids) == (
        "<|im_start|>system\nRewrite.<|im_end|>\n<|im_start|>user\nthou<|im_end|>\n"
        "<|im_start|>assistant\nyou<|im_end|>\n<|im_start|>user\nthou art late"
        "<|im_end|>\n<|im_start|>assistant\n"
    )


def test_candidates_are_written_with_their_sources(folder: Path) -> None:
    from training.rewriter.rejection_sampling import read_candidates
    from training.teacher.teach import ask

    work = Workspace(folder, share=0.01)
    jobs = [([("you are late again", "shakespeare", "late art thou")], 3, 0.9)]
    ask(work, "train", "tuned", jobs, seconds=60)
    (task,) = read_candidates(folder / "candidates/train.tsv")
    assert (task.source, task.style) == ("late art thou", "shakespeare")
    assert len(task.texts) == 3


def test_its_own_paraphrases_replace_the_small_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from training.teacher import teach

    write_rows(tmp_path / "teacher-neutral.tsv", ["Go now.\tHie thee.\t-"])
    requests = ["Go.\tmodern\tHie thee.", "Stay.\tbible\tTarry."]
    write_rows(tmp_path / "requests/train.tsv", requests)
    asked: list[Any] = []
    monkeypatch.setattr(teach, "ask", lambda *given, **_: asked.append(given[3]))
    teach.candidates(Workspace(tmp_path), 1)
    assert asked == [
        [
            ([("Go now.", "modern", "Hie thee.")], 10, 0.9),
            ([("Stay.", "bible", "Tarry.")], 6, 0.9),
        ]
    ]


def test_a_paraphrase_that_loses_a_name_is_not_learnt_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from training.teacher import teach

    candidates = [
        "neutral\tx\tI have seen Romeo here today.\tRomeo was around earlier.",
        "neutral\tx\tI have seen Paris here today.\tSomebody was around earlier.",
    ]
    write_rows(tmp_path / "candidates/more.tsv", candidates)
    monkeypatch.setattr(teach, "ask", lambda *_, **__: None)
    styles = {"I have seen Romeo here today.": "modern"}
    teach.write_paraphrases(Workspace(tmp_path), "more", ([],), styles, 1)
    assert read_rows(tmp_path / "more.tsv") == [
        "Romeo was around earlier.\tI have seen Romeo here today.\tmodern"
    ]


def test_the_rater_answers_what_it_was_taught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from training.teacher import rater as module

    monkeypatch.setattr(module, "PLAYS", (OLD, MODERN))
    monkeypatch.setattr(module, "NATURAL", (YES, NO))

    rows = [f"{text}\t{answer}\trate" for text, answer in RATED]
    rater = module.Rater(fine_tune(tmp_path, rows), "cpu")
    old = rater.style(["Thou art late", "you are late"], "shakespeare")
    assert old[0] > 0.6 > 0.4 > old[1]
    assert rater.style(["you are late"], "modern") == [1 - old[1]]
    natural = rater.natural(["late late"])
    rater.forget()  # a text that is read alone is not padded
    assert rater.natural(["late late"])[0] == pytest.approx(natural[0], abs=1e-4)


def test_log_likelihood_is_the_mean_per_token_in_any_batch(sampler: Any) -> None:
    import torch

    from training.teacher.rater import log_likelihoods

    texts = ["thou art late", "my friend", neural_toy.TEXTS[3]]
    means = log_likelihoods(sampler, texts)
    stop = sampler.after
    ids = [*stop, *sampler.tokenizer.encode(" my friend").ids, *stop]
    with torch.inference_mode():
        logits = sampler.model(input_ids=torch.tensor([ids])).logits[0]
    own = logits.log_softmax(-1)[range(len(ids) - 1), ids[1:]]
    assert means[1] == pytest.approx(float(own.mean()), abs=1e-4)
    assert log_likelihoods(sampler, texts[::-1])[1] == pytest.approx(means[1], abs=1e-4)
