"""What the pages say is what the results and the code say."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def generator():
    path = ROOT / "docs" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_with_figures_are_those_that_the_results_give():
    stale = [
        path.name
        for path, text in generator().pages().items()
        if path.read_text("utf-8") != text
    ]
    assert not stale, "run `make docs` and commit"


def test_every_recipe_has_results_and_they_hold():
    # A folder without recipe.toml holds a training, which promises no figures.
    for path in (ROOT / "recipes").glob("*/recipe.toml"):
        folder = path.parent
        record = json.loads((folder / "results.json").read_text("utf-8"))
        assert record["recipe"] == folder.name.replace("_", "-")
        assert record["holds"]


def test_every_benchmark_has_results():
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"report"}
    results = {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.json")}
    assert scripts == results


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/*.md"))
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def commands(page: str) -> list[str]:
    text = (ROOT / page).read_text("utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    return [
        line.removeprefix("$ ")
        for block in blocks
        for line in block.splitlines()
        if line.startswith("$ ") and "paraphrast " in line
    ]


def output_after(page: str, command: str) -> str:
    text = (ROOT / page).read_text("utf-8")
    after = text.split(f"$ {command}\n", 1)[1]
    return re.split(r"^(?:\$ |```)", after, maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("command", commands("README.md"))
def test_what_the_readme_shows_is_what_the_command_prints(command):
    words = f"{sys.executable} -m {command}"
    done = subprocess.run(
        words, shell=True, capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == output_after("README.md", command).strip()


def test_what_the_phrase_page_shows_is_what_the_commands_print(tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shown = commands("docs/phrase.md")
    assert len(shown) == 4
    for command in shown:
        words = command.replace("paraphrast ", f"{sys.executable} -m paraphrast ", 1)
        done = subprocess.run(
            words, shell=True, capture_output=True, text=True, cwd=tmp_path, check=True
        )
        assert done.stdout.strip() == output_after("docs/phrase.md", command).strip()
