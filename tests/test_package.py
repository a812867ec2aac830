"""The public names, and what the package says of itself."""

import doctest
import zlib
from importlib.metadata import version
from pathlib import Path

import pytest

import paraphrast

ROOT = Path(__file__).parents[1]
BUNDLED = "src/paraphrast/neural/packs"
JUDGES = "src/paraphrast/judges/data"
LEFT_OUT = ROOT / "corpora/everyday/rewrites.jsonl"
ADAPTERS = "src/paraphrast/instruct/packs"
MEGABYTES = {  # that a wheel may have, compressed
    (BUNDLED,): 70,
    (JUDGES,): 30,
    (ADAPTERS,): 5,
    # All that CMakeLists.txt and pyproject.toml put into it, but compiled code.
    ("src/paraphrast", "corpora/everyday", "recipes", "training"): 100,
}


@pytest.mark.bundled  # as a user sees it
def test_the_example_in_the_package_docstring_works():
    assert doctest.testmod(paraphrast).failed == 0


def test_the_public_names_are_few():
    assert len(paraphrast.__all__) <= 12
    assert paraphrast.__version__ == version("paraphrast")
    assert "formal" in [style.name for style in paraphrast.styles()]


def test_the_functions_share_their_parameter_names():
    (text,) = paraphrast.rewrite(["u go"], to="formal", using="rules", n=1)
    assert text[0].text == paraphrast.load("formal", using="rules").rewrite("u go").text


@pytest.fixture(scope="module")
def sizes() -> dict[Path, int]:
    """Return what each file of the wheel takes there."""
    folders = {folder for group in MEGABYTES for folder in group}
    paths = {path for folder in folders for path in (ROOT / folder).rglob("*")}
    return {
        path: len(zlib.compress(path.read_bytes()))
        for path in paths
        if path.is_file() and path != LEFT_OUT and "__pycache__" not in path.parts
    }


@pytest.mark.skipif(not (ROOT / BUNDLED).is_dir(), reason="needs the sources")
@pytest.mark.parametrize("folders", MEGABYTES, ids=lambda own: own[0])
def test_the_wheel_keeps_its_budget(sizes, folders):
    own = [
        size
        for path, size in sizes.items()
        if any(path.is_relative_to(ROOT / folder) for folder in folders)
    ]
    assert 0 < sum(own) <= MEGABYTES[folders] * 1e6
