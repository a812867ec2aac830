"""Pairs and style texts on disk, and the catalogue of public corpora."""
