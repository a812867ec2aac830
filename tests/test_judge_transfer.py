"""Training the small judge for transfer: its tables, its losses, the whole chain."""

import json
import random

import numpy as np
import pytest

from paraphrast.judges.encoder.surface import COUNT, features
from paraphrast.judges.training.examples import Table
from paraphrast.text.wordpiece import WordPiece
from training.judge import surface_changes, system_outputs
from training.judge.judged_variants import Varier
from training.judge.tables import Tables, choose_rows, load, write_tables

TEXTS = [
    "I would be grateful if you could send the two reports before Friday.",
    "The committee has not yet decided whether the proposal will be accepted.",
    "My sister, who lives in Lisbon, will arrive at the station at nine.",
]
VARIED = ("cola_varied", "gug_varied", "pt16_varied", "squinky_varied")
PAIRS = [("You are late, my friend.", "Thou art late, my friend.")] * 4
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz.,"]
WORDS += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


def maker():
    versions = [{"plain": TEXTS[0], "formal": TEXTS[1], "informal": "send em pls"}]
    return system_outputs.OutputMaker(TEXTS * 4, PAIRS, versions)


def test_outputs_are_broken_and_graded_by_how_much():
    draw = random.Random(1)
    made = [maker().make(TEXTS[2], draw) for _ in range(60)]
    assert all(0 < grade < 0.5 for _, grade in made)
    assert len({text for text, _ in made}) > 40
    assert TEXTS[2] not in {text for text, _ in made}


def test_presentation_tells_no_output_from_a_text():
    draw = random.Random(1)
    shown = {maker().present("He's here, Ann.", draw) for _ in range(60)}
    assert {"He's here, Ann.", "he's here, ann.", "He's here , Ann ."} <= shown


@pytest.mark.parametrize("seed", range(20))
def test_similarity_falls_with_the_content_lost(seed):
    text, similarity = system_outputs.grade_loss(TEXTS[1], random.Random(seed), 0.9)
    assert text
    assert 0 <= similarity <= 0.9
    assert (text == TEXTS[1]) == (similarity == 0.9)


def test_a_text_without_content_words_loses_nothing():
    draw = random.Random(1)
    assert system_outputs.grade_loss("oh so", draw, 0.9) == ("oh so", 0.9)


@pytest.mark.parametrize("seed", range(20))
def test_a_changed_surface_costs_formality_and_no_words(seed):
    changed, drop = surface_changes.change_surface(TEXTS[0], random.Random(seed))
    assert (drop > 0) == (changed != TEXTS[0])
    letters = "".join(filter(str.isalpha, changed)).lower()
    assert letters == "".join(filter(str.isalpha, TEXTS[0])).lower()


def test_lower_case_and_no_stop_cost_what_the_constants_say():
    drops = {
        changed: drop
        for seed in range(200)
        for changed, drop in [
            surface_changes.change_surface("I know.", random.Random(seed))
        ]
    }
    lower = surface_changes.LOWER_START + surface_changes.LOWER_PRONOUN
    assert drops["i know."] == pytest.approx(lower)
    assert drops["i know"] == pytest.approx(lower + surface_changes.NO_STOP)


def test_tables_are_sampled_and_rewritten(tmp_path):
    table = Table(
        [np.array([n, n + 1]) for n in range(8)],
        np.arange(4, dtype=np.float32),
        2,
        {"features": np.arange(8, dtype=np.float32).reshape(4, 2)},
    )
    write_tables({"pairs": table}, tmp_path / "t.npz")
    again = choose_rows(load(tmp_path / "t.npz")["pairs"], 2)
    assert len(again) == 2
    for row, label in enumerate(again.labels):
        assert again.texts[2 * row].tolist() == [2 * label, 2 * label + 1]
        assert again.extra["features"][row].tolist() == [2 * label, 2 * label + 1]
    assert choose_rows(table, 9) is table


def everything():
    """Return every table that training reads, of a few rows each."""
    tables = Tables(WordPiece(WORDS))
    texts = [text.lower() for text in TEXTS] * 4

    def add(name, labels, width=1, surface=False):
        rows = [texts[(row + c) % 12] for row in range(12) for c in range(width)]
        tables.add(name, rows, labels, width=width)
        if surface:
            tables.attach(name, "features", features(rows).reshape(12, -1))

    half, flags = [n / 12 for n in range(12)], [n % 2 for n in range(12)]
    for own in ("", "_own"):
        for name in ("pt16", "squinky"):
            add(f"{name}{own}", half, surface=True)
            add(f"{name}{own}_bare", half)
        for name in ("order", "surface"):
            add(f"{name}{own}", half, 2, surface=True)
        for name in ("cola", "gug", "outputs", "natural"):
            add(f"{name}{own}", flags)
        for name in ("sts", "alike"):
            add(f"{name}{own}", half, 2)
    for name in ("plays", "plays_valid", "plays_test", "style", "style_dev"):
        add(name, flags)
    for name in ("versions", "versions_own", "unlabelled", "cds", "wide", *VARIED):
        add(name, [n % 12 for n in range(12)])
    add("pairs", flags, 3)
    return tables


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    import torch
    import transformers
    from safetensors.torch import save_file

    from training.judge import backbones, coarse_weights

    def make(config_class, model_class, marks, size, tokens):
        config = config_class(
            vocab_size=tokens,
            hidden_size=size,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=2 * size,
            max_position_embeddings=140,
        )
        return lambda: (model_class(config, add_pooling_layer=False), marks)

    bert = backbones.Marks(start=2, end=3, padding=0)
    makers = {
        "minilm": make(transformers.BertConfig, transformers.BertModel, bert, 32, 60),
        "mpnet": make(
            transformers.MPNetConfig, transformers.MPNetModel, backbones.MPNET, 32, 64
        ),
    }
    monkeypatch.setattr(backbones, "MAKERS", makers)
    monkeypatch.setattr(coarse_weights, "_LEAST", 1000)
    everything().save(tmp_path / "transfer.npz")
    torch.manual_seed(1)
    torch.set_num_threads(1)
    for name, maker in makers.items():
        weights = {k: v for k, v in maker()[0].state_dict().items() if v.ndim}
        save_file(weights, tmp_path / f"{name}.safetensors")
        arguments = [name, str(tmp_path / f"{name}.safetensors"), "-o", str(tmp_path)]
        run(
            monkeypatch, coarse_weights, *arguments, "--data", tmp_path / "transfer.npz"
        )
    return tmp_path


def run(monkeypatch, module, *arguments):
    monkeypatch.setattr("sys.argv", ["x", *map(str, arguments)])
    module.main()


@pytest.mark.train
def test_coarse_weights_are_near_and_keep_the_tokens_in_use(tiny):
    from safetensors.torch import load_file

    from training.judge.coarse_weights import read_coarse

    weights = load_file(tiny / "mpnet.safetensors")
    model, marks = read_coarse(tiny, "mpnet")
    state = model.state_dict()
    key = "encoder.layer.0.intermediate.dense.weight"
    error = (state[key] - weights[key]).std() / weights[key].std()
    assert 0 < error < 0.2
    rows = state["embeddings.word_embeddings.weight"].abs().sum(1)
    letter = WORDS.index("a") + marks.shift
    assert rows[letter] > 0
    assert rows[WORDS.index("##j") + marks.shift] == 0  # in no text


def train_students(tiny, monkeypatch):
    """Train two students of everything and one of fold a, and average the former."""
    from training.judge import transfer

    common = ["--data", tiny / "transfer.npz", "--weights", tiny, "--work", tiny / "w"]
    common += ["--steps", 3, "--share", 0.9]
    monkeypatch.setattr(transfer, "VECTOR", 32)
    for fold in ("all", "a"):
        run(monkeypatch, transfer, "teach", "--fold", fold, *common)
        run(monkeypatch, transfer, "student", "--fold", fold, *common)
    run(monkeypatch, transfer, "student", "--seed", 2, *common)
    run(monkeypatch, transfer, "soup", *common, "-o", tiny / "out")


@pytest.mark.train
def test_the_chain_teaches_folds_and_averages(tiny, monkeypatch):
    train_students(tiny, monkeypatch)
    figures = json.loads((tiny / "out/figures.json").read_text())
    assert figures["student-a-1"]["left out"] == ["pt16", "cola", "sts"]
    assert figures["soup-all"]["figures"]["pt16"].keys() == {
        "Spearman",
        "Spearman of bare",
    }
    rows = np.load(tiny / "out/rows.npz")
    # a corpus that the fold left out is measured whole
    assert len(rows["student-a-1/cola"]) == 24
    assert len(rows["student-all-1/cola"]) == 12
    packed = np.load(tiny / "out/small-0.npz")
    assert packed["heads.formality.weight"].shape == (1, 2 * 32 + COUNT)
    assert packed["heads.style.weight"].shape[0] == 14


def assemble_judge(tiny, monkeypatch):
    """Make a judge's folder of the students' average."""
    from training.judge import assemble_transfer

    train_students(tiny, monkeypatch)
    words = [*WORDS, "[unused1]", "[unused2]"]
    (tiny / "vocab.txt").write_text("".join(f"{word}\n" for word in words))
    arguments = ["--weights", tiny / "out", "--base", tiny / "minilm.safetensors"]
    arguments += ["--vocabulary", tiny / "vocab.txt", "--attention-heads", 2]
    arguments += ["--data", tiny / "transfer.npz"]
    run(monkeypatch, assemble_transfer, *arguments, "-o", tiny / "judge")
    return tiny / "judge"


@pytest.mark.train
def test_new_heads_leave_meaning_and_fluency_as_they_were(tiny, monkeypatch, capsys):
    from paraphrast.judges import judge as judges
    from training.judge import measure_folder, register_heads
    from training.judge.transfer_data import ALL_STYLES

    before = assemble_judge(tiny, monkeypatch)
    monkeypatch.setattr(register_heads, "STEPS", 6)
    arguments = ["--data", tiny / "transfer.npz", "--states", tiny / "states.npz"]
    arguments += ["--judge", before]
    for folder in (tiny / "after", tiny / "again"):  # the latter from kept states
        run(monkeypatch, register_heads, *arguments, "-o", folder)
    old, judge, again = map(judges.load, (before, tiny / "after", tiny / "again"))
    assert again.hashes() == judge.hashes()
    assert judge.styles == ALL_STYLES
    changed = {n for n, own in judge.hashes().items() if own != old.hashes()[n]}
    assert changed == {"accuracy", "formality"}
    sides = ("modern", "shakespeare")
    assert judge.accuracy.among(sides).signature == old.accuracy.among(sides).signature
    assert judge.formality.values(["a bad cab"]) != old.formality.values(["a bad cab"])
    rows = {row["corpus"] for row in judge.about["left_out"]}
    assert rows == {"SQUINKY", "everyday, pairs of registers"}
    capsys.readouterr()
    run(monkeypatch, measure_folder, tiny / "after", "--data", tiny / "transfer.npz")
    assert json.loads(capsys.readouterr().out)["versions"].keys() >= {"accuracy"}


@pytest.mark.train
def test_an_average_is_assembled_and_measured_as_a_judge(tiny, monkeypatch, capsys):
    from paraphrast.judges import judge as judges
    from training.judge import measure_folder
    from training.judge.transfer_data import ALL_STYLES

    folder = assemble_judge(tiny, monkeypatch)
    judge = judges.load(folder)
    data = ["--data", tiny / "transfer.npz"]
    assert tuple(judge.about["parts"]["accuracy"][0]["styles"]) == ALL_STYLES
    # fold b was not trained: only what fold a left out has figures
    rows = {row["corpus"]: row["items"] for row in judge.about["left_out"]}
    assert rows == {"PT16": 24, "CoLA": 24, "STS-B": 24}
    capsys.readouterr()
    run(monkeypatch, measure_folder, folder, *data)
    measured = json.loads(capsys.readouterr().out)
    figures = json.loads((tiny / "out/figures.json").read_text())["soup-all"]["figures"]
    assert measured.keys() == figures.keys()
    # the heads read the states of the same encoder, in 8 bits
    difference = "mean difference"
    expected = figures["surface"][difference]
    assert measured["surface"][difference] == pytest.approx(expected, abs=0.05)


@pytest.mark.train
def test_rows_unused_in_training_keep_their_pretrained_values():
    from training.judge.assemble_transfer import fill_rows

    trained = np.array([[1, 2], [0, 0], [0, 3]], np.float32)
    filled = fill_rows(trained, np.full((3, 2), 9, np.float16))
    assert filled.tolist() == [[1, 2], [9, 9], [0, 3]]


@pytest.mark.train
def test_mixed_weights_are_interpolated_and_new_classes_taken_over():
    from training.judge.assemble_transfer import mix_weights

    before = {"style": np.array([[0.0], [2.0]]), "gone": np.ones(1)}
    after = {"style": np.array([[1.0], [4.0], [9.0]]), "new": np.array([5.0])}
    mixed = mix_weights(before, after, 0.5)
    assert mixed["style"].tolist() == [[0.5], [3.0], [9.0]]
    assert mixed["new"].tolist() == [5.0]
    assert "gone" not in mixed
    assert after["style"][0, 0] == 1  # what was given stays


@pytest.mark.train
def test_judges_of_eleven_and_of_fourteen_styles_have_a_figure_in_common():
    from training.judge.left_out import measure_tables

    logits = np.zeros((3, 14), np.float32)
    logits[0, 4] = logits[1, 5] = logits[1, 12] = logits[2, 13] = 1
    logits[1, 12] = 2  # a style that the other judge does not know
    table = Table([np.array([1])] * 3, np.array([4, 5, 13], np.float32))

    def predict(texts, *, features=None):
        return {"style": logits}

    figures, _ = measure_tables(predict, {"versions_own": table}, "all")
    assert figures["versions"]["accuracy"] == pytest.approx(2 / 3)
    assert figures["versions"]["accuracy among eleven"] == 1


@pytest.mark.train
def test_the_ordering_loss_is_the_shortfall_from_the_margin(tiny):
    import torch

    from paraphrast.judges.training.network import Head, Network
    from training.judge.coarse_weights import read_coarse
    from training.judge.tasks import Ordered

    encoder, marks = read_coarse(tiny, "mpnet")
    head = Head("formality", "score", features=COUNT)
    network = Network(encoder, [head], marks=marks).eval()
    torch.nn.init.zeros_(network.heads["formality"].weight)
    with torch.no_grad():
        network.heads["formality"].weight[0, -COUNT] = 1.0  # the first feature
    seen = np.zeros((2, 2 * COUNT), np.float32)
    seen[:, 0] = 0.5, 3.0  # of the first text; the second text has none
    texts = [np.array([4])] * 4
    table = Table(texts, np.ones(2, np.float32), 2, {"features": seen})
    states = torch.zeros(4, 32), torch.zeros(4, 32)
    rows = np.arange(2)
    at_least = Ordered("formality", table, 2).loss(network, *states, rows)
    assert at_least.item() == pytest.approx((0.5**2 + 0) / 2)
    exact = Ordered("formality", table, 2, exact=True).loss(network, *states, rows)
    assert exact.item() == pytest.approx((0.5**2 + 2.0**2) / 2)


@pytest.mark.train
def test_a_changed_paraphrase_as_near_as_the_original_is_penalised(tiny):
    import torch

    from paraphrast.judges.training.network import Head, Network
    from training.judge.coarse_weights import read_coarse
    from training.judge.tasks import Nearer

    encoder, marks = read_coarse(tiny, "mpnet")
    network = Network(encoder, [Head("plays", "classes", 2)], marks=marks)
    one, same, far = [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]
    states = torch.zeros(6, 32)
    states[:, :2] = torch.tensor([one, same, same, one, same, far])
    table = Table([np.array([4])] * 6, np.zeros(2, np.float32), 3)
    loss = Nearer(table, 2).loss(network, states, states, np.arange(2))
    assert loss.item() == pytest.approx(40 * 0.15**2 / 2)


@pytest.mark.train
def test_distillation_targets_include_the_students_own_logits(monkeypatch):
    import torch

    from training.judge import transfer

    monkeypatch.setattr(transfer, "KEPT", ("style", "plays"))
    theirs = {"style": torch.tensor([[4.0, 4.0, 7.0]])}
    own = {"style": torch.tensor([[0.0, 2.0]]), "plays": torch.tensor([[5.0, 6.0]])}
    kept = transfer.keep_logits(theirs, own, 0.25)
    assert kept["style"].tolist() == [[3.0, 3.5, 7.0]]
    assert kept["plays"].tolist() == [[5.0, 6.0]]
    assert theirs["style"].tolist() == [[4.0, 4.0, 7.0]]


@pytest.mark.train
def test_a_changed_meaning_is_measured_by_the_fall_in_similarity():
    from training.judge.left_out import measure_tables

    one, near, far = [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]
    vectors = np.array([one, near, far, one, near, near], np.float32)
    table = Table([np.array([1])] * 6, np.array([0, 1], np.float32), 3)

    def predict(texts, *, features=None):
        return {"vector": vectors}

    figures, _ = measure_tables(predict, {"changed_own": table}, "all")
    assert figures["changed"] == {
        "similarity falls": 0.5,
        "similarity falls, kind 0": 1.0,
        "similarity falls, kind 1": 0.0,
    }


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("She let you down .", "You let her down ."),
        ("and I never saw him .", "and he never saw me ."),
        ("He or you will .", None),
        ("Nobody called .", None),
    ],
)
def test_roles_are_exchanged_in_the_case_of_their_new_place(text, changed):
    from training.judge.changed_meanings import exchange_roles

    words = exchange_roles(text.split())
    assert (words and " ".join(words)) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("I do not know .", "I do know ."),
        ("You can't go .", "You can go ."),
        ("It didn't rain .", "It did rain ."),
        ("I do not know and you don't .", None),
        ("It rains .", None),
    ],
)
def test_only_a_single_negation_is_taken_out(text, changed):
    from training.judge.changed_meanings import remove_negation

    words = remove_negation(text.split())
    assert (words and " ".join(words)) == changed


def test_texts_with_references_are_not_used_for_training(tmp_path):
    from training.judge.transfer_data import read_ids

    (tmp_path / "r.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": "b"}\n')
    assert read_ids(tmp_path / "r.jsonl") == {"a", "b"}


def test_variants_change_words_and_go_on_as_texts_do():
    continues = [False, False, False, True, False, False]
    texts = [np.array([0, 1, 2, 3, 4]), np.array([0, 5, 2, 3])]
    varier = Varier(texts, continues)
    assert varier.split(texts[0]) == [(0,), (1,), (2, 3), (4,)]
    draw = random.Random(1)
    varied = [varier.vary(texts[0], draw).tolist() for _ in range(50)]
    assert [0, 5, 2, 3, 4] in varied  # 5 follows 0 elsewhere
    assert all(v[v.index(3) - 1] == 2 for v in varied if 3 in v)  # words stay whole
    assert varier.vary(np.array([4, 0]), draw).tolist() == [4, 0]


@pytest.mark.train
def test_fused_attention_gives_the_same_states_by_the_same_names():
    import torch
    import transformers

    from training.judge import backbones

    torch.manual_seed(1)
    config = transformers.MPNetConfig(
        vocab_size=50,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=32,
    )
    model = transformers.MPNetModel(config, add_pooling_layer=False).eval()
    ids = torch.randint(3, 50, (2, 8))
    mask = torch.ones_like(ids)
    ids[1, 5:], mask[1, 5:] = 1, 0

    def states():
        with torch.no_grad():
            result = model(input_ids=ids, attention_mask=mask)
        return result.last_hidden_state[mask.bool()]

    before, names = states(), set(model.state_dict())
    backbones.fuse_attention(model)
    assert set(model.state_dict()) == names
    assert torch.allclose(states(), before, atol=1e-5)


@pytest.mark.train
def test_a_student_begins_as_the_shipped_judge(tmp_path, monkeypatch):
    from argparse import Namespace

    from paraphrast.judges import judge as judges
    from training.judge import backbones, shipped_weights, transfer
    from training.judge.measure_folder import FolderPredictor
    from training.judge.prediction import predict

    run(monkeypatch, shipped_weights, "-o", tmp_path)
    monkeypatch.setattr(transfer, "read_coarse", lambda *_: backbones.minilm())
    network, further = transfer.begin_student(Namespace(weights=tmp_path, fold="all"))
    assert further
    small = judges.load(judges.SMALL)
    readers = (small.similarity.reader, small.formality.reader)
    ids = [np.array(readers[0].tokenizer.ids(text)) for text in TEXTS]
    shipped, ours = FolderPredictor(*readers)(ids), predict(network, ids, device="cpu")
    assert (shipped["vector"] * ours["vector"]).sum(1).min() > 0.98
    assert np.abs(shipped["formality"] - ours["formality"]).max() < 0.3
    # fold a leaves out what the shipped judge has read
    assert not transfer.begin_student(Namespace(weights=tmp_path, fold="a"))[1]


@pytest.mark.train
def test_pooling_in_groups_equals_a_single_batch(tiny):
    import torch

    from paraphrast.judges.training import fitting
    from paraphrast.judges.training.network import Network
    from training.judge.coarse_weights import read_coarse

    encoder, marks = read_coarse(tiny, "minilm")
    network = Network(encoder, [], marks=marks).eval()
    texts = [np.arange(4, 4 + size) for size in (9, 2, 30, 5)]
    with torch.no_grad():
        one, several = (fitting._pool(network, texts, "cpu", n) for n in (1, 3))
    assert torch.allclose(one[0], several[0], atol=1e-5)
    assert torch.allclose(one[1], several[1], atol=1e-5)
