"""The data of the formality systems: a guide of formality, and the filter of pairs."""
