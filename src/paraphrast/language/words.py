"""The words of a text, for every fact that needs no more than the words themselves.

Other purposes have their own: `paraphrast.text.overlap.words` normalises as the SQuAD
script does, `paraphrast.text.model_words.words` is what trained judges read, and
`paraphrast.language.sentence.read` takes contractions apart.
"""

import regex

WORD = regex.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def find_words(text: str) -> list[str]:
    """Return the runs of letters and digits, with the apostrophes inside them."""
    return list(WORD.findall(text))
