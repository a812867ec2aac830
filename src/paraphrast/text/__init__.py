"""Strings, tokens, sentences, n-grams, casing, protected spans, document structure."""
