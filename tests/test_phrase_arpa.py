"""ARPA files and the commands around them: round trips, other tools' files, damage."""

import gzip
import json
import random
import re

import kenlm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from paraphrast.cli.language_models import app
from paraphrast.errors import ParaphrastError
from paraphrast.estimators import language_model
from paraphrast.estimators.language_model import Settings, train
from paraphrast.phrase import arpa

TEXTS = [
    "good morrow to thee good sir",
    "good night to you",
    "the night is long and the road is long",
    "how long is the road to the town",
]
QUERIES = [*TEXTS, "", "good zounds night", "the the long road is", "is a b c d", "a c"]

# As another tool may write it: a heading, pruned prefixes and suffixes ("a b c d"
# lacks "a b c", "b c d" lacks "b c"), <UNK>, numbers with exponents, blanks for tabs.
FOREIGN = """written by hand

\\data\\
ngram 1=7
ngram 2=2
ngram 3=2
ngram 4=1

\\1-grams:
-1.5 <UNK>
-99 <s> -3e-1
-1.25\t</s>
-0.75\ta\t-0.5
-1.0\tb\t-0.25
-1.125\tc\t0.125
-0.9\td

\\2-grams:
-0.5\ta b\t-0.1
-0.3\t<s> a

\\3-grams:
-0.2\tb c d
-0.25\ta b </s>

\\4-grams:
-0.05\ta b c d

\\end\\
"""


@settings(max_examples=25, deadline=None)
@given(
    lines=st.lists(st.text(alphabet="ab \u2028é\x85", max_size=12), max_size=9),
    order=st.integers(1, 6),
)
def test_a_model_survives_its_arpa_bit_for_bit(tmp_path_factory, lines, order):
    model = train(["a b a", *lines], Settings(order=order))
    path = tmp_path_factory.mktemp("arpa") / "model.arpa"
    arpa.write(model, path)
    again = arpa.read(path)
    assert again.vocabulary == model.vocabulary
    for n in range(1, order + 1):
        for ours, theirs in zip(
            model.native.ngrams(n), again.native.ngrams(n), strict=True
        ):
            assert np.array_equal(ours, theirs)
    queries = [*QUERIES, *lines]
    assert np.array_equal(again.score_lines(queries), model.score_lines(queries))


def test_the_text_of_a_small_model(tmp_path):
    arpa.write(train(["a b a"], Settings(order=2)), tmp_path / "small.arpa")
    text = (tmp_path / "small.arpa").read_text("utf-8")
    assert text.startswith("\\data\\\nngram 1=5\nngram 2=4\n\n\\1-grams:\n")
    assert "\n-99\t<s>\t-0.30103\n" in text
    assert text.endswith("\tb a\n\n\\end\\\n")


@pytest.mark.parametrize("packed", [False, True])
def test_files_of_other_tools_are_read(tmp_path, packed):
    path = tmp_path / ("foreign.arpa.gz" if packed else "foreign.arpa")
    data = FOREIGN.replace("\n", "\r\n").encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    model = arpa.read(path)
    assert model.order == 4
    assert model.vocabulary == ["<unk>", "<s>", "</s>", "a", "b", "c", "d"]

    def last(text, *, start=False):
        return model.full_scores(text.split(), start=start, end=False)[-1][0]

    assert last("a b c d") == pytest.approx(-0.05)
    assert last("b c d") == pytest.approx(-0.2)
    assert last("c d") == pytest.approx(0.125 - 0.9)
    # "a b c" is not there: back off from "a b", then from "b".
    assert last("a b c") == pytest.approx(-0.1 - 0.25 - 1.125)
    assert last("a", start=True) == pytest.approx(-0.3)
    # "<s> a" has no back-off, "a b" is there.
    assert last("a b", start=True) == pytest.approx(-0.5)
    assert last("b zounds") == pytest.approx(-0.25 - 1.5)


def test_kenlm_gives_the_same_scores_for_a_file_without_suffixes(tmp_path):
    draw = random.Random(1)
    words = " ".join(TEXTS).split()
    texts = [" ".join(draw.choices(words, k=draw.randrange(9))) for _ in range(200)]
    path = tmp_path / "pruned.arpa"
    arpa.write(train(texts, Settings(order=3)), path)
    # KenLM can do without suffixes, not without prefixes: "to </s>" is no prefix.
    lines = path.read_text("utf-8").splitlines()
    ends = [i for i, line in enumerate(lines) if re.search("\t(to|is|the) </s>$", line)]
    assert len(ends) == 3
    count = int(lines[2].removeprefix("ngram 2="))
    lines[2] = f"ngram 2={count - 3}"
    kept = [line for i, line in enumerate(lines) if i not in ends]
    path.write_text("\n".join(kept) + "\n", "utf-8")
    ours, theirs = arpa.read(path), kenlm.Model(str(path))
    for query in [*texts[:50], *QUERIES]:
        result = ours.full_scores(query.split())
        expected = list(theirs.full_scores(query))
        assert [row[0] for row in result] == pytest.approx(
            [row[0] for row in expected], abs=1e-4
        )


def test_without_unk_unknown_words_score_as_in_kenlm(tmp_path):
    path = tmp_path / "closed.arpa"
    path.write_text(
        FOREIGN.replace("-1.5 <UNK>\n", "").replace("ngram 1=7", "ngram 1=6"), "utf-8"
    )
    assert arpa.read(path).full_scores(["zounds"], start=False)[0][0] == -100


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "\\date\\", r":29: no \\data\\: not an ARPA file"),
        ("ngram 2=2", "ngram 2=two", ":5: expected 'ngram 2=COUNT'"),
        ("ngram 2=2", "ngram 3=2", ":5: expected 'ngram 2=COUNT'"),
        ("ngram 4=1", "ngram 4=1\n" + "".join(f"ngram {n}=1\n" for n in (5, 6, 7)),
         "order 7, but at most 6"),
        ("\\2-grams:", "\\2-gram:", r":18: expected \\2-grams:"),
        ("ngram 1=7", "ngram 1=8", ":17: the 1-grams end before there are 8"),
        ("ngram 1=7", "ngram 1=6", r":16: expected \\2-grams:"),
        ("ngram 2=2", "ngram 2=99999999999999", ":21: the 2-grams end"),
        ("-0.9\td", "-0.9", ":16: expected a number, 1 words"),
        ("-0.9\td", "-0.9 d e f", ":16: expected a number, 1 words"),
        ("-0.9\td", "zero\td", ":16: expected a number"),
        ("-0.9\td", "0.9\td", ":16: the log-probability is 0.9"),
        ("-0.9\td", "nan\td", ":16: the log-probability is nan"),
        ("-0.9\td", "-0.9\td\tinf", ":16: a back-off is inf"),
        ("-0.9\td", "-0.9\ta", ":16: 'a' occurs twice"),
        ("-0.9\td", "-0.9\td\0", r":16: 'd\\x00' is not valid UTF-8"),
        ("-0.9\td", "-0.9\t\udcff", ":16: .* is not valid UTF-8"),
        ("</s>\n-0.75", "s\n-0.75", ":16: the unigrams lack </s>"),
        ("b c d\n", "b zounds d\n", ":23: 'zounds' is not among the words"),
        ("<s> a\n", "a b\n", ":20: this n-gram occurs twice"),
        ("\n\\end\\\n", "", r":27: expected \\end\\"),
        ("\\end\\\n", "\\end\\\nmore", ":30: text after"),
        (FOREIGN, "", "no .data.: not an ARPA"),
        (FOREIGN, "\n" * 2000, ":1001: no .data. section"),
        (FOREIGN, "\\data\\\n", "no n-gram counts"),
    ],
)  # fmt: skip
def test_a_damaged_line_is_refused_with_its_number(tmp_path, old, new, message):
    assert old in FOREIGN
    path = tmp_path / "damaged.arpa"
    path.write_bytes(FOREIGN.replace(old, new, 1).encode("utf-8", "surrogateescape"))
    with pytest.raises(ParaphrastError, match=message):
        arpa.read(path)


def test_a_file_truncated_anywhere_is_refused(tmp_path):
    path = tmp_path / "cut.arpa"
    whole = FOREIGN.encode()
    for end in range(0, len(whole) - 2, 7):
        path.write_bytes(whole[:end])
        with pytest.raises(ParaphrastError):
            arpa.read(path)
    packed = tmp_path / "cut.arpa.gz"
    packed.write_bytes(gzip.compress(whole)[:-20])
    with pytest.raises(ParaphrastError, match="cannot read"):
        arpa.read(packed)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_commands_train_convert_and_measure(tmp_path):
    text, binary = tmp_path / "text", tmp_path / "model.lm"
    text.write_text("\n".join(TEXTS), "utf-8")
    done = run("train", text, "-o", binary, "--order", 3, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.output)
    assert (facts["lines"], facts["words"], facts["vocabulary"]) == (4, 27, 17)
    packed = tmp_path / "model.arpa.gz"
    assert run("convert", binary, "-o", packed).exit_code == 0
    back = tmp_path / "back.lm"
    assert json.loads(run("convert", packed, "-o", back, "--json").output)["order"] == 3
    measured = [
        json.loads(run("perplexity", model, text, "--json").output)
        for model in (binary, packed, back)
    ]
    assert measured[0] == measured[1] == measured[2]
    expected = language_model.load(binary).perplexity(TEXTS)
    assert measured[0]["perplexity"] == pytest.approx(expected.value)
    assert "perplexity" in run("perplexity", binary, text).output
    assert "fallback" not in run("train", text, "-o", binary).output


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "TEXT", "-o", "FOLDER"),
        ("train", "TEXT", "-o", "FOLDER/model", "--order", "7"),
        ("train", "TEXT", "-o", "FOLDER/model", "--prune", "0 x"),
        ("train", "EMPTY", "-o", "FOLDER/model"),
        ("train", "NONE", "-o", "FOLDER/model"),
        ("train", "TEXT", "-o", "FOLDER/model.arpa.xz"),
        ("convert", "TEXT", "-o", "FOLDER/model"),
        ("convert", "NONE", "-o", "FOLDER/model"),
        ("perplexity", "TEXT", "TEXT"),
    ],
)
def test_commands_report_errors_in_one_line_and_leave_nothing(tmp_path, arguments):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "text").write_text("\n".join(TEXTS), "utf-8")
    (tmp_path / "empty").touch()
    names = {"TEXT": "text", "EMPTY": "empty", "NONE": "none", "FOLDER": "folder"}
    given = []
    for argument in arguments:
        for name, real in names.items():
            argument = argument.replace(name, str(tmp_path / real))
        given.append(argument)
    done = run(*given)
    assert isinstance(done.exception, ParaphrastError)
    assert "\n" not in str(done.exception)
    assert not list(folder.iterdir())
