"""A greeting to be made formal, whatever the name in it; and models of random weights.

The names occur once each, so that a model must copy them.
"""

import re
import string

import numpy as np

from paraphrast.nmt import weights
from paraphrast.nmt.settings import Architecture
from paraphrast.nmt.vocabulary import SPECIAL, Vocabulary

SIZES = Architecture(embedding=12, hidden=16, layers=2)
PATTERNS = [
    ("hi {}", "Good day , {} ."),
    ("thanks {} !", "Thank you , {} ."),
    ("hi {} , bye", "Good day , {} , farewell ."),
    ("bye {} , thanks", "Farewell , {} , thank you ."),
]
WORDS = tuple("w" + letter for letter in string.ascii_lowercase)


def names(number: int, seed: int = 1) -> list[str]:
    """Return made-up names, no two alike."""
    random = np.random.default_rng(seed)
    letters = np.array([*string.ascii_lowercase])
    made = {"".join(random.choice(letters, 6)).title(): None for _ in range(number)}
    return list(made)


def pairs(number: int = 120, seed: int = 1) -> list[tuple[str, str]]:
    """Return greetings and the same made formal."""
    made = []
    for index, name in enumerate(names(number, seed)):
        sides = PATTERNS[index % len(PATTERNS)]
        made.append(tuple(re.sub(" (?=[,.!])", "", s.format(name)) for s in sides))
    return made


def random_weights(architecture=SIZES, seed=1, size=1.5, **replaced):
    """Return a model that is not rounded, with weights drawn by the seed."""
    random = np.random.default_rng(seed)
    vocabulary = Vocabulary((*SPECIAL, *WORDS))
    shapes = weights.list_shapes(architecture, len(vocabulary))
    arrays = {
        name: (size * random.standard_normal(shape) / 2).astype(np.float32)
        for name, shape in shapes.items()
    }
    return weights.make_weights(architecture, vocabulary, arrays | replaced)


def sentences(number: int = 40, seed: int = 2) -> list[list[str]]:
    """Return sentences of known and unknown words, of 1 to 9 words each."""
    random = np.random.default_rng(seed)
    words = [*WORDS, "Zanzibar", "http://x.y/z", "quux"]
    return [
        [words[i] for i in random.integers(0, len(words), random.integers(1, 10))]
        for _ in range(number)
    ]
