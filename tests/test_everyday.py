"""The everyday corpus: whole and parallel, loaded, checked, and split by its rule."""

import json
import shutil
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paraphrast.cli.corpora import app
from paraphrast.corpora import catalogue, checking
from paraphrast.corpora.loaders import everyday
from paraphrast.errors import ParaphrastError

FOLDER = Path(__file__).parents[1] / "corpora" / "everyday"
FILES = ("texts.jsonl", "documents.jsonl", "contrast.jsonl", "references.jsonl")
REWRITES = FOLDER / "rewrites.jsonl"  # in the repository alone


@pytest.fixture(scope="module")
def folder():
    return catalogue.locate("everyday")


@pytest.fixture
def small(tmp_path, folder):
    """Return a folder with ten texts, two documents and their contrast lines."""
    for name, records in select_rows(folder).items():
        write_rows(tmp_path / name, records)
    return tmp_path


@cache
def select_rows(folder):
    texts = [row for row in rows(folder / FILES[0]) if "5" in row["versions"]["plain"]]
    references = rows(folder / FILES[3])
    referenced = {row["id"] for row in references}
    texts = [
        *[row for row in texts if row["id"] not in referenced][:8],
        *[row for row in texts if row["id"] in referenced][:2],
    ]
    ids = {row["id"] for row in texts}
    return {
        FILES[0]: texts,
        FILES[1]: rows(folder / FILES[1])[:2],
        FILES[2]: [row for row in rows(folder / FILES[2]) if row["id"] in ids],
        FILES[3]: [row for row in references if row["id"] in ids],
        REWRITES.name: rows(REWRITES)[:5] if REWRITES.is_file() else [],
    }


def rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_rows(path, records):
    path.write_text("".join(json.dumps(row) + "\n" for row in records), "utf-8")


def change(folder, name, edit):
    records = rows(folder / name)
    edit(records)
    write_rows(folder / name, records)


def test_the_corpus_of_the_repository_has_no_faults(folder):
    assert folder == FOLDER
    report = checking.check(folder)
    assert report.faults == ()
    assert report.texts > 3000
    assert [style.style for style in report.styles] == list(everyday.STYLES)
    assert {style.versions for style in report.styles} == {report.texts}
    for style in report.styles[1:]:
        assert style.copies < 5
        assert style.opening_share < 5
        assert style.names_lost < 1


def test_documents_come_in_the_modern_styles_and_three_others(folder):
    for document in everyday.read_texts(folder, "documents.jsonl"):
        assert set(everyday.MODERN) <= document.versions.keys()
        assert len(document.versions) >= 9


def test_texts_of_the_judges_split_have_three_more_references_each(folder):
    texts = {text.id: text for text in everyday.read_texts(folder)}
    references = everyday.read_references(folder)
    for style in everyday.REFERENCED:
        ids = [line.id for line in references if line.style == style]
        assert len(ids) == 3 * len(set(ids)) >= 3 * 250
        assert {texts[name].split for name in ids} == {"judges"}


def test_a_reference_must_be_a_rewrite_of_a_text_that_rewriters_never_see(small):
    texts = {text.id: text for text in everyday.read_texts(small)}

    def copy_source(records):
        text = texts[records[0]["id"]]
        records[0]["text"] = text.versions[everyday.REFERENCED[records[0]["style"]]]

    change(small, "references.jsonl", copy_source)
    (fault,) = checking.check(small).faults
    assert "copies what it rewrites" in fault
    other = next(text for text in texts.values() if text.split == "train")
    added = [
        {
            "id": other.id,
            "style": "formal",
            "writer": writer,
            "text": other.versions["formal"],
        }
        for writer in everyday.WRITERS
    ]
    change(small, "references.jsonl", lambda records: records.extend(added))
    assert sum("not in judges" in f for f in checking.check(small).faults) == 3


def test_both_halves_of_the_contrast_set_name_every_kind_of_error(folder):
    kinds = {(line.half, line.kind) for line in everyday.read_contrast(folder)}
    wanted = (*everyday.ERRORS, "same")
    assert kinds == {(half, kind) for half in ("guards", "judges") for kind in wanted}


def test_two_thousand_texts_have_two_wrong_versions_each(folder):
    wrong = Counter(
        line.id for line in everyday.read_contrast(folder) if line.kind != "same"
    )
    assert sum(count >= 2 for count in wrong.values()) >= 2000


def test_the_split_and_half_of_a_text_are_fixed():
    assert everyday.split_of("Anna") == "train"
    assert everyday.split_of("Yes") == "judges"
    assert everyday.split_of("Tea") == "dev"
    assert [everyday.half_of(text) for text in ("a", "b", "c", "d")] == [
        *("guards", "judges", "guards", "guards")
    ]


@pytest.mark.parametrize(
    ("name", "edit", "fault"),
    [
        ("texts", lambda r: r[0]["versions"].pop("bible"), "no version in bible"),
        ("texts", lambda r: r[1]["versions"].update(joyce="At 77."), "joyce: numbers"),
        ("texts", lambda r: r[2].update(split="none"), "split is none, not"),
        ("texts", lambda r: r.append(r[3]), "same plain text as"),
        (
            "texts",
            lambda r: r[0]["versions"].update(pirate=r[0]["versions"]["plain"]),
            "unknown style",
        ),
        ("texts", lambda r: r.clear(), "no such text"),
        (
            "texts",
            lambda r: r[1]["versions"].update(
                tweet=r[1]["versions"]["plain"] + "!" * 280
            ),
            "characters",
        ),
        ("documents", lambda r: r[0]["versions"].pop("polite"), "no version in polite"),
        ("contrast", lambda r: r[0].update(kind="odd"), "unknown kind odd"),
        ("contrast", lambda r: r[0].update(half="both"), "wrong half"),
        ("references", lambda r: r[0].update(text="At 77."), "numbers differ"),
        ("references", lambda r: r[0].update(text=" "), "empty"),
        ("references", lambda r: r.pop(), "writers are a, b"),
        ("rewrites", lambda r: r[0].update(fluency=3), "a mark is not 0, 1 or 2"),
        ("rewrites", lambda r: r[0].update(style="ode"), "unknown style ode"),
        (
            "references",
            lambda r: [row.update(id="none") for row in r[:3]],
            "no such text",
        ),
        (
            "references",
            lambda r: [row.update(style="bible") for row in r[:3]],
            "unknown style",
        ),
    ],
)
def test_a_fault_is_found_and_named(small, name, edit, fault):
    assert checking.check(small).faults == ()
    change(small, f"{name}.jsonl", edit)
    faults = checking.check(small).faults
    assert faults
    assert all(fault in line for line in faults)


def test_a_wrong_version_must_differ_from_every_right_one(small):
    text = everyday.read_texts(small)[0]
    line = {
        **{"id": text.id, "style": "formal", "kind": "tense"},
        **{"half": everyday.half_of(text.versions["plain"])},
        "text": text.versions["simple"],
    }
    change(small, "contrast.jsonl", lambda records: records.append(line))
    (fault,) = checking.check(small).faults
    assert "equals a version" in fault


def test_shares_are_of_the_versions_of_a_style(small):
    def copy_plain(records):
        for row in records[:4]:
            row["versions"]["tweet"] = row["versions"]["plain"].upper()

    change(small, "texts.jsonl", copy_plain)
    tweet = checking.check(small).styles[12]
    assert tweet.style == "tweet"
    assert tweet.copies >= 40


def test_the_command_prints_a_table_and_fails_on_faults(small):
    result = CliRunner().invoke(app, ["check", str(small)])
    assert result.exit_code == 0
    assert result.stdout.startswith("10 texts, 2 documents")
    assert "prose-1890" in result.stdout
    change(small, "texts.jsonl", lambda records: records[0].update(split="none"))
    result = CliRunner().invoke(app, ["check", str(small), "--json"])
    assert result.exit_code == 1
    (fault,) = json.loads(result.stdout)["faults"]
    assert "split is none" in fault


def test_pairs_are_read_by_split_and_two_styles():
    pairs = list(catalogue.load_pairs("everyday", "dev:plain:formal"))
    texts = [t for t in everyday.read_texts(FOLDER) if t.split == "dev"]
    assert [pair.source for pair in pairs] == [t.versions["plain"] for t in texts]
    assert [pair.target for pair in pairs] == [t.versions["formal"] for t in texts]
    result = CliRunner().invoke(app, ["read", "everyday", "dev:plain:formal"])
    assert len(result.stdout.splitlines()) == len(pairs)
    for part in ("dev", "dev:plain", "test:plain:formal", "dev:plain:pirate"):
        with pytest.raises(ParaphrastError, match="as in train:plain:formal"):
            list(catalogue.load_pairs("everyday", part))


def test_texts_of_a_style_are_those_to_train_on():
    texts = list(catalogue.load_texts("everyday", "joyce"))
    held_out = {
        text.versions["joyce"]
        for text in everyday.read_texts(FOLDER)
        if text.split != "train"
    }
    assert len(texts) > 2000
    assert not held_out & set(texts)


def test_the_corpus_needs_neither_mirror_nor_download(tmp_path):
    entry = catalogue.entry("everyday")
    assert catalogue.is_here(entry, mirror=tmp_path)
    assert catalogue.locate("everyday", mirror=tmp_path, cache=tmp_path) == FOLDER
    result = CliRunner().invoke(app, ["fetch", "everyday", "--cache", str(tmp_path)])
    assert result.stdout.startswith(str(FOLDER))


def test_an_invalid_row_is_refused_by_line_number(tmp_path):
    for name in FILES:
        shutil.copy(FOLDER / name, tmp_path / name)
    path = tmp_path / "contrast.jsonl"
    path.write_text(path.read_text("utf-8") + '{"id": 1}\n', "utf-8")
    number = len(rows(path))
    with pytest.raises(ParaphrastError, match=rf"contrast\.jsonl:{number}: not a row"):
        checking.check(tmp_path)


def test_a_package_has_no_rated_rewrites_and_is_checked_without(small):
    (small / REWRITES.name).unlink(missing_ok=True)
    assert everyday.read_rewrites(small) == []
    assert not checking.check(small).faults


@pytest.mark.skipif(not REWRITES.is_file(), reason="needs the repository")
def test_rated_rewrites_have_corrections_where_nothing_was_right(folder):
    rated = everyday.read_rewrites(folder)
    corrected = [row for row in rated if row.systems == ["reader"]]
    assert len(rated) > 15_000
    assert all(row.kind == "corrected" for row in corrected)
    right = {
        (row.source, row.style)
        for row in rated
        if row.systems != ["reader"] and row.meaning + row.manner + row.fluency == 6
    }
    both = [row for row in corrected if (row.source, row.style) in right]
    assert len(both) < 0.01 * len(corrected)
