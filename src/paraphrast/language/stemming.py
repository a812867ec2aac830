"""Stems and roots of English words.

`stem` is Porter's algorithm (1980) as published, so that figures agree with other
tools; `root` goes one step further for old texts and irregular verbs, so that
``loveth``, ``loved`` and ``love``, ``art`` and ``is``, ``went`` and ``go`` coincide.
"""

from functools import lru_cache

from snowballstemmer.porter_stemmer import PorterStemmer

# Forms that no rule reaches; the first of each line stands for all of them.
_IRREGULAR = """
be am is are was were been being art wast wert beest
have has had having hath hast hadst
do does did done doing doth dost didst doest
will wilt wouldst would
shall shalt should shouldst
can canst could couldst
may mayst might mightst
go went gone goes going goest goeth
come came cometh comest
say said saith sayst says sayest
see saw seen seeth seest
give gave given gives giveth givest
take took taken taketh takest
know knew known knoweth knowest
think thought thinketh thinkest
speak spoke spoken spake speaketh
break broke broken brake
tell told telleth
make made maketh
find found findeth
hold held
keep kept
leave left
feel felt
send sent
hear heard
stand stood
lose lost
meet met
run ran
sit sat
eat ate eaten
fall fell fallen
write wrote written writ
bring brought
buy bought
fight fought
seek sought
teach taught
catch caught
bear bore borne born bare
swear swore sworn
choose chose chosen
forget forgot forgotten
get got gotten
begin began begun
drink drank drunk
sing sang sung
die dead died dies dying
slay slew slain
shake shook shaken
ride rode ridden
rise rose risen
win won
lead led
sleep slept
weep wept
man men
woman women
child children
wife wives
foot feet
tooth teeth
brother brethren
"""
IRREGULAR_FORMS = {
    form: forms[0]
    for forms in (line.split() for line in _IRREGULAR.strip().split("\n"))
    for form in forms
}
_SHORTEST_OLD = 3  # letters that stay when an old ending is cut: "loveth", not "teeth"


@lru_cache(maxsize=2**16)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; words of one or two letters stay."""
    word = word.lower()
    if len(word) <= 2:
        return word
    # A stemmer has a state and is not shared between threads.
    return str(PorterStemmer().stemWord(word))


@lru_cache(maxsize=2**16)
def root(word: str) -> str:
    """Return the root of a word's forms, including old endings and irregular forms."""
    word = word.lower()
    if word in IRREGULAR_FORMS:
        return IRREGULAR_FORMS[word]
    for ending in ("eth", "est", "'st", "'d"):
        kept = word.removesuffix(ending)
        if kept != word and len(kept) >= _SHORTEST_OLD:
            # As a past tense, so that the rules decide on a final e: lov(e), speak.
            return IRREGULAR_FORMS.get(kept) or stem(f"{kept}ed")
    return stem(word)
