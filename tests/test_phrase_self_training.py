"""PBMT with the steps of Rao and Tetreault: rules first, self-training, selection."""

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.metrics.bleu import Bleu
from paraphrast.phrase import model, self_training, training
from paraphrast.phrase.family import Phrase
from paraphrast.phrase.rules_first import (
    RulesFirst,
    rewrite_sources,
    rewrite_texts,
)
from paraphrast.phrase.self_training import (
    Unlabelled,
    select_edited,
    select_general,
)
from paraphrast.rewriter import Change, Rewrite, Sentence
from paraphrast.rules import family
from paraphrast.text.spans import Span

THINGS = ("film", "song", "band", "book", "show", "actor", "album", "story")
PAIRS = [
    (
        f"i cant believe the {thing} {ending}",
        f"I find it hard to credit that the {thing} {ending}.",
    )
    for thing in THINGS
    for ending in ("was late", "is so good", "is gone", "was long", "went well")
]
SETTINGS = training.Settings(rules="formal", held_out=0)


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs") / "formal"
    lines = [f"i cant believe the {thing} is that good today" for thing in THINGS]
    self_training.train(
        training.Texts(PAIRS),
        Unlabelled(lines, general=["The film was long.", "Votes are taken."] * 3),
        folder,
        style="formal",
        settings=SETTINGS,
    )
    return folder


def test_a_pack_rewrites_the_output_of_the_rules(pack):
    rewriter = Phrase(pack.parent).load("formal")
    assert isinstance(rewriter, RulesFirst)
    text = "i cant believe the film was late"
    ((rewrite,),) = rewriter([Sentence(text)], alternatives=1, seed=1)
    assert rewrite.text == "I find it hard to credit that the film was late."
    assert rewrite.changes
    assert all(text[c.start : c.end] == c.before for c in rewrite.changes)


def test_the_pack_remembers_its_rules(pack):
    assert model.load_pack(pack).settings.rules == "formal"


def test_protected_spans_survive_rules_and_decoder(pack):
    rewriter = Phrase(pack.parent).load("formal")
    text = "i cant believe the FILM was late"
    span = Span(19, 23, "user")
    sentence = Sentence(text, protected=(span,))
    ((rewrite,),) = rewriter([sentence], alternatives=1, seed=1)
    assert "FILM" in rewrite.text
    assert rewrite.text != text


def test_an_answer_does_not_depend_on_the_sentences_beside_it(pack):
    rewriter = Phrase(pack.parent).load("formal")
    sentences = [Sentence(source) for source, _ in PAIRS[:5]]
    together = rewriter(sentences, alternatives=2, seed=1)
    alone = [rewriter([one], alternatives=2, seed=1)[0] for one in sentences]
    assert together == alone


def test_changes_of_rules_and_decoder_are_joined():
    def rules(sentences, *, alternatives, seed):
        return [[Rewrite("It is new", changes=(Change(0, 3, "its", "It is", "r"),))]]

    def phrases(sentences, *, alternatives, seed):
        assert sentences[0].protected == (Span(6, 9, "user"),)
        return [[Rewrite("It is new", why="none of its words is known")]]

    sentence = Sentence("its new", protected=(Span(4, 7, "user"),))
    rewriter = RulesFirst(rules, phrases)
    ((rewrite,),) = rewriter([sentence], alternatives=1, seed=1)
    assert rewrite.why == ""
    assert [(c.before, c.after) for c in rewrite.changes] == [("its", "It is")]


def test_rules_rewrite_sources_sentence_by_sentence():
    ruled = rewrite_texts(["i cant come. dont wait!!", "", "ok"], "formal")
    assert ruled[0].startswith("I cannot come.")
    assert "Do not wait" in ruled[0]
    assert ruled[1] == ""
    assert rewrite_sources([("i cant", "x")], "") == [("i cant", "x")]
    again = rewrite_texts(ruled, "formal")
    assert again == ruled


def test_only_rewrites_that_change_enough_become_pairs():
    same = ("a short line here", "a short line there")
    other = ("a short line here", "quite another line, and longer")
    assert select_edited([same, other], least_edits=10) == [other]
    assert select_edited([same, other], least_edits=0) == [same, other]


def test_unlabelled_text_is_rewritten_with_the_rules_before_it(pack):
    lines = [
        "i cant believe the band is so good",
        "no",
        "i cant believe the band is so good",
    ]
    pairs = self_training.rewrite_unlabelled(pack, Unlabelled(lines), SETTINGS)
    assert pairs == [
        (
            *rewrite_texts(lines[:1], "formal"),
            "I find it hard to credit that the band is so good.",
        )
    ]


def test_general_text_is_selected_by_its_likeness_to_the_targets():
    targets = [f"The {thing} was very good indeed ." for thing in THINGS]
    alike = [f"The {thing} was good ." for thing in ("game", "play", "film")]
    other = [f"Council regulation {n} applies to fisheries ." for n in range(12)]
    selected = select_general(targets, [*other[:6], *alike, *other[6:]], most=3)
    assert selected == alike
    assert select_general(targets, [], most=3) == []


def test_original_pairs_are_repeated_to_balance_those_of_self_training(
    tmp_path, monkeypatch
):
    seen = []
    real = training.train

    def train(texts, folder, **others):
        seen.append(len(texts.pairs))
        return real(texts, folder, **others)

    monkeypatch.setattr(training, "train", train)
    monkeypatch.setattr(
        self_training,
        "rewrite_unlabelled",
        lambda *_: [("It is new.", "I find that it is new.")] * (3 * len(PAIRS)),
    )
    self_training.train(
        training.Texts(PAIRS),
        Unlabelled(["x"]),
        tmp_path / "pack",
        style="formal",
        settings=SETTINGS,
    )
    assert seen == [len(PAIRS), 6 * len(PAIRS)]


def test_tuning_sees_what_the_rules_made_of_the_sources(pack, monkeypatch):
    loaded = model.load_pack(pack)
    wanted = model.Tuning(PAIRS[:4], Bleu(tokenize="none", smoothing="none"))
    sources = []
    monkeypatch.setattr(
        model.tuning,
        "tune",
        lambda decode, objective, *a, **k: sources.append(objective),
    )
    with pytest.raises(AttributeError):
        model.tune_weights(loaded, wanted)
    assert sources
    ruled = rewrite_texts([source for source, _ in PAIRS[:4]], "formal")
    assert [text.split()[0] for text in ruled] == ["I"] * 4


def test_mistakes_are_one_line():
    with pytest.raises(ParaphrastError, match="unknown style of the rules"):
        training.Settings(rules="pirate")
    with pytest.raises(ParaphrastError, match="least_edits must be 0 or more"):
        Unlabelled(least_edits=-1)
    assert set(family.styles()) == {"formal", "informal"}


def test_the_command_trains_with_rules_and_unlabelled_text(run, tmp_path):
    names = ("informal", "formal", "chat")
    columns = (
        [source for source, _ in PAIRS],
        [target for _, target in PAIRS],
        [f"i cant believe the {thing} is that good today" for thing in THINGS],
    )
    for name, lines in zip(names, columns, strict=True):
        text = "".join(f"{line}\n" for line in lines)
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    common = [
        *("phrase", "train", tmp_path / "informal.txt", tmp_path / "formal.txt"),
        *("--to", "formal", "--rules", "--unlabelled", tmp_path / "chat.txt"),
        *("-o", tmp_path / "pack"),
    ]
    code, shown, err = run(*common)
    assert code == 0, err
    assert "-> " in shown
    assert model.load_pack(tmp_path / "pack").settings.rules == "formal"
    code, _, err = run(*common, "--resume", "--replace")
    assert code == 2
    assert "cannot be resumed" in err
