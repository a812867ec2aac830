"""Trees from Link Grammar, the parser of Debian's package ``link-grammar``.

The program runs as a subprocess and parses one sentence after the other. It tokenises
differently, changes the case of words and marks them (``people.p``, ``foo{?}.n``), so
its words are mapped back to ours by their letters. A sentence that it cannot parse, on
which it takes too long, or whose output does not match, gets a flat tree; `Parses` has
their number. Parses can be cached in a file, and are then not computed again.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.align.base import Words
from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError
from paraphrast.paraphrases.syntax.linkage import line, tree_over
from paraphrast.paraphrases.syntax.trees import Tree, flat, parse_tree
from paraphrast.storage import atomic

PROGRAM = "link-parser"
SECONDS = 5
STARTING = 10  # seconds for the dictionary
# Sentences given to the program at once; it reads its dictionary again each time.
BATCH = 50
# Link Grammar's own limit is 254 with its walls.
LONGEST = 200

_OPTIONS = (
    "-constituents=3",
    "-graphics=0",
    "-verbosity=0",
    "-spell=0",
    "-panic=0",
    "-limit=100",
)
# Each sentence is followed by a harmless command that makes the program print a
# number, so that every answer is known by its sentence. Widths start high enough
# never to fold a line.
_FIRST_WIDTH = 100_000
_DONE = re.compile(r"width set to \d+")


@dataclass(frozen=True, slots=True)
class Parses:
    """One tree per sentence, and how many of them are flat for lack of a parse."""

    trees: tuple[Tree, ...]
    flat: int


def parse(
    sentences: Iterable[Words], *, seconds: int = SECONDS, cache: Path | None = None
) -> Parses:
    """Parse tokenised sentences, each distinct one once.

    ``seconds`` is the CPU time a sentence may take, so that a busy machine finds the
    same trees. ``cache`` names a file of parses to
    use and to add to; it appears when the work is done.
    """
    wanted = [tuple(words) for words in sentences]
    if () in wanted:
        raise ParaphrastError(
            f"sentence {wanted.index(()) + 1} has no words to parse. Leave it out."
        )
    parses = _read_cache(cache) if cache else {}
    new = [words for words in dict.fromkeys(wanted) if words not in parses]
    if new:
        parses |= dict(zip(new, _parse(new, seconds=seconds), strict=True))
        if cache:
            _write_cache(cache, parses)
    result = [parses[words] for words in wanted]
    return Parses(
        tuple(tree or flat(words) for tree, words in zip(result, wanted, strict=True)),
        result.count(None),
    )


def _parse(sentences: Sequence[Words], *, seconds: int) -> Iterator[Tree | None]:
    program = shutil.which(PROGRAM)
    if program is None:
        raise ParaphrastError(
            f"the parser {PROGRAM!r} is not installed. Install it with `apt-get "
            "install link-grammar link-grammar-dictionaries-en`, or give trees in "
            "bracketed files."
        )
    command = [program, "en", *_OPTIONS, f"-timeout={seconds}"]
    for start in range(0, len(sentences), BATCH):
        batch = sentences[start : start + BATCH]
        answers = _answers(command, batch, seconds=seconds)
        for words in batch[len(answers) :]:
            # The program died or hung somewhere in this batch: one at a time, so
            # that only the sentence that did it is lost.
            answers += _answers(command, [words], seconds=seconds) or [""]
        for words, answer in zip(batch, answers, strict=True):
            yield tree_over(words, answer) if answer else None


def _answers(
    command: Sequence[str], sentences: Sequence[Words], *, seconds: int
) -> list[str]:
    """Return the program's output for each sentence, until it ends.

    It is stopped when it exceeds the CPU time for all sentences.
    """
    lines = (
        (line(words) if len(words) <= LONGEST else ".")
        + f"\n!width={_FIRST_WIDTH + number}\n"
        for number, words in enumerate(sentences)
    )
    most = (seconds + 1) * len(sentences) + STARTING
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -t "$0" && exec "$@"', str(most), *command],
        input="".join(lines).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    answers, answer = [], ""
    for said in done.stdout.decode("utf-8", errors="replace").split("\n"):
        if said.startswith("("):
            answer = said
        elif _DONE.fullmatch(said):
            answers.append(answer)
            answer = ""
    return answers


def _read_cache(path: Path) -> dict[Words, Tree | None]:
    if not path.exists():
        return {}
    parses: dict[Words, Tree | None] = {}
    for number, text in enumerate(read_lines(path), start=1):
        try:
            record = json.loads(text)
            tree = parse_tree(record["tree"]) if record["tree"] else None
            parses[tuple(record["words"])] = tree
        except (ValueError, KeyError, TypeError, ParaphrastError) as error:
            raise ParaphrastError(
                f"{path}:{number}: not a cached parse ({error!r}). Delete the file to "
                "parse again."
            ) from error
    return parses


def _write_cache(path: Path, parses: Mapping[Words, Tree | None]) -> None:
    with atomic.writer(path) as file:
        for words, tree in parses.items():
            record = {"words": words, "tree": str(tree) if tree else None}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
