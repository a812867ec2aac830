"""Training data: pairs with the style of their targets, from several files.

A file has two or three tab-separated columns: source, target and, for a model of many
styles, the target's style. A `Source` may swap its sides, name the style of all its
targets, and have its own weight, so that one configuration mixes parallel text, inverse
paraphrases and distilled rewrites.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.corpora.lines import read_lines
from paraphrast.errors import ParaphrastError
from paraphrast.neural.models.generation import Request
from paraphrast.text.protection import mask, protected_spans
from paraphrast.text.spans import Span, merge_spans
from paraphrast.text.tokens import tokenise

MOST_HIDDEN = 3  # spans of a pair that are masked


@dataclass(frozen=True, slots=True)
class Example:
    """A request and its target text."""

    request: Request
    target: str


@dataclass(frozen=True)
class Source:
    """A file of pairs; ``times`` is how often each is used (0.5: every second one)."""

    path: Path
    style: str = ""
    times: float = 1.0
    swap: bool = False

    def __post_init__(self) -> None:
        """Refuse a weight that is not positive."""
        if self.times <= 0:
            raise ValueError(f"times must be above 0, not {self.times}.")


def read(source: Source, *, tagged: bool) -> list[Example]:
    """Read a file of pairs; those with a blank side are skipped."""
    return list(_read(source, tagged=tagged))


def _read(source: Source, *, tagged: bool) -> Iterator[Example]:
    for number, line in enumerate(read_lines(source.path), start=1):
        columns = line.split("\t")
        if not 2 <= len(columns) <= 3:
            raise ParaphrastError(
                f"{source.path}:{number}: expected source, target and optionally "
                f"style, separated by tabs; found {len(columns)} columns."
            )
        left, right, *given = columns
        if not left.strip() or not right.strip():
            continue
        style = source.style or "".join(given).strip()
        if tagged and not style:
            raise ParaphrastError(
                f"{source.path}:{number}: no style, although the model learns several. "
                "Add a third column, or `style` to the file's settings."
            )
        if source.swap:
            left, right = right, left
        yield Example(Request(left, style if tagged else ""), right)


def mix_examples(
    parts: Sequence[tuple[Source, list[Example]]], seed: int
) -> list[Example]:
    """Return the examples of all files, repeated by weight."""
    result: list[Example] = []
    for index, (source, examples) in enumerate(parts):
        whole, share = divmod(source.times, 1)
        result += examples * int(whole)
        chosen = random.Random(f"{seed}:{index}").sample(
            examples, round(share * len(examples))
        )
        result += chosen
    return result


def hold_out(
    examples: Sequence[Example], number: int, seed: int
) -> tuple[list[Example], list[Example]]:
    """Hold ``number`` examples out, with all that have the same source or target."""
    order = list(range(len(examples)))
    random.Random(seed).shuffle(order)
    held = [examples[index] for index in order[:number]]
    sources = {example.request.text for example in held}
    targets = {example.target for example in held}
    kept = [
        example
        for example in examples
        if example.request.text not in sources and example.target not in targets
    ]
    return kept, held


def mask_shared_spans(example: Example, generator: random.Random) -> Example:
    """Replace some shared numbers and names by placeholders, as in rewriting.

    A model that has seen placeholders copies them, so that protected spans can be
    hidden from it entirely. An example without shared spans is unchanged.
    """
    left, right = example.request.text, example.target
    shared = [
        text
        for text in dict.fromkeys(_to_hide(left))
        if left.count(text) == right.count(text) == 1
    ]
    chosen = generator.sample(shared, min(len(shared), MOST_HIDDEN))
    if not chosen:
        return example
    spans = merge_spans(Span(left.index(t), left.index(t) + len(t)) for t in chosen)
    hidden, table = mask(left, spans)
    for placeholder, original in table.items():
        right = right.replace(original.text, placeholder)
    return Example(Request(hidden, example.request.style), right)


def _to_hide(text: str) -> Iterator[str]:
    for span in protected_spans(text):
        yield text[span.start : span.end]
    for index, word in enumerate(tokenise(text)):
        if index and word[:1].isupper() and word.isalpha() and len(word) > 2:
            yield word
