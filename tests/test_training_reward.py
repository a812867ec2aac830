"""Reinforcement learning of the rewriter: what a sample is worth, and its effect."""

import numpy as np
import pytest

import neural_toy
from training.rewriter import rewards
from training.rewriter.overused_ngrams import OverusedNgrams

STYLES = 11


class Pool:
    """Looks at texts in this process."""

    def starmap_async(self, work, rows, _):
        return Done([work(*row) for row in rows])


class Done:
    """What has been looked at."""

    def __init__(self, found):
        self.found = found

    def get(self):
        return self.found


class Natural:
    """Gives every text the naturalness that it was told."""

    def __init__(self, natural):
        self.natural = natural

    def score(self, texts, styles, sources, origins):
        return np.full(len(texts), self.natural)


class Told:
    """A guide that gives the scores that it was told."""

    def __init__(self, style=1.0, fluency=1.0):
        self.style, self.fluency = style, fluency

    def read(self, texts):
        count = len(texts)
        return {
            "style": np.full((count, STYLES), self.style),
            "plays": np.full(count, self.style),
            "fluency": np.full(count, self.fluency),
        }

    def forget(self):
        pass


class Alike:
    """Gives a text the similarity to each source that it was told."""

    def __init__(self, known):
        self.known = known

    def cosines(self, sources, texts):
        return [self.known[source] for source in sources]


def rated(asked, text, **told):
    near = Alike({"Where is Romeo now?": 0.8, "Where art thou, Romeo?": 0.4})
    plain = Natural(told.pop("natural", 1.0))
    overused = OverusedNgrams({})
    made = rewards.Rewards(Told(**told), near, plain, overused, Pool())
    return made.rate([rewards.Asked(*asked)], [[text]])[0]


def test_reward_is_style_times_meaning_times_fluency():
    asked = ("Where is Romeo now?", "modern", "bible")
    found = rated(asked, "Where dwelleth Romeo?", style=0.5, fluency=0.9)
    assert found == pytest.approx([0.5 * 0.8 * 0.9, 0.5, 0.8, 0.9, 1, 1])
    found = rated(asked, "Where dwelleth Romeo?", natural=0.5)
    assert found == pytest.approx([0.8 * 0.5, 1, 0.8, 1, 0.5, 1])


def test_an_added_negation_halves_the_reward():
    asked = ("Where is Romeo now?", "modern", "bible")
    alike = rated(asked, "Where dwelleth Romeo?")[0]
    assert rated(asked, "Where dwelleth not Romeo?")[0] == alike / 2


def test_a_habit_is_added_more_often_than_in_real_text():
    overused = OverusedNgrams({"old": ["'Tis so.", "Come in, sir."] * 20})
    source = [f"It was number {number}." for number in range(80)]
    rows = [["'Tis well.", f"It was {number}{number}."] for number in range(80)]
    often = overused.rate(["old"] * 80, source, rows)
    # "well" is in half of the rewrites, but for two, and in none of forty real texts.
    assert often[0] == [pytest.approx(3 * (1 / 40) * 80 / 38), 1]
    rows = [["'Tis so.", "Come in, sir."]] * 80
    assert overused.rate(["old"] * 80, source, rows)[0] == [1, 1]
    assert "well" in overused.worst("old", 50)
    assert overused.rate(["new"], source[:1], rows[:1]) == [[1, 1]]


def test_phrases_of_the_source_are_not_habits():
    overused = OverusedNgrams({"old": ["Come in, sir."] * 40})
    source = [f"'Tis well, number {number}." for number in range(80)]
    rows = [[f"'Tis well, {number}."] for number in range(80)]
    assert overused.rate(["old"] * 80, source, rows)[5] == [1]


@pytest.mark.parametrize("text", ["Where is Paris now?", "where is Romeo now", ""])
def test_a_copy_and_a_lost_name_get_no_reward(text):
    asked = ("Where is Romeo now?", "modern", "bible")
    assert rated(asked, text)[0] == 0


def test_a_reference_counts_more_than_the_source():
    asked = ("Where is Romeo now?", "modern", "shakespeare", "Where art thou, Romeo?")
    text = "Where art thou, Romeo?"
    meaning = rated(asked, text)[2]
    assert meaning == pytest.approx(0.2 * 0.8 + 0.4 * 0.4 + 0.4 * 1.0)


def test_a_neutral_paraphrase_must_change_words_and_lose_the_style():
    asked = ("Where is Romeo now?", "modern", "neutral")
    near = rated(asked, "Where is Romeo today?", style=0.0)[1]
    far = rated(asked, "Has anybody seen Romeo?", style=0.0)[1]
    stayed = rated(asked, "Has anybody seen Romeo?", style=1.0)[1]
    assert near < far
    assert stayed == pytest.approx(far / 2)


def test_shared_ngrams_are_those_of_both_sides():
    shared = rewards.shared_ngrams
    assert shared(["a", "b"], ["a", "b"]) == 1
    assert shared(["a", "b"], ["b", "a"]) == pytest.approx((1 + 0) / 2)
    assert shared([], []) == 0


def test_advantages_are_relative_to_samples_of_the_same_text():
    found = rewards.advantages([0.0, 1.0, 5.0, 5.0], 2)
    assert found.tolist() == [-1.0, 1.0, 0.0, 0.0]


class Longer:
    """Rates a rewrite higher the more of its words are `word`."""

    def __init__(self, word):
        self.word = word

    def rate(self, asked, texts, *, count_ngrams=True):
        flat = [text.split() for own in texts for text in own]
        worth = [own.count(self.word) / max(1, len(own)) for own in flat]
        return np.array([[value, 1, 1, 1, 1, 1] for value in worth])


@pytest.mark.train
def test_a_student_writes_more_of_the_rewarded_word(tmp_path, capsys):
    from paraphrast.neural.finetune import training
    from paraphrast.neural.finetune.examples import Source
    from paraphrast.neural.finetune.settings import Settings

    pairs = neural_toy.pairs_file(tmp_path / "pairs.tsv", "plain")
    settings = Settings(
        base=neural_toy.base(tmp_path / "base", "t5"), sources=(Source(pairs),),
        tagged=True, epochs=8, learning_rate=1e-2, batch_tokens=400, held_out=0,
    )  # fmt: skip
    training.train(settings, tmp_path / "start")
    from training.rewriter import policy_gradient

    plan = policy_gradient.Plan(
        seconds=99,
        steps=30,
        rate=3e-3,
        texts=8,
        each=8,
        pairs=0,
        moved=0.0,
        look_every=99,
    )
    student = policy_gradient.Student(tmp_path / "start", "cpu", plan)
    rows = [line.split("\t") for line in pairs.read_text().splitlines()]
    asked = [rewards.Asked(row[0], "modern", "plain") for row in rows]
    word = rows[0][1].split()[0]

    def share() -> float:
        numbers = student.read([(one.source, one.style) for one in asked])
        texts = student.texts(student.draw(numbers, each=1))
        return float(Longer(word).rate(asked, [[text] for text in texts])[:, 0].mean())

    before = share()
    policy_gradient.reinforce(student, asked, [], Longer(word), asked, tmp_path / "new")
    assert share() > before + 0.1
    assert "worth, style" in capsys.readouterr().out
    again = policy_gradient.Student(tmp_path / "new", "cpu", plan)
    for own, new in zip(
        student.model.parameters(), again.model.parameters(), strict=True
    ):
        assert np.array_equal(own.detach().numpy(), new.detach().numpy())
