"""Rewriting, rating and aligning for the pages and the HTTP API."""
