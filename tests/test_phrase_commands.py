"""``paraphrast phrase …`` as a person meets it."""

import io
import json
import sys

import pytest

import phrase_toy as toy
from paraphrast.cli.main import main


@pytest.fixture
def run(monkeypatch, capfd):
    """Run the command line in this process; return exit code, stdout and stderr."""

    def command(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["paraphrast", *map(str, arguments)])
        source = io.TextIOWrapper(io.BytesIO(stdin.encode()))
        monkeypatch.setattr(sys, "stdin", source)
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capfd.readouterr()
        return stopped.value.code, out, err

    return command


def written(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    written(folder / "plain.txt", [source for source, _ in toy.PAIRS])
    written(folder / "old.txt", [target for _, target in toy.PAIRS])
    written(folder / "more.txt", toy.STYLE)
    written(folder / "new.plain", [source for source, _ in toy.NEW])
    written(folder / "new.old", [target for _, target in toy.NEW])
    return folder


@pytest.fixture(scope="module")
def home(files, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    arguments = ["phrase", "train", files / "plain.txt", files / "old.txt"]
    arguments += ["--lm", files / "more.txt", "--packs", folder, "--order", 3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["paraphrast", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
    assert stopped.value.code == 0
    return folder


def test_training_says_what_was_learned_and_writes_the_pack(run, files, tmp_path):
    code, out, err = run(
        *("phrase", "train", files / "plain.txt", files / "old.txt"),
        *("-o", tmp_path / "mine", "--to", "ancient"),
    )
    assert (code, err) == (0, "")
    assert "59 pairs (" in out
    assert "  your -> thy  (" in out
    assert "held-out sentences:" in out
    assert out.endswith(f"-> {tmp_path / 'mine'}\n")
    shown = run("rewrite", "--pack", tmp_path / "mine", "You are late, Viola.")
    assert shown == (0, "Thou art late, Viola.\n", "")


def test_rewrite_finds_the_pack_by_style_and_by_name(run, home):
    arguments = ("rewrite", "--packs", home, "Your ship is lost.")
    expected = (0, "Thy ship is lost.\n", "")
    assert run(*arguments, "--to", "old") == expected
    assert run(*arguments, "--to", "old", "--using", "phrase") == expected
    assert run(*arguments, "--pack", "old") == expected
    assert "old" in run("styles", "--packs", home)[1]
    assert "phrase" in run("rewriters", "--packs", home)[1]


def test_explain_shows_the_training_pair(run, home):
    _, out, _ = run(
        *("rewrite", "--packs", home, "--to", "old", "--explain"),
        "Perhaps he is late.",
    )
    assert "0-7  'Perhaps' -> 'Perchance'  (seen " in out
    assert "perchance " in out


def test_the_environment_names_the_folder_of_packs(run, home, monkeypatch):
    monkeypatch.setenv("PARAPHRAST_PACKS", str(home))
    assert run("phrase", "table", "old", "has")[1].split()[2] == "hath"
    assert run("rewrite", "--to", "old", "He has a ship.")[1] == "He hath a ship.\n"


def test_show_prints_the_pack_and_its_weights(run, home):
    code, out, _ = run("phrase", "show", "old", "--packs", home, "--verify")
    assert code == 0
    assert "trained on plain.txt" in out
    assert "weights: distortion 0.3, words -1" in out
    report = json.loads(run("phrase", "show", "old", "--packs", home, "--json")[1])
    assert report["kind"] == "phrase"
    assert report["weights"]["model style"] == 0.5
    assert report["summary"]["pairs"] == 59


def test_decode_prints_one_line_per_input_line(run, home):
    lines = "you are late .\n\nwhere is your ship ?\n"
    code, out, _ = run("phrase", "decode", "old", "--packs", home, stdin=lines)
    assert (code, out) == (0, "thou art late .\n\nwhere is thy ship ?\n")
    again = run("phrase", "decode", "old", "--packs", home, "--threads", 2, stdin=lines)
    assert again[1] == out


def test_decode_lists_candidates_as_moses_does(run, home):
    arguments = ("phrase", "decode", "old", "--packs", home, "-n", 3)
    _, out, _ = run(*arguments, stdin="come here .\nyou .\n")
    rows = [line.split(" ||| ") for line in out.splitlines()]
    assert {row[0] for row in rows} == {"0", "1"}
    assert all(len(row) == 4 for row in rows)
    assert "distortion= " in rows[0][2]
    assert float(rows[0][3]) >= float(rows[1][3])
    record = json.loads(run(*arguments, "--json", stdin="you .\n")[1].splitlines()[0])
    assert record["features"]["words"] == -2


def test_closeness_changes_how_much_of_the_input_stays(run, home):
    arguments = ("phrase", "decode", "old", "--packs", home, "--closeness")
    assert run(*arguments, 0, stdin="come here .\n")[1]
    far = run(*arguments, -10, stdin="wait here .\n")[1]
    assert "here" not in far.split()


def test_table_lists_options(run, home):
    arguments = ("phrase", "table", "old", "--packs", home)
    code, out, _ = run(*arguments, "You")
    assert code == 0
    assert [line.split()[2] for line in out.splitlines()][:2] == ["thou", "thee"]
    assert "e.g. " in out
    assert json.loads(run(*arguments, "--json", "you")[1])[0]["target"] == ["thou"]
    code, out, err = run(*arguments, "xylophone")
    assert (code, out) == (0, "")
    assert "no entry for 'xylophone'" in err


def test_tune_writes_a_new_pack(run, home, files, tmp_path):
    code, out, _ = run(
        *("phrase", "tune", "old", files / "new.plain", files / "new.old"),
        *("--packs", home, "-o", tmp_path / "tuned"),
    )
    assert code == 0
    assert out.endswith(f"-> {tmp_path / 'tuned'}\n")
    report = json.loads(run("phrase", "show", tmp_path / "tuned", "--json")[1])
    assert report["weights"]["model style"] != 0.5
    plain = json.loads(run("phrase", "show", "old", "--packs", home, "--json")[1])
    assert plain["weights"]["model style"] == 0.5


def test_training_with_tuning_in_one_command(run, files, tmp_path):
    code, out, _ = run(
        *("phrase", "train", files / "plain.txt", files / "old.txt", "--json"),
        *("--tune-source", files / "new.plain", "--tune-target", files / "new.old"),
        *("-o", tmp_path / "mine", "--method", "mira", "--using", "ibm1"),
    )
    assert code == 0
    assert json.loads(out)["tuning"]


def test_mistakes_are_one_line_and_leave_nothing(run, files, tmp_path):
    plain, old = files / "plain.txt", files / "old.txt"
    empty = written(tmp_path / "empty", [])
    blank = written(tmp_path / "blank", [""] * len(toy.PAIRS))
    german = written(tmp_path / "german", ["Guten Tag"] * len(toy.PAIRS))
    broken = tmp_path / "broken"
    broken.write_bytes(b"caf\xe9\n" * len(toy.PAIRS))
    output = tmp_path / "out"
    for arguments, complaint in [
        ((plain, empty), "equally many lines"),
        ((empty, empty), "no sentence pairs to learn from (no line at all)"),
        ((plain, blank), "a side is empty: 64"),
        ((plain, german), "no word in common"),
        ((plain, broken), "not valid UTF-8"),
        ((plain, tmp_path / "missing"), "cannot read"),
        ((plain, old, "--using", "giza"), "unknown aligner 'giza'"),
        ((plain, old, "--symmetrisation", "grow"), "unknown symmetrisation"),
        ((plain, old, "--longest", 99), "longest"),
        ((plain, old, "--order", 0), "order"),
        ((plain, old, "--tune-source", plain), "--tune-target"),
        ((plain, old, "--lm", tmp_path / "missing"), "cannot read"),
        (
            (plain, old, "--tune-source", plain, "--tune-target", old)
            + ("--method", "mart"),
            "Did you mean 'mert'",
        ),
    ]:
        code, out, err = run("phrase", "train", *arguments, "-o", output)
        assert (code, out) == (2, ""), complaint
        assert complaint in err
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        assert not list(tmp_path.glob("out*")), complaint
        assert not list(tmp_path.glob(".out*")), complaint


def test_an_existing_pack_is_not_overwritten_by_training(run, home, files):
    arguments = ("phrase", "train", files / "plain.txt", files / "old.txt")
    code, _, err = run(*arguments, "--packs", home)
    assert code == 2
    assert "already exists" in err
    assert "--replace" in err


def test_mistakes_with_packs_are_one_line(run, home, tmp_path):
    (tmp_path / "foreign").mkdir()
    for arguments, complaint in [
        (("phrase", "decode", "odl", "--packs", home), "Did you mean 'old'"),
        (("phrase", "show", tmp_path / "foreign"), "is not a pack"),
        (("phrase", "show", tmp_path / "nowhere"), "no pack found at"),
        (("rewrite", "--pack", "odl", "--packs", home, "x"), "Did you mean 'old'"),
        (("rewrite", "--pack", tmp_path / "foreign", "x"), "is not a pack"),
        (
            ("rewrite", "--to", "shakespeare", "--using", "phrase", "--packs", home)
            + ("x",),
            "there is no pack for 'shakespeare' yet",
        ),
    ]:
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), complaint
        assert complaint in err
        assert err.count("\n") == 1


def test_a_table_survives_the_round_trip_through_moses(run, home, tmp_path):
    table = tmp_path / "table.gz"
    options = ("--packs", home, "--reordering", tmp_path / "reordering")
    assert run("phrase", "export-table", "old", table, *options)[0] == 0
    new = tmp_path / "new-pack"
    code, out, _ = run("phrase", "import-table", "old", table, "-o", new, *options)
    assert (code, out.endswith(f"-> {new}\n")) == (0, True)
    ask = ("rewrite", "You are late, Viola.", "--pack")
    assert run(*ask, new) == run(*ask, home / "old")


def test_weights_that_an_imported_table_has_no_scores_for_are_dropped(
    run, home, tmp_path
):
    (tmp_path / "table").write_text("you are ||| thou art ||| 0.5\n", "utf-8")
    new = tmp_path / "new-pack"
    arguments = ("old", tmp_path / "table", "-o", new, "--packs", home)
    assert run("phrase", "import-table", *arguments)[:2] == (0, f"1 options -> {new}\n")
    assert run("rewrite", "--pack", new, "You are late.")[1] == "Thou art late.\n"
