"""``paraphrast batch …``: what a job gives is what the command for one file gives."""

import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from paraphrast.batch.finish import finish
from paraphrast.batch.plan import make_plan, read_plan
from paraphrast.batch.tasks import TASKS, build_task, describe_task, task_class
from paraphrast.batch.work import Part, Worker
from paraphrast.corpora.filtering import Pipeline, filter_files
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.table import open_table

TEXTS = ["gonna be late, soz", "u ok?", "", "We met on Monday.", "thx 4 coming"]


def write(path: Path, lines) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def do(paths, folder, name, *, records=2, **settings) -> Path:
    """Do a job in this process, and return its result."""
    task = build_task({"name": name, **settings}, where="test")
    plan = make_plan(paths, task, folder, records=records)
    worker = Worker(folder)
    for shard in plan.shards:
        worker(Part(shard.number, 0, shard.range.records))
    return folder / finish(plan).result


# Each task against its command


def test_json_lines_equal_those_of_rewrite(run, tmp_path):
    path = write(tmp_path / "a.jsonl", (json.dumps({"text": t}) for t in TEXTS))
    options = ("--to", "formal", "--using", "rules")
    _, printed, _ = run("rewrite", *options, path, "--json")
    result = do([path], tmp_path / "job", "rewrite", to="formal", using="rules")
    assert result.name == "result.jsonl"
    assert result.read_text() == printed


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl"])
def test_the_format_of_the_input_is_kept_as_rewrite_keeps_it(run, tmp_path, name):
    path = tmp_path / name
    if path.suffix == ".jsonl":
        write(path, [*(json.dumps({"id": 1, "text": t}) for t in TEXTS), "", "{broken"])
    else:
        gap = {".csv": ",", ".tsv": "\t"}[path.suffix]
        rows = [f"{n}{gap}{t.replace(',', '')}" for n, t in enumerate(TEXTS)]
        write(path, [f"id{gap}text", *rows, f"1{gap}2{gap}3", ""])
    target = tmp_path / f"single{path.suffix}"
    assert (
        run("rewrite", "--to", "formal", "--using", "rules", path, "-o", target)[0] == 0
    )
    settings = {"to": "formal", "using": "rules", "result": "input"}
    result = do([path], tmp_path / "job", "rewrite", **settings)
    assert result.suffix == path.suffix
    assert result.read_bytes() == target.read_bytes()


def test_each_line_of_text_is_a_separate_text(run, tmp_path):
    path = write(tmp_path / "a.txt", TEXTS)
    settings = {"to": "formal", "using": "rules", "result": "input"}
    result = do([path], tmp_path / "job", "rewrite", **settings)
    for text, rewritten in zip(TEXTS, result.read_text().split("\n"), strict=False):
        alone = run(
            "rewrite", "--to", "formal", "--using", "rules", stdin=text.encode()
        )
        assert alone[1] == rewritten


def test_files_are_joined_in_their_order(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo")
    (tmp_path / "b.txt").write_text("three\n")
    settings = {"to": "informal", "using": "rules", "result": "input"}
    paths = [tmp_path / "b.txt", tmp_path / "a.txt"]
    result = do(paths, tmp_path / "job", "rewrite", **settings)
    assert len(result.read_text().splitlines()) == 3
    again = do([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "job2", "rewrite",
               **settings)  # fmt: skip
    assert len(again.read_text().splitlines()) == 3


def test_tables_are_joined_under_one_header(tmp_path):
    for name in ("a", "b"):
        write(tmp_path / f"{name}.csv", ["id,text", f"{name},u ok?"])
    settings = {"to": "formal", "using": "rules", "result": "input"}
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    lines = do(paths, tmp_path / "job", "rewrite", **settings).read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["id", "a", "b"]
    assert lines[0] == "id,text,rewrite"


def test_parquet_keeps_its_columns_and_types(tmp_path):
    path = tmp_path / "a.parquet"
    rows = pyarrow.table({"n": pyarrow.array(range(5), pyarrow.int8()), "text": TEXTS})
    parquet.write_table(rows, path, row_group_size=3)
    settings = {"to": "formal", "using": "rules"}
    result = do([path], tmp_path / "job", "rewrite", result="input", **settings)
    table = parquet.read_table(result)
    assert table.schema.field("n").type == pyarrow.int8()
    assert table.column("n").to_pylist() == list(range(5))
    lines = write(tmp_path / "a.jsonl", (json.dumps({"text": t}) for t in TEXTS))
    other = do([lines], tmp_path / "job2", "rewrite", **settings).read_text()
    rewrites = [json.loads(line)["text"] for line in other.splitlines()]
    assert table.column("rewrite").to_pylist() == rewrites


def test_filtered_pairs_equal_those_of_corpora_filter(tmp_path):
    text = "the old man was mending a pair of shoes when we came in there"
    words = text.split()
    pairs = [
        (" ".join(words[n % 5 :]), " ".join(words[: 9 + n % 4][:: -1 if n % 2 else 1]))
        for n in range(40)
    ]
    lines = [json.dumps({"source": a, "target": b}) for a, b in pairs]
    path = write(tmp_path / "a.jsonl", [*lines, "{broken"])
    thresholds = {"content": {"minimum": 0.4}, "skip": ["language", "unigrams"]}
    kept = tmp_path / "kept.jsonl"
    pipeline = build_task({"name": "filter", "thresholds": thresholds}, where="")
    report = filter_files([path], [kept], pipeline=pipeline.thresholds)
    assert 0 < report.as_dict()["kept"] < 40
    result = do([path], tmp_path / "job", "filter", records=7, thresholds=thresholds)
    assert result.read_bytes() == kept.read_bytes()
    every = do([path], tmp_path / "job2", "filter", thresholds=thresholds,
               result="jsonl")  # fmt: skip
    stages = [json.loads(line)["stage"] for line in every.read_text().splitlines()]
    assert len(stages) == 41
    assert stages[-1] == "unreadable"
    assert stages.count("") == report.as_dict()["kept"]


def test_alignments_equal_those_of_align_pairs(run, tmp_path):
    path = write(tmp_path / "a.tsv", ["A cat sat.\tThe cat sat!", "no tab", "a b\ta c"])
    single = tmp_path / "single.jsonl"
    assert run("align", "pairs", path, "--using", "identity", "-o", single)[0] == 0
    result = do([path], tmp_path / "job", "align", using="identity")
    assert result.read_text() == single.read_text()
    many = do([path], tmp_path / "job3", "align", prefer="recall")
    assert run("align", "pairs", path, "--prefer", "recall", "-o", single)[0] == 0
    assert many.read_text() == single.read_text()
    table = write(tmp_path / "b.csv", ["target,source", '"The cat sat!","A cat sat."'])
    [line] = do([table], tmp_path / "job2", "align", using="identity").open()
    assert line == result.read_text().splitlines(keepends=True)[0]


def test_judgments_equal_those_of_metrics_judge(run, tmp_path):
    rows = [{"source": "u ok?", "output": t} for t in TEXTS]
    path = write(tmp_path / "a.jsonl", map(json.dumps, rows))
    options = ("metrics", "judge", path, "--to", "formal")
    _, printed, _ = run(*options)
    result = do([path], tmp_path / "job", "judge", to="formal", records=3)
    assert result.read_text() == printed
    bad = write(tmp_path / "b.csv", ["output,source", "You are late.,u r late", "x"])
    first, second = map(json.loads, do([bad], tmp_path / "job2", "judge").open())
    assert 0 < first["sim_source"] <= 1
    assert "error" in second


def test_pivot_extraction_pairs_phrases_that_share_a_translation(run, tmp_path):
    nouns = [("doctor", "arzt"), ("physician", "arzt"), ("tree", "baum")]
    verbs = [("sleeps", "schläft"), ("eats", "isst"), ("sings", "singt")]
    pairs = [f"{e} {v}\t{f} {w}" for e, f in nouns for v, w in verbs] * 3
    path = write(tmp_path / "a.tsv", pairs)
    model = tmp_path / "model"
    assert run("align", "train", "ibm1", path, "-o", model)[0] == 0
    settings = {"model": str(model), "extraction": {"min_count": 1}}
    result = do([path], tmp_path / "job", "pivot", records=5, **settings)
    assert result.name == "result.table"
    best = open_table(result).of("doctor", limit=1)
    assert [row.paraphrase for row in best] == ["physician"]
    whole = do([path], tmp_path / "job2", "pivot", records=100, **settings)
    assert whole.read_bytes() == result.read_bytes()


# The commands


def test_all_in_one_go_and_again(run, tmp_path):
    path = write(tmp_path / "a.txt", TEXTS)
    job = tmp_path / "job"
    command = (
        "batch",
        "rewrite",
        path,
        "--to",
        "formal",
        "--using",
        "rules",
        "-o",
        job,
    )
    code, out, err = run(*command, "--workers", "2", "--shard-lines", "2")
    assert (code, err) == (0, "")
    assert str(job / "result.jsonl") in out
    before = (job / "result.jsonl").read_bytes()
    assert len(before.splitlines()) == len(TEXTS)
    assert run(*command, "--shard-lines", "2")[0] == 0  # nothing is left to do
    code, _, err = run(*command, "--shard-lines", "3")
    assert code == 2
    assert "records per shard changed" in err
    path.write_text("another\n")
    code, _, err = run(*command, "--shard-lines", "2")
    assert (code, err.count("\n")) == (2, 1)
    assert "inputs changed" in err
    assert (job / "result.jsonl").read_bytes() == before


def test_step_by_step(run, tmp_path):
    path, job = write(tmp_path / "a.txt", TEXTS), tmp_path / "job"
    code, out, _ = run("batch", "plan", path, "--to", "formal", "--using", "rules",
                       "-o", job, "--shard-lines", "2", "--json")  # fmt: skip
    assert code == 0
    assert json.loads(out)["shards"] == 3
    status = json.loads(run("batch", "status", job, "--json")[1])
    assert (status["records"], status["records_done"]) == (5, 0)
    assert status["rate"] is None
    code, _, err = run("batch", "finish", job)
    assert (code, err.count("\n")) == (2, 1)
    assert "3 of 3 shards are not done: 0-2" in err
    code, _, err = run("batch", "run", job, "--workers", "1", "--shards", "0")
    assert (code, err.startswith("2 of 2 records, ")) == (0, True)
    assert "2 of 5 records (40%)" in run("batch", "status", job)[1]
    assert run("batch", "run", job, "--workers", "1")[0] == 0
    again = run("batch", "run", job, "--workers", "1")
    assert again == (0, "", "5 of 5 records\n")
    report = json.loads(run("batch", "finish", job, "--json")[1])
    assert (report["records"], report["failed"]) == (5, 0)
    assert "finished" in run("batch", "status", job)[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plan", "none.txt", "--to", "formal", "-o", "job"), "file not found"),
        (("plan", "a.txt", "-o", "job"), "choose a style with --to"),
        (("plan", "a.txt", "--to", "formel", "-o", "job"), "Did you mean 'formal'"),
        (("plan", "a.txt", "--task", "align", "-o", "job"), "does not read txt"),
        (("plan", "a.csv", "--to", "formal", "-o", "job"), "unknown column 'text'"),
        (("plan", "a.jsonl", "--to", "formal", "-o", "job"), "--set field=NAME"),
        (("plan", "a.txt", "--task", "judge", "-o", "job"), "plain=true"),
        (("plan", "a.csv", "--task", "pivot", "-o", "job"), "needs a trained aligner"),
        (("plan", "a.txt", "--to", "formal", "--set", "strenght=1", "-o", "job"),
         "Did you mean 'strength'"),
        (("plan", "a.txt", "--to", "formal", "--set", "strength", "-o", "job"),
         "has no value"),
        (("run", "none"), "is not a planned batch job"),
        (("status", "none"), "is not a planned batch job"),
        (("rewrite", "a.txt", "--to", "formal", "--using", "rules", "-o", "job",
          "--address", "here"), "Add --engine ray"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.txt", TEXTS)
    write(tmp_path / "a.csv", ["body", "u ok?"])
    write(tmp_path / "a.jsonl", ['{"body": "u ok?"}', '{"body": "gonna"}'])
    code, out, err = run("batch", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not (tmp_path / "job").exists()


@pytest.mark.parametrize("name", sorted(TASKS))
def test_a_task_is_the_same_read_back_from_a_plan(name):
    settings = {"rewrite": {"to": "formal", "protect": ["a", "b"]},
                "pivot": {"model": "m"}, "judge": {"to": "formal", "plain": True},
                "filter": {"thresholds": {"skip": ["order"]}}}  # fmt: skip
    task = build_task({"name": name, **settings.get(name, {})}, where="test")
    assert isinstance(task, task_class(name))
    assert build_task(describe_task(task), where="test") == task


def test_a_plan_of_another_version_is_refused(run, tmp_path):
    path, job = write(tmp_path / "a.txt", TEXTS), tmp_path / "job"
    run("batch", "plan", path, "--to", "formal", "--using", "rules", "-o", job)
    manifest = job / "manifest.json"
    table = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(table | {"paraphrast": "0.0.1"}))
    with pytest.raises(ParaphrastError, match=r"planned by paraphrast 0\.0\.1"):
        read_plan(job)


def test_thresholds_of_a_filter_are_the_pipelines_own():
    task = build_task({"name": "filter"}, where="test")
    assert task.thresholds == Pipeline()
