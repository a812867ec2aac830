"""Storage: whole or not at all, locked, resumable; refused when not what it says."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paraphrast.errors import ParaphrastError
from paraphrast.storage import arrays, atomic, resumable, sealed_folder, weights
from paraphrast.storage.resumable import Journal, Parts
from paraphrast.storage.sealed_folder import Kind

KIND = Kind("thing", "thing.json", (1, 2), "Make it again.")
FIXED = Kind("thing", "thing.json", (2,), "Make it again.", replaceable=False)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def make(folder: Path, content: bytes = b"abc", **options) -> Path:
    with sealed_folder.new(folder, KIND, **options) as filling:
        (filling / "inner").mkdir()
        (filling / "inner" / "weights").write_bytes(content)
        sealed_folder.seal(filling, KIND, {"about": "it"})
    return folder


def in_process(code: str, *arguments: object, **options) -> subprocess.Popen:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)


def limit_files() -> None:
    """Let writes beyond 100,000 bytes fail, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


# Atomic writes


def test_a_file_appears_whole_with_the_usual_permissions(tmp_path):
    mask = os.umask(0o026)
    try:
        with atomic.bytes_writer(tmp_path / "a") as file:
            file.write(b"abc")
            assert names(tmp_path) != ["a"]
        with atomic.new_folder(tmp_path / "f") as filling:
            (filling / "x").write_text("x")
    finally:
        os.umask(mask)
    assert (tmp_path / "a").read_bytes() == b"abc"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o751
    assert os.umask(mask) == mask
    assert names(tmp_path) == ["a", "f"]


def test_buffered_data_is_on_disk_before_the_rename(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle)))
    for writer, content in ((atomic.writer, "abc"), (atomic.bytes_writer, b"abc")):
        with writer(tmp_path / "a") as file:
            file.write(content)
    assert [status.st_size for status in synced] == [3, 3]


def test_text_is_written_as_it_was_read(tmp_path):
    with atomic.writer(tmp_path / "a") as file:
        file.write("caf\udce9\r\n\u2028\n")
    assert (tmp_path / "a").read_bytes() == b"caf\xe9\r\n\xe2\x80\xa8\n"


def test_json_is_written_for_people_too(tmp_path):
    atomic.write_json(tmp_path / "a", {"name": "Zoë"})
    assert (tmp_path / "a").read_text("utf-8") == '{\n "name": "Zoë"\n}\n'


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError(28, "full")])
def test_a_failed_write_leaves_what_was_there(tmp_path, error):
    (tmp_path / "a").write_text("old")
    with pytest.raises((KeyboardInterrupt, ValueError, ParaphrastError)):
        with atomic.writer(tmp_path / "a") as file:
            file.write("new")
            raise error
    with pytest.raises((KeyboardInterrupt, ValueError, ParaphrastError)):
        with atomic.new_folder(tmp_path / "f") as filling:
            (filling / "x").write_text("x")
            raise error
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_a_file_where_a_folder_must_be_is_one_line(tmp_path):
    (tmp_path / "file").write_text("mine")
    inside = tmp_path / "file" / "out"
    for write in (atomic.writer, atomic.bytes_writer, atomic.new_folder):
        with pytest.raises(ParaphrastError, match="cannot write .*out: ") as caught:
            with write(inside):
                pass
        assert "\n" not in str(caught.value)
    with pytest.raises(ParaphrastError, match="cannot write"):
        with Journal([inside], {}, resume=False):
            pass
    with pytest.raises(ParaphrastError, match="cannot write"):
        with Parts(inside, {}, resume=False):
            pass
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_is_replaced_in_one_step_or_comes_back(tmp_path, monkeypatch):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    replace = Path.replace

    def refuse(path, target):
        if path == new:
            raise OSError(28, "No space left")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError):
        atomic.replace_folder(new, old)
    assert (old / "name").read_text() == "old"
    monkeypatch.undo()
    atomic.replace_folder(new, old)
    assert (old / "name").read_text() == "new"
    assert names(tmp_path) == ["old"]


KILLED = """
import sys
from pathlib import Path
from paraphrast.storage import atomic
path = Path(sys.argv[1])
for number in range(1, 10**9):
    with atomic.writer(path / "out") as file:
        file.write(f"{number}\\n" * 5000)
    if number == 1:
        print("ready", flush=True)
"""


def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    draw = random.Random(1)
    for _ in range(4):
        job = in_process(KILLED, tmp_path)
        job.stdout.readline()
        time.sleep(draw.uniform(0, 0.05))
        job.kill()
        job.wait()
        lines = (tmp_path / "out").read_text().split("\n")
        assert len(lines) == 5001
        assert len(set(lines[:-1])) == 1


FULL = """
import sys
from pathlib import Path
from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic
from paraphrast.storage.resumable import Journal, Parts
path = Path(sys.argv[1])
for write in (atomic.writer, atomic.bytes_writer):
    try:
        with write(path / "out") as file:
            content = "x" * 200_000
            file.write(content if write is atomic.writer else content.encode())
    except ParaphrastError as error:
        print(error)
try:
    with Journal([path / "log"], {}, resume=False) as journal:
        for number in range(30):
            journal.add([b"%09d\\n" % number * 1000], {"n": number + 1})
except ParaphrastError as error:
    print(error)
try:
    with Parts(path / "parts", {}, resume=False) as parts:
        parts.make("small", lambda path: path.write_text("small"))
        def large(path):
            with atomic.writer(path) as file:
                file.write("x" * 200_000)
        parts.make("large", large)
except ParaphrastError as error:
    print(error)
"""


def test_a_full_disk_is_one_line_and_keeps_what_is_done(tmp_path):
    (tmp_path / "out").write_text("old")
    job = in_process(FULL, tmp_path, preexec_fn=limit_files)
    lines = job.communicate(timeout=60)[0].splitlines()
    assert len(lines) == 4
    assert all(line.startswith("cannot write ") for line in lines)
    assert (tmp_path / "out").read_text() == "old"
    assert names(tmp_path) == ["log.partial", "log.partial.json", "out"] + [
        "parts.partial"
    ]
    with Journal([tmp_path / "log"], {}, resume=True) as journal:
        for number in range(journal.state["n"], 30):
            journal.add([b"%09d\n" % number * 1000], {"n": number + 1})
    whole = b"".join(b"%09d\n" % number * 1000 for number in range(30))
    assert (tmp_path / "log").read_bytes() == whole
    with Parts(tmp_path / "parts", {}, resume=True) as parts:
        assert parts.make("small", pytest.fail).read_text() == "small"


# Sealed folders


def test_a_folder_is_read_as_it_was_sealed(tmp_path):
    folder = make(tmp_path / "a" / "b")
    table = sealed_folder.read(folder, KIND)
    assert table["about"] == "it"
    assert table["format"] == 2
    assert table["files"]["inner/weights"]["size"] == 3
    assert sealed_folder.verify(folder, KIND) == table
    table["files"].clear()  # the caller's own copy
    assert sealed_folder.read(folder, KIND)["files"]


def test_an_unsealed_folder_does_not_appear(tmp_path):
    with pytest.raises(RuntimeError, match="not sealed"):
        with sealed_folder.new(tmp_path / "a", KIND):
            pass
    assert names(tmp_path) == []


def test_an_existing_folder_is_replaced_only_by_its_own_kind(tmp_path):
    folder = make(tmp_path / "a")
    with pytest.raises(ParaphrastError, match="another name, or add --replace"):
        make(folder)
    with pytest.raises(ParaphrastError, match="another name.$"):
        sealed_folder.refuse_taken(folder, FIXED)
    make(folder, b"defg", replacing=True)
    assert sealed_folder.verify(folder, KIND)["files"]["inner/weights"]["size"] == 4
    for taken in (tmp_path, tmp_path / "file"):
        (tmp_path / "file").write_text("mine")
        with pytest.raises(ParaphrastError, match="is not a thing, so it is not"):
            make(taken, replacing=True)
    (tmp_path / "empty").mkdir()
    make(tmp_path / "empty")


def test_a_changed_byte_is_found_once_the_file_changed(tmp_path):
    path = make(tmp_path / "a") / "inner" / "weights"
    sealed_folder.verify(tmp_path / "a", KIND)
    path.write_bytes(b"abd")
    os.utime(path, ns=(1, 1))
    sealed_folder.read(tmp_path / "a", KIND)
    with pytest.raises(ParaphrastError, match="weights was changed.*Make it again"):
        sealed_folder.verify(tmp_path / "a", KIND)
    path.write_bytes(b"abcd")
    with pytest.raises(ParaphrastError, match="changed size"):
        sealed_folder.read(tmp_path / "a", KIND)
    path.unlink()
    with pytest.raises(ParaphrastError, match="is missing"):
        sealed_folder.read(tmp_path / "a", KIND)


def test_a_file_is_hashed_and_a_manifest_parsed_once(tmp_path, monkeypatch):
    folder = make(tmp_path / "a")
    sealed_folder.verify(folder, KIND)
    monkeypatch.setattr(Path, "open", pytest.fail)
    monkeypatch.setattr(Path, "read_text", pytest.fail)
    sealed_folder.verify(folder, KIND)


def test_a_manifest_of_an_older_version_has_hashes_alone(tmp_path):
    folder = make(tmp_path / "a")
    table = sealed_folder.read(folder, KIND)
    files = {name: file["sha256"] for name, file in table["files"].items()}
    (folder / "thing.json").write_text(json.dumps(table | {"files": files}))
    sealed_folder.verify(folder, KIND)
    (folder / "inner" / "weights").write_bytes(b"abd")
    with pytest.raises(ParaphrastError, match="was changed"):
        sealed_folder.verify(folder, KIND)
    del table["files"]
    (folder / "thing.json").write_text(json.dumps(table))
    sealed_folder.verify(folder, KIND)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "inner/../../secret"])
def test_a_manifest_names_files_inside_only(tmp_path, name):
    folder = make(tmp_path / "a")
    (tmp_path / "secret").write_text("abc")
    table = sealed_folder.read(folder, KIND)
    table["files"] = {name: {"size": 3, "sha256": ""}}
    (folder / "thing.json").write_text(json.dumps(table))
    with pytest.raises(ParaphrastError, match="is missing"):
        sealed_folder.read(folder, KIND)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", "is not a table"),
        ("{}", "does not state its format"),
        ('{"format": "2"}', "does not state its format"),
        ('{"format": 3}', "format 3, but paraphrast .* reads 1 and 2. Make it again"),
        (
            '{"format": 3, "paraphrast": "9"}',
            "Install paraphrast 9, or create it again",
        ),
        ('{"format": 2, "files": []}', "does not list its files"),
        ('{"format": 2, "files": {"a": {"size": 1}}}', "missing setting 'sha256'"),
    ],
)
def test_a_broken_manifest_is_one_line(tmp_path, content, complaint):
    (tmp_path / "thing.json").write_text(content)
    with pytest.raises(ParaphrastError, match=complaint) as caught:
        sealed_folder.read(tmp_path, KIND)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_manifest_is_not_of_the_kind(tmp_path):
    with pytest.raises(ParaphrastError, match="is not a thing: thing.json cannot be"):
        sealed_folder.read(tmp_path, KIND)


# Resumable jobs


def stop(paths: list[Path], *parts: bytes, settings=None, **state: object) -> None:
    """Write to outputs, then stop as Ctrl-C does."""
    with pytest.raises(KeyboardInterrupt):
        with Journal(paths, settings or {}, resume=False) as journal:
            journal.add(parts, state)
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        ({"column": "a"}, {"column": "b"}, "column changed"),
        ({"column": "a"}, {}, "column changed"),
        ({}, {"into": None}, "into changed"),
        ({"a": 1, "b": [1, {"c": 2}]}, {"a": 2, "b": [1, {"c": 3}]}, "a, b changed"),
    ],
)
def test_any_changed_setting_is_named_and_refused(tmp_path, before, now, changed):
    stop([tmp_path / "out"], b"one\n", settings=before, n=1)
    with pytest.raises(ParaphrastError, match=changed):
        with Journal([tmp_path / "out"], now, resume=True):
            pass
    with Journal([tmp_path / "out"], before, resume=True) as journal:
        assert journal.state == {"n": 1}
    assert (tmp_path / "out").read_bytes() == b"one\n"
    with pytest.raises(KeyboardInterrupt):
        with Parts(tmp_path / "parts", before, resume=False) as parts:
            parts.make("a", Path.touch)
            raise KeyboardInterrupt
    with pytest.raises(ParaphrastError, match=changed):
        with Parts(tmp_path / "parts", now, resume=True):
            pass
    with Parts(tmp_path / "parts", before, resume=True) as parts:
        parts.make("a", pytest.fail)
    assert names(tmp_path) == ["out"]


def test_another_version_of_paraphrast_does_not_go_on(tmp_path, monkeypatch):
    stop([tmp_path / "out"], b"one\n", n=1)
    monkeypatch.setattr(resumable, "version", lambda name: "99")
    with pytest.raises(ParaphrastError, match="version of paraphrast changed"):
        with Journal([tmp_path / "out"], {}, resume=True):
            pass


def test_an_input_is_known_by_path_size_and_time(tmp_path):
    path = tmp_path / "in"
    path.write_text("abc")
    before = resumable.identity(path)
    assert before[:2] == (str(path), 3)
    os.utime(path, ns=(1, 1))
    assert resumable.identity(path) != before
    with pytest.raises(ParaphrastError, match="cannot read"):
        resumable.identity(tmp_path / "none")
    assert resumable.fingerprint([["a"], "b"]) != resumable.fingerprint([["a", "b"]])


@pytest.mark.parametrize(
    "note",
    [
        "",
        "[" * 100_000,
        "{}",
        '{"settings": {}, "lengths": [9999], "state": {"n": 1}}',
        '{"settings": {}, "lengths": [1, 1], "state": {"n": 1}}',
        '{"settings": {}, "lengths": ["x"], "state": {"n": 1}}',
        '{"settings": {}, "lengths": [9999], "state": {"n": 1}, "finished": true}',
    ],
)
def test_a_note_that_does_not_fit_is_refused(tmp_path, note):
    stop([tmp_path / "out"], b"one\n", n=1)
    (tmp_path / "out.partial.json").write_text(note)
    with pytest.raises(ParaphrastError, match="does not match the partial files"):
        with Journal([tmp_path / "out"], {}, resume=True):
            pass
    assert (tmp_path / "out.partial").read_bytes() == b"one\n"


def test_progress_is_noted_every_few_seconds(tmp_path, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(resumable.time, "monotonic", lambda: clock[0])
    note = tmp_path / "out.partial.json"
    with Journal([tmp_path / "out"], {}, resume=False) as journal:
        journal.add([b"one\n"], {"n": 1})
        clock[0] += resumable.SECONDS_BETWEEN_NOTES
        journal.add([b"two\n"], {"n": 2})
        assert not note.exists()
        clock[0] += 0.1
        journal.add([b"three\n"], {"n": 3})
        assert json.loads(note.read_text())["lengths"] == [14]
        clock[0] += 1
        journal.add([b"four\n"], {"n": 4})
        assert json.loads(note.read_text())["state"] == {"n": 3}
    assert resumable.SECONDS_BETWEEN_NOTES <= 5


def test_output_after_the_recorded_prefix_is_truncated(tmp_path):
    stop([tmp_path / "out"], b"one\n", n=1)
    with (tmp_path / "out.partial").open("ab") as file:
        file.write(b"half a li")
    with Journal([tmp_path / "out"], {}, resume=True) as journal:
        journal.add([b"two\n"], {"n": 2})
    assert (tmp_path / "out").read_bytes() == b"one\ntwo\n"


def test_a_new_start_forgets_the_old_note_at_once(tmp_path):
    stop([tmp_path / "out"], b"one\n", n=1)
    with Journal([tmp_path / "out"], {}, resume=False) as journal:
        assert names(tmp_path) == ["out.partial"]
        assert journal.state == {}
    assert (tmp_path / "out").read_bytes() == b""


def test_a_job_that_cannot_be_resumed_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        with Journal([tmp_path / "out"], {}, resume=False, resumable=False) as journal:
            journal.add([b"one\n"], {"n": 1})
            journal.save()
            assert names(tmp_path) == ["out.partial"]
            raise KeyboardInterrupt
    assert names(tmp_path) == []
    with Journal([], {}, resume=True) as journal:
        journal.add([], {"n": 1})


@pytest.mark.parametrize("renamed", [1, 2])
def test_a_kill_between_rename_and_removal_of_the_note_is_a_finished_job(
    tmp_path, monkeypatch, renamed
):
    paths = [tmp_path / "one", tmp_path / "two"]
    replace, count = Path.replace, [0]

    def killed(path, target):
        if path.suffix == ".partial":
            if count[0] == renamed:
                raise SystemExit
            count[0] += 1
        return replace(path, target)

    def forget(self):
        if count[0] == renamed:
            raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(SystemExit):
            with Journal(paths, {}, resume=False) as journal:
                patch.setattr(Journal, "_forget", forget)
                journal.add([b"1\n", b"22\n"], {"n": 1})
    assert (tmp_path / "two").exists()
    assert (tmp_path / "one").exists() == (renamed == 2)
    assert (tmp_path / "one.partial.json").exists()
    with Journal(paths, {}, resume=True) as journal:
        assert journal.state == {"n": 1}
        journal.add([b"", b""], {"n": 1})
    assert names(tmp_path) == ["one", "two"]
    assert [path.read_bytes() for path in paths] == [b"1\n", b"22\n"]


def test_a_finished_job_with_more_input_is_refused(tmp_path):
    with Journal([tmp_path / "out"], {}, resume=False) as journal:
        journal.add([b"one\n"], {"n": 1})
        journal.save(finished=True)
        note = (tmp_path / "out.partial.json").read_text()
    (tmp_path / "out.partial.json").write_text(note)
    with pytest.raises(ParaphrastError, match="was finished, but there is more input"):
        with Journal([tmp_path / "out"], {}, resume=True) as journal:
            journal.add([b"two\n"], {"n": 2})
    assert (tmp_path / "out").read_bytes() == b"one\n"


def test_a_second_run_is_refused_and_leaves_nothing_behind(tmp_path):
    paths = [tmp_path / "one", tmp_path / "two"]
    with Journal(paths[1:], {}, resume=False) as journal:
        with pytest.raises(ParaphrastError, match="two.partial is being written"):
            with Journal(paths, {}, resume=False):
                pass
        journal.add([b"2\n"], {"n": 1})
    assert names(tmp_path) == ["two"]
    with Parts(tmp_path / "parts", {}, resume=False):
        with pytest.raises(ParaphrastError, match="being written by another run"):
            with Parts(tmp_path / "parts", {}, resume=True):
                pass
    assert names(tmp_path) == ["two"]


def test_waiting_for_a_renamed_file_locks_the_new_one(tmp_path, monkeypatch):
    path = tmp_path / "out.partial"
    lock = resumable._lock
    turns = []

    def rename_first(file):
        if not turns:
            turns.append(1)
            path.write_bytes(b"whole")
            path.replace(tmp_path / "out")
        lock(file)

    monkeypatch.setattr(resumable, "_lock", rename_first)
    with resumable.open_locked(path) as file:
        assert os.path.samestat(os.fstat(file.fileno()), path.stat())
        file.truncate(0)
    assert (tmp_path / "out").read_bytes() == b"whole"


TWO_RUNS = """
import sys
from pathlib import Path
from paraphrast.errors import ParaphrastError
from paraphrast.storage.resumable import Journal
path, done = Path(sys.argv[1]) / "out", 0
print("ready", flush=True)
sys.stdin.readline()
for _ in range(400):
    try:
        with Journal([path], {}, resume=False) as journal:
            journal.add([b"whole"], {"n": 1})
    except ParaphrastError as error:
        assert "another run" in str(error), error
        continue
    assert path.read_bytes() == b"whole"
    done += 1
print(done)
"""


def test_two_runs_in_a_loop_never_empty_a_finished_output(tmp_path):
    jobs = [in_process(TWO_RUNS, tmp_path, stdin=subprocess.PIPE) for _ in range(2)]
    for job in jobs:
        job.stdout.readline()
    for job in jobs:
        job.stdin.write("go\n")
        job.stdin.flush()
    finished = [int(job.communicate(timeout=120)[0]) for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0]
    assert sum(finished) > 0
    assert names(tmp_path) == ["out"]


RESUMED = """
import sys
from pathlib import Path
from paraphrast.storage import resumable
from paraphrast.storage.resumable import Journal
resumable.SECONDS_BETWEEN_NOTES = 0
paths = [Path(sys.argv[1]) / name for name in ("one", "two")]
with Journal(paths, {"seed": 1}, resume=True) as journal:
    print("ready", flush=True)
    for number in range(journal.state.get("n", 0), 120):
        parts = [b"%d\\n" % number * 300, b"%d\\n" % -number]
        journal.add(parts, {"n": number + 1})
"""


def test_a_job_killed_at_random_moments_ends_as_if_never_stopped(tmp_path):
    draw = random.Random(2)
    for _ in range(6):
        job = in_process(RESUMED, tmp_path)
        job.stdout.readline()
        time.sleep(draw.uniform(0, 0.08))
        job.kill()
        job.wait()
        if (tmp_path / "one").exists():
            break
    job = in_process(RESUMED, tmp_path)
    job.communicate(timeout=60)
    assert job.returncode == 0
    assert names(tmp_path) == ["one", "two"]
    numbers = range(120)
    whole = b"".join(b"%d\n" % number * 300 for number in numbers)
    assert (tmp_path / "one").read_bytes() == whole
    whole = b"".join(b"%d\n" % -number for number in numbers)
    assert (tmp_path / "two").read_bytes() == whole


@given(
    st.lists(
        st.tuples(st.binary(max_size=5), st.binary(max_size=5), st.booleans()),
        max_size=6,
    )
)
def test_stopping_anywhere_changes_nothing(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("journal")
    paths = [folder / "one", folder / "two"]
    index = 0
    while index < len(steps):
        try:
            with Journal(paths, {}, resume=True) as journal:
                index = journal.state.get("n", 0)
                while index < len(steps):
                    *parts, stopped = steps[index]
                    index += 1
                    journal.add(parts, {"n": index})
                    if stopped:
                        steps[index - 1] = (*parts, False)
                        raise KeyboardInterrupt
        except KeyboardInterrupt:
            index = 0
    with Journal(paths, {}, resume=True):
        pass
    if steps:
        for number, path in enumerate(paths):
            content = path.read_bytes()
            assert content in (b"", b"".join(step[number] for step in steps))


def test_parts_are_made_once_and_removed_at_the_end(tmp_path):
    made = []

    def write(path: Path) -> None:
        made.append(path.name)
        path.write_text("x")

    with pytest.raises(KeyboardInterrupt):
        with Parts(tmp_path / "new", {}, resume=False) as parts:
            parts.make("a", write)
            (parts.folder / "folder").mkdir()
            (parts.folder / "folder" / "inner").write_text("x")
            raise KeyboardInterrupt
    assert names(tmp_path) == ["new.partial"]
    with Parts(tmp_path / "new", {}, resume=True) as parts:
        assert parts.make("a", write) == tmp_path / "new.partial" / "a"
        parts.make("b", write)
    assert made == ["a", "b"]
    assert names(tmp_path) == []
    with pytest.raises(KeyboardInterrupt):
        with Parts(tmp_path / "new", {}, resume=False):
            raise KeyboardInterrupt
    assert names(tmp_path) == []


def test_a_new_start_clears_the_parts_and_a_mistake_removes_them(tmp_path):
    for error in (KeyboardInterrupt, ParaphrastError("wrong")):
        with pytest.raises((KeyboardInterrupt, ParaphrastError)):
            with Parts(tmp_path / "new", {}, resume=False) as parts:
                assert names(parts.folder) == [".lock", "note.json"]
                parts.make("a", Path.touch)
                raise error
    assert names(tmp_path) == []


def test_a_damaged_note_of_parts_is_refused(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        with Parts(tmp_path / "new", {}, resume=False) as parts:
            parts.make("a", Path.touch)
            raise KeyboardInterrupt
    for note in ("", "[]", "{}", "[" * 100_000):
        (tmp_path / "new.partial" / "note.json").write_text(note)
        with pytest.raises(ParaphrastError, match="note.json is damaged"):
            with Parts(tmp_path / "new", {}, resume=True):
                pass


def test_a_folder_of_somebody_else_is_not_worked_in(tmp_path):
    folder = tmp_path / "new.partial"
    folder.mkdir()
    (folder / "diary").write_text("Dear diary")
    with pytest.raises(ParaphrastError, match="was not created by paraphrast"):
        with Parts(tmp_path / "new", {}, resume=False):
            pass
    (folder / "diary").unlink()
    with Parts(tmp_path / "new", {}, resume=False):
        pass
    folder.write_text("a file")
    with pytest.raises(ParaphrastError, match="was not created by paraphrast"):
        with Parts(tmp_path / "new", {}, resume=False):
            pass


# Arrays

ARRAYS = arrays.Kind("toy table", 3, "Make it again.")


def write_header(path: Path, header: object, body: bytes = b"") -> Path:
    start = b"paraphrast toy table 3\n" + json.dumps(header).encode() + b"\n"
    path.write_bytes(start + b"\0" * (-len(start) % 64 if body else 0) + body)
    return path


def header_of(shape: object, content: bytes, dtype: str = "<u1") -> dict:
    return {
        "about": {},
        "checksum": zlib.crc32(content),
        "arrays": {"a": [dtype, shape]},
    }


@given(
    st.lists(st.sampled_from(["u1", "<i4", ">f8", "<f2"]), max_size=4),
    st.integers(0, 5),
)
def test_arrays_come_back_as_they_were(tmp_path_factory, types, length):
    path = tmp_path_factory.mktemp("arrays") / "a"
    given_arrays = {
        f"{number}": np.arange(length * 2).reshape(length, 2).astype(type_name)
        for number, type_name in enumerate(types)
    }
    arrays.write(path, ARRAYS, given_arrays, {"n": 1})
    result, about = arrays.read(path, ARRAYS)
    assert about == {"n": 1}
    assert list(result) == list(given_arrays)
    for name, array in given_arrays.items():
        assert result[name].tolist() == array.tolist()
        assert result[name].shape == array.shape
        assert result[name].ctypes.data % 64 == 0 or not length


def test_an_empty_array_at_the_end_of_a_memory_page_comes_back(tmp_path):
    path, page = tmp_path / "a", 4096
    for length in range(page - 512, page):
        given_arrays = {"a": np.zeros(length, np.uint8), "b": np.zeros((0, 2))}
        arrays.write(path, ARRAYS, given_arrays, {})
        if path.stat().st_size == page:
            break
    result, _ = arrays.read(path, ARRAYS)
    assert path.stat().st_size == page
    assert result["b"].shape == (0, 2)


@pytest.mark.parametrize(
    ("shape", "content", "dtype"),
    [
        ([3.0], b"abc", "<u1"),
        ([True], b"a", "<u1"),
        ([-1], b"", "<u1"),
        ("abc", b"abc", "<u1"),
        ([3], b"ab", "<u1"),
        ([3], b"abcd", "<u1"),
        ([1], b"abcdefgh", "O"),
        ([10**30], b"", "<u1"),
        ([3], b"abc", "nonsense"),
        (None, b"", "<u1"),
    ],
)
def test_a_hostile_header_of_arrays_is_one_line(tmp_path, shape, content, dtype):
    path = write_header(tmp_path / "a", header_of(shape, content, dtype), content)
    with pytest.raises(ParaphrastError, match="is damaged or truncated. Make it") as e:
        arrays.read(path, ARRAYS)
    assert "\n" not in str(e.value)


def test_bytes_behind_the_last_array_are_refused(tmp_path):
    path = write_header(tmp_path / "a", header_of([3], b"abc"), b"abcx")
    with pytest.raises(ParaphrastError, match="is damaged or truncated"):
        arrays.read(path, ARRAYS)


@pytest.mark.parametrize(
    "line", [b"", b"[" * 100_000, b"[]", b"{}", b'{"about": {}, "checksum": 0}']
)
def test_an_invalid_header_of_arrays_is_one_line(tmp_path, line):
    (tmp_path / "a").write_bytes(b"paraphrast toy table 3\n" + line + b"\n")
    with pytest.raises(ParaphrastError, match="is damaged or truncated"):
        arrays.read(tmp_path / "a", ARRAYS)


def test_arrays_of_another_kind_or_format_or_content_are_refused(tmp_path):
    path = tmp_path / "a"
    arrays.write(path, ARRAYS, {"a": np.arange(5_000_000, dtype=np.uint8)}, {})
    with pytest.raises(ParaphrastError, match="is not a lamp. Again"):
        arrays.read(path, arrays.Kind("lamp", 3, "Again."))
    with pytest.raises(ParaphrastError, match="toy table format 3, but .* reads 4"):
        arrays.read(path, arrays.Kind("toy table", 4, "Again."))
    content = bytearray(path.read_bytes())
    for position in (len(content) - 1, len(content) // 2):
        content[position] ^= 1
        path.write_bytes(content)
        with pytest.raises(ParaphrastError, match="damaged"):
            arrays.read(path, ARRAYS)
        content[position] ^= 1
    path.write_bytes(content)
    assert arrays.read(path, ARRAYS)[0]["a"].sum() == arrays.read(path, ARRAYS)[0][
        "a"
    ].sum(dtype=np.uint64)
    with pytest.raises(ParaphrastError, match="cannot read .*none.*Make it again"):
        arrays.read(tmp_path / "none", ARRAYS)


# Weights in an archive


def test_weights_come_back_or_are_refused(tmp_path):
    path = tmp_path / "w"
    array = np.arange(6, dtype=">i4").reshape(2, 3)
    weights.save(path, "toy", {"n": 1}, {"a": array})
    settings, result = weights.load(path, "toy")
    assert settings == {"n": 1}
    assert result["a"].tolist() == array.tolist()
    with pytest.raises(ParaphrastError, match="is not a lamp"):
        weights.load(path, "lamp")


def test_weights_in_an_archive_come_back_or_are_refused(tmp_path):
    path = tmp_path / "w.npz"
    array = np.arange(6, dtype=np.int32)
    sha256 = weights.digest("toy", {"n": 1}, {"a": array})
    sound = {"format": 1, "kind": "toy", "settings": {"n": 1}, "sha256": sha256}
    for change, is_sound in (
        ({}, True),
        ({"sha256": "0"}, False),
        ({"settings": {"n": 2}}, False),
        ({"settings": 3}, False),
    ):
        text = json.dumps(sound | change).encode()
        np.savez(path, about=np.frombuffer(text, np.uint8), a=array)
        if is_sound:
            settings, result = weights.load(path, "toy")
            assert settings == {"n": 1}
            assert result["a"].tolist() == array.tolist()
            continue
        with pytest.raises(ParaphrastError, match="is not a toy, or is damaged"):
            weights.load(path, "toy")
    np.savez(path, a=array)
    with pytest.raises(ParaphrastError, match="is not a toy, or is damaged"):
        weights.load(path, "toy")


def test_the_hash_of_weights_knows_names_types_shapes_and_settings():
    array = np.arange(6, dtype=np.int32)
    variants = [
        ("toy", {}, {"a": array}),
        ("lamp", {}, {"a": array}),
        ("toy", {"n": 1}, {"a": array}),
        ("toy", {}, {"b": array}),
        ("toy", {}, {"a": array.reshape(2, 3)}),
        ("toy", {}, {"a": array.astype(np.float32)}),
        ("toy", {}, {"a": array + 1}),
    ]
    assert len({weights.digest(*variant) for variant in variants}) == len(variants)
    big = {"a": array.astype(">i4")}
    assert weights.digest("toy", {}, big) == weights.digest(*variants[0])
    there, back = {"n": 1, "m": 2}, {"m": 2, "n": 1}
    assert weights.digest("toy", there, big) == weights.digest("toy", back, big)
    # Records name models by it, so it stays what it is.
    assert weights.digest(*variants[0]).startswith("1fd408f3fa830938")


@given(st.lists(st.text(st.characters(exclude_characters="\n"), max_size=4)))
def test_packed_strings_come_back(texts):
    assert weights.unpack_texts(weights.pack_texts(texts)) == tuple(texts)


def test_single_precision_is_what_is_saved():
    value = np.array([0.1])
    assert weights.single(value)[0] == np.float64(np.float32(0.1))


def test_a_file_that_is_not_an_archive_is_one_line(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, a=np.array([{}], dtype=object))
    foreign = path.read_bytes()
    np.savez_compressed(path, a=np.arange(1000))
    sound = path.read_bytes()
    for content in (b"", b"PK nonsense", b"\x93NUMPY", foreign, sound[:-30]):
        path.write_bytes(content)
        with pytest.raises(ParaphrastError, match="Get another") as caught:
            arrays.read_archive(path, "Get another.")
        assert "\n" not in str(caught.value)
    draw = random.Random(3)
    for _ in range(60):
        content = bytearray(sound)
        for _ in range(3):
            content[draw.randrange(len(content))] = draw.randrange(256)
        path.write_bytes(content)
        with suppress(ParaphrastError):
            arrays.read_archive(path, "Get another.")
