"""The styles that the default pack writes, in the order of the classifiers."""

STYLES = (
    "modern", "shakespeare", "bible", "poetry", "formal", "informal", "prose-1810",
    "prose-1890", "joyce", "tweet", "conversation",
)  # fmt: skip
# The two styles of the parallel plays, and the file name of each side.
PLAYS = {"modern": "modern", "shakespeare": "original"}
OTHER_PLAY = {"modern": "shakespeare", "shakespeare": "modern"}
