"""The teacher's training examples: pairs of everyday, any style to any style.

Every version of a text is a target for its plain version and for two others, drawn
anew each epoch, modern ones more often, since users write today's English. Beside them
stand copies (a text that is in the style already stays, chat spelling is put right) and
texts put together from two or three, so that all of a longer text is said. Sources in a
modern style are spelled as in a chat now and then.
"""

import random
from collections.abc import Sequence

from training.everyday import noise
from training.everyday.corpus import MODERN, Text

Example = tuple[str, str, str]  # source, style, target
NOISY = 0.2
COPIES, JOINED = 1, 4  # for each text
OLDER = 0.25  # chance of a source in an old style, to one in a modern style


def make_epoch(texts: Sequence[Text], seed: int) -> list[Example]:
    """Return the examples of one epoch, in random order."""
    draw = random.Random(seed)
    result = []
    for text in texts:
        result += make_pairs(text, draw)
        result += make_copies(text, draw)
        result += [join_texts(texts, text, draw) for _ in range(JOINED)]
    draw.shuffle(result)
    return result


def draw_spelling(said: str, style: str, draw: random.Random) -> str:
    """Return a source as a user might type it."""
    if style in MODERN and draw.random() < NOISY:
        return noise.spell_as_chat(said, draw)
    return said


def make_pairs(text: Text, draw: random.Random) -> list[Example]:
    """Return three sources for every version of a text."""
    result = []
    for style, target in text.versions.items():
        others = [own for own in text.versions if own not in ("plain", style)]
        chosen = draw_sources(others, 3 if style == "plain" else 2, draw)
        if style != "plain":
            chosen.append("plain")
        for own in chosen:
            result.append((draw_spelling(text.versions[own], own, draw), style, target))
    return result


def draw_sources(styles: Sequence[str], count: int, draw: random.Random) -> list[str]:
    """Return distinct styles, modern ones more often."""
    weights = {style: 1.0 if style in MODERN else OLDER for style in styles}
    drawn = sorted(weights, key=lambda own: draw.random() ** (1 / weights[own]))
    return drawn[-count:]


def make_copies(text: Text, draw: random.Random) -> list[Example]:
    """Return copies of versions that are already in their style."""
    chosen = draw.sample(sorted(text.versions), min(COPIES, len(text.versions)))
    return [
        (draw_spelling(text.versions[style], style, draw), style, text.versions[style])
        for style in chosen
    ]


def join_texts(texts: Sequence[Text], text: Text, draw: random.Random) -> Example:
    """Return an example whose sides join two or three texts."""
    group = [text, *draw.choices(texts, k=draw.choice((1, 1, 2)))]
    shared = set.intersection(*(set(one.versions) for one in group))
    target = draw.choice(sorted(shared))
    (source,) = draw_sources(["plain", *sorted(shared - {target})], 1, draw)
    left = " ".join(end_sentence(one.versions[source], source) for one in group)
    mark = " / " if target == "poetry" else " "
    right = mark.join(end_sentence(one.versions[target], target) for one in group)
    return draw_spelling(left, source, draw), target, right


def end_sentence(said: str, style: str) -> str:
    """Return a text that another can follow: with a stop, except in a chat."""
    if said[-1].isalnum() and style not in ("informal", "tweet"):
        return f"{said}."
    return said if not said[-1].isalnum() else f"{said}."
