"""Give lower-case tokens their capitals.

A system that works in lower case has two ways back. A `Truecaser` has learned from
cased text how each word is written away from the start of a sentence, where capitals
say nothing. `transfer_case` looks at the sentence that was rewritten: its names, and
whether it shouts, is a title, or begins small as chat does. Used together, the
truecaser goes first. Neither takes a capital away.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.errors import ParaphrastError
from paraphrast.storage import atomic

_ENDS = frozenset([".", "?", "!", "...", "…", "?!", "!!", "!!!"])
_QUOTES = frozenset("\"'`“”‘’«»([{)]}") | {"``", "''"}
_SHORT = 4  # a title may write shorter words small


@dataclass(frozen=True)
class Truecaser:
    """Knows the words that are not written small: ``forms["juliet"] == "Juliet"``."""

    forms: Mapping[str, str]

    @classmethod
    def train(cls, sentences: Iterable[Sequence[str]]) -> "Truecaser":
        """Learn from tokenised sentences; those that shout teach nothing."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for tokens in sentences:
            if not _shouts(tokens):
                for token, begins in zip(tokens, sentence_starts(tokens), strict=True):
                    if not begins and token.lower() != token.upper():
                        counts[token.lower()][token] += 1
        # Of forms equally frequent the small one counts.
        best = {
            word: max(forms, key=lambda form: (forms[form], form))  # noqa: B023
            for word, forms in sorted(counts.items())
        }
        return cls({word: form for word, form in best.items() if word != form})

    @classmethod
    def load(cls, path: Path) -> "Truecaser":
        """Read a file written by `save`: one form a line."""
        try:
            lines = path.read_bytes().decode("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ParaphrastError(f"cannot read {path}: {error}.") from error
        return cls({form.lower(): form for form in lines if form})

    def save(self, path: Path) -> None:
        """Write the forms, one per line, in the order of the alphabet."""
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
    """Say of each token whether it is the first word of a sentence."""
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
