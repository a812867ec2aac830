"""Names, numbers, negation, roles, opposites and mood: what a cosine misses."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from typer.testing import CliRunner

from growth import LINEAR, growth
from paraphrast.cli.metrics import app
from paraphrast.errors import ParaphrastError
from paraphrast.judges.evaluator import Similarity
from paraphrast.judges.meaning_checks import CheckedSimilarity, findings
from paraphrast.judges.rows import read_source_pairs
from paraphrast.language.numbers import find_values
from paraphrast.language.sentence import read
from paraphrast.language.stemming import root, stem
from paraphrast.text.similarity import HashedSimilarity
from text_strategies import ANY_TEXT

CHANGED = {
    "name exchanged": [
        ("Go to Mantua.", "Go to Verona."),
        ("Send for Tybalt and his men.", "send for mercutio and his men".title()),
    ],
    "name lost": [("Tell me, Laertes, why.", "Tell me why.")],
    "number exchanged": [
        ("He has three sons.", "He has four sons."),
        ("It costs 1,500 pounds.", "It costs fifteen pounds."),
    ],
    "number lost": [("Wait two days.", "Wait for days.")],
    "negation": [
        ("I know not.", "I know."),
        ("She will come tomorrow.", "She won't come tomorrow."),
        ("He ne'er lies to his friends.", "He lies to his friends."),
        ("Nobody saw the thief.", "We saw the thief."),
    ],
    "prefix": [("She was unkind to him.", "She was kind to him.")],
    "polarity": [("He could not reach the old house.", "He got to the old house.")],
    "roles exchanged": [
        ("The dog bites the man.", "The man bites the dog."),
        ("I love thee.", "You love me."),
        ("The cat was chased by the dog.", "The cat chased the dog."),
        ("He gave her the ring.", "She gave him the ring."),
        ("romeo loves juliet", "juliet loves romeo"),
    ],
    "opposite": [("He was born rich.", "He was born poor.")],
    "question": [("You are mad.", "Are you mad?")],
    "modality": [("You must leave now.", "You may leave now.")],
}
SAME = [
    ("I know not what to say.", "I don't know what to say."),
    ("I do n't know .", "I know not."),
    ("She is not kind.", "She is unkind."),
    ("He does nothing but smile.", "He just smiles."),
    ("No, he smiles.", "He smiles."),
    ("Think on 't tonight.", "Think on it tonight."),
    ("Thou lovest me.", "You love me."),
    ("Him I love.", "I love him."),
    ("The cat was chased by the dog.", "The dog chased the cat."),
    ("Fourscore and five years ago", "85 years ago"),
    ("He was four and twenty years old.", "He was twenty-four years old."),
    ("They paid 1.5 million.", "They paid 1,500,000."),
    ("The third man", "the 3rd man"),
    ("The Lord spoke to Moses.", "Yahweh spoke to Moses."),
    ("The Capulets hate us.", "The Capulet family hates us."),
    ("Now go To bed, my Lord.", "Go to bed now, my lord."),
    ("He was not late.", "He was early."),
    ("Are you mad", "You are mad."),  # no mark, no sign of a question
    ("WHO KILLED TYBALT", "Who killed Tybalt?"),
    ("", "anything"),
    ("😀", "…"),
]


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [(kind, *pair) for kind, pairs in CHANGED.items() for pair in pairs],
)
def test_a_change_of_meaning_is_found_either_way_round(kind, first, second):
    for pair in ((first, second), (second, first)):
        found = findings(*pair)
        assert [one.kind for one in found] == [kind]
        assert found[0].reason


@pytest.mark.parametrize(("first", "second"), SAME)
def test_a_rewrite_that_keeps_the_meaning_is_left_alone(first, second):
    assert findings(first, second) == ()
    assert findings(second, first) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("three hundred and five", [305]),
        ("a hundred forty and four thousand", [144_000]),
        ("an hundred forty-four thousand", [144_000]),
        ("two dozen", [24]),
        ("threescore and ten", [70]),
        ("twelve thousand three hundred", [12_300]),
        ("50k", [50_000]),
        ("b4 gr8 2nite", []),
        ("12oz on the 3rd, 8th", [3, 8, 12]),
        ("3.5 and 4", [Fraction(7, 2), 4]),
        ("one of them", []),  # a pronoun, mostly
        ("two three", [2, 3]),
        ("nine, ten", [9, 10]),
    ],
)
def test_numbers_are_read_as_values(text, expected):
    assert sorted(find_values(read(text)).elements()) == sorted(map(Fraction, expected))


@pytest.mark.parametrize(
    ("forms", "same"),
    [
        (("loveth", "lovest", "loved", "loves"), "love"),
        (("went", "goes", "goeth"), "go"),
        (("art", "wast", "is"), "be"),
    ],
)
def test_old_and_irregular_forms_share_a_root(forms, same):
    assert {root(form) for form in forms} == {root(same)}


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=14))
def test_stems_are_porters(word):
    porter = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    assert stem(word) == porter.stem(word)


ENDINGS = [
    "ational",
    "iveness",
    "ement",
    "tions",
    "ating",
    "ied",
    "ously",
    "icity",
    "eed",
]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("start", ["rel", "connect", "hop", "depend", "f"])
def test_stems_of_words_with_known_endings_are_porters(start, ending):
    porter = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    assert stem(start + ending) == porter.stem(start + ending)


@given(ANY_TEXT, ANY_TEXT)
def test_checks_are_symmetric_and_find_nothing_in_equal_texts(first, second):
    model = CheckedSimilarity(HashedSimilarity())
    assert model.factor(first, first) == 1.0
    assert 0 < model.factor(first, second) <= 1
    assert model.factor(first, second) == pytest.approx(model.factor(second, first))


def test_checked_similarity_is_a_model_of_its_own():
    plain = HashedSimilarity()
    checked = CheckedSimilarity(plain)
    first = ["I know the man.", "I know the man."]
    second = ["I do not know the man.", "I know the man."]
    expected = plain(first, second) * np.array([0.5, 1.0])
    assert checked(first, second) == pytest.approx(expected)
    assert plain.signature in checked.signature
    others = CheckedSimilarity(plain, checks=("names",))
    assert len({plain.signature, checked.signature, others.signature}) == 3
    assert Similarity(checked).signature == checked.signature


def test_a_change_weighs_less_where_little_else_matches():
    model = CheckedSimilarity(HashedSimilarity())
    near = model.factor("Meet me in Mantua at noon.", "Meet me in Verona at noon.")
    far = model.factor("Meet me in Mantua at noon.", "All roads lead to Verona.")
    assert near < far


def test_every_finding_has_its_value_and_reason():
    model = CheckedSimilarity(HashedSimilarity())
    first, second = "He saw three men in Verona.", "He saw four men in Mantua."
    explained = model.explain(first, second)
    assert [one.check for one, _ in explained] == ["names", "numbers"]
    assert [one.reason for one, _ in explained] == [
        "Verona became Mantua",
        "3 became 4",
    ]
    values = [value for _, value in explained]
    assert all(0 < value < 1 for value in values)
    assert model.factor(first, second) == pytest.approx(values[0] * values[1])


def test_the_command_prints_one_record_per_pair(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("I know.\tI know not.\nYou go.\tThou goest.\n\ta\n", "utf-8")
    result = CliRunner().invoke(app, ["meaning", str(path), "--json"])
    assert result.exit_code == 0, result.output
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["left"] for record in records] == [0.5, 1.0, 1.0]
    assert records[0]["findings"][0]["check"] == "negation"
    assert "they differ in a negation alone" in (
        CliRunner().invoke(app, ["meaning", str(path)]).stdout
    )
    path.write_text("only one column\n", "utf-8")
    refused = CliRunner().invoke(app, ["meaning", str(path)])
    assert "pairs.tsv:1: 1 columns, not source and output" in str(refused.exception)


@pytest.mark.parametrize(
    ("line", "reason"), [('["a", "b"]', "expected texts"), ("[" * 100_000, "not JSON")]
)
def test_a_line_without_a_json_object_is_refused_by_number(line, reason):
    lines = ['{"source": "I know.", "output": "I know."}', line]
    with pytest.raises(ParaphrastError, match=f"^pairs:2: {reason}"):
        list(read_source_pairs(lines, where="pairs"))


def test_a_file_without_lines_has_no_pairs():
    assert list(read_source_pairs([], where="pairs")) == []


@pytest.mark.parametrize(
    "text",
    [
        "source\toutput\treference\nI know.\tI know not.\tI know naught.\n",
        "reference\toutput\tsource\n\tI know not.\tI know.\n",
        '{"source": "I know.", "output": "I know not.", "reference": null}\n',
        '{"source": "I know.", "target": "I know not."}\n',
    ],
)
def test_the_meaning_command_reads_the_same_files_as_judge(tmp_path, text):
    path, out = tmp_path / "rows.tsv", tmp_path / "findings.jsonl"
    path.write_text(text, "utf-8")
    CliRunner().invoke(app, ["meaning", str(path), "--json", "-o", str(out)])
    (record,) = map(json.loads, out.read_text("utf-8").splitlines())
    assert record["left"] == 0.5


def test_an_unknown_check_is_refused():
    with pytest.raises(ParaphrastError, match="Did you mean 'names'"):
        findings("a", "b", checks=("name",))


@pytest.mark.parametrize("unit", ["dog ", "The man sees the dog. ", "Verona Mantua "])
def test_long_texts_take_linear_time(unit):
    model = CheckedSimilarity(HashedSimilarity())

    def work(size):
        model.factor(unit * size, unit * size + " not")
        model.factor(unit * size, "")

    assert growth(work, 100) < LINEAR


def test_digits_newer_than_pythons_tables_are_not_numbers():
    assert findings("0", "\U0001e5f1 0") == ()
