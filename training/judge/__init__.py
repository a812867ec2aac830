"""The small judge, which ships, and the large one that it is distilled from."""
