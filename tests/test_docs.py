"""What the pages say is what the results and the code say."""

import ast
import importlib
import inspect
import json
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from docs import generate
from docs.benchmark_pages import list_claims
from page_commands import LOOSE, Step, agrees, read_steps, run_page
from paraphrast.neural.rewriter import GUARD_NAMES
from paraphrast.reproduce import Value, compare, recipes

ROOT = Path(__file__).parents[1]


def test_pages_with_figures_match_the_results():
    stale = [
        path.name
        for path, text in generate.pages().items()
        if path.read_text("utf-8") != text
    ]
    assert not stale, "run `make docs` and commit"


RECIPES = pytest.mark.parametrize("recipe", recipes(), ids=lambda recipe: recipe.name)

# Checks of systems and texts that were not there when the results were made.
WITHOUT_VALUES = {
    "gyafc": {
        "everyday to formal: PBMT, rank",
        "everyday to formal: NMT combined, rank",
        "everyday to formal: rules, rank",
        "everyday to formal: NMT copy, rank",
        "everyday to informal: PBMT, rank",
        "everyday to informal: NMT combined, rank",
        "everyday to informal: REFERENCE, rank",
    },
    "learn": {
        f"book {sentences}, {texts}: lead in J over the better"
        for sentences in ("200", "2,000")
        for texts in ("plain versions", "others' sentences")
    }
    | {"book 2,000: times within 20 minutes"},
}


def read_values(folder):
    """Return a recipe's figures, and those that an earlier run left to its page."""
    record = json.loads((folder / "results.json").read_text("utf-8"))
    values = {figure["name"]: figure["ours"] for figure in record["figures"]}
    earlier = folder / "earlier.json"
    if earlier.exists():
        values = json.loads(earlier.read_text("utf-8"))["figures"] | values
    return {name: Value(**own) for name, own in (values | record["more"]).items()}


@RECIPES
def test_the_figures_that_a_recipe_misses_are_those_that_it_pins(recipe):
    record = json.loads((recipe.folder / "results.json").read_text("utf-8"))
    assert record["recipe"] == recipe.name
    outcomes = compare(recipe, read_values(recipe.folder))
    missed = {outcome.figure.name for outcome in outcomes if not outcome.holds}
    assert missed == {o.figure.name for o in outcomes if o.figure.missed}
    of_this_run = {figure["name"] for figure in record["figures"]}
    said = {f["name"] for f in record["figures"] if not f["holds"]}
    assert missed & of_this_run == said
    assert record["as_pinned"]


@RECIPES
def test_no_check_of_a_recipe_is_left_out_unnoticed(recipe):
    checked = {o.figure.name for o in compare(recipe, read_values(recipe.folder))}
    bounded = {f.name for f in recipe.definition.figure if f.bounded}
    assert bounded - checked == WITHOUT_VALUES.get(recipe.name, set())


def test_every_benchmark_has_results():
    shared = {"memory", "mirror_texts", "report", "timing"}
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - shared
    results = {path.stem for path in (ROOT / "benchmarks" / "results").glob("*.json")}
    assert scripts == results
    assert results == {name for name, *_ in list_claims()}


def test_the_benchmark_of_guards_counts_every_guard():
    record = json.loads((ROOT / "benchmarks/results/guards.json").read_text("utf-8"))
    assert tuple(record["guards"]) == GUARD_NAMES


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md"))
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


TUTORIALS = sorted(ROOT.glob("docs/tutorials/*.md"))


def find_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", ROOT / "docs/documents.md", ROOT / "docs/phrase.md"]
    + TUTORIALS,
    ids=lambda page: page.name,
)
def test_what_a_page_shows_is_what_its_commands_print(page, tmp_path):
    steps = read_steps(page)
    assert len(steps) >= 2
    if shutil.which("curl") is None and any("curl" in s.command for s in steps):
        pytest.skip("needs curl")
    for step, printed in run_page(page, tmp_path / "page", port=find_port()):
        assert agrees(step, printed), f"$ {step.command}\n{printed}"


def test_there_is_a_tutorial_for_each_reader():
    names = {page.stem for page in TUTORIALS}
    assert names == {"writer", "researcher", "engineer", "annotator"}


@pytest.mark.parametrize(
    ("shown", "printed", "loosely", "same"),
    [
        ("J 21.5", "J 21.5\n", False, True),
        ("J 21.5", "J 21.6", False, False),
        ("at http://…", "at http://127.0.0.1", False, True),
        ("at http://…", "at http://127.0.0.1\nTraceback", False, False),
        ("I cannot attend, score 46", "I cannot attend, score 51", True, True),
        ("I cannot attend, score 46", "error: unknown style", True, False),
        ("I cannot attend, score 46", "", True, False),
    ],
)
def test_what_counts_as_the_same_output(shown, printed, loosely, same):
    assert agrees(Step("command", shown, loosely), printed) is same


def test_a_page_is_read_as_commands_with_what_they_print(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        '```text title="a.txt"\none\n```\n\n```console\n$ cat \\\n    a.txt\none\n'
        f"$ true\n```\n\n{LOOSE}\n```console\n$ wc -l a.txt\n9 a.txt\n```\n"
    )
    (first, one), (second, none), (third, counted) = run_page(page, tmp_path / "run")
    assert (first.command, first.shown, one) == ("cat \\\n    a.txt", "one\n", "one\n")
    assert (second.command, second.shown, none) == ("true", "", "")
    assert third.loosely
    assert counted.split() == ["1", "a.txt"]
    assert agrees(third, counted)


DESIGN = (ROOT / "docs" / "design.md").read_text("utf-8")


def test_the_map_lists_the_folders_of_the_tree():
    inside, beside = DESIGN.split("## The map", 1)[1].split("Beside it:", 1)
    listed = [
        set(re.findall(r"^\| `([a-z]+)/`", part.split("## Imports")[0], re.MULTILINE))
        for part in (inside, beside)
    ]
    package = ROOT / "src" / "paraphrast"
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    if not tracked:  # an unpacked archive
        pytest.skip("not a clone")
    folders = {path.split("/")[0] for path in tracked if "/" in path}
    assert listed[0] == {path.name for path in package.iterdir() if is_package(path)}
    assert listed[1] == {name for name in folders if name[0] != "."} - {"src"}


def is_package(path: Path) -> bool:
    return path.is_dir() and any(path.rglob("*.py"))


def test_every_file_that_the_design_names_exists():
    tree = (ROOT, ROOT / "src" / "paraphrast")
    for name in re.findall(r"`([\w/.-]+(?:/|\.(?:py|sh|toml|md)))`", DESIGN):
        per_recipe = name in ("run.py", "page.py", "recipe.toml")
        assert per_recipe or any((root / name).exists() for root in tree), name


def python_blocks():
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]:
        for block in re.findall(
            r"```python[^\n]*\n(.*?)```", page.read_text("utf-8"), re.S
        ):
            yield pytest.param(block, id=f"{page.name}: {block[:40]!r}")


@pytest.mark.parametrize("block", list(python_blocks()))
def test_python_in_the_pages_names_what_exists(block):
    modules = {}
    tree = ast.parse(re.sub(r"^(>>>|\.\.\.) ?", "", block, flags=re.M))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("paraphrast"):
            module = importlib.import_module(node.module)
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if not hasattr(module, alias.name):
                    importlib.import_module(name)
                value = getattr(module, alias.name)
                if inspect.ismodule(value):
                    modules[alias.asname or alias.name] = value
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id)
            assert module is None or hasattr(module, node.attr), node.attr
