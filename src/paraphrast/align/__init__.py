"""Word alignment: aligners, symmetrisation, phrase pairs, measures, formats."""
