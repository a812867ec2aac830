"""Judges: models that rate style, similarity, fluency, formality; their training."""
