"""Link Grammar: its answers over our words, and the program itself where it is."""

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.syntax import parser
from paraphrast.paraphrases.syntax.linkage import line, tree_over
from paraphrast.paraphrases.syntax.tags import is_keyword, tag
from paraphrast.paraphrases.syntax.trees import constituents


def over(sentence, answer):
    return str(tree_over(tuple(sentence.split()), answer))


@pytest.mark.parametrize(
    ("sentence", "answer", "expected"),
    [
        (  # marks and case
            "People were killed .",
            "(S (NP people.p) (VP were.v-d (VP killed.v-d)) .)",
            "(S (NP (NNS People)) (VP (VB were) (VP (VB killed))) (. .))",
        ),
        (  # one word of ours in two pieces, in two constituents
            "He doesn't know",
            "(S (NP he) (VP does.v n't (VP know.v)))",
            "(S (NP (PRP He)) (VP (VB doesn't) (VP (VB know))))",
        ),
        (  # guesses, and a word that could not be linked
            "Colorless foo the .",
            "(S (S (VP Colorless{!} (NP foo{?}.n))) {the} .)",
            "(S (S (VP (NN Colorless) (NP (NN foo)))) (DT the) (. .))",
        ),
        (  # words that the answer leaves out
            "he 's gone ? it cost",
            "(S (NP he) (VP 's.v (ADJP gone.a)))",
            "(S (S (NP (PRP he)) (VP (VB 's) (ADJP (JJ gone)))) (? ?) (PRP it)"
            " (NN cost))",
        ),
        (  # brackets come back as braces
            "he ( Bob ) left",
            "(S (NP he { (NP Bob.m) }) (VP left.v-d))",
            "(S (NP (PRP he) (SYM -LRB-) (NP (NNP Bob)) (SYM -RRB-)) (VP (VB left)))",
        ),
    ],
)
def test_a_parse_is_mapped_to_our_words(sentence, answer, expected):
    assert over(sentence, answer) == expected


@pytest.mark.parametrize("answer", ["(S (NP she))", "(S (NP he he))", "nonsense"])
def test_a_parse_of_other_words_is_rejected(answer):
    assert tree_over(("he",), answer) is None


def test_a_sentence_is_never_taken_for_a_command():
    assert line(("!width=1", "no")) == ".width=1 no"
    assert line(("%", "of")) == ". of"
    assert line(("a\nb", "c\x00")) == "a.b c."


def test_tags_and_keywords():
    assert [tag("dogs", "n"), tag("to", "r"), tag("12.5", ""), tag("(", "")] == [
        "NN",
        "TO",
        "CD",
        "SYM",
    ]
    assert [tag("'s", "p"), tag("'s", "v")] == ["POS", "VB"]
    assert is_keyword("bridge")
    assert is_keyword("12")
    assert not any(map(is_keyword, ("The", "of", ",", "'s")))


def test_a_missing_program_is_reported_in_one_line(monkeypatch):
    monkeypatch.setattr(parser, "PROGRAM", "no-such-parser")
    with pytest.raises(ParaphrastError) as error:
        parser.parse([("it", "works")])
    assert "apt-get install link-grammar" in str(error.value)
    assert "bracketed files" in str(error.value)


def test_kept_parses_are_used_without_the_program(tmp_path, monkeypatch):
    monkeypatch.setattr(parser, "PROGRAM", "no-such-parser")
    cache = tmp_path / "parses.jsonl"
    cache.write_text(
        '{"words": ["it", "works"], "tree": "(S (PRP it) (VB works))"}\n'
        '{"words": ["xx"], "tree": null}\n',
        "utf-8",
    )
    result = parser.parse([("it", "works"), ("xx",), ("it", "works")], cache=cache)
    assert [str(tree) for tree in result.trees] == [
        "(S (PRP it) (VB works))",
        "(S (X xx))",
        "(S (PRP it) (VB works))",
    ]
    assert result.flat == 1


def test_a_broken_file_of_parses_is_refused_with_its_location(tmp_path):
    cache = tmp_path / "parses.jsonl"
    cache.write_text('{"words": ["a"], "tree": "(S (X a))"}\nnonsense\n', "utf-8")
    with pytest.raises(ParaphrastError, match=r"parses\.jsonl:2: not a cached parse"):
        parser.parse([("a",)], cache=cache)


def test_a_sentence_without_words_is_refused():
    with pytest.raises(ParaphrastError, match="sentence 2 has no words"):
        parser.parse([("a",), ()])


SENTENCES = [
    "The old train left the station late .",
    "He doesn't like the doctor's ( second ) plan !",
    "! width=9",
    "of of the the ; % zzzqx (( } 5% … “ é 中文 ”",
    "x " * 300,
]


@pytest.mark.parser
def test_every_sentence_gets_one_tree_over_its_own_words():
    sentences = [tuple(text.split()) for text in SENTENCES]
    result = parser.parse(sentences)
    assert [tree.words() for tree in result.trees] == sentences
    assert result.flat <= 2  # the two that are no English; 300 words are too long


@pytest.mark.parser
def test_a_plain_sentence_has_its_subject_and_its_predicate():
    (tree,) = parser.parse([tuple(SENTENCES[0].split())]).trees
    spans = {(c.tree.label, c.start, c.end) for c in constituents(tree)}
    assert {("NP", 0, 3), ("VP", 3, 7), ("NP", 4, 6)} <= spans


@pytest.mark.parser
def test_a_program_that_dies_costs_one_flat_tree(tmp_path, monkeypatch):
    # The real program, but for one sentence at which the wrapper kills it.
    wrapper = tmp_path / "link-parser"
    real = parser.shutil.which("link-parser")
    wrapper.write_text(
        f'#!/bin/sh\nread_all=$(cat)\ncase "$read_all" in *deadly*) exit 1;; esac\n'
        f'printf "%s\\n" "$read_all" | {real} "$@"\n',
        "utf-8",
    )
    wrapper.chmod(0o755)
    monkeypatch.setattr(parser, "PROGRAM", str(wrapper))
    result = parser.parse([("he", "left"), ("deadly",), ("she", "stayed")])
    assert result.flat == 1
    assert str(result.trees[1]) == "(S (X deadly))"
    assert result.trees[2].label == "S"


@pytest.mark.parametrize(
    ("work", "flat"), [("sleep 1.5", 0), ("while :; do :; done", 1)]
)
def test_a_program_may_wait_but_not_work_for_ever(tmp_path, monkeypatch, work, flat):
    # On a busy machine it waits for its turn: that must not cost a tree.
    program = tmp_path / "link-parser"
    answer = "echo '(S (NP he) (VP left))'; echo width set to 100000"
    program.write_text(f"#!/bin/sh\n{work}\n{answer}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(parser, "PROGRAM", str(program))
    monkeypatch.setattr(parser, "STARTING", 0)
    assert parser.parse([("he", "left")], seconds=0).flat == flat


@pytest.mark.parser
def test_new_parses_are_added_to_those_kept(tmp_path):
    cache = tmp_path / "parses.jsonl"
    parser.parse([("he", "left")], cache=cache)
    parser.parse([("she", "left"), ("he", "left")], cache=cache)
    assert cache.read_text("utf-8").count("\n") == 2
