"""The catalogue against a mirror of the corpora: every sha256, every count."""

import os
from pathlib import Path

import pytest

from paraphrast.corpora import catalogue
from paraphrast.corpora.loaders import alignments, bibles, judged, plays, strap

pytestmark = pytest.mark.data

PAIRS = {
    ("xu12", "sparknotes"): 21_079,
    ("xu12", "enotes"): 10_365,
    ("xu12", "tuning"): 2_153,
    ("jhamtani17", "train"): 18_395,
    ("jhamtani17", "valid"): 1_218,
    ("jhamtani17", "test"): 1_462,
    ("edinburgh", "train"): 714,
    ("edinburgh", "test"): 306,
    ("strap", "test"): 2_924,
    ("quora", "train"): 50_000,
    ("captions", "train"): 58_000,
    ("europarl", "en-fr"): 220_000,
    ("europarl", "en-de"): 220_000,
    ("tatoeba", "en-fra"): 142_787,
    ("tatoeba", "en-deu"): 169_197,
    ("bibles", "KJV-BBE"): 31_096,
}


@pytest.fixture(scope="module")
def mirror():
    if not os.environ.get("PARAPHRAST_MIRROR"):
        pytest.fail("set PARAPHRAST_MIRROR to a folder that holds the corpora")
    return Path(os.environ["PARAPHRAST_MIRROR"])


@pytest.fixture(scope="module")
def folder(mirror):
    return lambda name: catalogue.locate(name, mirror=mirror)


def test_the_files_are_in_the_mirrors_own_index(mirror):
    index = (mirror / "SOURCES.tsv").read_text("utf-8").removesuffix("\n").split("\n")
    theirs = set()
    for row in index[1:]:
        path, repository, original, size, digest, _ = row.split("\t")
        public = f"https://raw.githubusercontent.com/{repository}/HEAD/{original}"
        address = "" if repository.startswith("(") else public
        theirs.add((path, int(size), digest, address))
    ours = {
        (file.path, file.bytes, file.sha256, file.address)
        for entry in map(catalogue.entry, catalogue.names())
        for file in entry.files
        if entry.access != "included"
    }
    assert ours
    assert ours - theirs == set()  # a mirror may hold more


@pytest.mark.parametrize("name", catalogue.names())
def test_every_file_has_its_sha256(name, mirror):
    if catalogue.entry(name).access != "own":
        assert catalogue.locate(name, mirror=mirror).is_dir()


@pytest.mark.parametrize(("name", "split"), PAIRS)
def test_every_pair_is_read(name, split, mirror):
    pairs = list(catalogue.load_pairs(name, split, mirror=mirror))
    assert len(pairs) == PAIRS[name, split]
    assert all(pair.source.strip() or pair.target.strip() for pair in pairs)


def test_every_part_that_the_catalogue_names_can_be_read(mirror):
    for name in catalogue.names():
        entry = catalogue.entry(name)
        for split in entry.pairs:
            if " " not in split:
                next(catalogue.load_pairs(name, split, mirror=mirror))
        for split in entry.texts:
            next(catalogue.load_texts(name, split, mirror=mirror))


def test_xu12_has_its_test_lines_and_judgments(folder):
    xu12 = folder("xu12")
    assert len(plays.plays(xu12, "sparknotes")) == 17
    assert len(plays.plays(xu12, "enotes")) == 8
    for form in ("raw", "tokenised"):
        assert len(plays.romeo_and_juliet(xu12, form=form)) == 510
    assert len(list(plays.development(xu12, "sparknotes"))) == 943
    assert len(list(plays.development(xu12, "enotes"))) == 1_210
    marks = plays.judgments(xu12)
    assert len(marks) == 2 * 3 * 99
    assert {mark.overall for mark in marks} <= {1, 2, 3, 4, 5}
    assert len(list(plays.dictionary(xu12))) == 47_445


def test_strap_labels_give_the_papers_accuracy_and_j(folder):
    # Krishna et al. 2020, Table 1, Shakespeare: ACC and J of the labelled rows.
    paper = {
        "COPY": (9.6, 7.2),
        "REFERENCE": (90.4, 70.5),
        "UNMT": (70.5, 14.6),
        "DLSM": (71.1, 16.3),
    }
    for system, (accuracy, joint) in paper.items():
        rows = strap.read_judged(folder("strap"), system)
        assert len(rows) == 2_924
        assert 100 * sum(r.accurate for r in rows) / len(rows) == pytest.approx(
            accuracy, abs=0.05
        )
        product = sum(r.accurate * r.similarity * r.fluent for r in rows)
        assert 100 * product / len(rows) == pytest.approx(joint, abs=0.05)


def test_style_texts_and_bibles(folder, mirror):
    for style in catalogue.entry("cds-samples").texts:
        texts = list(catalogue.load_texts("cds-samples", style, mirror=mirror))
        assert 990 <= len(texts) <= 1_000
    counts = [len(bibles.verses(folder("bibles"), v)) for v in bibles.VERSIONS]
    assert counts == [31_080, 31_097, 31_093, 30_285, 31_096, 31_072, 31_089, 31_096]


def test_judged_texts_and_links(folder):
    assert len(judged.pt16(folder("pt16"), "train")) == 4_477
    assert len(judged.pt16(folder("pt16"), "tune")) == 500
    assert len(judged.gug(folder("gug"), "train")) == 1_518
    assert len(judged.gug(folder("gug"), "dev")) == 747
    assert len(judged.cola(folder("cola"), "train")) == 8_551
    assert len(judged.cola(folder("cola"), "dev")) == 527
    assert len(judged.stsb(folder("stsb"), "train")) == 5_749
    assert len(judged.stsb(folder("stsb"), "dev")) == 1_500
    test = alignments.edinburgh(folder("edinburgh"), "test")
    assert sum(len(linked.possible) for linked in test) == 871
    for annotator in "ABCM":
        assert len(alignments.msr_rte(folder("msr-rte"), annotator)) == 800
    assert len(alignments.mt_reference(folder("mt-reference"))) == 2_000
