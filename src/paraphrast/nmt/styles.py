"""The kind of an NMT pack, and the styles whose packs our recipe makes."""

KIND = "nmt"
KNOWN = ("formal", "informal")
