"""Kinds of English words, as ``data/word_kinds.txt`` lists them."""

from paraphrast.language.persons import PRONOUNS
from paraphrast.text.word_lists import read_rows

KINDS = {
    kind: frozenset(words.split())
    for kind, words in read_rows("paraphrast.language", "word_kinds.txt")
}
NEGATORS = KINDS["negators"]
# Words that deny without a negator: they may stand for one in a rewrite.
DENIALS = KINDS["denials"]
MODALS = {word: kind for kind in ("must", "may") for word in KINDS[kind]}
DETERMINERS = KINDS["determiners"]
AUXILIARIES = KINDS["auxiliaries"]
BE = KINDS["be"]
CLAUSE_ENDS = KINDS["clause ends"]
TITLES = KINDS["titles"]
FUNCTION = (
    DETERMINERS
    | AUXILIARIES
    | NEGATORS
    | PRONOUNS.keys()
    | KINDS["other function words"]
)
# Words that hold sentences together and are nobody's name; Art, May and Will are names.
SMALL_WORDS = (
    AUXILIARIES | BE | DETERMINERS | NEGATORS | KINDS["other function words"]
) - {"art", "may", "will"}
