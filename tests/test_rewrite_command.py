"""``paraphrast rewrite`` as a writer uses it: files, folders, views, destinations."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from paraphrast.cli import printing, rewrite_job
from paraphrast.cli.options import complete_rewriter, complete_style
from paraphrast.rewriter import Rewrite
from paraphrast.rewriting.display import show_word_diff
from paraphrast.rewriting.jobs import find_inputs
from paraphrast.study import rating

FORMAL = ("rewrite", "--using", "rules", "--to", "formal")
MAIL = """Subject: meeting

Dear Ms. Lee,
i cant make it, soz. It is late.

ur plan
--------

Best regards,
Anna
Head of Sales

Sent from my phone
"""


def test_the_frame_of_an_email_stays(run, tmp_path):
    path = tmp_path / "mail.txt"
    path.write_text(MAIL)
    _, out, err = run(*FORMAL, path)
    assert out == MAIL.replace("i cant make it, soz.", "I cannot make it, sorry.")
    assert err == "left 1 sentence unchanged: no rule applies: 'It is late.'.\n"
    _, out, _ = run(*FORMAL, "--json", path)
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["source"] for record in records] == MAIL.splitlines()
    assert records[-2]["why"] == "it is empty"
    assert records[-1]["why"] == records[-4]["why"] == "it holds no prose to rewrite"
    _, out, _ = run(*FORMAL, "--rewrite-headings", path)
    assert "Your plan\n" in out


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", ""), ("a.md", " \n\n"), ("a.csv", "text\n"), ("a.jsonl", "")],
)
def test_a_file_without_text_is_named(run, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    told = f"nothing to rewrite in {path}.\n"
    assert run(*FORMAL, path)[::2] == (0, told)
    assert run(*FORMAL, path, "-o", tmp_path / "out")[::2] == (0, told)
    assert run(*FORMAL, "--json", path)[::2] == (0, told)
    assert run(*FORMAL, "--in-place", path)[::2] == (0, told)
    assert path.read_text() == text or name == "a.csv"


def test_empty_text_and_empty_standard_input_are_named(run):
    code, _, err = run(*FORMAL, "")
    assert (code, err) == (0, "nothing to rewrite in the text.\n")
    done = subprocess.run(
        [sys.executable, "-m", "paraphrast", *FORMAL],
        input="",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    assert done.stderr == "nothing to rewrite in standard input.\n"


def test_headings_stay_unless_asked_for(run, tmp_path):
    path = tmp_path / "a.md"
    path.write_text("# what u want\n\nwhat u want\n====\n\ni cant go\n\n- ur hat\n")
    _, out, _ = run(*FORMAL, path)
    assert out == path.read_text().replace("i cant go", "I cannot go.")
    _, out, _ = run(*FORMAL, "--rewrite-headings", path)
    assert "# What you want" in out
    assert "- Your hat" in out


def test_alternatives_come_one_per_line_with_scores(run):
    code, out, err = run(*FORMAL, "-n", 3, "gonna be late, soz")
    assert code == 0, err
    lines = out.splitlines()
    assert len(lines) == 3
    assert lines[0].split("\t")[0] == run(*FORMAL, "gonna be late, soz")[1].strip()
    assert all("meaning " in line.split("\t")[1] for line in lines)
    _, _, err = run(*FORMAL, "-n", 50, "gonna go")
    assert "1 text has fewer than 50 distinct alternatives" in err


def test_formal_and_informal_are_rated_as_grades_of_one_scale():
    score, _ = rating.open_judge()
    text = "I would be grateful if you could reply."
    chat = "lol ur so funny"
    formal = score([text, chat], [text, chat], style="formal")
    informal = score([text, chat], [text, chat], style="informal")
    assert formal[0].style > 0.6 > 0.3 > formal[1].style
    for up, down in zip(formal, informal, strict=True):
        assert up.style + down.style == pytest.approx(1)
    # What the judge cannot read has no grade, and without a style nothing has.
    assert score(["你好"], ["你好"], style="formal")[0].style is None
    assert score([text], [text], style="")[0].style is None
    assert 0 <= score([text], [text], style="shakespeare")[0].style < 0.5


def test_a_diff_is_unified_coloured_or_a_page(run, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("It is <late>.\nu go\n")
    _, out, _ = run(*FORMAL, "--diff", path)
    assert out.splitlines()[2:] == [
        "@@ -1,2 +1,2 @@",
        " It is <late>.",
        "-u go",
        "+You go",
    ]
    _, out, _ = run(*FORMAL, "--diff", "words", "u go")
    assert "You" in out
    page = tmp_path / "a.html"
    code, out, err = run(*FORMAL, "--diff", "html", path, "-o", page)
    assert (code, out) == (0, "")
    text = page.read_text()
    assert "<del>u</del><ins>You</ins>" in text
    assert "&lt;late&gt;" in text
    assert "unchanged: no rule applies" in text


def test_side_by_side_is_one_table_with_whole_addresses(run, tmp_path):
    path = tmp_path / "a.txt"
    address = "https://example.org/" + "long/" * 20
    path.write_text("u go\n" * 40 + f"u see {address}\n")
    _, out, _ = run(*FORMAL, "--side-by-side", path)
    assert out.count("source") == 1
    assert "…" not in out


def test_several_files_and_folders_are_rewritten_in_place(run, tmp_path):
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("u go\n")
    (folder / "deep" / "b.md").write_text("u go\n")
    (folder / "c.dat").write_text("u go\n")
    (tmp_path / "d.csv").write_text("text\nu go\n")
    code, out, err = run(*FORMAL, "--in-place", folder, tmp_path / "d.csv")
    assert (code, out) == (0, ""), err
    assert (folder / "a.txt").read_text() == "You go\n"
    assert (folder / "a.txt~").read_text() == "u go\n"
    assert (folder / "deep" / "b.md").read_text() == "You go\n"
    assert (folder / "c.dat").read_text() == "u go\n"
    assert (tmp_path / "d.csv").read_text() == "text,rewrite\nu go,You go\n"
    target = tmp_path / "new"
    target.mkdir()
    assert run(*FORMAL, folder / "a.txt~", tmp_path / "d.csv~", "-o", target)[0] == 0
    assert sorted(os.listdir(target)) == ["a.txt~", "d.csv~"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("letter.docx",), "file not found: 'letter.docx'"),
        (("there.docx",), "there.docx: broken (File is not a zip file)"),
        (("there.bin",), "Convert it first"),
        (("empty",), "'empty' is a folder without a text file"),
        (("a.txt", "b.txt"), "--in-place, or -o FOLDER"),
        (("a.txt", "no file"), "'a.txt' is a file and 'no file' is not"),
        (("a.txt", "--explain", "-o", "x"), "print to the screen"),
        (("--in-place",), "--in-place needs a file"),
        (("a.txt", "--in-place", "-o", "x"), "--in-place cannot be combined with -o"),
        (("--resume", "-o", "x"), "standard input"),
        (("--without-guard", "names", "x"), "has no guards"),
        (("--strength", "0.5", "x"), "does not support strength"),
    ],
)
def test_impossible_requests_are_refused_in_one_line(
    run, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.docx").write_bytes(b"PK\x03\x04rest")
    (tmp_path / "there.bin").write_bytes(bytes(range(20)) * 9)
    (tmp_path / "empty").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("u go\n")
    code, out, err = run(*FORMAL, *arguments, stdin=b"u go\n")
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_dash_alone_is_standard_input(run):
    assert run(*FORMAL, "-", stdin=b"u go\n") == run(*FORMAL, stdin=b"u go\n")
    assert run(*FORMAL, "-", stdin=b"u go\n")[:2] == (0, "You go\n")


def test_low_meaning_keeps_the_sentence(run):
    _, out, err = run(*FORMAL, "--min-meaning", 1, "gonna be late, soz")
    assert out == "gonna be late, soz\n"
    assert "is below 1: 'gonna be late, soz'" in err
    assert run(*FORMAL, "--min-meaning", 0, "u go")[1] == "You go\n"


def test_styles_and_rewriters_are_completed():
    assert [name for name, _ in complete_style("form")] == ["formal"]
    assert list(complete_rewriter("ru")) == ["rules"]


@pytest.mark.parametrize(
    ("option", "setting"),
    [
        (("--column", "b"), "column"),
        (("--into", "second"), "into"),
        (("--format", "tsv"), "file format"),
        (("--protect", "x"), "protect"),
        (("--seed", "2"), "seed"),
        (("--rewrite-headings",), "headings"),
        (("--json",), "as json"),
        (("--json", "--explain"), "explain"),
        (("-n", "2"), "number"),
        (("--packs", "elsewhere"), "packs"),
    ],
)
def test_a_job_is_not_resumed_with_another_setting(tmp_path, run, option, setting):
    from paraphrast.cli.rewrite_job import Job

    path, target = tmp_path / "a.csv", tmp_path / "o.csv"
    path.write_text("a,b\nu,v\n")
    given = Job(to="formal", column="a").settings("formal", "rules", "")
    about = path.stat()
    given["input"] = [str(path), about.st_size, about.st_mtime_ns]
    from paraphrast.rewriting.offers import identify_packs, load

    given["pack identity"] = identify_packs(load("formal", using="rules"))
    (tmp_path / "o.csv.partial").write_text("a,b,rewrite\n")
    note = {"settings": given, "lengths": [12], "state": {"records": 1}}
    (tmp_path / "o.csv.partial.json").write_text(json.dumps(note))
    command = [*FORMAL, path, "-o", target, "--resume"]
    if option[0] != "--column":
        command += ["--column", "a"]
    code, _, err = run(*command, *option)
    assert code == 2
    assert setting in err.split("changed")[0]


def test_a_closed_pipe_ends_the_command_without_an_error(tmp_path):
    path = tmp_path / "many.txt"
    path.write_text("u ok?\n" * 20_000)
    command = f"{sys.executable} -m paraphrast rewrite --to formal {path}"
    script = f"set -o pipefail; {command} | head -n 1 > /dev/null"
    assert subprocess.run(["bash", "-c", script]).returncode == 0


def test_a_folder_is_expanded_to_its_texts(tmp_path):
    for name in ("b.md", "a.txt", ".hidden.txt", "c.png"):
        (tmp_path / name).write_text("x")
    found = find_inputs([str(tmp_path)])
    assert [path.name for path in found.files] == ["a.txt", "b.md"]
    assert find_inputs(["one text", "two"]).texts == ("one text", "two")


def test_a_word_diff_strikes_out_deletions_and_colours_insertions():
    shown = show_word_diff("u are late, Tom", Rewrite("you are late, Tom!"))
    assert shown.plain == "uyou are late, Tom!"
    parts = [(shown.plain[s.start : s.end], s.style) for s in shown.spans]
    assert parts == [("u", "red strike"), ("you", "green"), ("!", "green")]
    assert show_word_diff("late", Rewrite("late")).spans == []


def test_a_bar_counts_the_bytes_that_were_read(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("u go\n" * 20)
    bars = []

    @contextmanager
    def open_progress(*columns, shown=True):
        from rich.progress import Progress

        bars.append(Progress(disable=True))
        yield bars[-1]

    monkeypatch.setattr(printing, "open_progress", open_progress)
    with printing.show_bytes([path], "rewriting") as show:
        for position in (30, 30, 60):
            show(position)
    (task,) = bars[0].tasks
    assert (task.description, task.total, task.completed) == ("rewriting", 100, 60)
    with printing.show_bytes([tmp_path / "a.gz"], "rewriting"):
        pass
    assert bars[1].tasks[0].total is None


def test_a_job_without_a_terminal_logs_its_progress_now_and_then(
    run, tmp_path, monkeypatch
):
    path = tmp_path / "a.txt"
    path.write_text("u go\n" * 100)
    monkeypatch.setattr(rewrite_job, "SECONDS_BETWEEN_LINES", -1)
    _, out, err = run(*FORMAL, path, "-o", tmp_path / "b.txt")
    lines = [line for line in err.splitlines() if line.startswith("rewriting: ")]
    assert len(lines) == 3
    assert lines[-1] == f"rewriting: 100 records, 100% of {path}."
    assert out == ""
    path.write_text("u go\n")
    _, _, err = run(*FORMAL, path, "-o", tmp_path / "b.txt")
    assert f"rewriting: 1 record, 100% of {path}." in err
