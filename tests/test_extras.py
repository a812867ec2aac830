"""What works without the optional packages, and what the rest says."""

import re
import subprocess
import sys

import pytest

from paraphrast.errors import ParaphrastError
from paraphrast.extras import EXTRAS, require

EMPTY_ARCHIVE = b"PK\x05\x06" + bytes(18)
WITHOUT = f"""
import sys
for package in {sorted(EXTRAS)}:
    sys.modules[package] = None
from paraphrast.cli.main import main
sys.argv = ["paraphrast", *sys.argv[1:]]
main()
"""


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    install = rf"`{re.escape(sys.executable)} -m pip install 'paraphrast\[research\]'`"
    with pytest.raises(ParaphrastError, match=rf"needs sacrebleu.*{install}"):
        require("sacrebleu")


def test_a_missing_module_that_no_extra_brings_is_a_bug():
    with pytest.raises(ModuleNotFoundError):
        require("paraphrast.no_such_module")


@pytest.mark.parametrize(
    "arguments",
    [
        ("rewrite", "--to", "formal", "--using", "rules", "-n", "2", "u ok?"),
        ("metrics", "list"),
        ("align", "list"),
    ],
)
def test_the_core_needs_no_extra(arguments):
    result = run(*arguments)
    assert result.returncode == 0, result.stderr


def test_a_word_document_without_its_extra_says_so_in_one_line(tmp_path):
    (tmp_path / "a.docx").write_bytes(EMPTY_ARCHIVE)
    result = run("rewrite", "--to", "formal", "--using", "rules", tmp_path / "a.docx")
    assert result.returncode == 2
    assert "pip install 'paraphrast[documents]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_aligner_that_needs_the_extra_says_so_in_one_line(tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("a b\ta c\n", "utf-8")
    result = run("align", "train", "eflomal", pairs, "-o", tmp_path / "model")
    assert result.returncode == 2
    assert "pip install 'paraphrast[research]'" in result.stderr
    assert "Traceback" not in result.stderr
