"""The checker of meaning: says whether two texts say the same."""
