"""The monolingual word aligner."""
