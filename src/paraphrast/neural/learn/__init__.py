"""Teach a pack a new style from texts in that style alone."""
