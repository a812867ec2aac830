"""The large pack: the engine on a toy model, and the family around it."""

import hashlib
import json
import os
import random
from pathlib import Path

import pytest

import paraphrast
from paraphrast.errors import ParaphrastError
from paraphrast.instruct import llama
from paraphrast.instruct.large import Large
from paraphrast.instruct.llama import Llama, Sampling
from paraphrast.instruct.styles import INSTRUCTION, WORDS
from paraphrast.rewriting import offers
from paraphrast.storage import packs
from tests import gguf_toy

pytest.importorskip("xllamacpp")
pytest.importorskip("gguf")

TEXTS = [
    "The cat sat.",
    "The dog ran off.",
    "Is it you?",
    "~ no",
    "été",
    "ête",
    "a" * 90,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gguf")
    gguf_toy.write_model(folder / "base.gguf")
    gguf_toy.write_adapter(folder / "adapter.gguf")
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return Llama(folder / "base.gguf", folder / "adapter.gguf")


def fresh(model):
    """Return the model's way to write, without its memory of answers."""
    return model._write


def test_an_answer_does_not_depend_on_earlier_requests(model):
    write = fresh(model)
    requests = [
        (style, text, sampling)
        for style in ("Say. ", "Sing: ")
        for text in TEXTS
        for sampling in (None, Sampling(1), Sampling(2))
    ]
    first = {r: write(r[0], r[1], r[2]) for r in requests}
    random.Random(3).shuffle(requests)
    assert {r: write(r[0], r[1], r[2]) for r in requests} == first
    assert len({written.text for written in first.values()}) > len(requests) / 2


def test_samples_depend_on_their_seed(model):
    drawn = [fresh(model)("Say. ", "Hello.", Sampling(n)) for n in (1, 2, 1)]
    assert drawn[0] == drawn[2] != drawn[1]


def test_the_adapter_is_applied(model, folder, tmp_path):
    gguf_toy.write_adapter(tmp_path / "other.gguf", seed=3)
    other = Llama(folder / "base.gguf", tmp_path / "other.gguf")
    assert fresh(model)("Say. ", "Hello.") != fresh(other)("Say. ", "Hello.")


def test_special_token_names_in_a_text_are_plain_text(model, monkeypatch):
    prompts = []
    ask = model._ask
    monkeypatch.setattr(
        model,
        "_ask",
        lambda prompt, *a, **k: prompts.append(prompt) or ask(prompt, *a, **k),
    )
    fresh(model)("Say. ", "a <|im_end|> b")
    assert prompts[-1].count("<|im_end|>") == 1
    assert "< |im_end|>" in prompts[-1]


def test_an_unfinished_answer_is_cut_off_and_marked_as_such(model, monkeypatch):
    monkeypatch.setattr(llama, "_limit", lambda _: 3)
    assert not fresh(model)("Say. ", "Hello.").finished


def test_nothing_listens_on_the_network(model):
    address = model._server.listening_address
    assert address.startswith("unix:")
    assert Path(address.removeprefix("unix://")).is_socket()


def test_the_environment_is_left_as_it_was(folder):
    assert "GOMP_SPINCOUNT" not in os.environ


@pytest.mark.parametrize("broken", ["base.gguf", "adapter.gguf"])
def test_an_invalid_model_file_is_refused_in_one_line(folder, tmp_path, broken):
    for name in ("base.gguf", "adapter.gguf"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / broken).write_bytes(b"GGUF, but not really")
    with pytest.raises(ParaphrastError, match="cannot load .*fetch it again"):
        Llama(tmp_path / "base.gguf", tmp_path / "adapter.gguf")


def test_a_processor_without_avx2_is_refused_before_native_code(tmp_path, monkeypatch):
    cpu = tmp_path / "cpuinfo"
    cpu.write_text("processor\t: 0\nflags\t\t: fpu sse2 avx fma\nbugs\t\t: avx2\n")
    monkeypatch.setattr(llama, "CPU", cpu)
    monkeypatch.setattr(llama.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(llama, "_import", lambda: pytest.fail("imported"))
    with pytest.raises(ParaphrastError, match="has no AVX2, which `large` needs"):
        Llama(Path("base.gguf"), Path("adapter.gguf"))
    cpu.write_text("flags\t\t: fpu avx fma avx2\n")
    llama.require_processor()


@pytest.fixture
def home(folder, tmp_path):
    with packs.new(tmp_path / "large") as filling:
        for name in ("base.gguf", "adapter.gguf"):
            (filling / name).write_bytes((folder / name).read_bytes())
        packs.seal(filling, packs.About("large", "large", WORDS), {})
    llama.open_model.cache_clear()
    yield tmp_path
    llama.open_model.cache_clear()


def test_the_pack_is_used_only_when_it_is_named(home):
    assert offers.load("formal", home=home).family != "large"
    large = offers.load("formal", using="large", home=home)
    assert large.family == "large"
    assert large.rewriter.identity == packs.read(home / "large").sha256
    result = large.rewrite("I can't come today.")
    assert result.text == "I can't come today."  # a toy writes nonsense
    assert result.why.startswith("all candidates ")


def test_the_settings_of_the_user_may_name_it(home, tmp_path, monkeypatch):
    file = tmp_path / "config.toml"
    file.write_text('using = "large"\n')
    monkeypatch.setenv("PARAPHRAST_CONFIG", str(file))
    assert paraphrast.load("formal", packs=home).family == "large"
    assert paraphrast.load("formal", using="rules", packs=home).family == "rules"


def test_without_the_pack_one_line_says_how_to_get_it(tmp_path):
    with pytest.raises(ParaphrastError, match="Run `paraphrast packs fetch large`"):
        offers.load("formal", using="large", home=tmp_path)


def test_the_prompt_is_the_one_the_adapter_was_trained_on():
    said = json.dumps([INSTRUCTION, WORDS]).encode()
    # Whoever changes these words must train the adapter again.
    assert hashlib.sha256(said).hexdigest() == (
        "710c7fbeed66f984d193f6c28379a7e0caf14206d3dd5a7ae2b411be19207516"
    )


def test_the_family_looks_in_the_given_folder(home, tmp_path):
    assert set(Large(home).styles()) == set(WORDS)
    assert not Large(home).missing()
    assert not Large(tmp_path / "nowhere").styles()
