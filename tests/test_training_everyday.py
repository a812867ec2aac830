"""Training from the everyday corpus: its texts, corruptions, filters, and the chain."""

import json
import math
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paraphrast.corpora.loaders import everyday
from training.everyday import (
    blocks,
    corpus,
    facts,
    noise,
    originals,
    preferences,
    ratings,
    requests,
    sheets,
)
from training.everyday.checker import corruptions, measure, pairs
from training.everyday.corpus import Contrast, Text
from training.everyday.persons import changes_person
from training.everyday.student import bolder, polite, style_marks
from training.everyday.teacher import examples
from training.everyday.tenses import changes_tense

TRAINING = Path(__file__).parents[1] / "training"
SAID = {
    "plain": "Please call Dana at 3 before you leave.",
    "formal": "Kindly telephone Dana at 3 prior to your departure.",
    "informal": "call dana at 3 before u go pls",
    "bible": "Call thou Dana at the 3 hour, before thou departest.",
}


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    return corpus.read_texts()


@pytest.fixture
def draw() -> random.Random:
    return random.Random(1)


def make_text(name: str = "a", split: str = "train") -> Text:
    return Text(name, "mail", split, SAID)


class TestScripts:
    def test_the_pack_is_built_by_parts_that_the_script_of_stages_has(self) -> None:
        stages = (TRAINING / "everyday/run.sh").read_text("utf-8")
        building = (TRAINING / "build_default_pack.sh").read_text("utf-8")
        call = re.search(r"run\.sh \S+ \S+ \\\n((?: +[a-z_]+)+)\n", building)
        assert call is not None
        parts = call.group(1).split()
        assert {"student", "distilled"} <= set(parts)
        assert all(f"\n{part}() {{" in stages for part in parts)

    def test_stages_without_a_part_are_refused_in_one_line(
        self, tmp_path: Path
    ) -> None:
        command = ["sh", str(TRAINING / "everyday/run.sh"), str(tmp_path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 2
        assert result.stderr.startswith("Usage: ")
        assert result.stderr.count("\n") == 1


class TestCorpus:
    def test_splits_are_named_and_every_text_has_all_styles(
        self, texts: list[Text]
    ) -> None:
        shares = Counter(text.split for text in texts)
        assert set(shares) == {"train", "dev", "judges"}
        # Four fifths by hash, and texts that were written for training alone.
        assert 0.8 < shares["train"] / len(texts) < 0.9
        assert all(set(text.versions) == set(corpus.STYLES) for text in texts)

    def test_contrast_lines_have_the_half_of_their_text(
        self, texts: list[Text]
    ) -> None:
        halves = {text.name: text.half for text in texts}
        for name, lines in corpus.read_contrast().items():
            assert {line.half for line in lines} == {halves[name]}

    def test_rows_come_back_as_they_were_written(self, tmp_path: Path) -> None:
        rows = [{"text": "naïve", "same": True}, {"text": "b\u2028c"}]
        corpus.write_rows(tmp_path / "rows.jsonl", rows)
        assert corpus.read_rows(tmp_path / "rows.jsonl") == rows
        assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


class TestDocuments:
    def write(self, folder: Path, versions: dict[str, str]) -> Path:
        path = folder / "documents.jsonl"
        row = {"id": "d", "kind": "mail", "split": "train", "versions": versions}
        corpus.write_rows(path, [row])
        return path

    def test_passages_are_cut_alike_in_all_versions(self, tmp_path: Path) -> None:
        lines = {
            style: "\n".join(f"{style} {at}" for at in range(7))
            for style in ("plain", "formal", "poetry")
        }
        passages = corpus.read_passages(self.write(tmp_path, lines))
        assert passages
        for passage in passages:
            numbers = passage.plain.split()[1::2]
            assert 2 <= len(numbers) <= 5
            verse = " / ".join(f"poetry {at}" for at in numbers)
            assert passage.versions["poetry"] == verse

    def test_a_document_of_other_lines_stays_whole(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, {"plain": "One.\nTwo.", "formal": "One, two."})
        assert corpus.read_lines(path) == []
        versions = [text.versions for text in corpus.read_documents(path)]
        assert versions == [{"plain": "One. Two.", "formal": "One, two."}]

    def test_dialogue_of_several_speakers_is_not_a_passage(
        self, tmp_path: Path
    ) -> None:
        path = self.write(tmp_path, {"plain": "Ann: Hi.\nMr. Bo: Hello.\nAnn: Bye."})
        assert corpus.read_passages(path) == []
        assert len(corpus.read_lines(path)) == 3


class TestReaders:
    WRITTEN = (
        ("greedy", [
            {"text": "We met.", "style": "bible", "from": "inputs",
             "candidates": [{"text": "We did meet.", "logp": -2, "tokens": 4}]},
        ]),
        ("student", [
            {"text": "We met.", "style": "bible", "output": "We did meet."},
            {"text": "Go.", "style": "formal", "output": "Gone."},
        ]),
        ("sample", [
            {"text": "We met.", "style": "bible",
             "candidates": [{"text": "And we met."}]},
        ]),
    )  # fmt: skip

    def make_rows(self) -> list[dict[str, Any]]:
        merged = sheets.merge_outputs(self.WRITTEN)
        return sheets.letter_candidates(merged, random.Random(1))

    def find_letter(self, row: dict[str, Any], said: str) -> str:
        return next(k for k, one in row["candidates"].items() if one["text"] == said)

    def test_equal_rewrites_are_merged_and_anonymous(self) -> None:
        rows = self.make_rows()
        assert [row["n"] for row in rows] == [1, 2]
        written = {one["text"]: one for one in rows[0]["candidates"].values()}
        assert written["We did meet."]["systems"] == ["greedy", "student"]
        assert set(written) == {"We did meet.", "And we met."}
        sheet = sheets.format_sheet(rows)
        assert sheet.startswith("@1 [bible] We met.\na: ")
        assert "@2 [formal] Go.\na: Gone.\n" in sheet
        assert "greedy" not in sheet

    def test_ratings_and_corrections_are_read(self) -> None:
        rows = self.make_rows()
        letter = self.find_letter(rows[0], "We did meet.")
        rated, unread = ratings.join_ratings(
            rows, [f"1{letter} 2 1 2 style", "", "2a 0 2 2", "2!  Leave. ", "1z 2 2 2",
                   "9a 2 2 2", "2a 3 2 2", "2a 0 2"],
        )  # fmt: skip
        assert unread == ["1z 2 2 2", "9a 2 2 2", "2a 3 2 2", "2a 0 2"]
        by_output = {row["output"]: row for row in rated}
        assert by_output["We did meet."]["manner"] == 1
        assert by_output["We did meet."]["kind"] == "style"
        assert by_output["We did meet."]["tokens"] == 4
        assert by_output["Leave."]["systems"] == ["reader"]
        assert [row["output"] for row in rated if ratings.is_gold(row)] == ["Leave."]
        (asked,) = ratings.ask_again(rated, "greedy")
        assert asked["candidates"][0]["logp"] == -2

    def test_a_row_with_one_output_needs_no_letter(self) -> None:
        row = {"n": 7, "source": "a", "style": "formal", "output": "b"}
        rated, unread = ratings.join_ratings([row], ["7 2 2 1", "7a 2 2 2"])
        assert unread == ["7a 2 2 2"]
        assert [one["fluency"] for one in rated] == [1]

    def test_correct_rewrites_are_paired_with_worse_ones(self) -> None:
        rows = self.make_rows()
        good = self.find_letter(rows[0], "And we met.")
        bad = self.find_letter(rows[0], "We did meet.")
        lines = [f"1{good} 2 2 2", f"1{bad} 2 1 2", "2a 0 2 2"]
        rated, _ = ratings.join_ratings(rows, lines)
        (own,) = preferences.pair_ratings(rated, random.Random(1))
        assert (own["chosen"], own["rejected"]) == ("And we met.", "We did meet.")
        assert own["fault"] == "manner"
        other = own | {"fault": "meaning"}
        assert len(preferences.weigh_style([own, other])) == 2
        assert len(preferences.weigh_style([own, other, other, other])) == 5
        rated, _ = ratings.join_ratings(rows, [*lines, "2! Leave."])
        assert preferences.pair_ratings(rated, random.Random(1)) == [own]
        gold = preferences.read_gold(rated)
        assert [row["corrected"] for row in gold] == [False, True]


class TestNoise:
    def test_numbers_names_and_negations_stay_readable(
        self, draw: random.Random
    ) -> None:
        text = "Dana, please don't wait for me because I am 25 minutes late."
        for _ in range(200):
            typed = noise.spell_as_chat(text, draw)
            assert "25" in typed
            assert "dana" in typed.lower()
            assert "don't" in typed.lower() or "dont" in typed.lower()

    def test_most_texts_change(self, draw: random.Random) -> None:
        text = "Thank you, I don't know if you are coming tomorrow."
        typed = {noise.spell_as_chat(text, draw) for _ in range(50)}
        assert len(typed) > 25


class TestCorruptions:
    @pytest.mark.parametrize(
        ("kind", "text", "expected"),
        [
            ("negation", "Dogs do not bite.", {"Dogs do bite."}),
            ("negation", "She is here.", {"She is not here."}),
            ("number", "in May", {"in June", "in July"}),
            ("number", "two", {"one", "three", "four", "five"}),
            ("actor", "Then she told him.", {"Then he told her."}),
            ("order", "Eat before noon.", {"Eat after noon.", "Eat since noon."}),
            ("degree", "All came.", {"Some came.", "Few came.", "Half of came."}),
            ("antonym", "A hot day.", {"A cold day.", "A hot night."}),
            ("tense", "He is ill.", {"He was ill."}),
            ("mood", "Can you swim?", {"You can swim."}),
        ],
    )
    def test_exactly_one_thing_is_changed(
        self, kind: str, text: str, expected: set[str]
    ) -> None:
        change = corruptions.KINDS[kind]
        results = {change(text, random.Random(seed)) for seed in range(60)} - {None}
        assert results & expected
        assert text not in results

    def test_a_figure_gets_another_digit(self, draw: random.Random) -> None:
        for _ in range(50):
            changed = corruptions.change_number("Room 10", draw)
            assert changed is not None
            assert changed != "Room 10"
            assert changed[5] != "0"

    def test_an_omitted_clause_leaves_a_sentence(self) -> None:
        text = "We went home, the shop was shut, and it rained."
        results = {
            corruptions.omit_part(text, random.Random(seed)) for seed in range(60)
        }
        assert "We went home, and it rained." in results

    def test_nothing_to_change_gives_nothing(self, draw: random.Random) -> None:
        assert corruptions.change_number("Hello there.", draw) is None
        assert corruptions.omit_part("Too short.", draw) is None
        assert corruptions.change_mood("Why?", draw) is None

    def test_words_and_names_come_from_other_texts(self, draw: random.Random) -> None:
        others = ["I saw Omar today, and he was well today."]
        replacer = corruptions.Replacer(others, {"bread": ["cheese"]})
        kinds = replacer.list_kinds()
        assert kinds["content word"]("Buy bread.", draw) == "Buy cheese."
        assert kinds["name"]("I met Dana.", draw) == "I met Omar."
        added = kinds["addition"]("Buy bread.", draw)
        assert added is not None
        assert len(added.split()) > 2


class TestFacts:
    @pytest.mark.parametrize(
        ("source", "output", "fault"),
        [
            ("Call me at 5.", "Ring me at five.", ""),
            ("Call me at 5.", "Ring me at six.", "number changed"),
            ("Call me.", "Ring me at six.", "number changed"),
            ("Ask Priya first.", "First ask her.", "name lost"),
            ("Ask her first.", "First ask Priya.", "name new"),
            ("I do not know.", "I know it well.", "negation lost"),
            ("I do not know.", "I am unaware.", ""),
            ("Go.", "", "empty"),
            ("Go.", "Go, go on, go away, leave us here at once and be off with you, "
             "friend.", "length"),
            ("I am so very tired today.", "so so so so so tired", "repeats itself"),
        ],
    )  # fmt: skip
    def test_the_first_broken_fact_is_named(
        self, source: str, output: str, fault: str
    ) -> None:
        assert facts.find_fault(source, output) == fault

    @pytest.mark.parametrize(
        ("source", "output", "fault"),
        [
            ("Is it late?", "It is late.", "question changed"),
            ("It is late.", "Is it late?", "question changed"),
            ("Bring at least two.", "Bring two.", "limit lost"),
            ("I'm sorry, I broke it.", "I broke it.", "act lost"),
            ("I do not know.", "I know it well.", "negation lost"),
            ("Is it late?", "Is the hour late?", ""),
        ],
    )
    def test_what_is_learnt_keeps_questions_limits_and_acts(
        self, source: str, output: str, fault: str
    ) -> None:
        assert facts.find_any_fault(source, output) == fault

    @pytest.mark.parametrize(
        ("source", "output", "style", "changed"),
        [
            ("I lost my key.", "You lost your key.", "formal", True),
            ("Call your mother.", "He should call his mother.", "simple", True),
            ("She left it here.", "It was left here by itself.", "tweet", False),
            ("She is asleep.", "It is asleep.", "simple", True),
            ("I am late.", "We are late.", "plain", True),
            ("I am late.", "One is late.", "bible", True),
            ("I am late.", "Late.", "informal", False),
            ("Could you wait?", "Is waiting possible?", "polite", True),
            ("Could you wait?", "Might one wait?", "formal", False),
            ("The heron stayed.", "The heron ate her fill.", "formal", True),
            ("My aunt left.", "My aunt took her leave.", "formal", False),
            ("A butcher is here.", "A butcher, he's here.", "conversation", False),
            ("Wait here.", "I pray you, wait here.", "shakespeare", False),
            ("You are kind.", "Thou art kind.", "bible", False),
            ("We left.", "So I left.", "", True),
        ],
    )
    def test_persons_are_kept_as_far_as_the_style_keeps_them(
        self, source: str, output: str, style: str, changed: bool
    ) -> None:
        assert changes_person(source, output, style) == changed

    @pytest.mark.parametrize(
        ("source", "output", "style", "changed"),
        [
            ("The soup was cold.", "The soup is cold.", "formal", True),
            ("The soup was cold.", "Cold soup.", "concise", False),
            ("We walked home.", "We shall walk home.", "simple", True),
            ("The bus is late.", "The bus was late.", "polite", True),
            ("It rains.", "It rained", "bible", True),
            ("They go home.", "And they went home.", "bible", True),
            ("Stop it.", "I'd be glad if you stopped it.", "polite", False),
            ("The lift is closed.", "They closed the lift.", "plain", False),
            ("I lost it.", "I’ve lost it.", "informal", False),
            ("She went out.", "She hath gone out.", "bible", False),
            ("It opens on Monday.", "It will open on Monday.", "formal", False),
            ("He said he was ill.", "He will be ill, he said.", "simple", False),
        ],
    )
    def test_past_stays_past_as_far_as_words_show_it(
        self, source: str, output: str, style: str, changed: bool
    ) -> None:
        assert changes_tense(source, output, style) == changed

    def test_persons_and_tense_are_facts_of_what_is_learnt(self) -> None:
        asked = ("I walk home.", "You walk home.")
        assert facts.find_any_fault(*asked, "plain") == "person changed"
        assert facts.find_any_fault(*asked, "tweet") == ""
        assert facts.find_any_fault("It is open.", "It was open.") == "tense changed"
        assert facts.find_fault("It is open.", "It was open.") == ""

    @pytest.mark.parametrize("changes", [changes_person, changes_tense])
    def test_few_versions_in_the_corpus_change_person_or_tense(
        self, texts: list[Text], changes: Callable[[str, str, str], bool]
    ) -> None:
        changed = [
            changes(text.plain, version, style)
            for text in texts if text.split == "dev"
            for style, version in text.versions.items()
        ]  # fmt: skip
        assert sum(changed) < 0.02 * len(changed)

    def test_few_versions_in_the_corpus_break_a_fact(self, texts: list[Text]) -> None:
        held = [text for text in texts if text.split == "dev"][:40]
        faults = [
            facts.find_fault(text.plain, version)
            for text in held
            for version in text.versions.values()
        ]
        assert sum(map(bool, faults)) < 0.06 * len(faults)


class TestCheckerPairs:
    def test_roles_share_no_text_between_training_and_test(
        self, texts: list[Text]
    ) -> None:
        for role in ("guards", "judges"):
            learned, held = pairs.divide_texts(texts, role)
            assert not {t.name for t in learned} & {t.name for t in held}
        assert not any(
            text.split == "judges" for text in pairs.divide_texts(texts, "guards")[0]
        )

    def test_examples_say_which_are_the_same(self, draw: random.Random) -> None:
        kinds = {"negation": corruptions.change_negation}
        rows = pairs.make_examples(make_text(), [make_text("b")], kinds, 6, draw)
        assert sum(row["same"] for row in rows) == 6
        assert {row["kind"] for row in rows} >= {"version", "similar text"}
        versions = set(SAID.values())
        assert all(row["second"] in versions for row in rows if row["same"])

    def test_contrast_lines_are_wrong_unless_of_kind_same(
        self, draw: random.Random
    ) -> None:
        lines = [
            Contrast("a", "formal", kind, "guards", "x") for kind in ("same", "order")
        ]
        rows = pairs.make_contrast_examples(make_text(), lines, draw, 2)
        assert [row["same"] for row in rows] == [True, True, False, False]

    def test_neighbours_exclude_forms_of_the_same_word(self, texts: list[Text]) -> None:
        neighbours = pairs.find_neighbours(texts[:300])
        assert len(neighbours) > 100
        assert all(word not in others for word, others in neighbours.items())

    def test_recall_is_measured_at_five_percent_false_alarms(self) -> None:
        rows = [{"same": True, "kind": "version", "style": "plain"}] * 20
        rows += [{"same": False, "kind": "written: order", "style": "plain"}] * 4
        scores = [0.1, *([0.9] * 19), 0.2, 0.3, 0.4, 0.95]
        report = measure.report_recall(rows, scores)
        assert report["recall"]["all written"] == [0.75, 4]
        assert report["auc"] == pytest.approx(57 / 80)


@pytest.mark.train
def test_an_adapter_of_full_rank_is_itself() -> None:
    import torch

    from training.everyday.teacher import qwen

    down, up = torch.randn(4, 9), torch.randn(7, 4)
    adapter = qwen.Adapter({"a": (down, up)}, 2.0)
    whole, half = (adapter.truncate(rank).matrices["a"] for rank in (4, 2))
    assert torch.allclose(whole[1] @ whole[0], up @ down, atol=1e-4)
    assert half[0].shape == (2, 9)
    left = torch.linalg.svdvals(up @ down)[2:4].square().sum().sqrt()
    assert torch.allclose(torch.linalg.norm(half[1] @ half[0] - up @ down), left)


class TestTeacherExamples:
    def test_an_epoch_has_pairs_copies_and_joined_texts(self) -> None:
        own = [make_text("a"), make_text("b")]
        rows = examples.make_epoch(own, 1)
        assert len(rows) == 2 * (3 * len(SAID) + examples.COPIES + examples.JOINED)
        assert all(style in SAID for _, style, _ in rows)
        assert rows == examples.make_epoch(own, 1)

    def test_styles_of_requests_follow_the_origin(self, draw: random.Random) -> None:
        old = Counter(requests.draw_style("essays", draw) for _ in range(2000))
        new = Counter(requests.draw_style("tatoeba", draw) for _ in range(2000))
        assert old["formal"] > old["bible"]
        assert new["plain"] < new["formal"] < new["poetry"]

    def test_texts_to_rate_are_current_and_new(
        self, tmp_path: Path, draw: random.Random
    ) -> None:
        path = tmp_path / "inputs.txt"
        path.write_text("mail\tSee you  at 5.\nchat\tsee u\nmail\tSee you at 5.\n")
        inputs = requests.read_inputs(path)
        assert [row["text"] for row in inputs] == ["See you at 5.", "see u"]
        long = "one two three four five six seven eight"
        rows = [
            {"from": "essays", "text": long}, {"from": "tatoeba", "text": "Too short."},
            {"from": "tatoeba", "text": f"{long} known"},
            {"from": "tatoeba", "text": f"{long} new"},
        ]  # fmt: skip
        rated = requests.draw_rated(inputs, rows, {f"{long} known"}, 9, draw)
        assert [row["text"] for row in rated[4:]] == [f"{long} new"]
        assert all(rated[at]["style"] != rated[at + 1]["style"] for at in (0, 2))
        assert all(row["style"] != "plain" for row in rated)


def call(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: Any) -> None:
    """Run a module of training as its command does."""
    module = import_module(f"training.everyday.{name}")
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    module.main()


def write_base(folder: Path) -> None:
    """Write the parts of a tiny Qwen2 with random weights, whose tokens are bytes."""
    from tokenizers.pre_tokenizers import ByteLevel

    from training.everyday.teacher import shrink
    from training.everyday.teacher.blocks import Blocks

    letters = sorted(ByteLevel.alphabet())
    special = [(token, len(letters) + at) for at, token in enumerate(shrink.SPECIAL)]
    table = shrink.make_tokenizer({t: n for n, t in enumerate(letters)}, [], special)
    size = len(letters) + len(special)
    config = {
        "vocab_size": size, "hidden_size": 32, "intermediate_size": 64,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 8, "rope_theta": 10000.0, "rms_norm_eps": 1e-6,
        "model_type": "qwen2", "tie_word_embeddings": False,
    }  # fmt: skip
    sizes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (size, 32), "lm_head.weight": (size, 32),
        "model.norm.weight": (32,),
    }  # fmt: skip
    for layer in range(2):
        for part, shape in {
            "self_attn.q_proj.weight": (32, 32), "self_attn.k_proj.weight": (16, 32),
            "self_attn.v_proj.weight": (16, 32), "self_attn.o_proj.weight": (32, 32),
            "self_attn.q_proj.bias": (32,), "self_attn.k_proj.bias": (16,),
            "self_attn.v_proj.bias": (16,), "mlp.gate_proj.weight": (64, 32),
            "mlp.up_proj.weight": (64, 32), "mlp.down_proj.weight": (32, 64),
            "input_layernorm.weight": (32,), "post_attention_layernorm.weight": (32,),
        }.items():  # fmt: skip
            sizes[f"model.layers.{layer}.{part}"] = shape
    numbers = np.random.default_rng(1)
    tensors = {}
    for name, shape in sizes.items():
        values = 0.2 * numbers.standard_normal(shape, dtype=np.float32)
        values = np.ones(shape, np.float32) if "norm" in name else values
        rows = values.reshape(-1, shape[-1]).view(np.uint8)
        tensors[name] = Blocks("F32", shape, rows)
    shrink.write_parts(shrink.pack(tensors, config, table), folder, 30_000)


def write_words(folder: Path, texts: list[Text], special: tuple[str, ...]) -> int:
    """Write a tokenizer of whole words; return the size of its vocabulary."""
    import tokenizers

    words = {
        word for text in texts for v in text.versions.values() for word in v.split()
    }
    words |= {f"{style}:" for style in corpus.STYLES}
    vocabulary = {token: at for at, token in enumerate([*special, *sorted(words)])}
    model = tokenizers.models.WordLevel(vocabulary, unk_token=special[2])
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text("{}")
    return len(vocabulary)


def make_rated_rows() -> list[dict[str, Any]]:
    """Return ratings of all kinds, some of them held out."""
    return [
        {"source": "We met.", "style": "formal", "output": f"We have met {at}.",
         "from": "tatoeba", "meaning": at % 3, "manner": at // 2 % 3,
         "fluency": at // 3 % 3, "kind": "", "held": at % 2 == 0, "logp": -0.5,
         "systems": ["greedy"]}
        for at in range(24)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory, texts: list[Text]) -> Iterator[Path]:
    """Return a working folder with tiny base models and five texts."""
    import torch
    import transformers

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # tiny matrices are slower on more
    folder: Path = tmp_path_factory.mktemp("everyday")
    few = [text for text in texts if text.split == "train"][:3]
    few += [text for text in texts if text.split == "dev"][:2]
    rows = [
        {"id": t.name, "kind": t.kind, "split": t.split, "versions": t.versions}
        for t in few
    ]
    corpus.write_rows(folder / "texts.jsonl", rows)
    write_base(folder / "parts")
    size = write_words(folder / "encoder", few, ("[PAD]", "[SEP]", "[UNK]"))
    transformers.BertModel(
        transformers.BertConfig(
            vocab_size=size, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=16,
        )
    ).save_pretrained(folder / "encoder")  # fmt: skip
    size = write_words(folder / "t5", few, ("<pad>", "</s>", "<unk>"))
    transformers.T5ForConditionalGeneration(
        transformers.T5Config(
            vocab_size=size, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2,
            decoder_start_token_id=0, tie_word_embeddings=False,
        )
    ).save_pretrained(folder / "t5")  # fmt: skip
    yield folder
    torch.set_num_threads(threads)


@pytest.mark.train
class TestChain:
    def test_prompts_ask_in_the_chat_format(self, work: Path) -> None:
        from training.everyday.teacher import build
        from training.everyday.teacher.prompts import PromptTokenizer

        build.build(work / "parts", work / "prompts", "cpu")
        tokenizer = PromptTokenizer(work / "prompts")
        prompt = tokenizer.encode_requests([("Hi <|im_end|>", "formal")])[0]
        assert prompt.count(tokenizer.end) == 1
        assert tokenizer.decode(
            [[*tokenizer.encode(["a b"])[0], tokenizer.end, 5]]
        ) == ["a b"]

    def test_few_shot_prompts_equal_the_messages_of_the_llm_rewriter(
        self, work: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import tokenizers

        from paraphrast.instruct.llm import make_messages

        base = work / "few-shot-base"
        call(monkeypatch, "teacher.build", "--parts", work / "parts", "-o", base,
             "--device", "cpu")  # fmt: skip
        prompts = import_module("training.everyday.teacher.prompts")
        text = "Hi <|im_end|> <text>"
        (prompt,) = prompts.FewShotTokenizer(base).encode_requests([(text, "tweet")])
        whole = tokenizers.Tokenizer.from_file(str(base / "tokenizer.json"))
        turns = [
            f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n"
            for message in make_messages(text, "tweet", 0.5)
        ]
        expected = f"{''.join(turns)}<|im_start|>assistant\n"
        assert whole.decode(prompt, skip_special_tokens=False) == expected
        marks = [whole.token_to_id(f"<|im_{mark}|>") for mark in ("start", "end")]
        assert [prompt.count(mark) for mark in marks] == [len(turns) + 1, len(turns)]
        asked = [{"text": text, "style": "tweet", "item": 1}]
        corpus.write_rows(work / "asked-few.jsonl", asked)
        call(monkeypatch, "teacher.rewrite", "--base", base, "--few-shot", "--greedy",
             "--requests", work / "asked-few.jsonl", "-o", work / "few-shot.jsonl",
             "--device", "cpu")  # fmt: skip
        (row,) = corpus.read_rows(work / "few-shot.jsonl")
        assert row["item"] == 1
        assert row["candidates"][0]["tokens"] > 0

    def test_a_damaged_part_stops_the_build(self, work: Path, tmp_path: Path) -> None:
        from training.everyday.teacher import build

        for path in (work / "parts").iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        (tmp_path / "teacher.01").write_bytes(b"x")
        with pytest.raises(SystemExit, match="teacher.01"):
            build.build(tmp_path, tmp_path / "base", "cpu")

    def test_the_model_computes_what_transformers_computes(self, work: Path) -> None:
        import torch
        import transformers

        from training.everyday.teacher import build, qwen

        build.build(work / "parts", work / "compared", "cpu")
        theirs = transformers.AutoModelForCausalLM.from_pretrained(
            work / "compared", dtype=torch.float32
        )
        ours = qwen.load(work / "compared", "cpu")
        ids = torch.randint(0, 250, (2, 9), generator=torch.manual_seed(1))
        with torch.no_grad():
            mine = ours.compute_logits(ours.read(ids))
            assert torch.allclose(mine, theirs(ids).logits, atol=1e-4)

    def test_a_rater_selects_what_teacher_and_student_learn(
        self, work: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def run(name: str, *arguments: Any) -> None:
            call(monkeypatch, name, *arguments)

        small, cpu = ("--texts", work / "texts.jsonl"), ("--device", "cpu")
        base, rater = work / "rater-base", work / "rater.safetensors"
        rated, marks = work / "marked.jsonl", work / "marks"
        rows = make_rated_rows()
        corpus.write_rows(rated, rows)
        run("teacher.build", "--parts", work / "parts", "-o", base, *cpu)
        run("checker.pairs", *small, "--each", 2, "-o", work / "compared")
        run("teacher.marks", *small, "--ratings", rated, "--authored", 6, "--others", 4,
            "--pairs", work / "compared/guards-train.jsonl", "--compared", 4,
            "-o", marks)  # fmt: skip
        learnt = corpus.read_rows(marks / "train.jsonl")
        assert {len(row["marks"]) for row in learnt} == {1, 3}
        assert [2, 0, 2] in [row["marks"] for row in learnt]
        held = corpus.read_rows(marks / "held.jsonl")
        assert len(held) == sum(row["held"] for row in rows) > 0
        run("teacher.tune", "rate", "--base", base, "--pairs", marks / "train.jsonl",
            "--held", marks / "held-few.jsonl", "--epochs", 2, "--tokens", 3000,
            "--warmup", 1, "--rate", 1e-2, "-o", rater, *cpu)  # fmt: skip
        (work / "asked").mkdir()
        asked = work / "asked/sampled-0.jsonl"
        corpus.write_rows(asked, [{"text": "It is late.", "style": "formal"}])
        run("student.sample", "--student", work / "t5", "--requests", asked, "--each",
            2, "--workers", 1, "-o", work / "drawn", *cpu)  # fmt: skip
        assert corpus.read_rows(work / "drawn/sampled-0.jsonl")[0]["candidates"]
        # A random student writes nothing that passes: these stand for what it draws.
        said = [{"text": text} for text in ("The hour is late.", "It may be late.")]
        turned = {
            "text": "Late is the hour.",
            "style": "plain",
            "original": "bible",
            "from": "originals",
            "candidates": [{"text": "It is late now."}],
        }
        drawn = {"text": "It is late.", "style": "formal", "candidates": said}
        corpus.write_rows(work / "made.jsonl", [drawn])
        corpus.write_rows(work / "turned.jsonl", [turned])
        run("teacher.rate", "--base", base, "--rater", rater, "--held",
            marks / "held.jsonl", "--outputs", work / "made.jsonl",
            work / "turned.jsonl", "-o", work / "judged", *cpu)  # fmt: skip
        told = json.loads((work / "judged/held-report.json").read_text())
        assert told["all"]["rows"] == len(held)
        judged = corpus.read_rows(work / "judged/made.jsonl")
        judged += corpus.read_rows(work / "judged/turned.jsonl")
        for option in (option for row in judged for option in row["candidates"]):
            assert all(0 <= chance <= 1 for chance in option["chances"])
            assert option["worth"] == pytest.approx(
                float(np.prod(option["chances"])), abs=2e-3
            )
        run("originals", "pairs", "--rated", work / "judged/turned.jsonl", "--least", 0,
            "-o", work / "inverse.jsonl")  # fmt: skip
        (pair,) = corpus.read_rows(work / "inverse.jsonl")
        assert (pair["source"], pair["style"]) == ("It is late now.", "bible")
        assert pair["target"] == "Late is the hour."
        run("student.pairs", "taught", *small, "--student", work / "t5", "--scored",
            work / "judged/made.jsonl", "-o", work / "selected")  # fmt: skip
        report = json.loads((work / "selected/report.json").read_text())
        assert report["all"]["requests"] == 1

    def test_teacher_checkers_and_student_run_from_end_to_end(
        self, work: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def run(name: str, *arguments: Any) -> None:
            call(monkeypatch, name, *arguments)

        small = ("--texts", work / "texts.jsonl")
        cpu = ("--device", "cpu")
        quick = ("--tokens", 3000, "--warmup", 1, "--rate", 1e-2)
        base, adapter = work / "base", work / "adapter.safetensors"
        same, guard = work / "same.safetensors", work / "guard"
        rated, asked = work / "ratings.jsonl", work / "asked.jsonl"
        corpus.write_rows(rated, make_rated_rows())
        corpus.write_rows(asked, ratings.ask_again(make_rated_rows(), "greedy"))
        run("checker.pairs", *small, "--each", 2, "--ratings", rated, "-o",
            work / "pairs")  # fmt: skip
        run("checker.manner", *small, "--ratings", rated, "-o", work / "pairs")
        corpus.write_rows(
            work / "open-texts.jsonl",
            [{"from": "tatoeba", "text": t} for t in ("We met them.", "It is late.")],
        )
        (work / "inputs.txt").write_text("mail\tIt is late.\n")
        run("requests", *small, "--open", work / "open-texts.jsonl", "--inputs",
            work / "inputs.txt", "--rated", 2, "-o", work / "ask")  # fmt: skip
        run("teacher.build", "--parts", work / "parts", "-o", base, *cpu)
        run("teacher.tune", "rewrite", "--base", base, *small, "--epochs", 1,
            *quick, "-o", adapter, *cpu)  # fmt: skip
        run("teacher.held_out", "--base", base, *small, "--adapters", adapter, *cpu)
        held = ("--held", work / "pairs/held-few.jsonl")
        learned = ("--pairs", work / "pairs/guards-train.jsonl", *held)
        run("teacher.tune", "same", "--base", base, *learned, "--epochs", 1,
            *quick, "-o", same, *cpu)  # fmt: skip
        run("checker.encoder", "--base", work / "encoder", *learned, "--epochs", 1,
            "-o", guard, *cpu)  # fmt: skip
        manner = work / "manner"
        styled = ("--pairs", work / "pairs/manner-train.jsonl",
                  "--held", work / "pairs/style-test.jsonl")  # fmt: skip
        run("checker.encoder", "--base", work / "encoder", *styled, "--epochs", 1,
            "-o", manner, *cpu)  # fmt: skip
        run("teacher.check", "--base", base, "--checker", same, "--pairs", held[1],
            "-o", work / "check.json", *cpu)  # fmt: skip
        checkers = ("--guard", guard, "--manner", manner, "--base", base, "--same",
                    same, *cpu)  # fmt: skip
        run("checker.candidates", *checkers, "--outputs", asked, "-o", work / "rated")
        reward = ("--reward", work / "reward.json")
        run("checker.reward", "--scored", work / "rated/asked.jsonl", "-o",
            reward[1])  # fmt: skip
        models = ("--base", base, "--adapter", adapter, *cpu)
        corpus.write_rows(
            work / "few.jsonl", corpus.read_rows(work / "ask/dev.jsonl")[:6]
        )
        run("teacher.rewrite", *models, "--requests", work / "few.jsonl", "--greedy",
            "-o", work / "greedy.jsonl")  # fmt: skip
        run("teacher.measure", *small, "--outputs", work / "greedy.jsonl", "-o",
            work / "measured.json")  # fmt: skip
        (work / "open").mkdir()
        run("teacher.rewrite", *models, "--requests", work / "ask/open-0.jsonl",
            "--each", 2, "-o", work / "open")  # fmt: skip
        # A random teacher writes nothing that passes: these stand for its candidates.
        rows = corpus.read_rows(work / "open/open-0.jsonl")
        assert len(rows) == 2
        assert all(row["candidates"] for row in rows)
        for row in rows:
            row["candidates"] += [{"text": "The met.", "logp": -1.0, "tokens": 3}]
        corpus.write_rows(work / "open/open-0.jsonl", rows)
        run("checker.candidates", *checkers, "--outputs", work / "open/open-0.jsonl",
            "-o", work / "scored")  # fmt: skip
        scored = ("--scored", work / "scored/open-0.jsonl", *reward)
        run("checker.distil", *scored[:2], "-o", work / "distilled.jsonl")
        run("sheets", "--outputs", f"greedy={work}/open/open-0.jsonl", "-o",
            work / "sheets")  # fmt: skip
        (work / "answers.txt").write_text("1a 0 2 2\n1b 2 2 2\n2a 1 1 1\n2! The met.\n")
        read = work / "read.jsonl"
        run("ratings", "--rows", work / "sheets/rows.jsonl", "--sheets",
            work / "answers.txt", "-o", read)  # fmt: skip
        run("preferences", "--ratings", read, "-o", work / "learnt")
        preferred = work / "preferred.safetensors"
        run("teacher.prefer", "--base", base, "--start", adapter, *small, "--pairs",
            work / "learnt/preferences.jsonl", "-o", preferred, *cpu)  # fmt: skip
        run("teacher.rewrite", "--base", base, "--adapter", preferred, "--rank", 4,
            "--requests", work / "few.jsonl", "--greedy", "-o", work / "short.jsonl",
            *cpu)  # fmt: skip
        known = ("--student", work / "t5")
        run("student.pairs", "own", *small, *known, "--epochs", 0, "-o", work / "own")
        run("student.pairs", "taught", *small, *known, *scored, "--least", 0,
            "--gold", work / "learnt/gold.jsonl", "-o", work / "taught")  # fmt: skip
        learnt = ("--requests", work / "few.jsonl", *small, "--epochs", 1, *cpu)
        run("student.polite", *small, "--taught", work / "taught/kept.jsonl", "-o",
            work / "polite.jsonl")  # fmt: skip
        run("student.train", "--base", work / "t5", "--pairs", work / "polite.jsonl",
            *small, "--epochs", 1, "--held", 2, *cpu, "-o",
            work / "polished")  # fmt: skip
        run("student.bolder", *small, "--ratings", read, "-o", work / "bold.jsonl")
        run("student.train", "--base", work / "t5", "--pairs", work / "bold.jsonl",
            *small, "--epochs", 1, "--held", 2, "--bfloat16", *cpu, "-o",
            work / "bold")  # fmt: skip
        run("student.extrapolate", work / "t5", work / "bold", "-o", work / "bolder")
        run("student.train", "--base", work / "t5", "--pairs", work / "own/own-0.jsonl",
            "--taught", work / "taught/kept.jsonl", *learnt, "-o",
            work / "student")  # fmt: skip
        record = json.loads((work / "adapter.json").read_text())
        assert record["curve"][-1][-1] < record["curve"][0][-1]
        report = json.loads((work / "taught/report.json").read_text())
        assert report["all"]["requests"] == 2
        candidates = [
            one
            for row in corpus.read_rows(work / "scored/open-0.jsonl")
            for one in row["candidates"]
        ]
        assert all(0 <= one["guard"] <= 1 for one in candidates)
        assert all(0 <= one["manner"] <= 1 for one in candidates)
        assert any("same" in one for one in candidates)
        assert json.loads((work / "measured.json").read_text())["all"]["outputs"]
        assert json.loads((work / "preferred.json").read_text())["pairs"] == 2
        assert len(corpus.read_rows(work / "student/few.jsonl")) == 6


BLOCK = "# mail\n" + "\n".join(f"{style}: See you at 5." for style in corpus.STYLES)


def test_the_rater_prefers_the_best_candidate_to_one_that_is_much_worse() -> None:
    options = [
        {"text": text, "chances": chances, "worth": float(np.prod(chances))}
        for text, chances in (
            ("good", [0.9, 0.9, 0.9]),
            ("nearly as good", [0.8, 0.9, 0.9]),
            ("another meaning", [0.2, 0.9, 0.9]),
        )
    ]
    row = {"text": "a", "style": "formal", "candidates": options}
    (pair,) = preferences.pair_rated([row], random.Random(1))
    assert (pair["chosen"], pair["rejected"]) == ("good", "another meaning")
    assert pair["fault"] == "meaning"
    assert not preferences.pair_rated(
        [row | {"candidates": options[2:]}], random.Random(1)
    )


def test_a_request_has_one_best_candidate_of_all_its_writers() -> None:
    student_pairs = import_module("training.everyday.student.pairs")
    rows = [
        {"text": "a b", "style": "formal", "candidates": [
            {"text": said, "chances": [worth, 1.0, 1.0], "worth": worth}
        ]}
        for said, worth in (("c d", 0.6), ("e f", 0.8), ("A b", 0.9))
    ]  # fmt: skip
    dropped: dict[str, Counter[str]] = defaultdict(Counter)
    (row,) = student_pairs.join_candidates(rows)
    (best,) = student_pairs.choose_best([row], 0.5, 0.5, dropped)
    assert best["target"] == "e f"
    assert not student_pairs.choose_best([row], 0.5, 0.85, dropped)
    assert dropped["formal"]["candidate: copy"] == 2


def make_marked() -> tuple[list[Text], list[dict[str, Any]]]:
    """Return a hundred texts, ten with "lo" in the Bible's style, and as many rows."""
    texts = [
        say(
            str(n), f"the bus {n} left", bible=f"{'lo ' * (n < 10)}the bus {n} departed"
        )
        for n in range(100)
    ]
    rows = [
        {"source": "lo and behold" if n < 5 else "the bus left", "style": "bible",
         "target": f"{'lo ' * (n < 50)}it departed", "worth": n / 100}
        for n in range(100)
    ]  # fmt: skip
    return texts, rows


def test_a_mark_is_no_more_frequent_in_what_is_taught_than_in_the_corpus() -> None:
    texts, rows = make_marked()
    dropped: dict[str, Counter[str]] = defaultdict(Counter)
    kept = style_marks.drop_surplus(rows, texts, dropped, most=1.3)
    marked = [
        row for row in kept if "lo" in row["target"] and "lo" not in row["source"]
    ]
    assert 0.1 < len(marked) / len(kept) < 0.15
    # The best of them stay, and so does a mark that the source has.
    assert min(row["worth"] for row in marked) > 0.4
    assert [row for row in rows if row not in kept] == rows[5 : 50 - len(marked)]
    assert dropped["bible"]["mark too frequent"] == len(rows) - len(kept)


def test_marks_are_typical_of_a_style_and_longer_texts_may_have_more() -> None:
    texts, rows = make_marked()
    plain = Counter({"the": 100, "bus": 100, "left": 100})
    marks = style_marks.measure_marks(texts, "bible", plain)
    assert marks["lo"] == pytest.approx(0.1)
    assert marks["lo the"] == pytest.approx(0.1)
    assert "bus" not in marks
    longer = [row | {"target": row["target"] + " from this place" * 4} for row in rows]
    counts = [
        len(style_marks.drop_surplus(those, texts, defaultdict(Counter)))
        for those in (rows, longer)
    ]
    assert counts[0] < counts[1] == 100
    loose = style_marks.drop_surplus(rows, texts, defaultdict(Counter), most=math.inf)
    assert loose == rows


def test_polite_pairs_that_regret_anew_are_left_out() -> None:
    rows = [
        {"source": source, "style": style, "target": target}
        for source, style, target in (
            ("It works.", "polite", "I'm afraid it works."),
            ("It works.", "polite", "It works very nicely."),
            ("Sorry, no.", "polite", "I'm so sorry, but no."),
            ("It works.", "formal", "It is, regrettably, in order."),
            ("It works.", "formal", "It is in order."),
            ("It works.", "bible", "It worketh."),
        )
    ]
    chosen = polite.choose_pairs(rows, 9, random.Random(1))
    assert sorted(row["target"] for row in chosen if row["style"] == "polite") == [
        "I'm so sorry, but no.", "It works very nicely."
    ]  # fmt: skip
    assert len(chosen) == 4


def say(name: str, plain: str, **versions: str) -> Text:
    said = dict.fromkeys(corpus.STYLES, plain) | versions
    return Text(name, "mail", "train", said | {"plain": plain})


def test_bold_pairs_are_those_that_share_the_fewest_words() -> None:
    texts = [
        say("near", "I am late today", bible="I am late this day"),
        say("far", "I am late today", bible="Behold, the hour is past"),
    ]
    assert [t.name for t in bolder.find_boldest(texts, "bible", 0.5)] == ["far"]
    pairs_ = bolder.make_pairs(texts, 0.5, 9, 0, random.Random(1))
    assert {row["style"] for row in pairs_} == set(bolder.WEAK)
    assert "Behold, the hour is past" in [row["target"] for row in pairs_]


def test_timid_rewrites_are_no_gold_unless_a_reader_wrote_them() -> None:
    rows = [
        {"source": "I am late", "style": style, "target": target, "from": "",
         "corrected": corrected}
        for style, target, corrected in (
            ("bible", "I am late.", True), ("formal", "I am late.", True),
            ("bible", "I am late!", False), ("bible", "The hour is past", False),
        )
    ]  # fmt: skip
    assert [row["target"] for row in bolder.choose_gold(rows)] == [
        "I am late.", "I am late.", "I am late.", "The hour is past"
    ]  # fmt: skip


def test_a_style_whose_scores_flatter_gets_a_higher_threshold() -> None:
    combine = import_module("training.everyday.checker.combine")
    odds = np.tile(np.linspace(-3, 3, 600), 2)
    styles = ["bible"] * 600 + ["poetry"] * 600
    # The bible's rewrites say something else up to odds of 1, verse up to -1.
    ratings = np.where(odds > np.repeat([1, -1], 600), 2, 0)
    scores = 1 / (1 + np.exp(-odds))
    found = combine.fit_thresholds(scores, styles, ratings, 0.86)
    assert found["bible"] > 0.5 > found["poetry"] > 0.1
    by_style, one = combine.compare(scores, styles, ratings, found).values()
    assert by_style["changed"] < one["changed"]


def test_verse_is_cut_into_whole_sentences_with_their_lines() -> None:
    lines = [
        "And all in vain we wandered there.", "",
        "The night was dark, the wind was loud,",
        "And not a star looked through the cloud.",
        "We slept.", "Then broke the morning over us,", "",
    ]  # fmt: skip
    assert list(originals.cut_verse(lines)) == [
        "The night was dark, the wind was loud, / "
        "And not a star looked through the cloud."
    ]


def test_blocks_become_texts_unless_something_is_wrong():
    train = next(
        number
        for number in range(99)
        if everyday.split_of(f"See you at 5, {number}.") == "train"
    )
    own = BLOCK.replace("See you at 5.", f"See you at 5, {train}.")
    wrong = BLOCK.replace("bible: See you at 5.", "bible: We meet at 6.")
    lacking = BLOCK.replace("joyce: See you at 5.\n", "")
    lines = "\n\n".join([own, own, wrong, lacking, BLOCK]).splitlines()
    texts = list(blocks.read_blocks(lines, "plans"))
    assert [text.kind for text in texts] == ["mail"] * 5
    kept, dropped = blocks.select_new(texts, ["see you at 5."], "")
    assert [(text.id, text.file, text.split) for text in kept] == [
        (texts[0].id, "plans", "train")
    ]
    assert list(kept[0].versions) == list(corpus.STYLES)
    said = [line.split(": ", 1)[1] for line in dropped]
    assert said[0] == said[3] == "the corpus has this text"
    assert said[1].startswith("bible: numbers differ from plain")
    assert said[2] == "no version in joyce"


def test_blocks_of_another_split_stay_out():
    texts = list(blocks.read_blocks(BLOCK.splitlines(), "plans"))
    other = next(one for one in everyday.SPLITS if one != texts[0].split)
    assert blocks.select_new(texts, [], texts[0].split)[0] == texts
    kept, dropped = blocks.select_new(texts, [], other)
    assert not kept
    assert dropped == [f"{texts[0].id}: its split would be {texts[0].split}"]


def test_the_corpus_ratings_are_read_like_those_of_sheets(tmp_path):
    row = {
        **{"source": "See you.", "style": "formal", "output": "I shall see you."},
        **{"systems": ["greedy"], "kind": "", "meaning": 2, "manner": 2, "fluency": 2},
    }
    corpus.write_rows(tmp_path / "rewrites.jsonl", [row])
    (read,) = ratings.read_ratings(tmp_path / "rewrites.jsonl")
    assert read == row | {"from": "inputs", "held": ratings.is_held_out("See you.")}
    (gold,) = preferences.read_gold([read])
    assert gold["target"] == "I shall see you."
