"""Runs the commands that a page shows, and compares what they print with the page.

A page shows commands in blocks of ``console``, each after "$ ", with what it prints
below. A block with a title, as in ```` ```csv title="messages.csv" ````, is a file
that the commands find in their folder. "…" stands for anything within a line. What a
neural model writes may differ between processors (docs/neural.md): a block below
``LOOSE`` is compared by its words, with every digit taken as the same.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOOSE = "<!-- outputs may differ between processors -->"
BLOCK = re.compile(
    rf'^({re.escape(LOOSE)}\n)?```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S
)
PROGRESS = re.compile(r"^\w+ing: [\d,]+ .*\n", re.M)  # printed by slow machines alone
ALIKE = 0.6  # share of words that two loosely equal outputs have in common at least
SECONDS = 600


@dataclass(frozen=True)
class Step:
    """A command of a page, what the page shows below it, and how to compare."""

    command: str
    shown: str
    loosely: bool


def read_steps(page: Path) -> list[Step]:
    """Return the commands of a page, in order."""
    return [
        step
        for loose, kind, _, text in BLOCK.findall(page.read_text("utf-8"))
        if kind == "console"
        for step in _split(text, bool(loose))
    ]


def _split(block: str, loosely: bool) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        yield Step(*_cut(part), loosely)


def _cut(part: str) -> tuple[str, str]:
    """Divide a command, which may go on after a backslash, from what it prints."""
    lines = part.splitlines(keepends=True)
    length = 1
    while lines[length - 1].endswith("\\\n"):
        length += 1
    return "".join(lines[:length]).rstrip("\n"), "".join(lines[length:])


def run_page(page: Path, folder: Path, *, port: int = 8765) -> list[tuple[Step, str]]:
    """Run a page's commands in a folder with its files; return what each printed.

    The port that pages name, 8765, is replaced by ``port``.
    """
    folder.mkdir()
    shutil.copytree(ROOT / "examples", folder / "examples")
    for _, _, name, text in BLOCK.findall(page.read_text("utf-8")):
        if name:
            (folder / name).write_text(_move(text, port), "utf-8")
    steps = read_steps(page)
    errors = folder.parent / "stderr"
    script = folder.parent / "script.sh"
    script.write_text(
        "".join(
            f"{{\n{_move(step.command, port)}\n}} 2> {errors}\n"
            f"printf '\\0%d\\0' $?\ncat {errors}\nprintf '\\0'\n"
            for step in steps
        )
    )
    parts = _run(script, folder).replace(str(port), "8765").split("\0")
    assert len(parts) == 3 * len(steps) + 1, parts
    printed = []
    for number, step in enumerate(steps):
        output, status, stderr = parts[3 * number : 3 * number + 3]
        assert status in ("0", "2"), f"{step.command}: {status}\n{stderr}"
        printed.append((step, output + PROGRESS.sub("", stderr)))
    return printed


def _move(text: str, port: int) -> str:
    return text.replace("8765", str(port))


def _run(script: Path, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    process = subprocess.Popen(
        ["bash", script],
        cwd=folder,
        env=os.environ | {"PATH": path, "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        return process.communicate(timeout=SECONDS)[0]
    finally:
        with suppress(ProcessLookupError):  # a server that the page left running
            os.killpg(process.pid, signal.SIGKILL)


def agrees(step: Step, printed: str) -> bool:
    """Return whether what a command printed is what its page shows."""
    shown, printed = step.shown.strip(), printed.strip()
    if step.loosely:
        words = _read_words(shown), _read_words(printed)
        return SequenceMatcher(None, *words, autojunk=False).ratio() >= ALIKE
    pattern = "[^\n]*".join(map(re.escape, shown.split("…")))
    return re.fullmatch(pattern, printed) is not None


def _read_words(text: str) -> list[str]:
    return re.sub(r"\d", "0", text).split()
