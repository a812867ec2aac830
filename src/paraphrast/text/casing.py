"""Restore the capitals of lower-case tokens.

There are two ways to recase the output of a system that works in lower case. A
`Truecaser` has learned from cased text how each word is written except at the start of
a sentence, where capitals tell nothing. `transfer_case` uses the source sentence: its
names, and whether it is in capitals, is a title, or begins in lower case as chat does.
If both are used, the truecaser goes first. Neither removes a capital.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic

_ENDS = frozenset([".", "?", "!", "...", "…", "?!", "!!", "!!!"])
_QUOTES = frozenset("\"'`“”‘’«»([{)]}") | {"``", "''"}
_SHORT = 4  # shorter words may be in lower case in a title


@dataclass(frozen=True)
class Truecaser:
    """Maps words to their cased forms: ``forms["juliet"] == "Juliet"``."""

    forms: Mapping[str, str]

    @classmethod
    def train(cls, sentences: Iterable[Sequence[str]]) -> "Truecaser":
        """Learn from tokenised sentences; those all in capitals are ignored."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for tokens in sentences:
            if not _shouts(tokens):
                for token, begins in zip(tokens, sentence_starts(tokens), strict=True):
                    if not begins and token.lower() != token.upper():
                        counts[token.lower()][token] += 1
        # Of equally frequent forms, the lower-case one is chosen.
        best = {
            word: max(forms, key=lambda form: (forms[form], form))  # noqa: B023
            for word, forms in sorted(counts.items())
        }
        return cls({word: form for word, form in best.items() if word != form})

    @classmethod
    def load(cls, path: Path) -> "Truecaser":
        """Read a file written by `save`: one form per line."""
        try:
            lines = path.read_bytes().decode("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ParaphrastError(f"cannot read {path}: {error}.") from error
        return cls({form.lower(): form for form in lines if form})

    def save(self, path: Path) -> None:
        """Write the forms, one per line, in alphabetical order."""
        with atomic.writer(path) as file:
            file.writelines(f"{self.forms[word]}\n" for word in sorted(self.forms))

    def restore(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens with capitals: first words, "I" and learned forms."""
        restored = []
        for token, begins in zip(tokens, sentence_starts(tokens), strict=True):
            word = self.forms.get(token, "I" if token == "i" else token)
            restored.append(_capitalise(word) if begins else word)
        return restored


def transfer_case(source: Sequence[str], target: Sequence[str]) -> list[str]:
    """Return the target's tokens with the case of the source sentence."""
    if _shouts(source):
        return [token.upper() for token in target]
    case_of = {
        token.lower(): token
        for token, begins in zip(source, sentence_starts(source), strict=True)
        if token != token.lower() and (not begins or token[1:] != token[1:].lower())
    }
    if _is_title(source):
        case_of |= {
            token: _capitalise(token) for token in target if len(token) >= _SHORT
        }
    words = (token for token in source if token[:1].isalpha())
    cased = next(words, "")[:1].isupper()
    if cased:
        case_of.setdefault("i", "I")
    return [
        _capitalise(case_of.get(token, token))
        if begins and cased
        else case_of.get(token, token)
        for token, begins in zip(target, sentence_starts(target), strict=True)
    ]


def sentence_starts(tokens: Sequence[str]) -> Iterator[bool]:
    """Yield for each token whether it is the first word of a sentence."""
    begins = True
    for token in tokens:
        if token in _ENDS:
            begins = True
            yield False
        else:
            yield begins
            begins = begins and token in _QUOTES


def _shouts(tokens: Sequence[str]) -> bool:
    letters = "".join(token for token in tokens if len(token) > 1)
    return letters.isupper() and sum(token.isupper() for token in tokens) > 1


def _is_title(tokens: Sequence[str]) -> bool:
    words = [token for token in tokens if len(token) >= _SHORT and token.isalpha()]
    return len(words) > 2 and all(word[0].isupper() for word in words)


def _capitalise(word: str) -> str:
    # Not str.title(): the rest of the word keeps its case, and "ǆ" becomes "ǅ".
    return word[:1].title() + word[1:]
