"""Word links: aligners, symmetrisation, phrase pairs, measures, formats, pictures."""
