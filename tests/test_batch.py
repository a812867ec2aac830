"""Batch jobs: the same bytes for any number of workers, and after any kill."""

import gzip
import json
import lzma
import random

import pytest
import zstandard

import batch_toy
from paraphrast.batch.finish import finish
from paraphrast.batch.inputs import cut, find_files, read_range
from paraphrast.batch.plan import make_plan, read_plan
from paraphrast.batch.run import Settings, choose_shards, run
from paraphrast.batch.schedule import MOST_DEATHS, TRIES, Actions, Ended, Schedule
from paraphrast.batch.status import read_status
from paraphrast.batch.tasks.rewrite import Rewriting
from paraphrast.batch.work import DIED, TOO_SLOW, Part
from paraphrast.errors import ParaphrastError

LINES = [f"line {number} of a corpus" for number in range(30)]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    batch_toy.install(tmp_path / "plugin", monkeypatch)
    return tmp_path


def texts(data: bytes) -> list[str]:
    return [json.loads(line)["text"] for line in data.splitlines()]


# Inputs


@pytest.mark.parametrize("records", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", b"one\ntwo\r\n\nfour"),
        ("a.jsonl", b'\xef\xbb\xbf{"text": "one"}\n{"text": "two"}\n'),
        ("a.csv", b'id,text\n1,"one\nline"\n2,two\n\n3,"say ""hi"""\n'),
        ("a.tsv", b"id\ttext\n1\tone\n2\ttwo\n"),
    ],
)
def test_ranges_hold_every_record_once_and_in_order(tmp_path, name, text, records):
    path = tmp_path / name
    path.write_bytes(text)
    headed = path.suffix in (".csv", ".tsv")
    given, ranges = cut(path, tmp_path, "copy", records=records, headed=headed)
    bodies = [read_range(given, part, tmp_path).body for part in ranges]
    assert given.header.encode() + b"".join(bodies) == text
    assert {part.records for part in ranges[:-1]} <= {records}
    task = Rewriting(to="formal")
    read = [task.read(read_range(given, part, tmp_path)) for part in ranges]
    assert [len(own) for own in read] == [part.records for part in ranges]


def test_a_row_of_csv_may_have_several_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'text\n"one\ntwo"\nthree\n')
    given, ranges = cut(path, tmp_path, "copy", records=1, headed=True)
    assert [read_range(given, part, tmp_path).body for part in ranges] == [
        b'"one\ntwo"\n',
        b"three\n",
    ]


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.compress),
    ],
)
def test_packed_files_are_unpacked_into_the_folder(tmp_path, suffix, pack):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(pack(b"one\ntwo\nthree\n"))
    given, ranges = cut(path, tmp_path, "inputs/0", records=2, headed=False)
    assert (tmp_path / "inputs/0").read_bytes() == b"one\ntwo\nthree\n"
    assert read_range(given, ranges[1], tmp_path).body == b"three\n"


def test_a_folder_stands_for_the_files_in_it(tmp_path):
    for name in ("b.txt", "a.jsonl.gz", "notes.pdf"):
        (tmp_path / name).touch()
    assert [p.name for p in find_files([tmp_path])] == ["a.jsonl.gz", "b.txt"]
    for paths in ([tmp_path / "none"], [tmp_path / "notes.pdf"], []):
        with pytest.raises(ParaphrastError):
            find_files(paths)


def test_a_record_that_changed_since_the_plan_is_refused(toy):
    plan = batch_toy.plan_lines(toy, LINES)
    text = (toy / "lines.txt").read_text()
    (toy / "lines.txt").write_text(text.replace("line 9 ", "line X "))
    with pytest.raises(ParaphrastError, match="changed since the job was planned"):
        run(plan, Settings(workers=1))


# The same bytes


def test_any_number_of_workers_gives_the_same_bytes(toy):
    alone = batch_toy.work_alone(batch_toy.plan_lines(toy, LINES))
    assert texts(alone) == [line.upper() for line in LINES]
    for workers, records in ((1, 4), (3, 4), (2, 7)):
        plan = batch_toy.plan_lines(toy, LINES, records=records)
        run(plan, Settings(workers=workers))
        assert (plan.folder / finish(plan).result).read_bytes() == alone


def test_killed_drivers_and_workers_change_nothing(toy, monkeypatch):
    alone = batch_toy.work_alone(batch_toy.plan_lines(toy, LINES, records=2))
    monkeypatch.setenv("TOY_SECONDS", "0.02")
    plan = batch_toy.plan_lines(toy, LINES, records=2)
    killed = batch_toy.disturb(plan, random.Random(1), kills=3)
    assert killed.total() == 3
    assert (plan.folder / finish(plan).result).read_bytes() == alone
    leftovers = [path for path in plan.folder.rglob(".*") if path.is_file()]
    assert not leftovers


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "kills"), [(batch_toy.PROCESSES, 20), (batch_toy.RAY, 5)]
)
def test_many_kills_change_nothing(toy, monkeypatch, kind, kills):
    if kind is batch_toy.RAY and (why := batch_toy.why_no_ray()):
        pytest.skip(why)
    lines = LINES * 10
    alone = batch_toy.work_alone(batch_toy.plan_lines(toy, lines, records=3))
    monkeypatch.setenv("TOY_SECONDS", "0.02")
    plan = batch_toy.plan_lines(toy, lines, records=3)
    killed = batch_toy.disturb(plan, random.Random(2), kills=kills, kind=kind)
    assert killed.total() == kills
    assert min(killed["driver"], killed["worker"]) > 0
    assert (plan.folder / finish(plan).result).read_bytes() == alone


def test_array_jobs_share_one_plan(toy):
    alone = batch_toy.work_alone(batch_toy.plan_lines(toy, LINES))
    plan = batch_toy.plan_lines(toy, LINES)
    run(plan, Settings(workers=1, shards="0-3"))
    with pytest.raises(ParaphrastError, match="4 of 8 shards are not done: 4-7"):
        finish(plan)
    run(plan, Settings(workers=1, shards="4,5-7"))
    assert (plan.folder / finish(plan).result).read_bytes() == alone


# What fails


def test_a_record_that_kills_its_worker_is_found_and_given_up(toy):
    lines = [*LINES[:9], "kill me", *LINES[10:]]
    plan = batch_toy.plan_lines(toy, lines, records=8)
    run(plan, Settings(workers=2))
    report = finish(plan)
    records = [
        json.loads(line)
        for line in (plan.folder / report.result).read_bytes().splitlines()
    ]
    expected = [line.upper() for line in lines]
    expected[9] = "kill me"
    assert [record["text"] for record in records] == expected
    assert records[9]["why"] == DIED
    assert (report.failed, report.reasons) == (1, {DIED: 1})
    # the shard of 8 three times, halves of 4 and 2 once each, the record three times
    assert read_status(plan).deaths == 2 * TRIES + 2


def test_a_record_that_takes_too_long_is_given_up(toy):
    plan = batch_toy.plan_lines(toy, ["dawdle"])
    run(plan, Settings(workers=1, time_limit=1.0))
    report = finish(plan)
    assert texts((plan.folder / report.result).read_bytes()) == ["dawdle"]
    assert report.reasons == {TOO_SLOW: 1}


def test_a_record_on_which_the_rewriter_fails_is_left_with_a_reason(toy):
    plan = batch_toy.plan_lines(toy, ["fine", "fail", "well"], records=3)
    data = batch_toy.work_alone(plan)
    assert texts(data) == ["FINE", "fail", "WELL"]
    why = json.loads(data.splitlines()[1])["why"]
    assert "no such luck" in why
    status = read_status(plan)
    assert (status.failed, status.reasons) == (1, {why: 1})


def test_a_damaged_shard_is_noticed_and_repeated(toy):
    plan = batch_toy.plan_lines(toy, LINES)
    alone = batch_toy.work_alone(plan)
    path = plan.folder / "shards" / "00003.out"
    path.write_bytes(path.read_bytes().replace(b"LINE", b"LIME"))
    with pytest.raises(ParaphrastError, match="was changed after it was written"):
        finish(plan)
    run(plan, Settings(workers=1))
    assert (plan.folder / finish(plan).result).read_bytes() == alone


def test_shards_are_removed_when_asked(toy):
    plan = batch_toy.plan_lines(toy, LINES)
    batch_toy.work_alone(plan)
    finish(plan, remove_shards=True)
    assert not (plan.folder / "shards").exists()
    assert (plan.folder / "result.jsonl").exists()
    run(plan, Settings(workers=1))  # there is nothing to do
    assert not (plan.folder / "shards").exists()
    status = read_status(plan)
    assert (status.finished, status.records_done) == (True, len(LINES))
    assert finish(plan).records == len(LINES)


def test_a_plan_whose_pack_changed_is_refused(toy):
    plan = batch_toy.plan_lines(toy, LINES)
    manifest = plan.folder / "manifest.json"
    table = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(table | {"models": {"pack": "another"}}))
    with pytest.raises(ParaphrastError, match="pack changed since the job was planned"):
        run(read_plan(plan.folder), Settings(workers=1))


def test_inputs_of_different_formats_cannot_keep_their_format(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.jsonl").write_text('{"text": "two"}\n')
    task = Rewriting(to="formal", using="rules", result="input")
    with pytest.raises(ParaphrastError, match="different formats: jsonl, txt"):
        make_plan([tmp_path], task, tmp_path / "job", records=10)
    (tmp_path / "a.txt").rename(tmp_path / "b.csv")
    (tmp_path / "b.jsonl").rename(tmp_path / "c.csv")
    with pytest.raises(ParaphrastError, match="have different headers"):
        make_plan([tmp_path], task, tmp_path / "job", records=10)


@pytest.mark.parametrize("text", ["x", "3-1", "8", "1,,2", "-1"])
def test_nonexistent_shards_are_refused(text):
    with pytest.raises(ParaphrastError, match="--shards"):
        choose_shards(text, 8)


# The schedule


class Clockwork:
    """An engine with one worker that dies on the given records."""

    def __init__(self, poison):
        self.poison, self.part, self.tries = poison, None, []

    @property
    def idle(self):
        return self.part is None

    def start(self, part):
        self.part = part
        self.tries.append(part)

    def wait(self, seconds):
        part, self.part = self.part, None
        dies = any(part.start <= record < part.stop for record in self.poison)
        return [Ended(part, "died" if dies else "done")]

    def now(self):
        return 0.0


def do(sizes, poison):
    engine, finished, given_up = Clockwork(poison), {}, []
    actions = Actions(finished.__setitem__, lambda part, why: given_up.append(part))
    Schedule(sizes, actions).run(engine)
    return engine, finished, given_up


def test_parts_of_a_halved_shard_cover_it_in_order():
    _, finished, given_up = do([(0, 5)], poison={3})
    assert given_up == [Part(0, 3, 4)]
    assert [(p.start, p.stop) for p in finished[0]] == [(0, 2), (2, 3), (3, 4), (4, 5)]


def test_a_shard_that_dies_by_accident_is_retried_whole():
    engine = Clockwork({0})
    done = []
    schedule = Schedule([(0, 5)], Actions(lambda n, parts: done.append(parts), print))

    def heal():
        engine.poison = set()

    schedule.run(engine, heal)
    assert engine.tries == [Part(0, 0, 5)] * 2
    assert done == [[]]


def test_workers_that_always_die_stop_the_run():
    with pytest.raises(ParaphrastError, match=f"died {MOST_DEATHS} times in a row"):
        do([(0, 100)], poison=set(range(100)))


def test_a_shard_finished_by_another_run_is_not_repeated():
    engine = Clockwork(set())
    actions = Actions(lambda n, parts: None, print, is_done=lambda n: n == 1)
    Schedule([(0, 2), (1, 2), (2, 2)], actions).run(engine)
    assert [part.shard for part in engine.tries] == [0, 2]
