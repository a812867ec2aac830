"""``paraphrast nmt …`` and ``rewrite --using nmt`` as a person meets them."""

import json
import shutil
from pathlib import Path

import pytest

import nmt_toy as toy
from paraphrast.nmt import building, weights
from paraphrast.nmt.building import Origin
from paraphrast.nmt.model import Settings

PACK = Path(__file__).parent / "packs" / "nmt-1"
SMALL = ("--hidden", 16, "--embedding-size", 8, "--layers", 1, "--epochs", 2)
SMALL += ("--device", "cpu", "--batch-tokens", 300)


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "packs"
    shutil.copytree(PACK, folder / "greeting")
    return folder


def write_pairs(path, pairs):
    path.write_text("".join(f"{a}\t{b}\n" for a, b in pairs), "utf-8")
    return path


@pytest.fixture
def pairs(tmp_path):
    return write_pairs(tmp_path / "pairs.tsv", toy.pairs(40))


def test_a_pack_is_used_when_its_rewriter_is_named(run, home):
    command = ("rewrite", "--to", "formal", "--packs", home)
    assert run(*command, "--using", "nmt", "hi Zorro")[:2] == (0, "Good day, Zorro.\n")
    assert "Good day" not in run(*command, "hi Zorro")[1]
    code, out, _ = run("rewriters", "--packs", home)
    assert code == 0
    assert "nmt" in out


def test_changes_are_explained_and_alternatives_given(run, home):
    command = ("rewrite", "--to", "formal", "--using", "nmt", "--packs", home)
    code, out, _ = run(*command, "--explain", "hi Zorro, bye")
    assert code == 0
    assert "'hi' -> 'Good day,'" in out
    assert "(probability " in out
    _, out, _ = run(*command, "-n", 3, "--json", "hi Zorro, bye")
    record = json.loads(out)
    assert "Good day, Zorro, farewell." in out
    assert record


def test_what_is_protected_stays(run, home):
    command = ("rewrite", "--to", "formal", "--using", "nmt", "--packs", home)
    _, out, _ = run(*command, "hi http://a.example/b?c=d")
    assert "http://a.example/b?c=d" in out
    _, out, err = run(*command, "--protect", "hi", "hi Zorro")
    assert "hi" in out
    assert "protected" in err or out != "hi Zorro\n"


def random_pack(folder, **replaced):
    model = weights.round_weights(toy.random_weights(**replaced))
    return building.write_pack(
        model,
        folder,
        style="odd",
        line="random",
        settings=Settings(),
        origin=Origin(),
    ).folder


def test_a_text_that_cannot_be_rewritten_is_returned_with_the_reason(run, tmp_path):
    folder = random_pack(tmp_path / "odd")
    long = " ".join(["word"] * 130)
    for text, reason in [
        (long, "more words than the model can read"),
        ("wa wb wc 12 wd", "all candidates"),
    ]:
        code, out, err = run("rewrite", "--pack", folder, text)
        assert (code, out) == (0, f"{text}\n")
        assert reason in err


def test_show_says_what_a_pack_is(run, home):
    code, out, _ = run("nmt", "show", "greeting", "--packs", home, "--verify")
    assert code == 0
    assert "1 layers of 32 units" in out
    assert "copies source words" in out
    record = json.loads(run("nmt", "show", PACK, "--json")[1])
    assert record["architecture"]["copy"] is True


@pytest.mark.train
def test_training_writes_a_pack_from_files(run, pairs, tmp_path):
    more = tmp_path / "more.jsonl"
    more.write_text(
        "".join(
            json.dumps({"source": a, "target": b}) + "\n" for a, b in toy.pairs(8, 4)
        )
    )
    target = tmp_path / "pack"
    command = ("nmt", "train", pairs, "--style", "greeting", "--dev", pairs)
    command += (*SMALL, "--more", more, "--times", 2, "-o", target)
    code, out, err = run(*command, "--json")
    assert code == 0, err
    record = json.loads(out)
    assert record["pairs"] == 2 * 40 + 8
    assert record["held_out"] == 40
    assert (target / "model").is_file()
    data = json.loads(run("nmt", "show", target, "--json")[1])["data"]
    assert [d["name"] for d in data] == ["pairs.tsv", "more.jsonl", "pairs.tsv"]
    code, _, err = run(*command)
    assert code == 2
    assert "already exists" in err


@pytest.mark.train
def test_both_directions_and_the_rules_clean_up(run, pairs, tmp_path):
    command = ("nmt", "train", pairs, *SMALL, "--packs", tmp_path)
    assert run(*command, "--style", "formal", "--rules", "--copy")[0] == 0
    out = run("nmt", "show", tmp_path / "formal")[1]
    assert "preprocessed by the rules" in out
    code, out, _ = run(*command, "--style", "plainer", "--reverse")
    assert code == 0
    assert "4 held-out pairs" in out
    code, out, _ = run("rewrite", "--pack", tmp_path / "formal", "u r late")
    assert code == 0


def test_augmentation_writes_pairs_with_any_rewriter(run, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text(
        "u r gonna be late again\nThis sentence is fine as it is.\nshort\n"
    )
    output = tmp_path / "more.tsv"
    command = ("nmt", "augment", texts, "--to", "formal", "--using", "rules")
    code, out, _ = run(*command, "-o", output)
    assert code == 0
    assert output.read_text() == (
        "u r gonna be late again\tYou are going to be late again.\n"
    )
    assert "kept 1 of 3 texts" in out
    assert "dropped 1: unchanged" in out
    run(*command, "--back", "-o", tmp_path / "back.jsonl")
    record = json.loads((tmp_path / "back.jsonl").read_text())
    assert record["target"] == "u r gonna be late again"
    code, out, _ = run(*command, "--min-change", 100, "-o", output, "--json")
    assert json.loads(out)["dropped"]["too little changed"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--hidden", 15), "hidden must be even"),
        (("--dropout", 2), "dropout must be at least 0"),
        (("--rules",), "unknown style 'pirate'"),
        (("--embeddings", "missing.txt"), "cannot read missing.txt"),
        (("--dev", "missing.tsv"), "cannot read missing.tsv"),
    ],
)
@pytest.mark.train
def test_wrong_options_are_refused_in_one_line(
    run, pairs, tmp_path, arguments, message
):
    command = ("nmt", "train", pairs, "--style", "pirate", "-o", tmp_path / "new")
    code, _, err = run(*command, *arguments)
    assert code == 2
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_file_without_pairs_is_refused_with_its_line(run, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("one\ttwo\nalone\n")
    code, _, err = run("nmt", "train", path, "--style", "x", "-o", tmp_path / "new")
    assert code == 2
    assert "pairs.tsv:2" in err


def test_a_file_of_held_out_pairs_without_pairs_is_refused(run, pairs, tmp_path):
    (tmp_path / "empty.tsv").touch()
    command = ("nmt", "train", pairs, "--style", "x", "-o", tmp_path / "new")
    code, _, err = run(*command, "--dev", tmp_path / "empty.tsv")
    assert code == 2
    assert "empty.tsv has no pairs" in err


def test_a_stopped_augmentation_goes_on(run, tmp_path, monkeypatch):
    from paraphrast.nmt import augmentation

    monkeypatch.setattr(augmentation, "TOGETHER", 2)
    texts = tmp_path / "texts.txt"
    lines = [f"u r gonna be late again {i}" for i in range(9)]
    texts.write_text("".join(f"{line}\n" for line in ["short", *lines]))
    command = ("nmt", "augment", texts, "--to", "formal", "--using", "rules")
    whole, output = tmp_path / "whole.tsv", tmp_path / "more.tsv"
    assert run(*command, "-o", whole)[0] == 0
    pair, calls = augmentation.Augmentation._pair, []

    def stop(self, text, rewrite):
        calls.append(text)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return pair(self, text, rewrite)

    monkeypatch.setattr(augmentation.Augmentation, "_pair", stop)
    assert run(*command, "-o", output)[0] == 130
    assert not output.exists()
    code, out, _ = run(*command, "-o", output, "--resume", "--json")
    assert code == 0
    assert output.read_text() == whole.read_text()
    assert json.loads(out)["kept"] == 9
    assert json.loads(out)["dropped"] == {"too short or too long": 1}


def test_a_broken_pack_is_refused(run, home):
    model = home / "greeting" / "model"
    model.write_bytes(model.read_bytes()[:-3])
    code, _, err = run("rewrite", "--pack", home / "greeting", "hi Zorro")
    assert code == 2
    assert "changed size since it was written" in err


def test_limits_that_keep_nothing_are_refused(run, tmp_path):
    command = ("nmt", "augment", "-", "--to", "formal", "-o", tmp_path / "x.tsv")
    code, _, err = run(*command, "--min-words", 9, "--max-words", 3)
    assert code == 2
    assert "must be at least 1" in err
