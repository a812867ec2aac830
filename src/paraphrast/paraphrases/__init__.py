"""Acquiring paraphrases: monolingual SMT, pivot, syntactic lattices, co-training."""
