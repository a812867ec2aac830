"""A package that is not ours adds a style, a metric and a format by entry points."""

import re
import subprocess
import sys
from pathlib import Path

DESIGN = (Path(__file__).parents[1] / "docs" / "design.md").read_text("utf-8")
(PLUGIN,) = re.findall(r"```python\n(.*?)```", DESIGN, flags=re.DOTALL)
METADATA = "Metadata-Version: 2.1\nName: pirate\nVersion: 1.0\n"
ENTRY_POINTS = "[paraphrast.rewriters]\npirate = pirate_plugin:family\n"


def installed(folder: Path) -> None:
    """Lay a package out as pip would."""
    (folder / "pirate_plugin.py").write_text(PLUGIN)
    information = folder / "pirate-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(METADATA)
    (information / "entry_points.txt").write_text(ENTRY_POINTS)


def paraphrast(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "paraphrast", *arguments]
    environment = {"PYTHONPATH": str(folder), "PATH": ""}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_a_plugin_is_listed_and_used_like_our_own(tmp_path):
    installed(tmp_path)
    assert "pirate" in paraphrast(tmp_path, "styles").stdout
    done = paraphrast(tmp_path, "rewrite", "--to", "pirate", "hello.")
    assert done.stdout == "Arr, hello.\n"


def test_a_broken_plugin_is_one_line_that_names_it(tmp_path):
    installed(tmp_path)
    (tmp_path / "pirate_plugin.py").write_text("import nothing_of_that_name\n")
    done = paraphrast(tmp_path, "rewrite", "--to", "pirate", "hello.")
    assert done.returncode == 2
    assert "pirate_plugin" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_broken_plugin_does_not_stop_the_others(tmp_path):
    installed(tmp_path)
    (tmp_path / "pirate_plugin.py").write_text("import nothing_of_that_name\n")
    done = paraphrast(tmp_path, "rewrite", "--to", "formal", "u ok?")
    assert done.returncode == 0
    assert done.stdout
    assert "broken" in paraphrast(tmp_path, "rewriters").stdout
