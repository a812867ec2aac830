"""The styles of phrase packs that the code refers to."""

KIND = "phrase"  # of a pack
# Styles that a recipe of ours makes a pack of, and the recipe.
RECIPES = {
    "formal": "gyafc",
    "informal": "gyafc",
    "modern": "xu12",
    "shakespeare": "xu12",
}
