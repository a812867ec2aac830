"""The large teacher of recipes/strap/training: blocks, pruning, learning, sampling."""

import importlib
import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from paraphrast.neural.finetune.examples import Example, Source
from paraphrast.neural.models import folders
from paraphrast.neural.models.generation import Decoding
from paraphrast.neural.models.prompts import Request

pytestmark = pytest.mark.train
TRAINING = Path(__file__).parents[1] / "recipes/strap/training"
WIDE, INNER = 256, 512
TEXT = "thou art my friend and i am thy friend you are kind to me"
WORDS = TEXT.split()
ANSWERS = ["yes", "no", "old", "modern"]


@pytest.fixture(scope="module")
def recipe() -> Any:
    """Import the recipe's modules as its scripts do."""
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    sys.path.insert(0, str(TRAINING))
    try:
        names = ("blocks", "shrink", "qwen", "teacher")
        yield SimpleNamespace(**{n: importlib.import_module(n) for n in names})
    finally:
        sys.path.remove(str(TRAINING))


def gguf_text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def gguf_value(value: Any) -> bytes:
    """Write a value with its kind, as GGUF does."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + gguf_text(value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    inner = 8 if isinstance(value[0], str) else 5
    head = struct.pack("<IIQ", 9, inner, len(value))
    each = [gguf_text(v) if inner == 8 else struct.pack("<i", v) for v in value]
    return head + b"".join(each)


def gguf_file(
    facts: dict[str, Any], tensors: dict[str, tuple[int, Any, bytes]]
) -> bytes:
    """Write a file; tensors are (kind, shape, data), widths last."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts))
    head += b"".join(gguf_text(key) + gguf_value(v) for key, v in facts.items())
    data = b""
    for name, (kind, shape, own) in tensors.items():
        head += gguf_text(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *shape[::-1])
        head += struct.pack("<IQ", kind, len(data))
        data += own + bytes(-len(own) % 32)
    return head + bytes(-len(head) % 32) + data


def pieces() -> tuple[list[str], list[str]]:
    """Return a vocabulary that merges our words letter by letter, and its merges."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    signs = [chr(b) for b in visible] + [
        chr(256 + n) for n in range(256 - len(visible))
    ]
    merges: dict[str, None] = {}
    vocabulary = dict.fromkeys(signs)
    for word in ["Ċ", *(f"Ġ{w}" for w in [*WORDS, *ANSWERS]), "Ġnever", "Ġused"]:
        for end in range(2, len(word) + 1):
            merges.setdefault(f"{word[: end - 1]} {word[end - 1]}")
            vocabulary.setdefault(word[:end])
    return list(vocabulary), list(merges)


def little_gguf(path: Path) -> None:
    """Write a Qwen2 of two layers with random blocks, 4 and 6 bits by turns."""
    draw = np.random.default_rng(3)
    text, merges = pieces()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    facts = {
        "qwen2.block_count": 2, "qwen2.context_length": 256,
        "qwen2.embedding_length": WIDE, "qwen2.feed_forward_length": INNER,
        "qwen2.attention.head_count": 4, "qwen2.attention.head_count_kv": 2,
        "qwen2.rope.freq_base": 1e4, "qwen2.attention.layer_norm_rms_epsilon": 1e-6,
        "tokenizer.ggml.tokens": text + special,
        "tokenizer.ggml.token_type": [1] * len(text) + [3] * 3,
        "tokenizer.ggml.merges": merges,
    }  # fmt: skip

    def matrix(kind: int, rows: int, wide: int) -> tuple[int, Any, bytes]:
        size = {12: 144, 14: 210}[kind]
        own = draw.integers(0, 256, (rows * wide // 256, size), np.uint8)
        scale = np.frombuffer(np.float16(2e-4).tobytes(), np.uint8)
        for at in (0, 2) if kind == 12 else (208,):
            own[:, at : at + 2] = scale
        return kind, (rows, wide), own.tobytes()

    def vector(wide: int, value: float) -> tuple[int, Any, bytes]:
        return 0, (wide,), np.full(wide, value, np.float32).tobytes()

    tensors = {
        "token_embd.weight": matrix(12, len(text) + 3, WIDE),
        "output.weight": matrix(14, len(text) + 3, WIDE),
        "output_norm.weight": vector(WIDE, 1.0),
    }
    for layer in range(2):
        name = f"blk.{layer}"
        tensors |= {
            f"{name}.attn_norm.weight": vector(WIDE, 1.0),
            f"{name}.ffn_norm.weight": vector(WIDE, 1.0),
            f"{name}.attn_q.weight": matrix(12, WIDE, WIDE),
            f"{name}.attn_q.bias": vector(WIDE, 0.1),
            f"{name}.attn_k.weight": matrix(12, WIDE // 2, WIDE),
            f"{name}.attn_k.bias": vector(WIDE // 2, 0.1),
            f"{name}.attn_v.weight": matrix(14, WIDE // 2, WIDE),
            f"{name}.attn_v.bias": vector(WIDE // 2, 0.0),
            f"{name}.attn_output.weight": matrix(12, WIDE, WIDE),
            f"{name}.ffn_gate.weight": matrix(12, INNER, WIDE),
            f"{name}.ffn_up.weight": matrix(12, INNER, WIDE),
            f"{name}.ffn_down.weight": matrix(14, WIDE, INNER),
        }
    path.write_bytes(gguf_file(facts, tensors))


@pytest.fixture(scope="module")
def folder(recipe: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a teacher built from parts, all of it by the scripts."""
    place: Path = tmp_path_factory.mktemp("teacher")
    little_gguf(place / "little.gguf")
    (place / "text.tsv").write_text(" ".join([*WORDS, *ANSWERS]) + "\tthou art\n")
    run = [sys.executable, TRAINING / "shrink.py", "--gguf", place / "little.gguf"]
    run += ["--text", place / "text.tsv", "-o", place / "parts", "--part", "300000"]
    run += ["--least", "1"]
    subprocess.run(run, check=True, capture_output=True)
    assert len(list((place / "parts").glob("teacher.[0-9][0-9]"))) > 2
    recipe.teacher.build(place / "parts", place / "base", "cpu")
    return place


def test_four_bits_are_scale_times_value_less_the_least(recipe: Any) -> None:
    block = np.zeros(144, np.uint8)
    block[:2] = np.frombuffer(np.float16(0.5).tobytes(), np.uint8)
    block[2:4] = np.frombuffer(np.float16(0.25).tobytes(), np.uint8)
    block[4:8] = [3, 0, 0, 0b01_000000]  # scale of part 0; high bits of part 7
    block[8:12] = [2, 0, 0, 0b10_000000]
    block[12:16] = [0, 0, 0, 0x5 | 0x7 << 4]  # low bits of part 7
    block[16] = 0x9 | 0xA << 4  # first of parts 0 and 1
    block[16 + 127] = 0xC << 4  # last of part 7
    made = recipe.blocks.numbers(recipe.blocks.Blocks("Q4_K", (256,), block[None]))
    assert float(made[0]) == 0.5 * 3 * 9 - 0.25 * 2
    assert float(made[1]) == -0.25 * 2
    assert float(made[32]) == 0
    scale, least = 0x5 | 1 << 4, 0x7 | 2 << 4
    assert float(made[255]) == 0.5 * scale * 12 - 0.25 * least


def test_six_bits_are_scale_times_value_about_the_middle(recipe: Any) -> None:
    block = np.zeros(210, np.uint8)
    block[0] = 0x5 | 0x3 << 4  # low bits of numbers 0 and 64
    block[128] = 0b00_10_00_01  # high bits of numbers 0 and 64
    block[192:208] = np.arange(1, 17)
    block[208:] = np.frombuffer(np.float16(2).tobytes(), np.uint8)
    made = recipe.blocks.numbers(recipe.blocks.Blocks("Q6_K", (256,), block[None]))
    assert float(made[0]) == 2 * 1 * (0x5 + 16 - 32)
    assert float(made[64]) == 2 * 5 * (0x3 + 32 - 32)
    assert float(made[255]) == 2 * 16 * -32


def test_pruning_keeps_the_cuts_and_the_rows(recipe: Any, folder: Path) -> None:
    said, tensors = recipe.blocks.read(folder / "little.gguf")
    table = json.loads((folder / "base/tokenizer.json").read_text("utf-8"))
    names = set(table["model"]["vocab"])
    assert "Ġfriend" in names
    assert "Ġnever" not in names
    made = recipe.qwen.load(folder / "base", "cpu").weights[recipe.qwen.TABLE]
    old = said["tokenizer.ggml.tokens"].index("Ġfriend")
    whole = recipe.blocks.numbers(tensors["output.weight"])[old].bfloat16().float()
    new = table["model"]["vocab"]["Ġfriend"]
    assert made[new].tolist() == whole.tolist()


def test_damaged_part_is_refused(recipe: Any, folder: Path, tmp_path: Path) -> None:
    for path in (folder / "parts").iterdir():
        data = bytearray(path.read_bytes())
        if path.name == "teacher.01":
            data[7] ^= 1
        (tmp_path / path.name).write_bytes(data)
    with pytest.raises(SystemExit, match=r"teacher\.01: damaged"):
        list(recipe.teacher.checked(tmp_path))


def test_logits_are_those_of_transformers(recipe: Any, folder: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    theirs = transformers.Qwen2ForCausalLM.from_pretrained(
        folder / "base", dtype=torch.float32
    ).eval()
    ours = recipe.qwen.load(folder / "base", "cpu")
    draw = torch.Generator().manual_seed(1)
    size = theirs.config.vocab_size
    lengths, each = torch.tensor([11, 7, 4]), 2
    ids, new, start = (
        torch.randint(0, size, shape, generator=draw)
        for shape in ((3, 11), (6, 5), (1, 5))
    )
    before = recipe.qwen.Cache(torch.tensor([5]), 5, 0)
    with torch.inference_mode():
        plain = ours.logits(ours.read(ids))
        assert torch.allclose(plain, theirs(ids).logits, atol=1e-3)
        ours.read(start, before)
        cache = recipe.qwen.Cache(lengths, 11, 5, each=each, start=before)
        ours.read(ids, cache)
        rows = torch.arange(6)
        for step in range(5):
            if step == 3:
                rows = torch.tensor([0, 3, 5])
                cache.keep(rows)
            positions = 5 + lengths[rows // each] + step
            said = ours.logits(ours.go_on(new[rows, step], positions, cache))
            for place, row in enumerate(rows.tolist()):
                own = ids[row // each, : lengths[row // each]]
                whole = torch.cat([start[0], own, new[row, : step + 1]])[None]
                wanted = theirs(whole).logits[0, -1]
                assert torch.allclose(said[place], wanted, atol=1e-3)


def test_the_nucleus_has_the_likeliest_and_no_others(recipe: Any) -> None:
    torch = pytest.importorskip("torch")
    chances = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log().repeat(4000, 1)
    torch.manual_seed(1)
    found = recipe.teacher.drawn(chances, Decoding("nucleus", top_p=0.75))
    counts = torch.bincount(found, minlength=4) / 4000
    # Of a row whose draws are all refused the likeliest is taken: 0.2 ** 3 of them.
    assert counts[2:].sum() == 0
    assert abs(counts[1] - 0.375 * (1 - 0.008)) < 0.03


def test_teacher_learns_and_answers(recipe: Any, folder: Path, tmp_path: Path) -> None:
    rows = [
        ("you are kind", "thou art kind"),
        ("you are my friend", "thou art my friend"),
    ]
    path = tmp_path / "rows.tsv"
    path.write_text("".join(f"{a}\t{b}\tshakespeare\n" for a, b in rows * 30))
    record = recipe.teacher.tune(
        [Source(path)], folder / "base", tmp_path / "tuned", seconds=600, rate=1e-3,
        device="cpu", epochs=12, batch_pieces=256, held_out=0,
    )  # fmt: skip
    assert record["rows learnt"] == 60 * 12
    teacher = recipe.teacher.load(tmp_path / "tuned", "cpu")
    requests = [Request(a, "shakespeare") for a, _ in rows]
    said = teacher.candidates(requests, Decoding())
    assert [own[0].text for own in said] == [b for _, b in rows]
    assert all(-3 < own[0].log_probability < 0 for own in said)
    many = teacher.candidates(requests, Decoding("nucleus", candidates=8))
    assert all(
        b in [one.text for one in own] for (_, b), own in zip(rows, many, strict=True)
    )
    assert teacher.candidates(requests, Decoding(), seconds=0) == [[], []]


def test_a_text_is_answered_alike_alone_and_in_a_batch(
    recipe: Any, folder: Path
) -> None:
    teacher = recipe.teacher.load(folder / "base", "cpu")
    requests = [Request(" ".join(WORDS[:n]), "modern") for n in (1, 9, 4)]
    decoding = Decoding(longest=20)
    together = teacher.candidates(requests, decoding)
    for request, own in zip(requests, together, strict=True):
        (alone,) = teacher.candidates([request], decoding)
        assert alone[0].text == own[0].text
        assert abs(alone[0].log_probability - own[0].log_probability) < 1e-2


def test_scripts_write_candidates_in_time(
    recipe: Any, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "requests.tsv").write_text(
        "thou art kind\tmodern\nmy friend\tmodern\tmine\n"
    )
    shots = {"system": "my friend", "shots": [["thou", "you"]]}
    (tmp_path / "shots.json").write_text(json.dumps(shots))
    run = [sys.executable, TRAINING / "teacher.py", "sample", "--device", "cpu"]
    run += ["--model", folder / "base", "--requests", tmp_path / "requests.tsv"]
    run += ["--each", "3", "--longest", "6", "--seconds", "60"]
    run += ["--shots", tmp_path / "shots.json", "-o", tmp_path / "candidates.tsv"]
    subprocess.run(run, check=True, capture_output=True)
    read = recipe.teacher.read_candidates(tmp_path / "candidates.tsv")
    assert [request.text for request in read[0]] == ["thou art kind", "my friend"]
    assert read[1] == ["thou art kind", "mine"]
    assert all(1 <= len(own) <= 3 for own in read[2])


def test_rater_says_of_every_text_what_it_was_taught(
    recipe: Any, folder: Path, tmp_path: Path
) -> None:
    rating = importlib.import_module("rating")
    rows = [
        ("thou art kind", "old"), ("you are kind", "modern"), ("my friend", "yes"),
        ("me to to", "no"),
    ]  # fmt: skip
    path = tmp_path / "rows.tsv"
    path.write_text("".join(f"{a}\t{b}\trate\n" for a, b in rows * 8))
    recipe.teacher.tune(
        [Source(path)], folder / "base", tmp_path / "rater", seconds=600, rate=1e-3,
        device="cpu", epochs=24, batch_pieces=128, held_out=0,
    )  # fmt: skip
    rater = rating.Rater(tmp_path / "rater", "cpu")
    old = rater.style(["Thou art kind", "you are kind"], "shakespeare")
    assert old[0] > 0.6 > 0.4 > old[1]
    assert rater.style(["you are kind"], "modern") == [1 - old[1]]
    natural = rater.natural(["my friend", "Me to to", TEXT])
    assert natural[0] > 0.6 > 0.4 > natural[1]
    rater.forget()  # what is read alone is not filled up
    assert rater.natural(["my friend"])[0] == pytest.approx(natural[0], abs=1e-4)


def test_likelihood_is_the_mean_of_the_pieces_in_any_company(
    recipe: Any, folder: Path
) -> None:
    import torch

    rating = importlib.import_module("rating")
    asked = recipe.teacher.load(folder / "base", "cpu")
    texts = ["thou art kind", "my friend", TEXT]
    found = rating.likelihoods(asked, texts)
    stop = asked.cutter.stop
    ids = torch.tensor([[stop, *asked.cutter.numbers([" my friend"])[0], stop]])
    with torch.inference_mode():
        chances = asked.model.logits(asked.model.read(ids))[0].log_softmax(-1)
    means = [float(chances[at, piece]) for at, piece in enumerate(ids[0, 1:])]
    assert found[1] == pytest.approx(sum(means) / len(means), abs=1e-4)
    assert rating.likelihoods(asked, texts[::-1])[1] == pytest.approx(
        found[1], abs=1e-4
    )


def test_many_texts_are_cut_as_one_is(recipe: Any, folder: Path) -> None:
    prompter = folders.read(folder / "base").prompter(tagged=True)
    texts = ["thou  art kind", "a <|im_end|> b", "é friend!", "never"]
    cutter = recipe.teacher.Cutter(folder / "base")
    requests = [Request(text, "modern") for text in texts]
    wanted = [prompter.tokenizer.numbers(prompter.source(one)) for one in requests]
    assert cutter.sources(requests) == wanted
    ((_, target),) = cutter.pairs([Example(requests[1], texts[1])])
    assert target == prompter.tokenizer.numbers(prompter.target(texts[1]))
    assert cutter.text(target[:-1]) == texts[1]


def test_rows_are_named_with_style_side_and_times(recipe: Any) -> None:
    read = recipe.teacher.source_of
    assert read("a.tsv@modern~*0.5") == Source(Path("a.tsv"), "modern", 0.5, swap=True)
    assert read("x/b.tsv") == Source(Path("x/b.tsv"))
    with pytest.raises(SystemExit, match="expected FILE"):
        read("a*b*c")


@pytest.fixture
def lesson(recipe: Any, tmp_path: Path) -> Any:
    """Return a lesson in an empty work folder that is to be over by minute 10."""
    teaching = importlib.import_module("teaching")
    work = importlib.import_module("work").Work(tmp_path, 1.0, "cpu", tmp_path)
    return teaching.Lesson(work, dict(teaching.SECONDS), None, 10)


def test_steps_are_shortened_alike_when_time_is_short(lesson: Any) -> None:
    assert lesson.bound("tune") == lesson.seconds["tune"]  # nobody set the clock
    clock = lesson.folder / "clock"
    clock.touch()
    beside = 3 * sys.modules["teaching"].BESIDE
    wanted = sum(lesson.seconds[name] for name in ("tune", "plays", "styles"))
    os.utime(clock, (0, time.time() - 600 + beside + wanted / 2))
    assert lesson.bound("tune") == pytest.approx(lesson.seconds["tune"] / 2, rel=0.02)
    assert lesson.bound("strap") == lesson.seconds["strap"]
    os.utime(clock, (0, time.time() - 3600))
    assert lesson.bound("tune") == lesson.seconds["tune"] / 4


def test_all_of_a_course_is_over_by_its_minute(recipe: Any, tmp_path: Path) -> None:
    expert = importlib.import_module("expert")
    work = importlib.import_module("work").Work(tmp_path, 1.0, "cpu", tmp_path)
    course = expert.Course(work, dict(expert.SECONDS), None, 10)
    assert course.bound("strap") == expert.SECONDS["strap"]  # nobody set the clock
    (tmp_path / "clock").touch()
    last = sum(list(expert.SECONDS.values())[-4:])
    beside = 4 * expert.BESIDE + expert.RATING
    os.utime(tmp_path / "clock", (0, time.time() - 600 + beside + last / 2))
    assert course.share("strap") == pytest.approx(0.5, rel=0.02)
    assert course.share("explore") == expert.LEAST  # so it would be left out
    expert.explore(course)
    assert (tmp_path / "candidates/explore.tsv").read_text() == ""


def test_own_paraphrases_take_the_place_of_others(lesson: Any) -> None:
    (lesson.folder / "teacher-neutral.tsv").write_text("Go now.\tHie thee.\t-\n")
    asked = "Go.\tmodern\tHie thee.\nStay.\tmodern\tTarry.\n"
    (lesson.folder / "requests.tsv").write_text(asked)
    found = sys.modules["teaching"].requests(lesson, "requests.tsv")
    assert found == [("Go now.", "modern", "Hie thee."), ("Stay.", "modern", "Tarry.")]
