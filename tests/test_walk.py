"""A sentence's way through the house is short: few files, a shallow stack."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from paraphrast.storage.packs import BUNDLED

# One address per text has two of them, the guards of speech acts one, repairs two.
MOST_FILES, MOST_DEPTH = 55, 19
MOST_BEFORE_THE_REWRITER = 8

TRACE = """
import os, sys
import paraphrast
from paraphrast.cli import main

root = os.path.dirname(paraphrast.__file__)
files, deepest = set(), []

def ours(code):
    return (
        code.co_filename.startswith(root)
        and code.co_flags & 1  # a function, no class body and no module
        and not code.co_name.startswith("<")
    )

def note(frame, event, argument):
    global deepest
    if event != "call" or not ours(frame.f_code):
        return
    files.add(frame.f_code.co_filename[len(root) + 1 :])
    names = []
    while frame:
        if ours(frame.f_code):
            names.append(frame.f_code.co_qualname)
        frame = frame.f_back
    deepest = max(deepest, names, key=len)

sys.argv = ["paraphrast", "rewrite", "--to", "shakespeare", "Where were you?"]
sys.setprofile(note)
try:
    main.main()
except SystemExit:
    pass
sys.setprofile(None)
print(len(files), len(deepest), sep="\\n")
print(*sorted(files), *reversed(deepest), sep="\\n")
"""


@pytest.mark.bundled
def test_one_sentence_touches_few_files_in_a_shallow_stack():
    assert inspect.CO_OPTIMIZED == 1
    done = subprocess.run(
        [sys.executable, "-c", TRACE], capture_output=True, text=True, check=True
    )
    _, files, depth, *names = done.stdout.splitlines()
    assert int(files) <= MOST_FILES, names
    assert int(depth) <= MOST_DEPTH, names
    calls = names[int(files) :]
    assert calls.index("NeuralRewriter.__call__") <= MOST_BEFORE_THE_REWRITER, calls


COUNT = """
import collections, os, sys

folder, *options = sys.argv[1:]
opened = collections.Counter()

def note(event, arguments):
    if event == "open" and str(arguments[0]).startswith(folder + os.sep):
        opened[os.path.relpath(str(arguments[0]), folder)] += 1

sys.addaudithook(note)
{work}
for name, count in opened.items():
    print(count, name)
"""
COMMAND = """
from paraphrast.cli import main
sys.argv = ["paraphrast", "rewrite", *options, "Where were you?"]
try:
    main.main()
except SystemExit:
    pass
"""
THREE_CALLS = """
import paraphrast
calls = [paraphrast.rewrite("Where were you?", to=style) for style in options]
print(len(calls), "calls")
"""


def count_reads(folder, *options, work=COMMAND):
    """Return how often rewriting opens each file of a pack."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT.replace("{work}", work), str(folder), *options],
        capture_output=True,
        text=True,
        check=True,
    )
    _, *lines = done.stdout.splitlines()
    return {name: int(count) for count, name in (line.split() for line in lines)}


@pytest.mark.bundled
def test_the_files_of_the_bundled_pack_are_hashed_once_and_read_once():
    opened = count_reads(BUNDLED / "small", "--to", "shakespeare")
    assert opened.pop("pack.toml") == 1
    assert "model.bin" in opened
    assert max(opened.values()) <= 2, opened


@pytest.mark.bundled
def test_a_pack_is_not_read_again_for_the_next_text_or_style():
    styles = ("shakespeare", "shakespeare", "bible")
    opened = count_reads(BUNDLED / "small", *styles, work=THREE_CALLS)
    assert opened.pop("config.toml") <= 1 + len(styles)  # a few lines, read when asked
    assert "model.bin" in opened
    assert max(opened.values()) <= 2, opened


@pytest.mark.parametrize(
    ("pack", "weights"), [("phrase-1", "table"), ("nmt-1", "model")]
)
def test_the_files_of_any_pack_are_hashed_once_and_read_once(pack, weights):
    folder = Path(__file__).parent / "packs" / pack
    opened = count_reads(folder, "--pack", str(folder))
    assert opened.pop("pack.toml") == 1
    # Hashed, asked whether it is of the older form, and read.
    assert 1 <= opened.pop(weights) <= 3
    assert max(opened.values()) <= 2, opened
