"""Paraphrase tables: queries, files, merging and pruning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases import Paraphrase, from_rows, merge, open_table, prune

ROWS = [
    Paraphrase("on the other hand", "however", 0.25),
    Paraphrase("on the other hand", "by contrast", 0.5),
    Paraphrase("on the other hand", "however", 0.125, "start"),
    Paraphrase("however", "but", 0.01),
    Paraphrase("été", "summer", 1.0),
]

words = st.text("abé", min_size=1, max_size=2)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
rows = st.lists(
    st.builds(
        Paraphrase,
        phrases,
        phrases,
        st.floats(0, 1, width=32).map(lambda p: float(f"{p:.7g}")),
        st.sampled_from(["", "np"]),
    ),
    unique_by=lambda row: (row.phrase, row.paraphrase, row.context),
)


def test_the_likeliest_paraphrase_comes_first():
    table = from_rows(ROWS, about={})
    assert table.of("on the other hand") == [ROWS[1], ROWS[0], ROWS[2]]
    assert table.of("on the other hand", limit=1) == [ROWS[1]]
    assert (len(table), table.phrases()) == (5, 3)


@pytest.mark.parametrize("phrase", ["", "by contrast", "on the other", "zzz", "on"])
def test_a_phrase_without_paraphrases_has_none(phrase):
    assert from_rows(ROWS, about={}).of(phrase) == []


@given(rows)
def test_every_row_is_found_again(rows):
    table = from_rows(rows, about={})
    assert sorted(table, key=repr) == sorted(rows, key=repr)
    for row in rows:
        assert row in table.of(row.phrase)


@settings(max_examples=20)
@given(rows)
def test_a_saved_table_answers_as_before(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("table") / "a.table"
    from_rows(rows, about={"method": "smt"}).save(path)
    table = open_table(path)
    assert table.about == {"method": "smt"}
    assert list(table) == list(from_rows(rows, about={}))


def test_equal_rows_are_added_up():
    table = from_rows([Paraphrase("a", "b", 0.25)] * 2, about={})
    assert table.of("a") == [Paraphrase("a", "b", 0.5)]


def test_merging_interpolates():
    first = from_rows([Paraphrase("a b", "c", 0.5), Paraphrase("a", "d", 1)], about={})
    second = from_rows([Paraphrase("a b", "c", 0.1, "x")], about={})
    third = from_rows([Paraphrase("a b", "c", 0.25)], about={})
    table = merge([first, second, third], weights=[2, 1, 1])
    assert table.of("a b") == [
        Paraphrase("a b", "c", 0.5 * 0.5 + 0.25 * 0.25),
        Paraphrase("a b", "c", 0.025, "x"),
    ]
    assert table.of("a") == [Paraphrase("a", "d", 0.5)]


@pytest.mark.parametrize("weights", [[1], [1, -1], [0, 0]])
def test_weights_that_do_not_fit_are_refused(weights):
    table = from_rows(ROWS, about={})
    with pytest.raises(ParaphrastError, match="2 tables need as many weights"):
        merge([table, table], weights=weights)


def test_pruning_keeps_the_threshold_itself_and_the_best():
    table = from_rows(ROWS, about={"method": "smt"})
    pruned = prune(table, minimum=0.01, best=1)
    assert list(pruned) == [ROWS[3], ROWS[1], ROWS[4]]
    assert pruned.about == {"method": "smt"}
    assert list(prune(table, minimum=0.02, best=1)) == [ROWS[1], ROWS[4]]
    assert list(prune(table, minimum=2)) == []


def test_a_blank_phrase_is_refused():
    with pytest.raises(ParaphrastError, match="must have a word"):
        from_rows([Paraphrase(" ", "b", 1)], about={})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda old: b"something else\n" + old, "not a paraphrase table"),
        (lambda old: b"", "not a paraphrase table"),
        (lambda old: old.replace(b"table 2\n", b"table 9\n", 1), "table format 9"),
        (lambda old: old[:-1], "damaged"),
        (lambda old: old + b"x", "damaged"),
        (lambda old: old.replace(b'"about"', b'"abOut"'), "damaged"),
    ],
)
def test_files_that_are_not_good_tables_are_refused(tmp_path, change, message):
    path = tmp_path / "a.table"
    from_rows(ROWS, about={}).save(path)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ParaphrastError, match=message):
        open_table(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ParaphrastError, match="cannot read"):
        open_table(tmp_path / "none")
