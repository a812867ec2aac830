"""Sentence alignment after Moore (2002)."""

import itertools
import json
import math
import os
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from paraphrast.cli.corpora import app
from paraphrast.corpora import Pair
from paraphrast.corpora.sentence_alignment import (
    Bead,
    align_documents,
    align_lengths,
    align_sentences,
    aligned_pairs,
    model1,
    read_documents,
    search,
)
from paraphrast.corpora.sentence_alignment.lengths import length_model
from paraphrast.corpora.sentence_alignment.search import SHAPES, Band
from paraphrast.corpora.sentence_alignment.words import words
from paraphrast.errors import ParaphrastError


def lines(text: str) -> list[str]:
    return text.strip().split("\n")


# The same small story in a plain and in an old style, sentence by sentence.
PLAIN = lines(
    """
The old miller lived alone beside the river.
He had three sons and a grey cat.
Every morning he went to the mill before sunrise.
Why do you work so hard, father?
Because bread does not bake itself, my boy.
One winter the river froze and the mill stood still.
The miller fell ill.
His sons sat around his bed and cried.
Do not cry for me.
I leave you the mill, the donkey and the cat.
The eldest son took the mill and the second took the donkey.
Only the cat was left for the youngest.
What can I do with a cat?
You could buy me a pair of boots, said the cat.
The boy laughed, but he spent his last penny on boots.
The cat put them on and walked into the forest.
There he caught two rabbits and brought them to the king.
My master sends you this present, your majesty.
Who is your master?
He is a rich lord who lives far away beyond the hills.
The king was pleased.
He gave the cat a purse of gold.
Soon the whole country spoke about the clever cat.
The boy and the cat lived happily in a castle for many years."""
)
OLD = lines(
    """
The aged miller dwelt alone beside the river.
Three sons had he, and a grey cat.
Each morn he went unto the mill ere sunrise.
Wherefore dost thou labour so hard, father?
Because bread baketh not itself, my boy.
One winter the river froze and the mill stood still.
The miller fell sick.
His sons sat about his bed and wept.
Weep not for me.
I leave unto you the mill, the ass and the cat.
The eldest son took the mill and the second took the ass.
Naught but the cat was left for the youngest.
What may I do with a cat?
Thou couldst buy me a pair of boots, quoth the cat.
The boy laughed, yet spent he his last penny on boots.
The cat put them on and walked into the forest.
There caught he two rabbits and bore them to the king.
My master sendeth thee this present, your majesty.
Who is thy master?
He is a rich lord that dwelleth far away beyond the hills.
The king was pleased.
He gave unto the cat a purse of gold.
Anon the whole country spake of the clever cat.
The boy and the cat lived happily in a castle for many a year."""
)


def numbered(beads: list[Bead]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(bead.sources, bead.targets) for bead in beads]


def certain(beads: list[Bead]) -> set[tuple[int, int]]:
    return {
        (*bead.sources, *bead.targets)
        for bead in beads
        if len(bead.sources) == len(bead.targets) == 1 and bead.posterior > 0.5
    }


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Who's there?", ("who's", "there")),
        ("A self-made (old) man", ("a", "self", "made", "old", "man")),
        ("Well … no", ("well", "…", "no")),
        ("", ()),
        (" -- ", ()),
    ],
)
def test_words_end_at_spaces_hyphens_and_brackets(sentence, expected):
    assert words(sentence) == expected


def test_two_versions_of_a_story_are_paired_sentence_by_sentence():
    assert numbered(align_sentences(PLAIN, OLD)) == [
        ((i,), (i,)) for i in range(len(PLAIN))
    ]


def test_a_sentence_that_one_side_lacks_stands_alone():
    beads = numbered(align_sentences(PLAIN, OLD[:12] + OLD[13:]))
    assert ((12,), ()) in beads
    assert beads[-1] == ((23,), (22,))
    beads = numbered(align_sentences(PLAIN[:5] + PLAIN[6:], OLD))
    assert ((), (5,)) in beads
    assert beads[-1] == ((22,), (23,))


def test_sentences_joined_on_one_side_form_one_bead():
    joined = [*OLD[:8], OLD[8] + " " + OLD[9], *OLD[10:]]
    assert ((8, 9), (8,)) in numbered(align_sentences(PLAIN, joined))
    assert ((8,), (8, 9)) in numbered(align_sentences(joined, OLD))


def test_blank_lines_are_left_out_and_the_others_keep_their_numbers():
    source = ["", *PLAIN[:10], " ", *PLAIN[10:]]
    beads = align_sentences(source, OLD)
    assert [i for bead in beads for i in bead.sources] == [
        *range(1, 11),
        *range(12, 26),
    ]


def test_the_search_widens_to_follow_a_long_omission():
    # 70 sentences are missing, more than the 20 on either side looked at first.
    draw = random.Random(5)
    names = [f"word{number}" for number in range(300)]
    source = [" ".join(draw.choices(names, k=draw.randint(2, 15))) for _ in range(400)]
    target = source[:150] + source[220:]
    found = certain(align_sentences(source, target))
    right = {(i, i if i < 150 else i - 70) for i in [*range(150), *range(220, 400)]}
    assert len(found & right) >= 0.98 * len(right)
    assert len(found - right) <= 0.02 * len(right)


def test_words_decide_where_lengths_cannot():
    # All sentences around the three missing ones have four words.
    draw = random.Random(3)
    names = [f"word{number}" for number in range(40)]
    lengths = [4 if 90 < i < 115 else draw.randint(1, 20) for i in range(200)]
    source = [" ".join(draw.choices(names, k=length)) for length in lengths]
    target = source[:100] + source[103:]
    right = {(i, i if i < 100 else i - 3) for i in [*range(100), *range(103, 200)]}
    assert certain(align_sentences(source, target)) == right
    assert certain(align_lengths(source, target)) != right


def test_documents_share_a_word_model():
    # The second document is too short to learn from; the first one teaches it.
    draw = random.Random(1)
    names = [f"word{number}" for number in range(30)]
    long = [" ".join(draw.choices(names, k=draw.randint(1, 20))) for _ in range(200)]
    foreign = [line.replace("word", "Wort") for line in long]
    short = [" ".join(names[k : k + 5]) for k in (0, 5, 10, 15)]
    other = [line.replace("word", "Wort") for line in short[1:]]
    _, beads = align_documents([(long, foreign), (short, other)])
    assert numbered(beads) == [((0,), ()), ((1,), (0,)), ((2,), (1,)), ((3,), (2,))]


def test_cognates_recognise_rare_words_that_are_the_same():
    names = [f"{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(60)]
    source = [f"{name}smith is here" for name in names]
    target = [f"Here is {name}smyth" for name in names if name != names[20]]
    right = {(i, i if i < 20 else i - 1) for i in range(60) if i != 20}
    assert certain(align_sentences(source, target, cognates=True)) == right
    # Without them all names are the one word "other", and any could be missing.
    assert certain(align_sentences(source, target)) != right


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ([], [], []),
        (["", " "], [], []),
        (["one", "two"], [], [((0,), ()), ((1,), ())]),
        ([""], ["one"], [((), (0,))]),
        (["one two"], ["eins zwei"], [((0,), (0,))]),
    ],
)
def test_documents_with_hardly_a_sentence(source, target, expected):
    assert numbered(align_sentences(source, target)) == expected


SENTENCE = st.lists(
    st.sampled_from(["a", "b", "cat", "dog!", "-", "…", "é", "\u2028", "cats"]),
    max_size=6,
).map(" ".join)
DOCUMENT = st.lists(SENTENCE, max_size=12)


@settings(max_examples=60, deadline=None)
@given(DOCUMENT, DOCUMENT, st.booleans())
def test_beads_cover_both_documents_once_and_in_order(source, target, cognates):
    beads = align_sentences(source, target, cognates=cognates)
    spoken = [[i for i, line in enumerate(d) if words(line)] for d in (source, target)]
    assert [i for bead in beads for i in bead.sources] == spoken[0]
    assert [j for bead in beads for j in bead.targets] == spoken[1]
    shapes = {(len(bead.sources), len(bead.targets)) for bead in beads}
    assert shapes <= set(SHAPES)
    assert all(0.0 <= bead.posterior <= 1.0 for bead in beads)


@given(DOCUMENT, st.integers(1, 400))
@settings(max_examples=15, deadline=None)
def test_very_unequal_documents_are_covered_too(source, length):
    target = [f"line {number}" for number in range(length)]
    beads = align_lengths(source, target)
    assert [j for bead in beads for j in bead.targets] == [*range(length)]


def test_a_sentence_of_a_hundred_thousand_words():
    endless = "on and " * 50_000
    beads = align_sentences([*PLAIN, endless, *PLAIN], [*OLD, endless, *OLD])
    assert numbered(beads) == [((i,), (i,)) for i in range(49)]


# The lattice against every path written out.


def paths(sources: int, targets: int) -> list[list[tuple[int, int, int]]]:
    """All paths as lists of (end row, end column, bead type)."""
    if (sources, targets) == (0, 0):
        return [[]]
    found = []
    for kind, (wide, high) in enumerate(SHAPES):
        if sources >= wide and targets >= high:
            for path in paths(sources - wide, targets - high):
                found.append([*path, (sources, targets, kind)])
    return found


def full_band(sources: int, targets: int) -> Band:
    return Band(np.zeros(sources + 1, int), np.full(sources + 1, targets + 1))


@pytest.mark.parametrize(
    ("sources", "targets"), [(1, 1), (3, 3), (4, 2), (1, 4), (5, 4)]
)
def test_posteriors_and_best_path_agree_with_every_path_written_out(sources, targets):
    draw = np.random.default_rng(sources * 10 + targets)
    rows = [draw.normal(-3, 2, (5, targets + 1)) for _ in range(sources + 1)]
    band = full_band(sources, targets)
    every = paths(sources, targets)
    scores = [sum(rows[i][kind, j] for i, j, kind in path) for path in every]
    total = math.fsum(math.exp(score) for score in scores)
    expected: dict[tuple[int, int, int], float] = defaultdict(float)
    for path, score in zip(every, scores, strict=True):
        for bead in path:
            expected[bead] += math.exp(score) / total
    found, kept = search.posteriors(rows, band, above=-np.inf)
    for i, j, kind in itertools.product(
        range(sources + 1), range(targets + 1), range(5)
    ):
        column = j - kept.starts[i]
        value = found[i][kind, column] if 0 <= column < found[i].shape[1] else 0.0
        assert value == pytest.approx(expected[i, j, kind], abs=1e-12)
    best = every[int(np.argmax(scores))]
    assert search.best_path(rows, band) == [((i, j), kind) for i, j, kind in best]


def test_a_band_only_removes_paths():
    draw = np.random.default_rng(2)
    whole = [draw.normal(-3, 2, (5, 6)) for _ in range(6)]
    band = search.diagonal_band(5, 5, deviation=1)
    rows = [whole[i][:, slice(*band.columns(i))] for i in range(6)]
    inside = [
        path
        for path in paths(5, 5)
        if all(band.starts[i] <= j < band.stops[i] for i, j, _ in path)
    ]
    scores = [sum(whole[i][kind, j] for i, j, kind in path) for path in inside]
    best = inside[int(np.argmax(scores))]
    assert search.best_path(rows, band) == [((i, j), kind) for i, j, kind in best]


def test_the_search_leaves_out_what_is_all_but_impossible():
    rows = [np.full((5, 4), -9.0) for _ in range(4)]
    for row in rows:
        row[search.MATCH] = 0.0
    _, kept = search.posteriors(rows, full_band(3, 3), above=-5.0)
    assert kept.starts.tolist() == [0, 1, 2, 3]
    assert kept.stops.tolist() == [1, 2, 3, 4]


# The length model.


def test_length_scores_are_priors_marginals_and_poisson():
    model = length_model([2, 4], [4, 8])  # means 3 and 6: a ratio of 2
    scores = np.exp(model.row(2, 0, 3))
    half, eight = 0.5, 8.0  # marginals; four source words make eight, on average

    def poisson(mean, count):
        return math.exp(-mean) * mean**count / math.factorial(count)

    assert scores[search.DELETE] == pytest.approx([0.01 * half] * 3)
    assert scores[search.INSERT] == pytest.approx([0, 0.01 * half, 0.01 * half])
    assert scores[search.MATCH] == pytest.approx(
        [0, 0.94 * half * poisson(eight, 4), 0.94 * half * poisson(eight, 8)]
    )
    assert scores[search.CONTRACT] == pytest.approx(
        [0, 0.02 / 4 * poisson(12, 4), 0.02 / 4 * poisson(12, 8)]
    )
    # Twelve words are 4 + 8 or 8 + 4, each as likely.
    assert scores[search.EXPAND] == pytest.approx(
        [0, 0, 0.02 * half * poisson(eight, 12) * half]
    )


# The word model.


def plain_model1(pairs):
    """Moore's EM, word by word."""
    counts = [Counter(w for pair in pairs for w in pair[side]) for side in (0, 1)]
    bitext = [
        tuple(
            [word if counts[side][word] > 1 else "(other)" for word in pair[side]]
            for side in (0, 1)
        )
        for pair in pairs
    ]
    t = defaultdict(lambda: defaultdict(lambda: 1.0))
    for iteration in range(4):
        fractions = defaultdict(lambda: defaultdict(float))
        for source, target in bitext:
            origins = [*source, "(empty)"]
            for f in target:
                total = sum(t[e][f] for e in origins)
                for e in origins:
                    share = t[e][f] / total
                    weak = iteration > 0 and share < (1 + 1e-9) / len(origins)
                    fractions["(empty)" if weak else e][f] += share
        t = defaultdict(lambda: defaultdict(float))
        for e, row in fractions.items():
            for f, count in row.items():
                t[e][f] = count / sum(row.values())
    return t


def test_model1_agrees_with_em_word_by_word():
    pairs = [(words(plain), words(old)) for plain, old in zip(PLAIN, OLD, strict=True)]
    expected, lexicon = plain_model1(pairs), model1.train(pairs)
    targets = {number: word for word, number in lexicon.target_ids.items()}
    targets[model1.OTHER] = "(other)"
    sources = [("(other)", model1.OTHER), *lexicon.source_ids.items()]
    for word, number in sources:
        ours = {
            targets[column]: value
            for column, value in zip(
                lexicon.columns[number], lexicon.values[number], strict=True
            )
        }
        assert ours == pytest.approx(
            {f: p for f, p in expected[word].items() if p > 0}, abs=1e-9
        )
    empty = {targets[n]: p for n, p in enumerate(lexicon.empty) if p > 0}
    assert empty == pytest.approx(dict(expected["(empty)"]), abs=1e-9)


def test_the_vocabulary_is_the_words_seen_twice_and_the_most_frequent(monkeypatch):
    pairs = [(("a", "a", "b", "b", "c"), ("x", "x", "x", "y", "y", "z", "z"))]
    lexicon = model1.train(pairs)
    assert lexicon.source_ids == {"a": 1, "b": 2}
    monkeypatch.setattr(model1, "VOCABULARY", 1)
    assert model1.train(pairs).target_ids == {"x": 1}


# Documents and pairs.

DOCUMENTS = (["one", "two", "three", "four"], ["eins", "zwei drei", "vier"])
BEADS = [
    Bead((0,), (0,), 0.9),
    Bead((1, 2), (1,), 0.8),
    Bead((3,), (), 0.7),
    Bead((), (2,), 0.6),
]


def test_pairs_are_the_one_to_one_beads_above_the_threshold():
    assert aligned_pairs(DOCUMENTS, BEADS, threshold=0.5) == [Pair("one", "eins")]
    assert aligned_pairs(DOCUMENTS, BEADS, threshold=0.9) == []
    assert aligned_pairs(DOCUMENTS, BEADS, threshold=0.5, merged=True) == [
        Pair("one", "eins"),
        Pair("two three", "zwei drei"),
    ]


@pytest.fixture
def story(tmp_path: Path) -> tuple[Path, Path]:
    plain, old = tmp_path / "plain.txt", tmp_path / "old.txt"
    plain.write_text("\n".join(PLAIN) + "\n", "utf-8")
    old.write_text("\n".join([*OLD[:8], OLD[8] + " " + OLD[9], *OLD[10:]]), "utf-8")
    return plain, old


def test_the_command_writes_pairs_and_reports_how_many(story, tmp_path):
    output = tmp_path / "pairs.tsv"
    arguments = ["align-sentences", *map(str, story), "-o", str(output)]
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert json.loads(result.stdout) == {
        "source_sentences": 24,
        "target_sentences": 23,
        "pairs": 22,
        "output": str(output),
    }
    assert output.read_text("utf-8").split("\n")[0] == f"{PLAIN[0]}\t{OLD[0]}"
    result = CliRunner().invoke(app, [*arguments, "--merged"], catch_exceptions=False)
    assert result.stdout.startswith("23 pairs of 24 source and 23 target sentences")
    assert f"{PLAIN[8]} {PLAIN[9]}\t{OLD[8]} {OLD[9]}\n" in output.read_text("utf-8")


def test_folders_are_read_in_pairs_of_files_of_the_same_name(tmp_path):
    for side in ("new", "old"):
        (tmp_path / side).mkdir()
        for name in ("b.txt", "a.txt", ".hidden"):
            (tmp_path / side / name).write_text(f"{side} {name}\n", "utf-8")
    assert read_documents(tmp_path / "new", tmp_path / "old") == [
        (["new a.txt"], ["old a.txt"]),
        (["new b.txt"], ["old b.txt"]),
    ]


def test_what_cannot_be_aligned_is_refused_in_one_line(story, tmp_path):
    plain, _ = story
    empty, folder, other = tmp_path / "empty.txt", tmp_path / "a", tmp_path / "b"
    empty.write_text("\n \n", "utf-8")
    folder.mkdir()
    other.mkdir()
    with pytest.raises(ParaphrastError, match=r"empty\.txt has no sentences"):
        read_documents(plain, empty)
    with pytest.raises(ParaphrastError, match="Give two files or two folders"):
        read_documents(plain, folder)
    with pytest.raises(ParaphrastError, match="has no files"):
        read_documents(folder, other)
    (folder / "x").write_text("x", "utf-8")
    with pytest.raises(ParaphrastError, match=r"x is in only one of them \(1 such"):
        read_documents(folder, other)
    with pytest.raises(ParaphrastError, match="cannot read"):
        read_documents(plain, tmp_path / "missing.txt")


@pytest.mark.data
def test_the_published_enotes_pairs_are_recovered_exactly():
    folder = Path(os.environ["PARAPHRAST_MIRROR"]) / "xu12"
    names = sorted(p.name for p in (folder / "enotes-unaligned").glob("*_original.snt"))
    documents, published = [], []
    for name in names:
        modern = name.replace("_original", "_modern")
        before = [folder / "enotes-unaligned" / side for side in (name, modern)]
        after = [folder / "enotes" / f"{side}.aligned" for side in (name, modern)]
        documents += read_documents(*before)
        published += read_documents(*after)
    for document, beads, (source, target) in zip(
        documents, align_documents(documents), published, strict=True
    ):
        pairs = aligned_pairs(document, beads, threshold=0.5)
        assert pairs == [Pair(*both) for both in zip(source, target, strict=True)]
