"""The command line as a person meets it: results, one-line errors, exit codes."""

import json
import os
import subprocess
import sys

import pytest

HEAVY = ("numpy", "sacrebleu", "jinja2", "ftfy", "regex", "py3langid", "rapidfuzz")


def process(*arguments, **options):
    command = [sys.executable, "-m", "paraphrast", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, **options)


def test_rewriting_from_arguments_and_from_stdin_agree(run):
    code, out, _ = run(
        "rewrite", "--using", "rules", "--to", "formal", "i dont know, gonna ask"
    )
    assert code == 0
    assert (
        out
        == run(
            "rewrite",
            "--using",
            "rules",
            "--to",
            "formal",
            stdin=b"i dont know, gonna ask\n",
        )[1]
    )
    assert "do not know" in out


def test_json_has_one_record_per_text(run):
    code, out, _ = run(
        "rewrite",
        "--using",
        "rules",
        "--to",
        "formal",
        "--json",
        "--explain",
        "-n",
        2,
        "u ok?",
        "Yes.",
    )
    assert code == 0
    first, second = map(json.loads, out.splitlines())
    assert first["source"] == "u ok?"
    expected = {"start", "end", "before", "after", "rule", "categories"}
    assert expected == set(first["changes"][0])
    assert second["text"] == "Yes."
    assert second["why"]


def test_explain_and_side_by_side_show_what_changed(run):
    code, out, _ = run(
        "rewrite", "--using", "rules", "--to", "formal", "--explain", "u r late"
    )
    assert code == 0
    assert "'u' -> " in out
    code, out, _ = run(
        "rewrite", "--using", "rules", "--to", "formal", "--side-by-side", "u r late"
    )
    assert code == 0
    assert "u r late" in out
    assert "are late" in out


def test_a_protected_term_stays(run):
    _, out, _ = run(
        "rewrite",
        "--using",
        "rules",
        "--to",
        "formal",
        "--protect",
        "wanna",
        "i wanna go",
    )
    assert "wanna" in out


def test_files_of_every_kind(run, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"u ok?\r\n\r\nim fine\r\n")
    (tmp_path / "a.md").write_text("# hi there\n\n- u ok?\n\n```\nu ok?\n```\n")
    (tmp_path / "a.csv").write_text("id,t\n1,u ok?\n")
    (tmp_path / "a.jsonl").write_text('{"t": "u ok?"}\n')
    code, out, _ = run(
        "rewrite", "--using", "rules", "--to", "formal", tmp_path / "a.txt"
    )
    assert code == 0
    assert out.count("\r\n") == 3
    code, out, _ = run(
        "rewrite", "--using", "rules", "--to", "formal", tmp_path / "a.md"
    )
    assert "```\nu ok?\n```" in out
    assert "- Are you ok?" in out or "- You ok?" in out
    target = tmp_path / "b.csv"
    arguments = (
        "rewrite",
        "--using",
        "rules",
        "--to",
        "formal",
        tmp_path / "a.csv",
        "--column",
        "t",
    )
    assert run(*arguments, "-o", target)[:2] == (0, "")
    assert target.read_text().startswith("id,t,rewrite\n1,u ok?,")
    code, out, _ = run(
        "rewrite",
        "--using",
        "rules",
        "--to",
        "formal",
        tmp_path / "a.jsonl",
        "--field",
        "t",
    )
    assert json.loads(out)["rewrite"]


def test_styles_and_rewriters_are_listed(run):
    assert "formal" in run("styles")[1]
    assert any(s["name"] == "informal" for s in json.loads(run("styles", "--json")[1]))
    assert json.loads(run("rewriters", "--json")[1])[0]["styles"]
    out = run("rewriters")[1]
    assert "[formal, informal]\n" in out
    assert "[needs a pack]\n" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rewrite", "x"), "--to"),
        (("rewrite", "--to", "formall", "x"), "Did you mean 'formal'"),
        (
            (
                "rewrite",
                "--using",
                "rules",
                "--to",
                "formal",
                "--using",
                "rulez",
                "x",
            ),
            "Did you mean",
        ),
        (
            ("rewrite", "--using", "rules", "--to", "formal", "missing.txt"),
            "file not found: 'missing.txt'",
        ),
        (("rewrite", "--using", "rules", "--to", "formal", "-n", "0", "x"), "-n"),
        (("rewrite", "--using", "rules", "--to", "formal", "--resume", "x"), "-o FILE"),
        (
            (
                "rewrite",
                "--using",
                "rules",
                "--to",
                "formal",
                "-o",
                "no/where/out.txt",
                "x",
            ),
            "cannot write",
        ),
        (("rewrite", "--tone", "formal"), "--tone"),
        (("rewriet",), "rewriet"),
        (("metrics", "score", "-m", "blue", __file__, __file__), "Did you mean 'bleu'"),
        (("reproduce", "xu13-metrics"), "Did you mean 'xu12-metrics'"),
        (("corpora", "show", "xu21"), "Did you mean 'xu12'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(run, arguments, message):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", 0),
        (b"\n\n", 2),
        (b"caf\xe9 u ok\n", 1),
        (b"nul \0 byte\n", 1),
        ("a\u2028b\u0085c\x0bd\n".encode(), 1),
        ("\U0001f600 u ok \U0001f468\u200d\U0001f469\n".encode(), 1),
        (b"word " * 100_000 + b"\n", 1),
    ],
    ids=["empty", "blank", "latin-1", "nul", "separators", "emoji", "long"],
)
def test_strange_files_give_one_record_per_line(run, tmp_path, content, lines):
    path = tmp_path / "strange.txt"
    path.write_bytes(content)
    code, out, err = run("rewrite", "--using", "rules", "--to", "formal", path)
    told = ""
    if b"\xe9" in content:
        told = "left 1 record unchanged: it is not valid UTF-8.\n"
    if not content.strip():
        told = f"nothing to rewrite in {path}.\n"
    assert (code, err) == (0, told)
    assert out.count("\n") == lines
    code, out, _ = run("rewrite", "--using", "rules", "--to", "formal", path, "--json")
    assert len([json.loads(line) for line in out.split("\n")[:-1]]) == lines


def test_an_unreadable_file_is_one_line(run, tmp_path):
    (tmp_path / "folder.txt").mkdir()
    code, _, err = run(
        "rewrite", "--using", "rules", "--to", "formal", tmp_path / "folder.txt"
    )
    assert code == 2
    assert err.count("\n") == 1


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['paraphrast', '--help']\n"
        "from paraphrast.cli import main as cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        f"print('HEAVY', sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert b"rewrite" in done.stdout
    assert b"HEAVY []" in done.stderr


def test_a_closed_output_pipe_is_not_an_error(tmp_path):
    path = tmp_path / "many.txt"
    path.write_text("u ok?\n" * 20_000)
    rewrite = f"{sys.executable} -m paraphrast rewrite --using rules --to formal {path}"
    command = f"{rewrite} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True)
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""


# A job that gets its Ctrl-C when the first part of the output is written: sent from
# outside, the signal may come too late on a busy machine.
INTERRUPTED = """
import os, signal
# Whoever starts the tests may ignore the signal (nohup), and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
from paraphrast.cli import main as cli
from paraphrast.storage.resumable import Journal
add = Journal.add
def once(*arguments):
    add(*arguments)
    Journal.add = add
    os.kill(os.getpid(), signal.SIGINT)
Journal.add = once
cli.main()
"""


def test_a_job_stopped_by_ctrl_c_can_be_resumed(tmp_path):
    path, target = tmp_path / "many.txt", tmp_path / "out.txt"
    path.write_text("".join(f"u r number {n}, ok?\n" for n in range(3_000)))
    arguments = ["rewrite", "--using", "rules", "--to", "formal", path, "-o", target]
    command = [sys.executable, "-c", INTERRUPTED, *map(str, arguments)]
    job = subprocess.run(command, stderr=subprocess.PIPE)
    assert job.returncode == 130
    assert b"--resume" in job.stderr
    assert job.stderr.count(b"\n") == 1
    assert not target.exists()
    done = (tmp_path / "out.txt.partial").read_bytes().count(b"\n")
    assert 0 < done < 3_000
    assert process(*arguments, "--resume").returncode == 0
    resumed = target.read_bytes()
    assert process(*arguments).returncode == 0
    assert target.read_bytes() == resumed
    assert resumed.count(b"\n") == 3_000
    assert sorted(os.listdir(tmp_path)) == ["many.txt", "out.txt"]


def test_a_full_disk_is_one_line():
    if not os.path.exists("/dev/full"):
        pytest.fail("this system has no /dev/full to try a full disk with")
    with open("/dev/full", "wb") as full:
        command = [
            sys.executable,
            "-m",
            "paraphrast",
            "rewrite",
            "--using",
            "rules",
            "--to",
            "formal",
            "u",
        ]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_long_job_reports_its_progress(tmp_path, run, monkeypatch):
    from paraphrast.cli import rewrite_job

    monkeypatch.setattr(rewrite_job, "SECONDS_BETWEEN_LINES", -1)
    path, target = tmp_path / "many.txt", tmp_path / "out.txt"
    path.write_text("u ok?\n" * 600)
    command = ("rewrite", "--using", "rules", "--to", "formal", path, "-o", target)
    code, _, err = run(*command)
    assert code == 0
    assert f"600 records, 100% of {path}." in err


def test_a_terminal_shows_a_bar(tmp_path):
    path, target = tmp_path / "many.txt", tmp_path / "out.txt"
    path.write_text("u ok?\n" * 600)
    words = ["rewrite", "--using", "rules", "--to", "formal", path, "-o", target]
    reader, terminal = os.openpty()
    command = [sys.executable, "-m", "paraphrast", *map(str, words)]
    job = subprocess.run(command, stderr=terminal, env={**os.environ, "TERM": "xterm"})
    os.close(terminal)
    shown = os.read(reader, 100_000).decode()
    os.close(reader)
    assert job.returncode == 0
    assert "rewriting" in shown
    assert "%" in shown
