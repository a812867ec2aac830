"""Bases of students, causal students, half-way adapters, requests for formal sides."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from training.everyday import corpus, formal_requests, preferences

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


class TestFormalRequests:
    @pytest.mark.parametrize(
        ("text", "informal"),
        [
            ("i have seen it before.", True),
            ("We don't agree with that.", True),
            ("That was a good film", True),
            ("They have lol no idea.", True),
            ("What a day!", True),
            ("They have never seen the film.", False),
            ("Did I answer your question?", False),
        ],
    )
    def test_informal_sentences_are_recognised(self, text: str, informal: bool) -> None:
        assert formal_requests.is_informal(text) == informal

    def test_each_sentence_is_asked_for_once_and_informal_ones_first(self) -> None:
        said = [
            "They have never seen the film.", "we have never seen the film",
            "We have never seen the film!", "Too short, yeah?", "word " * 26,
        ]  # fmt: skip
        rows = [
            {"from": "goemotions", "text": text, "style": "formal"} for text in said
        ]
        for most, expected in ((1, said[1:2]), (9, [said[1], said[0]])):
            kept = formal_requests.choose_sentences(rows, most, random.Random(1))
            assert [row["text"] for row in kept] == expected

    def test_held_out_text_of_a_corpus_is_not_requested(self, tmp_path: Path) -> None:
        folder = tmp_path / "to-formal"
        folder.mkdir()
        for part, text in (("tune", "we met again last week"), ("test", "Never mind.")):
            row = {"text": text, "references": ["It was a rather good day."]}
            corpus.write_rows(folder / f"{part}.jsonl", [row])
        said = [
            "We met again last week!",
            "it was a rather good day",
            "we met on a bus",
        ]
        rows = [{"text": text} for text in said]
        held_out = formal_requests.read_held_out(tmp_path)
        kept = formal_requests.choose_sentences(rows, 9, random.Random(1), held_out)
        assert kept == [{"text": "we met on a bus"}]


class TestPreferences:
    def rate(
        self, output: str, manner: int, held: bool, system: str = "greedy"
    ) -> dict[str, Any]:
        return {"source": "We met.", "style": "bible", "output": output, "from": "",
                "systems": [system], "kind": "", "held": held, "meaning": 2,
                "manner": manner, "fluency": 2}  # fmt: skip

    def test_the_student_is_taught_by_what_it_wrote_itself(self) -> None:
        rated = [
            self.rate("And lo, we met.", 2, False),
            self.rate("We have met.", 0, False),
            self.rate("We did meet.", 1, False, "student"),
        ]
        for writer, expected in (
            ("teacher", "We have met."),
            ("student", "We did meet."),
        ):
            (own,) = preferences.pair_ratings(rated, random.Random(1), writer)
            assert own["rejected"] == expected
            assert own["chosen"] == "And lo, we met."

    def test_a_copy_that_no_reader_saw_is_worse_than_what_is_right(self) -> None:
        row = {"source": "We met.", "style": "bible", "from": "inputs"}
        copies = preferences.find_copies([row | {"copies": [{}]}, row | {"copies": []}])
        assert [one["output"] for one in copies] == ["We met."]
        right = self.rate("And lo, we met.", 2, False)
        (own,) = preferences.pair_ratings([right, *copies], random.Random(1))
        assert (own["chosen"], own["rejected"]) == ("And lo, we met.", "We met.")
        assert own["fault"] == "manner"

    def test_held_out_ratings_teach_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = [self.rate("And lo, we met.", 2, True), self.rate("Met.", 0, True)]
        corpus.write_rows(tmp_path / "ratings.jsonl", rows)
        arguments = ["", "--ratings", str(tmp_path / "ratings.jsonl"), "-o"]
        monkeypatch.setattr("sys.argv", [*arguments, str(tmp_path)])
        preferences.main()
        assert corpus.read_rows(tmp_path / "gold.jsonl") == []
        assert corpus.read_rows(tmp_path / "preferences.jsonl") == []
        (held,) = corpus.read_rows(tmp_path / "held.jsonl")
        assert (held["chosen"], held["rejected"]) == ("And lo, we met.", "Met.")


@pytest.mark.train
class TestBases:
    @pytest.mark.parametrize("kind", ["Q4_1", "Q5_0", "Q8_0"])
    def test_blocks_of_32_are_read_as_they_were_written(self, kind: str) -> None:
        import gguf

        from training.everyday.teacher.blocks import Blocks, dequantise

        values = np.random.default_rng(1).standard_normal((3, 96)).astype(np.float32)
        form = gguf.GGMLQuantizationType[kind]
        data = gguf.quants.quantize(values, form)
        expected = gguf.quants.dequantize(data, form)
        made = dequantise(Blocks(kind, values.shape, data)).numpy()
        assert np.array_equal(made, expected)
        assert np.abs(made - values).max() < 0.2

    def test_the_halves_of_llama_heads_are_separated(self) -> None:
        from training.everyday.teacher.blocks import Blocks
        from training.everyday.teacher.shrink import restore_halves

        tensors = {
            f"model.layers.0.self_attn.{part}_proj.weight": Blocks(
                "F32", (8, 1), np.arange(8, dtype=np.uint8)[:, None]
            )
            for part in "qv"
        }
        config = {"model_type": "llama", "head_dim": 4}
        query, value = restore_halves(tensors, config).values()
        assert query.data[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
        assert value.data[:, 0].tolist() == list(range(8))
        config["model_type"] = "qwen2"
        assert restore_halves(tensors, config) == tensors

    @pytest.mark.parametrize("way", ["qwen2", "smollm"])
    def test_a_smaller_vocabulary_cuts_words_as_before(self, way: str) -> None:
        from tokenizers.pre_tokenizers import ByteLevel

        from training.everyday.teacher import shrink

        tokens = [*sorted(ByteLevel.alphabet()), "th", "the", "an", "Ġthe", "Ġan"]
        merges = [("t", "h"), ("th", "e"), ("a", "n"), ("Ġ", "the"), ("Ġ", "an")]
        special = [(name, len(tokens) + at) for at, name in enumerate(SPECIAL)]
        numbers = {token: at for at, token in enumerate(tokens)}
        whole = shrink.make_tokenizer(numbers, merges, special, way)
        kept = shrink.choose_tokens(whole, ["the 12 the"] * 3, 2)
        assert "Ġan" not in kept
        table = shrink.prune_tokenizer(whole, kept)
        assert table["pre_tokenizer"] == whole["pre_tokenizer"]
        shrink.check_tokenizer(whole, table, ["the 12 the", "an ant", "the 7"])
        cut = shrink.load_tokenizer(table).encode("the 12 the").tokens
        assert cut[0] == "the"
        assert cut[-1] == "Ġthe"
        assert "1" in cut
        assert "2" in cut


@pytest.mark.train
class TestAverage:
    def test_an_adapter_half_way_has_the_mean_of_both_products(self) -> None:
        import torch

        from training.everyday.teacher.qwen import Adapter

        first = Adapter({"a": (torch.randn(2, 9), torch.randn(7, 2))}, 2.0)
        second = Adapter({"a": (torch.randn(3, 9), torch.randn(7, 3))}, 0.5)
        made = first.average(second)
        down, up = made.matrices["a"]
        expected = sum(
            one.scale * one.matrices["a"][1] @ one.matrices["a"][0] / 2
            for one in (first, second)
        )
        assert down.shape == (5, 9)
        assert torch.allclose(made.scale * up @ down, expected, atol=1e-5)

    def test_the_command_writes_an_adapter_that_can_be_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import torch

        from training.everyday.teacher import interpolate
        from training.everyday.teacher.qwen import Adapter, save_adapter

        paths = [tmp_path / f"{name}.safetensors" for name in ("a", "b", "half")]
        for path in paths[:2]:
            save_adapter(
                Adapter({"x": (torch.randn(4, 9), torch.randn(7, 4))}, 2.0), path
            )
        arguments = ["", "--adapters", *map(str, paths[:2]), "--rank", "4", "-o"]
        monkeypatch.setattr("sys.argv", [*arguments, str(paths[2])])
        interpolate.main()
        down, up = Adapter.load(paths[2], "cpu").matrices["x"]
        assert down.shape == (4, 9)
        assert up.shape == (7, 4)
        assert paths[2].with_suffix(".json").exists()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny Llama with random weights, whose tokens are bytes."""
    import torch
    from safetensors.torch import save_file
    from tokenizers.pre_tokenizers import ByteLevel

    from training.everyday.teacher import shrink

    folder: Path = tmp_path_factory.mktemp("causal")
    letters = sorted(ByteLevel.alphabet())
    special = [(name, len(letters) + at) for at, name in enumerate(SPECIAL)]
    numbers = {letter: at for at, letter in enumerate(letters)}
    table = shrink.make_tokenizer(numbers, [], special, "smollm")
    said = {
        "general.architecture": "llama", "llama.embedding_length": 32,
        "llama.attention.head_count": 4, "llama.attention.head_count_kv": 2,
        "llama.feed_forward_length": 48, "llama.block_count": 2,
        "llama.rope.freq_base": 10000.0,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
    }  # fmt: skip
    config = shrink.make_config(said, table, tied=True)
    (folder / "config.json").write_text(corpus.json.dumps(config))
    (folder / "tokenizer.json").write_text(corpus.json.dumps(table))
    torch.manual_seed(1)
    weights = {
        "model.embed_tokens.weight": torch.randn(config["vocab_size"], 32) / 4,
        "model.norm.weight": torch.ones(32),
    }
    for layer in range(2):
        for part, shape in {
            "self_attn.q_proj": (32, 32), "self_attn.k_proj": (16, 32),
            "self_attn.v_proj": (16, 32), "self_attn.o_proj": (32, 32),
            "mlp.gate_proj": (48, 32), "mlp.up_proj": (48, 32),
            "mlp.down_proj": (32, 48),
        }.items():  # fmt: skip
            weights[f"model.layers.{layer}.{part}.weight"] = torch.randn(shape) / 6
        for part in ("input_layernorm", "post_attention_layernorm"):
            weights[f"model.layers.{layer}.{part}.weight"] = torch.ones(32)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


PAIRS = [
    {"source": "We met.", "style": "formal", "target": "We have met."},
    {"source": "We met.", "style": "formal", "target": "We met. We met. We met."},
]


@pytest.mark.train
class TestCausalStudent:
    def test_it_computes_what_transformers_computes(self, base: Path) -> None:
        import torch
        import transformers

        from training.everyday.student.causal import CausalStudent

        theirs = transformers.AutoModelForCausalLM.from_pretrained(
            base, dtype=torch.float32
        )
        student = CausalStudent(base, "cpu")
        row = {"source": "We met.", "style": "formal", "target": "We have met."}
        ((left, right),) = student.encode_pairs([row])
        ids = torch.tensor([[*left, *right]])
        labels = ids.clone()
        labels[:, : len(left)] = -100  # the target alone is learnt
        with torch.no_grad():
            expected = theirs(ids, labels=labels).loss
            assert torch.allclose(
                student.compute_loss([(left, right)]), expected, atol=1e-4
            )

    def test_its_targets_have_the_probabilities_that_its_loss_says(
        self, base: Path
    ) -> None:
        import torch

        from training.everyday.student.causal import CausalStudent

        student = CausalStudent(base, "cpu")
        pairs = student.encode_pairs(PAIRS)
        with torch.no_grad():
            made = student.sum_chances(pairs)
            for pair, value in zip(pairs, made, strict=True):
                expected = -student.compute_loss([pair]) * len(pair[1])
                assert torch.allclose(value, expected, atol=1e-3)

    def test_halving_keeps_every_second_layer_and_the_last(
        self, base: Path, tmp_path: Path
    ) -> None:
        import torch

        from training.everyday.student.causal import CausalStudent
        from training.everyday.student.shapes import halve

        whole = CausalStudent(base, "cpu")
        weights = whole.model.weights
        for name in [n for n in weights if n.startswith("model.layers.1.")]:
            for layer in (2, 3):
                weights[name.replace(".1.", f".{layer}.", 1)] = weights[name] * layer
        config = corpus.json.loads((base / "config.json").read_text())
        whole.write(tmp_path / "four")
        config["num_hidden_layers"] = 4
        (tmp_path / "four/config.json").write_text(corpus.json.dumps(config))
        halve(tmp_path / "four", tmp_path / "half")
        half = CausalStudent(tmp_path / "half", "cpu").model
        assert half.shape.num_hidden_layers == 3
        name = "model.layers.{}.mlp.up_proj.weight"
        for new, old in enumerate((0, 2, 3)):
            assert torch.equal(
                half.weights[name.format(new)],
                weights[name.format(old)].half().float(),
            )

    def test_running_out_of_memory_halves_the_batch(self, base: Path) -> None:
        import torch

        from training.everyday.student import train
        from training.everyday.student.causal import CausalStudent

        student = CausalStudent(base, "cpu")
        row = {"source": "We met.", "style": "formal", "target": "We have met."}
        batch = student.encode_pairs([row] * 4)
        train.add_gradients(student, batch)
        expected = [weight.grad.clone() for weight in student.parameters()]
        for weight in student.parameters():
            weight.grad = None
        compute = student.compute_loss

        def compute_few(pairs: Any) -> Any:
            if len(pairs) > 1:
                raise torch.OutOfMemoryError
            return compute(pairs)

        student.compute_loss = compute_few  # type: ignore[method-assign]
        train.add_gradients(student, batch)
        for weight, gradient in zip(student.parameters(), expected, strict=True):
            assert torch.allclose(weight.grad, gradient, atol=1e-5)

    def test_it_learns_from_later_pairs_and_reloads(
        self, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import torch

        from training.everyday.student import train

        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        texts = [
            {"id": f"t{at}", "kind": "mail", "split": split,
             "versions": {"plain": "We met.", "formal": "We have met."}}
            for at, split in enumerate(("train", "dev"))
        ]  # fmt: skip
        pair = {"source": "We met.", "style": "formal", "target": "We have met."}
        later = pair | {"from": "tatoeba", "target": "We have met them."}
        for name, rows in (
            ("texts", texts), ("own", [pair] * 300), ("later", [later] * 40),
            ("asked", [{"text": "We met.", "style": "formal"}]),
        ):  # fmt: skip
            corpus.write_rows(tmp_path / f"{name}.jsonl", rows)
        files = {
            key: str(tmp_path / f"{key}.jsonl") for key in ("texts", "own", "later")
        }
        monkeypatch.setattr("sys.argv", [
            "", "--base", str(base), "--pairs", files["own"], "--texts", files["texts"],
            "--later", files["later"], str(tmp_path / "never.jsonl"), "--requests",
            str(tmp_path / "asked.jsonl"), "--device", "cpu", "--tokens", "240",
            "--rate", "1e-2", "--warmup", "1", "--epochs", "2", "--seconds", "600",
            "-o", str(tmp_path / "student"),
        ])  # fmt: skip
        train.main()
        torch.set_num_threads(threads)
        folder = tmp_path / "student"
        record = corpus.json.loads((folder / "training.json").read_text())
        assert record["curve"][-1][-1] < record["curve"][0][-1]
        assert record["epochs"] == 2
        (made,) = corpus.read_rows(folder / "asked.jsonl")
        again = train.open_student(folder, "cpu")
        assert again.generate([("We met.", "formal")])[0][:7] == made["output"][:7]


def make_config(tokens: int) -> Any:
    """Return the shape of a tiny T5 whose output layer is its own."""
    import transformers

    config = transformers.T5Config(
        vocab_size=tokens, d_model=16, d_kv=4, d_ff=24, num_layers=3,
        num_decoder_layers=2, num_heads=2, feed_forward_proj="gated-gelu",
        decoder_start_token_id=0, tie_word_embeddings=False,
    )  # fmt: skip
    config.scale_decoder_outputs = False
    return config


@pytest.fixture(scope="module")
def encoder_decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny T5 student with random weights."""
    import tokenizers
    import torch
    import transformers

    from training import base_models
    from training.everyday.student import from_pack

    folder: Path = tmp_path_factory.mktemp("t5")
    words = ["<pad>", "</s>", "<unk>", "formal:", "We", "met.", "have", "had"]
    model = tokenizers.models.WordLevel({w: n for n, w in enumerate(words)}, "<unk>")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    torch.manual_seed(1)
    student = transformers.T5ForConditionalGeneration(make_config(len(words)))
    head = torch.randn_like(student.lm_head.weight)
    student.lm_head.weight = torch.nn.Parameter(head)
    base_models.save_untied(student, folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    told = corpus.json.dumps(from_pack.TOKENIZER)
    (folder / "tokenizer_config.json").write_text(told)
    return folder


@pytest.mark.train
def test_a_packs_student_has_the_weights_that_it_was_made_of(
    tmp_path: Path, encoder_decoder: Path
) -> None:
    import torch

    from training import base_models
    from training.everyday.student import export, from_pack

    export.convert(encoder_decoder, tmp_path / "pack", "float32")
    from_pack.restore(tmp_path / "pack", tmp_path / "after")
    expected = base_models.load_untied(encoder_decoder).state_dict()
    restored = base_models.load_untied(tmp_path / "after").state_dict()
    assert set(restored) == set(expected)
    for name, value in restored.items():
        assert torch.allclose(value, expected[name], atol=1e-5), name


@pytest.mark.train
def test_a_packed_checker_agrees_with_the_original(
    tmp_path: Path,
) -> None:
    import torch
    import transformers

    from training.everyday.checker import export, from_pack
    from training.everyday.checker.encoder import CrossEncoder

    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "we",
        "met",
        "never",
        "##s",
        ".",
    ]
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=48, max_position_embeddings=64,
        num_labels=1, initializer_range=0.5, position_embedding_type="absolute",
    )  # fmt: skip
    torch.manual_seed(1)
    model = transformers.BertForSequenceClassification(config)
    model.save_pretrained(tmp_path / "before")
    from_pack.make_tokenizer(words).save(str(tmp_path / "before/tokenizer.json"))
    export.convert(tmp_path / "before", tmp_path / "pack/checker")
    told = corpus.json.dumps(words)
    (tmp_path / "pack/checker/vocabulary.json").write_text(told)
    from_pack.restore(tmp_path / "pack", tmp_path / "after")
    pairs = [("We met.", "We never met."), ("Mets met", "we MET."), ("We.", "met")]
    before, after = (
        CrossEncoder(tmp_path / name, "cpu").score_pairs(pairs)
        for name in ("before", "after")
    )
    assert max(before) - min(before) > 0.1
    assert np.allclose(before, after, atol=0.03)


@pytest.mark.train
class TestShapes:
    def test_layers_added_to_an_encoder_change_nothing_yet(
        self, tmp_path: Path, encoder_decoder: Path
    ) -> None:
        import torch

        from training.everyday.student import shapes
        from training.everyday.student.train import Student

        deeper = shapes.Layers((0, 1, 1, 2, 2), (0, 1))
        shapes.reshape(encoder_decoder, deeper, tmp_path / "deeper")
        before, after = (
            Student(folder, "cpu") for folder in (encoder_decoder, tmp_path / "deeper")
        )
        assert after.model.config.num_layers == 5
        pairs = before.encode_pairs(PAIRS)
        with torch.no_grad():
            expected, made = (one.sum_chances(pairs) for one in (before, after))
        assert torch.allclose(made, expected, atol=1e-4)

    def test_a_shallow_decoder_has_the_students_layers(
        self, tmp_path: Path, encoder_decoder: Path
    ) -> None:
        import torch

        from training import base_models
        from training.everyday.student import shapes

        shapes.reshape(
            encoder_decoder, shapes.Layers((0, 1, 2), (1,)), tmp_path / "one"
        )
        before, after = (
            base_models.load_untied(folder).state_dict()
            for folder in (encoder_decoder, tmp_path / "one")
        )
        name = "decoder.block.{}.layer.2.DenseReluDense.wo.weight"
        assert torch.equal(after[name.format(0)], before[name.format(1)])
        assert name.format(1) not in after

    def test_marians_shape_starts_from_random_weights_and_learns(
        self, tmp_path: Path, encoder_decoder: Path
    ) -> None:
        import torch

        from training.everyday.student import shapes
        from training.everyday.student.train import Student

        shapes.make_fresh(encoder_decoder, tmp_path / "fresh")
        student = Student(tmp_path / "fresh", "cpu")
        assert not student.model.config.is_gated_act
        torch.manual_seed(1)
        pairs = student.encode_pairs(PAIRS)
        optimizer = torch.optim.Adam(student.parameters(), 1e-3)
        losses = []
        for _ in range(6):
            loss = student.compute_loss(pairs)
            losses.append(float(loss.detach()))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        assert losses[-1] < losses[0]


@pytest.mark.train
class TestStudentsPreferences:
    CHOSEN = {"source": "We met.", "style": "formal", "from": "everyday",
              "chosen": "We have met.", "rejected": "We had met."}  # fmt: skip

    def test_its_targets_have_the_probabilities_that_its_loss_says(
        self, encoder_decoder: Path
    ) -> None:
        import torch

        from training.everyday.student.train import Student

        student = Student(encoder_decoder, "cpu")
        student.set_learning(False)
        pairs = student.encode_pairs(PAIRS)
        with torch.no_grad():
            made = student.sum_chances(pairs)
            for pair, value in zip(pairs, made, strict=True):
                expected = -student.compute_loss([pair]) * len(pair[1])
                assert torch.allclose(value, expected, atol=1e-4)

    def test_the_better_one_becomes_likelier_and_a_worse_student_is_not_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder_decoder: Path
    ) -> None:
        import torch

        from training.everyday.student import prefer
        from training.everyday.student.train import Student

        other = self.CHOSEN | {
            "chosen": self.CHOSEN["rejected"], "rejected": self.CHOSEN["chosen"]
        }  # fmt: skip
        texts = [{"id": "t", "kind": "mail", "split": "dev", "versions": {
            "plain": "We met.", "formal": "We have met."}}]  # fmt: skip
        for name, rows in (
            ("texts", texts), ("own", PAIRS), ("learnt", [self.CHOSEN] * 40),
            ("same", [self.CHOSEN]), ("other", [other]),
        ):  # fmt: skip
            corpus.write_rows(tmp_path / f"{name}.jsonl", rows)
        start = Student(encoder_decoder, "cpu")
        chances = {}
        for held in ("same", "other"):
            monkeypatch.setattr("sys.argv", [
                "", "--base", str(encoder_decoder), "--preferences",
                str(tmp_path / "learnt.jsonl"), "--held",
                str(tmp_path / f"{held}.jsonl"),
                "--pairs", str(tmp_path / "own.jsonl"), "--texts",
                str(tmp_path / "texts.jsonl"), "--device", "cpu", "--tokens", "200",
                "--rate", "1e-2", "--warmup", "1", "--example", "0.1", "--own", "99",
                "--strength", "1", "-o", str(tmp_path / f"student-{held}"),
            ])  # fmt: skip
            prefer.main()
            student = Student(tmp_path / f"student-{held}", "cpu")
            for name, one in (("start", start), (held, student)):
                pairs = prefer.encode_preferences(one, [self.CHOSEN])
                one.set_learning(False)
                with torch.no_grad():
                    better, worse = one.sum_chances(list(pairs[0]))
                chances[name] = float(better - worse)
        assert chances["same"] > chances["start"] + 0.5
        assert abs(chances["other"] - chances["start"]) < 0.01


@pytest.mark.train
class TestMistakes:
    ROW = {"source": "Please call Dana at 3 before you leave the house.",
           "chosen": "Kindly telephone Dana at 3 prior to your departure."}  # fmt: skip

    @pytest.mark.parametrize(
        ("rejected", "fault"),
        [
            ("Kindly telephone Dana at 4 prior to your departure.", "facts"),
            ("Please call Dana at 3 before you leave the house!", "manner"),
            ("Kindly call Dana at 3 prior to leaving.", ""),
        ],
    )
    def test_facts_and_styles_that_are_missed_are_mistakes(
        self, rejected: str, fault: str
    ) -> None:
        from training.everyday.student import mistakes

        assert mistakes.find_fault(self.ROW | {"rejected": rejected}) == fault

    def test_mistakes_of_style_are_at_most_half_as_many_as_others(self) -> None:
        from training.everyday.student import mistakes

        rows = [{"n": n} for n in range(8)]
        faults = ["facts", "manner", "manner", "", "", "manner", "facts", ""]
        doubted = [False] * 7 + [True]
        made = mistakes.choose_mistakes(rows, faults, doubted)
        assert [(row["n"], row["fault"]) for row in made] == [
            (0, "facts"), (6, "facts"), (7, "meaning"), (1, "manner"),
        ]  # fmt: skip


@pytest.mark.train
def test_extrapolating_goes_on_along_the_way_of_a_training(tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    from training.everyday.student.extrapolate import extrapolate

    for name, value in (("before", 1.0), ("after", 3.0)):
        (tmp_path / name).mkdir()
        save_file(
            {"w": np.full(2, value, np.float32)}, tmp_path / name / "model.safetensors"
        )
    (tmp_path / "after/config.json").write_text("{}")
    extrapolate(tmp_path / "before", tmp_path / "after", 2.0, tmp_path / "further")
    assert load_file(tmp_path / "further/model.safetensors")["w"].tolist() == [5, 5]
    assert (tmp_path / "further/config.json").is_file()


def test_a_checker_gets_new_weights_and_keeps_its_last_layer(tmp_path: Path) -> None:
    from training.everyday.pack import weigh_checker

    before = {"weight": np.arange(3.0), "bias": np.ones(1), "combined": np.zeros(5)}
    np.savez(tmp_path / "head.npz", **before)
    weigh_checker(tmp_path, [1.0, 2.0, 3.0, 4.0, 5.0])
    with np.load(tmp_path / "head.npz") as after:
        assert after["combined"].tolist() == [1, 2, 3, 4, 5]
        assert after["weight"].tolist() == [0, 1, 2]
        assert after["bias"].tolist() == [1]
