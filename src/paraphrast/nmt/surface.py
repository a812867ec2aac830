"""Convert a sentence to a model's words, and an output back to a sentence.

Words are Moses tokens with straight quotes, cased, since capitals are part of
formality. A protected span is one word, whatever its contents: a model copies it whole
or not at all. An output keeps the sentence's spacing and spelling where words are
unchanged.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from paraphrast.rewriter import Change, Sentence
from paraphrast.text.common_subsequence import matching_indices
from paraphrast.text.exact import Tokens, tokenise_exactly
from paraphrast.text.normalisation import straighten, straighten_in_place
from paraphrast.text.protection import protected_spans

NEW = -1  # the origin of a word that the sentence does not have


def prepare_text(text: str) -> list[str]:
    """Return a training sentence as words; what would be protected is one word."""
    spans = tuple(protected_spans(text))
    return list(prepare_sentence(Sentence(text, spans)).words)


def prepare_sentence(sentence: Sentence) -> Tokens:
    """Return the words of a sentence with their offsets, protected spans as one each.

    The words have straight quotes; the text keeps its own.
    """
    text = straighten_in_place(sentence.text)
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    position = 0
    for span in (*sentence.protected, None):
        end = len(text) if span is None else max(span.start, position)
        between = tokenise_exactly(text[position:end])
        words += [straighten(word) for word in between.words]
        spans += [(position + a, position + b) for a, b in between.spans]
        if span is not None:
            words.append(sentence.text[end : span.end])
            spans.append((end, span.end))
            position = span.end
    return Tokens(sentence.text, tuple(words), tuple(spans))


def find_origins(tokens: Tokens, words: Sequence[str]) -> list[int]:
    """Return for each word of an output its index in the sentence, or `NEW`."""
    origins = [NEW] * len(words)
    for source, target in matching_indices(_fold(tokens.words), _fold(words)):
        origins[target] = source
    return origins


def write_text(tokens: Tokens, words: Sequence[str]) -> str:
    """Return the words as text, keeping the sentence's spacing where unchanged."""
    before, after = tokens.edges()
    pieces = tokens.pieces(words, find_origins(tokens, words))
    return before + "".join(gap + word for gap, word in pieces) + after


def find_lost(tokens: Tokens, sentence: Sentence, words: Sequence[str]) -> list[str]:
    """Return the protected spans that an output lacks, or has too often."""
    protected = Counter(sentence.text[s.start : s.end] for s in sentence.protected)
    written = Counter(words)
    own = Counter(tokens.words)
    return [span for span in protected if written[span] != own[span]]


def find_changes(
    tokens: Tokens, words: Sequence[str], reasons: Sequence[str]
) -> Iterator[Change]:
    """Yield the edits from a sentence to an output, each by its first word's reason.

    An edit that only takes words away has the reason of the word that follows.
    """
    origins = find_origins(tokens, words)
    pieces = tokens.pieces(words, origins)
    kept = [
        (origin, index)
        for index, origin in enumerate(origins)
        if origin != NEW and tokens.words[origin] == words[index]
    ]
    begin = (0, 0)
    for source, target in (*kept, (len(tokens.words), len(words))):
        if (source, target) != begin:
            start, end = _find_range(tokens, begin[0], source)
            written = "".join(gap + word for gap, word in pieces[begin[1] : target])
            after = written.strip() if begin[1] < target else ""
            reason = reasons[min(begin[1], len(reasons) - 1)] if reasons else ""
            yield Change(start, end, tokens.text[start:end], after, reason)
        begin = (source + 1, target + 1)


def _find_range(tokens: Tokens, first: int, last: int) -> tuple[int, int]:
    """Return the offsets of some words, or of the gap before the first."""
    if first < last:
        return tokens.spans[first][0], tokens.spans[last - 1][1]
    offset = tokens.spans[first][0] if first < len(tokens.spans) else len(tokens.text)
    return offset, offset


def _fold(words: Sequence[str]) -> list[str]:
    return [word.lower() for word in words]
