"""From two parallel texts to a pack, and from the pack to rewrites."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import paraphrast
import phrase_toy as toy
from paraphrast.errors import ParaphrastError
from paraphrast.estimators import language_model
from paraphrast.metrics.bleu import Bleu
from paraphrast.phrase import model, training
from paraphrast.phrase.family import Phrase
from paraphrast.phrase.summary import Summary
from paraphrast.phrase.training import Settings, Texts
from paraphrast.storage import packs
from paraphrast.text.spans import Span

SETTINGS = Settings(held_out=0, ngrams=language_model.Settings(order=3))


def trained(folder, **options):
    texts = Texts(toy.PAIRS, toy.STYLE)
    options = {"style": "old", "settings": SETTINGS} | options
    return training.train(texts, folder, **options)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    trained(folder / "old")
    return folder


@pytest.fixture(scope="module")
def old(home):
    return paraphrast.load("old", using="phrase", packs=home)


def test_sixty_pairs_are_enough_for_new_text(tmp_path):
    made = trained(tmp_path / "old")
    rewriter = paraphrast.load(pack=made.pack.folder)
    result = rewriter.rewrite([source for source, _ in toy.NEW])
    assert [rewrite.text for rewrite in result] == [target for _, target in toy.NEW]


def test_offensive_words_are_brought_into_no_everyday_style(tmp_path):
    things = ("work", "school", "lunch", "tea", "dinner", "church")
    pairs = [
        (f"you are late for {x}", f"you bastards are late for {x}") for x in things
    ]
    texts = Texts(pairs, toy.STYLE)
    training.train(texts, tmp_path / "p", style="informal", settings=SETTINGS)
    rewriter = paraphrast.load(pack=tmp_path / "p")
    late, given = "you are late for work", "you bastards are late for work"
    (result,) = rewriter.unfiltered().rewrite([late])
    assert result.text.lower() == given
    decent, own = rewriter.rewrite([late, given])
    assert "bastards" not in decent.text
    assert "bastards" in own.text  # the source has it
    for alternatives in rewriter.alternatives([late], 3):
        assert not any("bastards" in rewrite.text for rewrite in alternatives)


def test_every_change_is_explained_by_a_training_pair(old):
    (result,) = old.rewrite(["Perhaps your ship is lost, Viola."])
    assert result.text == "Perchance thy ship is lost, Viola."
    first, second = result.changes
    assert (first.before, first.after) == ("Perhaps", "Perchance")
    assert first.rule.startswith("seen 3 times; e.g. pair ")
    assert "perhaps he will come . → perchance he will come ." in first.rule
    assert "your" in second.before
    assert "thy" in second.after


def test_typography_names_and_protected_spans_survive(old):
    text = "“You are late,”  said VIOLA—your friend… See http://you.are/yes?no=1 ☂"
    (result,) = old.rewrite([text])
    assert "Thou art late,”  said VIOLA—thy friend…" in result.text
    assert "http://you.are/yes?no=1 ☂" in result.text
    (kept,) = old.rewrite(["Yes, you are my friend."], protect=["you are"])
    assert kept.text == "Ay, you are my friend."


def test_quotes_stay_in_pairs(old):
    (result,) = old.rewrite(["Yes, “you are” (he is late) here."])
    assert result.text == "Ay, “thou art” (he is late) here."


def test_a_quotation_begins_with_a_capital_where_it_did(old):
    (result,) = old.rewrite(["Yes, “You are” late."])
    assert result.text == "Ay, “Thou art” late."
    (result,) = old.rewrite(["“You are late!” you said."])
    assert result.text.startswith("“Thou art late!” thou ")


def test_alternatives_are_distinct_and_best_first(old):
    (result,) = old.alternatives(["Come here, Rosalind."], 5)
    assert len({rewrite.text for rewrite in result}) == len(result) > 1
    assert [r.score for r in result] == sorted((r.score for r in result), reverse=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\n",
        "🙂🙂🙂",
        "Ω" * 10_000,
        "你好，世界。",
        "\u202eاهلا\u0000",
        "caf\udce9",
        "'''''''' -- ... ,,,, ''",
        "<unk> <s> </s> NULL |||",
        "you " * 2_000,
        "(" * 500,
    ],
)
def test_odd_input_gives_one_answer_and_a_reason_if_unchanged(old, text):
    (result,) = old.rewrite([text])
    assert bool(result.why) == (result.text == text)


def test_a_text_of_unknown_words_comes_back_with_the_reason(old):
    (result,) = old.rewrite(["Quantum chromodynamics fascinates undergraduates"])
    assert result.text == "Quantum chromodynamics fascinates undergraduates"
    assert result.why == "none of its words is known"


def test_a_sentence_too_long_for_the_decoder_comes_back_with_the_reason(home):
    from paraphrast.phrase.rewriter import MOST_WORDS
    from paraphrast.rewriter import Sentence

    rewriter = Phrase(home).load("old")
    long = Sentence("you " * (MOST_WORDS + 1))
    short = Sentence("you are late", (Span(0, 3),))
    result = rewriter([long, short], alternatives=1, seed=1)
    assert result[0][0].text == long.text
    assert "too many words" in result[0][0].why
    assert result[1][0].text.startswith("you")


def test_closeness_keeps_more_of_the_input(home):
    loaded = model.load_pack(home / "old")
    words = ["you", "are", "late", "."]
    (plain,) = loaded.decoder.decode([words])
    (close,) = loaded.with_closeness(50.0).decoder.decode([words])
    assert plain.words == ("thou", "art", "late", ".")
    assert loaded.with_closeness(None) is loaded
    kept = loaded.features.index("kept")
    assert close.features[kept] >= plain.features[kept]


def test_the_same_seed_gives_the_same_pack(home, tmp_path):
    again = trained(tmp_path / "old").pack.about
    first = packs.read(home / "old").about
    assert again.files == first.files


def test_the_summary_says_what_was_learned(home):
    result = Summary.load(home / "old" / "summary.json")
    assert result.pairs == len(toy.PAIRS)
    assert result.style_sentences == len(toy.STYLE)
    changed = {word.word: word.replacements for word in result.changed}
    assert changed["your"] == ("thy",)
    assert set(changed["you"]) == {"thou", "thee"}
    assert result.options >= result.phrases > 100
    assert len(result.ngrams) == 3


def test_held_out_pairs_are_shown_and_not_trained_on(tmp_path):
    made = trained(tmp_path / "old", settings=replace(SETTINGS, held_out=4))
    assert made.summary.pairs == len(toy.PAIRS) - 4
    assert len(made.summary.samples) == 4
    examples = model.load_pack(made.pack.folder).examples
    known = {examples.pair(number) for number in range(len(examples))}
    for sample in made.summary.samples:
        assert sample.target
        words = (sample.source.lower(), sample.target.lower())
        assert not any(
            (a.replace(" ", ""), b.replace(" ", ""))
            == tuple(side.replace(" ", "") for side in words)
            for a, b in known
        )


def test_aligners_add_up_and_a_small_table_can_be_asked_for(tmp_path, home):
    both = trained(
        tmp_path / "both",
        settings=replace(SETTINGS, aligners=("fast-align", "ibm1"), most_options=1),
    )
    table = model.load_pack(both.pack.folder).table
    assert len(table) == table.phrases
    alone = model.load_pack(home / "old").table
    assert table.of(["perhaps"])[0].count == 2 * alone.of(["perhaps"])[0].count


def test_contrast_sets_a_model_of_the_source_against_the_target(tmp_path, home):
    made = trained(tmp_path / "old", settings=replace(SETTINGS, contrast=True))
    loaded = model.load_pack(made.pack.folder)
    assert loaded.settings.models == ("style", "source")
    weights = dict(zip(loaded.features, loaded.decoder.weights, strict=True))
    assert weights["model source"] < 0 < weights["model style"]
    modern, old = ("where is your ship ?", "where is thy ship ?")
    style, source = loaded.models
    assert source.score(modern) > source.score(old)
    assert style.score(old) > style.score(modern)


def test_style_lines_that_repeat_the_pairs_count_once(tmp_path):
    # Two translations of the same lines, and a further text that has them again.
    texts = Texts(toy.PAIRS * 2, [*toy.STYLE, *(old for _, old in toy.PAIRS)])
    again = training.train(texts, tmp_path / "new", style="old", settings=SETTINGS)
    once = trained(tmp_path / "old")
    line = toy.PAIRS[0][1]
    first, second = (
        model.load_pack(made.pack.folder).models[0].score(line)
        for made in (once, again)
    )
    assert first == pytest.approx(second)


def test_tuning_writes_other_weights(tmp_path):
    tuning = model.Tuning(toy.NEW, Bleu(tokenize="none", smoothing="none"))
    made = trained(tmp_path / "old", tuning=tuning)
    settings = made.pack.settings(model.Settings)
    assert set(settings.weights) == set(model.load_pack(made.pack.folder).features)
    assert "round" in made.summary.tuning
    rewriter = paraphrast.load(pack=made.pack.folder)
    result = rewriter.rewrite([source for source, _ in toy.NEW])
    assert [rewrite.text for rewrite in result] == [target for _, target in toy.NEW]


class StoppedError(Exception):
    """Stands for Ctrl-C or a power cut."""


def test_a_stopped_run_resumes_where_it_stopped(tmp_path, home):
    seen = []

    def stop(step):
        seen.append(step)
        if step == "estimating the language model":
            raise StoppedError

    with pytest.raises(StoppedError):
        trained(tmp_path / "old", progress=stop)
    assert seen == ["cleaning", "aligning with fast-align", "extracting phrases"] + [
        "estimating the language model"
    ]
    partial = tmp_path / "old.partial"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.partial"]
    table = (partial / "table").stat().st_mtime_ns
    before = {path.name: path.stat().st_mtime_ns for path in partial.iterdir()}
    assert before["table"] == table

    with pytest.raises(ParaphrastError, match="settings changed since it stopped"):
        trained(
            tmp_path / "old", resume=True, settings=replace(SETTINGS, most_options=2)
        )
    made = trained(tmp_path / "old", resume=True)
    assert made.pack.about.files == packs.read(home / "old").about.files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old"]


def test_a_users_mistake_leaves_nothing_behind(tmp_path):
    with pytest.raises(ParaphrastError, match="unknown aligner"):
        trained(tmp_path / "old", settings=replace(SETTINGS, aligners=("fast-alin",)))
    assert list(tmp_path.iterdir()) == []


def test_a_table_too_big_is_one_line_and_leaves_nothing(tmp_path):
    from paraphrast.phrase import extraction

    few = replace(SETTINGS, phrases=extraction.Settings(most=50))
    with pytest.raises(ParaphrastError, match="more than 50 phrase pairs"):
        trained(tmp_path / "old", settings=few)
    assert list(tmp_path.iterdir()) == []


def test_too_little_memory_is_one_line_and_leaves_nothing(tmp_path, monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr(training.scoring, "score", full)
    with pytest.raises(ParaphrastError, match="not enough memory to train"):
        trained(tmp_path / "old")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_the_users_own_is_not_worked_in(tmp_path):
    (tmp_path / "old.partial").mkdir()
    (tmp_path / "old.partial" / "diary").write_text("Dear diary")
    with pytest.raises(
        ParaphrastError, match="exists and was not created by paraphrast"
    ):
        trained(tmp_path / "old")
    assert (tmp_path / "old.partial" / "diary").exists()


def test_two_runs_do_not_write_the_same_pack(tmp_path):
    def second(step):
        if step == "extracting phrases":
            with pytest.raises(ParaphrastError, match="being written by another run"):
                trained(tmp_path / "old")

    trained(tmp_path / "old", progress=second)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_a_word_of_ten_thousand_letters_is_a_word(tmp_path):
    word = "a" * 10_000
    texts = Texts([*toy.PAIRS, (f"You are {word}.", f"Thou art {word}.")])
    made = training.train(texts, tmp_path / "old", style="old", settings=SETTINGS)
    rewriter = paraphrast.load(pack=made.pack.folder)
    (result,) = rewriter.rewrite([f"You are {word}, {word}b."])
    assert result.text == f"Thou art {word}, {word}b."


@pytest.mark.parametrize("name", ["table", "model-style", "pairs"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 a foreign file", b"\0" * 5000])
def test_foreign_and_damaged_files_are_refused_in_one_line(
    home, tmp_path, name, content
):
    import shutil

    folder = tmp_path / "old"
    shutil.copytree(home / "old", folder)
    size = (folder / name).stat().st_size
    (folder / name).write_bytes(content.ljust(size, b"\0")[:size])
    with pytest.raises(ParaphrastError) as caught:
        paraphrast.load(pack=folder).rewrite(["You are late."])
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("name", ["table", "model-style", "pairs"])
def test_a_flipped_bit_is_found(home, tmp_path, name, place):
    import shutil

    folder = tmp_path / "old"
    shutil.copytree(home / "old", folder)
    content = bytearray((folder / name).read_bytes())
    content[int(place * len(content))] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ParaphrastError, match="was changed"):
        packs.verify(folder)


def test_a_pack_of_another_kind_or_with_strange_weights_is_refused(home, tmp_path):
    pack = packs.read(home / "old")
    strange = model.with_weights(pack, {"tabel phrase": 1.0}, tmp_path / "strange")
    with pytest.raises(ParaphrastError, match="Did you mean 'table phrase'"):
        model.load_pack(strange.folder)
    other = packs.update(
        pack, tmp_path / "other", about=replace(pack.about, kind="neural")
    )
    with pytest.raises(ParaphrastError, match="a pack of 'neural'"):
        model.load_pack(other.folder)


def test_a_style_without_a_pack_says_how_to_get_it(tmp_path):
    for style, recipe in (("shakespeare", "xu12"), ("formal", "gyafc")):
        how = rf"reproduce {recipe}`, or .*phrase train SOURCE TARGET --to {style}"
        with pytest.raises(ParaphrastError, match=how):
            paraphrast.load(style, using="phrase", packs=tmp_path)
    with pytest.raises(ParaphrastError, match="does not write 'polite'"):
        paraphrast.load("polite", using="phrase", packs=tmp_path)


def test_a_rewriter_without_packs_says_that_it_writes_no_styles(tmp_path):
    with pytest.raises(ParaphrastError, match="writes: nothing yet. Leave out --using"):
        paraphrast.load("modern", using="neural", packs=tmp_path)


def test_the_pack_named_like_the_style_comes_first(home, tmp_path):
    pack = packs.read(home / "old")
    packs.update(pack, tmp_path / "another")
    packs.update(pack, tmp_path / "old")
    rewriter = Phrase(tmp_path).load("old")
    assert rewriter.model.folder == tmp_path / "old"
    assert Phrase(tmp_path).styles() == {"old": "learned from 64 pairs of sentences"}


OLD_PACK = Path(__file__).parent / "packs" / "phrase-1"


def test_the_pack_of_format_1_is_read_for_ever():
    assert packs.verify(OLD_PACK).about.format == 1
    rewriter = paraphrast.load(pack=OLD_PACK)
    expected = json.loads((OLD_PACK.parent / "phrase-1.json").read_text("utf-8"))
    for text, rewrite in expected.items():
        assert rewriter.rewrite([text])[0].text == rewrite
