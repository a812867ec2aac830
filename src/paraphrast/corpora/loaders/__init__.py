"""Typed access to the corpora of the catalogue, grouped by contents.

Every loader takes the folder that `paraphrast.corpora.catalogue.locate` returns, or the
user's own, and reads only what is requested. `catalogue.load_pairs` and
`catalogue.load_texts` call ``pairs_of`` and ``texts_of``.
"""
