"""The formality systems: a guide of formality, the filter of pairs, NMT training."""
