"""Splitting: nothing is lost, nothing leaks, and the seed decides everything."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from paraphrast.cli.corpora import app
from paraphrast.corpora import Pair, read_pairs, write_pairs
from paraphrast.corpora.splitting import PARTS, Sizes, normalise_text, split
from paraphrast.errors import ParaphrastError

# Few letters, so that many records share a side but for case and punctuation.
SIDE = st.text("aAbBcd!. ", min_size=1, max_size=3)
RECORDS = st.lists(st.builds(Pair, SIDE, SIDE), min_size=3, max_size=40)


def parts_of(folder, name="pairs.tsv"):
    return {part: list(read_pairs(folder / f"{part}.{name}")) for part in PARTS}


def run(folder, pairs, *, valid=0.2, test=0.2, seed=1):
    source = folder / "pairs.tsv"
    write_pairs(pairs, source)
    report = split([source], folder, sizes=Sizes(valid, test), seed=seed)
    return report, parts_of(folder)


@settings(max_examples=60, deadline=None)
@given(pairs=RECORDS, seed=st.integers(0, 5))
def test_no_text_is_in_two_parts_and_nothing_is_lost(tmp_path_factory, pairs, seed):
    report, parts = run(tmp_path_factory.getbasetemp(), pairs, seed=seed)
    together = [pair for part in parts.values() for pair in part]
    assert Counter(together) == Counter(pairs)
    assert report.parts == {part: len(parts[part]) for part in PARTS}
    texts = {
        part: {
            normalise_text(text) for p in parts[part] for text in (p.source, p.target)
        }
        for part in PARTS
    }
    assert not texts["train"] & texts["valid"]
    assert not texts["train"] & texts["test"]
    assert not texts["valid"] & texts["test"]
    assert all(report.parts[part] <= report.wanted[part] for part in ("valid", "test"))


def test_distinct_records_are_split_to_the_count(tmp_path):
    pairs = [Pair(f"source {n}", f"target {n}") for n in range(100)]
    report, parts = run(tmp_path, pairs, valid=7, test=0.1)
    assert report.parts == {"train": 83, "valid": 7, "test": 10}
    assert report.components == 100
    # The order of the file is kept inside a part.
    assert all(part == sorted(part, key=pairs.index) for part in parts.values())


def test_the_seed_decides(tmp_path):
    pairs = [Pair(f"source {n}", f"target {n}") for n in range(50)]
    first = run(tmp_path, pairs, seed=1)[1]
    assert run(tmp_path, pairs, seed=1)[1] == first
    assert run(tmp_path, pairs, seed=2)[1] != first


def test_records_linked_through_a_third_stay_together(tmp_path):
    chain = [Pair("a", "b"), Pair("B!", "c"), Pair("d", " C ")]
    others = [Pair(f"x{n}", f"y{n}") for n in range(7)]
    report, parts = run(tmp_path, chain + others, valid=2, test=2)
    assert report.largest_component == 3
    assert parts["train"][:3] == chain  # larger than either part


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Yes.", "yes", True),
        ("O, no!", "o no", True),
        ("ﬁne", "FINE", True),
        ("a b", "ab", False),
        ("!", "?", False),
        ("...", " ... ", True),
    ],
)
def test_what_counts_as_the_same_text(one, other, same):
    assert (normalise_text(one) == normalise_text(other)) is same


def test_json_lines_are_copied_as_they_are(tmp_path):
    source = tmp_path / "pairs.jsonl"
    lines = [f'{{"id":{n},  "source": "s{n}", "target": "t{n}"}}' for n in range(20)]
    source.write_text("\n".join(lines))
    split([source], tmp_path, sizes=Sizes(5, 5), seed=1)
    copied = [
        line
        for part in PARTS
        for line in (tmp_path / f"{part}.pairs.jsonl").read_text().split("\n")[:-1]
    ]
    assert sorted(copied) == sorted(lines)


def test_parallel_files_and_texts_can_be_split(tmp_path):
    modern, original, style = (tmp_path / n for n in ("a.modern", "a.old", "s.txt"))
    for path in (modern, original, style):
        path.write_text("".join(f"{path.name} {n}\n" for n in range(10)))
    split([modern, original], tmp_path, sizes=Sizes(2, 2), seed=1)
    pairs = list(read_pairs(tmp_path / "test.a.modern", tmp_path / "test.a.old"))
    assert len(pairs) == 2
    assert all(p.source.split()[-1] == p.target.split()[-1] for p in pairs)
    assert split([style], tmp_path, sizes=Sizes(0, 1), seed=1).parts["test"] == 1


def test_mistakes_are_refused(tmp_path):
    source = tmp_path / "pairs.tsv"
    write_pairs([Pair(f"s{n}", f"t{n}") for n in range(10)], source)
    with pytest.raises(ParaphrastError, match="leave nothing of 10 records"):
        split([source], tmp_path, sizes=Sizes(5, 5), seed=1)
    with pytest.raises(ParaphrastError, match="reads its input twice"):
        split([Path("-")], tmp_path, sizes=Sizes(1, 1), seed=1)
    with pytest.raises(ParaphrastError, match="cannot write"):
        split([source], tmp_path / "missing", sizes=Sizes(1, 1), seed=1)
    empty = tmp_path / "empty.tsv"
    empty.touch()
    with pytest.raises(ParaphrastError, match="leave nothing of 0 records"):
        split([empty], tmp_path, sizes=Sizes(0.1, 0.1), seed=1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.tsv", "pairs.tsv"]


def test_the_command_tells_what_it_did(tmp_path):
    source = tmp_path / "pairs.tsv"
    write_pairs([Pair(f"s{n}", f"t{n}") for n in range(10)], source)
    arguments = ["split", str(source), "-o", str(tmp_path), "--valid", "0.2"]
    shown = CliRunner().invoke(app, arguments).stdout
    assert "10 records in 10 groups" in shown
    told = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert told["parts"] == {"train": 7, "valid": 2, "test": 1}
