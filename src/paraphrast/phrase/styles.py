"""The styles that phrase packs write, as far as code has to know them."""

KIND = "phrase"  # of a pack
# Styles that a recipe of ours makes a pack of.
KNOWN = ("modern", "shakespeare")
