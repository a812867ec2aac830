"""The styles of neural packs that the code refers to."""

KIND = "neural"  # of a pack
# Styles that the bundled pack writes, for the word when it was taken out.
BUNDLED_STYLES = (
    "bible",
    "concise",
    "conversation",
    "formal",
    "informal",
    "joyce",
    "plain",
    "poetry",
    "polite",
    "prose-1810",
    "prose-1890",
    "shakespeare",
    "simple",
    "tweet",
)
# Styles of loose talk, where a question needs no mark.
LOOSE = ("tweet", "conversation", "informal")
VERSE = "poetry"  # is written in lines
# Styles of the bundled pack whose sentences end with a mark.
ENDED = tuple(style for style in BUNDLED_STYLES if style not in LOOSE)
# Styles that capitals, marks and lines may make, with the source's own words.
BY_MARKS = ("informal", "tweet", "poetry")
