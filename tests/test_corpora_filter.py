"""STRAP's filter: every stage, whole files, processes, stops and resumption."""

import gzip
import json
import re
from dataclasses import asdict
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from paraphrast import config
from paraphrast.cli.corpora import app
from paraphrast.corpora.filtering import (
    Pipeline,
    Report,
    blocks,
    change_thresholds,
    filter_files,
    judge,
)
from paraphrast.corpora.filtering.stages import (
    STAGES,
    Candidate,
    Content,
    Language,
    Length,
    Order,
    Trigrams,
    Unigrams,
)
from paraphrast.errors import ParaphrastError
from paraphrast.storage.resumable import Journal

GOOD = (
    "Every morning our old neighbour feeds the birds in his garden",
    "In the garden, birds are given food by the old man next door each day",
)
PAIRS = {
    "": GOOD,
    "content": (GOOD[0], "Shares fell sharply in London after the bank raised rates"),
    "trigrams": (GOOD[0], f"{GOOD[0]} again"),
    "unigrams": (GOOD[0], "In our garden the birds every morning he feeds, my friend"),
    "order": (GOOD[0], "Each day an old man is seen giving birds food in a garden"),
    "length": ("Birds see gardens now", "Gardens are what birds look at"),
    "language": (
        "Jeden Morgen füttert unser Nachbar die Vögel in seinem Garten",
        "Im Garten werden die Vögel von dem alten Mann nebenan gefüttert",
    ),
}
# The similarity of words is put at the level of the neural one the thresholds of
# the paper belong to, so that a pair of each kind reaches its own stage.
LOW = Pipeline(content=Content(0.15))


def similarity(sources, targets):
    return [
        SequenceMatcher(None, sorted(source.lower()), sorted(target.lower())).ratio()
        for source, target in zip(sources, targets, strict=True)
    ]


def candidate(source, target, score=0.0):
    return Candidate(source, target, score)


@pytest.mark.parametrize(
    ("stage", "pair", "kept"),
    [
        (Content(0.5), ("a", "b", 0.5), True),  # at the threshold
        (Content(0.5), ("a", "b", 0.499), False),
        (Trigrams(0.5), ("one two three four", "one two three six"), True),
        (Trigrams(0.49), ("one two three four", "one two three six"), False),
        (Unigrams(0.5), ("one two", "one three"), True),
        (Unigrams(0.5), ("one two", "two one three"), False),
        (Unigrams(0.5), ("one two three", "one"), False),  # of the target's words
        (Order(0.5), ("one two", "two one"), True),
        (Order(0.5), ("one two three", "two one three"), False),
        (Order(0.5), ("one two", "two three"), True),  # one shared word has no order
        (Length(5, 7, 25), ("w " * 7, "w " * 12), True),
        (Length(5, 7, 25), ("w " * 7, "w " * 13), False),
        (Length(5, 7, 25), ("w " * 6, "w " * 8), True),  # 7 on average
        (Length(5, 7, 25), ("w " * 6, "w " * 7), False),
        (Length(5, 7, 25), ("w " * 25, "w " * 25), True),
        (Length(5, 7, 25), ("w " * 25, "w " * 26), False),
        (Language(), (GOOD[0], PAIRS["language"][0]), True),
        (Language(), PAIRS["language"], False),
        (Language(sides="both"), (GOOD[0], PAIRS["language"][0]), False),
        (Language("de"), PAIRS["language"], True),
    ],
)
def test_a_stage_keeps_what_lies_within_its_threshold(stage, pair, kept):
    assert stage.keeps(candidate(*pair)) is kept


@pytest.mark.parametrize("stage", [name for name in PAIRS if name != "content"])
def test_a_pair_is_dropped_by_the_first_stage_it_fails(stage):
    verdicts = judge([PAIRS[stage]], pipeline=LOW, similarity=similarity)
    assert verdicts == [stage]


def test_any_similarity_can_be_used():
    def stranger(sources, targets):
        return [0.1 for _ in sources]

    assert judge([GOOD], pipeline=LOW, similarity=stranger) == ["content"]
    skipped = Pipeline(skip=("content",))
    assert judge([GOOD], pipeline=skipped, similarity=stranger) == [""]


def test_stages_run_in_the_order_of_the_papers_table_8():
    assert STAGES == (
        "content",
        "trigrams",
        "unigrams",
        "order",
        "length",
        "language",
    )
    everything_wrong = ("eins zwei drei", "eins zwei drei")
    for stage in STAGES[1:]:
        skipped = Pipeline(skip=STAGES[: STAGES.index(stage)])
        verdict = judge([everything_wrong], pipeline=skipped, similarity=similarity)
        assert verdict == [stage]


def test_defaults_are_the_papers_but_for_the_similarity():
    settings = asdict(Pipeline())
    assert settings == {
        "content": {"minimum": 0.4},
        "trigrams": {"maximum": 0.7},
        "unigrams": {"maximum": 0.5},
        "order": {"minimum": 0.5},
        "length": {"difference": 5, "shortest": 7.0, "longest": 25.0},
        "language": {"code": "en", "sides": "either"},
        "skip": (),
    }


def test_thresholds_come_from_toml_and_options_override_them(tmp_path):
    path = tmp_path / "filter.toml"
    path.write_text('skip = ["language"]\n[unigrams]\nmaximum = 0.6\n')
    pipeline = config.load(path, Pipeline)
    assert (pipeline.unigrams, pipeline.skip) == (Unigrams(0.6), ("language",))
    changed = change_thresholds(
        pipeline,
        {"unigrams": {"maximum": 0.4}, "order": {"minimum": None}},
        skip=["length"],
    )
    assert changed.unigrams == Unigrams(0.4)
    assert changed.order == Order()
    assert changed.skip == ("language", "length")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[unigram]\nmaximum = 0.5", "Did you mean 'unigrams'"),
        ("[unigrams]\nmax = 0.5", "Did you mean 'maximum'"),
        ("[unigrams]\nmaximum = 50", "between 0 and 1"),
        ("[length]\nshortest = 30", "must not exceed longest"),
        ("[length]\ndifference = -1", "must not be negative"),
        ('[language]\ncode = "eng"', "unknown language 'eng'"),
        ('skip = ["lenght"]', "Did you mean 'length'"),
    ],
)
def test_a_wrong_setting_is_refused_with_the_right_one(tmp_path, text, complaint):
    path = tmp_path / "filter.toml"
    path.write_text(text)
    with pytest.raises(ParaphrastError, match=re.escape(complaint)):
        config.load(path, Pipeline)


def test_the_report_counts_down_like_table_8():
    report = Report(100, {"unreadable": 10, "content": 45, "order": 9}, Pipeline())
    rows = {row.stage: (row.kept, row.dropped, row.share) for row in report.rows}
    assert rows["unreadable"] == (90, 10, 0.1)
    assert rows["content"] == (45, 45, 0.5)
    assert rows["unigrams"] == (45, 0, 0.0)
    assert rows["order"] == (36, 9, 0.2)
    assert report.kept == report.as_dict()["kept"] == 36
    assert "Kendall tau diversity" in str(report)


# Files


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "SIZE", 300)


def line(pair):
    return "\t".join(pair)


def lines_of_pairs(count):
    kinds = list(PAIRS.values())
    return [
        line([f"{side} {number}" for side in kinds[number % len(kinds)]])
        for number in range(count)
    ]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def read(path):
    return path.read_text("utf-8").split("\n")[:-1]


def test_every_line_is_kept_or_rejected_with_its_stage(tmp_path, small_blocks):
    lines = lines_of_pairs(50)
    source = write(tmp_path / "pairs.tsv", lines)
    output, rejected = tmp_path / "kept.tsv", tmp_path / "rejected.tsv"
    report = filter_files([source], [output], pipeline=LOW, rejected=rejected)
    stages = [line.split("\t", 1)[0] for line in read(rejected)]
    rest = [line.split("\t", 1)[1] for line in read(rejected)]
    assert sorted(read(output) + rest) == sorted(lines)
    assert read(output) == [line for line in lines if line not in set(rest)]
    assert {stage: stages.count(stage) for stage in stages} == {
        stage: count for stage, count in report.dropped.items() if count
    }
    assert (report.read, report.kept) == (50, len(read(output)))
    assert report.kept > 0
    assert report.similarity.startswith("hashed-trigrams-")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "kept.tsv",
        "pairs.tsv",
        "rejected.tsv",
    ]


def test_an_unreadable_line_has_its_own_rejection_reason(tmp_path):
    good = line(GOOD).encode()
    bad = [b"one column", b"", b"three\tcolumns\there", b"bad\xff\tbytes \xc3", good]
    source = tmp_path / "pairs.tsv"
    source.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n" + b"\n".join(bad))
    output, rejected = tmp_path / "kept.tsv", tmp_path / "rejected.tsv"
    pipeline = Pipeline(content=Content(0.0))
    report = filter_files([source], [output], pipeline=pipeline, rejected=rejected)
    assert (report.read, report.dropped["unreadable"], report.kept) == (6, 4, 2)
    assert output.read_bytes() == good + b"\r\n" + good + b"\n"
    refused = [b"unreadable\t" + line for line in bad[:4]]
    assert rejected.read_bytes() == b"\n".join(refused) + b"\n"


def test_only_a_newline_ends_a_line(tmp_path):
    odd = f"{GOOD[0]}\u2028\x0b\x85\t{GOOD[1]}\x0c\x00"
    source = write(tmp_path / "pairs.tsv", [odd])
    pipeline = Pipeline(content=Content(0.0))
    report = filter_files([source], [tmp_path / "kept.tsv"], pipeline=pipeline)
    assert report.read == 1
    assert read(tmp_path / "kept.tsv") == [odd]


def test_an_empty_file_gives_an_empty_file(tmp_path):
    source = write(tmp_path / "pairs.tsv", [])
    report = filter_files([source], [tmp_path / "kept.tsv"])
    assert (report.read, report.kept) == (0, 0)
    assert (tmp_path / "kept.tsv").read_bytes() == b""


def test_a_very_long_line_is_judged_like_any_other(tmp_path):
    long = " ".join(f"word{number % 977}" for number in range(100_000))
    source = write(tmp_path / "pairs.tsv", [f"{long}\t{long}", line(GOOD)])
    report = filter_files([source])
    assert report.dropped["trigrams"] == 1


def test_parallel_and_packed_files_stay_parallel(tmp_path, small_blocks):
    pairs = [text.split("\t") for text in lines_of_pairs(30)]
    for side, name in enumerate(("old", "new")):
        text = "".join(f"{pair[side]}\n" for pair in pairs)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    outputs = [tmp_path / "old.kept", tmp_path / "new.kept"]
    inputs = [tmp_path / "old.gz", tmp_path / "new.gz"]
    report = filter_files(inputs, outputs, pipeline=LOW)
    assert report.read == 30
    kept = list(zip(read(outputs[0]), read(outputs[1]), strict=True))
    assert len(kept) == report.kept > 0
    assert all(list(pair) in pairs for pair in kept)


@pytest.mark.parametrize(("first", "second"), [(30, 29), (29, 30), (0, 1), (1, 0)])
def test_files_of_unequal_length_are_refused(tmp_path, small_blocks, first, second):
    old = write(tmp_path / "old", lines_of_pairs(first))
    new = write(tmp_path / "new", lines_of_pairs(second))
    with pytest.raises(ParaphrastError, match="lines than the parallel file"):
        filter_files([old, new], [tmp_path / "a", tmp_path / "b"])
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("outputs", "options", "complaint"),
    [
        (["a", "b"], {}, "as many outputs"),
        (["a"], {"rejected": "a"}, "same name"),
        (["a"], {"processes": 0}, "at least 1"),
        ([], {"resume": True}, "can be resumed"),
        (["a"], {"format": "texts"}, "one text per line"),
        (["missing/a"], {}, "cannot write"),
    ],
)
def test_an_impossible_run_is_refused(tmp_path, outputs, options, complaint):
    source = write(tmp_path / "pairs.tsv", lines_of_pairs(3))
    if "rejected" in options:
        options = {"rejected": tmp_path / options["rejected"]}
    with pytest.raises(ParaphrastError, match=complaint):
        filter_files([source], [tmp_path / name for name in outputs], **options)


def test_two_processes_write_what_one_writes(tmp_path, small_blocks):
    source = write(tmp_path / "pairs.tsv", lines_of_pairs(200))
    written = []
    for processes in (1, 2):
        output, rejected = tmp_path / f"{processes}", tmp_path / f"{processes}.rest"
        report = filter_files(
            [source], [output], rejected=rejected, pipeline=LOW, processes=processes
        )
        written.append((output.read_bytes(), rejected.read_bytes(), report))
    assert written[0] == written[1]


# Stopping and going on


class Stop:
    """Stops a run after some blocks, as Ctrl-C would."""

    def __init__(self, after):
        self.after = after

    def __call__(self, done):
        self.after -= 1
        if self.after == 0:
            raise KeyboardInterrupt


def stopped(folder, after, **options):
    source = folder / "pairs.tsv"
    if not source.exists():
        write(source, lines_of_pairs(60))
    with pytest.raises(KeyboardInterrupt):
        filter_files(
            [source],
            [folder / "kept.tsv"],
            rejected=folder / "rest.tsv",
            pipeline=LOW,
            progress=Stop(after),
            **options,
        )
    return source


def resumed(folder, **options):
    return filter_files(
        [folder / "pairs.tsv"],
        [folder / "kept.tsv"],
        rejected=folder / "rest.tsv",
        **({"pipeline": LOW, "resume": True} | options),
    )


@settings(max_examples=10, deadline=None)
@given(after=st.integers(1, 12), again=st.integers(1, 4))
def test_a_run_stopped_twice_ends_like_one_never_stopped(
    tmp_path_factory, after, again
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "SIZE", 300)
        folder = tmp_path_factory.mktemp("run")
        source = stopped(folder, after)
        stopped(folder, again, resume=True)
        assert not (folder / "kept.tsv").exists()
        report = resumed(folder)
        whole = filter_files(
            [source], [folder / "k"], rejected=folder / "r", pipeline=LOW
        )
    assert report == whole
    assert (folder / "kept.tsv").read_bytes() == (folder / "k").read_bytes()
    assert (folder / "rest.tsv").read_bytes() == (folder / "r").read_bytes()
    assert not list(folder.glob("*.partial*"))


def test_output_after_the_last_checkpoint_is_rewritten(tmp_path, small_blocks):
    source = stopped(tmp_path, 3)
    for name in ("kept.tsv.partial", "rest.tsv.partial"):
        with (tmp_path / name).open("ab") as file:
            file.write(b"half a li")
    assert resumed(tmp_path).read == 60
    whole = filter_files([source], [tmp_path / "whole"], pipeline=LOW)
    assert (tmp_path / "kept.tsv").read_bytes() == (tmp_path / "whole").read_bytes()
    assert whole.read == 60


def test_a_stop_leaves_the_former_output_alone(tmp_path, small_blocks):
    (tmp_path / "kept.tsv").write_text("former\n")
    stopped(tmp_path, 2)
    assert (tmp_path / "kept.tsv").read_text() == "former\n"


def test_without_resume_a_run_starts_over(tmp_path, small_blocks):
    stopped(tmp_path, 3)
    assert resumed(tmp_path, resume=False).read == 60
    assert not list(tmp_path.glob("*.partial*"))


def test_resuming_with_nothing_stopped_is_a_fresh_run(tmp_path):
    write(tmp_path / "pairs.tsv", lines_of_pairs(60))
    assert resumed(tmp_path).read == 60


def test_a_run_is_not_resumed_with_other_settings_or_input(tmp_path, small_blocks):
    source = stopped(tmp_path, 3)
    with pytest.raises(ParaphrastError, match="thresholds changed"):
        resumed(tmp_path, pipeline=Pipeline(content=Content(0.3)))
    write(source, lines_of_pairs(61))
    with pytest.raises(ParaphrastError, match="input changed"):
        resumed(tmp_path)


def test_a_checkpoint_that_does_not_match_its_files_is_refused(tmp_path, small_blocks):
    stopped(tmp_path, 3)
    (tmp_path / "rest.tsv.partial").write_bytes(b"")
    with pytest.raises(ParaphrastError, match="does not match"):
        resumed(tmp_path)


def test_a_stop_before_anything_is_done_leaves_nothing(tmp_path):
    with (
        pytest.raises(KeyboardInterrupt),
        Journal([tmp_path / "kept"], {}, resume=False),
    ):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_two_runs_cannot_write_the_same_output(tmp_path):
    write(tmp_path / "pairs.tsv", lines_of_pairs(60))
    with Journal([tmp_path / "kept.tsv"], {}, resume=False) as journal:
        journal.add([b"one\n"], {"read": 1})
        with pytest.raises(ParaphrastError, match="written by another run"):
            resumed(tmp_path)
    assert (tmp_path / "kept.tsv").read_bytes() == b"one\n"


def test_an_interruption_between_two_files_cannot_tear_them_apart(tmp_path):
    paths = [tmp_path / "kept", tmp_path / "rest"]

    class Torn(bytes):
        def __len__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Journal(paths, {}, resume=False) as journal:
        journal.add([b"one\n", b"two\n"], {"read": 2})
        journal.add([b"three\n", Torn(b"four\n")], {"read": 4})
    with Journal(paths, {}, resume=True) as journal:
        assert journal.state == {"read": 2}
    assert [path.read_bytes() for path in paths] == [b"one\n", b"two\n"]


# The command


def run(*arguments):
    return CliRunner().invoke(app, ["filter", *map(str, arguments)])


def test_the_command_prints_the_table_or_json(tmp_path):
    source = write(tmp_path / "pairs.tsv", lines_of_pairs(14))
    table = run(source, "--min-similarity", 0, "--skip", "language")
    assert table.exit_code == 0
    assert "Kendall tau diversity" in table.stdout
    assert "language" not in table.stdout
    answer = run(source, "--min-similarity", 0, "--json", "-o", tmp_path / "kept.tsv")
    report = json.loads(answer.stdout)
    assert report["read"] == 14
    assert report["kept"] == len(read(tmp_path / "kept.tsv"))
    assert [row["stage"] for row in report["stages"]] == ["unreadable", *STAGES]
    assert report["settings"]["content"] == {"minimum": 0}


def test_help_gives_the_actual_defaults():
    shown = " ".join(re.sub("[│ \n]+", " ", run("--help").stdout).split())
    defaults = {
        f"({value:g})" if isinstance(value, float | int) else f"({value})"
        for stage, fields in asdict(Pipeline()).items()
        if stage != "skip"
        for value in fields.values()
    }
    assert set(re.findall(r"\([\w.]+\)", shown)) >= defaults
