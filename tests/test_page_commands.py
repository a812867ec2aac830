"""Every command that a page shows without its output is run, here or by another test.

Blocks of ``console``, which show what a command prints, are for ``test_docs``.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(?:sh)?\n(.*?)^```", re.M | re.S)
COMMAND = re.compile(
    r"(?:[A-Z_]+=\S+ )?(?:paraphrast|pip|make|curl|cut|docker|export) "
)
# The file that runs a command, and a word of it there: not run here, since it needs a
# network, a container, a server, a corpus, or a model that was trained for it.
ELSEWHERE = {
    "pip install": ("Makefile", "pip install"),
    "make ": (".ci/run", "make test"),
    "make release": ("tests/test_release.py", "build.build"),
    "docker ": ("tests/test_container.py", "docker"),
    "export PARAPHRAST_SECRET": ("tests/test_web_app.py", "PARAPHRAST_SECRET"),
    "curl ": ("tests/test_web_jobs.py", "/v1/jobs"),
    "paraphrast serve": ("tests/test_docs.py", "TUTORIALS"),
    "paraphrast studio": ("tests/test_docs.py", "TUTORIALS"),
    "paraphrast learn": ("tests/test_learning.py", "learn"),
    "paraphrast rewrite --to grandmother": ("tests/test_learning.py", "rewrite"),
    "paraphrast neural": ("tests/test_neural_rewriting.py", "generate"),
    "paraphrast neural convert": ("tests/test_neural_training.py", "convert"),
    "paraphrast nmt": ("tests/test_nmt_commands.py", "augment"),
    "paraphrast rewrite --pack packs/copy": ("tests/test_nmt_commands.py", "rewrite"),
    "paraphrast packs fetch large": ("tests/test_packs_commands.py", "fetch"),
    "paraphrast rewrite --using large": ("tests/test_large.py", "large"),
    "paraphrast rewrite --using llm": ("tests/test_llm.py", "llm"),
    "paraphrast paraphrases": ("tests/test_paraphrases_command.py", "extract"),
    "paraphrast phrase tune": ("tests/test_phrase_commands.py", "tune"),
}
# The files of examples/ that stand in for those that a page names.
STAND_INS = {
    "compare.md": {
        "in.txt": "plain.txt",
        "ref.txt": "old.txt",
        "ours.txt": "old.txt",
        "theirs.txt": "plain.txt",
    },
    "filtering.md": {"pairs.tsv": "", "para-nmt-50m.txt": ""},
    "index.md": {},
    "judges.md": {
        "modern.txt": "plain.txt",
        "plays.txt": "old.txt",
        "in.txt": "plain.txt",
        "out.txt": "old.txt",
        "ref.txt": "old.txt",
        "a.txt": "old.txt",
        "b.txt": "plain.txt",
    },
    "metrics.md": {"in.txt": "plain.txt", "out.txt": "plain.txt", "ref.txt": "old.txt"},
    "rules.md": {"letter.txt": "letter.txt"},
    "scale.md": {},
}
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


def find_commands(page):
    """Return the commands of a page that are shown without what they print."""
    text = "\n".join(BLOCK.findall(page.read_text("utf-8"))).replace("\\\n", "")
    return [line for line in text.splitlines() if COMMAND.match(line)]


def find_elsewhere(command):
    """Return the file that runs a command and a word in it, if it is not run here."""
    command = re.sub(r"^[A-Z_]+=\S+ (?=paraphrast)", "", command)
    prefixes = [prefix for prefix in ELSEWHERE if command.startswith(prefix)]
    return ELSEWHERE[max(prefixes, key=len)] if prefixes else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_is_run_here_or_elsewhere(page):
    for command in find_commands(page):
        elsewhere = find_elsewhere(command)
        assert page.name in STAND_INS or elsewhere, command
        if elsewhere:
            assert elsewhere[1] in (ROOT / elsewhere[0]).read_text("utf-8")


def make_folder(folder, names):
    for name, example in names.items():
        pairs = "It is late.\tThe hour is late.\nWe go.\tHome we go.\n"
        text = (ROOT / "examples" / example).read_text() if example else pairs
        (folder / name).write_text(text)
    (folder / "corpus").mkdir()
    data = zstandard.compress(b'{"text": "gonna be late, soz"}\n')
    (folder / "corpus/a.jsonl.zst").write_bytes(data)


@pytest.mark.bundled
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name in STAND_INS],
    ids=lambda page: page.name,
)
def test_the_commands_of_a_page_do_what_they_say(page, tmp_path):
    make_folder(tmp_path, STAND_INS[page.name])
    commands = [own for own in find_commands(page) if not find_elsewhere(own)]
    assert commands
    if any("batch run job" in own for own in commands):  # what the page plans before
        commands.insert(
            0, "paraphrast batch plan corpus --using rules --to formal -o job"
        )
    folder = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(commands)],
        cwd=tmp_path,
        env=os.environ
        | {"PATH": f"{folder}:{os.environ['PATH']}", "SLURM_ARRAY_TASK_ID": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
