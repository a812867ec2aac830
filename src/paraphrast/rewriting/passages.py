"""Split a rewritten passage into its sentences, so that users can choose per sentence.

A rewriter that reads context rewrites neighbouring sentences together. If the best
rewrite has as many sentences as the passage, and the same white space between them,
each sentence gets its own alternatives; joined, the best ones are still the passage's
best. Any other passage stays whole.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from paraphrast.rewriter import Rewrite
from paraphrast.rewriting.sections import Section, find_changes
from paraphrast.text.sentences import split_sentences


def split_passage(
    section: Section, options: Sequence[Rewrite], *, rule: str
) -> list[tuple[Section, list[Rewrite]]]:
    """Return the sentences of a section, and the white space between them.

    Each comes with its distinct rewrites, best first; ``rule`` made their changes.
    """
    sentence = section.sentence
    whole = [(section, list(options))]
    if sentence is None or not sentence.cuts:
        return whole
    source = _cut(section.text, sentence.cuts)
    cut = [_cut(option.text, _find_cuts(option.text)) for option in options]
    fitting = [
        (option, parts)
        for option, parts in zip(options, cut, strict=True)
        if _gaps(parts) == _gaps(source)
    ]
    if not fitting or fitting[0][0] is not options[0]:
        return whole
    result: list[tuple[Section, list[Rewrite]]] = []
    start = section.start
    for index, (text, gap) in enumerate(source):
        own = replace(sentence, text=text, protected=(), cuts=())
        rewrites: dict[str, Rewrite] = {}
        for option, parts in fitting:
            made = _restrict(option, text, parts[index][0], rule)
            rewrites.setdefault(made.text, made)
        result.append((Section(start, text, own), list(rewrites.values())))
        start += len(text)
        if gap:
            result.append((Section(start, gap), [Rewrite(gap)]))
            start += len(gap)
    return result


def _restrict(option: Rewrite, source: str, text: str, rule: str) -> Rewrite:
    """Return the part of a passage's rewrite that belongs to one sentence."""
    kept = tuple(k for k in option.kept if k.text.strip() == source.strip())
    same = text == source
    return replace(
        option,
        text=text,
        changes=find_changes(source, text, rule),
        why=option.why or (kept[0].why if kept else "") if same else "",
        steps=(),
        kept=kept if same else (),
    )


def _find_cuts(text: str) -> list[int]:
    return [span.start for span in split_sentences(text)][1:]


def _cut(text: str, cuts: Sequence[int]) -> list[tuple[str, str]]:
    """Return the sentences that begin at the cuts, each with the space behind it."""
    parts = [text[start:end] for start, end in pairwise((0, *cuts, len(text)))]
    return [(part.rstrip(), part[len(part.rstrip()) :]) for part in parts]


def _gaps(parts: Sequence[tuple[str, str]]) -> list[str]:
    return [gap for _, gap in parts]
