"""Rewrite English text in another style, keep its meaning, and measure the result."""
