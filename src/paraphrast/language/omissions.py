"""Which sentence of a source a rewrite says nothing of."""

from functools import lru_cache

from paraphrast.language.sentence import read
from paraphrast.text.sentences import split_sentences

# A rewrite of two sentences may join them into one that shares no word with the other.
FEWEST_SENTENCES = 3
FEWEST_WORDS = 2  # of meaning, in a sentence that can be missed


def find_lost_sentence(source: str, text: str) -> str:
    """Return the first sentence of a source that shares no content word with a text.

    Silent where the source has fewer than three sentences, and about sentences with
    fewer than two content words ("Return!"), which other words may well say.
    """
    sentences = _list_sentences(source)
    if len(sentences) < FEWEST_SENTENCES:
        return ""
    said = read(text).content
    for sentence in sentences:
        content = read(sentence).content
        if len(content) >= FEWEST_WORDS and said.isdisjoint(content):
            return sentence
    return ""


@lru_cache(maxsize=256)  # a source is compared with many candidates
def _list_sentences(text: str) -> tuple[str, ...]:
    return tuple(text[span.start : span.end] for span in split_sentences(text))
