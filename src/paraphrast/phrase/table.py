"""A phrase table: which target phrases may stand for a source phrase, and how well.

Source phrases are in order of their word numbers, so that the phrases that begin at
a word of a sentence are found by narrowing a range; the options of each are from the
likeliest on. Everything is an array and can be mapped from a file, which the decoder
(`paraphrast._native`) reads where it lies.

Array                     shape              what
source_text/_starts       as `Strings`       source words, sorted
target_text/_starts       as `Strings`       target words, sorted
phrase_starts  uint32     (phrases + 1,)     source phrase i is
phrase_words   uint32                        phrase_words[starts[i]:starts[i + 1]]
option_starts  uint32     (phrases + 1,)     its options are rows starts[i]:starts[i + 1]
output_starts  uint32     (outputs + 1,)     target phrase j is
output_words   uint32                        output_words[starts[j]:starts[j + 1]]
outputs        uint32     (options,)         the option's target phrase
scores         float32    (options, scores)  natural logarithms, named in ``about``
reordering     float32    (options, 6 or 0)  natural logarithms: `features.REORDERING`
link_starts    uint32     (options + 1,)     word links inside the option:
links          uint8      (links, 2)         source place, target place in the phrases
counts         float32    (options,)         how often it was seen (0: not from a corpus)
examples       uint32     (options,)         number of a training pair that shows it;
                                             4294967295 if there is none

``about["scores"]`` names the columns of ``scores``; the five standard ones are
"inverse phrase", "inverse words", "phrase", "words" (p(f|e), lex(f|e), p(e|f),
lex(e|f); the fifth, Moses' phrase penalty, is the decoder's feature "phrases").
A target phrase may be empty (a deletion); a source phrase never is. No phrase is
longer than `LONGEST` words.
"""

LONGEST = 15
NO_EXAMPLE = 0xFFFFFFFF
