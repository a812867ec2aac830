"""Loaders on small files that we wrote, laid out like the corpora."""

import json
import lzma

import pytest

from paraphrast.corpora import Pair
from paraphrast.corpora.loaders import (
    alignments,
    bibles,
    gyafc,
    judged,
    paraphrases,
    plays,
    strap,
    styles,
)
from paraphrast.errors import ParaphrastError


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return folder


def test_plays_pair_modern_with_original(tmp_path):
    write(
        tmp_path,
        {
            "sparknotes/x_modern.snt.aligned": "You lie.\n",
            "sparknotes/x_original.snt.aligned": "Thou liest.\n",
            "enotes/y_modern.snt.aligned": "Go.\n",
            "enotes/y_original.snt.aligned": "Hie thee.\n",
        },
    )
    assert plays.plays(tmp_path, "sparknotes") == ["x"]
    pairs = list(plays.pairs_of(tmp_path, "xu12", "sparknotes"))
    assert pairs == [Pair("You lie.", "Thou liest.")]
    with pytest.raises(ParaphrastError, match="unknown play 'x'. Known: y"):
        plays.read_aligned(tmp_path, "enotes", "x")
    with pytest.raises(ParaphrastError, match="unknown part"):
        plays.pairs_of(tmp_path, "jhamtani17", "tune")


def test_judgments_of_the_published_systems(tmp_path):
    header = ["original", "modern", "s1", "s2", "s3", *["mark"] * 12]
    marked = ["o", "m", "a", "b", "c ", *"123412341234"]
    blank = ["o", "m", "a", "b", "c", *[""] * 12]
    table = "\n".join("\t".join(row) for row in (header, marked, blank))
    write(
        tmp_path,
        {
            "eval/annotated.csv": table,
            "eval/annotated_wei.csv": table,
        },
    )
    marks = plays.judgments(tmp_path)
    assert len(marks) == 2 * 3  # two people, three systems, one line judged
    assert (marks[2].system, marks[2].output, marks[2].overall) == ("s3", "c", 4)


def test_strap_compares_the_recognised_style_with_the_target(tmp_path):
    files = {
        "shakespeare/inputs.txt": "thou\nyou\n",
        "shakespeare/gold.txt": "you\nthou\n",
        "baselines/input/all_test_transfer_labels.txt": "modern\noriginal\n",
    }
    # What was published for a copy: "correct" says that the input's own style, in
    # the second column, was recognised, so a copy's success is "incorrect".
    labels = "correct,original,original\nincorrect,modern,original\n"
    stem = "baselines/input/transfer_entire_test.txt"
    files |= {
        stem: "thou\nyou\n",
        f"{stem}.roberta_labels": labels,
        f"{stem}.pp_scores": "0.5\n1.0\n",
        f"{stem}.acceptability_labels": "acceptable\nunacceptable\n",
    }
    rows = strap.read_judged(write(tmp_path, files), "COPY")
    assert [row.accurate for row in rows] == [False, True]
    assert [row.similarity for row in rows] == [0.5, 1.0]
    assert [row.fluent for row in rows] == [True, False]
    assert list(strap.pairs_of(tmp_path, "strap", "test"))[0] == Pair("thou", "you")
    with pytest.raises(ParaphrastError, match="unknown labelled system 'STRAP p=0.0'"):
        strap.read_judged(tmp_path, "STRAP p=0.0")


def test_styles_leave_out_the_headings_of_books(tmp_path):
    text = "#### A: B\n\none\n#### C: D\ntwo\n"
    write(tmp_path, {"joyce.txt.xz": text, "aae.txt": "hey\n"})
    assert list(styles.texts_of(tmp_path, "styles", "joyce")) == ["one", "two"]
    assert list(styles.texts_of(tmp_path, "cds-samples", "aae")) == ["hey"]
    with pytest.raises(ParaphrastError, match="unknown style 'joice'. Did you mean"):
        styles.texts_of(tmp_path, "styles", "joice")


def test_bibles_pair_the_verses_that_both_have(tmp_path):
    rows = "Ruth\tRuth1.txt\t{}\t{}\n"
    write(
        tmp_path,
        {
            "KJV.tsv.xz": rows.format(1, "a") + rows.format(2, "b"),
            "BBE.tsv.xz": rows.format(2, "c") + rows.format(2, "d"),
        },
    )
    assert list(bibles.pairs_of(tmp_path, "bibles", "KJV-BBE")) == [Pair("b", "c d")]
    assert bibles.verses(tmp_path, "KJV")["Ruth", "1", "1"] == "a"
    for wrong in ("KJV", "KJV-NIV"):
        with pytest.raises(ParaphrastError, match="Known|known"):
            bibles.pairs_of(tmp_path, "bibles", wrong)


def test_no_caption_is_used_twice(tmp_path):
    write(tmp_path, {"multi30k-captions.tsv.xz": "1\t2\t3\t4\t5\n"})
    pairs = list(paraphrases.pairs_of(tmp_path, "captions", "train"))
    assert pairs == [Pair("1", "2"), Pair("3", "4")]


def test_judged_texts(tmp_path):
    write(
        tmp_path,
        {
            "train.csv": 'SID,label,sentence\r\n1,-2.8,"no, ""never"""\r\n',
            "gug_annotations.train_dev.tsv": "Id\tSentence\tE\tC\tAverage\tDataset\n"
            "1\tGood.\t4\t[4]\t3.5\ttrain\n2\tx\t0\t[]\t0.0\tnone\n",
            "in_domain_dev.tsv": "gj04\t0\t*\tBook the.\n",
            "stsb-en-dev.csv": "One.,Two.,4.75\r\n",
        },
    )
    assert judged.pt16(tmp_path, "train") == [judged.Judged('no, "never"', -2.8)]
    assert judged.gug(tmp_path, "train") == [judged.Judged("Good.", 3.5)]
    assert judged.cola(tmp_path, "dev") == [judged.Judged("Book the.", 0.0)]
    assert judged.stsb(tmp_path, "dev") == [judged.JudgedPair("One.", "Two.", 4.75)]
    with pytest.raises(ParaphrastError, match="unknown part 'test'"):
        judged.stsb(tmp_path, "test")


def test_possible_links_are_those_missing_from_the_sure_file(tmp_path):
    def record(links):
        pair = {"id": "1", "source": "a b", "target": "c d", "possibleAlign": ""}
        return json.dumps([pair | {"sureAlign": links}])

    write(
        tmp_path,
        {
            "gold.test.sure.json": record("0-0"),
            "gold.test.sure+poss.json": record("0-0 1-1"),
            "RTE2_dev_A.align.json": "not JSON",
        },
    )
    (linked,) = alignments.edinburgh(tmp_path, "test")
    assert (linked.sure, linked.possible) == ({(0, 0)}, {(1, 1)})
    with pytest.raises(ParaphrastError, match="cannot read links"):
        alignments.msr_rte(tmp_path, "A")


def test_gyafc_is_read_from_the_users_own_copy(tmp_path):
    part = "Entertainment_Music/{}/{}"
    references = {part.format("test", f"formal.ref{n}"): f"Ref {n}\n" for n in range(4)}
    write(
        tmp_path,
        {
            part.format("train", "informal"): "hey\n",
            part.format("train", "formal"): "Hello.\n",
            part.format("test", "informal"): "yo\n",
            **references,
        },
    )
    music = "Entertainment_Music"
    assert list(gyafc.train(tmp_path, music)) == [Pair("hey", "Hello.")]
    back = gyafc.train(tmp_path, music, to="informal")
    assert list(back) == [Pair("Hello.", "hey")]
    (row,) = gyafc.evaluation(tmp_path, music, "test")
    assert (row.source, row.references) == ("yo", ("Ref 0", "Ref 1", "Ref 2", "Ref 3"))
    with pytest.raises(ParaphrastError, match="Yahoo Webscope"):
        gyafc.train(tmp_path, "Family_Relationships")
    with pytest.raises(ParaphrastError, match="unknown domain"):
        gyafc.train(tmp_path, "Music")
